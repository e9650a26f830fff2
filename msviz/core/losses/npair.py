"""N-pair loss, the (N+1)-tuplet: every positive against all negatives of its anchor at once.

    L_i = 1/|P_i| sum_{p in P_i} log(1 + sum_{n in N_i} e^{S_in - S_ip})

An anchor without positives has L_i = 0, and so has one without negatives: log(1 + 0) = 0.

Weights:

    positive  w_ip = 1/|P_i| sum_n q_pn
    negative  w_in = 1/|P_i| sum_p q_pn        q_pn = e^{S_in - S_ip} / (1 + sum_n' e^{S_in' - S_ip})

No q_pn is ever stored. With LSE_i = log sum_n e^{S_in} and sigma(z) = 1 / (1 + e^{-z}) it comes apart into how far the
negatives reach beyond the positive (similarity P) and the negative's share among its rivals (similarity N):

    q_pn = sigma(LSE_i - S_ip) e^{S_in} / sum_n' e^{S_in'}

Source: K. Sohn, NIPS 2016, equation 6; over all positives of an anchor as in arXiv 1904.06627, section 3.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.losses.spec import ONE, Equation, LossSpec, Term, check, exp, row_values
from msviz.core.masked import masked_logsumexp, masked_mean, masked_softmax
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """No parameters: similarities enter the exponent as they are."""

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor: log(1 + e^{LSE_i - S_ip}), averaged over its positives."""
    excess = masked_logsumexp(sim, pairs.neg)[:, None] - sim  # of a positive: LSE_i - S_ip
    return masked_mean(torch.logaddexp(torch.zeros_like(excess), excess), pairs.pos)


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: a positive's slope; the negatives share the slopes of all positives."""
    excess = masked_logsumexp(sim, pairs.neg)[:, None] - sim
    count = pairs.pos.sum(1, keepdim=True).clamp(min=1)
    pos = excess.sigmoid().masked_fill(~pairs.pos, 0) / count
    neg = masked_softmax(sim, pairs.neg) * pos.sum(1, keepdim=True)
    return neg - pos


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """The two parts of q_pn for the pair (i, j), sigma and the share each as one over what they compare with."""
    s = float(sim[i, j])
    rivals = sum(exp(k - s) for k in row_values(sim, pairs.neg, i))  # e^{LSE_i - S_ij}
    positives = row_values(sim, pairs.pos, i)
    if pairs.neg[i, j]:
        slopes = sum(1 / (1 + exp(k - s) / rivals) for k in positives) / max(len(positives), 1)
        pulled = Term("1/|P_{i}| Σ_{k∈P_{i}} σ(LSE_{i}−S_{ik})", slopes, "P")
        others = Term("Σ_{k∈N_{i}} e^{S_{ik}−S_{ij}}", rivals, "N")
        return Equation(factor=(pulled,), numerator=(ONE,), denominator=(others,))
    itself = Term("e^{S_{ij}−LSE_{i}}", 1 / rivals if rivals else math.inf, "P")
    return Equation(factor=(Term("1/|P_{i}|", 1 / len(positives)),), numerator=(ONE,), denominator=(ONE, itself))


LOSS = LossSpec(
    name="npair",
    title="N-pair",
    cite="Sohn, NIPS 2016",
    params=Params,
    examples=(Params(),),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
