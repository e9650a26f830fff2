"""A snapshot of a run as the state that board and heatmaps show, and the axes on which many dimensions are pictured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from jaxtyping import Float, Float64, Int64

from msviz.core.methods import Method
from msviz.data import Batch
from msviz.data.source import Source
from msviz.state import State
from msviz.views.scene import Scene

MAX_KEPT: Final = 512  # points of a snapshot that becomes the current batch: what every page shows at once
LONGEST_NAME: Final = 40  # characters of a class's name in a batch
EXACT: Final = 3  # dimensions that a board shows as they are


@dataclass
class Axes:
    """The two directions of a many-dimensional space that the board shows, step by step, so that it does not jump.

    They are the first two principal axes of the points at every `grid`-th step, turned so that the points lie as near
    as they can to where the axes before had them (orthogonal Procrustes). So a step has the same picture however one
    gets there, forward or by the scrubber.

    Args:
        grid: steps between two sets of axes.

    Example:
        >>> axes, x = Axes(grid=5), np.eye(4)
        >>> axes.at(3, lambda step: x).shape
        (4, 2)
    """

    grid: int
    known: list[Float64[np.ndarray, "d 2"]] = field(default_factory=list)

    def at(self, step: int, points: Callable[[int], Float[np.ndarray, "q d"]]) -> Float64[np.ndarray, "d 2"]:
        """The axes of a step.

        Args:
            step: counted from 0.
            points: the embeddings at a step, or at the nearest one that is known.
        """
        while len(self.known) <= step // self.grid:
            unit = directions(points(len(self.known) * self.grid))
            axes = _principal(unit)
            if self.known:
                turn, _, back = np.linalg.svd((unit @ axes).T @ (unit @ self.known[-1]))
                axes = axes @ turn @ back
            self.known.append(axes)
        return self.known[step // self.grid]


def _principal(unit: Float64[np.ndarray, "q d"]) -> Float64[np.ndarray, "d 2"]:
    *_, across = np.linalg.svd(unit - unit.mean(0), full_matrices=False)
    axes = np.zeros((unit.shape[1], 2))
    axes[:, : min(2, len(across))] = across[:2].T
    return axes


def directions(x: Float[np.ndarray, "m d"]) -> Float64[np.ndarray, "m d"]:
    """Rows of length 1, in float64; a zero row stays zero.

    Example:
        >>> directions(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
        [[0.6, 0.8], [0.0, 0.0]]
    """
    wide = x.astype(np.float64)
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    return np.asarray(wide / np.where(length > 0, length, 1))


def placed(x: Float[np.ndarray, "m d"], axes: Float64[np.ndarray, "d 2"] | None) -> Float64[np.ndarray, "m k"]:
    """Where points stand on the board: 2 and 3 dimensions as they are, more of them as the shadow on two axes."""
    unit = directions(x)
    return unit if axes is None else unit @ axes


def neighbours(x: Float[np.ndarray, "m d"]) -> Float64[np.ndarray, "m 2"]:
    """Points in the unit disc so that near ones stay near (t-SNE by cosine, always from the same beginning).

    Args:
        x: embeddings; with fewer than four points there are no neighbourhoods, and all lie in the middle.

    Source: L. van der Maaten, G. Hinton, JMLR 9, 2008; scikit-learn's implementation.
    """
    if len(x) < 4:
        return np.zeros((len(x), 2))
    from sklearn.manifold import TSNE  # lazily: a second, and only for who asks for it

    found = TSNE(perplexity=min(30.0, (len(x) - 1) / 3), init="pca", random_state=0).fit_transform(directions(x))
    centred = found.astype(np.float64) - found.mean(0)
    return np.asarray(centred / max(float(np.linalg.norm(centred, axis=1).max()), 1e-12))


def snapshot_state(
    x: Float[np.ndarray, "m d"],
    labels: Int64[np.ndarray, " m"],
    method: Method,
    board: Float64[np.ndarray, "m k"],
    names: Sequence[str] | None = None,
) -> State:
    """The state that shows some embeddings: their similarities are exact, the board is a picture.

    Args:
        x: as the network gave them.
        labels: any whole numbers; the classes are numbered anew in their order, so that few have few looks.
        method: what weighs the pairs.
        board: where the points stand (see `placed`).
        names: what the classes are called, by label; None = by letters.

    Example:
        >>> x = np.eye(2, dtype=np.float32)
        >>> state = snapshot_state(x, np.array([70, 5]), Method("triplet"), placed(x, None))
        >>> state.batch.labels, state.batch.editable
        ((1, 0), False)
    """
    # Zeros change no similarity; with four columns x stays what it is, beside a board on the grid of a link.
    wide = np.zeros((len(x), max(x.shape[1], EXACT + 1)))
    wide[:, : x.shape[1]] = x
    found, own = classes(labels)
    batch = Batch.of(board, own.tolist(), x=wide, source=Source("hand", ""))
    called = None if names is None else tuple(names[label] for label in found)
    return State(replace(batch, names=called), method)


def classes(labels: Int64[np.ndarray, " m"]) -> tuple[list[int], Int64[np.ndarray, " m"]]:
    """The classes that occur, ascending, and for each point its place among them.

    Example:
        >>> classes(np.array([70, 5, 70]))
        ([5, 70], array([1, 0, 1]))
    """
    found, place = np.unique(labels, return_inverse=True)
    return found.tolist(), place


def board_steps(now: Scene, axes: Float64[np.ndarray, "d 2"] | None, longest: float) -> Float64[np.ndarray, "m k"]:
    """The step of every point as the board shows it, 1 = the longest.

    A step is that of the point's direction: the gradient of a long embedding is short, but so is its way. Where norms
    count a step also makes embeddings longer or shorter; the board has no lengths, and shows the part that turns them.

    Args:
        now: the evaluated snapshot.
        axes: those of its board.
        longest: of `longest_step`, now or at another step of the run.
    """
    steps = _steps(now)
    return (steps[:, : now.state.batch.board.shape[1]] if axes is None else steps @ axes) / longest


def longest_step(now: Scene) -> float:
    """The length of the longest step; 0 where nothing moves."""
    return float(np.linalg.norm(_steps(now), axis=1).max()) if now.m else 0.0


def _steps(now: Scene) -> Float64[np.ndarray, "m d"]:
    x, forces = now.state.batch.x, now.forces
    if not now.scheme.normalize:
        unit = directions(x)
        forces = forces - (forces * unit).sum(1, keepdims=True) * unit
    return np.asarray(forces * np.linalg.norm(x, axis=1, keepdims=True))


def kept_batch(
    x: Float[np.ndarray, "m d"],
    labels: Int64[np.ndarray, " m"],
    axes: Float64[np.ndarray, "d 2"] | None,
    note: dict[str, Any],
    names: Sequence[str] | None = None,
    digits: Int64[np.ndarray, " m"] | None = None,
) -> Batch:
    """A snapshot as a batch for every page: points on circle and sphere can be moved there.

    Args:
        x, labels: the snapshot's; of more than 512 points the first ones of every class are taken.
        axes: those of its board; None for 2 and 3 dimensions.
        note: how it was trained, as JSON.
        names: what the classes are called, by label; long ones are cut, so that a link can hold them.
        digits: of which of scikit-learn's digits each point is the image; None = of none.

    Example:
        >>> kept_batch(np.eye(2, dtype=np.float32), np.array([0, 1]), None, {}).editable
        True
    """
    rows = evenly(labels, MAX_KEPT)
    board = placed(x, axes)[rows]
    found, own = classes(labels[rows])
    wide = None if axes is None else x[rows].astype(np.float64)
    return Batch.of(
        board,
        own.tolist(),
        x=wide,
        source=Source("training", "training", note),
        names=None if names is None else [_cut(names[label]) for label in found],
        digits=None if digits is None else digits[rows].tolist(),
    )


def _cut(name: str) -> str:
    whole = name.encode(errors="replace").decode()  # half of a surrogate pair is no text
    return whole if len(whole) <= LONGEST_NAME else f"{whole[: LONGEST_NAME - 1]}…"


def evenly(labels: Int64[np.ndarray, " m"], most: int) -> Int64[np.ndarray, " k"]:
    """Rows, ascending: all, or as many of each class as fit.

    Example:
        >>> evenly(np.array([0, 0, 0, 1, 1, 1]), 4).tolist()
        [0, 1, 3, 4]
    """
    if len(labels) <= most:
        return np.arange(len(labels))
    each = max(1, most // len(np.unique(labels)))
    seen: dict[int, int] = {}
    rows = []
    for row, label in enumerate(labels.tolist()):
        seen[label] = seen.get(label, 0) + 1
        if seen[label] <= each:
            rows.append(row)
    return np.array(rows[:most], dtype=np.int64)
