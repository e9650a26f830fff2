"""Labels that are wrong: which pairs weigh more for it, under which loss, and what becomes of retrieval.

Flipping the label of an item makes two kinds of wrong pairs: positives that are of other classes in truth, and
negatives that are of one class. Both look as hard as can be, and hard pairs are what the losses weigh.

A larger beta gives wrong negatives more of the weight as long as the network stays as it is. That retrieval suffers
more from wrong labels at a larger beta does not show in our runs: a network that learns from them changes the pairs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from msviz.core.losses.spec import check, param
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
    trained,
)
from msviz.training.sampler import PKSampler
from msviz.training.trainer import Trainer
from msviz.training.training_set import TrainingSet, split


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
            yield _on_wrong_pairs(network, given, flipped, method, settings.draws, settings.seed)


@dataclass(frozen=True)
class NoisyTrainingSettings:
    """Networks trained with flipped labels, at growing beta, beside some trained with right ones.

    Args:
        flipped: share of the training labels that are wrong, 0..0.9.
        steps: of training, 1..5000.
        repeats: networks of each kind, 1..20; each with its own classes, initial weights, batches and flips.
        seed: of the first; the next take the next ones.
        method: is given each beta in turn; it must have one.
        betas: which.

    Raises:
        MsvizError: error.parameter_range.
    """

    flipped: float = param("flipped", 0.3, 0, 0.9, "Larger: more training labels are wrong.")
    steps: int = steps_param()
    repeats: int = param("repeats", 2, 1, 20, "More: chance shows itself, and the run is longer.", whole=True, step=1)
    seed: int = seed_param()
    method: Method = METHODS["ms"]
    betas: tuple[float, ...] = (2, 10, 40, 160)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class NoisyTrainingPoint:
    """One network after training.

    Args:
        beta: of its method.
        flipped: share of its training labels that were wrong; 0 for the one to compare with.
        seed: of the run; equal seeds have classes, initial weights and batches in common.
        recall: Recall@1 on classes that it was not trained on, with right labels, 0..1.
        weight: share of the weight that lies on wrong pairs at the end, 0..1.
    """

    beta: float
    flipped: float
    seed: int
    recall: float
    weight: float


def noisy_training(settings: NoisyTrainingSettings) -> Iterator[NoisyTrainingPoint]:
    """For each seed and beta, beta growing, a network trained with right labels and one with wrong labels.

    Args:
        settings: what is trained.

    Raises:
        MsvizError: error.parameter_unknown for a method without beta; error.too_few_items when flips leave a class too
            few items for a batch.
    """
    methods = [settings.method.replace(beta=beta) for beta in settings.betas]
    right = SMALL.data.load()
    for seed in range(settings.seed, settings.seed + settings.repeats):
        rows = split(right, "classes", seed).train
        labels = right.labels.copy()
        labels[rows] = flip_labels(labels[rows], settings.flipped, np.random.default_rng(seed))
        wrong = TrainingSet(right.inputs, labels, right.names)  # flips stay within the training classes: the same split
        for beta, method in zip(settings.betas, methods, strict=True):
            config = dataclasses.replace(SMALL, method=method, steps=settings.steps, seed=seed)
            for flipped, data in ((0.0, right), (settings.flipped, wrong)):
                run = trained(Trainer(config, data))
                network = Checkpoint(Checkpoint.of(run).x, right.labels[rows])
                weight = _on_wrong_pairs(network, data.labels[rows], flipped, method, draws=10, seed=seed).weight
                yield NoisyTrainingPoint(beta, flipped, seed, run.evaluate("test").recall[1], weight)


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


def _on_wrong_pairs(
    network: Checkpoint, given: Int64[np.ndarray, " n"], flipped: float, method: Method, draws: int, seed: int
) -> NoisyPairsPoint:
    """Batches as training draws them: by the labels that are given; `network` has the true ones."""
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
