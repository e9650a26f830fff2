"""The ablation's protocol: the paper's eight rows, tuned with the same budget each, then tested on fresh seeds.

A seed redraws everything: which classes are for training, validation and test, the images, the initial weights, the
batches. Methods of one seed share all of that. Classes are drawn from the same characters each time, so a test seed may
test on one that tuning has seen; its images are new.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from msviz.core.errors import MsvizError, out_of_range
from msviz.core.methods import ABLATION, Method
from msviz.core.precision import is_finite_number
from msviz.training.ablation.settings import settings
from msviz.training.cells import Cell, Outcome, check_cells
from msviz.training.config import TrainConfig
from msviz.training.sources import Glyphs
from msviz.training.sweeps import sweep

_TUNING_FROM: Final = 1000  # test seeds count from 0, so that none of them was tuned on
_YOUNGER: Final = ("pairing", "mine_classes", "negatives", "similarity", "norm_penalty")


@dataclass(frozen=True)
class Start:
    """From where networks are trained, and for how long.

    Args:
        name: of the start.
        steps: updates by the method.
        pretrain_steps: updates as a classifier of the training classes before; 0 = from scratch.
    """

    name: str
    steps: int
    pretrain_steps: int = 0


@dataclass(frozen=True)
class Plan:
    """A whole ablation; the same plan gives the same cells.

    Args:
        name: one word.
        starts: each is an ablation of its own.
        candidates: settings that are tried of every row, >= 1; 1 = nothing is tuned, the authors' values are used.
        tuning_seeds: seeds that each is tried on, >= 1.
        test_seeds: other seeds, for the numbers that count, >= 2.
        learning_rates: those at which `PRINTED` is tried; the first is used where nothing is tuned.
        config: all that the rows share; seeds, steps, method and learning rate are replaced.

    Raises:
        MsvizError: error.parameter_range.

    Example:
        >>> plan = PLANS["full"]
        >>> len(plan.tuning_cells()), plan.tuning_cells()[0].key
        (576, 'scratch/tune/1000/binomial/0')
    """

    name: str
    starts: tuple[Start, ...]
    candidates: int
    tuning_seeds: int
    test_seeds: int
    learning_rates: tuple[float, ...] = (1e-3, 3e-3)
    config: TrainConfig = field(default_factory=lambda: TrainConfig(data=Glyphs(hardness=0.6), evaluate_every=0))

    def __post_init__(self) -> None:
        for name, low in (("candidates", 1), ("tuning_seeds", 1), ("test_seeds", 2)):
            got = getattr(self, name)
            if not is_finite_number(got) or got != int(got) or got < low:
                raise out_of_range(name, f"a whole number >= {low}", got)

    def as_json(self) -> dict[str, Any]:
        """This plan as plain JSON values: what the first line of its results says."""
        first, config = TrainConfig().as_json(), self.config.as_json()
        # Younger than results that exist: said where they matter only, so that those are results of this plan still.
        same = [name for name in _YOUNGER if config[name] == first[name]]
        said = {name: value for name, value in config.items() if name not in same}
        return {"ablation": {**dataclasses.asdict(self), "config": said}}

    def settings(self, row: str) -> list[tuple[Method, float]]:
        """What is tried for a row, see `settings`.

        Args:
            row: a name in `msviz.ABLATION`.
        """
        return settings(row, self.candidates, self.learning_rates)

    def tuning_cells(self) -> list[Cell]:
        """What has to be run before the settings are known; nothing where there is nothing to choose."""
        if self.candidates == 1:
            return []
        return [
            self._cell(_tuning_key(start, seed, row, at), start, _TUNING_FROM + seed, *setting)
            for seed in range(self.tuning_seeds)  # in the outer loop: the runs of a seed share images and pre-training
            for start in self.starts
            for row in ABLATION
            for at, setting in enumerate(self.settings(row))
        ]

    def chosen(self, outcomes: Mapping[str, Outcome], start: Start, row: str) -> tuple[Method, float]:
        """The method and learning rate with the best mean validation Recall@1 in tuning; of equals the first.

        Args:
            outcomes: key -> what came of every tuning cell.
            start: one of the plan's.
            row: a name in `msviz.ABLATION`.

        Raises:
            MsvizError: error.ablation_failed when none could be trained.
        """
        tried = self.settings(row)
        if self.candidates == 1:
            return tried[0]
        keys = [[_tuning_key(start, seed, row, at) for seed in range(self.tuning_seeds)] for at in range(len(tried))]
        recall = [[outcomes[key].metrics.get("val_recall_1", -math.inf) for key in of_one] for of_one in keys]
        means = [sum(of_one) / len(of_one) for of_one in recall]
        if max(means) == -math.inf:
            plain = "none of the settings of {row} could be trained ({start}): {problem}; choose others"
            problem = outcomes[keys[0][0]].problem or ""
            raise MsvizError("error.ablation_failed", plain, row=row, start=start.name, problem=problem)
        return tried[means.index(max(means))]

    def test_cells(self, outcomes: Mapping[str, Outcome]) -> list[Cell]:
        """What is run with the chosen settings.

        Args:
            outcomes: key -> what came of every tuning cell.
        """
        return self._test_cells({(start, row): self.chosen(outcomes, start, row) for start, row in self._each()})

    def check(self) -> None:
        """Find test cells that cannot be run, before any tuning; `sweep` does the same for what is tuned.

        Raises:
            MsvizError: error.cell_impossible, such as K larger than a class.
        """
        check_cells(self._test_cells({at: self.settings(at[1])[0] for at in self._each()}))

    def _each(self) -> list[tuple[Start, str]]:
        return [(start, row) for start in self.starts for row in ABLATION]

    def _test_cells(self, chosen: Mapping[tuple[Start, str], tuple[Method, float]]) -> list[Cell]:
        return [
            self._cell(test_key(start, seed, row), start, seed, *chosen[start, row])
            for seed in range(self.test_seeds)
            for start in self.starts
            for row in ABLATION
        ]

    def _cell(self, key: str, start: Start, seed: int, method: Method, learning_rate: float) -> Cell:
        config = dataclasses.replace(
            self.config,
            data=dataclasses.replace(self.config.data, seed=seed),  # type: ignore[type-var]
            method=method,
            learning_rate=learning_rate,
            steps=start.steps,
            pretrain_steps=start.pretrain_steps,
            seed=seed,
        )
        return Cell(key, config)


def run_ablation(
    plan: Plan, results: str | Path | None = None, n_jobs: int | None = None, command: str = ""
) -> Iterator[Outcome]:
    """Run a plan: tune, choose, test; yield what comes of each cell, see `sweep`.

    Args:
        plan: the whole of it.
        results: a file that keeps every finished cell, so that a second start goes on; None = none.
        n_jobs: how many cells at a time, see `sweep`.
        command: what was typed to start it, for the file.

    Raises:
        MsvizError: those of `sweep` and of `Plan.chosen`.
    """
    plan.check()
    tuned: dict[str, Outcome] = {}
    options: dict[str, Any] = {"results": results, "n_jobs": n_jobs, "what": plan.as_json(), "command": command}
    for outcome in sweep(plan.tuning_cells(), **options):
        tuned[outcome.key] = outcome
        yield outcome
    yield from sweep(plan.test_cells(tuned), **options)


def test_key(start: Start, seed: int, row: str) -> str:
    """The key of a test cell.

    Args:
        start: one of the plan's.
        seed: from 0.
        row: a name in `msviz.ABLATION`.
    """
    return f"{start.name}/test/{seed}/{row}"


def _tuning_key(start: Start, seed: int, row: str, at: int) -> str:
    return f"{start.name}/tune/{_TUNING_FROM + seed}/{row}/{at}"


_STARTS: Final = (Start("scratch", steps=800), Start("pretrained", steps=300, pretrain_steps=300))

PLANS: Final = {
    "full": Plan("full", _STARTS, candidates=12, tuning_seeds=3, test_seeds=12),
    "small": Plan(
        "small",
        (Start("scratch", steps=300), Start("pretrained", steps=150, pretrain_steps=300)),
        candidates=1,
        tuning_seeds=1,
        test_seeds=3,
        learning_rates=(1e-3,),
    ),
}
"""A name -> its plan: "full" is about 45 minutes of one core's work, "small", without tuning, a minute and a half."""
