"""Who may train now: a server-wide limit on runs that train at once, and before it a queue, first come first served."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Final


class Queue:
    """Tickets in the order in which they came; the first `limit` of them may train.

    Args:
        limit: how many train at once, at least 1.

    Example:
        >>> line = Queue(limit=1)
        >>> first, second = line.join(), line.join()
        >>> line.place(first), line.place(second)
        (0, 1)
        >>> line.leave(first)
        >>> line.place(second)
        0
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._tickets: list[object] = []
        self._moved = threading.Condition()

    def join(self) -> object:
        """Take a ticket, at the end of the queue."""
        ticket = object()
        with self._moved:
            self._tickets.append(ticket)
        return ticket

    def leave(self, ticket: object) -> None:
        """Give a ticket back: everybody behind it moves up."""
        with self._moved:
            if ticket in self._tickets:
                self._tickets.remove(ticket)
            self._moved.notify_all()

    def place(self, ticket: object) -> int:
        """0: may train; n: so many must stop before; a ticket that was given back has no place, and may not: 1."""
        with self._moved:
            return self._place(ticket)

    def wait(self, ticket: object, still: Callable[[], bool]) -> bool:
        """Wait for one's turn, as long as `still` says so; asked twice a second. False: it is no longer wanted."""
        with self._moved:
            while still():
                if self._place(ticket) == 0:
                    return True
                self._moved.wait(0.5)
        return False

    def _place(self, ticket: object) -> int:
        if ticket not in self._tickets:
            return 1
        return max(0, self._tickets.index(ticket) - self._limit + 1)


QUEUE: Final = Queue(max(2, os.cpu_count() or 2))
