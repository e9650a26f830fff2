"""Small scenes whose similarities are known: cosines of whole angles, or rows of given similarities."""

import math
from collections.abc import Sequence

from msviz.core.methods import METHODS, Method
from msviz.data import Batch
from msviz.state import State
from msviz.text import Message, say
from msviz.views.scene import Scene, scene

MS = METHODS["authors"]  # multi-similarity, alpha 2, beta 40, lambda .5, epsilon .1


def cos(degrees: float) -> float:
    return math.cos(math.radians(degrees))


def circle(degrees: Sequence[float], labels: Sequence[int], method: Method = MS) -> State:
    """A state with points at these angles; the board's grid moves each by at most .002 degrees."""
    board = [[math.cos(math.radians(angle)), math.sin(math.radians(angle))] for angle in degrees]
    return State(Batch.of(board, labels), method)


def on_circle(
    degrees: Sequence[float],
    labels: Sequence[int],
    method: Method = MS,
    select: tuple[int | None, int | None] = (None, None),
) -> Scene:
    return scene(circle(degrees, labels, method).select(*select))


def one_anchor(
    positives: Sequence[float],
    negatives: Sequence[float],
    method: Method = MS,
    select: tuple[int | None, int | None] = (None, None),
) -> Scene:
    """A scene whose point 0 has exactly these similarities, first its positives, then its negatives.

    In four dimensions, so that no grid rounds them; the board is only a picture.
    """
    sims = [1.0, *positives, *negatives]
    x = [[s, math.sqrt(1 - s * s), 0.0, 0.0] for s in sims]
    labels = [0] * (1 + len(positives)) + [1] * len(negatives)
    return scene(State(Batch.of([row[:2] for row in x], labels, x=x), method).select(*select))


def reference(method: Method = MS, select: tuple[int | None, int | None] = (None, None)) -> Scene:
    """The reference anchor: positives 1 (.82) and 2 (.65), negatives 3 (.62) and 4 (.30)."""
    return one_anchor([0.82, 0.65], [0.62, 0.30], method, select)


def keys(messages: Sequence[Message]) -> list[str]:
    """The keys of messages, each of which can be said."""
    for message in messages:
        assert say(message)
    return [message.key for message in messages]
