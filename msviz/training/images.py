"""How an image becomes a network's input."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float32, UInt8


def scaled(images: UInt8[np.ndarray, "*shape"]) -> Float32[np.ndarray, "*shape"]:
    """Grey or colour values 0..255 as numbers from -2 to 2.

    Args:
        images: of any shape.

    Example:
        >>> scaled(np.array([0, 255], np.uint8)).tolist()
        [-2.0, 2.0]
    """
    return (images.astype(np.float32) - np.float32(127.5)) / np.float32(63.75)
