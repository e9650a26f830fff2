"""Training real networks with the losses, mining and weights of the core: data, models, sampler, trainer.

>>> from msviz.training import Blobs, TrainConfig, Trainer
>>> trainer = Trainer(TrainConfig(data=Blobs(), model="mlp"))
>>> trainer.step().step, trainer.look().step
(0, 1)
"""

from msviz.training.cells import Cell, Outcome, run_cell
from msviz.training.changes import Change
from msviz.training.checkpoint import load_checkpoint, save_checkpoint
from msviz.training.config import FIELDS, Choice, TrainConfig
from msviz.training.duel import Divergence, Duel
from msviz.training.loop import CheckpointWarning, train
from msviz.training.models import MODELS, build_model
from msviz.training.results_file import Results, ResultsWarning, read_results
from msviz.training.retrieval import Retrieval, retrieval
from msviz.training.snapshot import Snapshot, WeightStatistics
from msviz.training.sources import (
    SOURCES,
    Blobs,
    Digits,
    Features,
    Folder,
    Glyphs,
    Iris,
    Moons,
    Points,
    Rings,
    Source,
    Wine,
    source_from_json,
    source_to_json,
)
from msviz.training.statistics import Difference, holm, paired, verdict
from msviz.training.stopping import Stop
from msviz.training.sweeps import sweep
from msviz.training.trainer import Trainer
from msviz.training.training_set import Split, TrainingSet, split

__all__ = [
    "FIELDS",
    "MODELS",
    "SOURCES",
    "Blobs",
    "Cell",
    "Change",
    "CheckpointWarning",
    "Choice",
    "Difference",
    "Digits",
    "Divergence",
    "Duel",
    "Features",
    "Folder",
    "Glyphs",
    "Iris",
    "Moons",
    "Outcome",
    "Points",
    "Results",
    "ResultsWarning",
    "Retrieval",
    "Rings",
    "Snapshot",
    "Source",
    "Split",
    "Stop",
    "TrainConfig",
    "Trainer",
    "TrainingSet",
    "WeightStatistics",
    "Wine",
    "build_model",
    "holm",
    "load_checkpoint",
    "paired",
    "read_results",
    "retrieval",
    "run_cell",
    "save_checkpoint",
    "source_from_json",
    "source_to_json",
    "split",
    "sweep",
    "train",
    "verdict",
]
