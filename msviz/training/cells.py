"""One run of a sweep, and what came of it."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from msviz.core.errors import MsvizError, ZeroRowWarning
from msviz.training.config import TrainConfig
from msviz.training.logs import measured
from msviz.training.loop import steps
from msviz.training.stopping import Stop
from msviz.training.trainer import Trainer

_LATER: Final = {  # what pre-training knows nothing of
    *("method", "optimiser", "learning_rate", "steps"),
    *("evaluate_every", "probe_size", "patience", "target_recall"),
    *("pairing", "negatives", "similarity", "norm_penalty"),
}


@dataclass(frozen=True)
class Cell:
    """One run of a sweep.

    Args:
        key: its name, different for every cell of a sweep, and the same whenever the sweep is started.
        config: what is run.
    """

    key: str
    config: TrainConfig


@dataclass(frozen=True)
class Outcome:
    """What came of a cell.

    Args:
        key: of the cell.
        metrics: name -> finite number; empty where there was a problem.
        seconds: how long it took.
        problem: one sentence about why there are no metrics; None = there are.
    """

    key: str
    metrics: Mapping[str, float]
    seconds: float
    problem: str | None = None


def run_cell(cell: Cell) -> dict[str, float]:
    """Train to the end and measure retrieval on both sides that were kept away.

    Cells that differ in nothing that pre-training knows of share its result, so that methods are compared from one
    start, and it is made once a process.

    Args:
        cell: the run.

    Returns:
        "val_recall_1" and "test_recall_1", and likewise recall_2, recall_4, recall_8, map_at_r, nmi.

    Raises:
        MsvizError: those of `Trainer`; error.cell_not_finite when numbers became infinite.

    Example:
        >>> from msviz.training.sources import Blobs
        >>> found = run_cell(Cell("one", TrainConfig(data=Blobs(), model="linear", steps=20, evaluate_every=0)))
        >>> len(found), found["test_recall_1"] > 0.5
        (12, True)
    """
    trainer = Trainer(cell.config)
    if cell.config.pretrain_steps:
        _begin_pretrained(trainer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ZeroRowWarning)  # large learning rates are tried; what they do shows in recall
        *_, last = steps(trainer, probe=False)
    if last.stop is Stop.NOT_FINITE or last.retrieval is None:
        plain = "numbers became infinite after {step} steps; try a smaller learning rate"
        raise MsvizError("error.cell_not_finite", plain, step=trainer.step_count)
    sides = {"val": last.retrieval, "test": trainer.evaluate("test")}
    return {f"{side}_{name}": value for side, found in sides.items() for name, value in measured(found).items()}


def check_cells(cells: Sequence[Cell]) -> None:
    """Find cells that cannot be run, before any is: K larger than a class, a CNN on what is no image.

    Args:
        cells: the sweep.

    Raises:
        MsvizError: error.cell_twice for two of one name; error.cell_impossible, which names the cell.
    """
    names: set[str] = set()
    checked: set[TrainConfig] = set()
    for cell in cells:
        if cell.key in names:
            raise MsvizError("error.cell_twice", "two cells of a sweep are named {cell}; rename one", cell=cell.key)
        names.add(cell.key)
        if (config := _shared(cell.config)) in checked:
            continue
        checked.add(config)
        try:
            Trainer(config)
        except MsvizError as problem:
            plain = "the cell {cell} cannot be run: {problem}"
            raise MsvizError("error.cell_impossible", plain, cell=cell.key, problem=str(problem)) from problem


def _begin_pretrained(trainer: Trainer) -> None:
    state, start = trainer.state_dict(), _start(_shared(trainer.config))
    learner = {**state["learner"], "model": start, "start": start, "pretrained": True}
    trainer.load_state_dict({**state, "learner": learner})


@lru_cache(maxsize=2)  # cells come seed by seed
def _start(config: TrainConfig) -> Any:
    """The weights after pre-training."""
    trainer = Trainer(config)
    for _ in trainer.pretraining():
        pass
    return trainer.state_dict()["learner"]["start"]


def _shared(config: TrainConfig) -> TrainConfig:
    """A config as pre-training sees it: the same for all that share a start."""
    same = TrainConfig(steps=1, evaluate_every=0, probe_size=0)
    return dataclasses.replace(config, **{name: getattr(same, name) for name in _LATER})
