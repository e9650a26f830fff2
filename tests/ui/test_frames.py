"""A frame of a gesture is what the visitor's session would show; whoever asks for nonsense gets a ValueError."""

import json
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
import streamlit as st_
from hypothesis import given, settings
from hypothesis import strategies as st

from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, digits_batch
from msviz.state import History, State, default_state, encode
from msviz.ui import frames, session
from msviz.ui.bench import message
from msviz.ui.desk import Desk
from msviz.ui.frames import MAX_EVENTS, frame
from msviz.ui.layouts import LAYOUTS
from msviz.views.board import scales
from msviz.views.scene import scene
from tests.state.strategies import states
from tests.ui.conftest import Show
from tests.ui.gestures import events
from tests.ui.parcels import Message, desk, event, move, unpack

TRIPLET = State(PRESETS["overlapping"].make(), Method("triplet"))


def _body(state: State, *happened: dict[str, Any]) -> bytes:
    """A request as preview.js writes it."""
    query = urlencode({"pair": "none", **encode(state)})
    return json.dumps({"query": f"?{query}", "events": happened}).encode()


def _frame(state: State, *happened: dict[str, Any]) -> Message:
    return unpack(frame(_body(state, *happened)))


def _agree(one: Message, other: Message) -> None:
    assert one.head == other.head
    for name in ("sim", "gradient", "decision", "images"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


# A frame equals what the session shows


@pytest.mark.parametrize(
    "happened",
    [
        [],
        [move(1, 0, 20, "b1.1")],
        [move(1, 0, 20, "b1.1"), move(2, 0, 200, "b1.1")],
        [event(1, "param", "s1.1", target="beta", value=12.5)],
        [event(1, "param", "s1.1", target="epsilon", value=0.4)],
        [event(1, "remove", target=3), event(2, "add", x=0, y=-1, label=7), move(3, 14, 45, "b3.1")],
        [event(1, "select", anchor=4, other=6), event(2, "show", edges=False, forces=True), move(3, 4, 45, "b3.1")],
        [event(1, "loss", name="binomial"), event(2, "mine", on=False), move(3, 0, 45, "b3.1")],
        [move(1, 0, 20, "b1.1"), event(2, "drop"), move(3, 1, 30, "b3.2")],
        [event(1, "remove", target=3), event(2, "undo"), event(3, "redo")],
        [event(1, "remove", target=99)],
        [move(1, 0, 90, "b1.1"), event(2, "move", "b1.1", target=99, x=1, y=0)],
        [event(1, "param", target="beta", value=-3), move(2, 0, 20, "b1.1")],
        [event(1, "camera", yaw=-90, pitch=5), move(2, 0, 20, "b2.1")],
        [event(1, "flat", on=True), event(2, "move", "b2.1", target=0, x=1.5, y=0.25)],
        [event(1, "dance")],
    ],
    ids=lambda happened: " ".join(it["kind"] for it in happened) or "nothing",
)
@pytest.mark.parametrize("start", [default_state(), TRIPLET.select(4, 6)], ids=["multi_similarity", "triplet"])
def test_a_frame_is_what_the_session_shows_after_the_same_parcel(
    show: Show, start: State, happened: list[dict[str, Any]]
) -> None:
    show(desk(start))
    _agree(_frame(start, *happened), show(desk(start).apply(session.BENCH, happened)))


def test_every_frame_of_a_drag_is_what_the_session_shows(show: Show) -> None:
    held = desk(TRIPLET)
    show(held)
    for seq in range(1, 12):
        step = move(seq, 10, 30 * seq, "b1.1")
        held = held.apply(session.BENCH, [step])
        sent, shown = _frame(TRIPLET, step), show(held)
        assert shown.head.pop("seq") == seq
        assert sent.head.pop("seq") == 1  # a frame knows nothing of the moves before it
        _agree(sent, shown)


def test_every_frame_of_a_slider_is_what_the_session_shows(show: Show) -> None:
    held = desk()
    show(held)
    for seq, beta in enumerate((1, 20, 79.5, 200), 1):
        step = event(seq, "param", "s1.1", target="beta", value=beta)
        held = held.apply(session.STRIP, [step])
        sent, shown = _frame(default_state(), step), show(held)
        assert (sent.head.pop("seq"), shown.head.pop("seq")) == (1, 0)  # the bench's own count
        _agree(sent, shown)


def test_a_point_is_dragged_over_a_sphere(show: Show) -> None:
    start = default_state().with_batch(PRESETS["sphere_sixty_four"].make())
    step = event(1, "move", "b1.1", target=7, x=0.1, y=-0.2, z=0.4)
    show(desk(start))
    _agree(_frame(start, step), show(desk(start).apply(session.BENCH, [step])))


def test_digits_are_dragged_with_their_images(show: Show) -> None:
    start = State(digits_batch([3, 8], 3, seed=1), METHODS["paper"])
    show(desk(start))
    sent = _frame(start, move(1, 2, 100, "b1.1"))
    assert sent.images.size == 6 * 64
    _agree(sent, show(desk(start).apply(session.BENCH, [move(1, 2, 100, "b1.1")])))


@settings(max_examples=60, deadline=None)
@given(states(), st.lists(events(), max_size=5))
def test_whatever_happens_a_frame_is_what_the_session_shows(state: State, happened: list[dict[str, Any]]) -> None:
    numbered = [{**it, "seq": seq} for seq, it in enumerate(happened, 1)]
    after = Desk(History(state)).apply(session.BENCH, numbered)
    now, before = scene(after.state), after.history.before
    scale = scales(scene(state)) if after.open else scales(now)
    _agree(
        _frame(state, *happened), unpack(message(after, now, before and scene(before), scale, LAYOUTS["playground"]))
    )


# While the gesture is open


def test_scales_stand_still_while_a_point_is_dragged() -> None:
    rest, held = _frame(TRIPLET), _frame(TRIPLET, move(1, 10, 60, "b1.1"))
    fits = scales(scene(desk(TRIPLET).apply("b", [move(1, 10, 60, "b1.1")]).state)).weight
    assert held.scale == rest.scale != fits
    assert _frame(TRIPLET, move(1, 10, 60, "b1.1"), event(2, "drop")).scale == fits


def test_the_ghost_stays_where_the_drag_began() -> None:
    x, y = TRIPLET.batch.board[10]
    label = TRIPLET.batch.labels[10]
    for happened in ([move(1, 10, 60, "b1.1")], [move(1, 10, 60, "b1.1"), move(2, 10, 250, "b1.1")]):
        assert _frame(TRIPLET, *happened).head["ghosts"] == [[x, y, label]]
    assert _frame(TRIPLET).head["ghosts"] == []


def test_a_frame_brings_no_words_no_proof_and_the_link_of_the_state_at_rest() -> None:
    start = default_state().with_method(METHODS["paper"])
    rest, held = _frame(start), _frame(start, move(1, 0, 20, "b1.1"))
    assert held.head["texts"] is None
    assert held.head["proof"] == ""
    assert held.head["link"] == rest.head["link"]
    assert rest.head["texts"]


# Nothing is kept


class _Nobody:
    """A session that nobody may touch."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a frame has no session, but asked for its {name}")

    __getitem__ = __setitem__ = __contains__ = __getattr__


def test_frames_know_neither_a_session_nor_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st_, "session_state", _Nobody())
    monkeypatch.setattr(st_, "query_params", _Nobody())
    one, other = _body(TRIPLET, move(1, 0, 20, "b1.1")), _body(TRIPLET, event(1, "remove", target=5))
    first = frame(one)
    frame(other)
    frame(_body(default_state(), event(1, "param", "s1.1", target="beta", value=7)))
    assert frame(one) == first
    frames._start.cache_clear()
    assert frame(one) == first


def test_numbers_that_a_request_brings_do_not_matter() -> None:
    moves = [(move(seq, 0, 20, "b1.1"), move(last, 0, 40, "b1.1")) for seq, last in ((1, 2), (80, 81), (9, 3))]
    assert len({frame(_body(TRIPLET, *pair)) for pair in moves}) == 1


# Requests from anybody


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not JSON",
        b"\xff\xfe\x00",
        b'{"query": "", "events": [',
        b"null",
        b"7",
        b'"query"',
        b"[]",
        b"{}",
        b'{"query": ""}',
        b'{"events": []}',
        b'{"query": null, "events": []}',
        b'{"query": 7, "events": []}',
        b'{"query": ["?beta=80"], "events": []}',
        b'{"query": "", "events": null}',
        b'{"query": "", "events": {}}',
        b'{"query": "", "events": "drop"}',
        b'{"query": "", "events": ["drop"]}',
        b'{"query": "", "events": [null]}',
        b'{"query": "", "events": [[]]}',
        b'{"query": "", "events": [{"kind": "param", "value": 1' + 5000 * b"0" + b"}]}",
        b"[" * 100_000,
        b'{"query": ' + b"[" * 50_000 + b"]" * 50_000 + b', "events": []}',
    ],
    ids=range(23),
)
def test_a_malformed_body_says_what_was_expected(body: bytes) -> None:
    with pytest.raises(ValueError, match=r'^expected JSON \{"query": a text, "events": a list of objects\}$'):
        frame(body)


def test_more_events_than_a_gesture_can_have_are_refused() -> None:
    many = [event(seq, "drop") for seq in range(MAX_EVENTS + 1)]
    assert _frame(default_state(), *many[1:]).head["seq"] == MAX_EVENTS
    with pytest.raises(ValueError, match=r"^expected at most 200 events, got 201$"):
        frame(_body(default_state(), *many))


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"kind": "move"},
        {"kind": "move", "target": 99, "x": 1, "y": 0},
        {"kind": "move", "target": 10**400, "x": 1, "y": 0},
        {"kind": "move", "target": 0, "x": 10**400, "y": 0},
        {"kind": "move", "target": 0, "x": float("nan"), "y": 0},
        {"kind": "add", "x": 1, "y": 0, "label": 10**400},
        {"kind": "remove", "target": "0 or 1"},
        {"kind": "param", "target": "beta", "value": 10**400},
        {"kind": "param", "target": "beta", "value": float("inf")},
        {"kind": "param", "target": "beta", "value": {"a": [1]}},
        {"kind": "param", "target": "delta", "value": 1},
        {"kind": "loss", "name": "no such loss"},
        {"kind": ["move"]},
        {"kind": {"a": "move"}},
    ],
    ids=lambda asked: str(asked)[:50],
)
def test_what_an_event_cannot_have_is_refused_in_the_picture(asked: dict[str, Any]) -> None:
    sent = _frame(default_state(), {"gesture": "b1.1", **asked})
    assert sent.head["change"]["error"]
    assert sent.head["change"]["text"]
    assert np.array_equal(sent.sim, _frame(default_state()).sim)


def test_a_point_that_is_not_there_is_not_selected() -> None:
    for nobody in (99, -1, 10**400):
        head = _frame(default_state(), event(1, "select", anchor=nobody, other=4)).head
        assert head["selection"] == {"anchor": None, "other": None}


def test_a_link_that_cannot_be_read_is_told_in_the_picture() -> None:
    head = unpack(frame(b'{"query": "?beta=forty&batch=two_clean", "events": []}')).head
    assert head["change"]["text"].startswith("The link sets β to forty")
    assert len(head["ids"]) == 8


@pytest.mark.parametrize("field", ["value", "target", "gesture", "kind"])
def test_lists_within_lists_are_refused_however_deep(field: str) -> None:
    asked = {"kind": "param", "gesture": "s1.1", "target": "beta", "value": 7}
    for depth in [*range(940, 1000), 10_000]:  # just below the limit of Python, JSON is read and the event is not
        deep = json.dumps({**asked, field: "@"}).replace('"@"', "[" * depth + "]" * depth)
        _survives(f'{{"query": "", "events": [{deep}, {deep}]}}'.encode())


def test_a_text_that_no_encoding_has_is_no_crash() -> None:
    _survives(b'{"query": "?loss=\\ud800", "events": []}')
    _survives(b'{"query": "", "events": [{"kind": "\\udfff"}]}')


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
_QUERIES = st.text(st.characters(), max_size=30) | st.builds(
    "?{}={}".format,
    st.sampled_from(["points", "batch", "loss", "alpha", "beta", "lam", "epsilon", "pair", "hide"]),
    st.text(max_size=20) | st.floats() | st.integers(),
)
_REQUESTS = st.fixed_dictionaries({"query": _QUERIES | _JSON, "events": st.lists(events() | _JSON, max_size=4) | _JSON})


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60) | (_JSON | _REQUESTS).map(lambda it: json.dumps(it).encode()))
def test_no_request_raises_anything_but_a_value_error(body: bytes) -> None:
    _survives(body)


def _survives(body: bytes) -> None:
    refused = None
    try:
        sent = frame(body)
    except ValueError as error:
        refused = str(error)
    if refused is None:
        assert unpack(sent).head["change"]["text"]
    else:
        assert len(refused.splitlines()) == 1
