"""The table of the sign check, with links that open its findings on the Playground."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from msviz.text import number, percent, say
from msviz.training.limits import SignPoint
from msviz.views.limits_sign import SignRow, sign_rows

_HEAD = ("loss", "batch", "pushed", "pulled", "share", "worst", "open")


def sign_table(points: Sequence[SignPoint]) -> None:
    """The methods that break the assumption; nothing while none is found.

    Args:
        points: as many as there are.
    """
    rows = sign_rows(points)
    if rows:
        head = [say(f"limits.sign.{name}") for name in _HEAD]
        lines = [head, ["---"] * len(head), *map(_cells, rows)]
        # In Markdown a link opens beside this page, whose results would otherwise be lost.
        st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
        st.caption(say("limits.sign.some", checks=len(points)))


def _cells(row: SignRow) -> list[str]:
    where = f"{row.worst[0]}→{row.worst[1]} (g {number(row.gradient, 3)})"
    link = "–" if row.query is None else f"[{say('limits.sign.link')}](./?{row.query})"
    return [row.method, row.batch, number(row.pushed), number(row.pulled), percent(row.share), where, link]
