"""The N-pair lab: tuplets built of the current batch, and three losses that weigh them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from msviz.core.methods import Method
from msviz.core.scheme import Scheme
from msviz.state import State
from msviz.state.npair_lab import WEIGHS, NPairLab
from msviz.ui import session
from msviz.ui.desk import Desk
from msviz.views.scene import Scene


def npair_seen(state: State) -> tuple[State, Scheme]:
    """The state under the lab's three losses, the chosen one first; and how its batch is compared."""
    lab = state.display.npair
    others = tuple(_method(name, lab) for name in WEIGHS if name != lab.weigh)
    scheme = Scheme(pairing=lab.tuplets, classes=lab.n or None, penalty=0.0 if state.normalize else lab.penalty)
    return state.with_method(_method(lab.weigh, lab)).with_others(others), scheme


def _method(name: str, lab: NPairLab) -> Method:
    return Method(name, **({"lam": lab.margin} if name == "triplet" else {}))


def npair_data(desk: Desk, now: Scene) -> dict[str, Any]:
    """What the lab's own parts draw.

    Args:
        desk: the visitor's desk.
        now: its state, evaluated.
    """
    return {}


@st.fragment(key=session.BELOW)
def below() -> None:
    """The curves and the mining of classes."""
