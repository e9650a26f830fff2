"""Drawn classes whose shape is known: blobs, rings and moons, laid into a space of d dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float64

from msviz.core.losses.spec import check, param
from msviz.training.training_set import TrainingSet


def _classes(default: int) -> Any:
    return param("classes", default, 2, 100, "More classes: more to be told apart.", whole=True, step=1)


def _per_class(default: int) -> Any:
    return param("items of each class", default, 2, 500, "More items of each class.", whole=True, step=1)


def _dimensions(default: int) -> Any:
    return param("dimensions", default, 2, 512, "Dimensions of the space that the items lie in.", whole=True, step=1)


def _noise(default: float) -> Any:
    return param("noise", default, 0, 2, "Larger: items stray farther, in every dimension; classes overlap more.")


def _seed() -> Any:
    return param("seed", 0, 0, 2**31 - 1, "Another seed draws other items.", whole=True, step=1)


@dataclass(frozen=True)
class Blobs:
    """Classes around centres that are drawn from a normal distribution with deviation 1 in each dimension.

    Args:
        classes: 2..100.
        per_class: items of each, 2..500.
        dimensions: 2..512.
        noise: standard deviation around a centre in each dimension, 0..2.
        seed: decides centres and items.

    Raises:
        MsvizError: error.parameter_range.

    Example:
        >>> data = Blobs(classes=3, per_class=4, dimensions=5).load()
        >>> data.shape, data.labels.tolist()
        ((5,), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    """

    kind: ClassVar[str] = "blobs"

    classes: int = _classes(32)  # a split by class leaves 16 to train on, a whole default batch
    per_class: int = _per_class(20)
    dimensions: int = _dimensions(16)
    noise: float = _noise(0.5)
    seed: int = _seed()

    def __post_init__(self) -> None:
        check(self)

    def load(self) -> TrainingSet:
        """The items, in blocks by class."""
        rng = np.random.default_rng(self.seed)
        centres = rng.normal(size=(self.classes, self.dimensions))
        return _set(self, np.repeat(centres, self.per_class, axis=0), rng)


@dataclass(frozen=True)
class Rings:
    """Classes on circles with the radii 1, 2, 3, ... around one centre: no straight cut tells them apart.

    Args:
        classes: 2..100.
        per_class: items of each, 2..500.
        dimensions: of the space that the rings' plane lies in, 2..512.
        noise: standard deviation in each dimension, 0..2.
        seed: decides items, plane and noise.

    Raises:
        MsvizError: error.parameter_range.

    Example:
        >>> Rings(classes=3, per_class=10, dimensions=4).load().shape
        (4,)
    """

    kind: ClassVar[str] = "rings"

    classes: int = _classes(3)
    per_class: int = _per_class(64)
    dimensions: int = _dimensions(8)
    noise: float = _noise(0.1)
    seed: int = _seed()

    def __post_init__(self) -> None:
        check(self)

    def load(self) -> TrainingSet:
        """The items, in blocks by class."""
        rng = np.random.default_rng(self.seed)
        angle = rng.uniform(0, 2 * np.pi, self.classes * self.per_class)
        radius = 1 + np.repeat(np.arange(self.classes), self.per_class)
        return _set(self, _lifted(radius * np.cos(angle), radius * np.sin(angle), self.dimensions, rng), rng)


@dataclass(frozen=True)
class Moons:
    """Classes on half circles of radius 1 that reach into each other in a row, open side down, up, down, ...

    Two of them are scikit-learn's `make_moons`.

    Args:
        classes: 2..100.
        per_class: items of each, 2..500.
        dimensions: of the space that the moons' plane lies in, 2..512.
        noise: standard deviation in each dimension, 0..2.
        seed: decides items, plane and noise.

    Raises:
        MsvizError: error.parameter_range.

    Example:
        >>> Moons(per_class=10).load().n
        20
    """

    kind: ClassVar[str] = "moons"

    classes: int = _classes(2)
    per_class: int = _per_class(64)
    dimensions: int = _dimensions(8)
    noise: float = _noise(0.1)
    seed: int = _seed()

    def __post_init__(self) -> None:
        check(self)

    def load(self) -> TrainingSet:
        """The items, in blocks by class."""
        rng = np.random.default_rng(self.seed)
        label = np.repeat(np.arange(self.classes), self.per_class)
        angle = rng.uniform(0, np.pi, len(label))
        up = label % 2
        x, y = label + np.cos(angle), 0.5 * up + np.where(up, -1, 1) * np.sin(angle)
        return _set(self, _lifted(x, y, self.dimensions, rng), rng)


def _lifted(
    x: Float64[np.ndarray, " n"], y: Float64[np.ndarray, " n"], dimensions: int, rng: np.random.Generator
) -> Float64[np.ndarray, "n d"]:
    """Points of a plane in a space of more dimensions: the plane is turned at random, distances stay."""
    plane = np.linalg.qr(rng.normal(size=(dimensions, 2))).Q
    lifted: Float64[np.ndarray, "n d"] = np.stack([x - x.mean(), y - y.mean()], axis=1) @ plane.T
    return lifted


def _set(source: Blobs | Rings | Moons, places: Float64[np.ndarray, "n d"], rng: np.random.Generator) -> TrainingSet:
    inputs = (places + source.noise * rng.normal(size=places.shape)).astype(np.float32)
    labels = np.repeat(np.arange(source.classes), source.per_class)
    return TrainingSet(inputs, labels, tuple(str(label + 1) for label in range(source.classes)))
