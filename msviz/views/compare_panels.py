"""The heatmaps of compared methods: every one's weights in one order, and how much more one of two gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import UInt8

from msviz.text import Message, msg, say
from msviz.views.blocks import Window, window
from msviz.views.board import Scales
from msviz.views.compare import Compared, compared, difference, disagreement
from msviz.views.decision import Decision
from msviz.views.matrices import decisions
from msviz.views.method_name import loss_title, method_letters
from msviz.views.panels import Panel, largest
from msviz.views.scene import Scene, once


def compare_panels(scene: Scene, scale: Scales) -> tuple[Panel, ...]:
    """The weights of every method, and the difference of two; drawn to a scale.

    Args:
        scene: the evaluated state; its display says how weights are drawn and which two methods are told apart.
        scale: from `scales`, of this scene or of the one at the beginning of the gesture.
    """
    start = scale.start
    if start is None or len(start.state.others) != len(scene.state.others):
        start = scene
    shown, methods = window(scene.state), compared(scene)
    first = methods if start is scene else compared(start)
    ends = _ends(first, window(start.state), scene.state.display.shares)
    panels = [_panel(scene, shown, one, end) for one, end in zip(methods, ends, strict=True)]
    if len(methods) > 1:
        panels.append(_difference(scene, shown, methods, first, window(start.state)))
    return tuple(panels)


def _in(one: Compared, how: str) -> float:
    """What a weight is divided by."""
    return 1.0 if how in ("raw", "own") else one.total or 1.0


def _values(one: Compared, shown: Window) -> np.ndarray:
    """The shown part of its weights. Means of thousands of points are made once."""
    if not shown.means:
        return shown.values(one.gradient)
    return once(one.weighed, "means", lambda: shown.values(one.gradient))


def _ends(methods: Sequence[Compared], shown: Window, how: str) -> list[float]:
    """The value at the ends of each method's colours: one for all of them, or each its own.

    The end is of all means where means are shown, otherwise of all pairs, so that blocks compare.
    """
    most = [largest(_values(one, shown)) if shown.means else one.largest for one in methods]
    each = [end / _in(one, how) if one.total else 0.0 for one, end in zip(methods, most, strict=True)]
    if how == "own":
        return [end or 1.0 for end in each]
    return [max(each) or 1.0] * len(each)


def _panel(scene: Scene, shown: Window, one: Compared, end: float) -> Panel:
    how = scene.state.display.shares
    shares = how in ("share", "log")
    return Panel(
        key=one.key,
        kind="w",
        title=msg("panel.method.title", number=one.number, name=loss_title(one.method.name)),
        hint=msg("panel.method.hint", letters=method_letters(one.method) or "–", how=say(_how(one, how))),
        values=np.asarray(_values(one, shown) / _in(one, how), dtype=np.float32),
        low=-end,
        high=end,
        decision=shown.decisions(decisions(scene, one.mined)),
        times=100.0 if shares else 1.0,
        curve="log" if how == "log" else "linear",
        named=True,
    )


def _how(one: Compared, how: str) -> Message:
    """What the numbers of this picture are."""
    return msg(f"panel.method.{how}") if one.total else msg("panel.method.zero")


def _difference(
    scene: Scene, shown: Window, methods: Sequence[Compared], first: Sequence[Compared], was: Window
) -> Panel:
    at, to = scene.state.display.versus
    one, two = methods[at - 1], methods[to - 1]
    values = shown.of_rows(lambda rows: (difference(one, two, rows),))[0]
    end = _largest_difference(first[at - 1], first[to - 1], was)
    return Panel(
        key="d",
        kind="d",
        title=msg("panel.d.title", one=at, two=to),
        hint=msg("panel.d.hint"),
        values=values,
        low=-end,
        high=end,
        decision=shown.decisions(_kept_by_either(scene, one, two)),
        times=100.0,
        ends=(_more(to), _more(at)),
        named=True,
    )


def _largest_difference(one: Compared, two: Compared, shown: Window) -> float:
    if shown.means:
        return largest(shown.of_rows(lambda rows: (difference(one, two, rows),))[0])
    found = disagreement(range(len(one.gradient)), one, two)
    return abs(found.shares[0] - found.shares[1]) if found else 1.0


def _more(number: int) -> Message:
    return msg("panel.d.more", number=number)


def _kept_by_either(scene: Scene, one: Compared, two: Compared) -> UInt8[np.ndarray, "m m"]:
    mine, other = (decisions(scene, it.mined) for it in (one, two))
    return np.asarray(np.minimum(mine, other), dtype=np.uint8)  # kept stands one before dropped; see Decision


assert Decision.POSITIVE_KEPT < Decision.POSITIVE_DROPPED < Decision.NEGATIVE_KEPT < Decision.NEGATIVE_DROPPED
