"""A visitor's run: what can be done with it and seen of it. The session alone holds it: with the session it goes."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal
from weakref import WeakValueDictionary

from msviz.core.errors import MsvizError
from msviz.core.methods import Method
from msviz.ui.engines import Engine
from msviz.ui.queue import QUEUE, Queue
from msviz.ui.recording import BUDGET, Frame, Recording
from msviz.ui.worker import Worker

IDLE: Final = 5.0  # seconds without a poll, after which a run falls asleep
Doing = Literal["preparing", "paused", "waiting", "playing", "asleep", "stopped", "failed"]


@dataclass(frozen=True)
class Status:
    """How a run stands.

    Args:
        doing: what it does now.
        place: how many runs must stop before this one may train, while it waits.
        step: updates made.
        seconds_left: at the pace of the last seconds; None while nobody can tell.
        error: what went wrong, when it failed.
    """

    doing: Doing
    place: int
    step: int
    seconds_left: float | None
    error: MsvizError | None


class Run(Worker):
    """One run, played, paused, stepped and rewound from any thread.

    Args:
        make: makes the engine; called in the run's own thread.
        queue: where it waits for its turn.
        idle: seconds without a poll, after which it falls asleep.
        budget: bytes of recorded embeddings.
    """

    def __init__(
        self, make: Callable[[], Engine], queue: Queue = QUEUE, idle: float = IDLE, budget: int = BUDGET
    ) -> None:
        super().__init__(make, queue, idle, budget)
        self.token: Final = secrets.token_urlsafe(18)  # who knows it may do with the run what the page does
        RUNS[self.token] = self

    def poll(self) -> None:
        """Somebody looks: stay awake, or wake up."""
        self._polled, self._awaited = time.monotonic(), True
        if self._asleep or self.engine is None:
            self._start()

    def play(self) -> None:
        """Go on until somebody pauses or the run stops."""
        with self._between_steps():
            if self._closed or (self.engine is not None and self.engine.stop is not None):
                return
            self._playing, self._error = True, None
            self._pace.clear()
        self._polled = time.monotonic()
        self._start()

    def pause(self) -> None:
        """Stay where it is."""
        with self._between_steps():
            self._playing = self._asleep = False
            self._look()

    def step(self) -> None:
        """One step, then pause."""
        with self._between_steps():
            self._playing = self._asleep = False
            if self.engine is not None and self.engine.stop is None:
                self._awaited = True
                self._guarded(self._step)
            self._look()

    def rewind(self) -> None:
        """Back to the same initial weights and the same batches; the recording begins anew."""
        with self._between_steps():
            self._playing = self._asleep = False
            self._error = None
            if self.engine is not None:
                self._guarded(self.engine.rewind)
                self._begin_recording()
                self._look()

    def set(self, *, learning_rate: float | None = None, method: Method | None = None) -> None:
        """Change what may change while it runs, from the next step on. Raises what the engine raises."""
        with self._between_steps():
            if self.engine is None:
                self._wishes.append((learning_rate, method))
                return
            same = learning_rate in (None, self.engine.learning_rate) and method in (None, self.engine.method)
            if same:
                return
            self.engine.set(learning_rate=learning_rate, method=method)
            if self._ahead is not None:
                self._ahead = None
                self._look()

    def close(self) -> None:
        """End the thread and forget everything: the tab was closed."""
        self._closed = True
        with self._between_steps():
            self._playing = self._asleep = False
            self.recording, self.engine, self._ahead = Recording(1), None, None
            self._made, self._preparation = None, iter(())
        RUNS.pop(self.token, None)

    @property
    def latest(self) -> Frame | None:
        """The newest frame: of the step that comes next, where the run rests; None before the first."""
        ahead = self._ahead
        return self.recording.at(len(self.recording.losses)) if ahead is None else ahead

    @property
    def status(self) -> Status:
        """How it stands."""
        engine, ticket = self.engine, self._ticket
        place = self._queue.place(ticket) if ticket is not None else 0
        losses = len(self.recording.losses)
        step = losses if engine is None or engine.stop is None else max(0, losses - 1)  # the last one is but looked at
        if self._error is not None:
            doing: Doing = "failed"
        elif self._asleep:
            doing = "asleep"
        elif ticket is not None and place:
            doing = "waiting"
        elif engine is None or self.latest is None:
            doing = "preparing"
        elif self._playing:  # until the last picture is there
            doing = "playing"
        else:
            doing = "paused" if engine.stop is None else "stopped"
        return Status(doing, place, step, self._seconds_left(step), self._error)

    def _seconds_left(self, step: int) -> float | None:
        pace = list(self._pace)
        if self.engine is None or len(pace) < 2 or pace[-1][0] == pace[0][0]:
            return None
        per_step = (pace[-1][0] - pace[0][0]) / max(1, pace[-1][1] - pace[0][1])
        return (self.engine.total - step) * per_step


RUNS: Final[WeakValueDictionary[str, Run]] = WeakValueDictionary()
