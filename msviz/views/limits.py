"""The limits that a visitor can measure: what each is made of, how many points it has and how long they take."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from msviz.core.losses import LOSSES
from msviz.core.methods import Method
from msviz.text import Message, msg
from msviz.training.limits import (
    BATCHES,
    CompositionSettings,
    CostSettings,
    NoisyPairsSettings,
    NoisyTrainingSettings,
    ScaleSettings,
    SignSettings,
    composition,
    cost,
    noisy_pairs,
    noisy_training,
    scale,
    sign,
)
from msviz.views.csv_text import csv_text
from msviz.views.method_name import method_name

STEP: Final = 0.002  # seconds of a step of the small network on one core; of the CNN some 0.007


@dataclass(frozen=True)
class Limit:
    """One experiment.

    Args:
        settings: the dataclass of its settings.
        measure: settings -> its points, as they are measured.
        first: the settings that are shown at once; the others are folded.
        count: settings -> how many points it has.
        seconds: settings -> how long it takes, by what it took on one core of two; to say it before it begins.
        memory: settings -> bytes that it holds at most, where that is much.
    """

    settings: type[Any]
    measure: Callable[[Any], Iterator[Any]]
    first: tuple[str, ...]
    count: Callable[[Any], int]
    seconds: Callable[[Any], float]
    memory: Callable[[Any], float] | None = None


def _sign_checks(settings: SignSettings) -> int:
    return len(BATCHES) * 2 * sum(len(loss.examples) for loss in LOSSES.values())


LIMITS: Final[dict[str, Limit]] = {
    "composition": Limit(
        CompositionSettings,
        composition,
        first=("draws", "epsilon", "few"),
        count=lambda s: len(s.classes) * len(s.members),
        seconds=lambda s: 1 + STEP * s.steps + 0.0007 * s.draws * len(s.classes) * len(s.members),
    ),
    "cost": Limit(
        CostSettings,
        cost,
        first=("largest", "dimensions"),
        count=lambda s: 3 * len(s.sizes),
        seconds=lambda s: 2 + 6 * (s.largest / 4096) ** 2,
        memory=lambda s: 5e8 * (s.largest / 4096) ** 2,
    ),
    "noise": Limit(
        NoisyPairsSettings,
        noisy_pairs,
        first=("steps", "draws"),
        count=lambda s: len(s.shares) * len(s.methods),
        seconds=lambda s: 1 + STEP * s.steps + 0.0015 * s.draws * len(s.shares) * len(s.methods),
    ),
    "recall": Limit(
        NoisyTrainingSettings,
        noisy_training,
        first=("flipped", "repeats"),
        count=lambda s: 2 * s.repeats * len(s.betas),
        seconds=lambda s: 1 + 2 * s.repeats * len(s.betas) * (0.2 + 0.0065 * s.steps),
    ),
    "scale": Limit(
        ScaleSettings,
        scale,
        first=("classes_per_batch", "per_class"),
        count=lambda s: len(s.constants) * len(s.methods),
        seconds=lambda s: 1 + STEP * s.steps + 3e-7 * 72 * (s.classes_per_batch * s.per_class) ** 2,
    ),
    "sign": Limit(
        SignSettings,
        sign,
        first=("classes", "per_class", "spread"),
        count=_sign_checks,
        seconds=lambda s: 1 + 0.5 * (s.classes * s.per_class / 100) ** 2,
    ),
}
"""The experiments by name, in the order of the page."""


def takes(limit: Limit, settings: Any) -> tuple[Message, ...]:
    """How many points will be measured, about how long it takes, and what it holds where that is much.

    Args:
        limit: the experiment.
        settings: of it.

    Example:
        >>> takes(LIMITS["scale"], ScaleSettings())
        (Message(key='limits.takes.seconds', values={'points': 72, 'count': 2}),)
    """
    points, seconds = limit.count(settings), limit.seconds(settings)
    if seconds < 90:
        time = msg("limits.takes.seconds", points=points, count=max(1, round(seconds)))
    else:
        time = msg("limits.takes.minutes", points=points, count=round(seconds / 60))
    return (
        (time,) if limit.memory is None else (time, msg("limits.takes.memory", mb=round(limit.memory(settings) / 1e6)))
    )


def points_csv(points: Sequence[Any]) -> str:
    """Points as a table, a row each, all digits; methods by their names, what is not there stays empty.

    Args:
        points: of one experiment; of none there is nothing to say.

    Example:
        >>> from msviz.training.limits import CostPoint
        >>> points_csv([CostPoint("dense", 256, 0.004, None)])
        'way,m,seconds,memory\\ndense,256,0.004,\\n'
    """
    if not points:
        return ""
    names = [field.name for field in dataclasses.fields(points[0])]
    return csv_text(names, ([_cell(getattr(point, name)) for name in names] for point in points))


def _cell(value: Any) -> object:
    if isinstance(value, Method):
        return method_name(value)
    if isinstance(value, tuple):
        return "-".join(map(str, value))
    return "" if value is None else value
