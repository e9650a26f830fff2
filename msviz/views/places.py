"""Places on the circle or sphere, as unit vectors: between two points, beyond one, side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

Place = Float64[np.ndarray, " k"]
_TINY = 1e-9  # shorter than this a vector has no direction


def unit(v: Place) -> Place:
    """The direction of a vector; the first axis for one without a direction."""
    length = float(np.linalg.norm(v))
    return v / length if length > _TINY else np.eye(len(v))[0]


def beside(v: Place) -> Place:
    """A direction at right angles to v: on the circle a quarter turn counter-clockwise.

    Example:
        >>> beside(np.array([1.0, 0.0])).tolist()
        [-0.0, 1.0]
    """
    if len(v) == 2:
        return unit(np.array([-v[1], v[0]]))
    axis = np.eye(len(v))[int(np.abs(v).argmin())]
    return unit(axis - (axis @ v) * v)


def between(a: Place, b: Place) -> Place:
    """The middle of the shorter arc from a to b; opposite points have none, then a quarter turn from a.

    Example:
        >>> between(np.array([1.0, 0.0]), np.array([0.0, 1.0])).round(3).tolist()
        [0.707, 0.707]
    """
    middle = a + b
    return unit(middle) if np.linalg.norm(middle) > _TINY else beside(a)


def beyond(a: Place, b: Place, degrees: float) -> Place:
    """The place that lies behind b as seen from a, so many degrees farther along their great circle."""
    along = (a @ b) * b - a
    away = unit(along) if np.linalg.norm(along) > _TINY else beside(b)
    return turned(b, away, degrees)


def turned(a: Place, towards: Place, degrees: float) -> Place:
    """a turned by so many degrees towards a direction at right angles to it."""
    angle = math.radians(degrees)
    return math.cos(angle) * a + math.sin(angle) * towards


def fan(a: Place, count: int, degrees: float) -> Sequence[Place]:
    """Places side by side around a, so many degrees apart.

    Example:
        >>> [round(math.degrees(math.atan2(y, x))) for x, y in fan(np.array([1.0, 0.0]), 3, 10)]
        [-10, 0, 10]
    """
    return [turned(a, beside(a), degrees * (k - (count - 1) / 2)) for k in range(count)]
