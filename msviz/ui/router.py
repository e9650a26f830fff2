"""The script that Streamlit runs for every page: frame and navigation. `app.py` starts it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

from msviz.text import say
from msviz.ui.components import code

PAGES: Final = Path(__file__).parents[2] / "pages"

ICON: Final = Path(__file__).parent / "assets" / "icon.svg"  # a file: named icons would be fetched from another host

# Streamlit keeps 6rem free above the first line, on a beamer a tenth of the screen. Its menu floats over the corner.
_FRAME: Final = """<style>
.stMainBlockContainer { padding: .6rem clamp(1rem, 2.5vw, 3rem) 2rem; }
.stMainBlockContainer > .stVerticalBlock { gap: .6rem; }
/* Streamlit fades what is being computed anew; while a point is dragged that would be the whole page, all the time. */
[data-stale] { opacity: 1 !important; transition: none !important; }
.msviz-heading { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem 1.5rem; }
.msviz-heading h1 { font-size: 1.75rem; padding: 0; margin: 0; }
.msviz-heading p { margin: 0; }
header.stAppHeader { background: transparent; height: 2.75rem; min-height: 0; pointer-events: none; }
header.stAppHeader * { pointer-events: none; }
header.stAppHeader :is(button, a, button *) { pointer-events: auto; }
.st-key-heading { padding-right: 2.5rem; }
</style>"""


def route() -> None:
    """Set up the frame and run the page that the address names."""
    st.set_page_config(page_title=say("app.title"), page_icon=str(ICON), layout="wide")
    st.html(_FRAME)
    playground = PAGES / "explore" / "playground.py"
    explore = [
        st.Page(playground, title=say("page.playground.title"), url_path="start", default=True),
        # The first page's address is the root; people also type, and links also name, the page by its name.
        st.Page(playground, title=say("page.playground.title"), url_path="playground", visibility="hidden"),
    ]
    st.navigation({say("nav.explore"): explore}).run()
    code()


route()
