"""The floor under a Streamlit latency: a page whose one component sends a number while a dot is dragged.

It gets as many bytes back as the Playground sends for 64 points. Nothing is computed, and nothing but the dot is drawn.
"""

import json
import struct
from pathlib import Path

import streamlit as st

BYTES = 48_000
HTML = """<div class="pad" style="height:500px"><div data-drag
  style="width:20px;height:20px;background:teal;position:absolute;transform:translate(500px,200px)"></div></div>"""


def page() -> None:
    """The script that Streamlit runs."""
    st.set_page_config(layout="wide")
    js = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    pad = st.components.v2.component("floor", html=HTML, js=js)

    @st.fragment
    def floor() -> None:
        seq = (st.session_state.get("pad") or {}).get("seq") or 0
        head = json.dumps({"seq": seq}).encode()
        pad(key="pad", data=struct.pack("<I", len(head)) + head + bytes(BYTES), on_seq_change=lambda: None)

    floor()


if st.runtime.exists():
    page()
