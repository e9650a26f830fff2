"""The small ablation that a visitor starts: one for the whole server, as everybody would get the same numbers.

Whoever watches keeps it going; when nobody does it falls asleep between two runs (see `Measuring`). Every finished run
is in a file, so that another start goes on after something went wrong.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import fmean

from msviz.core.methods import ABLATION
from msviz.training.ablation import PLANS, Plan, run_ablation
from msviz.training.cells import Outcome
from msviz.training.results_file import Results, read_results
from msviz.ui.limit_runs import Measuring


class SharedAblation:
    """A plan that is run for everybody who watches.

    Args:
        plan: what is run.
        file: keeps what has ended.
    """

    def __init__(self, plan: Plan, file: Path) -> None:
        self.plan, self.file = plan, file
        self.run: Measuring | None = None
        self._lock = threading.Lock()

    def watch(self) -> None:
        """Somebody looks: begin, go on, or stay awake; after an error it rests until `begin`."""
        if self.run is not None:
            self.run.poll()

    def begin(self) -> None:
        """Begin, or go on with what is in the file."""
        with self._lock:
            if self.run is None or self.run.error is not None:
                self.run = Measuring(self._measure, self.plan)
        self.watch()

    @property
    def results(self) -> Results | None:
        """What has ended so far; None = nothing."""
        return read_results(self.file) if self.done else None

    @property
    def done(self) -> int:
        """How many runs have ended."""
        return 0 if self.run is None else len(self.run.points)

    @property
    def total(self) -> int:
        """How many runs there are."""
        return len(self.plan.tuning_cells()) + len(self.plan.starts) * self.plan.test_seeds * len(ABLATION)

    @property
    def seconds_left(self) -> float | None:
        """About how long it will take from here, by what the runs took so far; None = nobody knows."""
        if self.run is None or not self.run.points:
            return None
        spent: list[float] = [outcome.seconds for outcome in self.run.points]
        return (self.total - len(spent)) * fmean(spent)

    def _measure(self, plan: Plan) -> Iterator[Outcome]:
        return run_ablation(plan, self.file, n_jobs=1, command="run here, on the Ablation page")


@cache
def shared_ablation() -> SharedAblation:
    """The server's; its file goes with the server."""
    return SharedAblation(PLANS["small"], Path(_folder().name) / "ablation-small.jsonl")


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="msviz-")
