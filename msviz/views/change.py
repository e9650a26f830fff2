"""What just changed? The difference between two scenes in one line, old positions as ghosts, changed cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from msviz.core.losses.spec import param_infos
from msviz.core.methods import Method
from msviz.data.titles import batch_title
from msviz.state import State
from msviz.text import Message, msg, say
from msviz.views.in_blocks import blocks
from msviz.views.method_name import loss_title as loss_title
from msviz.views.method_name import method_name
from msviz.views.scene import Scene

NOTICEABLE = 5e-4  # weights or similarities that differ by less look the same with three decimals


@dataclass(frozen=True, eq=False)
class ChangeView:
    """What a gesture did.

    Args:
        actions: what the person did, a message each.
        effects: what came of it, a message each; empty when the batch is another one.
        ghosts: (x, y, label), on a sphere (x, y, z, label), of points where they stood before.
        changed: [m, m] pairs, in the batch's order, whose weight or decision changed noticeably.
    """

    actions: tuple[Message, ...]
    effects: tuple[Message, ...]
    ghosts: tuple[tuple[float, ...], ...]
    changed: Bool[np.ndarray, "m m"]


def change_view(before: Scene | None, after: Scene) -> ChangeView:
    """Compare the scene before the last gesture with the one now.

    Args:
        before: None when nothing has happened yet.
        after: the scene now.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> start = default_state()
        >>> later = start.with_method(start.method.replace(beta=80.0))
        >>> [action.key for action in change_view(scene(start), scene(later)).actions]
        ['change.param']
    """
    nothing = np.zeros((after.m, after.m), dtype=bool)
    if before is None or before.state.same_work(after.state):
        return ChangeView((), (), (), nothing)
    if _another_batch(before, after):
        batch = after.state.batch
        loaded = msg("change.batch", title=say(batch_title(batch)), m=batch.m, classes=len(batch.classes))
        return ChangeView((loaded, *_compared_actions(before, after)), (), (), nothing)
    actions = (*_batch_actions(before, after), *_compared_actions(before, after))
    same_batch = before.state.batch == after.state.batch and before.state.normalize == after.state.normalize
    if same_batch and _all(before.state) != _all(after.state) and before.state.method == after.state.method:
        return ChangeView(actions, (), (), nothing)  # nothing that is drawn of the active method has changed
    if before.refused is not None or after.refused is not None:  # without tuplets there is no loss, and no 0 either
        built = msg("change.built" if after.refused is None else "change.refused")
        return ChangeView(actions, (built,), _ghosts(before, after), nothing)
    moved = _moved(before, after)
    effects = tuple(_effects(before, after, moved))
    return ChangeView(actions, effects, _ghosts(before, after), moved.changed)


@dataclass(frozen=True, eq=False)
class _Moved:
    """What became of the pairs of points that are in both scenes."""

    changed: Bool[np.ndarray, "m m"]
    newly_kept: int
    newly_dropped: int
    most: float  # the largest change of a weight
    at: tuple[int, int]  # whose it is: rows of the later scene
    weights: tuple[float, float]  # before and after


def _moved(before: Scene, after: Scene) -> _Moved:
    """A block of rows at a time: nothing of size m x m is made but the answer."""
    old, new = map(np.array, _shared_rows(before, after))
    everywhere = len(new) == before.m == after.m and bool((old == new).all())
    changed = np.zeros((after.m, after.m), dtype=bool)
    kept, dropped, most, at, weights = 0, 0, 0.0, (0, 0), (0.0, 0.0)
    full = [it.numpy() for it in (before.weights, before.kept, after.weights, after.kept)]
    for rows in blocks(len(new)):
        own = [(rows,)] * 2 if everywhere else [np.ix_(which[rows], which) for which in (old, new)]
        w0, k0, w1, k1 = (full[k][own[k // 2]] for k in range(4))
        far = np.abs(w1 - w0)
        changed[own[1]] = (far > NOTICEABLE) | (k0 != k1)
        kept, dropped = kept + int((k1 & ~k0).sum()), dropped + int((k0 & ~k1).sum())
        i, j = divmod(int(far.argmax()), len(new))
        if far[i, j] > most:
            most, weights = float(far[i, j]), (float(w0[i, j]), float(w1[i, j]))
            at = int(new[rows.start + i]), int(new[j])
    return _Moved(changed, kept, dropped, most, at, weights)


def _another_batch(before: Scene, after: Scene) -> bool:
    one, two = before.state.batch.source, after.state.batch.source
    note = [{key: value for key, value in source.note.items() if key != "edited"} for source in (one, two)]
    return (one.kind, one.name) != (two.kind, two.name) or note[0] != note[1]


def _shared_rows(before: Scene, after: Scene) -> tuple[list[int], list[int]]:
    row_before = {id: row for row, id in enumerate(before.state.batch.ids)}
    shared = [(row_before[id], row) for row, id in enumerate(after.state.batch.ids) if id in row_before]
    return [old for old, _ in shared], [new for _, new in shared]


def _batch_actions(before: Scene, after: Scene) -> Iterator[Message]:
    one, two = before.state.batch, after.state.batch
    old, new = _shared_rows(before, after)
    for row in sorted(set(range(two.m)) - set(new)):
        yield msg("change.added", id=two.ids[row], name=two.class_name(two.labels[row]))
    for row in sorted(set(range(one.m)) - set(old)):
        yield msg("change.removed", id=one.ids[row])
    for i, j in zip(old, new, strict=True):
        if one.labels[i] != two.labels[j]:
            names = {"old": one.class_name(one.labels[i]), "new": two.class_name(two.labels[j])}
            yield msg("change.relabelled", id=two.ids[j], **names)
    if before.state.normalize != after.state.normalize:
        yield msg("change.circle" if after.state.normalize else "change.flat")
        return  # that all points came back to the circle says it already
    for k in np.flatnonzero((one.board[old] != two.board[new]).any(axis=1)).tolist():
        places = (spot(one.board[old[k]], before.state.normalize), spot(two.board[new[k]], after.state.normalize))
        yield msg("change.moved", id=two.ids[new[k]], old=say(places[0]), new=say(places[1]))


def spot(place: np.ndarray, normalize: bool = True) -> Message:
    """Where a point stands: an angle on the circle, longitude and latitude on the sphere, x and y where norms count.

    Example:
        >>> say(spot(np.array([0.0, 1.0]))), say(spot(np.array([0.0, -0.5, 0.0]))), say(spot(np.array([0.5, 1]), False))
        ('90°', '−90°, 0°', '(0.50, 1.00)')
    """
    if len(place) == 3:
        longitude, latitude = math.atan2(place[1], place[0]), math.atan2(place[2], math.hypot(place[0], place[1]))
        east, north = round(math.degrees(longitude)), round(math.degrees(latitude))
        return msg("change.spot.sphere", longitude=east, latitude=north)
    if not normalize:
        return msg("change.spot.plane", x=float(place[0]), y=float(place[1]))
    return msg("change.spot.circle", angle=round(math.degrees(math.atan2(place[1], place[0]))) % 360)


def _method_actions(before: Scene, after: Scene) -> Iterator[Message]:
    one, two = before.state.method, after.state.method
    if one.name != two.name:
        yield msg("change.loss", old=loss_title(one.name), new=loss_title(two.name))
    else:
        for info in param_infos(two.params):
            old, new = getattr(one.params, info.name), getattr(two.params, info.name)
            if old != new:
                yield msg("change.param", letter=info.letter, old=old, new=new)
    if one.epsilon != two.epsilon:
        if two.epsilon is None:
            yield msg("change.mining_off")
        elif one.epsilon is None:
            yield msg("change.mining_on", epsilon=two.epsilon)
        else:
            yield msg("change.param", letter="ε", old=one.epsilon, new=two.epsilon)


def _compared_actions(before: Scene, after: Scene) -> Iterator[Message]:
    """Methods that came to the comparison or left it, or two that changed places."""
    one, two = before.state, after.state
    if one.method != two.method and _all(one) == _all(two):
        yield msg("change.active", name=method_name(two.method))
        return
    yield from _method_actions(before, after)
    old, new = Counter(one.others), Counter(two.others)
    for method in new - old:
        yield msg("change.compared", name=method_name(method), count=1 + len(two.others))
    for method in old - new:
        yield msg("change.uncompared", name=method_name(method), count=1 + len(two.others))


def _all(state: State) -> Counter[Method]:
    return Counter((state.method, *state.others))


def _effects(before: Scene, after: Scene, moved: _Moved) -> Iterator[Message]:
    if moved.most > NOTICEABLE:
        ids, (i, j), (old, new) = after.state.batch.ids, moved.at, moved.weights
        yield msg("change.weight", anchor=ids[i], other=ids[j], old=old, new=new)
    elif not moved.newly_kept and not moved.newly_dropped:
        yield msg("change.no_weight")
    if moved.newly_dropped:
        yield msg("change.newly_dropped", count=moved.newly_dropped)
    if moved.newly_kept:
        yield msg("change.newly_kept", count=moved.newly_kept)
    if before.m and after.m:
        yield msg("change.loss_value", old=float(before.evaluation.value), new=float(after.evaluation.value))


def _ghosts(before: Scene, after: Scene) -> tuple[tuple[float, ...], ...]:
    one, two = before.state.batch, after.state.batch
    old, new = _shared_rows(before, after)
    moved = np.ones(one.m, dtype=bool)  # removed points, too, leave a ghost
    moved[old] = (one.board[old] != two.board[new]).any(axis=1)
    return tuple((*one.board[row].tolist(), one.labels[row]) for row in np.flatnonzero(moved).tolist())
