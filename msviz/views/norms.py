"""What breaks where norms count: the range of S, and the longest point, which is everybody's neighbour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from msviz.text import Message, msg
from msviz.views.in_blocks import blocks
from msviz.views.scene import Scene


@dataclass(frozen=True)
class NormsView:
    """The numbers that show it.

    Args:
        low, high: the smallest and the largest S of two different points.
        longest: id of the longest point.
        length: its norm |x|.
        neighbours: for how many other points it is the most similar one.
        by_angle: for how many it would be if norms did not count.
        others: how many other points there are.
    """

    low: float
    high: float
    longest: int
    length: float
    neighbours: int
    by_angle: int
    others: int


def norms_view(scene: Scene) -> NormsView | None:
    """What norms do in a scene; None where they do not count, or there is no pair.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> flat = default_state().with_normalize(False)
        >>> far = flat.with_batch(flat.batch.moved(5, (1.0, 1.0), on_circle=False))
        >>> norms_view(scene(far)).longest, norms_view(scene(default_state()))
        (5, None)
    """
    if scene.scheme.normalize or scene.m < 2:
        return None
    x = scene.state.batch.x
    length = np.linalg.norm(x, axis=1)
    unit = x / np.where(length > 0, length, 1)[:, None]
    row = int(length.argmax())
    sim = scene.sim.numpy()
    low, high = zip(*(_ends(sim[rows], rows) for rows in blocks(scene.m)), strict=True)
    return NormsView(
        low=min(low),
        high=max(high),
        longest=scene.state.batch.ids[row],
        length=float(length[row]),
        neighbours=sum(_neighbours(sim[rows], rows, row) for rows in blocks(scene.m)),
        by_angle=sum(_neighbours(unit[rows] @ unit.T, rows, row) for rows in blocks(scene.m)),
        others=scene.m - 1,
    )


def norms_words(scene: Scene) -> tuple[Message, ...]:
    """What to say of norms under the board: what breaks where they count, and which points have no direction."""
    words, view = [], norms_view(scene)
    if view is not None:
        words.append(msg("board.norms", **vars(view)))
    if scene.zero_rows:
        ids = ", ".join(str(scene.state.batch.ids[row]) for row in scene.zero_rows)
        words.append(msg("board.zero", ids=ids))
    return tuple(words)


def _ends(sim: np.ndarray, rows: slice) -> tuple[float, float]:
    """The smallest and the largest S of some rows, of two different points."""
    apart = sim[_apart(sim, rows)]
    return float(apart.min()), float(apart.max())


def _neighbours(sim: np.ndarray, rows: slice, longest: int) -> int:
    """How many of some rows have their largest value in that column; a zero vector has none."""
    rivals = np.where(_apart(sim, rows), sim, -np.inf)
    return int(((rivals.argmax(axis=1) == longest) & (rivals.max(axis=1) > 0)).sum())


def _apart(sim: np.ndarray, rows: slice) -> np.ndarray:
    return np.asarray(np.arange(rows.start, rows.stop)[:, None] != np.arange(sim.shape[1]))
