"""Take it away: the torch script that reproduces the numbers shown, and all numbers as files."""

from __future__ import annotations

import streamlit as st

from msviz.text import say
from msviz.ui import session
from msviz.ui.layouts import LAYOUTS
from msviz.views.method_name import method_name
from msviz.views.script import LARGEST_TABLE, numbers_npz, pairs_csv, script


@st.dialog(say("menu.take"), width="large")
def take_away(page: str) -> None:
    """Show the script of what is on the page, with copy and download, and offer its numbers.

    Args:
        page: a name in `LAYOUTS`.
    """
    now, _ = session.scenes(LAYOUTS[page].seen)
    made = script(now)
    name = f"msviz-{now.state.method.name}-{now.m}-points"
    if made.text is None:
        assert made.why_not is not None
        st.markdown(say(made.why_not))
    else:
        st.markdown(say("menu.take.text", method=method_name(now.state.method)))
        st.code(made.text, language="python")
    with st.container(horizontal=True, gap="small"):
        if made.text is not None:
            _file(say("menu.take.script"), made.text.encode(), f"{name}.py", "text/x-python")
        if 0 < now.m <= LARGEST_TABLE:
            _file(say("menu.take.csv"), pairs_csv(now).encode("utf-8-sig"), f"{name}.csv", "text/csv")
        if now.m:
            _file(say("menu.take.npz"), numbers_npz(now), f"{name}.npz", "application/octet-stream")
    st.caption(say("menu.take.pictures"))


def _file(label: str, data: bytes, name: str, mime: str) -> None:
    key = f"msviz.take.{name}"
    st.download_button(label, data, name, mime, key=key, icon=":material/download:", on_click="ignore")
