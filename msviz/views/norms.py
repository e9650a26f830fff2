"""What breaks where norms count: the range of S, and the longest point, which is everybody's neighbour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from msviz.text import Message, msg
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
    if scene.state.normalize or scene.m < 2:
        return None
    x = scene.state.batch.x
    length = np.linalg.norm(x, axis=1)
    unit = x / np.where(length > 0, length, 1)[:, None]
    row = int(length.argmax())
    apart = ~np.eye(scene.m, dtype=bool)
    sim = scene.sim.numpy()
    return NormsView(
        low=float(sim[apart].min()),
        high=float(sim[apart].max()),
        longest=scene.state.batch.ids[row],
        length=float(length[row]),
        neighbours=_neighbours(sim, row),
        by_angle=_neighbours(unit @ unit.T, row),
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


def _neighbours(sim: np.ndarray, row: int) -> int:
    """How many other rows have their largest value in this column; a zero vector has none."""
    rivals = np.where(np.eye(len(sim), dtype=bool), -np.inf, sim)
    most = rivals.argmax(axis=1)
    return int(((most == row) & (rivals.max(axis=1) > 0)).sum())
