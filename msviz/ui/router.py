"""The script that Streamlit runs for every page: frame and navigation. `app.py` starts it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from msviz.text import say
from msviz.ui.components import code

PAGES: Final = Path(__file__).parents[2] / "pages"
EXPLORE: Final = ("playground", "similarities", "mining", "weights", "compare")
TRAIN: Final = ("train", "ablation", "limits")
LABS: Final = ("npair", "loop")

ICON: Final = Path(__file__).parent / "assets" / "icon.svg"  # a file: named icons would be fetched from another host

# Streamlit keeps 6rem free above the first line, on a beamer a tenth of the screen; its bar of pages needs less.
_FRAME: Final = """<style>
.stMainBlockContainer { padding: 2.9rem clamp(1rem, 2.5vw, 3rem) 2rem; }
.stMainBlockContainer > .stVerticalBlock { gap: .6rem; }
/* Streamlit fades what is being computed anew; while a point is dragged that would be the whole page, all the time. */
[data-stale] { opacity: 1 !important; transition: none !important; }
.msviz-heading { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem 1.5rem; }
.msviz-heading h1 { font-size: 1.75rem; padding: 0; margin: 0; }
.msviz-heading p { margin: 0; }
header.stAppHeader { height: 2.75rem; min-height: 0; }
a:is([data-testid^=stTopNav], [data-testid^=stSidebarNav]):focus-visible {
  outline: 3px solid currentColor; outline-offset: -3px; }
/* Streamlit writes a choice in the accent colour on a tint of it: too faint to read on either ground. */
button[role=radio][aria-checked=true] { color: inherit !important; font-weight: 600; }
[data-testid=stCaptionContainer] { color: inherit; }  /* its grey has a contrast of 4.4 on the light page */
/* On a phone what is chosen stands side by side, so that what is done with it is on the first screen. */
@media (max-width: 640px) {
  .st-key-heading { gap: .3rem .5rem; }
  .st-key-heading > .stElementContainer:has(.stSelectbox) { flex: 1 1 40%; width: auto; min-width: 0; }
}
</style>"""


def route() -> None:
    """Set up the frame and run the page that the address names."""
    st.set_page_config(page_title=say("app.title"), page_icon=str(ICON), layout="wide")
    st.html(_FRAME)
    first, *more = EXPLORE
    explore = [
        st.Page(PAGES / "explore" / f"{first}.py", title=say(f"page.{first}.title"), url_path="start", default=True),
        # The first page's address is the root; people also type, and links also name, the page by its name.
        st.Page(PAGES / "explore" / f"{first}.py", title=first, url_path=first, visibility="hidden"),
        *(_page("explore", name) for name in more),
    ]
    # One flat bar: in groups every page would be two clicks away.
    rest = [_page(group, name) for group, names in (("train", TRAIN), ("labs", LABS)) for name in names]
    st.navigation([*explore, *rest], position="top").run()
    code()


def _page(group: str, name: str) -> StreamlitPage:
    return st.Page(PAGES / group / f"{name}.py", title=say(f"page.{name}.title"), url_path=name)


route()
