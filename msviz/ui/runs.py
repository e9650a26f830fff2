"""A visitor's run: a thread that steps it, what it recorded, and how it sleeps when nobody looks.

The thread lives only while the run plays. Whoever polls keeps it alive; a run that nobody polls for some seconds falls
asleep where it is, and the next poll wakes it up. The session alone holds the run: with the session it goes.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal
from weakref import WeakValueDictionary

from msviz.core.errors import MsvizError
from msviz.core.methods import Method
from msviz.ui.engines import Engine
from msviz.ui.queue import QUEUE, Queue
from msviz.ui.recording import BUDGET, Frame, Recording

IDLE: Final = 5.0  # seconds without a poll, after which a run falls asleep
SPEEDS: Final[dict[str, float]] = {"slow": 4.0, "normal": 25.0, "fast": float("inf")}  # steps a second
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


class Run:
    """One run, played, paused, stepped and rewound from any thread.

    Args:
        make: makes the engine; called in the run's own thread, as data and pre-training take their time.
        queue: where it waits for its turn.
        idle: seconds without a poll, after which it falls asleep.
        budget: bytes of recorded embeddings.
    """

    def __init__(
        self, make: Callable[[], Engine], queue: Queue = QUEUE, idle: float = IDLE, budget: int = BUDGET
    ) -> None:
        self.token: Final = secrets.token_urlsafe(18)
        self.recording = Recording(1)
        self.era = 0  # counts recordings: the page begins its curves anew
        self.engine: Engine | None = None
        self.speed = "normal"
        self._make, self._queue, self._idle, self._budget = make, queue, idle, budget
        self._gate, self._lock = threading.Lock(), threading.RLock()  # who wants the engine waits at the gate
        self._thread: threading.Thread | None = None
        self._ticket: object | None = None
        self._playing = self._closed = self._asleep = False
        self._awaited = True  # somebody has looked since the last step
        self._wishes: list[tuple[float | None, Method | None]] = []  # before there was an engine
        self._ahead: Frame | None = None
        self._error: MsvizError | None = None
        self._polled = time.monotonic()
        self._pace: deque[tuple[float, int]] = deque(maxlen=64)
        RUNS[self.token] = self

    # ---- what a visitor does -----------------------------------------------------------------------------------------
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
        RUNS.pop(self.token, None)

    # ---- what a visitor sees -----------------------------------------------------------------------------------------
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
        step = len(self.recording.losses)
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

    # ---- the thread --------------------------------------------------------------------------------------------------
    @contextmanager
    def _between_steps(self) -> Iterator[None]:
        with self._gate, self._lock:
            yield

    def _start(self) -> None:
        with self._lock:
            if self._thread is None and not self._closed and self._error is None:
                self._asleep = False
                self._thread = threading.Thread(target=self._work, name="msviz-run", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        self._prepare()  # everybody sees how it begins; the queue is for those who train
        while not self._rests():
            self._ticket = ticket = self._queue.join()
            if self._queue.wait(ticket, self._wanted):
                while self._go_on():
                    pass
            self._ticket = None
            self._queue.leave(ticket)

    def _rests(self) -> bool:
        """Whether there is nothing to do for the thread: then it is no more, before anybody can ask for it again."""
        with self._lock:
            on = self._playing and self._error is None and not self._ended()
            if on and self._wanted():
                return False
            self._thread, self._asleep = None, on and not self._closed
            return True

    def _wanted(self) -> bool:
        seen = time.monotonic() - self._polled < self._idle
        return seen and not self._closed and (self._playing or self.engine is None)

    def _ended(self) -> bool:
        return self.engine is not None and self.engine.stop is not None

    def _prepare(self) -> None:
        if self.engine is None:
            made: list[Engine] = []
            self._guarded(lambda: made.append(self._make()))
            with self._between_steps():
                if made and not self._closed:
                    self.engine = made[0]
                    for learning_rate, method in self._wishes:
                        self.engine.set(learning_rate=learning_rate, method=method)
                    self._begin_recording()
                    self._look()

    def _go_on(self) -> bool:
        began = time.monotonic()
        with self._gate:  # whoever stands there goes first
            pass
        with self._lock:
            if not self._wanted() or self.engine is None or self._error is not None:
                return False
            if not self._guarded(self._step) or self._ended():
                self._look()
                self._playing = False
                return False
            self._pace.append((time.monotonic(), len(self.recording.losses)))
        rest = 1 / SPEEDS[self.speed] - (time.monotonic() - began)
        if rest > 0:
            time.sleep(rest)
        return True

    # ---- with the lock -----------------------------------------------------------------------------------------------
    def _step(self) -> None:
        assert self.engine is not None
        self._ahead = None
        # At full speed the probe's embeddings would cost a third of a step: only where a picture is wanted.
        probe, self._awaited = self._awaited or self.speed != "fast", False
        self.recording.add(self.engine.step(probe))

    def _look(self) -> None:
        """The batch that comes next under the weights as they are: what the page shows while the run rests."""
        if self.engine is None or self._error is not None or self._ahead is not None:
            return
        look = self.engine.look
        if self.engine.stop is None:
            self._guarded(lambda: setattr(self, "_ahead", look()))
        else:
            self._guarded(lambda: self.recording.add(look()))  # the last word, with what was measured at the end

    def _begin_recording(self) -> None:
        assert self.engine is not None
        self.recording, self._ahead = Recording(self.engine.total, self._budget), None
        self.era += 1
        self._pace.clear()

    def _guarded(self, work: Callable[[], object]) -> bool:
        """Do it; what goes wrong becomes one sentence, and the page lives."""
        try:
            work()
        except MsvizError as error:
            self._error = error
        except Exception as error:
            logging.getLogger(__name__).exception("a run failed")
            plain = "Training ended with an error of the machine ({got}). All is still there: rewind, or begin anew."
            self._error = MsvizError("error.run_failed", plain, got=f"{type(error).__name__}: {error}"[:120])
        else:
            return True
        self._playing = False
        return False


RUNS: Final[WeakValueDictionary[str, Run]] = WeakValueDictionary()
