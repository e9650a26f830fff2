"""A limit that is being measured: a thread takes the points of its experiment one by one, while somebody looks.

Points are the only moments at which it can stop: the one that is being measured is still finished. Whoever polls keeps
it going; without a poll it falls asleep between two points, and the next poll wakes it up. The session alone holds it:
with the session go the experiment and the process that it may have started.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

from msviz.core.errors import MsvizError
from msviz.ui.queue import QUEUE, Queue

IDLE: Final = 10.0  # seconds without a poll, after which it falls asleep
Doing = Literal["waiting", "beginning", "measuring", "done", "stopped", "failed"]


class Measuring:
    """One experiment from its first point to its last, or to the moment when somebody stops it.

    Args:
        measure: settings -> the points, as they are measured.
        settings: of the experiment.
        queue: where it waits for its turn.
        idle: seconds without a poll, after which it falls asleep.
    """

    def __init__(
        self, measure: Callable[[Any], Iterator[Any]], settings: Any, queue: Queue = QUEUE, idle: float = IDLE
    ) -> None:
        self.settings = settings
        self.points: list[Any] = []
        self.error: MsvizError | None = None
        self.seconds = 0.0  # that measuring took, without what it waited
        self._left = measure(settings)
        self._queue, self._idle = queue, idle
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ticket: object | None = None
        self._end: Doing | None = None
        self._polled = time.monotonic()

    def poll(self) -> None:
        """Somebody looks: begin, stay awake, or wake up."""
        with self._lock:
            self._polled = time.monotonic()
            if self._thread is None and self._end is None:
                self._thread = threading.Thread(target=self._work, name="msviz-limit", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """No further points; those that are there stay."""
        with self._lock:
            self._end = self._end or "stopped"
            if self._thread is None:
                self._close()

    @property
    def place(self) -> int:
        """How many others must end before this one may begin."""
        ticket = self._ticket
        return 0 if ticket is None else self._queue.place(ticket)

    @property
    def doing(self) -> Doing:
        """How it stands; "beginning" before the first point."""
        if self._end is not None:
            return self._end
        if self.place:
            return "waiting"
        return "measuring" if self.points else "beginning"

    @property
    def goes_on(self) -> bool:
        """Whether more points will come."""
        return self._end is None

    def _wanted(self) -> bool:
        return self._end is None and time.monotonic() - self._polled < self._idle

    def _work(self) -> None:
        self._ticket = ticket = self._queue.join()
        if self._queue.wait(ticket, self._wanted):
            while self._wanted():
                self._measure()
        self._ticket = None
        self._queue.leave(ticket)
        with self._lock:
            self._thread = None
            if self._end is not None:
                self._close()

    def _measure(self) -> None:
        """The next point; what goes wrong becomes one sentence, and the points before stand."""
        began = time.monotonic()
        try:
            self.points.append(next(self._left))
        except StopIteration:
            self._end = self._end or "done"
        except MsvizError as error:
            self.error, self._end = error, "failed"
        except Exception as error:
            logging.getLogger(__name__).exception("a limit could not be measured")
            plain = "Measuring ended with an error of the machine ({got}). The points so far stay: run it again."
            self.error = MsvizError("error.limit_failed", plain, got=f"{type(error).__name__}: {error}"[:120])
            self._end = "failed"
        self.seconds += time.monotonic() - began

    def _close(self) -> None:
        close = getattr(self._left, "close", None)  # a generator: it ends what it has begun, such as a process
        if close is not None:
            close()
