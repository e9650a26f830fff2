"""What the Compare page shows beside its heatmaps: figures of every method, the menu of methods, tables below."""

from __future__ import annotations

import math
from typing import Any, Final

import streamlit as st

from msviz.core.losses import LOSSES
from msviz.core.methods import ABLATION, METHODS, Method
from msviz.state import MAX_OTHERS, SHARES
from msviz.text import msg, number, percent, say
from msviz.ui import session
from msviz.ui.desk import Desk
from msviz.ui.tables import plain_table
from msviz.views.compare import TOPS, Compared, Disagreement, compared, disagreement, top_shares
from msviz.views.compare_table import CompareTable, compare_csv, compare_table, table_words
from msviz.views.method_name import method_name
from msviz.views.scene import Scene

HIDDEN: Final = "–"


def compare_data(desk: Desk, now: Scene) -> dict[str, Any]:
    """What assets/compare.js draws: figures of every method, the pair that two differ in most, and the menu.

    While something moves only the heatmaps follow: nobody reads words that change 20 times a second.
    """
    methods = compared(now)
    one, two = now.state.display.versus
    return {
        "cards": [
            {
                "key": it.key,
                "number": it.number,
                "name": method_name(it.method),
                "figures": None if desk.open else figures(now, it),
            }
            for it in methods
        ],
        "how": now.state.display.shares,
        "hows": SHARES,
        "versus": [one, two],
        "apart": None if desk.open or len(methods) < 2 else _apart(now, methods[one - 1], methods[two - 1]),
        "menu": None if desk.open else _menu(),
        "full": len(now.state.others) >= MAX_OTHERS,
    }


def figures(now: Scene, it: Compared) -> list[str]:
    """A method's figures, a line each: its total weight, what it keeps, how much its heaviest pairs hold."""
    pairs = now.m * (now.m - 1)
    kept = say("page.compare.kept", total=number(it.total, 1), kept=it.kept, pairs=pairs)
    if not it.total:
        return [kept, say("page.compare.zero")]
    one, five, ten = top_shares(it, pairs)
    return [kept, say("page.compare.tops", one=one, five=five, ten=ten)]


def _apart(now: Scene, one: Compared, two: Compared) -> dict[str, Any]:
    found = disagreement(now.state.batch.ids, one, two)
    if found is None:
        return {"words": say("page.compare.apart.none"), "pair": None}
    first, second = found.shares
    ends = msg("page.compare.apart", anchor=found.anchor, other=found.other, one=found.one, two=found.two)
    words = say(ends, first=share(first), second=share(second))
    return {"words": words, "pair": [found.anchor, found.other]}


def share(x: float) -> str:
    """A pair's share, with two digits that say something however large the batch is.

    Example:
        >>> share(0.1234), share(0.00034), share(0.0)
        ('12.3%', '0.034%', '0%')
    """
    return percent(x, max(1, math.ceil(-math.log10(100 * x)) + 1) if x > 0 else 1)


def _menu() -> list[dict[str, Any]]:
    """Every method that can be added: the active one as it stands, named settings, losses, the paper's ablation."""
    groups: dict[str, list[tuple[str | None, str]]] = {
        "now": [(None, say("page.compare.add.now.title"))],
        "known": [(slug, say(f"method.{slug}.title")) for slug in METHODS if slug not in ABLATION],
        "losses": [(name, method_name(Method(name))) for name in LOSSES],
        "ablation": [(slug, say(f"method.{slug}.title")) for slug in ABLATION],
    }
    return [
        {
            "title": say(f"page.compare.add.{group}"),
            "options": [{"slug": slug, "title": title} for slug, title in options],
        }
        for group, options in groups.items()
    ]


@st.fragment(key=session.BELOW)
def below() -> None:
    """All figures as tables, and as CSV."""
    now, _ = session.scenes()
    if now.m < 2:
        return
    table = compare_table(now)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.subheader(say("page.compare.table.title"), anchor=False, width="content")
        data, name = compare_csv(table).encode("utf-8-sig"), f"msviz-compare-{now.m}-points.csv"
        label = say("page.compare.table.csv")
        st.download_button(label, data, name, "text/csv", icon=":material/download:", on_click="ignore")
    st.html(_figures_table(table))
    if len(table.rows) > 1:
        for column, kind in zip(st.columns(2), ("positives", "negatives"), strict=True):
            column.html(_ranks_table(table, kind))
        st.html(_apart_table(table))
    st.markdown("\n".join(f"- {say(line)}" for line in table_words(table)))


def _figures_table(table: CompareTable) -> str:
    head = [say(f"page.compare.table.{name}") for name in ("method", "total", "kept")]
    head += [say("page.compare.table.top", top=top) for top in TOPS]
    rows = [
        (f"{row.number} · {row.name}", [number(row.total, 2), number(row.kept), *(percent(top) for top in row.tops)])
        for row in table.rows
    ]
    return plain_table(say("page.compare.table.figures", pairs=table.pairs), head, rows)


def _ranks_table(table: CompareTable, kind: str) -> str:
    head = ["", *(number(row.number) for row in table.rows)]
    rows = [(f"{row.number} · {row.name}", [number(rank, 2) for rank in getattr(row, kind)]) for row in table.rows]
    return plain_table(say(f"page.compare.table.{kind}"), head, rows)


def _apart_table(table: CompareTable) -> str:
    head = ["", *(number(row.number) for row in table.rows)]
    rows = [(f"{row.number} · {row.name}", [_apart_cell(found) for found in row.apart]) for row in table.rows]
    return plain_table(say("page.compare.table.apart"), head, rows)


def _apart_cell(found: Disagreement | None) -> str:
    if found is None:
        return HIDDEN
    first, second = map(share, found.shares)
    return say("page.compare.table.apart.cell", anchor=found.anchor, other=found.other, first=first, second=second)
