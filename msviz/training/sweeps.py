"""Many runs at once, through joblib: on the cores of this machine, or on whatever `joblib.parallel_config` names.

with joblib.parallel_config("dask"):      # or "ray": a cluster serves without a line of ours
    for outcome in sweep(cells, results="sweep.jsonl"):
        print(outcome)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from textwrap import shorten
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from msviz.core.errors import MsvizError, out_of_range
from msviz.core.precision import is_finite_number
from msviz.training.cells import Cell as Cell
from msviz.training.cells import Outcome as Outcome
from msviz.training.cells import check_cells
from msviz.training.cells import run_cell as run_cell
from msviz.training.results_writer import ResultsFile


def sweep(
    cells: Sequence[Cell],
    run: Callable[[Cell], Mapping[str, float]] = run_cell,
    results: str | Path | None = None,
    n_jobs: int | None = None,
    *,
    what: Mapping[str, Any] | None = None,
    command: str = "",
) -> Iterator[Outcome]:
    """Run cells, and yield what comes of each as it ends; first those that a results file holds already.

    A cell that cannot give numbers (`MsvizError`) has ended with a problem; it is written, for it would come again.
    Any other exception is the machine's: it is yielded as a problem, too, but the next start tries that cell again.

    Args:
        cells: what is run, each key once.
        run: cell -> metrics, finite numbers by name; a function of a module, as other processes have to find it.
        results: a file that keeps every finished cell at once, so that a second start goes on; None = none.
        n_jobs: how many at a time, -1 = one a core; None = what joblib is configured to, by default 1.
        what: what the sweep is, JSON values for the file's first line; a file of another sweep is refused.
        command: what was typed to make it, for that line.

    Raises:
        MsvizError: before anything runs error.cell_impossible, error.cell_twice and those of `ResultsFile`; later
            error.sweep_broken when a worker died, error.results_write. What had ended by then is in the file.

    Example:
        >>> from msviz.training.config import TrainConfig
        >>> cells = [Cell(f"seed {seed}", TrainConfig(seed=seed)) for seed in (3, 4)]
        >>> [outcome.metrics for outcome in sweep(cells, lambda cell: {"twice": 2 * cell.config.seed})]
        [{'twice': 6}, {'twice': 8}]
    """
    check_cells(cells)
    with ExitStack() as stack:
        file = ResultsFile(results, what or {}, command, cells) if results is not None and cells else None
        done: dict[str, Outcome] = {}
        if file is not None:
            stack.callback(file.close)
            done |= file.outcomes
        yield from [done[cell.key] for cell in cells if cell.key in done]
        left = {cell.key: cell for cell in cells if cell.key not in done}
        for outcome, lasts in _ended(left, run, n_jobs):
            if file is not None and lasts:
                file.append(outcome, left[outcome.key].config)
            yield outcome


_Ended = tuple[Outcome, bool]  # what came of a cell, and whether it would come again


def _ended(
    cells: Mapping[str, Cell], run: Callable[[Cell], Mapping[str, float]], n_jobs: int | None
) -> Iterator[_Ended]:
    running: dict[str, None] = {}

    def jobs() -> Iterator[Any]:
        for key, cell in cells.items():
            running[key] = None
            yield delayed(_attempt)(cell, run)

    try:
        for ended in _in_parallel(jobs(), n_jobs):
            running.pop(ended[0].key, None)
            yield ended
    except Exception as problem:  # not of a cell: `_attempt` catches those
        raise MsvizError(
            "error.sweep_broken",
            "the sweep broke off while {cells} ran: {problem}; what had ended is kept, start again to go on",
            cells=", ".join(running),
            problem=_first_words(problem),
        ) from problem


def _in_parallel(jobs: Iterator[Any], n_jobs: int | None) -> Iterator[_Ended]:
    # No more are handed out than can run: a dying worker takes few along, and they can be named.
    options = {"n_jobs": n_jobs, "batch_size": 1, "pre_dispatch": "n_jobs"}
    backend, _ = get_active_backend()
    if backend.supports_return_generator:
        yield from Parallel(return_as="generator_unordered", **options)(jobs)
        return
    # Pools, such as Ray's, answer only when all of a call have ended: so as many at a time as can run.
    with Parallel(**options) as parallel:
        while some := list(islice(jobs, effective_n_jobs(n_jobs))):
            yield from parallel(some)


def _attempt(cell: Cell, run: Callable[[Cell], Mapping[str, float]]) -> _Ended:
    """Run a cell, in whatever process."""
    began = time.perf_counter()
    metrics: dict[str, float] = {}
    problem, lasts = None, True
    try:
        metrics = _checked(run(cell))
    except MsvizError as error:
        problem = str(error)
    except Exception as error:
        problem, lasts = _first_words(error), False
    return Outcome(cell.key, metrics, time.perf_counter() - began, problem), lasts


def _first_words(problem: Exception) -> str:
    return shorten(f"{type(problem).__name__}: {problem}", 200, placeholder=" ...")


def _checked(metrics: Mapping[str, float]) -> dict[str, float]:
    for name, value in metrics.items():
        if not is_finite_number(value):
            raise out_of_range(name, "a finite number", value)
    return dict(metrics)
