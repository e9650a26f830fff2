"""Multi-similarity loss: one soft maximum over the positives, one over the negatives, and a threshold in both.

    L_i = 1/alpha log(1 + sum_{p in P_i} e^{-alpha (S_ip - lam)})
        + 1/beta  log(1 + sum_{n in N_i} e^{beta (S_in - lam)})

The "1 +" is one more pair, resting at the threshold lam: where all real pairs are better than it, it takes the weight.
An empty side's term is log 1 = 0.

Weights:

    positive  w_ij = e^{-alpha (S_ij - lam)} / (1 + sum_p e^{-alpha (S_ip - lam)})
    negative  w_ij = e^{beta (S_ij - lam)} / (1 + sum_n e^{beta (S_in - lam)})

Turned upside down, a weight says what it looks at: the pair itself (similarity S) and its rivals (similarity N). The
third similarity, P, acts through mining (see `msviz.mine`).

    1 / w_ij = e^{beta (lam - S_ij)} + sum_n e^{beta (S_in - S_ij)}        for a negative

Source: X. Wang, X. Han, W. Huang, D. Dong, M. R. Scott, CVPR 2019, arXiv 1904.06627, equation 13.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from msviz.core.fused import multi_similarity_rows
from msviz.core.losses.spec import ONE, Equation, LossSpec, Term, check, exp, param, row_values
from msviz.core.masked import masked_logsumexp
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """alpha (α), beta (β): sharpness on positives, negatives; lam (λ): the similarity where a pair is good enough."""

    alpha: float = param(
        "α", 2.0, 0, 200, "Larger: only the least similar positive counts.", low_open=True, scale="log"
    )
    beta: float = param("β", 40.0, 0, 200, "Larger: only the most similar negative counts.", low_open=True, scale="log")
    lam: float = param("λ", 0.5, -1, 1, "Threshold: pairs on its wrong side are what the loss works on.")

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor."""
    pos = _log_one_plus_sum(-p.alpha * (sim - p.lam), pairs.pos) / p.alpha
    neg = _log_one_plus_sum(p.beta * (sim - p.lam), pairs.neg) / p.beta
    return pos + neg


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: the share of each pair in its sum. The GPW weight is its absolute value."""
    pos = _share(-p.alpha * (sim - p.lam), pairs.pos)
    neg = _share(p.beta * (sim - p.lam), pairs.neg)
    return neg - pos


def _log_one_plus_sum(logits: Float[Tensor, "N M"], keep: Bool[Tensor, "N M"]) -> Float[Tensor, " N"]:
    # logaddexp(0, .) is the "1 +". A zero beside the logits in one logsumexp would round 1 + 7e-13 to 1 in float32.
    lse = masked_logsumexp(logits, keep)
    return torch.logaddexp(torch.zeros_like(lse), lse)


def _share(logits: Float[Tensor, "N M"], keep: Bool[Tensor, "N M"]) -> Float[Tensor, "N M"]:
    # e^{logit} / (1 + sum) = e^{logit - log(1 + sum)}: the exponent is never positive, so nothing overflows.
    return (logits.masked_fill(~keep, -torch.inf) - _log_one_plus_sum(logits, keep)[:, None]).exp()


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """The reciprocal form above, for the pair (i, j)."""
    s = float(sim[i, j])
    if pairs.neg[i, j]:
        rivals = sum(exp(p.beta * (k - s)) for k in row_values(sim, pairs.neg, i))
        itself = Term("e^{β(λ−S_{ij})}", exp(p.beta * (p.lam - s)), "S")
        others = Term("Σ_{k∈N_{i}} e^{β(S_{ik}−S_{ij})}", rivals, "N")
    else:
        rivals = sum(exp(-p.alpha * (k - s)) for k in row_values(sim, pairs.pos, i))
        itself = Term("e^{−α(λ−S_{ij})}", exp(-p.alpha * (p.lam - s)), "S")
        others = Term("Σ_{k∈P_{i}} e^{−α(S_{ik}−S_{ij})}", rivals, "N")
    return Equation(numerator=(ONE,), denominator=(itself, others))


LOSS = LossSpec(
    name="multi_similarity",
    title="Multi-similarity",
    cite="Wang et al., CVPR 2019, arXiv 1904.06627",
    params=Params,
    examples=(
        Params(),
        Params(alpha=2, beta=50, lam=1),
        Params(alpha=2, beta=50, lam=0.5),
        Params(alpha=7, beta=200, lam=0.1),
    ),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
    fused=multi_similarity_rows,
    order=0,
)
