"""What a run steps: one trainer, or two methods that get the same batches, behind the same few names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from jaxtyping import Int64

from msviz.core.errors import MsvizError
from msviz.core.methods import Method
from msviz.core.scheme import PLAIN
from msviz.training.config import TrainConfig
from msviz.training.duel import Divergence, Duel
from msviz.training.stopping import Stop
from msviz.training.trainer import Change, Trainer
from msviz.training.training_set import TrainingSet
from msviz.ui.recording import Frame
from msviz.views.in_blocks import DENSE

MOST_ITEMS: Final = 1024  # of a batch that is shown pair by pair, ten times a second
MOST_CLASSES: Final = 256  # that have looks of their own


class Engine:
    """One trainer, or a duel of two.

    Args:
        config: what is trained.
        other: the method of a second run with the same start and batches; None = a single run.
        data: the items; None = those of `config.data`.

    Raises:
        MsvizError: those of `Trainer`; error.run_batch and error.run_scheme for a batch that is too large to be looked
            at.
    """

    def __init__(self, config: TrainConfig, other: Method | None = None, data: TrainingSet | None = None) -> None:
        if config.batch_size > MOST_ITEMS or config.classes_per_batch > MOST_CLASSES:
            plain = "at most {items} items and {classes} classes a batch can be shown, got {got} and {got_classes}"
            got = {"got": config.batch_size, "got_classes": config.classes_per_batch}
            raise MsvizError("error.run_batch", plain, items=MOST_ITEMS, classes=MOST_CLASSES, **got)
        at_once = config.scheme != replace(PLAIN, normalize=config.scheme.normalize)  # see `scene`
        if at_once and config.batch_size > DENSE:
            plain = "in tuplets, with LoOp or a norm penalty at most {items} items a batch can be shown, got {got}"
            raise MsvizError("error.run_scheme", plain, items=DENSE, got=config.batch_size)
        self.config = config
        self._duel = None if other is None else Duel(config, other, data)
        self._trainers = (Trainer(config, data),) if self._duel is None else (self._duel.a, self._duel.b)

    @property
    def prepares(self) -> bool:
        """Whether something long comes before the first step."""
        return self.config.pretrain_steps > 0

    def preparation(self) -> Iterator[float]:
        """Pre-training, a step at a time; the share that is done. To be gone through before the first step."""
        every = self.config.pretrain_steps * len(self._trainers)
        losses = (loss for trainer in self._trainers for loss in trainer.pretraining())
        for done, _ in enumerate(losses, 1):
            yield done / every

    @property
    def total(self) -> int:
        """How many steps there will be."""
        return self.config.steps

    @property
    def data(self) -> TrainingSet:
        """The items."""
        return self._trainers[0].data

    @property
    def probe(self) -> Int64[np.ndarray, " q"]:
        """Rows of the items that the board follows."""
        return self._trainers[0].probe

    @property
    def stop(self) -> Stop | None:
        """Why it has ended: of a duel, why the first one did, when both have."""
        every = [trainer.stop for trainer in self._trainers]
        return None if None in every else every[0]

    @property
    def method(self) -> Method:
        """What weighs the pairs of the next step; of a duel the first one's."""
        return self._trainers[0].method

    @property
    def learning_rate(self) -> float:
        """How far the next step goes."""
        return self._trainers[0].learning_rate

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was changed on the way."""
        return self._trainers[0].changes

    @property
    def divergence(self) -> Divergence | None:
        """Where the two methods of a duel part."""
        return None if self._duel is None else self._duel.divergence

    def step(self, probe: bool) -> Frame:
        """One step; `probe`: embed the probe, too."""
        return (self._trainers[0].step(probe=probe),) if self._duel is None else self._duel.step(probe=probe)

    def look(self) -> Frame:
        """The next batch without a step; after the end with what is measured then."""
        ended = self.stop is not None
        return (self._trainers[0].look(evaluate=ended),) if self._duel is None else self._duel.look(evaluate=ended)

    def set(self, *, learning_rate: float | None = None, method: Method | None = None) -> None:
        """Change settings from the next step on: the learning rate of both, the method of the first."""
        self._trainers[0].set(learning_rate=learning_rate, method=method)
        for trainer in self._trainers[1:]:
            trainer.set(learning_rate=learning_rate)

    def rewind(self) -> None:
        """Back to the same initial weights; method and learning rate stay as they are, for the page shows them."""
        learning_rate, method = self.learning_rate, self.method
        (self._duel or self._trainers[0]).rewind()
        self.set(learning_rate=learning_rate, method=method)
