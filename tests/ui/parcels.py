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
    """A message to the bench, taken apart as bench.js does it."""

    head: dict[str, Any]
    sim: np.ndarray
    gradient: np.ndarray
    decision: np.ndarray
    images: np.ndarray


def unpack(data: bytes) -> Message:
    (size,) = struct.unpack_from("<I", data)
    head = json.loads(data[4 : 4 + size])
    body, m = data[4 + size :], len(head["ids"])
    count = m * m
    return Message(
        head,
        np.frombuffer(body, "<f4", count).reshape(m, m),
        np.frombuffer(body, "<f4", count, 4 * count).reshape(m, m),
        np.frombuffer(body, "u1", count, 8 * count).reshape(m, m),
        np.frombuffer(body, "u1", -1, 9 * count) if len(body) > 9 * count else np.zeros(0, "u1"),
    )
