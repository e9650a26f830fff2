"""Table 1 as an accessible html table: the paper's ticks, the ticks measured now, and the evidence of each."""

from __future__ import annotations

import html
from typing import Any, Final

import streamlit as st

from msviz.text import number, say
from msviz.ui import session
from msviz.views.method_name import method_name
from msviz.views.table1 import ROLES, Cell, Moment, Row, measured, table1

_SEED: Final = "msviz.table1.seed"
_STYLE: Final = """<style>
.msviz-table1 { overflow-x: auto; }
.msviz-table1 table { border-collapse: collapse; width: 100%; max-width: 76rem; }
.msviz-table1 :is(th, td) { padding: .3rem .6rem; text-align: center; vertical-align: top; border: 0; }
.msviz-table1 tbody th { text-align: left; font-weight: 600; width: 60%; }
.msviz-table1 thead th { font-weight: 600; vertical-align: bottom; }
.msviz-table1 .rows { border-top: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
.msviz-table1 .first { border-left: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
.msviz-table1 .tick { font-weight: 700; white-space: nowrap; }
.msviz-table1 .evidence td { text-align: left; padding-top: 0; }
.msviz-table1 summary { cursor: pointer; font-size: .9375rem; }
.msviz-table1 details[open] summary { margin-bottom: .4rem; }
.msviz-table1 details p { max-width: 78ch; margin: .1rem 0 .1rem 1rem; font-size: .9375rem; }
.msviz-table1 details .numbers { opacity: .85; margin-bottom: .6rem; }
.msviz-table1 .source { display: block; font-weight: 400; font-size: .875rem; opacity: .8; }
.msviz-table1 .note { max-width: 78ch; font-size: .9375rem; margin: .1rem 0 .3rem; }
.msviz-table1 caption { text-align: left; max-width: 78ch; padding-bottom: .5rem; }
.msviz-table1 .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (max-width: 640px) {
  .msviz-table1 :is(th, td) { padding: .3rem .25rem; }
  .msviz-table1 tbody th { width: 45%; }
}
</style>"""


def now_measured() -> None:
    """One sentence: what the active method's weight answers to, measured now."""
    method = session.desk().state.method
    cells = measured(method, _seed())
    ticks = [cell for cell in cells if cell.tick]
    counts = ", ".join(say("table1.active.count", role=cell.role, count=cell.moved) for cell in ticks)
    key = "table1.active" if ticks else "table1.active.none"
    st.markdown(say(key, name=method_name(method), counts=counts, anchors=cells[0].anchors))


@st.fragment
def table() -> None:
    """The table, and a button that measures it on other random anchors."""
    st.subheader(say("table1.title"), anchor=False, divider="gray")
    st.markdown(say("table1.first"))
    st.button(say("table1.again"), icon=":material/casino:", on_click=_another_seed)
    rows = table1(_seed())
    st.html(_STYLE + table_html(rows, _seed()))


def _seed() -> int:
    return int(session.widget(_SEED, 0))


def _another_seed() -> None:
    session.set_widget(_SEED, _seed() + 1)


def table_html(rows: tuple[Row, ...], seed: int) -> str:
    """The table's html; every word in it is escaped.

    Args:
        rows: from `msviz.views.table1.table1`.
        seed: with which they were measured.
    """
    heads = "".join(
        f"<th scope='col'{' class=first' if role == ROLES[0] else ''}>{role}</th>" for _ in range(2) for role in ROLES
    )
    return (
        "<div class='msviz-table1' tabindex='0' role='region' aria-label="
        f"'{_say('table1.title')}'><table><caption>{_say('table1.caption', seed=seed)}</caption><thead>"
        f"<tr><th rowspan='2' scope='col'>{_say('table1.method')}</th>"
        f"<th colspan='3' scope='colgroup' class='first'>{_say('table1.paper')}</th>"
        f"<th colspan='3' scope='colgroup' class='first'>{_say('table1.measured')}</th></tr>"
        f"<tr>{heads}</tr></thead><tbody>" + "".join(map(_row, rows)) + "</tbody></table></div>"
    )


def _row(row: Row) -> str:
    source = _say(f"table1.source.{row.source or 'none'}")
    paper = "".join(_tick("" if row.paper is None else _mark(role in row.paper), role == ROLES[0]) for role in ROLES)
    ticks = "".join(_tick(_mark(cell.tick, cell.extra), cell.role == ROLES[0]) for cell in row.cells)
    note = f"<p class='note'>* {html.escape(say(row.footnote))}</p>" if row.footnote else ""
    evidence = "".join(map(_evidence, row.cells))
    return (
        f"<tr class='rows'><th scope='row'>{html.escape(row.name)}<span class='source'>{source}</span></th>"
        f"{paper}{ticks}</tr>"
        f"<tr class='evidence'><td colspan='7'>{note}<details><summary>{_say('table1.evidence')}"
        f"<span class='hidden'> {html.escape(row.name)}</span></summary>{evidence}</details></td></tr>"
    )


def _tick(mark: str, first: bool) -> str:
    return f"<td class='tick{' first' if first else ''}'>{mark}</td>"


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
