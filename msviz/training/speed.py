"""Images per second."""

from __future__ import annotations

from collections import deque


class Speed:
    """Items a second, over about the last second that was spent in steps: time between steps does not count.

    Example:
        >>> speed = Speed()
        >>> speed.spent(0.25, items=40), speed.per_second
        (None, 160.0)
    """

    def __init__(self) -> None:
        self._steps: deque[tuple[float, int]] = deque()
        self._open, self._seconds, self._items = 0.0, 0.0, 0

    def spent(self, seconds: float, items: int = 0) -> None:
        """Time of a step.

        Args:
            seconds: >= 0.
            items: what the step used, given with the last part of its time.
        """
        self._open += seconds
        if not items:
            return
        self._steps.append((self._open, items))
        self._seconds, self._items, self._open = self._seconds + self._open, self._items + items, 0.0
        while len(self._steps) > 1 and self._seconds - self._steps[0][0] >= 1:
            before, used = self._steps.popleft()
            self._seconds, self._items = self._seconds - before, self._items - used

    @property
    def per_second(self) -> float:
        """Items a second; 0 before the first step."""
        return self._items / self._seconds if self._seconds else 0.0
