"""Two pairs of a batch and the closest points of the arcs between them: LoOp's optimal hard negative, in numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, SupportsFloat

import numpy as np
import torch
from jaxtyping import Float64

from msviz.core.arcs import LoopCase
from msviz.core.loop import ClosestPoints, closest_points
from msviz.core.loop_batch import partners
from msviz.data import Batch
from msviz.text import Message, msg
from msviz.views.scene import Scene, once, scene

ENDS: Final = ("x1", "x2", "y1", "y2")
ALIKE: Final = 2e-5  # nearer than that two points are one: a third of the board's grid
_ROUNDED: Final = 1e-12  # a cosine below comes of rounding: the points are at a right angle


@dataclass(frozen=True)
class Pair:
    """Two points and how far apart they are.

    Args:
        one, two: what they are called, such as "x1" and "y2".
        ids: theirs; None for points that no batch contains.
        similarity: their cosine.
        distance: |one - two|, 0..2.
    """

    one: str
    two: str
    ids: tuple[int, int] | None
    similarity: float
    distance: float


@dataclass(frozen=True)
class Mark:
    """A name on the board.

    Args:
        name: one, or several of points that are the same: "x2 = p1".
        end: which of the four points it stands at; None on an arc.
        arc: on which arc it stands, 0 = x, 1 = y; None at an end.
        part: how far along its arc, 0..1.
    """

    name: str
    end: int | None = None
    arc: int | None = None
    part: float = 0.0


@dataclass(frozen=True, eq=False)
class FourView:
    """The two pairs, their arcs, and the closest points p1 and p2.

    Args:
        ids: of x1, x2, y1, y2; of a class of one point the same twice.
        labels: the classes of x and of y.
        chosen: True where the selection says which pairs, False for the first ones.
        case: where p1 and p2 stand.
        a, b: the angles from x1 to p1 and from y1 to p2, radians.
        lengths: A and B, the angles from x1 to x2 and from y1 to y2, radians.
        similarity: p1 . p2.
        closest: p1 and p2 as a pair.
        pairs: the four pairs x_k, y_l.
        multipliers: of a >= 0, a <= A, b >= 0, b <= B.
        box: M_kl = n_k . n_(l+2): -(cos a, sin a) M (cos b, sin b)' is f at every place of the box.
        parts: how far p1 and p2 stand along their arcs, 0..1.
        marks: the names on the board.
        touching: the arcs meet.
        antipodal: x1 and x2 are opposite, y1 and y2 are.
        point: an arc is a single point.
        hardest: the negative pair of the batch with the largest plain S.
        dimensions: of the embeddings.
        picture: the board is a projection: arcs are drawn on it as if it were the space itself.
    """

    ids: tuple[int, ...]
    labels: tuple[int, int]
    chosen: bool
    case: LoopCase
    a: float
    b: float
    lengths: tuple[float, float]
    similarity: float
    closest: Pair
    pairs: tuple[Pair, ...]
    multipliers: tuple[float, ...]
    box: tuple[tuple[float, ...], ...]
    parts: tuple[float, ...]
    marks: tuple[Mark, ...]
    touching: bool
    antipodal: tuple[bool, bool]
    point: tuple[bool, bool]
    hardest: Pair
    dimensions: int
    picture: bool

    @property
    def nearest(self) -> Pair:
        """The nearest of the four pairs."""
        return max(self.pairs, key=lambda pair: pair.similarity)


def plain(now: Scene) -> Scene:
    """The same state with everybody's plain similarities."""
    return once(now, "plain", lambda: scene(now.state)) if now.scheme.loop else now


def four_view(now: Scene) -> FourView | Message:
    """The two pairs that the selection says, or the first ones; or why there are none.

    A selected negative pair (anchor i, other j) gives the arcs of i and of j, each with its partner, the next point of
    its class. A selected point gives its own arc and the first one of another class.

    Args:
        now: the evaluated state, by directions.

    Example:
        >>> from msviz.core.scheme import Scheme
        >>> from msviz.state import default_state
        >>> view = four_view(scene(default_state(), Scheme(loop=True)))
        >>> view.ids, str(view.case), round(view.similarity, 2)
        ((0, 1, 5, 6), 'x2-y1', 0.81)
    """
    batch, found = now.state.batch, _rows(now)
    if found is None:
        return msg("page.loop.one_class")
    rows, chosen = found
    for row in rows:
        if row in now.zero_rows:
            return msg("page.loop.centre", id=batch.ids[row])
    x = batch.x[list(rows)]
    points = closest_points(*torch.from_numpy(x))
    return _view(now, batch, rows, chosen, x / np.linalg.norm(x, axis=1, keepdims=True), points)


def _rows(now: Scene) -> tuple[tuple[int, int, int, int], bool] | None:
    """The batch's rows of x1, x2, y1, y2, and whether the selection says them; None without two classes."""
    batch, selection = now.state.batch, now.state.display.selection
    if len(batch.classes) < 2:
        return None
    other = partners_of(batch.labels)
    i = batch.labels.index(batch.classes[0]) if selection is None else batch.index(selection.anchor)
    chosen = selection is not None and selection.other is not None
    j = batch.index(selection.other) if selection is not None and selection.other is not None else i
    if batch.labels[j] == batch.labels[i]:  # the first of another class
        j, chosen = next(row for row, label in enumerate(batch.labels) if label == _another(batch, i)), False
    return (i, other[i], j, other[j]), chosen


@lru_cache(maxsize=64)
def partners_of(labels: tuple[int, ...]) -> tuple[int, ...]:
    """The row of each point's partner; the same in every frame of a drag."""
    return tuple(partners(torch.tensor(labels)).tolist())


def _another(batch: Batch, row: int) -> int:
    return next(label for label in batch.classes if label != batch.labels[row])


def _view(
    now: Scene,
    batch: Batch,
    rows: tuple[int, int, int, int],
    chosen: bool,
    x: Float64[np.ndarray, "4 d"],
    points: ClosestPoints,
) -> FourView:
    ids = tuple(batch.ids[row] for row in rows)
    assert isinstance(points.case, LoopCase)
    a, b, of_x, of_y = (float(it) for it in (points.a, points.b, points.length_x, points.length_y))
    p1, p2 = points.p1.numpy(), points.p2.numpy()
    antipodal = (bool(points.antipodal[0]), bool(points.antipodal[1]))
    sides = ((a, of_x, antipodal[0]), (b, of_y, antipodal[1]))
    parts = tuple(at / length if length > 0 else 0.0 for at, length, _ in sides)
    cosines = x[:2] @ x[2:].T
    to_x, to_y = (_frame(length, opposite) for _, length, opposite in sides)
    box = to_x @ cosines @ to_y.T
    pairs = tuple(
        Pair(ENDS[k], ENDS[n], (ids[k], ids[n]), _cosine(cosines[k, n - 2]), float(np.linalg.norm(x[k] - x[n])))
        for k in (0, 1)
        for n in (2, 3)
    )
    similarity, touching = _cosine(points.similarity), bool(points.touching)
    return FourView(
        ids=ids,
        labels=(batch.labels[rows[0]], batch.labels[rows[2]]),
        chosen=chosen,
        case=points.case,
        a=a,
        b=b,
        lengths=(of_x, of_y),
        similarity=similarity,
        closest=Pair("p1", "p2", None, similarity, 0.0 if touching else float(np.linalg.norm(p1 - p2))),
        pairs=pairs,
        multipliers=tuple(points.multipliers.tolist()),
        box=tuple(map(tuple, box.tolist())),
        parts=parts,
        marks=_marks(np.vstack([x, p1, p2]), parts),
        touching=touching,
        antipodal=antipodal,
        point=(of_x == 0, of_y == 0),
        hardest=_hardest(now),
        dimensions=batch.x.shape[1],
        picture=not batch.editable,
    )


def _cosine(value: SupportsFloat) -> float:
    return 0.0 if abs(float(value)) < _ROUNDED else float(value)


def _frame(length: float, opposite: bool) -> Float64[np.ndarray, "2 2"]:
    """n1 and n2 of an arc as sums of its ends; n2 = 0 where nothing is between them."""
    if length == 0 or opposite:
        return np.array([[1.0, 0.0], [0.0, 0.0]])
    return np.array([[1.0, 0.0], [-1 / math.tan(length), 1 / math.sin(length)]])


def _marks(points: Float64[np.ndarray, "6 d"], parts: tuple[float, ...]) -> tuple[Mark, ...]:
    """A name for every place: points that are the same share one."""
    names, marks, left = (*ENDS, "p1", "p2"), [], list(range(6))
    while left:
        first = left[0]
        same = [k for k in left if float(np.linalg.norm(points[k] - points[first])) < ALIKE]
        left = [k for k in left if k not in same]
        name = " = ".join(names[k] for k in same)
        marks.append(Mark(name, end=first) if first < 4 else Mark(name, arc=first - 4, part=parts[first - 4]))
    return tuple(marks)


def _hardest(now: Scene) -> Pair:
    """The negative pair of the batch with the largest plain S."""
    before = plain(now)
    most = before.bounds.hardest_neg.clone()
    anchor = int(most.argmax())
    other = int(before.bounds.hardest_neg_at[anchor])
    s, ids = _cosine(most[anchor]), now.state.batch.ids
    return Pair("i", "j", (ids[anchor], ids[other]), s, math.sqrt(max(0.0, 2 - 2 * s)))
