"""Embeddings of another length, normalisation off: beta, lambda and epsilon are made for similarities from -1 to 1.

Unit rows times a constant c have the similarities c^2 S. With normalisation no constant changes anything: everything is
as it is at c = 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from msviz.core.losses.spec import check, param
from msviz.core.methods import METHODS, Method, evaluate
from msviz.core.pairs import label_pairs
from msviz.core.similarity import check_overflow, normalize_rows, similarity
from msviz.training.limits.checkpoint import Checkpoint, checkpoint, seed_param, steps_param
from msviz.training.sampler import PKSampler


@dataclass(frozen=True)
class ScaleSettings:
    """Which batch is made longer and shorter.

    Args:
        steps: of training before, 1..5000.
        classes_per_batch: P, 2..512.
        per_class: K, 2..512.
        seed: decides network and batch.
        constants: what unit rows are multiplied by.
        methods: what weighs the pairs.

    Raises:
        MsvizError: error.parameter_range.
    """

    steps: int = steps_param()
    classes_per_batch: int = param("P", 16, 2, 512, "Classes in the batch.", whole=True, step=1)
    per_class: int = param("K", 5, 2, 512, "Items of each class.", whole=True, step=1)
    seed: int = seed_param()
    constants: tuple[float, ...] = (0.125, 0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0, 8.0)
    methods: tuple[Method, ...] = (
        *(METHODS[name] for name in ("ms", "binomial", "lifted_star")),
        *map(Method, ("contrastive", "triplet", "npair", "nca", "supcon")),
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class ScalePoint:
    """A batch at one length, as a method sees it.

    Args:
        constant: what its unit rows were multiplied by.
        method: what weighs the pairs.
        loss: the batch loss.
        largest: share of the total weight on the pair that weighs most, 0..1.
        kept: share of the pairs that mining keeps, 0..1; 1 without mining.
        weighing: share of the pairs with any weight, 0..1.
    """

    constant: float
    method: Method
    loss: float
    largest: float
    kept: float
    weighing: float


def scale(settings: ScaleSettings, network: Checkpoint | None = None) -> Iterator[ScalePoint]:
    """One point for each constant and method.

    Args:
        settings: which batch, and how it is scaled.
        network: what the batch is drawn from; None = a small network that is trained first.

    Raises:
        MsvizError: error.batch_too_large, error.too_few_classes, error.too_few_items; error.overflow for a
            constant that makes similarities infinite.

    Example:
        >>> batch = Checkpoint(np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0]]), np.array([0, 0, 1, 1]))
        >>> settings = ScaleSettings(classes_per_batch=2, per_class=2, constants=(0.1, 1.0), methods=(METHODS["ms"],))
        >>> [round(point.kept, 3) for point in scale(settings, batch)]
        [1.0, 0.333]
    """
    network = network or checkpoint(settings.steps, settings.seed)
    rows = np.arange(len(network.labels))
    batch = PKSampler(network.labels, rows, settings.classes_per_batch, settings.per_class, settings.seed).draw()
    unit, pairs = normalize_rows(network.embeddings(batch)), label_pairs(network.labels[batch])
    count = int((pairs.pos | pairs.neg).sum())
    for constant in settings.constants:
        sim = similarity(constant * unit, normalize=False)
        check_overflow(sim)
        for method in settings.methods:
            found = evaluate(sim, pairs, method)
            total = float(found.weights.sum())
            yield ScalePoint(
                constant=constant,
                method=method,
                loss=float(found.value),
                largest=float(found.weights.max()) / total if total else 0.0,
                kept=int((found.mined.pos | found.mined.neg).sum()) / count,
                weighing=int((found.weights > 0).sum()) / count,
            )
