"""Undo and redo as a frozen value: every function returns a new history."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from msviz.state.value import Display, State

HISTORY_LIMIT: Final = 100  # states kept behind the present


@dataclass(frozen=True)
class History:
    """The states behind and ahead of the present one. One gesture (a whole drag, a slider's movement) is one step.

    Batch and method are history; the display is not: undo and redo keep what is shown now, except that a selection
    goes when its point does.

    Args:
        present: the state now.
        past: older states, the newest last; at most 100.
        future: undone states, the next one first.
        gesture: the gesture that made the present state; None once it has ended.
        before: the state before that gesture, or before the last undo or redo: what "what just changed?" and the
            ghosts compare with. None as long as nothing has happened.

    Example:
        >>> from msviz.state.value import default_state
        >>> start = default_state()
        >>> drag = [start.with_batch(start.batch.moved(0, (1, y))) for y in (.1, .2, .3)]
        >>> history = History(start)
        >>> for step in drag:
        ...     history = history.push(step, gesture="drag 1")
        >>> len(history.past), history.undo().present == start
        (1, True)
    """

    present: State
    past: tuple[State, ...] = ()
    future: tuple[State, ...] = ()
    gesture: int | str | None = None
    before: State | None = None

    @property
    def can_undo(self) -> bool:
        """Whether there is a state behind."""
        return bool(self.past)

    @property
    def can_redo(self) -> bool:
        """Whether there is a state ahead."""
        return bool(self.future)

    def push(self, state: State, gesture: int | str | None = None) -> History:
        """Make a state the present one.

        Args:
            state: the new state. If its batch and method are those of the present, only the display changes: no step.
            gesture: names the gesture it belongs to. The same one as at the last push replaces the present; None or
                another one makes a step and forgets the undone states.
        """
        if state.same_work(self.present):
            return self.show(state.display)
        if gesture is not None and gesture == self.gesture:
            return replace(self, present=state, future=())
        past = (*self.past, self.present)[-HISTORY_LIMIT:]
        return History(state, past, (), gesture, before=self.present)

    def undo(self) -> History:
        """One step back; the same history when there is none."""
        if not self.past:
            return self
        back = self.past[-1].with_display(self.present.display)
        return History(back, self.past[:-1], (self.present, *self.future), None, before=self.present)

    def redo(self) -> History:
        """One step forward; the same history when there is none."""
        if not self.future:
            return self
        ahead = self.future[0].with_display(self.present.display)
        return History(ahead, (*self.past, self.present), self.future[1:], None, before=self.present)

    def show(self, display: Display) -> History:
        """The same history, shown otherwise: no step, and nothing is forgotten."""
        return replace(self, present=self.present.with_display(display))
