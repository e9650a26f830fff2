"""Images of many classes for the N-pair lab: an embedding that nobody trained, and the pictures to look at."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from jaxtyping import Float64, UInt8
from PIL import Image

from msviz.data.datasets import digit_images, digit_labels
from msviz.data.glyphs import GLYPHS, glyph_images

HARDNESS: Final = 0.1  # of glyphs: neither all alike nor beyond recognition
PER_GLYPH: Final = 8  # images of each character


@dataclass(frozen=True, eq=False)
class Pool:
    """Images in blocks of their classes.

    Args:
        names: what the C classes are called.
        images: [C, n, side, side] grey.
        x: [C, n, d] their pixels, the mean over all images taken away, divided by the mean length of what is left.
    """

    names: tuple[str, ...]
    images: UInt8[np.ndarray, "C n h h"]
    x: Float64[np.ndarray, "C n d"]


@lru_cache(maxsize=4)
def pool(name: str) -> Pool:
    """The images of a data set: "digits" (10 classes of 174) or "glyphs" (80 characters of 8, drawn by us).

    Pixels without their mean are the plainest embedding there is: images of a class look alike, nothing was trained.

    Example:
        >>> pool("digits").x.shape, pool("glyphs").x.shape
        ((10, 174, 64), (80, 8, 576))
    """
    if name == "digits":
        labels = digit_labels()
        least = int(np.bincount(labels).min())
        images = np.stack([digit_images()[labels == digit][:least] for digit in range(10)])
        names = tuple(map(str, range(10)))
    else:
        drawn = glyph_images(range(len(GLYPHS)), PER_GLYPH, HARDNESS, seed=0)
        images, names = drawn.reshape(len(GLYPHS), PER_GLYPH, *drawn.shape[1:]), tuple(GLYPHS)
    pixels = images.reshape(*images.shape[:2], -1) / 255
    x = pixels - pixels.mean((0, 1))
    x /= np.linalg.norm(x, axis=2).mean()
    return Pool(names, images, x)


def png(image: UInt8[np.ndarray, "h h"]) -> str:
    """An image as the address of a picture, ink dark on light.

    Example:
        >>> png(np.zeros((8, 8), dtype=np.uint8))[:22]
        'data:image/png;base64,'
    """
    file = io.BytesIO()
    Image.fromarray(255 - image).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
