"""What a network trains on: items with class labels, and how they are split into training, validation and test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from jaxtyping import Float32, Int64, UInt8

from msviz.core.errors import MsvizError, out_of_range
from msviz.core.precision import is_finite_number

HOWS: Final = ("auto", "classes", "items", "none")
MIN_CLASSES: Final = 8  # a split by classes leaves two classes for validation and two for test
MIN_ITEMS: Final = 8  # a split by items leaves two of each class: a query and something to find


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Items with their classes, as a source hands them over.

    Args:
        inputs: [n, d] features, or [n, 1 or 3, h, w] images; finite, already scaled by the source; made read-only.
        labels: [n] classes 0..C-1; made read-only.
        names: the C classes' names.
        thumbnails: [n, h, w] grey images to show, 0 = black; None where an item is no picture.

    Raises:
        MsvizError: error.shape where the four do not fit together.

    Example:
        >>> data = TrainingSet(np.zeros((3, 5), np.float32), np.array([0, 1, 1]), ("cat", "dog"))
        >>> data.n, data.classes, data.shape, data.is_image, data.counts.tolist()
        (3, 2, (5,), False, [1, 2])
    """

    inputs: Float32[np.ndarray, "n *shape"]
    labels: Int64[np.ndarray, " n"]
    names: tuple[str, ...]
    thumbnails: UInt8[np.ndarray, "n h w"] | None = None

    def __post_init__(self) -> None:
        n = len(self.inputs)
        if self.inputs.ndim not in (2, 4) or n == 0:
            raise _misfit("inputs", "[n, d] or [n, channels, h, w] with n >= 1", self.inputs.shape)
        if self.labels.shape != (n,):
            raise _misfit("labels", f"[{n}]", self.labels.shape)
        if self.labels.min() < 0 or self.labels.max() >= len(self.names):
            raise _misfit(
                "labels", f"from 0 to {len(self.names) - 1}", (int(self.labels.min()), int(self.labels.max()))
            )
        if self.thumbnails is not None and (self.thumbnails.ndim != 3 or len(self.thumbnails) != n):
            raise _misfit("thumbnails", f"[{n}, h, w]", self.thumbnails.shape)
        for array in (self.inputs, self.labels, self.thumbnails):
            if array is not None:
                array.flags.writeable = False

    @property
    def n(self) -> int:
        """How many items."""
        return len(self.inputs)

    @property
    def classes(self) -> int:
        """C, how many classes."""
        return len(self.names)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one item: (d,) or (channels, h, w)."""
        return self.inputs.shape[1:]

    @property
    def is_image(self) -> bool:
        """Whether an item is an image, which a convolution can read."""
        return self.inputs.ndim == 4

    @property
    def counts(self) -> Int64[np.ndarray, " C"]:
        """How many items each class has."""
        return np.bincount(self.labels, minlength=self.classes).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of a training set by what they are for, each ascending.

    Args:
        train, val, test: rows to learn from, to watch while learning, to judge by at the end.
        how: "classes": no class is on two sides, so what is measured is retrieval of classes that the network never
            saw, as in the paper; "items": every class is on every side; "none": every side is all of the rows.
    """

    train: Int64[np.ndarray, " a"]
    val: Int64[np.ndarray, " b"]
    test: Int64[np.ndarray, " c"]
    how: Literal["classes", "items", "none"]


def split(data: TrainingSet, how: str, seed: int) -> Split:
    """Split into 50 % training, 25 % validation and 25 % test.

    Args:
        data: what to split.
        how: "classes" (of at least 8), "items" (at least 8 of each class), "none", or "auto": the first of these three
            that the data allow.
        seed: whole number >= 0; decides which classes or items go where.

    Raises:
        MsvizError: error.split_classes, error.split_items; error.parameter_range for another `how` or seed.

    Example:
        >>> data = TrainingSet(np.zeros((16, 2), np.float32), np.arange(16) // 2, tuple("abcdefgh"))
        >>> parts = split(data, "auto", seed=0)
        >>> parts.how, len(parts.train), len(parts.val), len(parts.test)
        ('classes', 8, 4, 4)
    """
    if how not in HOWS:
        raise out_of_range("split", f"one of {', '.join(HOWS)}", how)
    if not is_finite_number(seed) or seed != int(seed) or seed < 0:
        raise out_of_range("seed", "a whole number >= 0", seed)
    if how == "auto":
        how = _best(data)
    rng = np.random.default_rng(int(seed))
    if how == "classes":
        return _by_classes(data, rng)
    if how == "items":
        return _by_items(data, rng)
    every = np.arange(data.n)
    return Split(every, every, every, "none")


def _best(data: TrainingSet) -> Literal["classes", "items", "none"]:
    if data.classes >= MIN_CLASSES:
        return "classes"
    return "items" if data.counts.min() >= MIN_ITEMS else "none"


def _by_classes(data: TrainingSet, rng: np.random.Generator) -> Split:
    if data.classes < MIN_CLASSES:
        raise MsvizError(
            "error.split_classes",
            "a split by classes needs at least {need} classes, got {got}; split by items, or not at all",
            need=MIN_CLASSES,
            got=data.classes,
        )
    parts = _quarters(rng.permutation(data.classes))
    train, val, test = (np.flatnonzero(np.isin(data.labels, part)) for part in parts)
    return Split(train, val, test, "classes")


def _by_items(data: TrainingSet, rng: np.random.Generator) -> Split:
    fewest = int(data.counts.argmin())
    if data.counts[fewest] < MIN_ITEMS:
        raise MsvizError(
            "error.split_items",
            "a split by items needs at least {need} items of each class, got {got} of class {name}; "
            "add some, or do not split",
            need=MIN_ITEMS,
            got=int(data.counts[fewest]),
            name=data.names[fewest],
        )
    of_class = [_quarters(rng.permutation(np.flatnonzero(data.labels == label))) for label in range(data.classes)]
    train, val, test = (np.sort(np.concatenate(part)) for part in zip(*of_class, strict=True))
    return Split(train, val, test, "items")


def _quarters(shuffled: Int64[np.ndarray, " n"]) -> list[Int64[np.ndarray, " part"]]:
    """50, 25 and 25 %; where that is no whole number training gets more, then test."""
    half = (len(shuffled) + 1) // 2
    return np.split(shuffled, [half, half + (len(shuffled) - half) // 2])


def _misfit(name: str, expected: str, got: tuple[int, ...]) -> MsvizError:
    return MsvizError(
        "error.shape", "{name} must be {expected}, got {got}", name=name, expected=expected, got=list(got)
    )
