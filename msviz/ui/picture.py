"""The frame of a chart under the bench: its heading, and beside it what saves it as PNG and SVG, and its numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from msviz.text import catalogue, say
from msviz.ui.components import component

CHART: Final = {"displaylogo": False, "modeBarButtons": [["resetScale2d"]]}
"""How plotly's own buttons are set: what stands beside the heading saves."""


def savable(
    name: str, title: str, file: str, table: Callable[[], str], controls: Callable[[], None] | None = None
) -> Any:
    """A container that a visitor can save; use it in a `with`.

    The browser draws the files from what stands in it (assets/picture.js), without what lies beside the heading.

    Args:
        name: of the container and its buttons, unique on the page.
        title: the heading.
        file: the files' name without its ending.
        table: makes the CSV when somebody asks for it.
        controls: makes what else stands beside the heading.
    """
    frame = st.container(key=f"msviz.picture.{name}")
    with frame.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(title, anchor=False, width="stretch")
        with st.container(
            horizontal=True, vertical_alignment="center", gap="xsmall", width="content", key=f"msviz.tools.{name}"
        ):
            if controls is not None:
                controls()
            data = {"of": f"msviz-picture-{name}", "file": file, "title": title, "texts": catalogue("js.save.")}
            component("picture")(key=f"msviz.save.{name}", data=data, width="content")
            csv_button(say("menu.csv"), file, table, f"msviz.csv.{name}")
    return frame


def csv_button(label: str, file: str, table: Callable[[], str], key: str) -> None:
    """A button that saves a table.

    Args:
        label: the button's word.
        file: the file's name without its ending.
        table: makes the text when somebody asks for it.
        key: the widget's.
    """
    st.download_button(
        label,
        lambda: table().encode("utf-8-sig"),  # with a mark, so that spreadsheets read the letters right
        file_name=f"{file}.csv",
        mime="text/csv",
        key=key,
        icon=":material/download:",
        on_click="ignore",
        type="tertiary",
    )
