"""What can be trained with one choice: data, a model that fits them, and settings that show something in seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from msviz.core.errors import MsvizError
from msviz.core.methods import METHODS, Method
from msviz.data import Batch
from msviz.training.config import TrainConfig
from msviz.training.sources import Digits, Features, Glyphs, Iris, Moons, Points, Rings, Wine
from msviz.training.training_set import TrainingSet, split
from msviz.ui.engines import MOST_ITEMS

SETUPS: Final[dict[str, Callable[[], TrainConfig]]] = {
    # Eight classes and three dimensions: the board is the space itself, and one sees each class gather within seconds.
    "glyphs": lambda: TrainConfig(
        data=Glyphs(characters=8, per_class=200, hardness=0.3),
        split="items",
        dimensions=3,
        classes_per_batch=8,
        per_class=5,
        steps=600,
        evaluate_every=25,
    ),
    "unseen": lambda: TrainConfig(),
    # As "unseen", but norms count and every batch looks for classes that are hard for each other.
    "npair": lambda: TrainConfig(
        per_class=2, pairing="npair", mine_classes=32, similarity="dot", norm_penalty=0.03, evaluate_every=25
    ),
    "loop": lambda: TrainConfig(negatives="loop", evaluate_every=25),
    "rings": lambda: TrainConfig(data=Rings(), model="mlp", dimensions=2, classes_per_batch=3, per_class=16, steps=400),
    "moons": lambda: TrainConfig(data=Moons(), model="mlp", dimensions=2, classes_per_batch=2, per_class=16, steps=400),
    "digits": lambda: TrainConfig(
        data=Digits(), model="mlp", dimensions=3, classes_per_batch=8, per_class=5, split="items", steps=400
    ),
    "iris": lambda: TrainConfig(data=Iris(), model="mlp", dimensions=2, classes_per_batch=3, per_class=12, steps=300),
    "wine": lambda: TrainConfig(data=Wine(), model="mlp", dimensions=2, classes_per_batch=3, per_class=12, steps=300),
}
_ABOUT: Final[dict[str, tuple[Method, ...]]] = {
    "npair": (Method("npair"), Method("npair_ovo")),
    "loop": (METHODS["authors"], Method("triplet")),
}
FIRST: Final = "glyphs"
OWN: Final = "own"
FILES: Final = "files"


@dataclass(frozen=True)
class Chosen:
    """What is to be trained.

    Args:
        setup: the choice that it began with: of `SETUPS`, or `OWN` or `FILES`.
        config: its settings.
        other: the second method of a duel, or None.
        batch: the visitor's batch, for `OWN`.
        data: the visitor's items, for `FILES`.
    """

    setup: str
    config: TrainConfig
    other: Method | None = None
    batch: Batch | None = None
    data: TrainingSet | None = None


def chosen_setup(setup: str, batch: Batch) -> Chosen:
    """A setup as it is at first.

    Args:
        setup: of `SETUPS`, or `OWN`.
        batch: the visitor's current one.

    Raises:
        MsvizError: those of `own_setup`.
    """
    return Chosen(OWN, own_setup(batch), batch=batch) if setup == OWN else Chosen(setup, SETUPS[setup]())


def setup_method(setup: str, method: Method) -> Method:
    """The method that a setup begins with: the visitor's own, unless the setup is about other losses.

    Args:
        setup: the choice.
        method: the visitor's.

    Example:
        >>> setup_method("npair", Method("triplet")).name, setup_method("npair", Method("npair_ovo")).name
        ('npair', 'npair_ovo')
    """
    about = _ABOUT.get(setup, (method,))
    return method if method.name in [it.name for it in about] else about[0]


def own_setup(batch: Batch) -> TrainConfig:
    """The visitor's batch as free points: every point is moved by its own gradient, all of them in every step.

    Args:
        batch: the current one.

    Raises:
        MsvizError: error.own_batch when there are not two classes with two points each.
    """
    counts = [batch.labels.count(label) for label in batch.classes]
    if len(counts) < 2 or min(counts) < 2:
        raise MsvizError(
            "error.own_batch",
            "training needs at least two classes with two points each; the current batch has classes of {got}",
            got=", ".join(map(str, counts)) or "0",
        )
    place = {label: at for at, label in enumerate(batch.classes)}
    names = tuple(batch.class_name(label) for label in batch.classes)
    data = Points(tuple(map(tuple, batch.x.tolist())), tuple(place[label] for label in batch.labels), names)
    return replace(
        TrainConfig(),
        data=data,
        model="points",
        dimensions=batch.x.shape[1],
        classes_per_batch=len(counts),
        per_class=min(*counts, MOST_ITEMS // len(counts)),
        learning_rate=0.01,
        steps=300,
        split="auto",
    )


def files_setup(data: TrainingSet, name: str) -> TrainConfig:
    """The visitor's own files: a small CNN for images, an MLP for features, onto a sphere.

    Args:
        data: what was read from them.
        name: what they are called.
    """
    _, counts = np.unique(data.labels[split(data, "auto", 0).train], return_counts=True)
    return replace(
        TrainConfig(),
        data=Features(name),
        model="cnn" if data.is_image else "mlp",
        dimensions=3,
        classes_per_batch=min(8, len(counts)),
        per_class=int(min(5, counts.min())),
        steps=600,
        evaluate_every=25,
    )
