"""Multi-similarity with mining for a block of rows, fused: the same numbers as mining, then `multi_similarity.py`.

Written for speed, to be read after that file. What makes it fast: every pair of the block is first taken for a
negative, in a handful of operations that overwrite the similarities; the positives, few in a row, are looked up by
class and written over them at the end. No mask of the size of the block is made, one exponential is taken a pair, and
the shift that keeps it from overflowing is the hardest negative, which mining has found already.

Source: arXiv 1904.06627, equations 7, 8 and 13.
"""

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.pairs import Comparison

_LOG2_E = 1 / math.log(2)


def multi_similarity_rows(
    sim: Float[Tensor, "n M"], comparison: Comparison, rows: slice, p: Any, epsilon: float | None, gradient: bool
) -> Float[Tensor, " n"]:
    """L_i of some anchors. With `gradient`, `sim` then holds their signed pair gradient, without it nothing of use.

    Args:
        sim: S [n, M] of these rows; overwritten.
        comparison: who is compared with whom, all anchors.
        rows: which anchors these are.
        p: alpha, beta and lam.
        epsilon: the mining margin, or None.
        gradient: True to get the gradient.
    """
    columns, valid = comparison.by_class.columns(rows)  # [n, K] the anchor's class
    itself = comparison.self_columns[rows, None]  # [n, 1]
    is_pos = valid & (columns != itself)
    pos = sim.gather(1, columns)  # [n, K]
    flat, start = sim.view(-1), torch.arange(len(sim), device=sim.device)[:, None] * sim.shape[1]
    flat.index_fill_(0, (start + columns)[valid], -torch.inf)
    flat.index_fill_(0, (start + itself)[itself >= 0], -torch.inf)

    hardest_neg = sim.amax(1, keepdim=True)  # [n, 1]; -inf without negatives
    shift = hardest_neg
    if epsilon is not None:
        hardest_pos = pos.masked_fill(~is_pos, torch.inf).amin(1, keepdim=True)  # +inf without positives
        is_pos &= pos < hardest_neg + epsilon
        # S > bound, asked as S - bound > 0: a difference of floats has the right sign. What is dropped becomes -inf.
        bound = hardest_pos - epsilon
        torch.threshold_(sim.sub_(bound), 0.0, -torch.inf)
        shift = hardest_neg - bound

    # e^{beta (S_ij - hardest)}, as a power of 2: torch's e^x takes fifty times as long where it underflows.
    sharpness = p.beta * _LOG2_E
    torch.add(-sharpness * _finite(shift), sim, alpha=sharpness, out=sim).exp2_()
    hardest = p.beta * (_finite(hardest_neg) - p.lam)
    neg_log = _log_one_plus_exp(sim.sum(1, keepdim=True).log() + hardest)
    pos_logits = (-p.alpha * (pos - p.lam)).masked_fill(~is_pos, -torch.inf)
    pos_log = _log_one_plus_exp(pos_logits.logsumexp(1, keepdim=True))
    if gradient:
        sim.mul_((hardest - neg_log).clamp(max=0).exp())  # the share e^{..} / (1 + sum); clamped where all is dropped
        flat.index_copy_(0, (start + columns)[is_pos], -(pos_logits - pos_log).exp()[is_pos])
    per_anchor: Tensor = pos_log / p.alpha + neg_log / p.beta
    return per_anchor.squeeze(1)


def _finite(x: Tensor) -> Tensor:
    return x.masked_fill(x.isinf(), 0)  # where there is nothing to shift


def _log_one_plus_exp(x: Tensor) -> Tensor:
    return torch.logaddexp(torch.zeros_like(x), x)
