"""What every page begins with: its heading, one sentence that says what to do first, the ways to batches and files."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable

import streamlit as st

from msviz.core.errors import MsvizError
from msviz.text import say, say_error
from msviz.ui.batches import batch_menu
from msviz.ui.takeaway import take_away


def heading(name: str, beside: Callable[[], None] | None = None) -> None:
    """The page's title with its sentence, and beside it the batch menu and what can be taken away.

    One html element and two buttons: Streamlit touches every element of the page in every run of a fragment, so what
    stands here costs time while a person drags.

    Args:
        name: the page's part in catalogue keys: page.<name>.title and page.<name>.first.
        beside: draws what stands beside it on a page that is not about the current batch.
    """
    title, first = (html.escape(say(f"page.{name}.{part}")) for part in ("title", "first"))
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="heading"):
        st.html(f"<div class='msviz-heading'><h1>{title}</h1><p>{first}</p></div>", width="stretch")
        if beside is not None:
            beside()
            return
        if st.button(say("menu.batch"), icon=":material/scatter_plot:"):
            batch_menu()
        if st.button(say("menu.take"), icon=":material/download:"):
            take_away(name)


def refuse(errors: Iterable[MsvizError]) -> None:
    """Say what was refused. Names in it come from links and files: they stay text, and make no markup and no request.

    Args:
        errors: none says nothing.
    """
    text = " ".join(map(say_error, errors))
    if text:
        st.error(re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text))
