"""Batches of four points, two pairs of two classes, that show what LoOp does."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from msviz.data import Batch, Source

_LABELS: Final = (0, 0, 1, 1)
# The arcs overlap: the four similarities are at most .87, yet the pairs meet. One drag takes them apart.
_ANGLES: Final = (20, 110, 80, 150)
# As a T: y1 stands 30 degrees above the middle of the arc from x1 to x2, both of whose ends are farther away.
_PLACES: Final = ((-8, -4), (66, -4), (30, 26), (46, 68))


def circle_four() -> Batch:
    """Two arcs on the circle that overlap.

    Example:
        >>> circle_four().m
        4
    """
    angle = np.radians(_ANGLES)
    return _four(np.stack([np.cos(angle), np.sin(angle)], axis=1), "circle")


def sphere_four() -> Batch:
    """Two arcs on the sphere, the end of one nearest to the middle of the other."""
    longitude, latitude = np.radians(_PLACES).T
    flat = np.stack([np.cos(longitude), np.sin(longitude)], axis=1) * np.cos(latitude)[:, None]
    return _four(np.hstack([flat, np.sin(latitude)[:, None]]), "sphere")


def random_four(seed: int, dimensions: int) -> Batch:
    """Four points at random, evenly over the circle or the sphere; every one of the nine cases comes up.

    Args:
        seed: >= 0.
        dimensions: 2 or 3.
    """
    points = np.random.default_rng(seed).normal(size=(4, dimensions))
    return _four(points / np.linalg.norm(points, axis=1, keepdims=True), f"{dimensions}-D, seed {seed}")


def _four(places: ArrayLike, name: str) -> Batch:
    # Each has a source of its own: so that another one is another batch, and not the last one edited.
    return Batch.of(places, _LABELS, source=Source("hand", "loop", {"points": name}))
