"""The curves of the limits: as much of them as is measured, in frames that do not move while they grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final, Literal

from msviz.core.methods import Method
from msviz.text import Message, msg, say
from msviz.training.limits import (
    PAPER_BATCH,
    PAPER_THIN,
    CompositionPoint,
    CompositionSettings,
    CostPoint,
    CostSettings,
    NoisyPairsPoint,
    NoisyPairsSettings,
    NoisyTrainingPoint,
    NoisyTrainingSettings,
    ScalePoint,
    ScaleSettings,
)
from msviz.views.method_name import loss_title

REFERENCE: Final = -1  # the look of a curve that is no result, but what results are held against


@dataclass(frozen=True)
class Curve:
    """One curve.

    Args:
        name: in the legend.
        look: which of the looks of `msviz.figures.methods.method_look`; `REFERENCE` for a grey line.
        x: [k] growing.
        y: [k].
        notes: [k] what else is told of a point; empty = nothing.
    """

    name: str
    look: int
    x: tuple[float, ...]
    y: tuple[float, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Panel:
    """A pair of axes with its curves.

    Args:
        title: over it.
        x: the name of the axis below.
        y: the name of the axis at the left.
        span: the least and the largest x of the whole run.
        ticks: the x that are named.
        curves: as far as they are measured.
        scale: of y: "share" from 0 to 100 %, "log".
        doubling: whether x grows by factors; otherwise evenly.
        mark: a point that was not measured here: x, y and its name.
    """

    title: Message
    x: Message
    y: Message
    span: tuple[float, float]
    ticks: tuple[float, ...]
    curves: tuple[Curve, ...]
    scale: Literal["share", "log"] = "share"
    doubling: bool = True
    mark: tuple[float, float, Message] | None = None


def short_name(method: Method) -> str:
    """A method's loss, and whether it mines: its parameters would fill a legend.

    Example:
        >>> short_name(Method("triplet", epsilon=0.1))
        'Triplet + mining'
    """
    title = loss_title(method.name)
    return title if method.epsilon is None else say("limits.mined", name=title)


def panels(name: str, settings: Any, points: Sequence[Any]) -> tuple[Panel, ...]:
    """What is drawn of an experiment; nothing for one that is a table.

    Args:
        name: in `LIMITS`.
        settings: of the run.
        points: as many as there are; none is fine.

    Example:
        >>> [panel.curves for panel in panels("composition", CompositionSettings(), [])]
        [()]
    """
    draw = _PANELS.get(name)
    return () if draw is None else draw(settings, points)


def _grouped(points: Iterable[Any], of: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = {}
    for point in points:
        groups.setdefault(of(point), []).append(point)
    return groups


def _by_method(
    methods: Sequence[Method],
    points: Iterable[Any],
    place: Callable[[Any], tuple[float, float]],
    note: Callable[[Any], str],
) -> list[Curve]:
    """A curve a method, with a note at every point."""
    curves = []
    for at, group in _grouped(points, lambda point: methods.index(point.method)).items():
        x, y = zip(*map(place, group), strict=True)
        curves.append(Curve(short_name(methods[at]), at, x, y, tuple(map(note, group))))
    return curves


def _composition(settings: CompositionSettings, points: Sequence[CompositionPoint]) -> tuple[Panel, ...]:
    curves = tuple(
        Curve(
            name=say("limits.composition.curve", k=members),
            look=at,
            x=tuple(point.batch_size for point in group),
            y=tuple(point.thin for point in group),
            notes=tuple(
                say("limits.composition.note", p=point.classes_per_batch, k=members, kept=point.kept) for point in group
            ),
        )
        for at, (members, group) in enumerate(_grouped(points, lambda point: point.per_class).items())
    )
    low, high = min(settings.classes) * min(settings.members), max(settings.classes) * max(settings.members)
    ticks = tuple(low * 2**k for k in range(16) if low * 2**k <= high)
    panel = Panel(
        title=msg("limits.composition.title", few=settings.few),
        x=msg("limits.composition.x"),
        y=msg("limits.composition.y"),
        span=(low, high),
        ticks=ticks,
        curves=curves,
        mark=(PAPER_BATCH, PAPER_THIN, msg("limits.composition.mark")),
    )
    return (panel,)


def _cost(settings: CostSettings, points: Sequence[CostPoint]) -> tuple[Panel, ...]:
    def panel(what: str, number: Callable[[CostPoint], float | None]) -> Panel:
        curves = []
        for at, (way, group) in enumerate(_grouped(points, lambda point: point.way).items()):
            told = [(point.m, value) for point in group if (value := number(point)) is not None]
            if told:
                x, y = zip(*told, strict=True)
                curves.append(Curve(say(f"limits.cost.way.{way}"), at, x, y))
        return Panel(
            title=msg(f"limits.cost.{what}"),
            x=msg("limits.cost.x"),
            y=msg(f"limits.cost.{what}.y"),
            span=(settings.sizes[0], settings.sizes[-1]),
            ticks=settings.sizes,
            curves=tuple(curves),
            scale="log",
        )

    time = panel("time", lambda point: 1000 * point.seconds)
    memory = panel("memory", lambda point: None if point.memory is None else max(point.memory, 1) / 1e6)
    return (time, memory)


def _noise(settings: NoisyPairsSettings, points: Sequence[NoisyPairsPoint]) -> tuple[Panel, ...]:
    curves = _by_method(
        settings.methods,
        points,
        lambda point: (point.flipped, point.weight),
        lambda point: say("limits.noise.note", positives=point.wrong_positives, negatives=point.wrong_negatives),
    )
    first = [point for point in points if point.method == settings.methods[0]]
    if first:
        x, y = tuple(point.flipped for point in first), tuple(point.wrong for point in first)
        curves.append(Curve(say("limits.noise.wrong"), REFERENCE, x, y))
    panel = Panel(
        title=msg("limits.noise.title"),
        x=msg("limits.noise.x"),
        y=msg("limits.noise.y"),
        span=(0.0, settings.shares[-1]),
        ticks=settings.shares,
        curves=tuple(curves),
        doubling=False,
    )
    return (panel,)


def _recall(settings: NoisyTrainingSettings, points: Sequence[NoisyTrainingPoint]) -> tuple[Panel, ...]:
    curves = []
    for at, (flipped, group) in enumerate(_grouped(points, lambda point: point.flipped).items()):
        betas = _grouped(group, lambda point: point.beta)
        curves.append(
            Curve(
                name=say("limits.recall.flipped" if flipped else "limits.recall.right", flipped=flipped),
                look=at,
                x=tuple(betas),
                y=tuple(fmean(point.recall for point in same) for same in betas.values()),
                notes=tuple(
                    say("limits.recall.note", n=len(same), weight=fmean(point.weight for point in same))
                    for same in betas.values()
                ),
            )
        )
    panel = Panel(
        title=msg("limits.recall.title"),
        x=msg("limits.recall.x"),
        y=msg("limits.recall.y"),
        span=(settings.betas[0], settings.betas[-1]),
        ticks=settings.betas,
        curves=tuple(curves),
    )
    return (panel,)


def _scale(settings: ScaleSettings, points: Sequence[ScalePoint]) -> tuple[Panel, ...]:
    curves = _by_method(
        settings.methods,
        points,
        lambda point: (point.constant, point.weighing),
        lambda point: say("limits.scale.note", kept=point.kept, largest=point.largest, loss=point.loss),
    )
    panel = Panel(
        title=msg("limits.scale.title"),
        x=msg("limits.scale.x"),
        y=msg("limits.scale.y"),
        span=(settings.constants[0], settings.constants[-1]),
        ticks=settings.constants,
        curves=tuple(curves),
    )
    return (panel,)


_PANELS: Final[dict[str, Callable[[Any, Sequence[Any]], tuple[Panel, ...]]]] = {
    "composition": _composition,
    "cost": _cost,
    "noise": _noise,
    "recall": _recall,
    "scale": _scale,
}
