"""Events as our components send them, and their messages as the browser reads them."""

import json
import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from msviz.data import Batch
from msviz.state import History, State, default_state
from msviz.ui.desk import Desk


def event(seq: int, kind: str, gesture: str | None = None, **what: Any) -> dict[str, Any]:
    return {"seq": seq, "kind": kind, "gesture": gesture, **what}


def move(seq: int, target: int, degrees: float, gesture: str | None = None) -> dict[str, Any]:
    turn = math.radians(degrees)
    return event(seq, "move", gesture, target=target, x=math.cos(turn), y=math.sin(turn))


def desk(state: State | None = None) -> Desk:
    return Desk(History(default_state() if state is None else state))


def degrees(batch: Batch, id: int) -> float:
    x, y = batch.board[batch.index(id)]
    return math.degrees(math.atan2(y, x)) % 360


@dataclass(frozen=True)
class Message:
    """A message to the bench, taken apart as bench.js does it.

    By the panels' keys: their values and decisions.
    """

    head: dict[str, Any]
    sim: np.ndarray
    gradient: np.ndarray
    decision: np.ndarray
    images: np.ndarray
    panels: dict[str, np.ndarray]
    decisions: dict[str, np.ndarray]

    @property
    def scale(self) -> float:
        """The weight at the end of the colours of w."""
        high: float = next(panel["high"] for panel in self.head["panels"] if panel["key"] == "w")
        return high


def unpack(data: bytes) -> Message:
    (size,) = struct.unpack_from("<I", data)
    head = json.loads(data[4 : 4 + size])
    body, m, shown = data[4 + size :], len(head["ids"]), head["window"]
    at = 0

    def take(kind: str, rows: int, columns: int) -> np.ndarray:
        nonlocal at
        array = np.frombuffer(body, kind, rows * columns, at) if rows and columns else np.zeros(0, kind)
        at += array.nbytes
        return array.reshape(rows, columns)

    part = (
        [len(shown["starts"])] * 2
        if shown["means"]
        else [end - start for start, end in (shown["rows"], shown["columns"])]
    )
    known = m if head["known"] is None else len(head["known"])
    sim, gradient = take("<f4", known, m), take("<f4", known, m)
    panels = {panel["key"]: take("<f4", *part) for panel in head["panels"] if not panel["bytes"]}
    decision = take("u1", known, m)
    code = decision if head["known"] is None else take("u1", *part)
    own = {panel["key"] for panel in head["panels"] if panel["own_decision"]}
    decisions = {panel["key"]: take("u1", *part) if panel["key"] in own else code for panel in head["panels"]}
    for panel in head["panels"]:
        if panel["bytes"]:  # as bench.js does
            panels[panel["key"]] = (take("u1", *part).astype("<f4") - 127) / 127 * panel["high"]
    images = np.frombuffer(body, "u1", -1, at) if len(body) > at else np.zeros(0, "u1")
    return Message(head, sim, gradient, decision, images, panels, decisions)
