"""One pair's weight against its similarity, while everything else of the batch stays where it is: a curve a method.

Only S_ij is replaced, in the anchor's own row. Rows are batched: a curve is a handful of evaluations. Where the weight
changes fast, the curve is looked at more closely, down to a millionth of a similarity; a change that is left then is a
jump, such as mining's, and the curve breaks there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import torch
from jaxtyping import Bool, Float64
from torch import Tensor

from msviz.core.methods import Method, evaluate
from msviz.core.pairs import Pairs, mine
from msviz.views.in_blocks import mine_rows
from msviz.views.scene import Scene

FIRST: Final = 201  # similarities that a curve is looked at to begin with
FINEST: Final = 1e-6  # neighbours so close are not looked between any more
STEP: Final = 0.01  # of the curve's largest weight: a change between neighbours that is looked into
MOST_INTERVALS: Final = 64  # looked into at a time


@dataclass(frozen=True, eq=False)
class Curve:
    """A method's weight of the pair, over its similarity.

    Args:
        method: whose curve it is.
        s: [K] similarities, rising.
        weight: [K] the weight, above 0 as general pair weighting assumes (positives pull, negatives push); below 0
            where the method does the opposite.
        kept: [K] whether mining keeps the pair there; all True without mining.
        jumps: k where the curve breaks between k and k + 1.
        now: the weight at the pair's own similarity.
    """

    method: Method
    s: Float64[np.ndarray, " K"]
    weight: Float64[np.ndarray, " K"]
    kept: Bool[np.ndarray, " K"]
    jumps: tuple[int, ...]
    now: float

    @property
    def largest(self) -> float:
        """The largest |weight| on the curve; 0 for a curve that is 0 everywhere."""
        return float(np.abs(self.weight).max())

    def dropped(self) -> list[tuple[float, float]]:
        """The stretches [from, to] of similarities in which mining drops the pair."""
        edges = np.flatnonzero(np.diff(self.kept.astype(np.int8)))
        bounds = [0, *(edges + 1), len(self.s)]
        return [(float(self.s[a]), float(self.s[b - 1])) for a, b in pairwise(bounds) if not self.kept[a]]


@dataclass(frozen=True, eq=False)
class CurvesView:
    """All curves of the selected pair.

    Args:
        anchor, other: ids of the pair.
        positive: whether it is of one class.
        s: its similarity now.
        curves: the active method's first, then those that it is compared with.
    """

    anchor: int
    other: int
    positive: bool
    s: float
    curves: tuple[Curve, ...]


def curves_view(scene: Scene) -> CurvesView | None:
    """The curves of a scene's selected pair, one for the active method and one for each it is compared with.

    Args:
        scene: the evaluated state.

    Returns:
        None when no pair is selected.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> view = curves_view(scene(default_state().select(4, 6)))
        >>> len(view.curves), round(view.curves[0].dropped()[0][1], 2)
        (6, 0.14)
    """
    selection = scene.state.display.selection
    if selection is None or selection.other is None:
        return None
    batch = scene.state.batch
    i, j = batch.index(selection.anchor), batch.index(selection.other)
    methods = dict.fromkeys((scene.state.method, *scene.state.others))  # a method that comes twice is one curve
    return CurvesView(
        anchor=selection.anchor,
        other=selection.other,
        positive=bool(scene.pairs.pos[i, j]),
        s=float(scene.sim[i, j]),
        curves=tuple(weight_curve(scene.sim, scene.pairs, method, i, j) for method in methods),
    )


def weight_curve(sim: Float64[Tensor, "m m"], pairs: Pairs, method: Method, i: int, j: int) -> Curve:
    """The weight of the pair (i, j) under a method, for every similarity that it could have.

    Args:
        sim: similarities of the batch; all but S_ij stay.
        pairs: positives and negatives before mining.
        method: the loss, its parameters, its mining.
        i, j: rows of the batch, not the same.
    """
    look = _Look(sim, pairs, method, i, j)
    own = float(sim[i, j])
    low, high = min(-1.0, float(sim[i].min())), max(1.0, float(sim[i].max()))
    s = np.unique(np.append(np.linspace(low, high, FIRST), own))
    weight, kept = look(s)
    while True:
        change = np.abs(np.diff(weight)) > STEP * max(np.abs(weight).max(), 1e-300)
        change |= kept[1:] != kept[:-1]
        coarse = np.flatnonzero(change & (np.diff(s) > FINEST))
        if not len(coarse):
            break
        widest = coarse[np.argsort(-np.diff(s)[coarse], kind="stable")][:MOST_INTERVALS]
        middle = (s[widest] + s[widest + 1]) / 2
        more, keeps = look(middle)
        order = np.argsort(np.append(s, middle), kind="stable")
        s, weight, kept = (np.append(old, new)[order] for old, new in ((s, middle), (weight, more), (kept, keeps)))
    at = int(np.flatnonzero(s == own)[0])
    return Curve(method, s, weight, kept, tuple(np.flatnonzero(change).tolist()), float(weight[at]))


class _Look:
    """The weight of a pair at many similarities at once."""

    def __init__(self, sim: Tensor, pairs: Pairs, method: Method, i: int, j: int) -> None:
        self.row, self.method, self.j = sim[i], method, j
        self.pairs = pairs.rows(slice(i, i + 1))
        self.sign = 1.0 if bool(pairs.neg[i, j]) else -1.0
        whole = method.loss.whole_batch
        if whole is not None:  # what all other rows add to the batch stays the same
            parts = [(sim[part], pairs.rows(part)) for part in (slice(i), slice(i + 1, None))]
            each = [whole.collect(of, mine_rows(of, kinds, method.epsilon), method.params) for of, kinds in parts]
            self.rest = each[0] + each[1]

    def __call__(self, s: Float64[np.ndarray, " K"]) -> tuple[np.ndarray, np.ndarray]:
        rows = self.row.repeat(len(s), 1)
        rows[:, self.j] = torch.from_numpy(s)
        pairs = Pairs(self.pairs.pos.expand(len(s), -1), self.pairs.neg.expand(len(s), -1))
        if self.method.loss.whole_batch is None:
            found = evaluate(rows, pairs, self.method)
            gradient, mined = found.gradient, found.mined
        else:
            mined = mine(rows, pairs, self.method.epsilon)
            gradient = self._whole(rows, mined)
        kept = (mined.pos | mined.neg)[:, self.j]
        return self.sign * gradient[:, self.j].numpy() + 0.0, kept.numpy()

    def _whole(self, rows: Tensor, mined: Pairs) -> Tensor:
        """A batch for each row: the same other rows, and this one."""
        whole, p = self.method.loss.whole_batch, self.method.params
        assert whole is not None

        def one(row: Tensor, pos: Tensor, neg: Tensor) -> Tensor:
            block, pairs = row[None], Pairs(pos[None], neg[None])
            return whole.gradient(self.rest + whole.collect(block, pairs, p), block, pairs, p)[0]

        found: Tensor = torch.vmap(one)(rows, mined.pos, mined.neg)
        return found
