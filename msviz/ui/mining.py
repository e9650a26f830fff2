"""The Mining page: its lines and reasons on the bench, kept pairs against epsilon below it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from msviz.figures.mining import MOST_CURVES, kept_figure
from msviz.text import number, say
from msviz.ui import session
from msviz.ui.desk import Desk
from msviz.ui.picture import CHART, csv_button, savable
from msviz.views.kept import kept_csv, kept_view
from msviz.views.mining import CSV_UP_TO, lines_view, reasons_csv, reasons_view
from msviz.views.scene import Scene


def mining_data(desk: Desk, now: Scene) -> dict[str, Any]:
    """What assets/lines.js and assets/reasons.js draw.

    Args:
        desk: the visitor's desk.
        now: its state, evaluated.
    """
    lines, reasons = lines_view(now), reasons_view(now)
    sent = {rank: {"S": sim, "code": decided} for rank, (sim, decided) in lines.sent.items()}
    rows = [
        (row.other, row.positive, row.kept, number(row.s, 3), number(row.w, 3), say(row.why)) for row in reasons.rows
    ]
    hint = f"{say(reasons.hint)} {say(reasons.some)}" if reasons.some else say(reasons.hint)
    return {
        "lines": {
            "first": lines.first,
            "count": lines.count,
            "note": say(lines.note) if lines.note else "",
            "sent": sent,
        },
        "reasons": {"anchor": reasons.anchor, "title": say(reasons.title), "hint": hint, "rows": rows},
    }


@st.fragment(key=session.BELOW)
def below() -> None:
    """The curve of kept pairs, its words, and all reasons to take away."""
    now, _ = session.scenes()
    view = kept_view(now)
    title, words = say("mining.curve.title"), " ".join(say(line) for line in view.summary)
    if not view.curves:
        st.subheader(title, anchor=False)
        st.markdown(words)
        return
    with savable("kept", title, "msviz-kept-against-epsilon", lambda: kept_csv(view)):
        st.markdown(say("mining.curve.text"))
        st.plotly_chart(kept_figure(view), key="msviz.mining.kept", config=CHART, alt=f"{title}. {words}")
        classes = len({curve.label for curve in view.curves})
        if classes > MOST_CURVES:
            words = f"{words} {say('mining.curve.some', drawn=MOST_CURVES, classes=classes)}"
        st.markdown(words)
    label = say("mining.csv" if now.m <= CSV_UP_TO else "mining.csv.anchor")
    csv_button(label, "msviz-mining-reasons", lambda: reasons_csv(now), "msviz.mining.csv")
