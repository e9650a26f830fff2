"""The matrices that a page shows, each with what it needs to be drawn and read: S, P, N, and weights of any method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float32, UInt8

from msviz.core.three_similarities import sharpness, three_similarities
from msviz.text import Message, msg
from msviz.views.blocks import window
from msviz.views.board import Scales
from msviz.views.scene import Scene, once

Kind = Literal["S", "P", "N", "w", "d"]


@dataclass(frozen=True, eq=False)
class Panel:
    """One matrix, rows = anchor i, columns = other j, in class order.

    Args:
        key: its name on the page.
        kind: what its numbers are, and so how they are coloured: "S", "P", "N", signed weights "w", or "d", how much
            more one of two methods gives.
        title: what it shows.
        hint: how to read it, one line.
        values: the shown part (see `window`), cells or means of blocks; NaN where there is no such number, left blank.
        low, high: the values at the two ends of its colours.
        decision: what a method's mining decided, when that is not the active method; see `Decision`.
        times: what a value is multiplied by before it is written into its cell (100: per cent).
        curve: "log" spreads small values over the colours, four powers of ten below the largest.
        ends: what the two ends of signed colours mean, when that is not pull and push; each with a gap {scale}.
        named: a pair is described by this panel's own number, and not by the active method's weight.
        note: what its colours stand for, in words, under its legend.
    """

    key: str
    kind: Kind
    title: Message
    hint: Message
    values: Float32[np.ndarray, "r c"]
    low: float
    high: float
    decision: UInt8[np.ndarray, "r c"] | None = None
    times: float = 1.0
    curve: Literal["linear", "log"] = "linear"
    note: Message | None = None
    ends: tuple[Message, Message] | None = None
    named: bool = False

    @property
    def levels(self) -> UInt8[np.ndarray, "r c"]:
        """Signed values in 127 steps a side, a byte each: enough for colours while something moves.

        127 is 0 and nothing else: a pair that weighs nothing must not look like one that weighs little.

        Example:
            >>> panel = Panel("w", "w", msg(""), msg(""), np.float32([[0, 1e-9, -2, 0.5]]), -2.0, 2.0)
            >>> panel.levels.tolist()
            [[127, 128, 0, 159]]
        """
        steps = np.clip(np.rint(np.nan_to_num(self.values) * np.float32(127 / self.high)), -127, 127)
        least = np.sign(np.nan_to_num(self.values))
        return np.asarray(np.where(steps == 0, least, steps) + 127, dtype=np.uint8)


def similarity_panel(scene: Scene, scale: Scales | None = None) -> Panel:
    """S, the similarity of every pair, from -1 to 1; where norms count, as far as it reaches.

    Args:
        scene: the evaluated state.
        scale: during a gesture that of its beginning, whose colours stay.
    """
    limit = _start(scene, scale).limit
    return _panel("S", window(scene.state).values(scene.sim.numpy()), -limit, limit)


def _start(scene: Scene, scale: Scales | None) -> Scene:
    return scene if scale is None or scale.start is None else scale.start


def weight_panel(scene: Scene, scale: Scales) -> Panel:
    """The signed weights of the active method."""
    top = scale.weight
    if window(scene.state).means:  # means are far smaller than the largest weight
        start = scale.start or scene
        top = largest(window(start.state).values(start.evaluation.gradient.numpy()))
    return _panel("w", window(scene.state).values(scene.evaluation.gradient.numpy()), -top, top)


def largest(*values: np.ndarray) -> float:
    """The largest absolute value: the end of a signed scale; 1 where there is nothing to scale.

    Example:
        >>> largest(np.array([0.5, -2.0, np.nan])), largest(np.zeros((0, 0)))
        (2.0, 1.0)
    """
    return max((float(np.nanmax(np.abs(part))) for part in values if not np.isnan(part).all()), default=0.0) or 1.0


def three_panels(scene: Scene, scale: Scales | None = None) -> tuple[Panel, Panel, Panel]:
    """S, P and N of every pair; N with the active method's alpha and beta where it has them, else 2 and 40.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> [panel.key for panel in three_panels(scene(default_state()))]
        ['S', 'P', 'N']
    """
    alpha, beta = sharpness(scene.state.method)
    limit = _start(scene, scale).limit
    epsilon, (p, n) = scene.state.method.epsilon, _compared(scene)
    high = 1.0
    if window(scene.state).means:  # shares of hundreds of rivals are small
        start = _start(scene, scale)
        high = largest(n) if start is scene else once(start, "N", lambda: largest(_compared(start)[1]))
    mined = msg("panel.P.note.off") if epsilon is None else msg("panel.P.note", limit=-epsilon)
    return (
        similarity_panel(scene, scale),
        _panel("P", p, -limit, limit, mined),
        _panel("N", n, 0.0, high, msg("panel.N.note", alpha=alpha, beta=beta)),
    )


def _compared(scene: Scene) -> tuple[np.ndarray, ...]:
    """P and N of the pairs or blocks that are shown."""

    def some(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        anchors = torch.from_numpy(rows)
        found = three_similarities(scene.sim[anchors], scene.pairs.rows(anchors), *sharpness(scene.state.method))
        return found.p.numpy(), found.n.numpy()

    return window(scene.state).of_rows(some)


def _panel(kind: Kind, values: np.ndarray, low: float, high: float, note: Message | None = None) -> Panel:
    return Panel(
        key=kind,
        kind=kind,
        title=msg(f"panel.{kind}.title"),
        hint=msg(f"panel.{kind}.hint"),
        values=values,
        low=low,
        high=high,
        note=note,
    )
