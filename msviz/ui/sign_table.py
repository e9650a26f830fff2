"""The table of the sign check, with links that open its findings on the Playground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from msviz.text import number, percent, say
from msviz.training.limits import SignPoint
from msviz.views.limits_sign import SignRow, sign_rows

_HEAD: Final = ("loss", "batch", "wrong", "share", "worst")
_STYLE: Final = "<style>.st-key-signs { overflow-x: auto; }</style>"  # on a phone the table is wider than the page


def sign_table(points: Sequence[SignPoint]) -> None:
    """The methods that break the assumption; nothing while none is found.

    Args:
        points: as many as there are.
    """
    rows = sign_rows(points)
    if not rows:
        return
    head = [say(f"limits.sign.{name}") for name in _HEAD]
    lines = [head, ["---"] * len(head), *map(_cells, rows)]
    with st.container(key="signs"):
        st.html(_STYLE)
        # In Markdown a link opens beside this page, whose results would otherwise be lost.
        st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
    st.markdown(say("limits.sign.some", checks=len(points)))


def _cells(row: SignRow) -> list[str]:
    wrong = say("limits.sign.counts", pushed=row.pushed, pulled=row.pulled)
    worst = f"{row.worst[0]}→{row.worst[1]}, g\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{number(row.gradient)}"
    return [
        row.method,
        row.batch,
        wrong,
        percent(row.share),
        worst if row.query is None else f"[{worst}](./?{row.query})",
    ]
