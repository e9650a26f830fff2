"""The thread behind a run: it prepares and steps an engine, waits for its turn, and rests when nobody looks.

It lives only while there is something to do. Whoever polls keeps it alive; a run that nobody polls for some seconds
falls asleep where it is, and the next poll wakes it up.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from msviz.core.errors import MsvizError
from msviz.core.methods import Method
from msviz.ui.engines import Engine
from msviz.ui.queue import Queue
from msviz.ui.recording import Frame, Recording

SPEEDS: Final[dict[str, float]] = {"slow": 4.0, "normal": 25.0, "fast": float("inf")}  # steps a second


class Worker:
    """What the thread knows and does; `msviz.ui.runs.Run` is what a visitor does with it.

    Args:
        make: makes the engine; called in the thread, as loading data takes its time.
        queue: where it waits for its turn.
        idle: seconds without a poll, after which it falls asleep.
        budget: bytes of recorded embeddings.
    """

    def __init__(self, make: Callable[[], Engine], queue: Queue, idle: float, budget: int) -> None:
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
        self._made: Engine | None = None  # until it is prepared
        self._preparation: Iterator[float] = iter(())
        self.prepared = 0.0  # the share of pre-training that is done
        self._wishes: list[tuple[float | None, Method | None]] = []  # before there was an engine
        self._ahead: Frame | None = None
        self._error: MsvizError | None = None
        self._polled = time.monotonic()
        self._pace: deque[tuple[float, int]] = deque(maxlen=64)

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
        self._set_up()  # everybody sees how it begins; the queue is for those who train
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
            on = self._error is None and not self._ended()
            if on and self._wanted():
                return False
            self._thread, self._asleep = None, on and self._playing and not self._closed
            return True

    def _wanted(self) -> bool:
        seen = time.monotonic() - self._polled < self._idle
        return seen and not self._closed and (self._playing or self.engine is None)

    def _ended(self) -> bool:
        return self.engine is not None and self.engine.stop is not None

    def _set_up(self) -> None:
        """Make the engine; what takes long, pre-training, is left to the queue."""
        if self._made is None and self.engine is None:
            self._guarded(self._make_it)
        with self._between_steps():
            if self._made is not None and not self._made.prepares:
                self._guarded(self._begin)

    def _make_it(self) -> None:
        made = self._make()
        self._made, self._preparation = made, made.preparation()

    def _prepare(self) -> bool:
        """A step of pre-training; after the last one the run begins."""
        share = next(self._preparation, None)
        if share is None:
            self._begin()
        else:
            self.prepared = share
        return True

    def _begin(self) -> None:
        if self._closed or self._made is None:
            return
        self.engine, self._made = self._made, None
        for learning_rate, method in self._wishes:
            self.engine.set(learning_rate=learning_rate, method=method)
        self._begin_recording()
        self._look()

    def _go_on(self) -> bool:
        began = time.monotonic()
        with self._gate:  # whoever stands there goes first
            pass
        with self._lock:
            if not self._wanted() or self._error is not None:
                return False
            if self.engine is None:
                return self._guarded(self._prepare)
            if not self._guarded(self._step) or self._ended():
                self._look()
                self._playing = False
                return False
            self._pace.append((time.monotonic(), len(self.recording.losses)))
        rest = 1 / SPEEDS[self.speed] - (time.monotonic() - began)
        if rest > 0:
            time.sleep(rest)
        return True

    # What follows is done with the lock.

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
