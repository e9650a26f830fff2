"""Where general pair weighting's assumption fails: batches in which a loss pushes a positive, or pulls a negative.

All losses, with every set of parameters that their files give as examples, mined and not, on hand-made and drawn
batches. On unit rows only `supcon` pushes positives away, and only where an anchor has two of them: a single one never
holds more than its part. Without normalisation `histogram` does so, too, and pulls negatives: its soft bins end at -1
and 1.

Source: arXiv 1904.06627, section 3 (the assumption).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from msviz.core.gpw import sign_check
from msviz.core.losses import LOSSES
from msviz.core.losses.spec import check, param
from msviz.core.methods import Method
from msviz.core.pairs import label_pairs
from msviz.core.similarity import similarity
from msviz.data.presets import PRESETS
from msviz.training.limits.checkpoint import seed_param

PRESET_BATCHES: Final = ("overlapping", "two_clean", "sphere_overlapping")
DRAWN_BATCHES: Final = ("couples", "classes", "long")
BATCHES: Final = (*PRESET_BATCHES, *DRAWN_BATCHES)
"""The batches' names. Drawn are "couples": two items of each class, "classes": more of them, "long": the same rows at
twice the length, not normalised."""


@dataclass(frozen=True)
class SignSettings:
    """Which batches are drawn beside the hand-made ones.

    Args:
        classes: 2..64.
        per_class: items of each in "classes" and "long", 3..32.
        spread: standard deviation around a class's direction, in each of 8 dimensions, 0..2; that of the directions
            is 1.
        epsilon: the margin of the mined methods, 0..2.
        seed: decides what is drawn.

    Raises:
        MsvizError: error.parameter_range.
    """

    classes: int = param("classes", 8, 2, 64, "More: more negatives.", whole=True, step=1)
    per_class: int = param("items of each class", 5, 3, 32, "More: each may hold less.", whole=True, step=1)
    spread: float = param("spread", 0.5, 0, 2, "Larger: classes overlap more.")
    epsilon: float = param("ε", 0.1, 0, 2, "Larger: mining keeps more pairs.")
    seed: int = seed_param()

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class SignPoint:
    """The sign check of one method on one batch.

    Args:
        batch: its name, one of `BATCHES`.
        method: loss, parameters, mining margin.
        pushed_positives: how many positives are pushed away.
        pulled_negatives: how many negatives are pulled closer.
        share: share of the total weight on these pairs, 0..1.
        worst: (anchor, other) of the one that weighs most; None where the assumption holds.
        gradient: its signed g_ij; 0 where the assumption holds.
    """

    batch: str
    method: Method
    pushed_positives: int
    pulled_negatives: int
    share: float
    worst: tuple[int, int] | None
    gradient: float

    @property
    def holds(self) -> bool:
        """Whether no pair contradicts the assumption."""
        return self.worst is None


def sign(settings: SignSettings) -> Iterator[SignPoint]:
    """One point for each batch and method, batch by batch.

    Args:
        settings: what is drawn.

    Example:
        >>> sorted({point.method.name for point in sign(SignSettings()) if not point.holds})
        ['histogram', 'supcon']
    """
    for name in BATCHES:
        sim, labels = _batch(name, settings)
        pairs = label_pairs(labels)
        for method in _methods(settings.epsilon):
            found = sign_check(sim, pairs, method)
            pushed = int((found.gradient > 0).sum())
            yield SignPoint(
                batch=name,
                method=method,
                pushed_positives=pushed,
                pulled_negatives=len(found.gradient) - pushed,
                share=found.share,
                worst=None if found.holds else (int(found.where[0, 0]), int(found.where[0, 1])),
                gradient=0.0 if found.holds else float(found.gradient[0]),
            )


def _methods(epsilon: float) -> Iterator[Method]:
    for name, loss in LOSSES.items():
        for example in loss.examples:
            for mined in (None, epsilon):
                yield Method(name, epsilon=mined, **vars(example))


def _batch(name: str, settings: SignSettings) -> tuple[Float64[Tensor, "m m"], Int64[np.ndarray, " m"]]:
    if name in PRESETS:
        batch = PRESETS[name].make()
        return similarity(torch.tensor(batch.x)), np.asarray(batch.labels)
    rng = np.random.default_rng(settings.seed)
    labels = np.repeat(np.arange(settings.classes), 2 if name == "couples" else settings.per_class)
    x = rng.normal(size=(settings.classes, 8))[labels] + settings.spread * rng.normal(size=(len(labels), 8))
    sim = similarity(torch.from_numpy(x))
    return (4 * sim if name == "long" else sim), labels  # (2 x) (2 y) = 4 x y
