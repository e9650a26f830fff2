"""What a run has been so far: snapshots to scrub through, within a budget of bytes, and curves of every step."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from msviz.training.snapshot import Snapshot

BUDGET: Final = 24_000_000  # bytes a run: some 6,000 steps of 80 points in 3-D, 600 in 64-D before it thins
AROUND: Final = 1_500  # bytes that Python needs around the arrays of a snapshot
GRID: Final = 200  # points of the curve of mined anchors: each costs as much as half a picture

Frame = tuple[Snapshot, ...]  # one of a run; two of a duel, of the same step and batch


def step_of(frame: Frame) -> int:
    """The step of a frame: in a duel one side may have ended earlier."""
    return max(shot.step for shot in frame)


class Recording:
    """Frames by their step, and the curves.

    While the budget lasts every step is kept. Then every second one goes, later every fourth stays, and so on; steps
    that were evaluated stay, as they are points of a curve.

    Args:
        steps: how many steps the run will have.
        budget: bytes that embeddings may take.

    Example:
        >>> import numpy as np
        >>> from msviz.core.methods import METHODS
        >>> x, labels = np.eye(4, dtype=np.float32), np.array([0, 0, 1, 1])
        >>> shown = Recording(steps=10)
        >>> for step in range(3):
        ...     shown.add((Snapshot(step, 1.0 / (step + 1), METHODS["paper"], 1e-3, np.arange(4), x, labels),))
        >>> shown.steps, shown.at(7)[0].step, shown.losses
        ([0, 1, 2], 2, [(1.0,), (0.5,), (0.3333333333333333,)])
    """

    def __init__(self, steps: int, budget: int = BUDGET) -> None:
        self._budget = budget
        self._grid = max(1, -(-steps // GRID))
        self._frames: dict[int, Frame] = {}
        self._bytes = 0
        self._every = 1
        self._mined: list[tuple[float, ...]] = []
        self.losses: list[tuple[float, ...]] = []  # of steps 0, 1, 2, ...
        self.recalls: list[tuple[int, tuple[float, ...]]] = []

    def add(self, frame: Frame) -> None:
        """Record the next step, or the last one anew: it may come with what was measured since."""
        step = step_of(frame)
        del self.losses[step:]
        self.losses.append(tuple(shot.loss for shot in frame))
        if _is_evaluated(frame):
            last = self.recalls[-1][1] if self.recalls else (0.0,) * len(frame)  # of a side that has ended
            recall = tuple(
                shot.retrieval.recall[1] if shot.retrieval else old for shot, old in zip(frame, last, strict=True)
            )
            self.recalls = [*(known for known in self.recalls if known[0] != step), (step, recall)]
        if step % self._every == 0 or _is_evaluated(frame):
            if step not in self._frames:
                self._bytes += _bytes(frame)
            self._frames[step] = frame
        if self._bytes > self._budget:
            self._thin()

    def _thin(self) -> None:
        self._every *= 2
        kept = {step: frame for step, frame in self._frames.items() if step % self._every == 0 or _is_evaluated(frame)}
        self._bytes = sum(map(_bytes, kept.values()))
        self._frames = kept  # at once: others are reading

    @property
    def steps(self) -> list[int]:
        """The recorded steps, ascending."""
        return sorted(list(self._frames))

    def at(self, step: int) -> Frame | None:
        """The recorded frame of a step, or of the last one before it; None while nothing is recorded."""
        frames = self._frames
        if step in frames:
            return frames[step]
        steps = sorted(list(frames))
        return frames[steps[max(0, bisect_right(steps, step) - 1)]] if steps else None

    def probed(self, step: int) -> Frame | None:
        """The recorded frame of a step, or of the last one before it, that has the probe's embeddings."""
        frames = self._frames
        steps = sorted(step for step, frame in list(frames.items()) if frame[0].probe_x is not None)
        return frames[steps[max(0, bisect_right(steps, step) - 1)]] if steps else None

    @property
    def grid(self) -> int:
        """How many steps lie between two points of the curve of mined anchors."""
        return self._grid

    def mined(self) -> list[tuple[float, ...]]:
        """The share of anchors with a mined pair at steps 0, `grid`, 2 `grid`, ...: worked out when somebody asks."""
        while (step := len(self._mined) * self._grid) < len(self.losses):
            frame = self.at(step)
            if frame is None:
                break
            self._mined.append(tuple(shot.mined_share for shot in frame))
        return self._mined


def _is_evaluated(frame: Frame) -> bool:
    return any(shot.retrieval is not None for shot in frame)


def _bytes(frame: Frame) -> int:
    return sum(
        AROUND
        + shot.x.nbytes
        + shot.rows.nbytes
        + shot.labels.nbytes
        + (0 if shot.probe_x is None else shot.probe_x.nbytes)
        for shot in frame
    )
