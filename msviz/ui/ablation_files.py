"""Where the Ablation page has its results from: the file that came with msviz, a small run here, a visitor's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import msviz.training
from msviz.core.errors import MsvizError
from msviz.training.ablation import Report, reports
from msviz.training.file_checks import check_size
from msviz.training.results_file import Results, parse_results
from msviz.ui import session
from msviz.ui.ablation_run import shared_ablation

SHIPPED: Final = Path(msviz.training.__file__).parent / "results" / "ablation.jsonl"
MAX_BYTES: Final = 8 * 2**20  # a full run is half a megabyte
SHOWN: Final = "msviz.ablation.shown"
SENT: Final = "msviz.ablation.sent"
_OWN: Final = "msviz.ablation.own"
_REFUSED: Final = "msviz.ablation.refused"
Source = Literal["full", "small", "own"]


@dataclass(frozen=True)
class Found:
    """What a results file says.

    Args:
        results: all of it.
        reports: start by start, at least one.
    """

    results: Results
    reports: tuple[Report, ...]

    @classmethod
    def of(cls, results: Results) -> Found:
        """What results say.

        Args:
            results: of an ablation.

        Raises:
            MsvizError: those of `reports`.
        """
        return cls(results, tuple(reports(results)))


def sources() -> list[Source]:
    """What can be shown now."""
    options: list[Source] = ["full"]
    if shared_ablation().done:
        options.append("small")
    if session.widget(_OWN) is not None:
        options.append("own")
    return options


def found(source: Source) -> Found | MsvizError | None:
    """What a source says; an error that says why it cannot be read; None where there is none.

    Args:
        source: one of `sources`.
    """
    try:
        if source == "own":
            sent: Found | None = session.widget(_OWN)
            return sent
        if source == "small":
            results = shared_ablation().results
            return None if results is None else Found.of(results)
        return Found.of(parse_results(SHIPPED.read_bytes(), SHIPPED.name)) if SHIPPED.exists() else None
    except MsvizError as error:
        return error


def refused() -> tuple[MsvizError, ...]:
    """Why the file that was sent last cannot be shown; nothing where it can, or none was sent."""
    errors: tuple[MsvizError, ...] = session.widget(_REFUSED, ())
    return errors


def receive() -> bool:
    """Read what was sent; only in the uploader's callback. Whether it can be shown; if not, the one before stays."""
    file = session.widget(SENT)
    session.keep(_REFUSED, ())
    if file is None:
        return False
    try:
        check_size(file.name, file.size, MAX_BYTES)
        session.keep(_OWN, Found.of(parse_results(file.getvalue(), file.name)))
    except MsvizError as error:
        session.keep(_REFUSED, (error,))
        return False
    return True
