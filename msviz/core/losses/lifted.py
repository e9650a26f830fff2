"""Lifted structure loss: a hinge over a soft minimum of the positives and a soft maximum of the negatives.

    L_i = max(0, log sum_{p in P_i} e^{lam - S_ip}  +  log sum_{n in N_i} e^{S_in})

An anchor without positives or without negatives has L_i = 0: the log of its empty sum is -inf, the hinge is closed.

Weights; the share of a pair among its rivals, similarity N, while the hinge is open (L_i > 0), else 0:

    positive  w_ij = e^{-S_ij} / sum_p e^{-S_ip}
    negative  w_ij = e^{S_ij} / sum_n e^{S_in}

Source: H. Oh Song, Y. Xiang, S. Jegelka, S. Savarese, CVPR 2016, arXiv 1511.06452; in this form arXiv 1904.06627,
section 3.
"""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from msviz.core.losses.spec import ONE, Equation, LossSpec, Term, check, exp, param, row_values
from msviz.core.masked import masked_logsumexp, masked_softmax
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """lam (λ): the margin by which positives must beat negatives before the hinge closes."""

    lam: float = param("λ", 0.5, -2, 2, "Margin: smaller closes the hinge of more anchors.")

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor."""
    pos = masked_logsumexp(p.lam - sim, pairs.pos)
    neg = masked_logsumexp(sim, pairs.neg)
    return (pos + neg).relu()


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: the softmax whose logsumexp is the loss, where the hinge is open."""
    is_open = per_anchor(sim, pairs, p) > 0  # strictly: the slope at the corner is 0
    pos = masked_softmax(p.lam - sim, pairs.pos)
    neg = masked_softmax(sim, pairs.neg)
    return (neg - pos).masked_fill(~is_open[:, None], 0)


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """The hinge, and one over the rivals as seen from the pair (i, j)."""
    s = float(sim[i, j])
    row = slice(i, i + 1)
    is_open = float(per_anchor(sim[row], pairs.rows(row), p) > 0)
    if pairs.neg[i, j]:
        rivals = sum(exp(k - s) for k in row_values(sim, pairs.neg, i))
        others = Term("Σ_{k∈N_{i}} e^{S_{ik}−S_{ij}}", rivals, "N")
    else:
        rivals = sum(exp(s - k) for k in row_values(sim, pairs.pos, i))
        others = Term("Σ_{k∈P_{i}} e^{S_{ij}−S_{ik}}", rivals, "N")
    return Equation(factor=(Term("[L_{i} > 0]", is_open, "P"),), numerator=(ONE,), denominator=(others,))


LOSS = LossSpec(
    name="lifted",
    title="Lifted structure",
    cite="Oh Song et al., CVPR 2016, arXiv 1511.06452",
    params=Params,
    examples=(Params(), Params(lam=1), Params(lam=-0.5)),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
