"""Where a run's items come from: one frozen record a source, which loads them and travels as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final, Protocol

import numpy as np
from jaxtyping import Float32, UInt8

from msviz.core.errors import MsvizError, shown
from msviz.core.losses.spec import check, param
from msviz.core.precision import is_finite_number
from msviz.data import MAX_POINTS, digit_images
from msviz.data.glyphs import GLYPHS, glyph_images
from msviz.training.files import Features, Folder
from msviz.training.images import scaled
from msviz.training.synthetic import Blobs, Moons, Rings
from msviz.training.training_set import TrainingSet

__all__ = [
    "SOURCES",
    "Blobs",
    "Digits",
    "Features",
    "Folder",
    "Glyphs",
    "Iris",
    "Moons",
    "Points",
    "Rings",
    "Source",
    "Wine",
    "source_from_json",
    "source_to_json",
]


class Source(Protocol):
    """A frozen dataclass whose fields say where items come from; those made with `param` have a control on the page.

    Attributes:
        kind: its name in `SOURCES` and in JSON.
    """

    kind: ClassVar[str]

    def load(self) -> TrainingSet:
        """The items; equal sources load equal items (of files: as long as the files stay)."""
        ...


@dataclass(frozen=True)
class Glyphs:
    """Distorted characters (see `msviz.data.glyphs`), images [1, 24, 24]: unseen classes are hard, and soon learnt.

    Args:
        characters: how many classes, 2..80, the first of `GLYPHS`.
        per_class: images of each, 2..500.
        hardness: 0..1.
        seed: decides the distortions.

    Raises:
        MsvizError: error.parameter_range.

    Example:
        >>> data = Glyphs(characters=3, per_class=4).load()
        >>> data.shape, data.names, data.labels.tolist()
        ((1, 24, 24), ('1', '2', '3'), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    """

    kind: ClassVar[str] = "glyphs"

    characters: int = param("characters", 80, 2, len(GLYPHS), "Classes: a split keeps a quarter for test.", whole=True)
    per_class: int = param("images of each", 40, 2, 500, "More images of each character.", whole=True, step=1)
    hardness: float = param("hardness", 0.5, 0, 1, "Larger: turned, slanted, shifted, faded and noisier.")
    seed: int = param("seed", 0, 0, 2**31 - 1, "Another seed distorts otherwise.", whole=True, step=1)

    def __post_init__(self) -> None:
        check(self)

    def load(self) -> TrainingSet:
        """The images, in blocks by character."""
        return _glyphs(self)


@dataclass(frozen=True)
class Digits:
    """scikit-learn's 1797 digits, images [1, 8, 8], ten classes. Source: UCI, Alpaydin and Kaynak 1998.

    Example:
        >>> Digits().load().shape
        (1, 8, 8)
    """

    kind: ClassVar[str] = "digits"

    def load(self) -> TrainingSet:
        """The images, in scikit-learn's order."""
        return _digits()


@dataclass(frozen=True)
class Iris:
    """scikit-learn's 150 irises, 4 measures, 3 species; each measure with mean 0 and deviation 1. Source: Fisher 1936.

    Example:
        >>> Iris().load().names
        ('setosa', 'versicolor', 'virginica')
    """

    kind: ClassVar[str] = "iris"

    def load(self) -> TrainingSet:
        """The flowers, in scikit-learn's order."""
        return _table("iris")


@dataclass(frozen=True)
class Wine:
    """scikit-learn's 178 wines, 13 measures, 3 growers; each measure with mean 0 and deviation 1. Source: UCI, Forina.

    Example:
        >>> Wine().load().shape
        (13,)
    """

    kind: ClassVar[str] = "wine"

    def load(self) -> TrainingSet:
        """The wines, in scikit-learn's order."""
        return _table("wine")


@dataclass(frozen=True)
class Points:
    """A visitor's own batch: every item a point, taken as it is.

    Args:
        x: n rows of d finite numbers; 1 <= n <= 4096.
        labels: n classes 0..C-1.
        names: C names.

    Raises:
        MsvizError: error.points.

    Example:
        >>> Points(((1.0, 0.0), (0.0, 1.0)), (0, 1), ("A", "B")).load().inputs.tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """

    kind: ClassVar[str] = "points"

    x: tuple[tuple[float, ...], ...]
    labels: tuple[int, ...]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        _need(_is_list(self.x) and all(map(_is_list, self.x)), "x", "rows of numbers", self.x)
        _need(_is_list(self.labels), "labels", "a list of classes", self.labels)
        _need(_is_list(self.names), "names", "a list of names", self.names)
        x, labels, names = tuple(map(tuple, self.x)), tuple(self.labels), tuple(self.names)
        _need(1 <= len(x) <= MAX_POINTS, "x", f"1 to {MAX_POINTS} rows", f"{len(x)} rows")
        widths = {len(row) for row in x}
        _need(len(widths) == 1 and 0 not in widths, "x", "rows of one length", f"lengths {sorted(widths)}")
        for row in x:
            for value in row:
                _need(is_finite_number(value) and abs(value) <= _LARGEST, "x", "finite numbers of float32", value)
        _need(len(labels) == len(x), "labels", f"one for each of the {len(x)} rows", len(labels))
        _need(all(isinstance(name, str) for name in names), "names", "words", names)
        for label in labels:
            whole = is_finite_number(label) and label == int(label)
            _need(whole and 0 <= label < len(names), "labels", f"whole numbers from 0 to {len(names) - 1}", label)
        object.__setattr__(self, "x", tuple(tuple(map(float, row)) for row in x))
        object.__setattr__(self, "labels", tuple(map(int, labels)))
        object.__setattr__(self, "names", names)

    def load(self) -> TrainingSet:
        """The points, in their order."""
        return TrainingSet(np.array(self.x, np.float32), np.array(self.labels, np.int64), self.names)


SOURCES: Final[dict[str, type[Source]]] = {
    source.kind: source for source in (Glyphs, Blobs, Rings, Moons, Digits, Iris, Wine, Points, Features, Folder)
}
_LARGEST: Final = float(np.finfo(np.float32).max)


def source_to_json(source: Source) -> dict[str, Any]:
    """A source as plain JSON values.

    Args:
        source: any of `SOURCES`.

    Example:
        >>> source_to_json(Glyphs(hardness=0.8))
        {'kind': 'glyphs', 'characters': 80, 'per_class': 40, 'hardness': 0.8, 'seed': 0}
    """
    fields = dataclasses.fields(source)  # type: ignore[arg-type]  # mypy cannot say "a Protocol of dataclasses"
    return {"kind": source.kind, **{field.name: _as_lists(getattr(source, field.name)) for field in fields}}


def source_from_json(plain: Any) -> Source:
    """The source of what `source_to_json` gave; fields that are left out keep their defaults.

    A source that reads files (`features`, `folder`) is made, too, and reads when it is loaded: who takes JSON from a
    link or from the network should refuse these two.

    Args:
        plain: a dictionary with "kind" and fields.

    Raises:
        MsvizError: error.source_kind, error.source_field, and those of the source.

    Example:
        >>> source_from_json({"kind": "blobs", "classes": 3}).load().classes
        3
    """
    kind = plain.get("kind") if isinstance(plain, Mapping) else plain
    source = SOURCES.get(kind) if isinstance(kind, str) else None
    if source is None or not isinstance(plain, Mapping):
        raise MsvizError(
            "error.source_kind",
            "data must be a record whose kind is one of {known}; got {got}",
            known=", ".join(SOURCES),
            got=shown(kind),
        )
    fields = dataclasses.fields(source)  # type: ignore[arg-type]
    given = {name: value for name, value in plain.items() if name != "kind"}
    known = [field.name for field in fields]
    missing = [field.name for field in fields if field.default is dataclasses.MISSING and field.name not in given]
    unknown = [str(name) for name in given if name not in known]
    if missing or unknown:
        raise MsvizError(
            "error.source_field",
            "{kind} data have the settings {known}; got {got}",
            kind=kind,
            known=", ".join(known) or "–",
            got=", ".join(map(str, given)) or "–",
        )
    return source(**given)


@lru_cache(maxsize=4)
def _glyphs(source: Glyphs) -> TrainingSet:
    images = glyph_images(range(source.characters), source.per_class, source.hardness, source.seed)
    labels = np.repeat(np.arange(source.characters), source.per_class)
    return TrainingSet(scaled(images[:, None]), labels, tuple(GLYPHS[: source.characters]), images)


@lru_cache(maxsize=1)
def _digits() -> TrainingSet:
    from sklearn.datasets import load_digits  # lazily: a second, and only for who asks for it

    images: UInt8[np.ndarray, "n 8 8"] = digit_images()
    labels = np.asarray(load_digits(return_X_y=True)[1], dtype=np.int64)
    return TrainingSet(scaled(images[:, None]), labels, tuple("0123456789"), images)


@lru_cache(maxsize=2)
def _table(name: str) -> TrainingSet:
    from sklearn import datasets

    found = getattr(datasets, f"load_{name}")()
    x = (found.data - found.data.mean(axis=0)) / found.data.std(axis=0)
    inputs: Float32[np.ndarray, "n d"] = x.astype(np.float32)
    return TrainingSet(inputs, found.target.astype(np.int64), tuple(map(str, found.target_names)))


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _as_lists(value: Any) -> Any:
    return [_as_lists(one) for one in value] if isinstance(value, tuple) else value


def _need(holds: bool, name: str, expected: str, got: object) -> None:
    if not holds:
        plain = "{name} of your points must be {expected}, got {got}"
        raise MsvizError("error.points", plain, name=name, expected=expected, got=repr(got)[:60])
