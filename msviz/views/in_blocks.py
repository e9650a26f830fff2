"""The core over a batch of thousands: a block of rows at a time, in float32.

A loss looks at one anchor's row, or collects something of all rows first, so rows can be evaluated in blocks that stay
in the processor's cache.
Measured on 2 cores at 4,096 points: 7 s for the whole matrix in float64, 1 s for one method in blocks in float32.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from msviz.core.methods import Evaluation, Method
from msviz.core.pairs import Bounds, Pairs, bounds, compare, mine
from msviz.core.similarity import similarity

DENSE: Final = 512  # points up to which everything is computed at once, in float64
ROWS: Final = 64  # rows of a block: with 4,096 columns 1 MB


def blocks(m: int) -> Iterator[slice]:
    """The rows of a batch, block after block."""
    return (slice(start, min(start + ROWS, m)) for start in range(0, m, ROWS))


def count(mask: Bool[Tensor, "..."]) -> int:
    """How many pairs a mask holds; torch's own sum of millions of booleans takes forty times as long.

    Example:
        >>> count(torch.tensor([[True, False], [True, True]]))
        3
    """
    return int(np.count_nonzero(mask.numpy()))


def compared_rows(
    x: Float[Tensor, "m d"], labels: tuple[int, ...], normalize: bool
) -> tuple[Float[Tensor, "m m"], Pairs, Bounds]:
    """Similarities, pairs and bounds of a batch.

    Args:
        x: embeddings.
        labels: a class a point.
        normalize: cosines; False: dot products.
    """
    m, who = len(x), compare(labels)
    sim = torch.empty(m, m, dtype=x.dtype)
    pairs = Pairs(*(torch.empty(m, m, dtype=torch.bool) for _ in range(2)))
    found = []
    for rows in blocks(m):
        sim[rows] = similarity(x[rows], x, normalize=normalize)
        pairs.pos[rows], pairs.neg[rows] = (own := who.pairs(rows)).pos, own.neg
        found.append(bounds(sim[rows], own))
    parts = ("hardest_pos", "hardest_pos_at", "hardest_neg", "hardest_neg_at")
    return sim, pairs, Bounds(**{part: torch.cat([getattr(one, part) for one in found]) for part in parts})


def evaluate_rows(sim: Float[Tensor, "m m"], pairs: Pairs, method: Method) -> Evaluation:
    """What `evaluate` makes of a batch.

    Example:
        >>> from msviz.core.methods import METHODS, evaluate
        >>> from msviz.core.pairs import label_pairs
        >>> sim, pairs = torch.eye(3), label_pairs([0, 0, 1])
        >>> whole, parts = (make(sim, pairs, METHODS["authors"]) for make in (evaluate, evaluate_rows))
        >>> bool((whole.gradient == parts.gradient).all())
        True
    """
    m, loss, p = len(sim), method.loss, method.params
    mined, gradient = weigh_rows(sim, pairs, method)
    per_anchor = None if loss.per_anchor is None else sim.new_empty(m)
    violations = torch.empty_like(pairs.pos)
    for rows in blocks(m):
        kept, signed = mined.rows(rows), gradient[rows]
        violations[rows] = (kept.neg & (signed < 0)) | (kept.pos & (signed > 0))
        if per_anchor is not None and loss.per_anchor is not None:
            per_anchor[rows] = loss.per_anchor(sim[rows], kept, p)
    if per_anchor is not None:
        value = per_anchor.sum() / max(m, 1)
    else:
        assert loss.whole_batch is not None
        value = loss.whole_batch.value(loss.whole_batch.collect(sim, mined, p), p)
    return Evaluation(
        mined=mined,
        per_anchor=per_anchor,
        value=value,
        gradient=gradient,
        weights=gradient.abs(),
        violations=violations,
    )


def mine_rows(sim: Float[Tensor, "n m"], pairs: Pairs, epsilon: float | None) -> Pairs:
    """What `mine` keeps of a batch."""
    if epsilon is None:
        return pairs
    mined = Pairs(torch.empty_like(pairs.pos), torch.empty_like(pairs.neg))
    for rows in blocks(len(sim)):
        kept = mine(sim[rows], pairs.rows(rows), epsilon)
        mined.pos[rows], mined.neg[rows] = kept.pos, kept.neg
    return mined


def weigh(sim: Float[Tensor, "m m"], pairs: Pairs, method: Method) -> tuple[Pairs, Float[Tensor, "m m"]]:
    """What a method keeps and how it weighs it, without the losses: mined pairs and signed weights."""
    if len(sim) > DENSE:
        return weigh_rows(sim, pairs, method)
    mined = mine(sim, pairs, method.epsilon)
    return mined, method.loss.pair_gradient(sim, mined, method.params)


def weigh_rows(sim: Float[Tensor, "m m"], pairs: Pairs, method: Method) -> tuple[Pairs, Float[Tensor, "m m"]]:
    """What `weigh` says, a block of rows at a time. Written in place: pieces put together need twice the memory."""
    mined = mine_rows(sim, pairs, method.epsilon)
    gradient, weigh_block = torch.empty_like(sim), method.loss.pair_gradient
    if (whole := method.loss.whole_batch) is not None:
        weigh_block = partial(whole.gradient, whole.collect(sim, mined, method.params))
    for rows in blocks(len(sim)):
        gradient[rows] = weigh_block(sim[rows], mined.rows(rows), method.params)
    return mined, gradient
