"""Several methods on one batch: their weights as shares of each one's total, and what is different in them.

Raw weights cannot be compared: triplet counts, binomial divides by the number of pairs, multi-similarity stays below
1. So a pair is compared by its share: its weight over the sum of all weights that this method gives on this batch. A
method whose total is 0 gives no pair anything: it has no shares, and is drawn as zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Bool, Float64

from msviz.core.methods import Method
from msviz.core.pairs import Pairs
from msviz.views.in_blocks import blocks, count
from msviz.views.scene import Scene, Weighed, once

TOPS: Final = (0.01, 0.05, 0.10)  # parts of all pairs, the heaviest ones


@dataclass(frozen=True, eq=False)
class Compared:
    """One method on the batch.

    Args:
        number: 1 = the active one, then the others in their order.
        method: which.
        weighed: what it makes of the pairs.
        gradient: signed weights, [m, m] in the batch's order.
    """

    number: int
    method: Method
    weighed: Weighed
    gradient: Float64[np.ndarray, "m m"]

    @property
    def key(self) -> str:
        """Its panel: "w" for the active method, then "c0", "c1", ..."""
        return "w" if self.number == 1 else f"c{self.number - 2}"

    @property
    def mined(self) -> Pairs:
        """The pairs that its mining kept."""
        return self.weighed.mined

    @property
    def total(self) -> float:
        """The sum of all its weights."""
        return once(self.weighed, "total", lambda: float(np.abs(self.gradient).sum()))

    def shares(self, rows: slice | np.ndarray = slice(None)) -> Float64[np.ndarray, "n m"]:
        """Some anchors' signed shares of the total weight, by default of all; zeros when the total is 0."""
        return np.asarray(self.gradient[rows] / (self.total or 1.0))

    @property
    def largest(self) -> float:
        """The largest of all its weights; 0 when there is none."""
        return once(self.weighed, "largest", lambda: float(np.abs(self.gradient).max(initial=0.0)))

    @property
    def kept(self) -> int:
        """Pairs that its mining kept; all pairs without mining."""
        return once(self.weighed, "kept", lambda: count(self.mined.pos) + count(self.mined.neg))


def compared(scene: Scene) -> tuple[Compared, ...]:
    """The methods of a scene, the active one first.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> [one.key for one in compared(scene(default_state()))]
        ['w', 'c0', 'c1', 'c2', 'c3', 'c4']
    """
    methods = (scene.state.method, *scene.state.others)
    found = zip(methods, scene.compared, strict=True)
    return tuple(Compared(at, method, it, it.gradient.numpy()) for at, (method, it) in enumerate(found, 1))


def top_shares(one: Compared, pairs: int, tops: Sequence[float] = TOPS) -> tuple[float, ...]:
    """The share of the total weight that the heaviest pairs hold; NaN when the total is 0.

    Args:
        one: the method.
        pairs: how many ordered pairs the batch has, m (m - 1).
        tops: which part of them, rounded up to whole pairs.
    """
    return once(one.weighed, f"tops {pairs} {tops}", lambda: _top_shares(one, pairs, tops))


def _top_shares(one: Compared, pairs: int, tops: Sequence[float]) -> tuple[float, ...]:
    if not one.total:
        return tuple(float("nan") for _ in tops)
    counts = [int(np.ceil(round(top * pairs, 6))) for top in tops]
    weights = np.abs(one.gradient[one.gradient != 0])
    starts = [max(0, weights.size - count) for count in counts]
    weights.partition(starts)
    return tuple(float(weights[start:].sum()) / one.total for start in starts)


def difference(one: Compared, two: Compared, rows: slice | np.ndarray = slice(None)) -> Float64[np.ndarray, "n m"]:
    """How much more of its total weight the first method gives to each pair of some anchors, by default of all."""
    return np.asarray(np.abs(one.shares(rows)) - np.abs(two.shares(rows)))


@dataclass(frozen=True)
class Disagreement:
    """The pair whose shares differ most between two methods.

    Args:
        one, two: the methods' numbers.
        anchor, other: ids of its ends.
        shares: its part of each method's total weight, 0..1.
    """

    one: int
    two: int
    anchor: int
    other: int
    shares: tuple[float, float]


def disagreement(ids: Sequence[int], one: Compared, two: Compared) -> Disagreement | None:
    """The pair on which two methods disagree most; None when no pair differs."""
    where = once(one.weighed, f"apart from {two.method}", lambda: _most_apart(one, two))
    if where is None:
        return None
    i, j = where
    first, second = (float(abs(it.gradient[i, j])) / (it.total or 1.0) for it in (one, two))
    return Disagreement(one.number, two.number, ids[i], ids[j], (first, second))


def _most_apart(one: Compared, two: Compared) -> tuple[int, int] | None:
    """Row and column of the largest difference; a block of rows at a time."""
    where, most = None, 0.0
    for rows in blocks(len(one.gradient)):
        apart = np.abs(difference(one, two, rows))
        i, j = divmod(int(apart.argmax()), apart.shape[1])
        if apart[i, j] > most:
            where, most = (rows.start + i, j), float(apart[i, j])
    return where


def rank_correlation(one: np.ndarray, two: np.ndarray, of_kind: Bool[np.ndarray, "m m"]) -> float:
    """Spearman's rank correlation of two methods' weights over the pairs of a kind that weigh something in either.

    Equal weights share their average rank. NaN where it is not defined: fewer than two such pairs, or one method gives
    all of them the same weight.

    Args:
        one, two: weights [m, m], any sign.
        of_kind: the positives or the negatives.

    Example:
        >>> of_kind = np.ones((1, 4), dtype=bool)
        >>> rank_correlation(np.array([[1.0, 2, 3, 0]]), np.array([[9.0, 5, 1, 0]]), of_kind)
        -1.0
    """
    first, second = np.abs(one)[of_kind], np.abs(two)[of_kind]
    either = (first > 0) | (second > 0)
    if either.sum() < 2:
        return float("nan")
    a, b = (average_ranks(values[either]) for values in (first, second))
    a, b = a - a.mean(), b - b.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(np.clip(a @ b / spread, -1, 1)) if spread else float("nan")


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1; equal values share the average of theirs.

    Example:
        >>> average_ranks(np.array([7.0, 5, 7, 9])).tolist()
        [2.5, 1.0, 2.5, 4.0]
    """
    _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[group])
