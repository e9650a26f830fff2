"""A state together with everything that the core computes of it: evaluated once, read by every view-model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary

import numpy as np
import torch
from jaxtyping import Bool, Float64
from torch import Tensor

from msviz.core.errors import MsvizError
from msviz.core.forces import forces
from msviz.core.methods import Evaluation, Method, evaluate
from msviz.core.pairs import Bounds, Pairs, bounds, label_pairs
from msviz.core.reasons import Reasons, reasons
from msviz.core.scheme import PLAIN, Scheme, SchemeRows, compared, evaluate_square
from msviz.core.similarity import similarity, zero_rows
from msviz.data import Batch
from msviz.state import State
from msviz.views.in_blocks import DENSE, compared_rows, evaluate_rows, weigh

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Weighed:
    """What a method makes of the pairs, without the losses: less to compute for each of twelve methods in a drag.

    Args:
        mined: the pairs that its mining kept.
        gradient: dL_i/dS_ij [m, m], signed.
        figures: what was worked out of it, see `once`.
    """

    mined: Pairs
    gradient: Float64[Tensor, "m m"]
    figures: dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class Ground:
    """A batch before a method looks at it, and what methods made of it. All scenes of the batch share it.

    So a slider computes nothing again but its own method, and a second scene of thousands of points, such as the one
    before a gesture, takes little memory. A method's part goes when no scene holds it.

    Args:
        sim: S [m, m], cosines; dot products where norms count.
        pairs: positives and negatives by label, before mining.
        bounds: for every anchor its hardest positive and negative, before mining.
        evaluated, weighed: what is known of a method.
    """

    sim: Float64[Tensor, "m m"]
    pairs: Pairs
    bounds: Bounds
    evaluated: WeakValueDictionary[Method, Evaluation] = field(default_factory=WeakValueDictionary, repr=False)
    weighed: WeakValueDictionary[Method, Weighed] = field(default_factory=WeakValueDictionary, repr=False)


_GROUNDS: Final[WeakValueDictionary[tuple[Batch, bool], Ground]] = WeakValueDictionary()


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything computed of one state, in float64; rows and columns follow the batch's points.

    Args:
        state: what was evaluated.
        ground: its batch, before any method.
        evaluation: mined pairs, losses, gradients and weights of the active method.
        forces: [m, d], the step -dL/dx of every point; tangential, unless norms count.
        zero_rows: rows of the batch that are zero vectors: similarity 0 to all; without a direction no force either.
        scheme: how the batch was compared.
        rows: what takes part, where not everybody meets everybody by plain similarities.
        refused: why nothing takes part, where tuplets could not be built.
        figures: what was worked out of it, whatever is shown, see `once`.
    """

    state: State
    ground: Ground
    evaluation: Evaluation
    forces: Float64[np.ndarray, "m d"]
    zero_rows: tuple[int, ...]
    scheme: Scheme = PLAIN
    rows: SchemeRows | None = None
    refused: MsvizError | None = None
    figures: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def m(self) -> int:
        """The number of points."""
        return self.state.batch.m

    @property
    def sim(self) -> Float64[Tensor, "m m"]:
        """S [m, m], cosines; dot products where norms count (`scheme.normalize` is False)."""
        return self.ground.sim

    @property
    def pairs(self) -> Pairs:
        """Positives and negatives by label, before mining."""
        return self.ground.pairs

    @property
    def bounds(self) -> Bounds:
        """For every anchor its hardest positive and negative, before mining."""
        return self.ground.bounds

    @property
    def weights(self) -> Float64[Tensor, "m m"]:
        """GPW weights w_ij = |dL_i/dS_ij|, without 1/m."""
        return self.evaluation.weights

    @property
    def kept(self) -> Bool[Tensor, "m m"]:
        """The pairs that count: mined ones, or all of them when mining is off."""
        return self.evaluation.mined.pos | self.evaluation.mined.neg

    @property
    def limit(self) -> float:
        """The largest |S| that S is drawn to: 1 for cosines; where norms count the largest there is, at least 1."""
        if self.scheme.normalize or self.m < 2:
            return 1.0
        apart = ~torch.eye(self.m, dtype=torch.bool)
        return once(self, "limit", lambda: max(1.0, float(self.sim.abs().where(apart, 0.0).max())))

    def shown_as(self, state: State) -> Scene:
        """The same numbers for a state that differs in what is shown only; nothing is computed again."""
        return replace(self, state=state)

    @property
    def compared(self) -> tuple[Weighed, ...]:
        """What every compared method makes of the pairs, the active one first; worked out when somebody asks."""
        return once(self, "compared", lambda: tuple(map(self._weighed, (self.state.method, *self.state.others))))

    def make_room_for(self, later: Scene) -> None:
        """Let go of what compared methods make of thousands of points, once a later scene has what it shares of it."""
        shared = later.ground is self.ground and "compared" not in later.figures
        if self.m > DENSE and later.figures is not self.figures and not shared:
            self.figures.pop("compared", None)

    def _weighed(self, method: Method) -> Weighed:
        known = self.ground.weighed.get(method)
        if known is None:
            own = method == self.state.method
            found = self.evaluation.mined, self.evaluation.gradient
            known = Weighed(*(found if own else weigh(self.sim, self.pairs, method)))
            self.ground.weighed[method] = known
        return known

    @property
    def reasons(self) -> Reasons:
        """Why mining keeps or drops each pair; worked out when somebody asks, not in every frame of a drag."""
        return once(self, "reasons", lambda: reasons(self.sim, self.pairs, self.state.method.epsilon))

    def reasons_of(self, row: int) -> Reasons:
        """The reasons of one anchor, as row 0: in a large batch all of them would take as long as the whole scene."""
        anchor = slice(row, row + 1)
        return reasons(self.sim[anchor], self.pairs.rows(anchor), self.state.method.epsilon)


@lru_cache(maxsize=64)
def _pairs(labels: tuple[int, ...]) -> Pairs:
    """The pairs that labels make; the same in every frame of a drag."""
    return label_pairs(list(labels))


def scene(state: State, scheme: Scheme = PLAIN) -> Scene:
    """Evaluate a state with the core: in float64, and above 512 points in float32 (see in_blocks.py).

    Args:
        state: what is evaluated.
        scheme: how its batch is compared; norms count where either of the two says so.

    Example:
        >>> from msviz.state import default_state
        >>> scene(default_state()).m
        14
    """
    scheme = counted(state, scheme)
    if scheme != replace(PLAIN, normalize=scheme.normalize):
        return _under(state, scheme)
    x, method = torch.from_numpy(state.batch.x.copy()), state.method
    if state.batch.m > DENSE:
        x = x.float()
    ground = _ground(state.batch, x, scheme.normalize)
    found = ground.evaluated.get(method)
    if found is None:
        work = evaluate if state.batch.m <= DENSE else evaluate_rows
        found = ground.evaluated[method] = work(ground.sim, ground.pairs, method)
    return Scene(
        state=state,
        ground=ground,
        evaluation=found,
        forces=forces(x, found.value_gradient, scheme.normalize).numpy(),
        zero_rows=tuple(zero_rows(x).tolist()),
        scheme=scheme,
    )


def counted(state: State, scheme: Scheme) -> Scheme:
    """The scheme, in which norms count where the state or the scheme says so."""
    return replace(scheme, normalize=scheme.normalize and state.normalize)


def as_it_is(state: State) -> tuple[State, Scheme]:
    """How most pages see a state: by its own method, everybody with everybody."""
    return state, PLAIN


def _ground(batch: Batch, x: Tensor, normalize: bool) -> Ground:
    known = _GROUNDS.get((batch, normalize))
    if known is not None:
        return known
    if batch.m <= DENSE:
        sim, pairs = similarity(x, normalize=normalize), _pairs(batch.labels)
        known = Ground(sim, pairs, bounds(sim, pairs))
    else:
        known = Ground(*compared_rows(x, batch.labels, normalize))
    _GROUNDS[batch, normalize] = known
    return known


def _under(state: State, scheme: Scheme) -> Scene:
    """The scene under a scheme in which not everybody meets everybody; all at once, so for at most DENSE points."""
    x, refused = torch.from_numpy(state.batch.x.copy()), None
    labels, learnt = torch.tensor(state.batch.labels, dtype=torch.long), x.clone().requires_grad_()
    try:
        rows = compared(learnt, labels, scheme)
    except MsvizError as error:
        rows, refused = _nobody(x), error
    sim = similarity(x, normalize=scheme.normalize)
    sim[rows.anchors] = rows.sim.detach()
    pairs = Pairs(rows.square(rows.pairs.pos), rows.square(rows.pairs.neg))
    found = evaluate_square(rows, state.method)
    slope = torch.zeros_like(x)
    if refused is None:
        (slope,) = torch.autograd.grad(rows.sim, learnt, found.value_gradient[rows.anchors])
        slope[rows.used] += 2 * scheme.penalty * x[rows.used] / max(len(rows.used), 1)
    return Scene(
        state=state,
        ground=Ground(sim, pairs, bounds(sim, pairs)),
        evaluation=found,
        forces=(0.0 - slope).numpy(),
        zero_rows=tuple(zero_rows(x).tolist()),
        scheme=scheme,
        rows=rows,
        refused=refused,
    )


def _nobody(x: Tensor) -> SchemeRows:
    none, nobody = torch.zeros(0, len(x), dtype=torch.bool), torch.zeros(0, dtype=torch.long)
    return SchemeRows(x.new_zeros(0, len(x)), Pairs(none, none), nobody, nobody)


def once(of: Scene | Weighed, name: str, make: Callable[[], _T]) -> _T:
    """A figure that is worked out once, as long as what it comes from lives.

    Selecting a pair of a large batch must not sort millions of weights again.

    Args:
        of: what the figure is of: a scene, whatever of it is shown, or one method on a batch.
        name: which figure.
        make: works it out.
    """
    if name not in of.figures:
        of.figures[name] = make()
    found: _T = of.figures[name]
    return found
