"""A state together with everything that the core computes of it: evaluated once, read by every view-model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import torch
from jaxtyping import Bool, Float64
from torch import Tensor

from msviz.core.forces import forces
from msviz.core.methods import Evaluation, evaluate
from msviz.core.pairs import Bounds, Pairs, bounds, label_pairs
from msviz.core.reasons import Reasons, reasons
from msviz.core.similarity import similarity, zero_rows
from msviz.state import State
from msviz.views.in_blocks import DENSE, compared_rows, evaluate_rows, weigh


@dataclass(frozen=True, eq=False)
class Weighed:
    """What a method makes of the pairs, without the losses: less to compute for each of twelve methods in a drag.

    Args:
        mined: the pairs that its mining kept.
        gradient: dL_i/dS_ij [m, m], signed.
    """

    mined: Pairs
    gradient: Float64[Tensor, "m m"]


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything computed of one state, in float64; rows and columns follow the batch's points.

    Args:
        state: what was evaluated.
        sim: S [m, m], cosines; dot products where norms count (state.normalize is False).
        pairs: positives and negatives by label, before mining.
        bounds: for every anchor its hardest positive and negative, before mining.
        evaluation: mined pairs, losses, gradients and weights of the active method.
        forces: [m, d], the step -dL/dx of every point; tangential, unless norms count.
        zero_rows: rows of the batch that are zero vectors: similarity 0 to all; without a direction no force either.
    """

    state: State
    sim: Float64[Tensor, "m m"]
    pairs: Pairs
    bounds: Bounds
    evaluation: Evaluation
    forces: Float64[np.ndarray, "m d"]
    zero_rows: tuple[int, ...]

    @property
    def m(self) -> int:
        """The number of points."""
        return self.state.batch.m

    @property
    def weights(self) -> Float64[Tensor, "m m"]:
        """GPW weights w_ij = |dL_i/dS_ij|, without 1/m."""
        return self.evaluation.weights

    @property
    def kept(self) -> Bool[Tensor, "m m"]:
        """The pairs that count: mined ones, or all of them when mining is off."""
        return self.evaluation.mined.pos | self.evaluation.mined.neg

    @cached_property
    def limit(self) -> float:
        """The largest |S| that S is drawn to: 1 for cosines; where norms count the largest there is, at least 1."""
        if self.state.normalize or self.m < 2:
            return 1.0
        return max(1.0, float(self.sim[~torch.eye(self.m, dtype=torch.bool)].abs().max()))

    def shown_as(self, state: State) -> Scene:
        """The same numbers for a state that differs in what is shown only; nothing is computed again."""
        other = replace(self, state=state)
        other.__dict__.update({name: self.__dict__[name] for name in ("compared", "reasons") if name in self.__dict__})
        return other

    @cached_property
    def compared(self) -> tuple[Weighed, ...]:
        """What every compared method makes of the pairs, the active one first; worked out when somebody asks."""
        known = {self.state.method: Weighed(self.evaluation.mined, self.evaluation.gradient)}
        for method in self.state.others:
            if method not in known:
                known[method] = Weighed(*weigh(self.sim, self.pairs, method))
        return tuple(known[method] for method in (self.state.method, *self.state.others))

    @cached_property
    def reasons(self) -> Reasons:
        """Why mining keeps or drops each pair; worked out when somebody asks, not in every frame of a drag."""
        return reasons(self.sim, self.pairs, self.state.method.epsilon)

    def reasons_of(self, row: int) -> Reasons:
        """The reasons of one anchor, as row 0: in a large batch all of them would take as long as the whole scene."""
        anchor = slice(row, row + 1)
        return reasons(self.sim[anchor], self.pairs.rows(anchor), self.state.method.epsilon)


@lru_cache(maxsize=64)
def _pairs(labels: tuple[int, ...]) -> Pairs:
    """The pairs that labels make; the same in every frame of a drag."""
    return label_pairs(list(labels))


def scene(state: State) -> Scene:
    """Evaluate a state with the core: in float64, and above 512 points in float32 (see in_blocks.py).

    Example:
        >>> from msviz.state import default_state
        >>> scene(default_state()).m
        14
    """
    x = torch.from_numpy(state.batch.x.copy())
    if state.batch.m <= DENSE:
        sim = similarity(x, normalize=state.normalize)
        pairs = _pairs(state.batch.labels)
        hardest, evaluation = bounds(sim, pairs), evaluate(sim, pairs, state.method)
    else:
        x = x.float()
        sim, pairs, hardest = compared_rows(x, state.batch.labels, state.normalize)
        evaluation = evaluate_rows(sim, pairs, state.method)
    return Scene(
        state=state,
        sim=sim,
        pairs=pairs,
        bounds=hardest,
        evaluation=evaluation,
        forces=forces(x, evaluation.value_gradient, state.normalize).numpy(),
        zero_rows=tuple(zero_rows(x).tolist()),
    )
