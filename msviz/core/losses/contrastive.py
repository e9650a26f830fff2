"""Contrastive loss: pull every positive, push the negatives that are closer than a threshold.

    L_i = sum_{n in N_i} max(0, S_in - lam)  -  sum_{p in P_i} S_ip

An empty side's term is 0.

Weights; a step at the threshold, similarity S:

    positive  w_ij = 1
    negative  w_ij = 1 if S_ij > lam, else 0        (0 at S_ij = lam)

Source: R. Hadsell, S. Chopra, Y. LeCun, CVPR 2006; with similarities arXiv 1904.06627, section 3.
"""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from msviz.core.losses.spec import ONE, Equation, LossSpec, Term, check, param
from msviz.core.masked import masked_sum
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """lam (λ): the similarity above which a negative is pushed."""

    lam: float = param("λ", 0.5, -1, 1, "Threshold: negatives at or below it are left alone.")

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor."""
    pos = masked_sum(sim, pairs.pos)
    neg = masked_sum((sim - p.lam).relu(), pairs.neg)  # relu, not clamp: its slope at 0 is 0
    return neg - pos


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: -1 on positives, +1 on negatives above the threshold."""
    pos = pairs.pos.to(sim.dtype)
    neg = (pairs.neg & (sim - p.lam > 0)).to(sim.dtype)
    return neg - pos


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """One for a positive; for a negative one or nothing, by the threshold."""
    if pairs.neg[i, j]:
        return Equation(numerator=(Term("[S_{ij} > λ]", float(float(sim[i, j]) > p.lam), "S"),))
    return Equation(numerator=(ONE,))


LOSS = LossSpec(
    name="contrastive",
    title="Contrastive",
    cite="Hadsell, Chopra and LeCun, CVPR 2006",
    params=Params,
    examples=(Params(), Params(lam=0.2), Params(lam=-1)),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
