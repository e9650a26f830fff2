"""The LoOp lab: the closest points of two arcs, and what becomes of a batch when they replace its negatives."""

from __future__ import annotations

from typing import Any

import streamlit as st

from msviz.core.scheme import Scheme
from msviz.state import State
from msviz.ui import session
from msviz.ui.desk import Desk
from msviz.views.scene import Scene


def loop_seen(state: State) -> tuple[State, Scheme]:
    """The state by directions, with every negative's similarity that of its optimal hard negative."""
    return state if state.normalize else state.with_normalize(True), Scheme(loop=True)


def loop_data(desk: Desk, now: Scene) -> dict[str, Any]:
    """What the lab's own parts draw.

    Args:
        desk: the visitor's desk.
        now: its state, evaluated.
    """
    return {}


@st.fragment(key=session.BELOW)
def below() -> None:
    """The pairs of two classes as matrices."""
