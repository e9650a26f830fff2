"""The ablation in plain numbers: what its two charts show, and its tables as CSV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from msviz.core.methods import ABLATION
from msviz.text import number, say
from msviz.training.ablation import PAPER, Comparison, Report, Row
from msviz.training.statistics import Difference
from msviz.views.csv_text import csv_text
from msviz.views.method_name import method_name

_PAPER: Final = "paper_cars196_recall_1"
Look = Literal["plain", "higher", "lower", "undecided"]


@dataclass(frozen=True)
class Dot:
    """One line of a chart: what was measured here, and beside it what the paper says.

    Args:
        name: of the row or of the comparison.
        here: the mean with its 95 % interval, in percent or percentage points; None = not known yet.
        paper: the paper's number, in the same unit.
        look: "plain" for a row, otherwise the verdict on a comparison.
    """

    name: str
    here: tuple[float, float, float] | None
    paper: float
    look: Look = "plain"


def row_dots(report: Report | None) -> tuple[Dot, ...]:
    """Recall@1 of the paper's eight rows, in the paper's order.

    Args:
        report: of one start; None = the paper's numbers alone.

    Example:
        >>> row_dots(None)[-1]
        Dot(name='MS (S P N)', here=None, paper=77.3, look='plain')
    """
    rows = {} if report is None else {row.name: row for row in report.rows}
    return tuple(Dot(row_title(name), _here(rows.get(name)), PAPER[name]) for name in PAPER)


def comparison_dots(report: Report) -> tuple[Dot, ...]:
    """The paper's comparisons: by how many percentage points the row that should be better is better.

    Args:
        report: of one start.
    """
    return tuple(Dot(comparison_title(it), _percent(it.difference), it.paper, it.verdict) for it in report.comparisons)


def row_title(name: str) -> str:
    """What a row is called, with the similarities that it uses.

    Args:
        name: in `msviz.ABLATION`.
    """
    return say(f"method.{name}.title")


def comparison_title(comparison: Comparison) -> str:
    """What is compared with what.

    Args:
        comparison: of a report.
    """
    return say("ablation.comparison", better=row_title(comparison.better), other=row_title(comparison.other))


def interval(difference: Difference | None) -> str:
    """The interval of a share in percent, as a table shows it.

    Args:
        difference: a mean with its interval; None = not known yet.

    Example:
        >>> interval(Difference(0.7, 0.68, 0.72, 0.0, 12))
        '68.0% to 72.0%'
    """
    if difference is None:
        return "–"
    return say(
        "ablation.interval", low=f"{number(100 * difference.low, 1)}%", high=f"{number(100 * difference.high, 1)}%"
    )


def points(value: float) -> str:
    """A difference with its sign.

    Args:
        value: in percentage points.

    Example:
        >>> points(1.25), points(-3.0), points(0.0)
        ('+1.2', '−3.0', '0.0')
    """
    return f"{'+' if round(value, 1) > 0 else ''}{number(value, 1)}"


def row_cells(name: str, row: Row | None) -> tuple[str, list[str]]:
    """A row of the table of results: its name; S, P, N, the mean here, its interval, the paper's number.

    Args:
        name: in `msviz.ABLATION`.
        row: what was measured; None = nothing yet.
    """
    mean, here = None if row is None else row.mean, _here(row)
    uses = [say("ablation.uses") if letter in ABLATION[name] else "" for letter in "SPN"]
    shown = "–" if here is None else f"{number(here[0], 1)}%"
    return row_title(name), [*uses, shown, interval(mean), f"{number(PAPER[name], 1)}%"]


def rows_csv(report: Report | None) -> str:
    """A line for each row and seed, all digits; of the paper's numbers alone a line for each row.

    Args:
        report: of one start; None = the paper's numbers alone.
    """
    if report is None:
        return csv_text(("row", "uses", _PAPER), [(name, ABLATION[name], PAPER[name] / 100) for name in PAPER])
    head = ("start", "row", "uses", "method", "learning_rate", "seed", report.metric, _PAPER)
    lines = [
        (report.start.name, row.name, row.uses, name, row.learning_rate, seed, value, row.paper / 100)
        for row in report.rows
        for name in [method_name(row.method)]
        for seed, value in row.values.items()
    ]
    return csv_text(head, lines)


def comparisons_csv(report: Report) -> str:
    """A line for each comparison, all digits.

    Args:
        report: of one start.
    """
    head = ("start", "better", "other", "difference", "low", "high", "p", "p_holm", "seeds", "verdict", "paper")
    lines = [
        (
            *(report.start.name, it.better, it.other, it.difference.mean, it.difference.low, it.difference.high),
            *(it.difference.p, it.adjusted, it.difference.n, it.verdict, it.paper / 100),
        )
        for it in report.comparisons
    ]
    return csv_text(head, lines)


def _here(row: Row | None) -> tuple[float, float, float] | None:
    """One seed alone is shown, too, without an interval."""
    if row is not None and row.mean is None and row.values:
        (only,) = row.values.values()
        return (100 * only,) * 3
    return _percent(None if row is None else row.mean)


def _percent(found: Difference | None) -> tuple[float, float, float] | None:
    return None if found is None else (100 * found.mean, 100 * found.low, 100 * found.high)
