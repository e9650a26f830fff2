"""What every page begins with: its heading, one sentence that says what to do first, the menu of batches."""

from __future__ import annotations

import streamlit as st

from msviz.text import say
from msviz.ui.batches import batch_menu


def heading(name: str) -> None:
    """The page's title with its sentence, and the batch menu beside it.

    Args:
        name: the page's part in catalogue keys: page.<name>.title and page.<name>.first.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="heading"):
        st.title(say(f"page.{name}.title"), anchor=False, width="content")
        st.markdown(say(f"page.{name}.first"), width="stretch")
        batch_menu()
