"""Which part of a batch's matrices is shown: all cells, the means of blocks of a large batch, or one block's cells.

A matrix of hundreds of points has more cells than a screen has pixels. From 128 points on its rows and columns are cut
into blocks within the borders of the classes, and each block shows its mean; a zoom shows the cells of one block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from jaxtyping import Float32, Int, UInt8

from msviz.state import State
from msviz.views.decision import Decision

LARGE: Final = 128  # points, from which on means are shown
SIDE: Final = 128  # at most so many blocks a side; more only where there are more classes
LEAST: Final = 8  # points a block, where its class has so many

Made = Callable[[Int[np.ndarray, " n"]], tuple[np.ndarray, ...]]


@dataclass(frozen=True, eq=False)
class Window:
    """The part that is shown, rows and columns as ranks: places in class order.

    Args:
        order: [m] the batch's row of each rank.
        starts: the first rank of every block, when means are shown or a block is; None for a small batch.
        rows, columns: the ranks that are shown.
        means: one cell shows a block's mean, and not one pair.
    """

    order: Int[np.ndarray, " m"]
    starts: tuple[int, ...] | None
    rows: range
    columns: range
    means: bool

    def values(self, full: np.ndarray) -> Float32[np.ndarray, "r c"]:
        """The shown part of a matrix [m, m] in the batch's order.

        A mean leaves out the diagonal and what is NaN; it is NaN where nothing is left.
        """
        return self.of_rows(lambda rows: (full[rows],))[0]

    def of_rows(self, make: Made) -> tuple[Float32[np.ndarray, "r c"], ...]:
        """The shown parts of matrices that are made some rows at a time: of a large batch they are never whole.

        Args:
            make: rows [n] of the batch -> those rows of each matrix, [n, m] each, in memory that nobody else holds.
        """
        if self.means:
            return tuple(self._means(make))
        columns = self.order[self.columns.start : self.columns.stop]
        parts = make(self.order[self.rows.start : self.rows.stop])
        return tuple(np.asarray(part[:, columns], dtype=np.float32) for part in parts)

    def decisions(self, full: UInt8[np.ndarray, "m m"]) -> UInt8[np.ndarray, "r c"]:
        """The shown part of decisions; a block is kept when one of its pairs is, and itself when it has no pair."""
        if not self.means:
            return np.asarray(full[self.cells])
        kept = (full == Decision.POSITIVE_KEPT) | (full == Decision.NEGATIVE_KEPT)
        ends = [*self._starts[1:], len(self.order)]
        lines = [kept[self.order[a:b]].any(axis=0)[self.order] for a, b in zip(self._starts, ends, strict=True)]
        any_kept = np.logical_or.reduceat(np.stack(lines), self._starts, axis=1)
        first = self.order[list(self._starts)]
        # A block lies within the borders of two classes, so any pair tells its kind; its own diagonal is no pair.
        positive = np.isin(full[np.ix_(first, first)], (Decision.POSITIVE_KEPT, Decision.POSITIVE_DROPPED))
        np.fill_diagonal(positive, True)
        out = np.where(positive, Decision.POSITIVE_DROPPED, Decision.NEGATIVE_DROPPED).astype(np.uint8)
        out[any_kept] -= 1  # kept stands before dropped
        alone = np.flatnonzero(self._sizes() == 1)
        out[alone, alone] = Decision.SELF
        return out

    @property
    def _starts(self) -> tuple[int, ...]:
        assert self.starts is not None
        return self.starts

    @property
    def cells(self) -> tuple[np.ndarray, ...]:
        """The shown rows and columns of a matrix in the batch's order, as numpy's open mesh."""
        return np.ix_(self.order[self.rows.start : self.rows.stop], self.order[self.columns.start : self.columns.stop])

    def _sizes(self) -> Int[np.ndarray, " k"]:
        return np.asarray(np.diff([*self._starts, len(self.order)]))

    def _means(self, make: Made) -> list[Float32[np.ndarray, "k k"]]:
        """Every block's mean in each matrix, without what is no pair or no number."""
        lines: list[list[tuple[np.ndarray, np.ndarray]]] = []
        for start, end in zip(self._starts, [*self._starts[1:], len(self.order)], strict=True):
            rows = self.order[start:end]
            lines.append([self._line(part, rows) for part in make(rows)])
        out = []
        for sums, counts in (zip(*matrix, strict=True) for matrix in zip(*lines, strict=True)):
            total, pairs = (np.add.reduceat(np.stack(part), self._starts, axis=1) for part in (sums, counts))
            out.append(np.where(pairs > 0, total / np.maximum(pairs, 1), np.nan).astype(np.float32))
        return out

    def _line(self, part: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sum and number of the pairs in each column, over some rows; columns in the order of ranks."""
        part[np.arange(len(rows)), rows] = 0  # the diagonal: no pairs
        count = np.full(len(self.order), len(rows))
        sums = part.sum(axis=0, dtype=np.float64)
        if not np.isfinite(sums).all():
            known = np.isfinite(part)
            count, sums = known.sum(axis=0), np.where(known, part, 0).sum(axis=0, dtype=np.float64)
        count[rows] -= 1
        return sums[self.order], count[self.order]


def window(state: State) -> Window:
    """What is shown of a state's matrices: its zoom, or everything as the size of the batch allows.

    Example:
        >>> from msviz.state import default_state
        >>> shown = window(default_state())
        >>> shown.means, len(shown.rows)
        (False, 14)
    """
    batch, zoom = state.batch, state.display.zoom
    return _window(batch.labels, batch.ids, zoom)


@lru_cache(maxsize=32)
def _window(labels: tuple[int, ...], ids: tuple[int, ...], zoom: tuple[int, int] | None) -> Window:
    m = len(ids)
    order = np.lexsort((np.asarray(ids, dtype=np.int64), np.asarray(labels, dtype=np.int64)))
    if m < LARGE:
        return Window(order, None, range(m), range(m), False)
    starts = block_starts(np.bincount(labels)[sorted(set(labels))].tolist())
    if zoom is None:
        return Window(order, starts, range(m), range(m), True)
    rank = {ids[at]: k for k, at in enumerate(order.tolist())}
    rows, columns = (_block(starts, rank[id], m) for id in zoom)
    return Window(order, starts, rows, columns, False)


def _block(starts: tuple[int, ...], rank: int, m: int) -> range:
    at = int(np.searchsorted(starts, rank, side="right"))
    return range(starts[at - 1], starts[at] if at < len(starts) else m)


def block_starts(sizes: list[int]) -> tuple[int, ...]:
    """Where the blocks begin, for classes of these sizes: as equal as they can be, and at most SIDE of them.

    Args:
        sizes: points of each class, in class order.

    Example:
        >>> block_starts([20, 9])
        (0, 6, 13, 20, 24)
    """
    size = LEAST
    while sum(-(-n // size) for n in sizes) > max(SIDE, len(sizes)):
        size += 1
    starts, at = [], 0
    for n in sizes:
        parts = -(-n // size)
        starts += [at + (k * n) // parts for k in range(parts)]
        at += n
    return tuple(starts)
