"""Labels that are wrong: which pairs weigh more for it, under which loss. What retrieval makes of it: `noise_training`.

Flipping the label of an item makes two kinds of wrong pairs: positives that are of other classes in truth, and
negatives that are of one class. Both look as hard as can be, and hard pairs are what the losses weigh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from msviz.core.losses.spec import check
from msviz.core.methods import METHODS, Method, evaluate
from msviz.core.pairs import Pairs, label_pairs
from msviz.core.similarity import similarity
from msviz.training.limits.checkpoint import (
    SMALL,
    Checkpoint,
    checkpoint,
    draws_param,
    seed_param,
    steps_param,
)
from msviz.training.sampler import PKSampler


@dataclass(frozen=True)
class NoisyPairsSettings:
    """Items whose labels are flipped after a network was trained with the right ones.

    Args:
        steps: of training before, 1..5000.
        draws: batches of each share, 1..10000.
        seed: decides network, batches and flips.
        shares: the shares of flipped labels, each 0..1.
        methods: what weighs the pairs.

    Raises:
        MsvizError: error.parameter_range.
    """

    steps: int = steps_param()
    draws: int = draws_param(10)
    seed: int = seed_param()
    shares: tuple[float, ...] = (0.05, 0.1, 0.2, 0.3, 0.4)
    methods: tuple[Method, ...] = (
        *(METHODS[name] for name in ("ms", "ms_weighting", "binomial", "lifted_star", "ms_mining")),
        *map(Method, ("contrastive", "triplet", "npair", "supcon", "histogram", "linear")),
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class NoisyPairsPoint:
    """Where the weight of batches with wrong labels lies; shares are means over the batches, 0..1.

    Args:
        flipped: share of the labels that are wrong.
        method: what weighs the pairs.
        wrong: share of the pairs that are wrong.
        weight: share of the total weight on them.
        wrong_positives: share of the total weight on positives that are of two classes in truth.
        wrong_negatives: share of the total weight on negatives that are of one class in truth.
    """

    flipped: float
    method: Method
    wrong: float
    weight: float
    wrong_positives: float
    wrong_negatives: float


def noisy_pairs(settings: NoisyPairsSettings, network: Checkpoint | None = None) -> Iterator[NoisyPairsPoint]:
    """One point for each share and method, shares growing.

    Args:
        settings: what is flipped, and who weighs.
        network: whose embeddings are weighed; None = a small network that is trained first.

    Raises:
        MsvizError: error.batch_too_large, error.too_few_classes or error.too_few_items when a network's data do not
            give the batches that networks are trained with here, 16 classes x 5 items.
    """
    network = network or checkpoint(settings.steps, settings.seed)
    for flipped in settings.shares:
        given = flip_labels(network.labels, flipped, np.random.default_rng(settings.seed))
        for method in settings.methods:  # all see the same batches
            yield on_wrong_pairs(network, given, flipped, method, settings.draws, settings.seed)


def flip_labels(labels: Int64[np.ndarray, " n"], share: float, rng: np.random.Generator) -> Int64[np.ndarray, " n"]:
    """The labels, of which a share is replaced by another of their classes, any with the same chance.

    Args:
        labels: [n] classes; at least two different ones where anything is flipped.
        share: how many are wrong afterwards, 0..1, to the nearest whole number of items.
        rng: who chooses.

    Example:
        >>> flip_labels(np.array([3, 3, 7, 7]), 1.0, np.random.default_rng(0)).tolist()
        [7, 7, 3, 3]
    """
    classes, codes = np.unique(labels, return_inverse=True)
    some = rng.choice(len(labels), round(share * len(labels)), replace=False)
    if len(some):
        codes[some] = (codes[some] + rng.integers(1, len(classes), len(some))) % len(classes)
    return classes[codes]


def wrong_pairs(true: Int64[np.ndarray, " n"], given: Int64[np.ndarray, " n"]) -> Pairs:
    """The pairs that given labels call positives and negatives, but true ones do not.

    Args:
        true: [n] classes.
        given: [n] labels.

    Example:
        >>> wrong_pairs(np.array([0, 0, 1]), np.array([0, 1, 1])).neg.int()
        tensor([[0, 1, 0],
                [1, 0, 0],
                [0, 0, 0]], dtype=torch.int32)
    """
    right, called = label_pairs(true), label_pairs(given)
    return Pairs(pos=called.pos & right.neg, neg=called.neg & right.pos)


def on_wrong_pairs(
    network: Checkpoint, given: Int64[np.ndarray, " n"], flipped: float, method: Method, draws: int, seed: int
) -> NoisyPairsPoint:
    """The weight of batches that are drawn as training draws them: by the labels that are given.

    Args:
        network: embeddings and true labels.
        given: [n] labels.
        flipped: share of them that are wrong.
        method: what weighs the pairs.
        draws: batches, >= 1.
        seed: decides them.
    """
    sampler = PKSampler(given, np.arange(len(given)), SMALL.classes_per_batch, SMALL.per_class, seed)
    found = []
    for _ in range(draws):
        batch = sampler.draw()
        pairs, wrong = label_pairs(given[batch]), wrong_pairs(network.labels[batch], given[batch])
        weights = evaluate(similarity(network.embeddings(batch)), pairs, method).weights
        total = float(weights.sum()) or 1.0  # nothing weighs anything: neither do the wrong ones
        share = float((wrong.pos | wrong.neg).sum()) / float((pairs.pos | pairs.neg).sum())
        found.append((share, float(weights[wrong.pos].sum()) / total, float(weights[wrong.neg].sum()) / total))
    share, positives, negatives = np.mean(found, axis=0).tolist()
    return NoisyPairsPoint(flipped, method, share, positives + negatives, positives, negatives)
