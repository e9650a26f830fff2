"""The Ablation page: the answer, the rows, the comparisons, how it was measured, and a run of one's own."""

from __future__ import annotations

from typing import Final

import streamlit as st

from msviz.core.errors import MsvizError
from msviz.text import say
from msviz.training.ablation import Report
from msviz.ui import session
from msviz.ui.ablation_files import SHOWN, Found, Source, found, sources
from msviz.ui.ablation_own import WATCHED, run_here, send_file, watch
from msviz.ui.ablation_shown import claims, comparisons_chart, how, rows_chart, rows_table
from msviz.ui.page import refuse
from msviz.views.ablation_words import answer

TEXT: Final = 760  # pixels of a line that can still be read
EVERY: Final = 1.0  # seconds between two looks at a run
START: Final = "start"  # also its name in the link


def ablation() -> None:
    """The whole page below its heading."""
    watched = bool(session.widget(WATCHED))
    st.fragment(_page, run_every=EVERY if watched else None)(watched)


def _page(watched: bool) -> None:
    if watched != watch():
        st.rerun()  # somebody began or stopped to look: how often the page looks is said outside of it
    with st.container(horizontal=True, gap="large"):
        source = _source()
        read = found(source)
        it = None if isinstance(read, MsvizError) else read
        report = None if it is None else _report(it)
    if isinstance(read, MsvizError):
        refuse([read])
    elif read is None:
        st.markdown(say("ablation.none"))
    _answer(source, it, report)
    left, right = st.columns([2, 3], gap="large")
    with left:
        rows_chart(report)
    with right:
        rows_table(report)
    if report is not None and report.comparisons:
        left, right = st.columns([2, 3], gap="large")
        with left:
            comparisons_chart(report)
        with right:
            claims(report)
    if it is not None and report is not None:
        with st.expander(say("ablation.how")):
            how(it, report)
    left, right = st.columns(2, gap="large")
    with left:
        run_here()
    with right:
        send_file()


# What is shown


def _source() -> Source:
    options = sources()
    if session.widget(SHOWN) not in options:
        session.keep(SHOWN, options[0])
    if len(options) == 1:
        return options[0]
    chosen: Source | None = st.pills(
        say("ablation.source"),
        options,
        required=True,
        wrap=True,
        format_func=lambda name: say(f"ablation.source.{name}"),
        key=SHOWN,
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
