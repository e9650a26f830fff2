"""Playground: drag a point and see which pairs the loss keeps, how much each weighs, which way each point is pushed."""

import streamlit as st

from msviz.ui.bench import bench
from msviz.ui.page import heading
from msviz.ui.strip import strip


@st.fragment
def playground() -> None:
    """Everything that moves while a person drags: one fragment, so that a drag reruns nothing else."""
    strip()
    bench()


heading("playground")
playground()
