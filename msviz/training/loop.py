"""A whole run as one loop, with its checkpoints."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from msviz.core.errors import MsvizError
from msviz.training.checkpoint import load_checkpoint, save_checkpoint
from msviz.training.config import TrainConfig
from msviz.training.processes import ALONE, Processes
from msviz.training.snapshot import Snapshot
from msviz.training.stopping import Stop
from msviz.training.trainer import Trainer
from msviz.training.training_set import TrainingSet


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written; the run goes on, and the earlier checkpoint is still there."""


def train(
    config: TrainConfig,
    data: TrainingSet | None = None,
    *,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 0,
    resume: bool = False,
) -> Iterator[Snapshot]:
    """Train to the end, snapshot by snapshot; the last one is of the final weights, evaluated, and says why it ended.

    Args:
        config: what is trained, and how.
        data: the items; None = those of `config.data`.
        checkpoint: a file for the run's state; None = none is written. It is written at the start and at the end, but
            not when numbers became infinite: then the state before stays.
        checkpoint_every: write it after every so many steps, too; 0 = not.
        resume: go on from `checkpoint`.

    Raises:
        MsvizError: those of `Trainer` and `load_checkpoint`; error.checkpoint_exists for a file that is neither
            resumed nor free; error.checkpoint_write at the start and at the end. In between it is a
            `CheckpointWarning`: a full disk ends no run.

    Example:
        >>> from msviz.training.sources import Blobs
        >>> *_, last = train(TrainConfig(data=Blobs(), model="linear", steps=20))
        >>> last.step, last.stop, last.retrieval.recall[1] > 0.5
        (20, <Stop.STEPS: 'steps'>, True)
    """
    yield from steps(begin(config, data, checkpoint=checkpoint, resume=resume), checkpoint, checkpoint_every)


def begin(
    config: TrainConfig,
    data: TrainingSet | None = None,
    *,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    group: Processes = ALONE,
) -> Trainer:
    """The trainer of a run that begins, or goes on.

    Args:
        config: what is trained, and how.
        data: the items; None = those of `config.data`.
        checkpoint: the file of the run's state; None = none.
        resume: go on from it.
        group: the processes that share every batch.

    Raises:
        MsvizError: those of `Trainer` and `load_checkpoint`; error.checkpoint_exists.
    """
    if checkpoint is not None and resume:
        return load_checkpoint(checkpoint, config, data, group=group)
    if group.is_first:  # for the others it may be there already, as it was just made
        _check_free(checkpoint)
    return Trainer(config, data, group=group)


def steps(
    trainer: Trainer,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 0,
    *,
    probe: bool = True,
) -> Iterator[Snapshot]:
    """All steps that a trainer has left, as `train` yields and saves them.

    Args:
        trainer: the run.
        checkpoint: the file for its state, which is written over; None = none is written.
        checkpoint_every: write it after every so many steps, too; 0 = not.
        probe: embed the probe, too.

    Raises:
        MsvizError: error.checkpoint_write at the start and at the end.
    """
    if checkpoint is not None:
        save_checkpoint(trainer, checkpoint)
    while trainer.stop is None:
        snapshot = trainer.step(probe=probe)
        if snapshot.stop is None:
            yield snapshot
        if checkpoint is not None and checkpoint_every and trainer.step_count % checkpoint_every == 0:
            try:
                save_checkpoint(trainer, checkpoint)
            except MsvizError as problem:
                warnings.warn(str(problem), CheckpointWarning, stacklevel=2)
    yield trainer.look(probe=probe, evaluate=True)
    if checkpoint is not None and trainer.stop is not Stop.NOT_FINITE:
        save_checkpoint(trainer, checkpoint)


def _check_free(checkpoint: str | Path | None) -> None:
    if checkpoint is not None and Path(checkpoint).exists():
        raise MsvizError(
            "error.checkpoint_exists",
            "there is a run in {path} already; resume it, or choose another name",
            path=str(checkpoint),
        )
