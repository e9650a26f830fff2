"""Table 1 as an accessible html table: the paper's ticks, the ticks measured now, and the evidence of each."""

from __future__ import annotations

import html
from typing import Any, Final

import streamlit as st

from msviz.state.value import MOST_SEED
from msviz.text import number, say
from msviz.ui import session
from msviz.ui.picture import csv_button
from msviz.views.method_name import method_name
from msviz.views.table1 import ROLES, Cell, Moment, Row, measured, table1, table1_csv

TEXT: Final = 720  # pixels of a line of text
_STYLE: Final = """<style>
.msviz-table1 table { border-collapse: collapse; width: 100%; }
.msviz-table1 :is(th, td) { padding: .3rem .5rem; text-align: center; vertical-align: top; border: 0; }
.msviz-table1 thead th { font-weight: 600; vertical-align: bottom; }
.msviz-table1 tbody th { text-align: left; font-weight: 600; width: 19rem; }
.msviz-table1 .rows { border-top: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
.msviz-table1 .first { border-left: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
.msviz-table1 .tick { font-weight: 700; white-space: nowrap; width: 3.2rem; }
.msviz-table1 .evidence { text-align: left; padding-left: 1rem; }
.msviz-table1 summary { cursor: pointer; font-size: .9375rem; }
.msviz-table1 :is(details p, .note) { max-width: 78ch; margin: .15rem 0; font-size: .9375rem; }
.msviz-table1 details .numbers { opacity: .85; margin-bottom: .5rem; }
.msviz-table1 .source { display: block; font-weight: 400; font-size: .875rem; opacity: .8; }
.msviz-table1 caption { text-align: left; padding-bottom: .5rem; }
.msviz-table1 .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (max-width: 800px) {
  .msviz-table1 :is(table, thead, tbody, caption) { display: block; }
  .msviz-table1 tr { display: grid; grid-template-columns: minmax(0, 1fr) repeat(6, 2rem); padding: .3rem 0; }
  .msviz-table1 :is(th, td) { padding: .15rem 0; }
  .msviz-table1 :is(tbody th, .tick) { width: auto; }
  .msviz-table1 .group { grid-column: span 3; font-size: .875rem; }
  .msviz-table1 td.evidence { grid-column: 1 / -1; padding-left: 0; }
  .msviz-table1 th.evidence { display: none; }
}
</style>"""


def now_measured() -> None:
    """One sentence: what the active method's weight answers to, measured now."""
    method = session.desk().state.method
    cells = measured(method, session.desk().state.display.table1_seed)
    ticks = [cell for cell in cells if cell.tick]
    counts = ", ".join(say("table1.active.count", role=cell.role, count=cell.moved) for cell in ticks)
    key = "table1.active" if ticks else "table1.active.none"
    st.markdown(say(key, name=method_name(method), counts=counts, anchors=cells[0].anchors))


@st.fragment(key=session.TABLE)
def table() -> None:
    """The table, and a button that measures it on other random anchors."""
    st.subheader(say("table1.title"), anchor=False, divider="gray")
    st.markdown(say("table1.first"), width=TEXT)
    seed = session.desk().state.display.table1_seed
    rows = table1(seed)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.button(say("table1.again"), icon=":material/casino:", on_click=_measure, args=((seed + 1) % MOST_SEED,))
        csv_button(say("menu.csv"), f"msviz-table-1-seed-{seed}", lambda: table1_csv(rows), "msviz.csv.table1")
    st.html(_STYLE + table_html(rows, seed))


def _measure(seed: int) -> None:
    session.look("measure", session.TABLE, seed=seed)


def table_html(rows: tuple[Row, ...], seed: int) -> str:
    """The table's html; every word in it is escaped. Its roles are written out: on a phone its rows are grids.

    Args:
        rows: from `msviz.views.table1.table1`.
        seed: with which they were measured.
    """
    heads = "".join(
        f"<th role='columnheader' scope='col' {_first(role)}>{role}</th>" for _ in range(2) for role in ROLES
    )
    groups = "".join(
        f"<th role='columnheader' colspan='3' scope='colgroup' class='group first'>{_say(f'table1.{whose}')}</th>"
        for whose in ("paper", "measured")
    )
    evidence = f"<th role='columnheader' class='evidence' scope='col'>{_say('table1.evidence.head')}</th>"
    return (
        f"<div class='msviz-table1'><table role='table'><caption>{_say('table1.caption', seed=seed)}</caption>"
        f"<thead role='rowgroup'>"
        f"<tr role='row'><td role='cell'></td>{groups}<td class='evidence' role='cell'></td></tr>"
        f"<tr role='row'><th role='columnheader' scope='col'>{_say('table1.method')}</th>{heads}{evidence}</tr></thead>"
        f"<tbody role='rowgroup'>{''.join(map(_row, rows))}</tbody></table></div>"
    )


def _row(row: Row) -> str:
    name, source = html.escape(row.name), _say(f"table1.source.{row.source or 'none'}")
    paper = "".join(_tick("" if row.paper is None else _mark(role in row.paper), role) for role in ROLES)
    ticks = "".join(_tick(_mark(cell.tick, cell.extra), cell.role) for cell in row.cells)
    note = f"<p class='note'>* {html.escape(say(row.footnote))}</p>" if row.footnote else ""
    counts = ", ".join(f"{cell.role} {number(cell.moved)}" for cell in row.cells)
    summary = _say("table1.evidence", counts=counts, anchors=row.cells[0].anchors)
    evidence = "".join(map(_evidence, row.cells))
    return (
        f"<tr class='rows' role='row'><th role='rowheader' scope='row'>{name}<span class='source'>{source}</span></th>"
        f"{paper}{ticks}<td class='evidence' role='cell'><details><summary>{summary}<span class='hidden'> {name}</span>"
        f"</summary>{evidence}</details>{note}</td></tr>"
    )


def _first(role: str) -> str:
    return "class='tick first'" if role == ROLES[0] else "class='tick'"


def _tick(mark: str, role: str) -> str:
    return f"<td role='cell' {_first(role)}>{mark}</td>"


def _mark(tick: bool, extra: bool = False) -> str:
    word = _say(f"table1.tick.{'extra' if extra else 'yes' if tick else 'no'}")
    sign = "✓*" if extra else "✓" if tick else "–"
    return f"<span aria-hidden='true'>{sign}</span><span class='hidden'>{word}</span>"


def _evidence(cell: Cell) -> str:
    lines = " ".join(html.escape(say(line)) for line in cell.lines)
    told = say("table1.numbers", before=_numbers(cell.before), after=_numbers(cell.after)) if cell.tick else ""
    return f"<p><b>{cell.role}</b> {lines}</p>" + (f"<p class='numbers'>{html.escape(told)}</p>" if told else "")


def _numbers(moment: Moment) -> str:
    def listed(values: tuple[float, ...]) -> str:
        return ", ".join(number(value) for value in values) or "–"

    return say("table1.moment", positives=listed(moment.positives), pair=moment.pair, rivals=listed(moment.rivals))


def _say(key: str, **values: Any) -> str:
    return html.escape(say(key, **values))
