"""Table 1: the paper's ticks beside the ticks measured now, each with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal

import torch

from msviz.core.losses import LOSSES
from msviz.core.methods import ABLATION, METHODS, Method
from msviz.core.probe import Finding, probe
from msviz.core.table1 import FOOTNOTES, TABLE1, TABLE1_METHODS
from msviz.text import Message, msg, number
from msviz.views.csv_text import csv_text
from msviz.views.method_name import method_name

ROLES: Final = ("S", "P", "N")
FEW: Final = frozenset({"lifted", "binlifted"})  # their hinge can close only where an anchor has few pairs


def _rows() -> dict[str, Method]:
    """The paper's nine rows, then the rows of its ablation, then every other loss."""
    rows = dict(TABLE1_METHODS)
    for slug in ABLATION:
        if METHODS[slug] not in rows.values():
            rows[slug] = METHODS[slug]
    for loss in LOSSES:
        if loss not in rows:
            rows[loss] = Method(loss)
    return rows


ROWS: Final[Mapping[str, Method]] = MappingProxyType(_rows())
"""The methods of the table, in its order."""


@dataclass(frozen=True)
class Moment:
    """An anchor: S of its positives, of the measured pair and of its other negatives, and the pair's weight."""

    positives: tuple[float, ...]
    pair: float
    rivals: tuple[float, ...]
    weight: float


@dataclass(frozen=True)
class Cell:
    """One measured tick.

    Args:
        role: what was moved: S the whole row, P the positives, N the other negatives.
        tick: the weight of any anchor moved.
        extra: a tick that the paper's table does not have.
        lines: the evidence: how many anchors moved, and by how much the one that moved most.
        before, after: that anchor.
        moved: how many anchors moved.
        anchors: of how many.
    """

    role: str
    tick: bool
    extra: bool
    lines: tuple[Message, ...]
    before: Moment
    after: Moment
    moved: int
    anchors: int


@dataclass(frozen=True)
class Row:
    """One method.

    Args:
        slug: its name.
        name: as a visitor reads it.
        paper: the paper's ticks, such as "SN"; None where it has no such row.
        source: where the paper has it: "table" or "ablation"; "" when nowhere.
        cells: what was measured, for S, P and N.
        footnote: where the measurement says more than the paper's table, and why.
    """

    slug: str
    name: str
    paper: str | None
    source: Literal["table", "ablation", ""]
    cells: tuple[Cell, ...]
    footnote: Message | None

    @property
    def measured(self) -> str:
        """The measured ticks, written as the paper's."""
        return "".join(cell.role for cell in self.cells if cell.tick)


def table1(seed: int) -> tuple[Row, ...]:
    """Every row, measured on the random anchors of a seed. Each is measured once.

    Example:
        >>> table1(0)[0].paper, table1(0)[0].measured
        ('S', 'S')
    """
    return tuple(row(slug, seed) for slug in ROWS)


def table1_csv(rows: tuple[Row, ...]) -> str:
    """The table as text: a row for every method and similarity, with the anchor that moved most.

    Args:
        rows: the table.
    """
    names = ("method", "similarity", "paper", "measured", "anchors_moved", "anchors", "weight_before", "weight_after")
    cells = (
        (
            *(row.name, cell.role, "" if row.paper is None else int(cell.role in row.paper), int(cell.tick)),
            *(cell.moved, cell.anchors, repr(cell.before.weight), repr(cell.after.weight)),
        )
        for row in rows
        for cell in row.cells
    )
    return csv_text(names, cells)


@lru_cache(maxsize=512)
def row(slug: str, seed: int) -> Row:
    """One row.

    Args:
        slug: a name in `ROWS`.
        seed: of the random anchors; the same for all rows.
    """
    paper = TABLE1.get(slug) or ABLATION.get(slug)
    cells = list(measured(ROWS[slug], seed, paper))
    if slug in FEW:
        few = probe(ROWS[slug], torch.Generator().manual_seed(seed), combinations=1).p
        more = msg("table1.few", count=few.count, anchors=len(few.change))
        cells[1] = replace(cells[1], lines=(*cells[1].lines, more))
    note = FOOTNOTES.get(slug)
    return Row(
        slug=slug,
        name=method_name(ROWS[slug]),
        paper=paper,
        source="table" if slug in TABLE1 else "ablation" if slug in ABLATION else "",
        cells=tuple(cells),
        footnote=msg(f"table1.footnote.{note.key}") if note else None,
    )


@lru_cache(maxsize=512)
def measured(method: Method, seed: int, paper: str | None = None) -> tuple[Cell, Cell, Cell]:
    """What the weight of a negative pair answers to, measured on 500 random anchors.

    Args:
        method: any method.
        seed: of the random anchors.
        paper: the paper's ticks, if it has any.

    Example:
        >>> [cell.tick for cell in measured(Method("contrastive"), 0)]
        [True, False, False]
    """
    found = probe(method, torch.Generator().manual_seed(seed))
    s, p, n = (_cell(role, finding, paper) for role, finding in zip(ROLES, (found.s, found.p, found.n), strict=True))
    if found.whole_batch is not None:
        whole = msg("table1.whole_batch", count=found.whole_batch.count, anchors=len(found.whole_batch.change))
        s = replace(s, lines=(*s.lines, whole))
    return s, p, n


def _cell(role: str, finding: Finding, paper: str | None) -> Cell:
    evidence, anchors = finding.evidence, len(finding.change)
    if finding.tick:
        moved = msg(
            f"table1.moved.{role}",
            count=finding.count,
            anchors=anchors,
            anchor=evidence.anchor,
            shift=("+" if evidence.shift > 0 else "") + number(evidence.shift),
            old=number(evidence.before.weight, 3),
            new=number(evidence.after.weight, 3),
        )
    else:
        moved = msg(f"table1.still.{role}", anchors=anchors, change=float(finding.change.max()))
    return Cell(
        role=role,
        tick=finding.tick,
        extra=finding.tick and paper is not None and role not in paper,
        lines=(moved,),
        before=_moment(evidence.before.positives, evidence.before.negatives, evidence.before.weight),
        after=_moment(evidence.after.positives, evidence.after.negatives, evidence.after.weight),
        moved=finding.count,
        anchors=anchors,
    )


def _moment(positives: tuple[float, ...], negatives: tuple[float, ...], weight: float) -> Moment:
    return Moment(positives, negatives[0], negatives[1:], weight)
