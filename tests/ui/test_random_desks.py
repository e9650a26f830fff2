"""Whatever a visitor does, in any order: the desk stays whole, its link restores it, and the page can be drawn."""

from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
import streamlit as st_
from hypothesis import given, settings
from hypothesis import strategies as st

from msviz.data import MAX_POINTS
from msviz.state import History, decode, encode
from msviz.text import say_error
from msviz.ui import bench, session, strip
from msviz.ui.desk import Desk
from msviz.ui.layouts import LAYOUTS
from tests.state.strategies import states
from tests.ui.gestures import events
from tests.ui.parcels import unpack


@settings(max_examples=60)
@given(states(), st.lists(st.tuples(st.sampled_from("bc"), events()), max_size=8))
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
    sent = unpack(bench.message(desk, now, before, session.scale(now), LAYOUTS["playground"]))
    assert sent.head["ids"] == list(desk.state.batch.ids)
    looks = sent.head["looks"]
    assert all(str(label) in looks for label in [*sent.head["labels"], *(label for *_, label in sent.head["ghosts"])])
    assert strip.message(desk)["method"]["loss"] == desk.state.method.name
