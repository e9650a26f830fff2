"""A run's log in a file, CSV or JSON lines. It holds no times, so that the same run has the same log."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any, Final

from msviz.core.errors import MsvizError, shown
from msviz.training.checkpoint import write_whole
from msviz.training.config import TrainConfig
from msviz.training.retrieval import RECALL_AT, Retrieval
from msviz.training.snapshot import Snapshot

COLUMNS: Final = (
    *("step", "loss", "learning_rate", "gradient_norm", "mined_share"),
    *(f"recall_{k}" for k in RECALL_AT),
    *("map_at_r", "nmi", "stop"),
)


class Log:
    """A log that is written row by row; each row is in the file before the next step begins.

    Of a run that goes on, the rows from its checkpoint on are cut off first: they come again, with the same numbers.

    Args:
        path: a file whose name ends in .csv or .jsonl.
        config: of the run; the first line of a .jsonl is {"config": ...}.
        resumed_at: updates made before, of a run that goes on: rows of these steps are kept. None = a new run.

    Raises:
        MsvizError: error.log_name for another ending, error.log_exists for a file that holds no log to go on with,
            error.log_write; the last one also from `row` and `result`.
    """

    def __init__(self, path: str | Path, config: TrainConfig, resumed_at: int | None = None) -> None:
        self.path = Path(path)
        if self.path.suffix not in (".csv", ".jsonl"):
            raise MsvizError("error.log_name", "a log must be named .csv or .jsonl, got {got}", got=shown(str(path)))
        self._is_csv = self.path.suffix == ".csv"
        head = _csv_line(COLUMNS) if self._is_csv else _json_line({"config": config.as_json()})
        content = "".join([head, *self._kept(resumed_at)])
        try:
            write_whole(self.path, content.encode())
        except MsvizError as problem:
            raise self._unwritable(problem.__cause__) from problem

    def row(self, snapshot: Snapshot) -> None:
        """Write what a step was: every column of `COLUMNS` that it has.

        Args:
            snapshot: of the step.
        """
        values = {
            "step": snapshot.step,
            "loss": snapshot.loss,
            "learning_rate": snapshot.learning_rate,
            "gradient_norm": snapshot.gradient_norm,
            "mined_share": snapshot.mined_share,
            **({} if snapshot.retrieval is None else measured(snapshot.retrieval)),
            **({} if snapshot.stop is None else {"stop": snapshot.stop.value}),
        }
        self._write(_csv_line([values.get(name, "") for name in COLUMNS]) if self._is_csv else _json_line(values))

    def result(self, test: Retrieval) -> None:
        """Write what was measured on the test side after the last step: {"test": ...}, in JSON lines only.

        Args:
            test: the measurement.
        """
        if not self._is_csv:
            self._write(_json_line({"test": measured(test)}))

    def _kept(self, resumed_at: int | None) -> list[str]:
        if not self.path.exists():
            return []
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
            whole = [line for line in lines if line.endswith("\n")]  # a killed process may leave half of the last one
            if resumed_at is not None and (whole[0] == _csv_line(COLUMNS) or "config" in json.loads(whole[0])):
                return [line for line in whole[1:] if self._step(line) < resumed_at]
        except OSError as problem:
            raise self._unwritable(problem) from problem
        except (ValueError, LookupError, TypeError):
            pass
        raise MsvizError(
            "error.log_exists",
            "there is a file {path} already, and no log that this run goes on with; choose another name",
            path=str(self.path),
        )

    def _step(self, line: str) -> float:
        found = line.split(",")[0] if self._is_csv else json.loads(line).get("step", "inf")
        return float(found)

    def _write(self, text: str) -> None:
        try:
            with self.path.open("a", encoding="utf-8", newline="") as file:
                file.write(text)
        except OSError as problem:
            raise self._unwritable(problem) from problem

    def _unwritable(self, problem: BaseException | None) -> MsvizError:
        return MsvizError(
            "error.log_write",
            "the log {path} cannot be written: {problem}; choose another place, or make room",
            path=str(self.path),
            problem=getattr(problem, "strerror", None) or str(problem),
        )


def measured(found: Retrieval) -> dict[str, float]:
    """A measurement by the names of `COLUMNS`.

    Args:
        found: the measurement.

    Example:
        >>> measured(Retrieval({1: 0.5, 2: 0.75}, map_at_r=0.25, nmi=0.5, queries=4, alone=0))
        {'recall_1': 0.5, 'recall_2': 0.75, 'map_at_r': 0.25, 'nmi': 0.5}
    """
    return {**{f"recall_{k}": value for k, value in found.recall.items()}, "map_at_r": found.map_at_r, "nmi": found.nmi}


def _csv_line(values: Any) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()


def _json_line(values: dict[str, Any]) -> str:
    return json.dumps(values) + "\n"
