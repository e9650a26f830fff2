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

    By the panels' keys: their values, and the decisions of those that have their own.
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
    body, m = data[4 + size :], len(head["ids"])
    at = 0

    def take(kind: str) -> np.ndarray:
        nonlocal at
        array = np.frombuffer(body, kind, m * m, at) if m else np.zeros(0, kind)
        at += array.nbytes
        return array.reshape(m, m)

    sim, gradient = take("<f4"), take("<f4")
    panels = {panel["key"]: take("<f4") for panel in head["panels"]}
    decision = take("u1")
    decisions = {panel["key"]: take("u1") for panel in head["panels"] if panel["own_decision"]}
    images = np.frombuffer(body, "u1", -1, at) if len(body) > at else np.zeros(0, "u1")
    return Message(head, sim, gradient, decision, images, panels, decisions)
