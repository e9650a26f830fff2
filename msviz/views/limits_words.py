"""What a run of a limit showed, in sentences that its own numbers make; half a run tells what it can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any, Final

from msviz.data import PRESETS
from msviz.text import Message, msg, say
from msviz.training.limits import (
    CompositionPoint,
    CostPoint,
    NoisyPairsPoint,
    NoisyTrainingPoint,
    ScalePoint,
    SignPoint,
)
from msviz.training.statistics import paired
from msviz.views.limits_curves import short_name
from msviz.views.method_name import loss_title


def words(name: str, points: Sequence[Any]) -> tuple[Message, ...]:
    """What the points show; nothing while there are too few to compare.

    Args:
        name: in `LIMITS`.
        points: of a run of it, as many as there are.

    Example:
        >>> few, many = CompositionPoint(2, 5, thin=0.7, kept=0.1), CompositionPoint(16, 5, thin=0.1, kept=0.5)
        >>> [(line.key, line.values["first"], line.values["last"]) for line in words("composition", [few, many])]
        [('limits.composition.falls', 0.7, 0.1)]
    """
    return tuple(_WORDS[name](points)) if points else ()


def _way(first: float, last: float) -> str:
    return "stays" if first == last else "falls" if last < first else "rises"


def _composition(points: Sequence[CompositionPoint]) -> list[Message]:
    lines = []
    by_members = {members: [it for it in points if it.per_class == members] for members in _seen(points, "per_class")}
    members, group = max(by_members.items(), key=lambda it: (len(it[1]), abs(it[1][-1].thin - it[1][0].thin)))
    if len(group) > 1:
        first, last = group[0], group[-1]
        sizes = {"small": first.batch_size, "large": last.batch_size}
        key = f"limits.composition.{_way(first.thin, last.thin)}"
        lines.append(msg(key, k=members, first=first.thin, last=last.thin, **sizes))
    equal = [
        (one, two) if one.classes_per_batch > two.classes_per_batch else (two, one)
        for one, two in combinations(points, 2)
        if one.batch_size == two.batch_size and one.thin != two.thin
    ]
    if equal:
        more, fewer = max(equal, key=lambda pair: abs(pair[0].thin - pair[1].thin))
        wins = sum(one.thin < two.thin for one, two in equal)
        shapes = {"p": more.classes_per_batch, "k": more.per_class, "q": fewer.classes_per_batch, "l": fewer.per_class}
        lines.append(
            msg(
                "limits.composition.equal",
                wins=wins,
                of=len(equal),
                size=more.batch_size,
                more=more.thin,
                fewer=fewer.thin,
                **shapes,
            )
        )
    return lines


def _cost(points: Sequence[CostPoint]) -> list[Message]:
    ways = {way: {it.m: it for it in points if it.way == way} for way in ("dense", "blocked", "products")}
    sizes = sorted(set.intersection(*map(set, ways.values())))
    if len(sizes) < 2:
        return []
    before, m = sizes[-2:]
    lines = [msg("limits.cost.pairs", before=before, m=m, pairs=(m / before) ** 2)]
    for way, group in ways.items():
        one, two = group[before], group[m]
        values = {"slower": two.seconds / one.seconds, "ms": 1000 * two.seconds}
        name = say(f"limits.cost.way.{way}")
        if one.memory and two.memory:
            mb, more = two.memory / 1e6, two.memory / one.memory
            lines.append(msg("limits.cost.grew", way=name, more=more, mb=mb, **values))
        else:
            lines.append(msg("limits.cost.grew.time", way=name, **values))
    if any(point.memory is None for point in points):
        lines.append(msg("limits.cost.untold"))
    return lines


def _noise(points: Sequence[NoisyPairsPoint]) -> list[Message]:
    flipped = points[-1].flipped
    group = sorted((point for point in points if point.flipped == flipped), key=lambda point: point.weight)
    least, most = group[0], group[-1]
    if least is most:
        return []
    share = most.wrong_negatives / most.weight if most.weight else 0.0
    return [
        msg("limits.noise.most", flipped=flipped, wrong=most.wrong, name=short_name(most.method), weight=most.weight),
        msg("limits.noise.negatives", share=share),
        msg("limits.noise.least", name=short_name(least.method), weight=least.weight),
    ]


def _recall(points: Sequence[NoisyTrainingPoint]) -> list[Message]:
    betas, flipped = _seen(points, "beta"), max(point.flipped for point in points)
    low, high = betas[0], betas[-1]

    def of(beta: float, flipped: float) -> list[float]:
        return [it.recall for it in points if it.beta == beta and it.flipped == flipped]

    first, last = of(low, flipped), of(high, flipped)
    if len(betas) < 2 or not first or not last:
        return []
    lines = []
    way = _way(fmean(first), fmean(last))
    values = {"low": low, "high": high, "flipped": flipped, "first": fmean(first), "last": fmean(last)}
    lines.append(msg(f"limits.recall.{way}", **values))
    right = of(low, 0.0), of(high, 0.0)
    if flipped and all(right):
        lines.append(msg("limits.recall.beside", first=fmean(right[0]), last=fmean(right[1])))
    n = min(len(first), len(last))
    if n < 2:
        return [*lines, msg("limits.recall.one")]
    found = paired(last[:n], first[:n])
    sure = "decided" if found.low > 0 or found.high < 0 else "undecided"
    return [*lines, msg(f"limits.recall.{sure}", n=n, low=found.low, high=found.high)]


def _scale(points: Sequence[ScalePoint]) -> list[Message]:
    constants = _seen(points, "constant")
    if len(constants) < 2:
        return []
    low, high = constants[0], constants[-1]
    found = []
    for method in dict.fromkeys(point.method for point in points):
        group = [point for point in points if point.method == method]
        if group[-1].constant == high:
            shares = [point.weighing for point in group]
            found.append((max(shares) - min(shares), short_name(method), shares[0], shares[-1]))
    if not found:
        return []
    _, name, first, last = max(found)
    lines = [msg("limits.scale.most", low=low, high=high, name=name, first=first, last=last)]
    still = [it[1] for it in found if it[0] == 0]
    return [*lines, msg("limits.scale.still", names=", ".join(still))] if still else lines


def _sign(points: Sequence[SignPoint]) -> list[Message]:
    against = [point for point in points if not point.holds]
    if not against:
        return [msg("limits.sign.none", checks=len(points))]
    worst = max(against, key=lambda point: point.share)
    lines = [
        msg(
            "limits.sign.found",
            found=len(against),
            checks=len(points),
            names=_titles(against),
            share=worst.share,
            worst=loss_title(worst.method.name),
            batch=batch_name(worst.batch),
        )
    ]
    unit = [point for point in against if point.batch != "long"]
    key = "limits.sign.unit" if unit else "limits.sign.unit.none"
    return [*lines, msg(key, names=_titles(unit)) if unit else msg(key)]


def batch_name(name: str) -> str:
    """What a batch of the sign check is called.

    Args:
        name: one of `msviz.training.limits.BATCHES`.

    Example:
        >>> batch_name("two_clean")
        'two clean classes'
    """
    return say(PRESETS[name].title_key if name in PRESETS else f"limits.batch.{name}")


def _titles(points: Sequence[SignPoint]) -> str:
    return ", ".join(dict.fromkeys(loss_title(point.method.name) for point in points))


def _seen(points: Sequence[Any], name: str) -> list[Any]:
    """The values of a field, each once, in the order in which they came."""
    return list(dict.fromkeys(getattr(point, name) for point in points))


_WORDS: Final[dict[str, Callable[[Any], list[Message]]]] = {
    "composition": _composition,
    "cost": _cost,
    "noise": _noise,
    "recall": _recall,
    "scale": _scale,
    "sign": _sign,
}
