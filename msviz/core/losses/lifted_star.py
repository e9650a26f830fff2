"""LiftedStruct*: the lifted structure loss without its hinge, with a sharpness on each side.

    L_i = 1/alpha log sum_{p in P_i} e^{-alpha S_ip}  +  1/beta log sum_{n in N_i} e^{beta S_in}

An empty side's term is 0.

Weights; the share of a pair among its rivals, similarity N. An easy pair without rivals still has weight 1:

    positive  w_ij = e^{-alpha S_ij} / sum_p e^{-alpha S_ip}
    negative  w_ij = e^{beta S_ij} / sum_n e^{beta S_in}

Source: the ablation of arXiv 1904.06627, section 4, after H. Oh Song et al., CVPR 2016, arXiv 1511.06452.
"""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from msviz.core.losses.spec import ONE, Equation, LossSpec, Term, check, exp, param, row_values
from msviz.core.masked import masked_logsumexp, masked_softmax
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """alpha (α) and beta (β): sharpness on positives and negatives."""

    alpha: float = param(
        "α", 2.0, 0, 200, "Larger: only the least similar positive counts.", low_open=True, scale="log"
    )
    beta: float = param("β", 40.0, 0, 200, "Larger: only the most similar negative counts.", low_open=True, scale="log")

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor."""
    pos = masked_logsumexp(-p.alpha * sim, pairs.pos, empty=0) / p.alpha
    neg = masked_logsumexp(p.beta * sim, pairs.neg, empty=0) / p.beta
    return pos + neg


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: the softmax whose logsumexp is the loss."""
    pos = masked_softmax(-p.alpha * sim, pairs.pos)
    neg = masked_softmax(p.beta * sim, pairs.neg)
    return neg - pos


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """One over the rivals as seen from the pair (i, j)."""
    s = float(sim[i, j])
    if pairs.neg[i, j]:
        rivals = sum(exp(p.beta * (k - s)) for k in row_values(sim, pairs.neg, i))
        others = Term("Σ_{k∈N_{i}} e^{β(S_{ik}−S_{ij})}", rivals, "N")
    else:
        rivals = sum(exp(-p.alpha * (k - s)) for k in row_values(sim, pairs.pos, i))
        others = Term("Σ_{k∈P_{i}} e^{−α(S_{ik}−S_{ij})}", rivals, "N")
    return Equation(numerator=(ONE,), denominator=(others,))


LOSS = LossSpec(
    name="lifted_star",
    title="LiftedStruct*",
    cite="The ablation of Wang et al., CVPR 2019, arXiv 1904.06627",
    params=Params,
    examples=(Params(), Params(alpha=1, beta=5), Params(alpha=200, beta=200)),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
