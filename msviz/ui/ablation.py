"""The Ablation page: the answer, the rows, the comparisons, how it was measured, and a run of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from msviz.core.errors import MsvizError
from msviz.figures.ablation import dots_figure
from msviz.text import number, say, say_error
from msviz.training.ablation import PAPER, Report
from msviz.training.progress import duration
from msviz.ui import session
from msviz.ui.ablation_files import MAX_BYTES, SENT, Found, Source, found, receive, refused, sources
from msviz.ui.ablation_run import shared_ablation
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
from msviz.views.ablation_words import answer, claim_words
from msviz.views.method_name import method_name

TEXT: Final = 760  # pixels of a line that can still be read
EVERY: Final = 1.0  # seconds between two looks at a run
START: Final = "start"  # also its name in the link
_SHOWN: Final = "msviz.ablation.shown"
_WATCHED: Final = "msviz.ablation.watched"  # whether the visitor waits for the run
_AWAITED: Final = "msviz.ablation.awaited"  # whether its first numbers will be shown by themselves


def ablation() -> None:
    """The whole page below its heading."""
    watched = bool(session.widget(_WATCHED))
    st.fragment(_page, run_every=EVERY if watched else None)(watched)


def _page(watched: bool) -> None:
    _watch()
    if watched != bool(session.widget(_WATCHED)):
        st.rerun()  # somebody began or stopped to look: how often the page looks is said outside of it
    source = _source()
    it = found(source)
    if isinstance(it, MsvizError):
        st.error(say_error(it))
        it = None
    elif it is None:
        st.info(say("ablation.none"))
    report = None if it is None else _report(it)
    _answer(source, it, report)
    left, right = st.columns([2, 3], gap="large")
    with left:
        _rows_chart(report)
    with right:
        _rows_table(report)
    if report is not None and report.comparisons:
        left, right = st.columns([2, 3], gap="large")
        with left:
            _comparisons_chart(report)
        with right:
            _claims(report)
    if it is not None and report is not None:
        with st.expander(say("ablation.how")):
            _how(it, report)
    left, right = st.columns(2, gap="large")
    with left:
        _run()
    with right:
        _send()


# What is shown


def _source() -> Source:
    options = sources()
    if session.widget(_SHOWN) not in options:
        session.keep(_SHOWN, options[0])
    if len(options) == 1:
        return options[0]
    chosen: Source | None = st.pills(
        say("ablation.source"),
        options,
        required=True,
        wrap=True,
        format_func=lambda name: say(f"ablation.source.{name}"),
        key=_SHOWN,
        label_visibility="collapsed",
    )
    return chosen or options[0]


def _report(it: Found) -> Report:
    names = [report.start.name for report in it.reports]
    if session.widget(START) is not None and session.widget(START) not in names:
        session.keep(START, names[0])
    name = st.pills(
        say("ablation.start"),
        names,
        default=names[0],
        required=True,
        wrap=True,
        format_func=lambda name: say(
            f"ablation.start.{name}", default=say("ablation.start.other", at=names.index(name) + 1)
        ),
        key=START,
        bind="query-params",
        label_visibility="collapsed",
    )
    return it.reports[names.index(name) if name in names else 0]


def _answer(source: Source, it: Found | None, report: Report | None) -> None:
    if it is None or report is None:
        return
    words = " ".join(map(say, answer(report)))
    if it.results.what["ablation"]["candidates"] == 1:
        words = f"{words} {say('ablation.untuned', seeds=it.results.what['ablation']['test_seeds'])}"
    st.markdown(f"**{say(f'ablation.answer.{source}')}** {words}", width=TEXT)


def _rows_chart(report: Report | None) -> None:
    title, dots = say("ablation.rows"), row_dots(report)
    with savable("ablation.rows", title, "msviz-ablation", lambda: "" if report is None else rows_csv(report)):
        figure = dots_figure(dots, say("ablation.unit"))
        st.plotly_chart(figure, key="msviz.ablation.rows.chart", config=CHART, alt=f"{title}. {_told(dots)}")
    st.caption(say("ablation.levels"))


def _told(dots: Sequence[Dot]) -> str:
    """What a chart shows, for who cannot see it."""
    here = ["–" if dot.here is None else number(dot.here[0], 1) for dot in dots]
    return "; ".join(
        say(f"ablation.told.{dot.look}", name=dot.name, here=mean, paper=dot.paper)
        for dot, mean in zip(dots, here, strict=True)
    )


def _rows_table(report: Report | None) -> None:
    rows = {} if report is None else {row.name: row for row in report.rows}
    head = [say(f"ablation.head.{name}") for name in ("row", "s", "p", "n", "here", "interval", "paper")]
    cells = [row_cells(name, rows.get(name)) for name in PAPER]
    st.html(plain_table(say("ablation.rows.table"), head, cells))
    st.markdown(say("ablation.letters"))
    st.caption(say("ablation.cite"))


def _comparisons_chart(report: Report) -> None:
    title, dots = say("ablation.comparisons"), comparison_dots(report)
    with savable("ablation.comparisons", title, "msviz-ablation-comparisons", lambda: comparisons_csv(report)):
        figure = dots_figure(dots, say("ablation.points"), zero=True)
        st.plotly_chart(figure, key="msviz.ablation.comparisons.chart", config=CHART, alt=f"{title}. {_told(dots)}")


def _claims(report: Report) -> None:
    head = [say(f"ablation.head.{name}") for name in ("comparison", "here", "interval", "verdict", "adjusted", "paper")]
    for claim, said in claim_words(report).items():
        st.markdown(say(said))
        rows = [
            (
                comparison_title(it),
                [
                    points(100 * it.difference.mean),
                    say(
                        "ablation.interval", low=points(100 * it.difference.low), high=points(100 * it.difference.high)
                    ),
                    say(f"ablation.verdict.{it.verdict}"),
                    number(it.adjusted, 3),
                    points(it.paper),
                ],
            )
            for it in report.comparisons
            if claim in it.claims
        ]
        if rows:
            st.html(plain_table(say(f"ablation.claim.{claim}.table"), head, rows))
    st.caption(say("ablation.holm", n=len(report.comparisons)))


# How it was measured


def _how(it: Found, report: Report) -> None:
    plan, start = it.results.what["ablation"], report.start
    st.markdown(say("ablation.protocol"))
    st.markdown(
        say(
            f"ablation.from.{'pretrained' if start.pretrain_steps else 'scratch'}",
            steps=start.steps,
            before=start.pretrain_steps,
        )
    )
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


# A run here, a file of one's own


def _run() -> None:
    shared, watched = shared_ablation(), bool(session.widget(_WATCHED))
    run = shared.run
    st.subheader(say("ablation.run"), anchor=False)
    st.markdown(say("ablation.run.text", runs=shared.total, seeds=shared.plan.test_seeds))
    if run is not None and run.error is not None:
        st.error(say_error(run.error))
    if run is not None and run.doing == "done":
        st.success(say("ablation.run.done", runs=shared.done))
    elif run is not None and watched:
        left = "" if shared.seconds_left is None else say("ablation.run.left", time=duration(shared.seconds_left))
        line = say(f"ablation.run.{run.doing}", place=run.place, done=shared.done, runs=shared.total)
        st.progress(shared.done / shared.total, text=f"{line} {left}")
        st.button(say("ablation.run.stop"), icon=":material/stop:", key="msviz.ablation.stop", on_click=_stop)
    else:
        if shared.done:
            st.caption(say("ablation.run.kept", done=shared.done, runs=shared.total))
        label = say("ablation.run.again" if shared.done else "ablation.run.begin")
        st.button(label, icon=":material/play_arrow:", key="msviz.ablation.run", type="primary", on_click=_begin)


def _begin() -> None:
    session.keep(_WATCHED, True)
    session.keep(_AWAITED, True)
    shared_ablation().begin()


def _stop() -> None:
    session.keep(_WATCHED, False)


def _watch() -> None:
    shared = shared_ablation()
    if session.widget(_WATCHED):
        shared.watch()
        if shared.run is None or not shared.run.goes_on:
            session.keep(_WATCHED, False)
    if session.widget(_AWAITED) and shared.done:  # the first numbers of what was begun here
        session.keep(_AWAITED, False)
        session.keep(_SHOWN, "small")


def _send() -> None:
    st.subheader(say("ablation.send"), anchor=False)
    st.markdown(say("ablation.send.text"))
    st.file_uploader(
        say("ablation.send.file", limit=MAX_BYTES // 2**20),
        type=["jsonl"],
        max_upload_size=MAX_BYTES // 2**20,
        key=SENT,
        on_change=_receive,
    )
    why = refused()
    if why is not None:
        st.error(say_error(why))


def _receive() -> None:
    if receive():
        session.keep(_SHOWN, "own")
