"""The only user of `st.session_state` and `st.query_params`: one desk a visitor, begun from the link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from msviz.core.scheme import Scheme
from msviz.state import History, State
from msviz.ui.desk import Desk
from msviz.views.board import Scales, scales
from msviz.views.scene import Scene, as_it_is, counted, scene

STRIP: Final = "strip"  # the fragments of a page
BENCH: Final = "bench"
BELOW: Final = "below"  # pictures under the bench, on the pages that have them
TABLE: Final = "table1"
_DESK: Final = "msviz.desk"
_SCENES: Final = "msviz.scenes"
_SCALES: Final = "msviz.scales"


def desk() -> Desk:
    """The visitor's desk; on the first call of a session it is made from the link."""
    if _DESK not in st.session_state:
        st.session_state[_DESK] = Desk.begin(query())
    found: Desk = st.session_state[_DESK]
    return found


def query() -> dict[str, str]:
    """The query parameters of the address."""
    return dict(st.query_params.to_dict())


def put(new: Desk) -> None:
    """Make a desk the visitor's."""
    st.session_state[_DESK] = new


def on_parcel(component: str, key: str, below: bool = False) -> Callable[[], None]:
    """The callback of a component: applies the parcel of events that it sent, and reruns what shows them.

    Args:
        component: STRIP or BENCH.
        key: the component's key in the session.
        below: the page has a fragment BELOW, which shows the same state.
    """

    def receive() -> None:
        parcel: dict[str, Any] | None = st.session_state[key].get("parcel")
        if not parcel:
            return
        before = desk().state
        put(desk().apply(component, parcel["events"]))
        shown = [BENCH, STRIP] if component == STRIP or desk().state.method != before.method else []
        if below and desk().state != before:
            shown = [*(shown or [BENCH]), BELOW]
        if shown:
            st.rerun(shown)
        # otherwise the bench alone, by itself: a rerun asked for here costs a round of its own in every frame

    return receive


def scenes(seen: Callable[[State], tuple[State, Scheme]] = as_it_is) -> tuple[Scene, Scene | None]:
    """The scene now and the one before the last gesture, each evaluated once.

    Args:
        seen: how the page evaluates a state, of its `Layout`.
    """
    history, known = desk().history, st.session_state.get(_SCENES, [])
    wanted = [seen(state) for state in seen_alike(history)]
    found = [_among(known, *it) for it in wanted]
    # What nobody wants any more goes first: of thousands of points it is hundreds of megabytes.
    st.session_state[_SCENES] = known = [it for it in found if it is not None]
    *before, now = made = [it or scene(*asked) for it, asked in zip(found, wanted, strict=True)]
    st.session_state[_SCENES] = made
    for it in before if not desk().open else ():
        it.make_room_for(now)
    return now, before[0] if before else None


def seen_alike(history: History) -> tuple[State, ...]:
    """The state before the last gesture, if any, and the one now, both with what is chosen in a lab now."""
    before, now = history.before, history.present
    if before is None:
        return (now,)
    chosen = now.display.npair
    alike = before.display.npair == chosen
    return before if alike else before.with_display(before.display.replace(npair=chosen)), now


def _among(known: list[Scene], state: State, scheme: Scheme) -> Scene | None:
    scheme = counted(state, scheme)
    alike = (it for it in known if it.scheme == scheme and (it.state is state or it.state.same_work(state)))
    found = next(alike, None)
    return found if found is None or found.state is state else found.shown_as(state)


def scale(now: Scene) -> Scales:
    """The scales to draw with: those of the beginning while a gesture is under way, otherwise those that fit."""
    kept: Scales | None = st.session_state.get(_SCALES)
    if kept is None or not desk().open:
        kept = scales(now)
        st.session_state[_SCALES] = kept
    return kept


def look(kind: str, *also: str, **what: Any) -> None:
    """Apply an event of a Streamlit widget under the bench; only in its callback. Bench (its link) and pictures follow.

    Args:
        kind: of an event that `Desk.apply` knows.
        also: fragments that show it, beside those two.
        what: it needs.
    """
    now = desk()
    put(now.apply(BELOW, [{"seq": now.applied.get(BELOW, 0) + 1, "kind": kind, "gesture": None, **what}]))
    st.rerun([BENCH, BELOW, *also])


def show(key: str, value: Any) -> None:
    """Let a Streamlit widget show what the state says; before the widget is made. It stays the same element."""
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def widget(key: str, default: Any = None) -> Any:
    """The value of a Streamlit widget by its key."""
    return st.session_state.get(key, default)


def keep(key: str, value: Any) -> None:
    """Keep something for the visitor beside the desk, such as a run; `widget` finds it again."""
    st.session_state[key] = value
