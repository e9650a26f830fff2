"""The paper's Table 1, measured: which of the three similarities does the weight of a negative pair answer to?

What the paper says, and where the measurement honestly says more, stands in `table1.py`.

Many random anchors, one negative pair (i, j) each. Part of the anchor's row is moved, by a shift up and by one down,
and the weight w_ij is read before and after:

    S   the whole row moves             S_ij changes; all differences between the pairs of i stay
    P   only the positives move         S_ij and the other negatives stay
    N   only the other negatives move   S_ij and the positives stay

A tick = the weight of any anchor moved. (To move S_ij alone would be no probe of S: triplet and lifted answer to it,
and yet only look at differences.)

Source: arXiv 1904.06627, Table 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from msviz.core.errors import out_of_range
from msviz.core.methods import Method, evaluate
from msviz.core.pairs import Pairs, mine
from msviz.core.precision import is_finite_number

TINY: Final = 1e-9  # a weight that changes by less has not moved: rounding is a million times smaller
MOST_POSITIVES: Final = 5
MOST_NEGATIVES: Final = 10
PAIR: Final = MOST_POSITIVES  # the column of the measured pair: the first of the negatives, whatever their number
ROWS_OF_A_BATCH: Final = 4  # for a loss of the whole batch


@dataclass(frozen=True)
class Moment:
    """An anchor before or after the move.

    Attributes:
        positives: S of its positives.
        negatives: S of its negatives; the measured pair comes first.
        weight: w_ij of the measured pair.
    """

    positives: tuple[float, ...]
    negatives: tuple[float, ...]
    weight: float


@dataclass(frozen=True)
class Evidence:
    """The anchor whose weight changed most; where nothing moved, proof that even the largest change is none.

    Attributes:
        anchor: its row in `Probe.sim`.
        shift: by how much its similarities were moved.
        before, after: the anchor at both moments.
    """

    anchor: int
    shift: float
    before: Moment
    after: Moment


@dataclass(frozen=True, eq=False)
class Finding:
    """What one kind of move did.

    Attributes:
        change: [A] the larger change |w after - w before| of both shifts, for every anchor.
        evidence: the anchor with the largest change.
    """

    change: Float[Tensor, " A"]
    evidence: Evidence

    @property
    def moved(self) -> Bool[Tensor, " A"]:
        """The anchors whose weight moved: by more than 1e-9."""
        return self.change > TINY

    @property
    def count(self) -> int:
        """How many anchors moved."""
        return int(self.moved.sum())

    @property
    def tick(self) -> bool:
        """True when any anchor moved."""
        return self.count > 0


@dataclass(frozen=True, eq=False)
class Probe:
    """One row of Table 1, measured.

    Attributes:
        method: what was probed.
        sim: [A, M] the random anchors. Column `PAIR` is the measured pair.
        pairs: their positives and negatives; columns in neither are not there.
        s: the whole row moved.
        p: the positives moved.
        n: the other negatives moved.
        whole_batch: the whole batch moved; None for losses that look at one row only, where that is `s`.
    """

    method: Method
    sim: Float[Tensor, "A M"]
    pairs: Pairs
    s: Finding
    p: Finding
    n: Finding
    whole_batch: Finding | None

    @property
    def ticks(self) -> str:
        """The measured ticks, written as in `msviz.TABLE1`: "SPN" for all three, "" for none."""
        return "".join(name for name, found in zip("SPN", (self.s, self.p, self.n), strict=True) if found.tick)


def probe(method: Method, rng: torch.Generator, anchors: int = 500, shift: float = 0.3, combinations: int = 5) -> Probe:
    """Measure which similarities the weight of a negative pair depends on, as Table 1 claims.

        S: S_ik + shift for all k        P: for k in P_i        N: for k in N_i except j        shift = +.3 and -.3

    Similarities are drawn between -.7 and .7 (-1 + shift and 1 - shift), so that they stay cosines after the move.
    For a loss of the whole batch (`histogram`) every anchor stands in a batch with three others, which do not move.

    Args:
        method: the loss, its parameters and its mining margin.
        rng: where the anchors come from; the same generator state gives the same anchors for every method.
        anchors: how many anchors, at least 1. A tick is "any anchor moved": a few hundred find the rare ones.
        shift: by how much, > 0 and < 1, in units of similarity.
        combinations: the least |P_i||N_i| of an anchor, 1 to 50. With 5, the hinge of `lifted` never closes at its
            default lam (see `table1.py`).

    Raises:
        MsvizError: `error.parameter_range` when anchors, shift or combinations are out of range.

    >>> import torch
    >>> from msviz.core.methods import METHODS
    >>> found = probe(METHODS["ms"], torch.Generator().manual_seed(0))
    >>> found.ticks
    'SPN'
    >>> found = probe(Method("contrastive"), torch.Generator().manual_seed(0))
    >>> found.ticks, found.s.evidence.before.weight, found.s.evidence.after.weight
    ('S', 0.0, 1.0)

    Source: arXiv 1904.06627, Table 1.
    """
    _check(anchors, shift, combinations)
    rows = 1 if method.loss.separable else ROWS_OF_A_BATCH
    sim, pairs = _draw(rng, anchors, rows, 1 - shift, combinations)
    column = torch.arange(sim.shape[2])
    either, rivals = pairs.pos | pairs.neg, pairs.neg & (column != PAIR)
    the_anchor = (torch.arange(rows) == 0)[:, None]  # the first row of its batch
    before = _weights(sim, pairs, method)

    def finding(moving: Bool[Tensor, "A B M"]) -> Finding:
        moved = [(by, sim + by * moving.to(sim)) for by in (shift, -shift)]
        after = torch.stack([_weights(there, pairs, method) for _, there in moved])
        change = (after - before).abs()  # [2, A]
        way, at = divmod(int(change.argmax()), anchors)
        by, there = moved[way]
        return Finding(
            change=change.amax(0),
            evidence=Evidence(
                anchor=at,
                shift=by,
                before=_moment(sim[at, 0], pairs, at, before[at]),
                after=_moment(there[at, 0], pairs, at, after[way, at]),
            ),
        )

    return Probe(
        method=method,
        sim=sim[:, 0],
        pairs=Pairs(pairs.pos[:, 0], pairs.neg[:, 0]),
        s=finding(either & the_anchor),
        p=finding(pairs.pos & the_anchor),
        n=finding(rivals & the_anchor),
        whole_batch=None if method.loss.separable else finding(either),
    )


def _draw(
    rng: torch.Generator, anchors: int, rows: int, reach: float, combinations: int
) -> tuple[Float[Tensor, "A B M"], Pairs]:
    """A batches of B rows each: 1 to 5 positives, then 1 to 10 negatives, uniform similarities."""
    sizes = [
        (pos, neg)
        for pos in range(1, MOST_POSITIVES + 1)
        for neg in range(1, MOST_NEGATIVES + 1)
        if pos * neg >= combinations
    ]
    size = torch.tensor(sizes)[torch.randint(len(sizes), (anchors, rows), generator=rng)]  # [A, B, 2]
    column = torch.arange(MOST_POSITIVES + MOST_NEGATIVES)
    uniform = torch.rand(anchors, rows, len(column), generator=rng, dtype=torch.float64)
    return reach * (2 * uniform - 1), Pairs(
        pos=column < size[..., :1],
        neg=(column >= PAIR) & (column < PAIR + size[..., 1:]),
    )


def _weights(sim: Float[Tensor, "A B M"], pairs: Pairs, method: Method) -> Float[Tensor, " A"]:
    """w_ij of every anchor's measured pair; each batch knows only of itself."""
    rows = Pairs(pairs.pos.flatten(0, 1), pairs.neg.flatten(0, 1))
    if method.loss.separable:  # a row does not know of the others: all in one batch
        return evaluate(sim.flatten(0, 1), rows, method).weights.view_as(sim)[:, 0, PAIR]

    def gradient(sim: Float[Tensor, "B M"], pos: Bool[Tensor, "B M"], neg: Bool[Tensor, "B M"]) -> Tensor:
        return method.loss.pair_gradient(sim, Pairs(pos, neg), method.params)

    mined = mine(sim.flatten(0, 1), rows, method.epsilon)  # mining looks at one row, even here
    of_every_batch: Callable[[Tensor, Tensor, Tensor], Tensor] = torch.vmap(gradient)
    return of_every_batch(sim, mined.pos.view_as(sim), mined.neg.view_as(sim))[:, 0, PAIR].abs()


def _moment(row: Float[Tensor, " M"], pairs: Pairs, at: int, weight: Tensor) -> Moment:
    pos, neg = row[pairs.pos[at, 0]], row[pairs.neg[at, 0]]
    return Moment(tuple(pos.tolist()), tuple(neg.tolist()), float(weight))


def _check(anchors: int, shift: float, combinations: int) -> None:
    most = MOST_POSITIVES * MOST_NEGATIVES
    for name, got, allowed, bounds in (
        ("anchors", anchors, _whole(anchors) and anchors >= 1, "a whole number >= 1"),
        ("shift", shift, is_finite_number(shift) and 0 < shift < 1, "> 0 and < 1"),
        ("combinations", combinations, _whole(combinations) and 1 <= combinations <= most, f"1 to {most}, whole"),
    ):
        if not allowed:
            raise out_of_range(name, bounds, got)


def _whole(got: object) -> bool:
    return is_finite_number(got) and got == int(got)
