"""The core over a batch of thousands: a block of rows at a time, in float32.

Every loss but `histogram` looks at one anchor's row, so rows can be evaluated in blocks that stay in the processor's
cache.
Measured on 2 cores at 4,096 points: 7 s for the whole matrix in float64, 1 s for one method in blocks in float32.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.methods import Evaluation, Method, evaluate
from msviz.core.pairs import Bounds, Pairs, bounds, compare, mine
from msviz.core.similarity import similarity

DENSE: Final = 512  # points up to which everything is computed at once, in float64
ROWS: Final = 64  # rows of a block: with 4,096 columns 1 MB


def blocks(m: int) -> Iterator[slice]:
    """The rows of a batch, block after block."""
    return (slice(start, min(start + ROWS, m)) for start in range(0, m, ROWS))


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
    """What `evaluate` makes of a batch; a loss of the whole batch is computed at once.

    Example:
        >>> from msviz.core.methods import METHODS
        >>> from msviz.core.pairs import label_pairs
        >>> sim, pairs = torch.eye(3), label_pairs([0, 0, 1])
        >>> whole, parts = (make(sim, pairs, METHODS["authors"]) for make in (evaluate, evaluate_rows))
        >>> bool((whole.gradient == parts.gradient).all())
        True
    """
    if not method.loss.separable or not len(sim):
        return evaluate(sim, pairs, method)
    parts = [evaluate(sim[rows], pairs.rows(rows), method) for rows in blocks(len(sim))]
    per_anchor = torch.cat([part.per_anchor for part in parts if part.per_anchor is not None])
    gradient = torch.cat([part.gradient for part in parts])
    return Evaluation(
        mined=Pairs(torch.cat([part.mined.pos for part in parts]), torch.cat([part.mined.neg for part in parts])),
        per_anchor=per_anchor,
        value=per_anchor.mean(),
        gradient=gradient,
        weights=gradient.abs(),
        violations=torch.cat([part.violations for part in parts]),
    )


def weigh(sim: Float[Tensor, "m m"], pairs: Pairs, method: Method) -> tuple[Pairs, Float[Tensor, "m m"]]:
    """What a method keeps and how it weighs it, without the losses: mined pairs and signed weights."""

    def part(sim: Tensor, pairs: Pairs) -> tuple[Pairs, Tensor]:
        mined = mine(sim, pairs, method.epsilon)
        return mined, method.loss.pair_gradient(sim, mined, method.params)

    if len(sim) <= DENSE or not method.loss.separable:
        return part(sim, pairs)
    parts = [part(sim[rows], pairs.rows(rows)) for rows in blocks(len(sim))]
    mined = Pairs(torch.cat([kept.pos for kept, _ in parts]), torch.cat([kept.neg for kept, _ in parts]))
    return mined, torch.cat([gradient for _, gradient in parts])
