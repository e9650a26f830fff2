"""How a run on the command line comes along: a bar that moves in a terminal, plain lines now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Final, TextIO

from msviz.training.snapshot import Snapshot

_BAR: Final = 24  # characters
_REDRAWN: Final = 0.1  # seconds between two drawings of the bar
_LINES: Final = 30.0  # seconds between two plain lines, where nothing is measured


class Progress:
    """Says step by step where a run is.

    Args:
        total: steps of the whole run.
        begun: steps made before.
        stream: where to; None = stderr.
    """

    def __init__(self, total: int, begun: int = 0, stream: TextIO | None = None) -> None:
        self._total, self._begun = total, begun
        self._stream = sys.stderr if stream is None else stream
        self._moves = self._stream.isatty()
        self._started = self._said = time.monotonic()
        self._recall: float | None = None

    def at(self, snapshot: Snapshot) -> None:
        """Say it, if it is time to.

        Args:
            snapshot: of the newest step.
        """
        if snapshot.retrieval is not None:
            self._recall = snapshot.retrieval.recall[1]
        now, ends = time.monotonic(), snapshot.stop is not None
        waited = now - self._said
        if self._moves and (ends or waited >= _REDRAWN):
            done = _BAR * snapshot.step // self._total
            columns = shutil.get_terminal_size().columns
            line = f"[{'#' * done}{'-' * (_BAR - done)}] {self._words(snapshot, now)}"[: columns - 1]
            self._say(f"\r{line}\x1b[K", now)
        elif not self._moves and (ends or snapshot.retrieval is not None or waited >= _LINES):
            self._say(f"{self._words(snapshot, now)}\n", now)

    def end(self) -> None:
        """Leave the bar's line."""
        if self._moves:
            self._stream.write("\n")
            self._stream.flush()

    def _say(self, text: str, now: float) -> None:
        self._stream.write(text)
        self._stream.flush()
        self._said = now

    def _words(self, snapshot: Snapshot, now: float) -> str:
        words = [f"step {snapshot.step} of {self._total}", f"loss {snapshot.loss:.4g}"]
        if self._recall is not None:
            words.append(f"Recall@1 {self._recall:.1%}")
        words.append(f"{snapshot.images_per_second:,.0f} items/s")
        done = snapshot.step - self._begun
        if done > 0 and snapshot.stop is None:
            words.append(f"{duration((now - self._started) / done * (self._total - snapshot.step))} left")
        return ", ".join(words)


def duration(seconds: float) -> str:
    """A time that a person reads.

    Args:
        seconds: >= 0.

    Example:
        >>> duration(5.2), duration(200), duration(7300)
        ('5 s', '3 min 20 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
