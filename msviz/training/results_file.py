"""The results of a sweep in a file: JSON lines, one a finished cell, after a first line that says what they are.

{"format": "msviz results", "version": 1, "what": {...}, "made": {...}, "config": {...}}     config: of the first cell
{"key": "ms/0", "config": {"seed": 3}, "metrics": {...}, "seconds": 4.2, "problem": null}   config: what differs
{"made": {...}}                                      it went on by another command, commit, machine or version of torch
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from msviz.core.errors import MsvizError, shown
from msviz.core.precision import is_finite_number
from msviz.training.cells import Outcome
from msviz.training.config import TrainConfig

VERSION: Final = 1
FORMAT: Final = "msviz results"


class ResultsWarning(UserWarning):
    """The last line of a results file was torn off in the middle; its cell is run again."""


@dataclass(frozen=True)
class Results:
    """What a results file holds.

    Args:
        what: what the sweep is, as whoever made it put it.
        made: how its cells were made, one record a command, commit, machine and version of torch: "command", "commit"
            (None = unknown), "machine", "torch", "date" of the beginning.
        outcomes: key -> what came of the cell, in the order in which they ended.
        configs: key -> what was run, as JSON values (see `TrainConfig.from_json`).
        torn: whether the last line was torn off.
    """

    what: dict[str, Any]
    made: tuple[dict[str, Any], ...]
    outcomes: dict[str, Outcome]
    configs: dict[str, dict[str, Any]]
    torn: bool = False


def read_results(path: str | Path) -> Results:
    """What a results file holds; the file stays as it is.

    Args:
        path: what `sweep` wrote.

    Raises:
        MsvizError: error.results_read, error.results_damaged, error.results_version.
    """
    return read(Path(path))[0]


def parse_results(content: bytes, name: str) -> Results:
    """What the content of a results file says, such as one that a browser sent.

    Args:
        content: all of it.
        name: what the file is called where something is wrong with it.

    Raises:
        MsvizError: error.results_damaged, error.results_version.

    Example:
        >>> parse_results(b"no results", "mine.jsonl")
        Traceback (most recent call last):
        msviz.core.errors.MsvizError: line 1 of mine.jsonl is damaged, or no results of msviz; ...
    """
    return _parsed(content, name)[0]


def read(path: Path) -> tuple[Results, dict[str, Any], int]:
    """What a file holds, the config of its first line, and how many of its bytes are whole lines."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        plain = "the results {path} cannot be read: {problem}; check the name"
        reason = problem.strerror or str(problem)
        raise MsvizError("error.results_read", plain, path=str(path), problem=reason) from problem
    return _parsed(content, str(path))


def _parsed(content: bytes, path: str) -> tuple[Results, dict[str, Any], int]:
    lines = content.split(b"\n")
    torn = lines.pop()
    number = 1
    try:
        head = json.loads(lines[0])
        if head["format"] == FORMAT and head["version"] != VERSION:
            raise MsvizError(
                "error.results_version",
                "the results {path} are of version {got}, this msviz reads version {known}; use the msviz of then, "
                "or choose another name",
                path=path,
                got=shown(head["version"]),
                known=VERSION,
            )
        _need(head["format"] == FORMAT and isinstance(head["what"], dict) and isinstance(head["config"], dict))
        base = {**TrainConfig().as_json(), **head["config"]}  # settings that are younger than the file
        made = [_record(head["made"])]
        outcomes, configs = {}, {}
        for line in lines[1:]:
            number += 1
            row = json.loads(line)
            if "made" in row:
                made.append(_record(row["made"]))
                continue
            outcome = _outcome(row)
            _need(outcome.key not in outcomes)
            outcomes[outcome.key] = outcome
            configs[outcome.key] = {**base, **row["config"]}
    except MsvizError:
        raise
    except (ValueError, LookupError, TypeError, RecursionError) as problem:
        plain = "line {line} of {path} is damaged, or no results of msviz; repair it, or choose another name"
        raise MsvizError("error.results_damaged", plain, line=number, path=path) from problem
    return Results(head["what"], tuple(made), outcomes, configs, bool(torn)), base, len(content) - len(torn)


def _outcome(row: Any) -> Outcome:
    metrics, seconds, problem = row["metrics"], row["seconds"], row["problem"]
    _need(isinstance(row["key"], str) and isinstance(row["config"], dict) and isinstance(metrics, dict))
    _need(all(is_finite_number(value) for value in (seconds, *metrics.values())) and seconds >= 0)
    _need(isinstance(problem, str) if problem is not None else bool(metrics))
    return Outcome(row["key"], metrics, seconds, problem)


def _record(made: Any) -> dict[str, Any]:
    _need(isinstance(made, dict) and isinstance(made["command"], str))
    return dict(made)


def _need(holds: bool) -> None:
    if not holds:
        raise ValueError
