"""The network that an experiment looks at, at one moment of its training, and the settings that several share."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from msviz.core.losses.spec import param
from msviz.training.config import TrainConfig
from msviz.training.sources import Glyphs
from msviz.training.trainer import Trainer

# About a second on one core, and far enough for mining to let go of most pairs.
SMALL: Final = TrainConfig(
    data=Glyphs(hardness=0.25), model="mlp", learning_rate=3e-3, steps=400, evaluate_every=0, probe_size=0
)
_WHOLE: Final[dict[str, Any]] = {"whole": True, "step": 1}


def steps_param(default: int = SMALL.steps) -> Any:
    """The field of an experiment's settings for the training before it."""
    return param("steps", default, 1, 5000, "More: the network is trained longer before it is looked at.", **_WHOLE)


def seed_param() -> Any:
    """The field of an experiment's settings that decides everything drawn."""
    return param("seed", 0, 0, 2**31 - 1, "Another seed: other classes, initial weights and batches.", **_WHOLE)


def draws_param(default: int) -> Any:
    """The field of an experiment's settings for the batches that a point is the mean of."""
    return param("batches", default, 1, 10_000, "More: steadier points, and a longer run.", **_WHOLE)


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Embeddings of what a network is trained on, by its weights of one moment.

    Args:
        x: [n, d] embeddings; any length.
        labels: [n] classes.

    Example:
        >>> Checkpoint(np.eye(2), np.array([0, 1])).embeddings([1]).tolist()
        [[0.0, 1.0]]
    """

    x: Float64[np.ndarray, "n d"]
    labels: Int64[np.ndarray, " n"]

    @classmethod
    def of(cls, trainer: Trainer) -> Checkpoint:
        """The training side of a run, as it is now.

        Args:
            trainer: the run.
        """
        rows = trainer.split.train
        return cls(trainer.embed(rows).astype(np.float64), trainer.data.labels[rows])

    def embeddings(self, rows: Any) -> Float64[Tensor, "b d"]:
        """Embeddings of a batch.

        Args:
            rows: [b] which items.
        """
        return torch.from_numpy(self.x[rows])


def checkpoint(steps: int, seed: int) -> Checkpoint:
    """A small network after some steps on glyphs, by the authors' method.

    Args:
        steps: updates, >= 1.
        seed: whole number >= 0.
    """
    return Checkpoint.of(trained(Trainer(dataclasses.replace(SMALL, steps=steps, seed=seed))))


def trained(trainer: Trainer) -> Trainer:
    """The same trainer after all of its steps.

    Args:
        trainer: a run that goes on.
    """
    while trainer.stop is None:
        trainer.step(probe=False)
    return trainer
