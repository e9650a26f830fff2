"""Neighbourhood component analysis (NCA): the probability that an anchor picks a positive as its neighbour.

    L_i = -log( sum_{p in P_i} e^{s S_ip} / sum_{j in P_i and N_i} e^{s S_ij} )  =  log(1 + e^{LSE_n - LSE_p})

with LSE_p and LSE_n = log sum e^{s S} over the positives, over the negatives. An anchor without positives or without
negatives has L_i = 0.

Weights (sigma(z) = 1 / (1 + e^{-z})); one sum holds a pair's rivals (similarity N) and the other kind (similarity P):

    positive  w_ij = s sigma(LSE_n - LSE_p) e^{s S_ij} / sum_{p in P_i} e^{s S_ip}
    negative  w_ij = s sigma(LSE_n - LSE_p) e^{s S_ij} / sum_{n in N_i} e^{s S_in}
                   = s e^{s S_ij} / sum_{k in P_i and N_i} e^{s S_ik}

Here, too, it is the most similar positive that is pulled the hardest.

Source: J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, NIPS 2004; with a logarithm and similarities arXiv
1904.06627, section 3.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.losses.spec import ONE, Equation, LossSpec, Term, check, exp, param, row_values
from msviz.core.masked import masked_logsumexp, masked_softmax
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """scale (s): how sharply an anchor prefers the most similar neighbour; 1/s is a temperature."""

    scale: float = param("s", 1.0, 0, 200, "Larger: only the nearest neighbours count.", low_open=True, scale="log")

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor."""
    excess = _excess(p.scale * sim, pairs)
    return torch.logaddexp(torch.zeros_like(excess), excess)


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: both kinds share the same total, s sigma(LSE_n - LSE_p)."""
    excess = _excess(p.scale * sim, pairs)
    neg_minus_pos = masked_softmax(p.scale * sim, pairs.neg) - masked_softmax(p.scale * sim, pairs.pos)
    return p.scale * excess.sigmoid()[:, None] * neg_minus_pos


def _excess(logits: Float[Tensor, "N M"], pairs: Pairs) -> Float[Tensor, " N"]:
    # LSE_n - LSE_p. The two sums are never divided: at s = 100 either may be e^{-100}. No positives: +inf, not -inf, is
    # taken away, so that the difference is -inf with either side empty, the loss log 1 and the slope sigma(-inf) = 0.
    return masked_logsumexp(logits, pairs.neg) - masked_logsumexp(logits, pairs.pos, empty=torch.inf)


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """The reciprocal form for a negative; for a positive, the slope sigma and one over its rivals."""
    s = float(sim[i, j])
    positives = sum(exp(p.scale * (k - s)) for k in row_values(sim, pairs.pos, i))
    negatives = sum(exp(p.scale * (k - s)) for k in row_values(sim, pairs.neg, i))
    if not positives or not negatives:
        return Equation(numerator=(Term("0", 0.0),))
    scale = Term("s", p.scale)
    poss = Term("Σ_{k∈P_{i}} e^{s(S_{ik}−S_{ij})}", positives, "P" if pairs.neg[i, j] else "N")
    if pairs.neg[i, j]:
        negs = Term("Σ_{k∈N_{i}} e^{s(S_{ik}−S_{ij})}", negatives, "N")
        return Equation(factor=(scale,), numerator=(ONE,), denominator=(negs, poss))
    slope = Term("σ(LSE_{N}−LSE_{P})", 1 / (1 + positives / negatives), "P")
    return Equation(factor=(scale, slope), numerator=(ONE,), denominator=(poss,))


LOSS = LossSpec(
    name="nca",
    title="NCA",
    cite="Goldberger et al., NIPS 2004",
    params=Params,
    examples=(Params(), Params(scale=16), Params(scale=100)),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
