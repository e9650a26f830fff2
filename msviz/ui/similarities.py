"""The Similarities page: the pair's line on the bench; Figure 2 and Table 1 below it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from msviz.text import say
from msviz.ui.desk import Desk
from msviz.views.pairline import pair_line
from msviz.views.scene import Scene


def pair_line_data(desk: Desk, now: Scene) -> dict[str, Any]:
    """What assets/pairline.js draws: the selected pair with everything that it is compared to, or None.

    Args:
        desk: the visitor's desk.
        now: its state, evaluated.
    """
    line = pair_line(now)
    if line is None:
        return {"pairline": None}
    words = [(role, say(sentence)) for role, sentence in line.sentences]
    return {"pairline": {**asdict(line), "sentences": words}}
