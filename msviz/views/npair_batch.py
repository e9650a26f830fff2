"""Batches for the N-pair lab that have enough points for each kind of tuplets: N classes of N + 1 on the circle."""

from __future__ import annotations

from typing import Final

import numpy as np

from msviz.core.npair import members
from msviz.data import Batch, Source
from msviz.state import State
from msviz.state.npair_lab import BUILDS

OFFERED: Final = (2, 3, 4, 5, 6, 8)
"""Of how many classes a batch can be drawn."""
NAME: Final = "tuplets"
APART: Final = 72.0  # degrees between neighbouring classes, where there are few; many share the circle
SPREAD: Final = 0.42  # of a class, in units of that distance: neighbours overlap, and some anchors are violated


def tuplet_batch(n: int, seed: int) -> Batch:
    """N classes of N + 1 points, around centres on the circle, in an order of chance: the first one of a class is its
    anchor.

    Args:
        n: N, one of `OFFERED`.
        seed: of the points, >= 0; equal seeds, equal points.

    Raises:
        ValueError: a number that is not offered.

    Example:
        >>> batch = tuplet_batch(3, seed=0)
        >>> batch.m, batch.classes, batch.source.note
        (12, (0, 1, 2), {'classes': 3, 'seed': 0})
    """
    if n not in OFFERED:
        raise ValueError(f"a batch of {', '.join(map(str, OFFERED))} classes can be drawn, got {n}")
    apart, count = min(APART, 360 / n), max(members(build, n) for build in BUILDS)
    rng = np.random.RandomState([seed, n])  # its stream is frozen for good, default_rng's is not
    centres = 90 + apart * ((n - 1) / 2 - np.arange(n))
    angles = np.radians(rng.normal(centres[:, None], SPREAD * apart, (n, count))).ravel()
    board = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return Batch.of(board, np.repeat(np.arange(n), count), source=Source("hand", NAME, {"classes": n, "seed": seed}))


def with_tuplet_batch(state: State, n: int) -> State:
    """The state with such a batch, all of whose classes take part; asked again, with other points.

    Example:
        >>> from msviz.state import default_state
        >>> drawn = with_tuplet_batch(default_state(), 4)
        >>> drawn.batch.m, with_tuplet_batch(drawn, 4).batch.source.note["seed"]
        (20, 2)
    """
    note = state.batch.source.note if state.batch.source.name == NAME else {}
    last = note.get("seed") if note.get("classes") == n else None
    seed = last + 1 if isinstance(last, int) and 0 <= last < 999_999 else 1
    display = state.display.replace(npair=state.display.npair.replace(n=0))
    return state.with_display(display).with_batch(tuplet_batch(n, seed)).select(None)
