"""The events that change what is shown, and neither batch nor methods: no steps of the history, and no gestures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msviz.core.figure2 import Case
from msviz.state import SHARES, Display, State


def _select(state: State, event: Mapping[str, Any]) -> State:
    anchor, other = event["anchor"], event["other"]
    return state.select(None if anchor is None else int(anchor), None if other is None else int(other))


def _show(state: State, event: Mapping[str, Any]) -> State:
    display: Display = state.display.replace(edges=bool(event["edges"]), forces=bool(event["forces"]))
    return state.with_display(display.replace(per_pair=bool(event.get("per_pair", display.per_pair))))


def _camera(state: State, event: Mapping[str, Any]) -> State:
    """From where the sphere is seen: whole degrees; the longitude may go round and round."""
    yaw, pitch = int(event["yaw"]), int(event["pitch"])
    return state.with_display(state.display.replace(camera=((yaw + 180) % 360 - 180, pitch)))


def _shares(state: State, event: Mapping[str, Any]) -> State:
    if event["how"] not in SHARES:
        raise ValueError
    return state.with_display(state.display.replace(shares=event["how"]))


def _versus(state: State, event: Mapping[str, Any]) -> State:
    """The two compared methods whose difference is drawn, counted from 1."""
    return state.with_display(state.display.replace(versus=(int(event["one"]), int(event["two"]))))


def _zoom(state: State, event: Mapping[str, Any]) -> State:
    """The block of a large batch that is shown cell by cell, named by a pair in it; or all blocks."""
    anchor, other = event["anchor"], event["other"]
    zoom = None if anchor is None else (int(anchor), int(other))
    return state.with_display(state.display.replace(zoom=zoom))


def _watch(state: State, event: Mapping[str, Any]) -> State:
    """What is watched under Figure 2: each of its fields that the event names."""
    watched = state.display.figure2
    if "case" in event:
        watched = watched.replace(case=Case(event["case"]))
    if "whose" in event:
        watched = watched.replace(whose=event["whose"])
    if "methods" in event:
        watched = watched.replace(methods=tuple(event["methods"]))
    if "step" in event:
        watched = watched.replace(step=int(event["step"]))
    return state.with_display(state.display.replace(figure2=watched))


def _measure(state: State, event: Mapping[str, Any]) -> State:
    """Table 1 on other random anchors."""
    return state.with_display(state.display.replace(table1_seed=int(event["seed"])))


def _npair(state: State, event: Mapping[str, Any]) -> State:
    """What is chosen in the N-pair lab: `target` becomes `value`."""
    chosen = state.display.npair.replace(**{str(event["target"]): event["value"]})
    return state.with_display(state.display.replace(npair=chosen))


LOOKS: Final[Mapping[str, Callable[[State, Mapping[str, Any]], State]]] = {
    "select": _select,
    "show": _show,
    "camera": _camera,
    "shares": _shares,
    "versus": _versus,
    "zoom": _zoom,
    "watch": _watch,
    "measure": _measure,
    "npair": _npair,
}
"""Each kind of event with what it makes of a state."""
