"""Histogram loss: the probability that a random negative pair is more similar than a random positive pair.

    L = sum_r h-_r sum_{q <= r} h+_q

h+ and h- are histograms of the similarities of all positive and of all negative pairs of the *batch*, so there is no
L_i. Their R + 1 nodes lie at -1 + 2r/R, a distance Delta = 2/R apart. Bins are soft: a pair between nodes r and r + 1
gives its mass of 1 to the two in proportion to how near they are, and L is differentiable. Both histograms are divided
by their number of (ordered) pairs. A batch without positives or without negatives has L = 0.

Weights, of a pair between the nodes r and r + 1, where r = floor((S_ij + 1) R / 2), at most R - 1; what counts is how
many of the other kind lie there, similarity P:

    positive  w_ij = h-_r / (Delta #positive pairs)
    negative  w_ij = h+_{r+1} / (Delta #negative pairs)

Source: E. Ustinova, V. Lempitsky, NIPS 2016, arXiv 1611.00822.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from msviz.core.losses.spec import Equation, LossSpec, Term, WholeBatch, check, param
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """bins (R): the number of steps between the similarities -1 and 1."""

    bins: int = param("R", 20, 2, 200, "Larger: finer steps, fewer pairs in each.", whole=True, step=1)

    def __post_init__(self) -> None:
        check(self)


_AT_ONCE = 512  # rows: what `collect` makes of each takes some forty bytes a pair


def collect(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "2 R+2"]:
    """The mass at each of the R + 1 nodes, then the number of pairs; first of the positives, then of the negatives.

    To be added up over blocks of rows.
    """
    if len(sim) > _AT_ONCE:
        starts = range(0, len(sim), _AT_ONCE)
        blocks = [slice(start, start + _AT_ONCE) for start in starts]
        return torch.stack([collect(sim[rows], pairs.rows(rows), p) for rows in blocks]).sum(0)
    segment = _segment(sim.detach(), p)
    upper = (sim + 1) * p.bins / 2 - segment  # the part of a pair's mass that goes to node r + 1
    # In float32 a long sum of parts drifts: near 4096 it is a multiple of 1/2048. Multiples of 1/256 add up exactly (to
    # 65536 in a row), and the rests stay small.
    coarse = (upper.detach() * 256).round() / 256
    slot = segment + p.bins * pairs.neg
    slot = slot.masked_fill(~(pairs.pos | pairs.neg), 2 * p.bins)

    def per_segment(values: Float[Tensor, "N M"]) -> Float[Tensor, "2 R"]:
        rows: Tensor = sim.new_zeros(len(sim), 2 * p.bins + 1).scatter_add(1, slot, values)
        return rows.sum(0)[:-1].reshape(2, p.bins)

    count = per_segment(torch.ones_like(sim))
    up = per_segment(coarse) + per_segment(upper - coarse)
    mass = torch.nn.functional.pad(count - up, (0, 1)) + torch.nn.functional.pad(up, (1, 0))
    return torch.cat([mass, count.sum(1, keepdim=True)], 1)


def value(collected: Float[Tensor, "2 R+2"], p: Params) -> Float[Tensor, ""]:
    """L of the whole batch."""
    pos, neg = _histograms(collected)
    total: Tensor = (neg * pos.cumsum(0)).sum()
    return total


def gradient(
    collected: Float[Tensor, "2 R+2"], sim: Float[Tensor, "N M"], pairs: Pairs, p: Params
) -> Float[Tensor, "N M"]:
    """dL/dS_ij [N, M], signed: what the mass that moves from node r to node r + 1 gains or loses."""
    segment = _segment(sim, p)
    (pos, neg), count = _histograms(collected), collected[:, -1].clamp(min=1)
    pull: Tensor = neg[segment] * p.bins / 2 / count[0]
    push: Tensor = pos[segment + 1] * p.bins / 2 / count[1]
    return push.masked_fill(~pairs.neg, 0) - pull.masked_fill(~pairs.pos, 0)


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL/dS_ij [N, M], signed, when these rows are the whole batch."""
    return gradient(collect(sim, pairs, p), sim, pairs, p)


def _segment(sim: Float[Tensor, "N M"], p: Params) -> Int[Tensor, "N M"]:
    # Clamped, not refused: S = 1 lies at the end of the last segment, and floats may put it a little above.
    return ((sim + 1) * p.bins / 2).floor().long().clamp(0, p.bins - 1)


def _histograms(collected: Float[Tensor, "2 R+2"]) -> Float[Tensor, "2 R+1"]:
    return collected[:, :-1] / collected[:, -1:].clamp(min=1)


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """The weight above: the other kind's mass at one end of the pair's segment, per pair and width."""
    collected = collect(sim, pairs, p)
    (pos, neg), count = _histograms(collected), collected[:, -1].tolist()
    segment = int(_segment(sim[i, j], p))
    width = Term("1/Δ", p.bins / 2)
    if pairs.neg[i, j]:
        factor = (width, Term("1/Σ_{k}|N_{k}|", 1 / count[1]))
        return Equation(factor=factor, numerator=(Term("h^{+}_{r+1}", float(pos[segment + 1]), "P"),))
    factor = (width, Term("1/Σ_{k}|P_{k}|", 1 / count[0]))
    return Equation(factor=factor, numerator=(Term("h^{−}_{r}", float(neg[segment]), "P"),))


LOSS = LossSpec(
    name="histogram",
    title="Histogram",
    cite="Ustinova and Lempitsky, NIPS 2016, arXiv 1611.00822",
    params=Params,
    examples=(Params(), Params(bins=7), Params(bins=2)),
    per_anchor=None,
    pair_gradient=pair_gradient,
    equation=equation,
    whole_batch=WholeBatch(collect=collect, value=value, gradient=gradient),
)
