"""Frames of a gesture under way: a picture for a link and a few events, without a session and without a script run.

A run of a fragment costs Streamlit and the browser more than the core, many times a second and for every student in the
hall. So while a point is dragged or a slider moved, the component asks here. Nothing is kept: the same link and events
give the same bytes. When the gesture ends it goes through the session as every other event does.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Final
from urllib.parse import parse_qsl

from msviz.state import History, decode
from msviz.ui import session
from msviz.ui.bench import message
from msviz.ui.desk import Desk
from msviz.ui.layouts import LAYOUTS, Layout
from msviz.views.board import Scales, scales
from msviz.views.scene import Scene, scene

MAX_EVENTS: Final = 200
LARGE: Final = 128  # points: the matrices of larger batches are not kept for hundreds of visitors


def frame(body: bytes) -> bytes:
    """The picture after some events.

    Args:
        body: JSON, {"query": a link's query, "events": as `Desk.apply` takes them, in order, "page": a name in
            `LAYOUTS`, by default the playground}.

    Returns:
        What `msviz.ui.bench.message` gives.

    Raises:
        ValueError: the body is not of that form. What one event asks for and cannot have is refused in the picture.

    Example:
        >>> frame(b'{"query": "?batch=one_point", "events": []}') == frame(b'{"query": "", "events": []}')
        False
    """
    layout, query, events = _request(body)
    desk, start, scale = _start(query, layout.page) or _start_large(query, layout.page)
    first = desk.state
    try:
        desk = desk.apply(session.BENCH, events)
    except RecursionError as error:
        raise ValueError("expected events that hold numbers and names, got lists within lists") from error
    *before, now = session.seen_alike(desk.history)
    alike = desk.history.before is first and desk.state.display == first.display
    earlier = [start if alike else scene(*layout.seen(state)) for state in before]
    shown = scene(*layout.seen(now))
    return message(desk, shown, earlier[0] if earlier else None, scale if desk.open else scales(shown), layout)


def _request(body: bytes) -> tuple[Layout, str, list[dict[str, Any]]]:
    """The page's layout, the query and the events, numbered from 1."""
    try:
        request = json.loads(body)
        layout, query, events = LAYOUTS[request.get("page", "playground")], request["query"], request["events"]
        if not isinstance(query, str) or not isinstance(events, list):
            raise TypeError
        numbered = [{**event, "seq": at} for at, event in enumerate(events, 1)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError('expected JSON {"query": a text, "events": a list of objects}') from error
    if len(numbered) > MAX_EVENTS:
        raise ValueError(f"expected at most {MAX_EVENTS} events, got {len(numbered)}")
    return layout, query, numbered


Start = tuple[Desk, Scene, Scales]


@lru_cache(maxsize=256)
def _start(query: str, page: str) -> Start | None:
    """Where a gesture begins, the same for all its frames; None for a large batch."""
    desk = _desk(query)
    return None if desk.state.batch.m > LARGE else _begin(desk, page)


@lru_cache(maxsize=2)
def _start_large(query: str, page: str) -> Start:
    """The same for large batches: of 512 points it is 20 MB, so few are kept."""
    return _begin(_desk(query), page)


def _desk(query: str) -> Desk:
    state, errors = decode(dict(parse_qsl(query.removeprefix("?"))))
    return Desk(History(state), errors=tuple(errors))


def _begin(desk: Desk, page: str) -> Start:
    first = scene(*LAYOUTS[page].seen(desk.state))
    return desk, first, scales(first)
