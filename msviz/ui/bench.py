"""The bench: board, matrices, readouts and inspector of the current batch, in one component."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any, Final
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from msviz.core.errors import MsvizError
from msviz.core.gpw import proof
from msviz.data.datasets import digit_images
from msviz.state import State, encode
from msviz.text import catalogue, number, percent, say, say_error
from msviz.ui import session
from msviz.ui.board import board_head
from msviz.ui.components import component, pack
from msviz.ui.desk import Desk
from msviz.ui.layouts import LAYOUTS, Layout
from msviz.views.blocks import window
from msviz.views.board import Scales
from msviz.views.change import ChangeView, change_view
from msviz.views.in_blocks import DENSE
from msviz.views.inspector import inspector_view
from msviz.views.matrices import decisions, matrix_view
from msviz.views.panels import Panel
from msviz.views.readouts import Readouts, readouts
from msviz.views.remedy import remedies
from msviz.views.scene import Scene

KEY: Final = "msviz.bench"
MANY: Final = 32  # points, from which on cells are too small for numbers


@st.fragment(key=session.BENCH)
def bench(page: str) -> None:
    """Show the bench of the visitor's desk.

    Args:
        page: whose parts and matrices, a name in `LAYOUTS`.
    """
    desk, key = session.desk(), f"{KEY}.{page}"
    now, before = session.scenes(LAYOUTS[page].seen)
    data = message(desk, now, before, session.scale(now), LAYOUTS[page])
    component("bench")(key=key, data=data, on_parcel_change=session.on_parcel(session.BENCH, key, LAYOUTS[page].below))


def message(desk: Desk, now: Scene, before: Scene | None, scale: Scales, layout: Layout, **instead: Any) -> bytes:
    """What the browser draws, as bytes: a header, then matrices, decisions and digit images (see assets/bench.js).

    Args:
        desk: whose state `now` shows.
        now: the desk's state, evaluated.
        before: the state before its last gesture, evaluated; None when nothing has happened.
        scale: what colours and arrows are drawn to.
        layout: the page.
        instead: parts of the header that somebody knows better.
    """
    every = (layout.rows or not desk.open) and window(now.state).starts is None
    matrices, change = matrix_view(now, every), change_view(before, now)
    panels = layout.panels(now, scale)
    coarse = desk.open and now.m >= MANY
    shown = window(now.state)
    head: dict[str, Any] = {
        "page": layout.page,
        "parts": layout.parts,
        "panels": [{**_panel(panel), "bytes": _in_bytes(panel, coarse)} for panel in panels],
        "more": layout.more(desk, now),
        "seq": desk.applied.get(session.BENCH, 0),
        "texts": None if desk.open else catalogue("js."),  # while something moves the browser has them already
        "method": now.state.method.name,
        "order": matrices.order,
        "epsilon": now.state.method.epsilon,
        "bounds": _bounds(now),
        "window": {
            "means": shown.means,
            "starts": shown.starts,
            "rows": [shown.rows.start, shown.rows.stop],
            "columns": [shown.columns.start, shown.columns.stop],
        },
        "known": None if every else matrices.known,
        "changed": [] if shown.means else np.flatnonzero(change.changed[shown.cells]).tolist(),
        "proof": _proof(now, desk.open),
        **({} if "link" in instead else _way_back(desk)),
        **board_head(now, change, scale),
        **_words(desk, now, change),
        **instead,
    }
    images, head["pictures"] = _pictures(now)
    values = [panel.values for panel in panels if not _in_bytes(panel, coarse)]
    levels = [panel.levels for panel in panels if _in_bytes(panel, coarse)]
    decided = [matrices.decision, *([] if every else [shown.decisions(decisions(now))])]
    decided += [panel.decision for panel in panels if panel.decision is not None]
    return pack(head, matrices.sim, matrices.gradient, *values, *decided, *levels, images)


def _in_bytes(panel: Panel, coarse: bool) -> bool:
    """Whether a panel's numbers are sent as `Panel.levels`: a quarter of the bytes, many times a second."""
    return coarse and panel.kind in ("w", "d") and panel.curve == "linear"


def _panel(panel: Panel) -> dict[str, Any]:
    return {
        "key": panel.key,
        "kind": panel.kind,
        "title": say(panel.title),
        "hint": say(panel.hint),
        "low": panel.low,
        "high": panel.high,
        "own_decision": panel.decision is not None,
        "times": panel.times,
        "curve": panel.curve,
        "note": panel.note and say(panel.note),
        "ends": panel.ends and [say(end, scale="{scale}") for end in panel.ends],
        "named": panel.named,
    }


def _bounds(now: Scene) -> list[tuple[float | None, int, float | None, int]]:
    """For every anchor: its hardest positive's S and id, its hardest negative's S and id; None and -1 when absent."""
    ids = now.state.batch.ids
    columns = (now.bounds.hardest_pos, now.bounds.hardest_pos_at, now.bounds.hardest_neg, now.bounds.hardest_neg_at)

    def finite(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return [
        (finite(least), ids[at] if at >= 0 else -1, finite(most), ids[most_at] if most_at >= 0 else -1)
        for least, at, most, most_at in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _words(desk: Desk, now: Scene, change: ChangeView) -> dict[str, Any]:
    numbers = readouts(now)
    view = inspector_view(now)
    equation = view.equation and {
        "name": view.name,
        "factor": [vars(term) for term in view.equation.factor],
        "numerator": [vars(term) for term in view.equation.numerator],
        "denominator": [vars(term) for term in view.equation.denominator],
        "result": number(view.equation.value, 3),
        "legend": [{"role": role, "name": role, "text": say(words)} for role, words in view.legend],
    }
    return {
        "readouts": _readouts(now, numbers),
        **_why_nothing(desk, numbers),
        "change": {"text": change_line(desk, change), "error": bool(desk.errors)},
        "inspector": {"title": say(view.title), "lines": [say(line) for line in view.lines], "equation": equation},
    }


def _why_nothing(desk: Desk, numbers: Readouts) -> dict[str, Any]:
    """Why nothing weighs anything or moves, and what one click could do; while something moves the buttons stay."""
    why = numbers.why_zero or numbers.why_still
    offered = remedies(desk.state) if why and not desk.open else ()
    labels = [", ".join(map(say, remedy.steps)) for remedy in offered]
    return {"why_zero": why and say(why), "remedies": None if desk.open else labels}


def _readouts(now: Scene, numbers: Readouts) -> list[tuple[str, str]]:
    mined = "readout.kept" if now.state.method.epsilon is not None else "readout.kept.off"
    loss = "readout.loss" if now.state.method.loss.separable else "readout.loss.batch"
    pair = numbers.heaviest or (0, 0)
    heaviest = "readout.share" if numbers.heaviest else "readout.share.none"
    return [
        (number(numbers.loss, 4), say(loss, m=now.m)),
        (
            f"{number(numbers.kept_positives)} + {number(numbers.kept_negatives)}",
            say(mined, positives=numbers.positives, negatives=numbers.negatives),
        ),
        (_share(numbers), say(heaviest, anchor=pair[0], other=pair[1])),
        (number(numbers.violations), say("readout.violations")),
    ]


def _share(numbers: Readouts) -> str:
    if numbers.heaviest is None:
        return "–"
    return f"< {percent(0.001)}" if numbers.share < 0.001 else percent(numbers.share)


def change_line(desk: Desk, change: ChangeView) -> str:
    """The one line: what was refused, or what the last gesture changed, or what to do first."""
    if desk.errors:
        return " ".join(say_error(error) for error in desk.errors)
    if not change.actions:
        return say("change.nothing")
    actions, effects = change.actions[:3], change.effects
    more = [say("change.more", count=len(change.actions) - 3)] if len(change.actions) > 3 else []
    what = ", ".join([say(action) for action in actions] + more)
    return f"{what}: {'; '.join(say(effect) for effect in effects)}." if effects else f"{what}."


def _proof(now: Scene, moving: bool) -> str:
    """The proof line; while something moves it would be a frame behind, and for thousands of points take seconds."""
    if moving or not 0 < now.m <= DENSE:
        return ""
    worst = proof(now.sim, now.pairs, now.state.method)
    return say("js.w.proof", difference=number(worst, 2))


def _pictures(now: Scene) -> tuple[np.ndarray, list[int] | None]:
    digits = now.state.batch.digits
    if digits is None:
        return np.zeros(0, dtype=np.uint8), None
    used = sorted({digit for digit in digits if digit >= 0})
    place = {digit: at for at, digit in enumerate(used)}
    return digit_images()[used], [place.get(digit, -1) for digit in digits]


def _way_back(desk: Desk) -> dict[str, Any]:
    return {"can_undo": desk.history.can_undo, "can_redo": desk.history.can_redo, "link": _link(desk)}


def _link(desk: Desk) -> dict[str, str | None]:
    """The query that restores the state; during a gesture the one from before it, so that nothing is sent for it.

    Beside it the query of what a first visitor sees, which an address need not hold.
    """
    state = desk.history.before if desk.open and desk.history.before is not None else desk.state
    first = _query(_first_state())
    try:
        return {"query": _query(state), "first": first, "refused": None}
    except MsvizError as error:
        return {"query": None, "first": first, "refused": say_error(error)}


@cache
def _first_state() -> State:
    return Desk.begin({}).state


@lru_cache(maxsize=64)  # the same in every frame of a gesture
def _query(state: State) -> str:
    # The pair is always said, so that a preset's own pair does not take its place.
    return f"?{urlencode({'pair': 'none', **encode(state)})}"
