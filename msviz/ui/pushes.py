"""What the board of the Weights page draws besides: an arrow for each pair of the selected point (assets/pushes.js)."""

from __future__ import annotations

import math
from typing import Any

from msviz.text import say
from msviz.ui.desk import Desk
from msviz.views.pushes import pushes_view
from msviz.views.scene import Scene


def pushes_data(desk: Desk, now: Scene) -> dict[str, Any]:
    """The pushes for the browser; it finds them as head.more.pushes, None while no point is selected.

    Args:
        desk: whose state `now` shows.
        now: the evaluated state.
    """
    view = pushes_view(now)
    if view is None:
        return {"pushes": None}
    longest = max(math.hypot(*step) for step in (view.total, *(push.step for push in view.pushes))) or 1.0
    return {
        "pushes": {
            "anchor": view.anchor,
            "rows": [
                {
                    "name": say("board.pushes.rest", count=view.left) if push.other is None else str(push.other),
                    "positive": push.positive,
                    "step": [value / longest for value in push.step],
                }
                for push in view.pushes
            ],
            "total": [value / longest for value in view.total],
        }
    }
