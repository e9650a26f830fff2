"""Writing the results of a sweep, cell by cell, and going on with a file that holds some of them."""

from __future__ import annotations

import datetime
import errno
import json
import os
import platform
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any, NoReturn

import torch

from msviz.core.errors import MsvizError, shown
from msviz.training.cells import Cell, Outcome
from msviz.training.config import TrainConfig
from msviz.training.results_file import FORMAT, VERSION, ResultsWarning, read

if sys.platform != "win32":
    import fcntl


class ResultsFile:
    """A results file that grows cell by cell; each is on the disk before the next is waited for.

    Args:
        path: the file; made when it is not there or empty, gone on with when it is.
        what: what the sweep is, JSON values; a file of another sweep is refused.
        command: what was typed to make it.
        cells: the sweep; at least one.

    Raises:
        MsvizError: those of `read_results`; error.results_other for a file of another sweep, error.results_config for
            a cell that was run with other settings, error.results_busy while another writes it; error.results_write,
            also from `append`.

    Attributes:
        outcomes: key -> what came of the cells that are in the file already.
    """

    def __init__(self, path: str | Path, what: Mapping[str, Any], command: str, cells: Sequence[Cell]) -> None:
        self.path = Path(path)
        self.outcomes: dict[str, Outcome] = {}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("ab", buffering=0)
        except OSError as problem:
            self._refuse(problem)
        try:
            self._lock()
            self._begin(_plain(what), _made(command), cells)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let others write."""
        self._file.close()

    def append(self, outcome: Outcome, config: TrainConfig) -> None:
        """Write what came of a cell.

        Args:
            outcome: of it.
            config: what was run.
        """
        plain = _plain(config.as_json())
        differs = {name: value for name, value in plain.items() if self._base.get(name) != value}
        values = {"metrics": dict(outcome.metrics), "seconds": round(outcome.seconds, 3), "problem": outcome.problem}
        self._append({"key": outcome.key, "config": differs, **values})
        self.outcomes[outcome.key] = outcome

    def _begin(self, what: dict[str, Any], made: dict[str, Any], cells: Sequence[Cell]) -> None:
        if self.path.stat().st_size == 0:
            self._base = _plain(cells[0].config.as_json())
            self._append({"format": FORMAT, "version": VERSION, "what": what, "made": made, "config": self._base})
            return
        found, self._base, whole = read(self.path)
        if found.what != what:
            plain = "the results {path} are of another sweep, {got}; choose another name for this one"
            raise MsvizError(
                "error.results_other", plain, path=str(self.path), got=shorten(json.dumps(found.what), 120)
            )
        for cell in cells:
            if cell.key in found.configs:
                self._check_same(cell, found.configs[cell.key])
        if found.torn:
            plain = f"the last line of {self.path} was torn off in the middle; its cell is run again"
            warnings.warn(plain, ResultsWarning, stacklevel=4)
            self._cut(whole)
        self.outcomes = found.outcomes
        missing = any(cell.key not in found.outcomes for cell in cells)
        if missing and {**found.made[-1], "date": ""} != {**made, "date": ""}:
            self._append({"made": made})

    def _check_same(self, cell: Cell, saved: dict[str, Any]) -> None:
        given = _plain(cell.config.as_json())
        for name in given:
            if saved.get(name) != given[name]:
                raise MsvizError(
                    "error.results_config",
                    "the results {path} hold {cell} with {name} {saved}, and now it is {given}; "
                    "set it back, or choose another name",
                    path=str(self.path),
                    cell=cell.key,
                    name=name,
                    saved=shown(saved.get(name)),
                    given=shown(given[name]),
                )

    def _append(self, values: dict[str, Any]) -> None:
        try:
            line = _line(values).encode()
            if self._file.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file.fileno())
        except OSError as problem:
            self._refuse(problem)

    def _lock(self) -> None:
        """Two sweeps at once would run every cell twice. The system lets go when the process ends, however it ends."""
        if sys.platform == "win32":
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            plain = "the results {path} are being written just now; wait until that has ended, or choose another name"
            raise MsvizError("error.results_busy", plain, path=str(self.path)) from problem

    def _cut(self, whole: int) -> None:
        try:
            os.truncate(self.path, whole)
        except OSError as problem:
            self._refuse(problem)

    def _refuse(self, problem: BaseException) -> NoReturn:
        raise MsvizError(
            "error.results_write",
            "the results {path} cannot be written: {problem}; choose another place, or make room",
            path=str(self.path),
            problem=getattr(problem, "strerror", None) or str(problem),
        ) from problem


def _made(command: str) -> dict[str, Any]:
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return {"command": command, "commit": _commit(), "machine": machine, "torch": torch.__version__, "date": today}


def _commit() -> str | None:
    """The commit of this code, with "-dirty" where files differ from it; None where there is no git to ask."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        asked = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return asked.stdout.strip()


def _plain(values: Any) -> Any:
    return json.loads(json.dumps(values))


def _line(values: dict[str, Any]) -> str:
    return json.dumps(values, allow_nan=False, ensure_ascii=False) + "\n"
