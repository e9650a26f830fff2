"""What the Ablation page shows of a results file: charts, tables, and how it was measured."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from msviz.figures.ablation import dots_figure
from msviz.text import number, say
from msviz.training.ablation import PAPER, Comparison, Report
from msviz.ui.ablation_files import Found
from msviz.ui.picture import CHART, savable
from msviz.ui.tables import plain_table
from msviz.views.ablation import (
    Dot,
    comparison_dots,
    comparison_title,
    comparisons_csv,
    points,
    row_cells,
    row_dots,
    row_title,
    rows_csv,
)
from msviz.views.ablation_words import claim_words
from msviz.views.method_name import method_name


def rows_chart(report: Report | None) -> None:
    """Recall@1 of the eight rows, ours beside the paper's.

    Args:
        report: of one start; None = the paper's numbers alone.
    """
    title, dots = say("ablation.rows"), row_dots(report)
    with savable("ablation-rows", title, "msviz-ablation", lambda: rows_csv(report)):
        figure = dots_figure(dots, say("ablation.unit"))
        st.plotly_chart(figure, key="msviz.ablation.rows.chart", config=CHART, alt=f"{title}. {_told(dots)}")
    st.markdown(f":small[{say('ablation.levels')}]")


def _told(dots: Sequence[Dot]) -> str:
    """What a chart shows, for who cannot see it."""
    here = ["–" if dot.here is None else number(dot.here[0], 1) for dot in dots]
    return "; ".join(
        say(f"ablation.told.{dot.look}", name=dot.name, here=mean, paper=dot.paper)
        for dot, mean in zip(dots, here, strict=True)
    )


def rows_table(report: Report | None) -> None:
    """The same in numbers, with which of S, P and N each row uses.

    Args:
        report: of one start; None = the paper's numbers alone.
    """
    rows = {} if report is None else {row.name: row for row in report.rows}
    head = [say(f"ablation.head.{name}") for name in ("row", "s", "p", "n", "here", "interval", "paper")]
    cells = [row_cells(name, rows.get(name)) for name in PAPER]
    st.html(plain_table(say("ablation.rows.table"), head, cells))
    st.markdown(say("ablation.letters"))
    st.markdown(f":small[{say('ablation.cite')}]")


def comparisons_chart(report: Report) -> None:
    """The differences between rows, ours beside the paper's.

    Args:
        report: of one start, with comparisons.
    """
    title, dots = say("ablation.comparisons"), comparison_dots(report)
    with savable("ablation-comparisons", title, "msviz-ablation-comparisons", lambda: comparisons_csv(report)):
        figure = dots_figure(dots, say("ablation.points"), zero=True)
        st.plotly_chart(figure, key="msviz.ablation.comparisons.chart", config=CHART, alt=f"{title}. {_told(dots)}")


def claims(report: Report) -> None:
    """The paper's claims: whether each holds, and the comparisons that say so.

    Args:
        report: of one start, with comparisons.
    """
    head = [say(f"ablation.head.{name}") for name in ("comparison", "here", "interval", "verdict", "adjusted", "paper")]
    for claim, said in claim_words(report).items():
        st.markdown(say(said))
        rows = [(comparison_title(it), _cells(it)) for it in report.comparisons if claim in it.claims]
        if rows:
            st.html(plain_table(say(f"ablation.claim.{claim}.table"), head, rows))
    st.markdown(f":small[{say('ablation.holm', n=len(report.comparisons))}]")


def _cells(it: Comparison) -> list[str]:
    mean, low, high = (points(100 * value) for value in (it.difference.mean, it.difference.low, it.difference.high))
    verdict = say(f"ablation.verdict.{it.verdict}")
    return [mean, say("ablation.interval", low=low, high=high), verdict, number(it.adjusted, 3), points(it.paper)]


# How it was measured


def how(it: Found, report: Report) -> None:
    """The protocol, the chosen settings, what went wrong, and what made the file.

    Args:
        it: the whole file.
        report: of the start that is shown.
    """
    plan, start = it.results.what["ablation"], report.start
    st.markdown(say("ablation.protocol"))
    began = "pretrained" if start.pretrain_steps else "scratch"
    st.markdown(say(f"ablation.from.{began}", steps=start.steps, before=start.pretrain_steps))
    tuned = "untuned" if plan["candidates"] == 1 else "tuned"
    counts = {"candidates": plan["candidates"], "tuning_seeds": plan["tuning_seeds"], "test_seeds": plan["test_seeds"]}
    st.markdown(say(f"ablation.budget.{tuned}", **counts))
    head = [say(f"ablation.head.{name}") for name in ("row", "method", "rate", "seeds")]
    rows = [
        (row_title(row.name), [method_name(row.method), number(row.learning_rate, None), number(len(row.values))])
        for row in report.rows
    ]
    st.html(plain_table(say("ablation.settings"), head, rows))
    lines = [f"{row_title(row.name)}: {problem}" for row in report.rows for problem in row.problems]
    if lines:
        st.markdown(say("ablation.problems", n=len(lines)))
        st.code("\n".join(lines), language=None, wrap_lines=True)
    st.markdown(say("ablation.made"))
    # As code: what a file says is shown as it stands, and never read as Markdown.
    st.code("\n\n".join(map(_made, it.results.made)), language=None, wrap_lines=True)


def _made(made: dict[str, object]) -> str:
    names = ("command", "commit", "machine", "torch", "date")
    return "\n".join(f"{say(f'ablation.made.{name}')}: {made.get(name) or '–'}" for name in names)
