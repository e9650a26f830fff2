"""Networks trained with wrong labels: what becomes of retrieval as beta grows.

A larger beta gives wrong negatives more of the weight, and a CNN retrieves worse for it. Recall@1 on characters that it
was not trained on, after 300 steps, mean of 3 seeds:

    beta                2     10    40    160
    right labels       .89   .90   .91   .90
    30 % flipped       .58   .54   .51   .46

The small MLP of the other limits, on easier characters, loses .04 to .12, whatever beta is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from msviz.core.losses.spec import check, param
from msviz.core.methods import METHODS, Method
from msviz.training.limits.checkpoint import SMALL, Checkpoint, seed_param, steps_param, trained
from msviz.training.limits.noise import flip_labels, on_wrong_pairs
from msviz.training.sources import Glyphs
from msviz.training.trainer import Trainer
from msviz.training.training_set import TrainingSet, split

_TRAINED: Final = dataclasses.replace(SMALL, data=Glyphs(), model="cnn", learning_rate=1e-3, steps=300)


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
    steps: int = steps_param(_TRAINED.steps)
    repeats: int = param("repeats", 1, 1, 20, "More: chance shows itself, and the run is longer.", whole=True, step=1)
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
    right = _TRAINED.data.load()
    for seed in range(settings.seed, settings.seed + settings.repeats):
        rows = split(right, "classes", seed).train
        labels = right.labels.copy()
        labels[rows] = flip_labels(labels[rows], settings.flipped, np.random.default_rng(seed))
        wrong = TrainingSet(right.inputs, labels, right.names)  # flips stay within the training classes: the same split
        for beta, method in zip(settings.betas, methods, strict=True):
            config = dataclasses.replace(_TRAINED, method=method, steps=settings.steps, seed=seed)
            for flipped, data in ((0.0, right), (settings.flipped, wrong)):
                run = trained(Trainer(config, data))
                network = Checkpoint(Checkpoint.of(run).x, right.labels[rows])
                weight = on_wrong_pairs(network, data.labels[rows], flipped, method, draws=10, seed=seed).weight
                yield NoisyTrainingPoint(beta, flipped, seed, run.evaluate("test").recall[1], weight)
