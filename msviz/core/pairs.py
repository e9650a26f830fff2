"""Who is a positive, who is a negative, and which of them mining keeps."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from msviz.core.errors import MsvizError, shown
from msviz.core.labels import encode_labels, plain_labels
from msviz.core.precision import at_least_float32, is_finite_number

__all__ = ["Bounds", "Pairs", "bounds", "check_epsilon", "encode_labels", "label_pairs", "mine"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two disjoint masks [N, M]: row i is anchor i, column j a reference. A pair in neither mask is ignored.

    Attributes:
        pos: True where j is a positive of i (P_i: same class, another point).
        neg: True where j is a negative of i (N_i: another class).
    """

    pos: Bool[Tensor, "N M"]
    neg: Bool[Tensor, "N M"]

    def rows(self, index: slice | Tensor) -> "Pairs":
        """The pairs of some anchors only: a block of rows."""
        return Pairs(self.pos[index], self.neg[index])


@dataclass(frozen=True, eq=False)
class Bounds:
    """For every anchor the two similarities that mining compares with, and whose they are.

    Attributes:
        hardest_pos: [N] smallest S_ik over the positives; +inf when there are none.
        hardest_pos_at: [N] the column of that positive (the first of equals); -1 when there are none.
        hardest_neg: [N] largest S_ik over the negatives; -inf when there are none.
        hardest_neg_at: [N] the column of that negative (the first of equals); -1 when there are none.
    """

    hardest_pos: Float[Tensor, " N"]
    hardest_pos_at: Int[Tensor, " N"]
    hardest_neg: Float[Tensor, " N"]
    hardest_neg_at: Int[Tensor, " N"]


def label_pairs(
    labels: Iterable[Any],
    ref_labels: Iterable[Any] | None = None,
    self_columns: Int[Tensor, " N"] | None = None,
) -> Pairs:
    """The pairs that labels make: same label = positive, other label = negative, a point with itself = neither.

        P_i = {j : y_j = y_i, j is not i}        N_i = {j : y_j != y_i}

    A point is excluded by its *index*, never by its similarity: a duplicate image is still a positive.

    Args:
        labels: N class ids of the anchors (see `encode_labels` for what a label can be).
        ref_labels: M class ids of the references; None = the anchors themselves.
        self_columns: [N] whole numbers, the column that is the anchor itself, -1 = not among the references. By default
            0, 1, ..., N-1 without `ref_labels` and -1 everywhere with them.

    Raises:
        MsvizError, MsvizTypeError: as `encode_labels`; `error.self_columns` for a wrong length or column.

    >>> import msviz
    >>> msviz.label_pairs([0, 0, 1]).pos.int()
    tensor([[0, 1, 0],
            [1, 0, 0],
            [0, 0, 0]], dtype=torch.int32)

    Source: arXiv 1904.06627, section 3.
    """
    anchors, refs = _codes(labels, ref_labels)
    n, m = len(anchors), len(refs)
    columns = torch.arange(m, device=refs.device)
    if self_columns is None:
        self_columns = columns if ref_labels is None else torch.full_like(anchors, -1, dtype=torch.long)
    _check_self_columns(self_columns, n, m)
    same = anchors[:, None] == refs
    other_point = columns != self_columns.to(refs.device)[:, None]
    return Pairs(pos=same & other_point, neg=~same & other_point)


def bounds(sim: Float[Tensor, "N M"], pairs: Pairs) -> Bounds:
    """The least similar positive and the most similar negative of every anchor.

    Args:
        sim: similarities [N, M].
        pairs: the masks [N, M].

    Raises:
        MsvizError: `error.shape` when `sim` and `pairs` do not have the same shape.

    >>> found = bounds(torch.tensor([[1.0, 0.8, 0.3]]), label_pairs([0], [0, 0, 1], torch.tensor([0])))
    >>> found.hardest_pos_at, found.hardest_neg
    (tensor([1]), tensor([0.3000]))
    """
    _check_shape(sim, pairs)
    sim = at_least_float32(sim)
    pos, neg = sim.masked_fill(~pairs.pos, torch.inf), sim.masked_fill(~pairs.neg, -torch.inf)
    # One column more, so that a matrix without columns has a minimum too.
    hardest_pos, pos_at = torch.nn.functional.pad(pos, (0, 1), value=torch.inf).min(1)
    hardest_neg, neg_at = torch.nn.functional.pad(neg, (0, 1), value=-torch.inf).max(1)
    return Bounds(
        hardest_pos=hardest_pos,
        hardest_pos_at=pos_at.masked_fill(~pairs.pos.any(1), -1),
        hardest_neg=hardest_neg,
        hardest_neg_at=neg_at.masked_fill(~pairs.neg.any(1), -1),
    )


def mine(sim: Float[Tensor, "N M"], pairs: Pairs, epsilon: float | None) -> Pairs:
    """Keep the pairs that the other kind makes informative (the paper's similarity P).

        negative (i, j) is kept iff  S_ij > min_{k in P_i} S_ik - epsilon
        positive (i, j) is kept iff  S_ij < max_{k in N_i} S_ik + epsilon

    Both strict. An anchor without positives or without negatives keeps nothing.

    Args:
        sim: similarities [N, M].
        pairs: the masks [N, M] to choose from.
        epsilon: the margin, 0 <= epsilon < inf, in units of similarity; None = no mining, `pairs` is returned as it is.

    Raises:
        MsvizError: `error.epsilon` when epsilon is out of range; `error.shape` when the shapes differ.

    >>> import torch
    >>> sim = torch.tensor([[1.00, 0.82, 0.65, 0.62, 0.30]])
    >>> mined = mine(sim, label_pairs([0], [0, 0, 0, 1, 1], torch.tensor([0])), epsilon=0.1)
    >>> sim[mined.pos], sim[mined.neg]
    (tensor([0.6500]), tensor([0.6200]))

    Source: arXiv 1904.06627, equations 7 and 8.
    """
    _check_shape(sim, pairs)
    epsilon = check_epsilon(epsilon)
    if epsilon is None:
        return pairs
    found = bounds(sim, pairs)
    sim = at_least_float32(sim)
    # Exactly this spelling: at ties of floats, `sim - hardest + epsilon > 0` decides differently.
    return Pairs(
        pos=pairs.pos & (sim < found.hardest_neg[:, None] + epsilon),
        neg=pairs.neg & (sim > found.hardest_pos[:, None] - epsilon),
    )


def check_epsilon(epsilon: float | None) -> float | None:
    """epsilon as a float, or None; MsvizError `error.epsilon` unless 0 <= epsilon < inf."""
    if epsilon is None:
        return None
    if not is_finite_number(epsilon) or epsilon < 0:
        raise MsvizError(
            "error.epsilon", "epsilon must be >= 0 and finite, or None for no mining, got {got}", got=shown(epsilon)
        )
    return float(epsilon) + 0.0  # -0.0 becomes 0.0


def _codes(labels: Iterable[Any], ref_labels: Iterable[Any] | None) -> tuple[Tensor, Tensor]:
    if _are_codes(labels) and (ref_labels is None or _are_codes(ref_labels)):
        # Whole numbers in tensors are compared where they lie: training on a GPU does not wait for a copy.
        return labels, labels if ref_labels is None else ref_labels
    if ref_labels is None:
        codes = encode_labels(labels)
        return codes, codes
    first = plain_labels(labels)
    codes = encode_labels([*first, *plain_labels(ref_labels)])  # together: a class has one code on both sides
    return codes[: len(first)], codes[len(first) :]


def _are_codes(labels: object) -> TypeGuard[Tensor]:
    whole = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64)
    return isinstance(labels, Tensor) and labels.ndim == 1 and labels.dtype in whole


def _check_self_columns(self_columns: Tensor, n: int, m: int) -> None:
    if self_columns.shape != (n,) or bool(((self_columns < -1) | (self_columns >= m)).any()):
        raise MsvizError(
            "error.self_columns",
            "self_columns must hold {n} columns between 0 and {last} (-1 = absent), got {got}",
            n=n,
            last=m - 1,
            got=self_columns.tolist(),
        )


def _check_shape(sim: Tensor, pairs: Pairs) -> None:
    if sim.ndim != 2 or sim.shape != pairs.pos.shape or sim.shape != pairs.neg.shape:
        raise MsvizError(
            "error.shape",
            "{name} must be {expected}, got {got}",
            name="sim",
            expected=f"of the same shape as its pairs, {list(pairs.pos.shape)}",
            got=f"shape {list(sim.shape)}",
        )
