"""The paper's Figure 2 as numbers: one negative pair, three ways in which its neighbourhood can change.

    case 1  the whole row comes nearer                 S rises, P and N stay. A mined pair's weight rises, or stays; one
                                                       that is not mined stays at 0.
    case 2  the other negatives come nearer            N falls, S and P stay. The weight does not rise; it falls when
                                                       the pair and a moved rival are mined.
    case 3  the least similar positive comes nearer    P falls, S and N stay. The pair weighs 0 once mining lets it go;
                                                       while it is mined its weight stays, or rises when a rival leaves.

These sentences are about multi-similarity with mining. Other losses break some of them: `CasePath.holds` shows where.

In case 1 it must be the whole row. Where only the negatives come nearer, P rises as well, and now and then a rival
enters mining and takes weight away (.2 % of the pairs of random points on the circle, more among clusters):
`Case.NEGATIVES_ONLY` shows it.

Source: arXiv 1904.06627, Figure 2.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from msviz.core.errors import out_of_range, wrong_shape
from msviz.core.methods import Method, evaluate
from msviz.core.pairs import Pairs, check_pairs
from msviz.core.precision import is_finite_number
from msviz.core.three_similarities import Similarities, sharpness, three_similarities

TINY = 1e-9  # what differs by less is the same, but for rounding
FADED = 1e-12  # where rivals gain less than this, what they take away may be lost in rounding


class Case(StrEnum):
    """The three cases, and the first one as it does not quite work."""

    WHOLE_ROW = "1"
    NEGATIVES_ONLY = "1, negatives only"
    OTHER_NEGATIVES = "2"
    LEAST_POSITIVE = "3"


@dataclass(frozen=True, eq=False)
class CasePath:
    """What happens to a negative pair on the way, in T steps. Step 0 is the anchor as it was given.

    Attributes:
        case: what moves.
        method: the loss, its parameters and its mining margin.
        column: j, the pair's column.
        shift: [T] by how much it has moved, in units of similarity.
        sim: [T, M] the anchor's row.
        pairs: [T, M] its pairs, the same in every step.
        s, p, n: [T] the pair's three similarities; N with the method's own beta, or 40. P is NaN without positives.
        weights: [T, M] the weights of the whole row.
        mined: [T, M] the pairs that count.
        holds: "S", "P", "N" and "weight" -> [T] True where what must happen did happen since the step before; True in
            step 0, before anything happened.
    """

    case: Case
    method: Method
    column: int
    shift: Float[Tensor, " T"]
    sim: Float[Tensor, "T M"]
    pairs: Pairs
    s: Float[Tensor, " T"]
    p: Float[Tensor, " T"]
    n: Float[Tensor, " T"]
    weights: Float[Tensor, "T M"]
    mined: Bool[Tensor, "T M"]
    holds: Mapping[str, Bool[Tensor, " T"]]

    @property
    def weight(self) -> Float[Tensor, " T"]:
        """The pair's weight w_ij."""
        return self.weights[:, self.column]

    @property
    def kept(self) -> Bool[Tensor, " T"]:
        """True where the pair counts."""
        return self.mined[:, self.column]

    @property
    def all_hold(self) -> bool:
        """True when every sentence of the case holds in every step."""
        return all(bool(steps.all()) for steps in self.holds.values())


def default_anchor() -> tuple[Float[Tensor, "1 4"], Pairs]:
    """The anchor to start with: positives .82 and .65, negatives .62 and .30; column 2 is a mined negative.

    >>> default_anchor()[0]
    tensor([[0.8200, 0.6500, 0.6200, 0.3000]], dtype=torch.float64)
    """
    sim = torch.tensor([[0.82, 0.65, 0.62, 0.30]], dtype=torch.float64)
    positive = torch.tensor([[True, True, False, False]])
    return sim, Pairs(pos=positive, neg=~positive)


def figure2(
    case: Case | str,
    method: Method,
    sim: Float[Tensor, "N M"],
    pairs: Pairs,
    i: int,
    j: int,
    steps: int = 21,
) -> CasePath:
    """One case of Figure 2, for the negative pair (i, j): every number on the way, and whether it went as it must.

        case 1    S_ik + t for all k
        case 2    S_ik + t for k in N_i except j
        case 3    max(S_ik, min_{l in P_i} S_il + t) for k in P_i

    t goes in even steps from 0 to where the most similar of those that move reaches 1. In case 3 that is the least
    similar positive; when it meets the next one, both move on together: it is always the least similar that comes
    nearer.

    Args:
        case: "1", "2", "3" or "1, negatives only", see `Case`.
        method: the loss, its parameters and its mining margin.
        sim: similarities [N, M]; only row i matters, and for a loss of the whole batch it is the whole batch.
        pairs: the masks [N, M].
        i: the anchor's row, 0 to N - 1.
        j: the column of a negative of i.
        steps: T, at least 2.

    Raises:
        MsvizError: `error.shape` when the shapes differ, (i, j) is no negative pair, or nobody can move nearer;
            `error.parameter_range` for an unknown case or too few steps.

    >>> from msviz.core.methods import METHODS
    >>> path = figure2("3", METHODS["authors"], *default_anchor(), i=0, j=2, steps=8)
    >>> path.shift
    tensor([0.0000, 0.0500, 0.1000, 0.1500, 0.2000, 0.2500, 0.3000, 0.3500],
           dtype=torch.float64)
    >>> path.kept.int()  # .62 > .65 + t - .1 until t = .07
    tensor([1, 1, 0, 0, 0, 0, 0, 0], dtype=torch.int32)
    >>> path.all_hold
    True

    Source: arXiv 1904.06627, Figure 2.
    """
    case = _checked_case(case)
    row, of_row = _checked_row(sim, pairs, i, j, steps)
    moving = _moving(case, of_row, j)
    if not moving.any():
        raise wrong_shape("pairs", f"of an anchor that has somebody to move in case {case}", "nobody")

    nearest = float(row[moving].min() if case == Case.LEAST_POSITIVE else row[moving].max())
    if 1 - nearest < TINY:
        raise wrong_shape("sim", f"below 1 where it moves in case {case}", f"{nearest:g}")
    shift = torch.linspace(0, 1 - nearest, steps, dtype=row.dtype)[:, None]  # [T, 1]
    target = row.maximum(nearest + shift) if case == Case.LEAST_POSITIVE else row + shift
    sims = torch.where(moving, target, row)

    path_pairs = Pairs(of_row.pos.expand(steps, -1), of_row.neg.expand(steps, -1))
    mined, weights = _step_by_step(sims, path_pairs, method)
    similarities = three_similarities(sims, path_pairs, *sharpness(method))
    return CasePath(
        case=case,
        method=method,
        column=j,
        shift=shift[:, 0],
        sim=sims,
        pairs=path_pairs,
        s=similarities.s[:, j],
        p=similarities.p[:, j],
        n=similarities.n[:, j],
        weights=weights,
        mined=mined,
        holds=_holds(case, similarities, weights, mined, of_row.neg, j),
    )


def _moving(case: Case, pairs: Pairs, j: int) -> Bool[Tensor, "1 M"]:
    rivals = pairs.neg & (torch.arange(pairs.neg.shape[1]) != j)
    return {
        Case.WHOLE_ROW: pairs.pos | pairs.neg,
        Case.NEGATIVES_ONLY: pairs.neg,
        Case.OTHER_NEGATIVES: rivals,
        Case.LEAST_POSITIVE: pairs.pos,
    }[case]


def _step_by_step(
    sims: Float[Tensor, "T M"], pairs: Pairs, method: Method
) -> tuple[Bool[Tensor, "T M"], Float[Tensor, "T M"]]:
    """What is mined and what it weighs, each step a batch of its own."""

    def of_rows(sim: Tensor, pos: Tensor, neg: Tensor) -> tuple[Tensor, Tensor]:
        found = evaluate(sim, Pairs(pos, neg), method)
        return found.mined.pos | found.mined.neg, found.weights

    if method.loss.separable:  # rows do not know of each other: all steps at once
        return of_rows(sims, pairs.pos, pairs.neg)
    alone = [of_rows(sims[t : t + 1], pairs.pos[t : t + 1], pairs.neg[t : t + 1]) for t in range(len(sims))]
    return torch.cat([mined for mined, _ in alone]), torch.cat([weights for _, weights in alone])


def _holds(
    case: Case,
    similarities: Similarities,
    weights: Float[Tensor, "T M"],
    mined: Bool[Tensor, "T M"],
    neg: Bool[Tensor, "1 M"],
    j: int,
) -> dict[str, Bool[Tensor, " T"]]:
    """The sentences at the top of this file, between each step and the one before."""
    s, p, n, w, kept = similarities.s[:, j], similarities.p[:, j], similarities.n[:, j], weights[:, j], mined[:, j]
    rivals = neg & (torch.arange(neg.shape[1]) != j)
    zero_unless_mined = kept[1:] | (w[1:] == 0)

    if case == Case.WHOLE_ROW:
        claims = {"S": _rises(s), "P": _stays(p), "N": _stays(n), "weight": _does_not_fall(w) & zero_unless_mined}
    elif case == Case.NEGATIVES_ONLY:
        claims = {"S": _rises(s), "P": _rises(p), "N": _stays(n), "weight": _does_not_fall(w) & zero_unless_mined}
    elif case == Case.OTHER_NEGATIVES:
        n_of_rivals, w_of_rivals = similarities.n.masked_fill(~rivals, 0).sum(1), (weights * rivals).sum(1)
        weight = _yields_to(w, w_of_rivals) | (~kept[1:] & (w[1:] == 0))
        claims = {"S": _stays(s), "P": _stays(p), "N": _yields_to(n, n_of_rivals), "weight": weight}
    else:
        a_rival_left = (rivals & mined[:-1] & ~mined[1:]).any(1)
        while_mined = kept[:-1] & kept[1:] & torch.where(a_rival_left, _does_not_fall(w), _stays(w))
        let_go = ~kept[1:] & (w[1:] == 0)
        claims = {"S": _stays(s), "P": p.diff() < 0, "N": _stays(n), "weight": while_mined | let_go}
    return {name: torch.cat([torch.ones(1, dtype=torch.bool), steps]) for name, steps in claims.items()}


def _stays(value: Float[Tensor, " T"]) -> Bool[Tensor, " T-1"]:
    return (value.diff().abs() <= TINY) | value[1:].isnan()  # where it is not defined, it does not change


def _rises(value: Float[Tensor, " T"]) -> Bool[Tensor, " T-1"]:
    return (value.diff() > 0) | value[1:].isnan()


def _does_not_fall(value: Float[Tensor, " T"]) -> Bool[Tensor, " T-1"]:
    return value.diff() >= -TINY


def _yields_to(value: Float[Tensor, " T"], rivals: Float[Tensor, " T"]) -> Bool[Tensor, " T-1"]:
    """It falls where its rivals gain; where they gain nothing that floats would show, it does not rise."""
    return torch.where(rivals.diff() > FADED, value.diff() < 0, value.diff() <= TINY)


def _checked_case(case: Case | str) -> Case:
    try:
        return Case(case)
    except ValueError:
        raise out_of_range("case", "one of " + ", ".join(repr(known.value) for known in Case), case) from None


def _checked_row(sim: Tensor, pairs: Pairs, i: int, j: int, steps: int) -> tuple[Float[Tensor, "1 M"], Pairs]:
    check_pairs(sim, pairs)
    if not (0 <= i < sim.shape[0] and 0 <= j < sim.shape[1] and bool(pairs.neg[i, j])):
        raise wrong_shape("(i, j)", "a negative pair", f"({i}, {j})")
    if not is_finite_number(steps) or steps != int(steps) or steps < 2:
        raise out_of_range("steps", "a whole number >= 2", steps)
    return sim[i : i + 1].detach().double(), pairs.rows(slice(i, i + 1))
