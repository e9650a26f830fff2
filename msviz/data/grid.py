"""The grid on which board positions lie: whole multiples of 2^-14, as a link stores them (int16)."""

from __future__ import annotations

from typing import Final

import numpy as np
from jaxtyping import Float64
from numpy.typing import ArrayLike

GRID: Final = 2.0**-14  # 0.00006: the smallest step of a board position; a power of two, so that n * GRID is exact
_LIMIT: Final = 2 - GRID  # int16 reaches 32767 steps


def snap(xy: ArrayLike) -> Float64[np.ndarray, "*shape"]:
    """The nearest grid values: whole multiples of GRID, clipped to +-(2 - GRID).

    Args:
        xy: positions of any shape; must be finite.

    Example:
        >>> snap([0.1, 5.0]).tolist()
        [0.0999755859375, 1.99993896484375]
    """
    steps = np.rint(np.asarray(xy, dtype=np.float64) / GRID)
    return np.clip(steps * GRID, -_LIMIT, _LIMIT) + 0.0  # + 0.0 turns -0.0 into 0.0: the link knows one zero
