"""One desk a visitor: made from the link once, changed by parcels, evaluated once a state."""

from typing import Any

import pytest
import streamlit as st

from msviz.core.methods import METHODS
from msviz.state import default_state
from msviz.ui import session
from msviz.views import scene as scene_module
from msviz.views.board import scales
from tests.ui.parcels import desk, event, move

KEY = "msviz.anything"


@pytest.fixture
def visitor(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The session's memory; st.rerun only writes down what it was asked for."""
    memory: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", memory)
    monkeypatch.setattr(st, "rerun", lambda *what: memory.setdefault("asked", []).append(what))
    session.put(desk())
    return memory


def _parcel(visitor: dict[str, Any], component: str, *events: dict[str, Any]) -> Any:
    """Send a parcel; the fragments that run again: those that were asked for, otherwise the sender's own, by itself."""
    visitor[KEY] = {"parcel": {"events": list(events), "tries": 0}}
    session.on_parcel(component, KEY)()
    ((asked,),) = visitor.pop("asked", [([component],)])
    return set(asked)


def test_a_parcel_is_applied_to_the_desk(visitor: dict[str, Any]) -> None:
    _parcel(visitor, session.BENCH, event(1, "remove", target=0), event(2, "remove", target=1))
    assert session.desk().state.batch.m == 12
    assert session.desk().applied == {session.BENCH: 2}


def test_a_component_that_has_sent_nothing_changes_nothing(visitor: dict[str, Any]) -> None:
    before = session.desk()
    for sent in ({}, {"parcel": None}):
        visitor[KEY] = sent
        session.on_parcel(session.BENCH, KEY)()
    assert session.desk() is before
    assert "asked" not in visitor


def test_a_drag_reruns_the_bench_alone(visitor: dict[str, Any]) -> None:
    assert _parcel(visitor, session.BENCH, move(1, 0, 20, "b1.1")) == {session.BENCH}
    assert _parcel(visitor, session.BENCH, event(2, "drop")) == {session.BENCH}
    assert _parcel(visitor, session.BENCH, event(3, "undo")) == {session.BENCH}


def test_what_the_sender_shows_by_itself_is_not_asked_for(visitor: dict[str, Any]) -> None:
    visitor[KEY] = {"parcel": {"events": [move(1, 0, 20, "b1.1")], "tries": 0}}
    session.on_parcel(session.BENCH, KEY)()
    assert "asked" not in visitor


def test_what_changes_the_method_reruns_the_controls_too(visitor: dict[str, Any]) -> None:
    both = {session.STRIP, session.BENCH}
    assert _parcel(visitor, session.STRIP, event(1, "param", target="beta", value=80)) == both
    assert _parcel(visitor, session.BENCH, event(1, "undo")) == both


def test_a_refused_field_of_the_strip_is_shown_by_both(visitor: dict[str, Any]) -> None:
    asked = _parcel(visitor, session.STRIP, event(1, "param", target="beta", value=-3))
    assert asked == {session.STRIP, session.BENCH}
    assert [error.key for error in session.desk().errors] == ["error.parameter_range"]


@pytest.mark.usefixtures("visitor")
def test_a_state_is_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated = []

    def counting(*asked: Any) -> Any:
        evaluated.append(asked)
        return scene_module.scene(*asked)

    monkeypatch.setattr(session, "scene", counting)
    first, none = session.scenes()
    assert none is None
    assert session.scenes()[0] is first
    session.put(session.desk().apply("x", [event(1, "remove", target=0)]))
    now, before = session.scenes()
    assert before is first
    assert now.m == 13
    assert len(evaluated) == 2


@pytest.mark.usefixtures("visitor")
def test_a_scene_is_never_the_one_of_another_state() -> None:
    for seq in range(1, 6):  # states come and go, and with them their addresses in memory
        session.put(session.desk().apply("x", [move(seq, 0, 8 + seq, "b1.1")]))
        now, before = session.scenes()
        assert now.state is session.desk().state
        assert before is not None
        assert before.state is session.desk().history.before


@pytest.mark.usefixtures("visitor")
def test_scales_are_kept_while_a_gesture_is_open() -> None:
    session.put(desk(default_state().with_method(METHODS["binomial"])))
    start = session.scenes()[0]
    assert session.scale(start) == scales(start)
    session.put(session.desk().apply("c", [event(1, "param", "c1.1", target="beta", value=10)]))
    during = session.scenes()[0]
    assert scales(during) != scales(start)
    assert session.scale(during) == scales(start)
    session.put(session.desk().apply("c", [event(2, "drop")]))
    assert session.scale(during) == scales(during)


def test_a_widgets_value_is_found_by_its_key(visitor: dict[str, Any]) -> None:
    visitor["k"] = 3
    assert session.widget("k") == 3
    assert session.widget("none", 7) == 7
