"""Triplet loss: in every triplet (anchor, positive, negative) the positive must be closer by a margin.

    L_i = sum_{p in P_i} sum_{n in N_i} max(0, S_in - S_ip + lam)

An anchor without positives or without negatives has no triplets: L_i = 0.

Weights; counts of active triplets (S_in - S_ip + lam > 0), similarity P:

    positive  w_ip = number of its active negatives
    negative  w_in = number of its active positives

No triplet is ever built: sort one side, then count with a binary search, O(M log M) a row instead of |P| |N|.

Source: F. Schroff, D. Kalenichenko, J. Philbin, CVPR 2015, arXiv 1503.03832; with similarities arXiv 1904.06627,
section 3.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.losses.spec import Equation, LossSpec, Term, check, param, row_values
from msviz.core.masked import masked_sum
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """lam (λ): the margin, in units of similarity, by which a positive must be closer than a negative."""

    lam: float = param("λ", 0.1, 0, 2, "Margin: larger makes more triplets active.")

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor: for each positive the sum of its active S_in, and as many times (lam - S_ip)."""
    reach = p.lam - sim  # of a positive: a triplet is active when -S_in < lam - S_ip
    need = (-sim).masked_fill(~pairs.neg, torch.inf).sort(1).values  # of the negatives, the hardest first
    active = torch.searchsorted(need.detach(), reach.detach())  # [N, M]: how many come strictly before `reach`
    hardest = (-need).masked_fill(need.isinf(), 0).cumsum(1)
    total = torch.nn.functional.pad(hardest, (1, 0)).gather(1, active)  # sum of the `active` hardest S_in
    return masked_sum(total + active * reach, pairs.pos)


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: minus or plus the number of active triplets that the pair belongs to."""
    reach, need = p.lam - sim, -sim
    negs = need.masked_fill(~pairs.neg, torch.inf).sort(1).values
    poss = reach.masked_fill(~pairs.pos, -torch.inf).sort(1).values
    # The same comparison from both ends, need < reach, so that both ends count the same triplets at ties of floats.
    pos = torch.searchsorted(negs, reach)
    neg = sim.shape[1] - torch.searchsorted(poss, need, right=True)
    return (neg.masked_fill(~pairs.neg, 0) - pos.masked_fill(~pairs.pos, 0)).to(sim.dtype)


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """How many of the other kind complete an active triplet with the pair (i, j)."""
    s = float(sim[i, j])
    if pairs.neg[i, j]:
        count = sum(-s < p.lam - k for k in row_values(sim, pairs.pos, i))
        active = Term("|{k∈P_{i} : S_{ij}−S_{ik}+λ > 0}|", float(count), "P")
    else:
        count = sum(-k < p.lam - s for k in row_values(sim, pairs.neg, i))
        active = Term("|{k∈N_{i} : S_{ik}−S_{ij}+λ > 0}|", float(count), "P")
    return Equation(numerator=(active,))


LOSS = LossSpec(
    name="triplet",
    title="Triplet",
    cite="Schroff, Kalenichenko and Philbin, CVPR 2015, arXiv 1503.03832",
    params=Params,
    examples=(Params(), Params(lam=0.4), Params(lam=0)),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
