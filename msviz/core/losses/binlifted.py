"""BinLifted: the plain mean of `binomial` and `lifted`, a first try at looking at similarities S and N together.

    L_i = (L_i of binomial + L_i of lifted) / 2

An empty side's term of binomial is 0; lifted is 0 unless the anchor has both sides.

Weights; of each of the two half, so similarity S and similarity N are added:

    positive  w_ij = (alpha / |P_i| sigma(alpha (lam - S_ij)) + [L_i of lifted > 0] e^{-S_ij} / sum_p e^{-S_ip}) / 2
    negative  w_ij = (beta / |N_i| sigma(beta (S_ij - lam)) + [L_i of lifted > 0] e^{S_ij} / sum_n e^{S_in}) / 2

A mean stays large where only one of the two is: an easy negative without rivals still gets half of its share. In
`multi_similarity` both must be large.

Source: the ablation of arXiv 1904.06627, section 4.
"""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from msviz.core.losses import binomial, lifted
from msviz.core.losses.spec import Equation, LossSpec, Term, check, param
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """alpha (α), beta (β): sharpness on positives, negatives; lam (λ): threshold of binomial, margin of lifted."""

    alpha: float = param("α", 2.0, 0, 200, "Larger: the curve at λ turns into a corner.", low_open=True, scale="log")
    beta: float = param("β", 40.0, 0, 200, "Larger: the curve at λ turns into a corner.", low_open=True, scale="log")
    lam: float = param("λ", 0.5, -1, 1, "Threshold of the binomial half, margin of the lifted half.")

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor."""
    one, other = _halves(p)
    return (binomial.per_anchor(sim, pairs, one) + lifted.per_anchor(sim, pairs, other)) / 2


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: the mean of the two gradients."""
    one, other = _halves(p)
    return (binomial.pair_gradient(sim, pairs, one) + lifted.pair_gradient(sim, pairs, other)) / 2


def _halves(p: Params) -> tuple[binomial.Params, lifted.Params]:
    return binomial.Params(alpha=p.alpha, beta=p.beta, lam=p.lam), lifted.Params(lam=p.lam)


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """Half of the sum of the two weights; what each is made of, its own loss shows."""
    one, other = _halves(p)
    if pairs.neg[i, j]:
        itself, others = "β/|N_{i}| σ(β(S_{ij}−λ))", "[L^{lifted}_{i} > 0] e^{S_{ij}}/Σ_{k∈N_{i}} e^{S_{ik}}"
    else:
        itself, others = "α/|P_{i}| σ(α(λ−S_{ij}))", "[L^{lifted}_{i} > 0] e^{−S_{ij}}/Σ_{k∈P_{i}} e^{−S_{ik}}"
    binomial_weight = Term(itself, binomial.equation(sim, pairs, one, i, j).value, "S")
    lifted_weight = Term(others, lifted.equation(sim, pairs, other, i, j).value, "N")
    return Equation(factor=(Term("1/2", 0.5),), numerator=(binomial_weight, lifted_weight))


LOSS = LossSpec(
    name="binlifted",
    title="BinLifted",
    cite="The ablation of Wang et al., CVPR 2019, arXiv 1904.06627",
    params=Params,
    examples=(Params(), Params(alpha=3, beta=10, lam=-1), Params(alpha=200, beta=200, lam=1)),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
