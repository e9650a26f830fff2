"""Samples of real images: scikit-learn's 1797 digits of 8 x 8 pixels (UCI, Alpaydin and Kaynak 1998)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from jaxtyping import Float64, Int64, UInt8

from msviz.core.errors import MsvizError
from msviz.data.batch import Batch
from msviz.data.source import Source

DIGITS: Final = 1797  # images; indices in Batch.digits are 0..1796
MAX_SAMPLED: Final = 512  # images in a batch: as many as a link can carry, and every page shows at once
Projection = Literal["pca", "lda"]
Space = Literal["circle", "sphere", "pixels"]


def digits_batch(
    classes: Sequence[int],
    per_class: int,
    seed: int,
    method: Projection = "pca",
    space: Space = "circle",
) -> Batch:
    """A class-balanced batch of digit images: P classes, K images of each, drawn without replacement.

    The projection is fitted on *all* images of the chosen classes, so that drawing again moves no image. PCA is the
    default because it teaches more: with the default method on 8 images a class it keeps 30 to 70 % of the positive
    pairs for 3-8, 0-1-2, 3-8-9 and 0-1-2-3 (a nearest neighbour on the circle is right for .97, .87, .76 and .77 of
    the images), so there is something to mine. LDA was told the labels and pulls three classes so far apart (.99 to
    1.0; 2 to 7 % of the positive pairs kept) that almost every weight is 0: that is how a batch looks *after*
    training, worth a comparison.

    Args:
        classes: P different digits 0..9; repeats count once.
        per_class: K >= 1; at most what the class has (174 to 183).
        seed: whole number >= 0; the same seed draws the same images.
        method: "pca", or "lda", which needs at least 3 classes, on the sphere 4: it has one dimension less.
        space: "circle": the first two components, centred and divided by their length, are the embeddings, and the
            board can be edited; "sphere": the same with three. "pixels": the embeddings are the 64 pixel values 0..16,
            exactly; the board is the projection scaled into the unit disc, and cannot be edited.

    Returns:
        The batch, in blocks of ascending class; labels are the digits, `digits` the indices of the images.

    Raises:
        MsvizError: error.digits_classes, error.digits_per_class, error.digits_seed, error.digits_lda,
            error.digits_option, error.too_many_points.

    Example:
        >>> batch = digits_batch([3, 8, 9], per_class=8, seed=0)
        >>> batch.m, batch.classes, batch.class_name(8)
        (24, (3, 8, 9), '8')
    """
    chosen = _checked(classes, per_class, seed, method, space)
    pixels, target = _digits()
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(np.flatnonzero(target == digit), per_class, replace=False) for digit in chosen]
    at = np.concatenate(drawn)
    board = _projection(chosen, method, space)[at]
    note = {"classes": chosen, "per_class": per_class, "seed": seed, "method": method, "space": space}
    return Batch.of(
        board,
        target[at].tolist(),
        x=pixels[at] if space == "pixels" else None,
        digits=at.tolist(),
        source=Source("digits", "digits", note),
    )


def digit_images() -> UInt8[np.ndarray, "1797 8 8"]:
    """All digit images as grey values 0..255 (0 = paper), read-only; `Batch.digits` are indices into it."""
    return _images()


def digit_labels() -> Int64[np.ndarray, " 1797"]:
    """Which digit each image shows, 0..9."""
    return _digits()[1]


def digit_pixels(at: Sequence[int]) -> Float64[np.ndarray, "m 64"]:
    """The 64 pixel values 0..16 of some images, as digits_batch(space="pixels") uses them; at: indices 0..1796."""
    return _digits()[0][np.asarray(at, dtype=np.int64)]


def _checked(classes: Sequence[int], per_class: int, seed: int, method: str, space: str) -> tuple[int, ...]:
    chosen = tuple(sorted({int(digit) for digit in classes}))
    if not chosen or chosen[0] < 0 or chosen[-1] > 9:
        plain = "Choose at least one digit from 0 to 9, got {got}."
        raise MsvizError("error.digits_classes", plain, got=", ".join(map(str, chosen)) or "none")
    if method not in ("pca", "lda") or space not in ("circle", "sphere", "pixels"):
        plain = "Digits are drawn with pca or lda into circle, sphere or pixels, got {method} into {space}."
        raise MsvizError("error.digits_option", plain, method=method, space=space)
    if method == "lda" and len(chosen) <= _dimensions(space):
        plain = (
            "LDA has one dimension less than there are classes, so here it needs {need} classes, got {got}. Use PCA."
        )
        raise MsvizError("error.digits_lda", plain, need=_dimensions(space) + 1, got=len(chosen))
    has = {digit: int((_digits()[1] == digit).sum()) for digit in chosen}
    scarce = min(chosen, key=lambda digit: has[digit])
    if not _whole(per_class) or not 1 <= per_class <= has[scarce]:
        plain = "Images of each class: a whole number from 1 to {high} (there are {high} of digit {digit}), got {got}."
        raise MsvizError("error.digits_per_class", plain, high=has[scarce], digit=scarce, got=per_class)
    if len(chosen) * per_class > MAX_SAMPLED:
        plain = "A batch holds at most {limit} points, got {got}. Remove some, or choose fewer classes or images."
        raise MsvizError("error.too_many_points", plain, limit=MAX_SAMPLED, got=len(chosen) * per_class)
    if not _whole(seed) or seed < 0:
        plain = "The seed is a whole number, 0 or more, got {got}."
        raise MsvizError("error.digits_seed", plain, got=seed)
    return chosen


def _dimensions(space: str) -> int:
    return 3 if space == "sphere" else 2


def _whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


@lru_cache(maxsize=1)
def _digits() -> tuple[Float64[np.ndarray, "1797 64"], Int64[np.ndarray, " 1797"]]:
    from sklearn.datasets import load_digits  # lazily: a second, and only for who asks for digits

    pixels, target = load_digits(return_X_y=True)
    return np.asarray(pixels, dtype=np.float64), np.asarray(target, dtype=np.int64)


@lru_cache(maxsize=1)
def _images() -> UInt8[np.ndarray, "1797 8 8"]:
    images = np.rint(_digits()[0] * (255 / 16)).astype(np.uint8).reshape(DIGITS, 8, 8)
    images.flags.writeable = False
    return images


@lru_cache(maxsize=64)
def _projection(classes: tuple[int, ...], method: Projection, space: Space) -> Float64[np.ndarray, "1797 k"]:
    """The place of every image of the chosen classes; nan for the others."""
    pixels, target = _digits()
    kept = np.isin(target, classes)
    flat = _fit(pixels[kept], target[kept], method, _dimensions(space))
    flat -= flat.mean(axis=0)
    length = np.linalg.norm(flat, axis=1, keepdims=True)
    places = np.full((DIGITS, flat.shape[1]), np.nan)
    places[kept] = flat / (length.max() if space == "pixels" else length)
    places.flags.writeable = False
    return places


def _fit(
    pixels: Float64[np.ndarray, "n 64"], target: Int64[np.ndarray, " n"], method: Projection, dimensions: int
) -> Float64[np.ndarray, "n k"]:
    if method == "pca":
        from sklearn.decomposition import PCA

        fitted = PCA(n_components=dimensions, svd_solver="full").fit_transform(pixels)
    else:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        fitted = LinearDiscriminantAnalysis(n_components=dimensions).fit(pixels, target).transform(pixels)
    return np.asarray(fitted, dtype=np.float64)
