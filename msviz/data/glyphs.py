"""Glyphs: characters of the font that Pillow carries, distorted. Our data for retrieval of classes never trained on.

Why not digits: there bare pixels already find an image of the same unseen class .99 of the time. Nothing is left to
learn.

An image is its character's mask, read where a random affine map sends the image's own pixels u in [-1, 1]^2:

    pixel(u) = .2 + (.64 + fade) * mask(A u + shift) + light . u + noise        clipped to 0..1, then 0..255

All distortions grow with the square root of the hardness, which spreads the difficulty over the knob. Recall@1 on 20
characters that were not trained on, 40 images of each: the pixels themselves and a three-layer CNN before training
(mean of 4 splits of the characters), and after 800 batches of 16 x 5 with the multi-similarity loss (mean of 2):

    hardness   0     .25    .5    .75    1
    pixels    1.00   .80   .48   .31   .21
    untrained 1.00   .66   .33   .20   .15
    trained          .96   .84   .67   .46
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from jaxtyping import Float32, Float64, UInt8
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from msviz.core.errors import out_of_range
from msviz.core.precision import is_finite_number

# No two that the distortions turn into each other. Out are: small letters that are their capital reduced (c o s v w x
# z), 0 beside O, straight strokes beside I (l | / \ _), + beside *, braces beside brackets, quotes but one, dots, the
# ring. p, k and u stay: their stems make them other shapes than P, K and U. A classifier trained on this list at
# hardness .5 gets .94 right; its worst pairs are B 8 (.10 of their images), a 8 (.09), O Q (.08), O D and : ; (.07).
GLYPHS: Final[str] = '123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabdefghijkmnpqrtuy!"#$%&()*<=>?@[]^~:;«»©±…™-'  # fmt: skip
SIDE: Final = 24  # pixels of an image, across and down
MOST: Final = {  # each distortion at hardness 1, to both sides
    "turn": np.radians(26),
    "shear": 0.35,
    "zoom": 0.3,  # e^.3 = 1.35 times larger or smaller
    "stretch": 0.1,  # one side against the other
    "right": 0.25,  # of half the image
    "down": 0.25,
    "fade": 0.16,
    "light_x": 0.3,  # lighter towards one edge
    "light_y": 0.3,
}
NOISE: Final = 0.08  # standard deviation at hardness 1, of black to white
_FINE: Final = 4 * SIDE  # pixels of a mask, across and down


def glyph_images(characters: Sequence[int], per_class: int, hardness: float, seed: int) -> UInt8[np.ndarray, "n 24 24"]:
    """Draw distorted characters, light on dark, in blocks: all images of the first character, then of the second.

    Image k of a character depends on the character, k, the hardness and the seed alone: a larger set holds the smaller
    one, and a hardness between two others looks like something between their images.

    Args:
        characters: places in `GLYPHS`, 0..79; at least one.
        per_class: images of each, >= 1.
        hardness: 0 (all images of a character are the same) to 1.
        seed: whole number >= 0.

    Returns:
        n = len(characters) * per_class grey images, 0 = black.

    Raises:
        MsvizError: error.parameter_range.

    Example:
        >>> glyph_images([GLYPHS.index("A"), GLYPHS.index("?")], per_class=3, hardness=0.5, seed=0).shape
        (6, 24, 24)
    """
    if not len(characters) or not all(0 <= c < len(GLYPHS) for c in characters):
        raise out_of_range("characters", f"places in GLYPHS, 0 to {len(GLYPHS) - 1}, at least one", list(characters))
    if per_class < 1:
        raise out_of_range("per_class", "a whole number >= 1", per_class)
    if not is_finite_number(hardness) or not 0 <= hardness <= 1:
        raise out_of_range("hardness", "a number from 0 to 1", hardness)
    if seed < 0:
        raise out_of_range("seed", "a whole number >= 0", seed)
    return np.concatenate([_images(c, per_class, np.sqrt(hardness), seed) for c in characters])


@cache
def glyph_masks() -> Float32[np.ndarray, "80 96 96"]:
    """All characters undistorted, 0 = paper to 1 = ink, each in the middle of its mask; read-only."""
    font = ImageFont.load_default(size=0.85 * _FINE)
    masks = np.stack([_mask(character, font) for character in GLYPHS])
    masks.flags.writeable = False
    return masks


def _mask(character: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> Float32[np.ndarray, "96 96"]:
    canvas = Image.new("L", (2 * _FINE, 2 * _FINE))
    ImageDraw.Draw(canvas).text((_FINE // 2, _FINE // 2), character, fill=255, font=font)
    left, top, right, bottom = canvas.getbbox() or (0, 0, 0, 0)  # of the ink; the font's own box has margins
    corner = ((left + right - _FINE) // 2, (top + bottom - _FINE) // 2)
    canvas = canvas.crop((*corner, corner[0] + _FINE, corner[1] + _FINE))
    # An image reads every fourth pixel: blurred to that width first, no stroke falls between two of them.
    soft = canvas.filter(ImageFilter.BoxBlur(1.5))
    return np.asarray(soft, dtype=np.float32) / 255


def _images(character: int, count: int, strength: float, seed: int) -> UInt8[np.ndarray, "n 24 24"]:
    seeds = np.random.SeedSequence([seed, character]).spawn(2)
    of_image, of_pixel = (np.random.default_rng(one) for one in seeds)
    # Drawn image by image, so that the first images do not depend on how many follow.
    drawn = of_image.uniform(-strength, strength, (count, len(MOST)))
    turn, shear, zoom, stretch, right, down, fade, *light = (drawn * list(MOST.values())).T
    noise = of_pixel.standard_normal((count, SIDE * SIDE), dtype=np.float32) * np.float32(NOISE * strength)

    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]).transpose(2, 0, 1)
    slant = np.array([[np.ones(count), shear], [np.zeros(count), np.ones(count)]]).transpose(2, 0, 1)
    scale = np.exp(np.stack([zoom + stretch, zoom - stretch], axis=1))[:, :, None]
    shift = np.stack([right, down], axis=1)[:, :, None]
    places = (scale * (slant @ rotation) @ _GRID + shift).astype(np.float32)

    ink = _read(glyph_masks()[character], places)
    lit = (np.stack(light, axis=1) @ _GRID).astype(np.float32)
    grey: Float32[np.ndarray, "n p"] = 0.2 + (0.64 + fade[:, None].astype(np.float32)) * ink + lit + noise
    images: UInt8[np.ndarray, "n 24 24"] = np.rint(grey.clip(0, 1) * 255).astype(np.uint8).reshape(count, SIDE, SIDE)
    return images


def _grid() -> Float64[np.ndarray, "2 576"]:
    """(x, y) of the middle of each pixel in [-1, 1]^2, row by row."""
    y, x = (np.mgrid[:SIDE, :SIDE] + 0.5) / SIDE * 2 - 1
    return np.stack([x.ravel(), y.ravel()])


_GRID: Final = _grid()


def _read(mask: Float32[np.ndarray, "96 96"], places: Float32[np.ndarray, "n 2 p"]) -> Float32[np.ndarray, "n p"]:
    """The mask at places (x, y), bilinear between its pixels; beyond its edge what stands at the edge: paper."""
    at = ((places + 1) * np.float32(_FINE / 2) - np.float32(0.5)).clip(0, _FINE - 1.001)
    whole = at.astype(np.int32)
    (x, y), corner = (at - whole).swapaxes(0, 1), whole[:, 1] * _FINE + whole[:, 0]
    flat = mask.ravel()
    above = flat[corner] * (1 - x) + flat[corner + 1] * x
    below = flat[corner + _FINE] * (1 - x) + flat[corner + _FINE + 1] * x
    read: Float32[np.ndarray, "n p"] = above * (1 - y) + below * y
    return read
