"""Triplet loss: in every triplet (anchor, positive, negative) the positive must be closer by a margin.

    L_i = sum_{p in P_i} sum_{n in N_i} max(0, S_in - S_ip + lam)

An anchor without positives or without negatives has no triplets: L_i = 0.

Weights; counts of active triplets (S_in - S_ip + lam > 0), similarity P:

    positive  w_ip = number of its active negatives
    negative  w_in = number of its active positives

No triplet is ever built. A triplet is active when S_in > S_ip - lam: each positive is a gate for the negatives. Sort
the gates, which are few; how many gates a negative has passed is its number of active positives, how many negatives
have passed a gate is that positive's number. O(M log M) a row instead of |P| |N|.

Source: F. Schroff, D. Kalenichenko, J. Philbin, CVPR 2015, arXiv 1503.03832; with similarities arXiv 1904.06627,
section 3.
"""

from dataclasses import dataclass

from jaxtyping import Float, Int
from torch import Tensor

from msviz.core.losses.spec import Equation, LossSpec, Term, check, param, row_values
from msviz.core.masked import count_passed, smallest_first
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """lam (λ): the margin, in units of similarity, by which a positive must be closer than a negative."""

    lam: float = param("λ", 0.1, 0, 2, "Margin: larger makes more triplets active.")

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor: each S_in as often as it is active, less each gate as often as it was passed."""
    gates, _ = _gates(sim, pairs, p)
    active, passages = count_passed(sim, pairs.neg, gates)
    return (active * sim).sum(1) - (passages * gates.masked_fill(gates.isinf(), 0)).sum(1)


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: minus or plus the number of active triplets that the pair belongs to."""
    gates, columns = _gates(sim, pairs, p)
    active, passages = count_passed(sim, pairs.neg, gates)
    return active.scatter_add(1, columns, -passages)


def _gates(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> tuple[Float[Tensor, "N K"], Int[Tensor, "N K"]]:
    # The lowest gate first; inf where a row has fewer than the fullest.
    poss, columns = smallest_first(sim, pairs.pos)
    return poss - p.lam, columns


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """How many of the other kind complete an active triplet with the pair (i, j)."""
    s = float(sim[i, j])
    if pairs.neg[i, j]:
        count = sum(s > k - p.lam for k in row_values(sim, pairs.pos, i))
        active = Term("|{k∈P_{i} : S_{ij}−S_{ik}+λ > 0}|", float(count), "P")
    else:
        count = sum(k > s - p.lam for k in row_values(sim, pairs.neg, i))
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
