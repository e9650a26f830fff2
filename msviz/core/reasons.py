"""Why mining keeps or drops a pair: the two numbers that it compares, whose they are, and what follows.

    negative (i, j) is kept iff  S_ij > S_ir - epsilon    r: the least similar positive of i, its rival
    positive (i, j) is kept iff  S_ij < S_ir + epsilon    r: the most similar negative of i, its rival

The decision itself is that of `msviz.mine`; this file adds the reason.

Source: arXiv 1904.06627, equations 7 and 8.
"""

from dataclasses import dataclass
from enum import IntEnum

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from msviz.core.pairs import Pairs, bounds, check_epsilon, mine
from msviz.core.precision import at_least_float32


class Cause(IntEnum):
    """Why a pair counts or does not."""

    IGNORED = 0  # neither a positive nor a negative, such as an anchor with itself
    NO_MINING = 1  # epsilon is None: every pair counts
    NO_RIVAL = 2  # the anchor has no pair of the other kind to compare with: dropped
    DROPPED = 3  # compared, and not informative enough
    KEPT = 4  # compared, and kept


@dataclass(frozen=True)
class Reason:
    """The reason for one pair, in plain numbers.

    Attributes:
        cause: why the pair counts or does not.
        positive: True for a positive, False for a negative or an ignored pair.
        kept: True when the pair counts.
        compared: S_ij.
        limit: what S_ij was compared with; a negative must be above it, a positive below. None without a comparison.
        rival_at: the column of the rival; None when there is none.
        rival: the rival's similarity S_ir; None when there is none.
    """

    cause: Cause
    positive: bool
    kept: bool
    compared: float
    limit: float | None
    rival_at: int | None
    rival: float | None


@dataclass(frozen=True, eq=False)
class Reasons:
    """The reason for every pair of a batch, [N, M] each; `pair` reads one of them.

    Attributes:
        cause: a `Cause` as a number.
        positive: True for positives.
        kept: True where the pair counts: exactly the pairs of `mine`.
        compared: S_ij.
        limit: the rival's similarity - epsilon for a negative, + epsilon for a positive; NaN where nothing is compared.
        rival_at: the column of the rival (the first of equals); -1 when there is none.
        rival: the rival's similarity; NaN when there is none.
    """

    cause: Int[Tensor, "N M"]
    positive: Bool[Tensor, "N M"]
    kept: Bool[Tensor, "N M"]
    compared: Float[Tensor, "N M"]
    limit: Float[Tensor, "N M"]
    rival_at: Int[Tensor, "N M"]
    rival: Float[Tensor, "N M"]

    def pair(self, i: int, j: int) -> Reason:
        """The reason for the pair (i, j): row i is the anchor, column j the other."""
        at, limit = int(self.rival_at[i, j]), float(self.limit[i, j])
        return Reason(
            cause=Cause(int(self.cause[i, j])),
            positive=bool(self.positive[i, j]),
            kept=bool(self.kept[i, j]),
            compared=float(self.compared[i, j]),
            limit=None if limit != limit else limit,  # NaN is what differs from itself
            rival_at=None if at < 0 else at,
            rival=None if at < 0 else float(self.rival[i, j]),
        )


def reasons(sim: Float[Tensor, "N M"], pairs: Pairs, epsilon: float | None) -> Reasons:
    """Why mining with this margin keeps or drops each pair.

        negative (i, j) is kept iff  S_ij > limit = min_{k in P_i} S_ik - epsilon
        positive (i, j) is kept iff  S_ij < limit = max_{k in N_i} S_ik + epsilon

    Args:
        sim: similarities [N, M].
        pairs: the masks [N, M] to choose from.
        epsilon: the margin, 0 <= epsilon < inf; None = no mining: every pair is kept and nothing is compared.

    Raises:
        MsvizError: `error.epsilon` when epsilon is out of range; `error.shape` when the shapes differ.

    >>> import torch
    >>> from msviz.core.pairs import label_pairs
    >>> sim = torch.tensor([[1.00, 0.82, 0.65, 0.62, 0.30]], dtype=torch.float64)
    >>> found = reasons(sim, label_pairs([0], [0, 0, 0, 1, 1], torch.tensor([0])), epsilon=0.1)
    >>> reason = found.pair(0, 4)  # dropped: .30 is not above .55, which is .65 (column 2) - .1
    >>> reason.cause.name, reason.compared, round(reason.limit, 6), reason.rival_at, reason.rival
    ('DROPPED', 0.3, 0.55, 2, 0.65)

    Source: arXiv 1904.06627, equations 7 and 8.
    """
    epsilon = check_epsilon(epsilon)
    mined, hardest = mine(sim, pairs, epsilon), bounds(sim, pairs)
    sim = at_least_float32(sim)
    kept, either = mined.pos | mined.neg, pairs.pos | pairs.neg

    rival = torch.where(pairs.pos, hardest.hardest_neg[:, None], hardest.hardest_pos[:, None])
    rival_at = torch.where(pairs.pos, hardest.hardest_neg_at[:, None], hardest.hardest_pos_at[:, None])
    rival_at = rival_at.masked_fill(~either, -1)
    rival = rival.masked_fill(rival_at < 0, torch.nan)
    margin = torch.nan if epsilon is None else epsilon
    limit = torch.where(pairs.pos, rival + margin, rival - margin)

    cause = torch.where(kept, Cause.KEPT.value, Cause.DROPPED.value)
    cause = cause.masked_fill(rival_at < 0, Cause.NO_RIVAL.value)
    if epsilon is None:
        cause = torch.full_like(cause, Cause.NO_MINING.value)
    cause = cause.masked_fill(~either, Cause.IGNORED.value)
    return Reasons(cause, pairs.pos, kept, sim, limit, rival_at, rival)
