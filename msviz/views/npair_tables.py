"""The tuplets of a scene as tables: one row an anchor, one column a class, in each cell the pair that they are.

N-pair-mc, N-pair-ovo and the triplet loss weigh the same pairs, so they stand in the same cells. On the diagonal an
anchor meets its positive, elsewhere its negative of that class; triplets leave most cells empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from msviz.core.methods import Method, evaluate
from msviz.core.npair import Pairing
from msviz.state.npair_lab import WEIGHS
from msviz.views.scene import Scene, once


@dataclass(frozen=True, eq=False)
class LossTable:
    """One loss on the tuplets.

    Args:
        method: the loss.
        value: the mean of L_i over the N anchors.
        per_anchor: [N] L_i.
        gradient: [N, N] dL_i/dS of each cell's pair, signed; NaN where there is none.
    """

    method: Method
    value: float
    per_anchor: Float64[np.ndarray, " N"]
    gradient: Float64[np.ndarray, "N N"]


@dataclass(frozen=True, eq=False)
class TupletsView:
    """The tuplets of a scene.

    Args:
        anchors: ids of the N anchors, in the order of their classes' first points.
        labels: their classes, which are the columns.
        meets: [N, N] id of the point of the column's class that the row's anchor meets; -1 = none.
        sim: [N, N] S of that pair; NaN = none.
        losses: of `WEIGHS`, in that order.
        positives: ids of the positives, one an anchor.
        used: ids of all points that take part.
        norm: the mean of |x|^2 over them.
    """

    anchors: tuple[int, ...]
    labels: tuple[int, ...]
    meets: Int64[np.ndarray, "N N"]
    sim: Float64[np.ndarray, "N N"]
    losses: tuple[LossTable, ...]
    positives: tuple[int, ...]
    used: tuple[int, ...]
    norm: float

    @property
    def n(self) -> int:
        """N, the number of anchors and of classes."""
        return len(self.anchors)

    @property
    def negatives(self) -> int:
        """How many negatives each anchor meets: 1 in triplets, N - 1 otherwise."""
        return int((self.meets[0] >= 0).sum()) - 1

    def loss(self, name: str) -> LossTable:
        """One of the losses, by its name."""
        return next(table for table in self.losses if table.method.name == name)


def tuplets_view(scene: Scene) -> TupletsView | None:
    """The tables of a scene that compares tuplets; None where it does not, or could not build them.

    Args:
        scene: evaluated under a scheme that pairs in tuplets; its methods are the lab's losses.

    Example:
        >>> from msviz.core.scheme import Scheme
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> state = default_state().with_others(tuple(map(Method, WEIGHS)))
        >>> tuplets_view(scene(state, Scheme(pairing=Pairing.NPAIR))).meets.tolist()
        [[1, 6, 11], [1, 6, 11], [1, 6, 11]]
    """
    if scene.rows is None or scene.refused is not None or scene.scheme.pairing is Pairing.ALL:
        return None
    return once(scene, "tuplets", lambda: _tables(scene))


def _tables(scene: Scene) -> TupletsView:
    rows, batch = scene.rows, scene.state.batch
    assert rows is not None
    anchors, ids = rows.anchors.tolist(), np.array(batch.ids)
    labels = [batch.labels[row] for row in anchors]
    column = {label: at for at, label in enumerate(labels)}
    i, points = (it.numpy() for it in (rows.pairs.pos | rows.pairs.neg).nonzero(as_tuple=True))
    cells = i, np.array([column[batch.labels[point]] for point in points.tolist()], dtype=np.int64)

    def table(values: np.ndarray, empty: float) -> np.ndarray:
        made = np.full((len(anchors),) * 2, empty, dtype=values.dtype)
        made[cells] = values
        return made

    meets = table(ids[points], -1)
    methods = {method.name: method for method in (*scene.state.others, scene.state.method)}
    losses = []
    for name in WEIGHS:
        found = evaluate(rows.sim.detach(), rows.pairs, methods[name])
        assert found.per_anchor is not None
        gradient = table(found.gradient.numpy()[i, points], np.nan)
        losses.append(LossTable(methods[name], float(found.value), found.per_anchor.numpy(), gradient))
    used = rows.used.tolist()
    return TupletsView(
        anchors=tuple(ids[anchors].tolist()),
        labels=tuple(labels),
        meets=meets,
        sim=table(rows.sim.detach().numpy()[i, points], np.nan),
        losses=tuple(losses),
        positives=tuple(meets.diagonal().tolist()),
        used=tuple(ids[used].tolist()),
        norm=float(np.square(batch.x[used]).sum(1).mean()),
    )
