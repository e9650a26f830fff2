"""What a batch must hold for mining to find anything: a network stays as it is, batches of P x K are drawn from it.

A step is thin when fewer than a tenth of its anchors keep a pair: almost nothing is learnt from such a batch. The
paper's supplement reports over 20 % of the steps at batch size 20 on Stanford Online Products.

Source: arXiv 1904.06627, supplementary material.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float64

from msviz.core.losses.spec import check, param
from msviz.core.pairs import label_pairs, mine
from msviz.core.similarity import similarity
from msviz.training.limits.checkpoint import Checkpoint, checkpoint, draws_param, seed_param, steps_param
from msviz.training.sampler import PKSampler

PAPER_BATCH: Final = 20
PAPER_THIN: Final = 0.2  # "over": the paper's, on Stanford Online Products, not measured here


@dataclass(frozen=True)
class CompositionSettings:
    """Which batches are drawn, and when a step counts as thin.

    Args:
        steps: of training before, 1..5000.
        draws: batches of each kind, 1..10000.
        epsilon: the mining margin, 0..2.
        few: a step is thin when a smaller share of its anchors keeps a pair, 0..1.
        seed: decides network and batches.
        classes: the numbers of classes P that are tried.
        members: the numbers of items of each class K that are tried.

    Raises:
        MsvizError: error.parameter_range.

    Example:
        >>> CompositionSettings(draws=50).few
        0.1
    """

    steps: int = steps_param()
    draws: int = draws_param(200)
    epsilon: float = param("ε", 0.1, 0, 2, "Larger: mining keeps more pairs, and fewer steps are thin.")
    few: float = param("few", 0.1, 0, 1, "Larger: more steps count as thin.")
    seed: int = seed_param()
    classes: tuple[int, ...] = (2, 4, 8, 16, 32)
    members: tuple[int, ...] = (2, 5, 10)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class CompositionPoint:
    """What mining leaves of batches of one kind.

    Args:
        classes_per_batch: P.
        per_class: K.
        thin: share of the steps in which too few anchors keep a pair, 0..1.
        kept: share of the anchors that keep a pair, mean over the steps, 0..1.

    Example:
        >>> CompositionPoint(4, 5, thin=0.4, kept=0.2).batch_size
        20
    """

    classes_per_batch: int
    per_class: int
    thin: float
    kept: float

    @property
    def batch_size(self) -> int:
        """P x K."""
        return self.classes_per_batch * self.per_class


def composition(settings: CompositionSettings, network: Checkpoint | None = None) -> Iterator[CompositionPoint]:
    """One point for each K and P, P growing.

    Args:
        settings: what is drawn.
        network: what it is drawn from; None = a small network that is trained first.

    Raises:
        MsvizError: error.batch_too_large, error.too_few_classes, error.too_few_items for a batch that cannot be drawn,
            before anything is.

    Example:
        >>> apart = Checkpoint(np.repeat(np.eye(2), 3, axis=0), np.repeat([0, 1], 3))
        >>> list(composition(CompositionSettings(draws=5, classes=(2,), members=(3,)), apart))
        [CompositionPoint(classes_per_batch=2, per_class=3, thin=1.0, kept=0.0)]
    """
    network = network or checkpoint(settings.steps, settings.seed)
    rows = np.arange(len(network.labels))
    samplers = {
        (classes, members): PKSampler(network.labels, rows, classes, members, settings.seed)
        for members in settings.members
        for classes in settings.classes
    }
    for (classes, members), sampler in samplers.items():
        kept = _kept(network, sampler, settings)
        yield CompositionPoint(classes, members, thin=float((kept < settings.few).mean()), kept=float(kept.mean()))


def _kept(network: Checkpoint, sampler: PKSampler, settings: CompositionSettings) -> Float64[np.ndarray, " draws"]:
    """The share of anchors that keep a pair, of every batch."""
    found = np.empty(settings.draws)
    for draw in range(settings.draws):
        rows = sampler.draw()
        mined = mine(similarity(network.embeddings(rows)), label_pairs(network.labels[rows]), settings.epsilon)
        found[draw] = float((mined.pos | mined.neg).any(1).double().mean())
    return found
