"""Everything that compared methods differ in, as one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from msviz.text import Message, msg
from msviz.views.compare import TOPS, Compared, Disagreement, compared, disagreement, rank_correlation, top_shares
from msviz.views.csv_text import csv_text
from msviz.views.method_name import method_name
from msviz.views.scene import Scene, once

MOST_PAIRS: Final = 1 << 16  # rank correlations look at so many pairs at most: sorting millions would freeze the page


@dataclass(frozen=True)
class Row:
    """One method's figures.

    Args:
        number, name: which.
        total: the sum of its weights.
        kept: pairs that its mining kept.
        tops: the share of the total that the heaviest 1, 5, 10 % of pairs hold; NaN without a total.
        positives, negatives: its rank correlation with every method; NaN where it is not defined.
        apart: for every method the pair where their shares differ most; None with itself, or where none differs.
    """

    number: int
    name: str
    total: float
    kept: int
    tops: tuple[float, ...]
    positives: tuple[float, ...]
    negatives: tuple[float, ...]
    apart: tuple[Disagreement | None, ...]


@dataclass(frozen=True)
class CompareTable:
    """The figures of every method.

    Args:
        rows: a method each, the active one first.
        pairs: how many ordered pairs the batch has.
        anchors: how many anchors the rank correlations look at.
        m: the number of points.
    """

    rows: tuple[Row, ...]
    pairs: int
    anchors: int
    m: int


def compare_table(scene: Scene) -> CompareTable:
    """The table of a scene.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> [row.number for row in compare_table(scene(default_state())).rows]
        [1, 2, 3, 4, 5, 6]
    """
    return once(scene, "table", lambda: _table(scene))


def _table(scene: Scene) -> CompareTable:
    methods, ids, pairs = compared(scene), scene.state.batch.ids, scene.m * (scene.m - 1)
    anchors = _anchors(scene.m)
    masks = [mask.numpy()[anchors] for mask in (scene.pairs.pos, scene.pairs.neg)]
    count = len(methods)
    ranks = np.full((2, count, count), np.nan)
    apart: dict[tuple[int, int], Disagreement | None] = {}
    for a in range(count):
        for b in range(a, count):
            ranks[:, a, b] = ranks[:, b, a] = _ranks(methods[a], methods[b], anchors, masks)
            if a != b:
                apart[a, b] = disagreement(ids, methods[a], methods[b])
                apart[b, a] = _turned(apart[a, b])
    rows = tuple(
        _row(it, pairs, ranks[:, a], tuple(apart.get((a, b)) for b in range(count))) for a, it in enumerate(methods)
    )
    return CompareTable(rows, pairs, len(anchors), scene.m)


def _ranks(one: Compared, two: Compared, anchors: np.ndarray, masks: list[np.ndarray]) -> list[float]:
    """Rank correlations over the positives and over the negatives."""

    def make() -> list[float]:
        weights = one.gradient[anchors], two.gradient[anchors]
        return [rank_correlation(*weights, mask) for mask in masks]

    return once(one.weighed, f"ranks with {two.method}", make)


def _anchors(m: int) -> np.ndarray:
    """All rows; of a large batch as many as MOST_PAIRS allows, evenly chosen."""
    most = max(1, MOST_PAIRS // max(m, 1))
    return np.arange(m) if m <= most else np.linspace(0, m - 1, most).round().astype(np.int64)


def _turned(found: Disagreement | None) -> Disagreement | None:
    if found is None:
        return None
    return Disagreement(found.two, found.one, found.anchor, found.other, (found.shares[1], found.shares[0]))


def _row(it: Compared, pairs: int, ranks: np.ndarray, apart: tuple[Disagreement | None, ...]) -> Row:
    return Row(
        number=it.number,
        name=method_name(it.method),
        total=it.total,
        kept=it.kept,
        tops=top_shares(it, pairs),
        positives=tuple(ranks[0].tolist()),
        negatives=tuple(ranks[1].tolist()),
        apart=apart,
    )


def table_words(table: CompareTable) -> tuple[Message, ...]:
    """What the numbers mean, and what they leave out."""
    words = [msg("page.compare.table.tops"), msg("page.compare.table.ranks")]
    if table.anchors < table.m:
        words.append(msg("page.compare.table.sample", anchors=table.anchors, m=table.m))
    if any(not row.total for row in table.rows):
        words.append(msg("page.compare.table.zero"))
    return tuple(words)


def compare_csv(table: CompareTable) -> str:
    """The table as CSV, a method a row, all digits; what is not defined is left empty.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> compare_csv(compare_table(scene(default_state()))).splitlines()[0][:51]
        'number,method,total_weight,pairs,kept_pairs,top_1%,'
    """
    numbers = [row.number for row in table.rows]
    head = ["number", "method", "total_weight", "pairs", "kept_pairs", *(f"top_{top:.0%}" for top in TOPS)]
    for name in ("rank_correlation_positives", "rank_correlation_negatives"):
        head += [f"{name}_with_{number}" for number in numbers]
    for number in numbers:
        head += [f"most_apart_from_{number}_{part}" for part in ("anchor", "other", "share", "its_share")]
    rows = []
    for row in table.rows:
        cells: list[object] = [row.number, row.name, row.total, table.pairs, row.kept, *row.tops]
        cells += [*row.positives, *row.negatives]
        for found in row.apart:
            cells += [None] * 4 if found is None else [found.anchor, found.other, *found.shares]
        rows.append(["" if cell is None or cell != cell else cell for cell in cells])
    return csv_text(head, rows)
