"""One click that shows the opposite: when every weight is zero, or nothing moves, a batch or method where it is not so.

Each cause that `msviz.views.readouts` finds has a step that ends it. A step may meet the next cause (one point needs a
partner, and then a negative): steps are taken until something weighs something, at most five.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final

import numpy as np
import torch

from msviz.core.errors import MsvizError
from msviz.core.losses.spec import ParamInfo, param_infos
from msviz.data.presets import DEFAULT_PRESET, PRESETS
from msviz.state import State
from msviz.text import Message, msg, say
from msviz.views.places import Place, between, beyond, fan, unit
from msviz.views.readouts import SAME, gap, same_place, why_still, why_zero
from msviz.views.scene import Scene, scene

APART: Final = 12.0  # degrees between points that are spread
BEHIND: Final = 20.0  # degrees that a new positive lies behind the negative that it makes hard
MOST_STEPS: Final = 5
LARGEST: Final = 1024  # points: of a larger batch only what one evaluation can check is tried; each takes seconds
_START: Final = ((60, 0), (80, 1), (100, 0), (120, 1))  # an empty board's first points: degrees, class; they alternate


@dataclass(frozen=True)
class Remedy:
    """One way to show the opposite.

    Args:
        steps: what it does, in words, in order.
        state: the state afterwards; its heaviest pair is selected.
    """

    steps: tuple[Message, ...]
    state: State


Step = tuple[Message, State]
Way = Callable[[Scene], Step | None]


@lru_cache(maxsize=64)
def remedies(state: State) -> tuple[Remedy, ...]:
    """What could be done so that something weighs something, or moves; nothing when that is so already.

    Args:
        state: any state.

    Returns:
        At most two, the first one changes the batch where that is possible.

    Example:
        >>> from msviz.state import default_state
        >>> start = default_state()
        >>> lonely = start.with_batch(PRESETS["singleton"].make().removed(8))
        >>> [step.key for remedy in remedies(lonely) for step in remedy.steps]
        ['zero.remedy.move', 'zero.remedy.epsilon']
    """
    start = scene(state)
    found: list[Remedy] = []
    for way in _WAYS.get(_cause(start), ()):
        taken = _follow(start, way)
        if taken is not None and all(taken.state != other.state for other in found):
            found.append(taken)
    if not found and _cause(start):
        found = [remedy for remedy in [_follow(start, _load)] if remedy is not None]
    return tuple(found)


def _cause(now: Scene) -> str:
    """The key of what `readouts` says; "" when pairs weigh something and points move."""
    reason = why_still(now) if bool((now.weights > 0).any()) else why_zero(now)
    return reason.key if reason else ""


def _follow(now: Scene, way: Way) -> Remedy | None:
    """Steps until the opposite shows: the given one, then the first that the next cause offers."""
    steps: list[Message] = []
    while len(steps) < MOST_STEPS:
        try:
            step = way(now)
        except MsvizError:  # such as a full batch, or points that cannot be moved
            step = None
        if step is None:
            return None
        words, state = step
        steps.append(words)
        now = scene(state)
        cause = _cause(now)
        if not cause:
            return Remedy(tuple(steps), _select_heaviest(now))
        way = _WAYS.get(cause, (_load,))[0]
    return None


def _select_heaviest(now: Scene) -> State:
    i, j = divmod(int(now.weights.argmax()), now.m)
    ids = now.state.batch.ids
    return now.state.select(ids[i], ids[j])


# ---- the steps ---------------------------------------------------------------------------------------------------


def _fill(now: Scene) -> Step:
    batch, k = now.state.batch, now.state.batch.board.shape[1]
    for degrees, label in _START:
        turn = math.radians(degrees)
        batch = batch.added([math.cos(turn), math.sin(turn), 0.0][:k], label)
    return msg("zero.remedy.fill", one=batch.class_name(0), other=batch.class_name(1)), now.state.with_batch(batch)


def _second(now: Scene) -> Step:
    batch = now.state.batch
    place = fan(_at(now, 0), 2, 2 * BEHIND)[0]
    words = msg("zero.remedy.second", name=batch.class_name(batch.labels[0]))
    return words, now.state.with_batch(batch.added(place, batch.labels[0]))


def _negative(now: Scene) -> Step:
    """A negative in the middle of the two positives that lie farthest apart: harder than both find each other."""
    batch, fresh = now.state.batch, _unused(now)
    i, j = _farthest(now)
    words = msg("zero.remedy.negative", name=batch.class_name(fresh), one=batch.ids[i], other=batch.ids[j])
    place = between(_at(now, i), _at(now, j))
    if float(now.sim[i, j]) > 1 - SAME:
        place = fan(place, 2, 2 * APART)[0]
    return words, now.state.with_batch(batch.added(place, fresh))


def _relabel_between(now: Scene) -> Step | None:
    """The same without a new point: the one that lies best between the two gets another class."""
    if now.m < 3:
        return None
    i, j = _farthest(now)
    inside = (now.sim[i] + now.sim[j]).numpy().copy()
    inside[[i, j]] = -np.inf
    return _relabelled(now, int(inside.argmax()), _unused(now))


def _positive(now: Scene) -> Step:
    """A second point for a class, behind another class's nearest point: the negative comes before it."""
    batch = now.state.batch
    i, j = _nearest(now)
    place = beyond(_at(now, i), _at(now, j), BEHIND)
    words = msg("zero.remedy.second", name=batch.class_name(batch.labels[i]))
    return words, now.state.with_batch(batch.added(place, batch.labels[i]))


def _relabel_far(now: Scene) -> Step | None:
    """The same without a new point: the one farthest from an anchor joins its class, so all others come before it."""
    if now.m < 3:
        return None
    i, j = _farthest(now)
    return _relabelled(now, j, now.state.batch.labels[i])


def _spread(now: Scene) -> Step | None:
    """Points that share a place stand side by side, their classes taking turns."""
    batch = now.state.batch
    if now.m > LARGEST:
        return None
    groups: dict[int, list[int]] = defaultdict(list)
    same = same_place(now).fill_diagonal_(True)
    for row, first in enumerate(same.int().argmax(1).tolist()):
        groups[first].append(row)
    crowds = [rows for rows in groups.values() if len(rows) > 1]
    if not crowds:
        return None
    for rows in crowds:
        places = fan(_at(now, rows[0]), len(rows), min(APART, 180 / len(rows)))
        for row, place in zip(_in_turns(rows, batch.labels), places, strict=True):
            batch = batch.moved(batch.ids[row], place)
    return msg("zero.remedy.spread", count=sum(map(len, crowds))), now.state.with_batch(batch)


def _move(now: Scene) -> Step | None:
    """The hardest negative of the anchor that comes closest goes between it and its least similar positive."""
    row, far = gap(now)
    if not math.isfinite(far):
        return None
    positive, negative = int(now.bounds.hardest_pos_at[row]), int(now.bounds.hardest_neg_at[row])
    if float(now.sim[row, positive]) > 1 - SAME:  # there is no room between the two
        return _spread(now)
    batch = now.state.batch
    ends = {"one": batch.ids[row], "other": batch.ids[positive]}
    place = between(_at(now, row), _at(now, positive))
    moved = batch.moved(batch.ids[negative], place)
    return msg("zero.remedy.move", id=batch.ids[negative], **ends), now.state.with_batch(moved)


def _raise_epsilon(now: Scene) -> Step | None:
    """The smallest hundredth above the gap of the anchor that comes closest."""
    far = gap(now)[1]
    if not math.isfinite(far):
        return None
    epsilon = max(0.01, math.floor(far * 100 + 1) / 100)
    method = now.state.method.replace(epsilon=epsilon)
    return msg("zero.remedy.epsilon", epsilon=epsilon), now.state.with_method(method)


def _turn_a_parameter(now: Scene) -> Step | None:
    """The value nearest to the present one, in twentieths of its range, with which a closed hinge opens."""
    method = now.state.method
    if now.m > LARGEST:
        return None
    for info in param_infos(method.params):
        for value in _values(info, getattr(method.params, info.name)):
            try:
                state = now.state.with_method(method.replace(**{info.name: value}))
            except MsvizError:  # the end of an open range
                continue
            if bool((scene(state).weights > 0).any()):
                return msg("zero.remedy.parameter", letter=info.letter, value=value), state
    return None


def _values(info: ParamInfo, present: float) -> list[float]:
    steps = [info.low + (info.high - info.low) * step / 20 for step in range(21)]
    values = {round(step) if info.whole else round(step, 2) for step in steps} - {present}
    return sorted(values, key=lambda value: abs(value - present))


def _nudge(now: Scene) -> Step:
    """The anchor of the heaviest pair goes a little aside."""
    batch, row = now.state.batch, divmod(int(now.weights.argmax()), now.m)[0]
    place = fan(_at(now, row), 2, 2 * APART)[1]
    return msg("zero.remedy.nudge", id=batch.ids[row]), now.state.with_batch(batch.moved(batch.ids[row], place))


def _load(now: Scene) -> Step:
    """When nothing else helps: the batch that a first visitor sees."""
    preset = PRESETS[DEFAULT_PRESET]
    return msg("zero.remedy.load", title=say(preset.title_key)), now.state.with_batch(preset.make())


# ---- what they ask -----------------------------------------------------------------------------------------------


def _at(now: Scene, row: int) -> Place:
    return unit(now.state.batch.board[row])


def _unused(now: Scene) -> int:
    return next(label for label in range(256) if label not in now.state.batch.classes)


def _farthest(now: Scene) -> tuple[int, int]:
    return divmod(int((now.sim + torch.eye(now.m) * 8).argmin()), now.m)


def _nearest(now: Scene) -> tuple[int, int]:
    return divmod(int((now.sim - torch.eye(now.m) * 8).argmax()), now.m)


def _relabelled(now: Scene, row: int, label: int) -> Step:
    batch = now.state.batch
    words = msg("zero.remedy.relabel", id=batch.ids[row], name=batch.class_name(label))
    return words, now.state.with_batch(batch.relabelled(batch.ids[row], label))


def _in_turns(rows: Sequence[int], labels: Sequence[int]) -> Iterator[int]:
    """One row of each class after the other, until none is left."""
    classes = [[row for row in rows if labels[row] == label] for label in sorted({labels[row] for row in rows})]
    return (row for turn in zip_longest(*classes) for row in turn if row is not None)


_WAYS: Final[Mapping[str, tuple[Way, ...]]] = {
    "zero.empty": (_fill,),
    "zero.one_point": (_second,),
    "zero.one_class": (_negative, _relabel_between),
    "zero.no_positives": (_positive, _relabel_far),
    "zero.coincident": (_spread,),
    "zero.collapsed": (_move, _raise_epsilon),
    "zero.separated": (_move, _raise_epsilon),
    "zero.inactive": (_move, _turn_a_parameter),
    "zero.still": (_spread, _nudge),
    "zero.balanced": (_nudge,),
}
