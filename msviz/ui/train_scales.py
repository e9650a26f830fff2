"""To what the weights and arrows of a run are drawn: one scale for most of its steps, so that pictures compare.

A scale depends on the recording and the step alone, never on what was looked at before: it reaches the median, over a
dozen steps of the run with the same method, of the largest value there; in a heavier step, that step's own. So the
first steps, in which a triplet loss may weigh twenty times as much, do not leave the others blank.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from msviz.core.methods import Method
from msviz.views.board import Scales
from msviz.views.scene import Scene
from msviz.views.training import longest_step

MARKS: Final = 12  # steps of a run that a scale looks at
_ROUND: Final = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)  # so that a scale stays, while the largest value moves a little


def rounded_up(value: float) -> float:
    """The next of 1, 1.5, 2, 3, 5, 7, 10, times a power of ten; 1 for 0.

    Args:
        value: >= 0.

    Example:
        >>> rounded_up(0.93), rounded_up(0.021), rounded_up(40), rounded_up(0.0)
        (1.0, 0.03, 50.0, 1.0)
    """
    if not 0 < value < math.inf:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in _ROUND if value <= step * power), 10 * power)


@dataclass
class RunScales:
    """The scales of one part of a run, such as the board of its first method.

    Args:
        total: steps of the run.
        known: at each mark that was reached the method, the largest weight and the longest step.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> now = scene(default_state())
        >>> RunScales(total=600).at(now, reached=0, look=lambda step: now).weight
        1.0
    """

    total: int
    known: list[tuple[Method, float, float]] = field(default_factory=list)

    def at(self, now: Scene, reached: int, look: Callable[[int], Scene]) -> Scales:
        """The scale to draw a step with.

        Args:
            now: the step.
            reached: how many steps are recorded.
            look: the scene of a recorded step, or of the nearest one before.
        """
        every = max(1, math.ceil(self.total / MARKS))
        while (step := len(self.known) * every) < reached:
            seen = look(step)
            self.known.append((seen.state.method, _heaviest(seen), longest_step(seen)))
        same = [mark[1:] for mark in self.known if mark[0] == now.state.method]
        usual = [statistics.median(values) for values in zip(*same, strict=True)] or [0.0, 0.0]
        weight, force = max(_heaviest(now), usual[0]), max(longest_step(now), usual[1])
        return Scales(rounded_up(weight), rounded_up(force), now)


def _heaviest(now: Scene) -> float:
    return float(now.weights.max()) if now.m else 0.0
