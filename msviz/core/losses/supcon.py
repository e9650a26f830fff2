"""Supervised contrastive loss: a softmax over all other points, in which each positive should hold 1/|P_i|.

    L_i = 1/|P_i| sum_{p in P_i} ( log sum_{j in P_i and N_i} e^{S_ij / tau} - S_ip / tau )

An anchor without positives has L_i = 0. Without negatives the softmax runs over the positives alone.

Signed gradient, with q = softmax of S / tau over P_i and N_i:

    positive  g_ij = (q_ij - 1/|P_i|) / tau        w_ij = |g_ij|
    negative  g_ij = q_ij / tau                    w_ij = g_ij

A positive with q_ij > 1/|P_i| is pushed away: it holds more than its part. That violates what general pair weighting
assumes of positives, and only this loss does so.

The code writes q with the part nu = sigma(LSE_n - LSE_p) of the softmax that the negatives hold (LSE = log sum
e^{S / tau} over one side): q = (1 - nu) softmax_P on positives (their rivals, similarity N) and nu softmax_N on
negatives; nu compares the kinds (similarity P). So a nu of 1e-12 keeps its digits where 1 - nu would be 1:

    L_i = 1/|P_i| sum_p (LSE_p - S_ip / tau) + log(1 + e^{LSE_n - LSE_p})

Source: P. Khosla et al., NeurIPS 2020, arXiv 2004.11362, equation 2.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.losses.spec import ONE, Equation, LossSpec, Term, check, exp, param, row_values
from msviz.core.masked import masked_logsumexp, masked_mean, masked_softmax
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """tau (τ): the temperature of the softmax."""

    tau: float = param("τ", 0.1, 0.01, 10, "Larger: the softmax is flatter, all pairs count alike.", scale="log")

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor: how unevenly the positives share, and how much the negatives hold."""
    lse_p, lse_n = _lse(sim / p.tau, pairs)
    uneven = masked_mean(lse_p[:, None] - sim / p.tau, pairs.pos)
    return uneven + torch.logaddexp(torch.zeros_like(lse_p), lse_n - lse_p)


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: the share q_ij, less the 1/|P_i| that a positive should hold."""
    lse_p, lse_n = _lse(sim / p.tau, pairs)
    nu = (lse_n - lse_p).sigmoid()[:, None]
    share = masked_softmax(sim / p.tau, pairs.pos)
    wanted = pairs.pos.to(sim.dtype) / pairs.pos.sum(1, keepdim=True).clamp(min=1)
    pos = (share - wanted) - nu * share  # in this order: a single positive has 1 - 1 - nu
    neg = nu * masked_softmax(sim / p.tau, pairs.neg)
    return (pos + neg) / p.tau


def _lse(logits: Float[Tensor, "N M"], pairs: Pairs) -> tuple[Float[Tensor, " N"], Float[Tensor, " N"]]:
    # Without positives LSE_p = +inf: the negatives' part nu is 0, and so is the loss.
    return masked_logsumexp(logits, pairs.pos, empty=torch.inf), masked_logsumexp(logits, pairs.neg)


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """The reciprocal of q_ij for a negative; for a positive, the part it lacks: negative where it holds too much."""
    s = float(sim[i, j])
    positives = sum(exp((k - s) / p.tau) for k in row_values(sim, pairs.pos, i))
    negatives = sum(exp((k - s) / p.tau) for k in row_values(sim, pairs.neg, i))
    factor = (Term("1/τ", 1 / p.tau),)
    if pairs.pos[i, j]:
        share, count = 1 / positives, int(pairs.pos[i].sum())
        lacks = Term("1/|P_{i}|−e^{S_{ij}/τ}/Σ_{k∈P_{i}} e^{S_{ik}/τ}", 1 / count - share, "N")
        lost = negatives / (negatives + positives) * share
        taken = Term("σ(LSE_{N}−LSE_{P}) e^{S_{ij}/τ}/Σ_{k∈P_{i}} e^{S_{ik}/τ}", lost, "P")
        return Equation(factor=factor, numerator=(lacks, taken))
    if not positives:
        return Equation(numerator=(Term("0", 0.0),))
    negs = Term("Σ_{k∈N_{i}} e^{(S_{ik}−S_{ij})/τ}", negatives, "N")
    poss = Term("Σ_{k∈P_{i}} e^{(S_{ik}−S_{ij})/τ}", positives, "P")
    return Equation(factor=factor, numerator=(ONE,), denominator=(negs, poss))


LOSS = LossSpec(
    name="supcon",
    title="Supervised contrastive",
    cite="Khosla et al., NeurIPS 2020, arXiv 2004.11362",
    params=Params,
    examples=(Params(), Params(tau=0.5), Params(tau=0.01)),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
