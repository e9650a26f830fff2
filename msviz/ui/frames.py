"""Frames of a gesture under way: a picture for a link and a few events, without a session and without a script run.

A run of a fragment costs Streamlit and the browser more than the core, many times a second and for every student in the
hall. So while a point is dragged or a slider moved, the component asks here. Nothing is kept: the same link and events
give the same bytes. When the gesture ends it goes through the session as every other event does.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qsl

from msviz.state import History, decode
from msviz.ui import session
from msviz.ui.bench import message
from msviz.ui.desk import Desk
from msviz.views.board import Scales, scales
from msviz.views.scene import Scene, scene

MAX_EVENTS: Final = 200


def frame(body: bytes) -> bytes:
    """The picture after some events.

    Args:
        body: JSON, {"query": a link's query, "events": events as `Desk.apply` takes them, in order}.

    Returns:
        What `msviz.ui.bench.message` gives.

    Raises:
        ValueError: the body is not of that form.

    Example:
        >>> frame(b'{"query": "?batch=one_point", "events": []}')[:4] == frame(b'{"query": "", "events": []}')[:4]
        False
    """
    try:
        request = json.loads(body)
        query, events = str(request["query"]), list(request["events"])
        numbered = [{**event, "seq": at} for at, event in enumerate(events, 1)]
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError("expected {query, events}") from error
    if len(numbered) > MAX_EVENTS:
        raise ValueError(f"expected at most {MAX_EVENTS} events, got {len(numbered)}")
    desk, start, scale = _start(query)
    desk = desk.apply(session.BENCH, numbered)
    before = desk.history.before
    earlier = start if before is start.state else before and scene(before)
    return message(desk, scene(desk.state), earlier, scale)


@lru_cache(maxsize=256)
def _start(query: str) -> tuple[Desk, Scene, Scales]:
    """Where a gesture begins: the same for all its frames."""
    state, errors = decode(dict(parse_qsl(query.removeprefix("?"))))
    first = scene(state)
    return Desk(History(state), errors=tuple(errors)), first, scales(first)
