"""Binomial deviance loss: every pair on its own, a smooth hinge at the threshold lam, averaged over each side.

    L_i = 1/|P_i| sum_{p in P_i} log(1 + e^{alpha (lam - S_ip)})
        + 1/|N_i| sum_{n in N_i} log(1 + e^{beta (S_in - lam)})

An empty side's term is 0.

Weights (sigma(z) = 1 / (1 + e^{-z})); they look at the pair itself only, similarity S:

    positive  w_ij = alpha / |P_i| sigma(alpha (lam - S_ij))
    negative  w_ij = beta / |N_i| sigma(beta (S_ij - lam))

After mining |P_i| and |N_i| count the mined pairs.

Source: D. Yi, Z. Lei, S. Li, ICPR 2014, arXiv 1407.4979; in this form arXiv 1904.06627, section 3.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.losses.spec import ONE, Equation, LossSpec, Term, check, exp, param
from msviz.core.masked import masked_mean
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """alpha (α) and beta (β): sharpness on positives and negatives; lam (λ): the similarity where the hinge bends."""

    alpha: float = param("α", 2.0, 0, 200, "Larger: the curve at λ turns into a corner.", low_open=True, scale="log")
    beta: float = param("β", 40.0, 0, 200, "Larger: the curve at λ turns into a corner.", low_open=True, scale="log")
    lam: float = param("λ", 0.5, -1, 1, "Threshold: pairs on its wrong side are what the loss works on.")

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor."""
    pos = masked_mean(_softplus(p.alpha * (p.lam - sim)), pairs.pos)
    neg = masked_mean(_softplus(p.beta * (sim - p.lam)), pairs.neg)
    return pos + neg


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: the slope of the smooth hinge over the number of pairs on that side."""
    pos = p.alpha * (p.alpha * (p.lam - sim)).sigmoid() / _count(pairs.pos)
    neg = p.beta * (p.beta * (sim - p.lam)).sigmoid() / _count(pairs.neg)
    return neg.masked_fill(~pairs.neg, 0) - pos.masked_fill(~pairs.pos, 0)


def _softplus(z: Tensor) -> Tensor:
    # log(1 + e^z). torch's softplus is a straight line above 20, wrong by 2e-9; log(1 + exp(z)) overflows.
    return torch.logaddexp(torch.zeros_like(z), z)


def _count(keep: Tensor) -> Tensor:
    return keep.sum(1, keepdim=True).clamp(min=1)  # [N, 1]


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """The weight above with sigma(z) = 1 / (1 + e^{-z}) written out."""
    s = float(sim[i, j])
    if pairs.neg[i, j]:
        count = int(pairs.neg[i].sum())
        factor = (Term("β", p.beta), Term("1/|N_{i}|", 1 / count))
        itself = Term("e^{β(λ−S_{ij})}", exp(p.beta * (p.lam - s)), "S")
    else:
        count = int(pairs.pos[i].sum())
        factor = (Term("α", p.alpha), Term("1/|P_{i}|", 1 / count))
        itself = Term("e^{−α(λ−S_{ij})}", exp(-p.alpha * (p.lam - s)), "S")
    return Equation(factor=factor, numerator=(ONE,), denominator=(ONE, itself))


LOSS = LossSpec(
    name="binomial",
    title="Binomial deviance",
    cite="Yi, Lei and Li, ICPR 2014, arXiv 1407.4979",
    params=Params,
    examples=(Params(), Params(alpha=3, beta=10, lam=0.3), Params(alpha=200, beta=200, lam=-1)),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
