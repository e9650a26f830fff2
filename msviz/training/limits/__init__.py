"""The known limits of multi-similarity and general pair weighting, each as an experiment on this machine.

Each has settings, whose fields made with `param` have a control on the page, and yields the points of its curves as
they are measured, always the same ones for the same settings (but for time and memory).

>>> from msviz.training.limits import CompositionSettings, composition
>>> first = next(composition(CompositionSettings(steps=20, draws=5)))
>>> first.batch_size, 0 <= first.kept <= 1
(4, True)
"""

from msviz.training.limits.checkpoint import Checkpoint, checkpoint
from msviz.training.limits.composition import (
    PAPER_BATCH,
    PAPER_THIN,
    CompositionPoint,
    CompositionSettings,
    composition,
)
from msviz.training.limits.cost import CostPoint, CostSettings, cost
from msviz.training.limits.noise import (
    NoisyPairsPoint,
    NoisyPairsSettings,
    flip_labels,
    noisy_pairs,
    wrong_pairs,
)
from msviz.training.limits.noise_training import NoisyTrainingPoint, NoisyTrainingSettings, noisy_training
from msviz.training.limits.scale import ScalePoint, ScaleSettings, scale
from msviz.training.limits.sign import BATCHES, SignPoint, SignSettings, sign

__all__ = [
    "BATCHES",
    "PAPER_BATCH",
    "PAPER_THIN",
    "Checkpoint",
    "CompositionPoint",
    "CompositionSettings",
    "CostPoint",
    "CostSettings",
    "NoisyPairsPoint",
    "NoisyPairsSettings",
    "NoisyTrainingPoint",
    "NoisyTrainingSettings",
    "ScalePoint",
    "ScaleSettings",
    "SignPoint",
    "SignSettings",
    "checkpoint",
    "composition",
    "cost",
    "flip_labels",
    "noisy_pairs",
    "noisy_training",
    "scale",
    "sign",
    "wrong_pairs",
]
