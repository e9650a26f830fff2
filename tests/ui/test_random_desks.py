"""Whatever a visitor does, in any order: the desk stays whole, its link restores it, and the page can be drawn."""

from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
import streamlit as st_
from hypothesis import given, settings
from hypothesis import strategies as st

from msviz.core.losses import LOSSES
from msviz.core.methods import METHODS
from msviz.data import MAX_POINTS
from msviz.state import History, decode, encode
from msviz.text import say_error
from msviz.ui import bench, session, strip
from msviz.ui.desk import Desk
from tests.state.strategies import states
from tests.ui.parcels import unpack

_NUMBERS = st.floats() | st.integers(-5, 300) | st.floats(-2, 2)
_ODD = st.none() | st.text(max_size=4) | st.lists(st.integers(), max_size=2) | _NUMBERS
_POINTS = st.integers(-1, 70) | _ODD
_CLASSES = st.integers(0, 11) | _ODD
_PARAMS = st.sampled_from(["alpha", "beta", "lam", "epsilon", "name", "loss_name"]) | _ODD
_WHAT: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "move": {"target": _POINTS, "x": _NUMBERS, "y": _NUMBERS},
    "add": {"x": _NUMBERS, "y": _NUMBERS, "label": _CLASSES},
    "remove": {"target": _POINTS},
    "label": {"target": _POINTS, "label": _CLASSES},
    "select": {"anchor": st.none() | _POINTS, "other": st.none() | _POINTS},
    "show": {"edges": st.booleans(), "forces": st.booleans()},
    "loss": {"name": st.sampled_from(list(LOSSES)) | _ODD},
    "preset": {"slug": st.sampled_from(list(METHODS)) | _ODD},
    "param": {"target": _PARAMS, "value": _NUMBERS | _ODD},
    "mine": {"on": st.booleans()},
    "drop": {},
    "undo": {},
    "redo": {},
    "dance": {},
}


@st.composite
def _events(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(list(_WHAT)))
    what = {name: draw(values) for name, values in _WHAT[kind].items()}
    if what and draw(st.integers(0, 19)) == 0:
        del what[draw(st.sampled_from(sorted(what)))]
    return {"kind": kind, "gesture": draw(st.none() | st.sampled_from(["b1.1", "b2.2"])), **what}


@settings(max_examples=60)
@given(states(), st.lists(st.tuples(st.sampled_from("bc"), _events()), max_size=8))
def test_any_events_leave_a_desk_that_can_be_linked_and_drawn(
    state: Any, happened: list[tuple[str, dict[str, Any]]]
) -> None:
    desk = Desk(History(state))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st_, "session_state", {})
        for seq, (component, event) in enumerate(happened, start=1):
            before, desk = desk, desk.apply(component, [{**event, "seq": seq}])
            assert desk.applied[component] == seq
            assert desk.state.batch.m <= MAX_POINTS
            if desk.errors and desk.errors is not before.errors:
                assert desk.state is before.state
                assert all(say_error(error) for error in desk.errors)
            _draw(desk)
    restored, errors = decode(dict(parse_qsl(urlencode(encode(desk.state)), keep_blank_values=True)))
    assert errors == ()
    assert restored == desk.state


def _draw(desk: Desk) -> None:
    session.put(desk)
    now, before = session.scenes()
    sent = unpack(bench.message(desk, now, before, session.scale(now)))
    assert sent.head["ids"] == list(desk.state.batch.ids)
    looks = sent.head["looks"]
    assert all(str(label) in looks for label in [*sent.head["labels"], *(label for *_, label in sent.head["ghosts"])])
    assert strip.message(desk)["method"]["loss"] == desk.state.method.name
