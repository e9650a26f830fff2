"""Who is a positive, who is a negative, and which of them mining keeps."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from msviz.core.errors import MsvizError, shown, wrong_shape
from msviz.core.labels import encode_labels, plain_labels
from msviz.core.precision import at_least_float32, check_finite, is_finite_number

_WHOLE = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64)


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
    return compare(labels, ref_labels, self_columns).pairs()


@dataclass(frozen=True, eq=False)
class Comparison:
    """Which anchors meet which references: all that is needed to make the pairs of any block of rows.

    Attributes:
        anchors: [N] class codes of the anchors.
        refs: [M] class codes of the references.
        self_columns: [N] the column that is the anchor itself, -1 = not among the references.
    """

    anchors: Int[Tensor, " N"]
    refs: Int[Tensor, " M"]
    self_columns: Int[Tensor, " N"]

    def to(self, device: torch.device) -> "Comparison":
        """The same comparison on another device."""
        return Comparison(self.anchors.to(device), self.refs.to(device), self.self_columns.to(device))

    def pairs(self, rows: slice = slice(None)) -> Pairs:
        """The pairs of some anchors, by default of all of them."""
        same = self.anchors[rows, None] == self.refs
        columns = torch.arange(len(self.refs), device=self.refs.device)
        other_point = columns != self.self_columns[rows, None]  # by index, not by value: a duplicate is a positive
        return Pairs(pos=same & other_point, neg=~same & other_point)

    @functools.cached_property
    def by_class(self) -> "ByClass":
        """The references sorted by class: finds an anchor's positives without looking at all M of them."""
        codes, order = self.refs.sort(stable=True)
        first, last = torch.searchsorted(codes, self.anchors), torch.searchsorted(codes, self.anchors, right=True)
        count = last - first
        return ByClass(order=order, first=first, count=count, most=int(count.max()) if len(count) else 0)


@dataclass(frozen=True, eq=False)
class ByClass:
    """Where the references of every anchor's class lie in the order by class.

    Attributes:
        order: [M] columns, class by class.
        first: [N] where the anchor's class begins in `order`.
        count: [N] how many references have the anchor's class, itself included.
        most: the largest count.
    """

    order: Int[Tensor, " M"]
    first: Int[Tensor, " N"]
    count: Int[Tensor, " N"]
    most: int

    def columns(self, rows: slice) -> tuple[Int[Tensor, "n K"], Bool[Tensor, "n K"]]:
        """The columns of the anchors' own class, K = `most` a row, and which of them count (False = filling)."""
        rank = torch.arange(self.most, device=self.order.device)
        valid = rank < self.count[rows, None]
        place = torch.where(valid, self.first[rows, None] + rank, 0)
        return self.order[place], valid


def compare(
    labels: Iterable[Any], ref_labels: Iterable[Any] | None = None, self_columns: Int[Tensor, " N"] | None = None
) -> Comparison:
    """Labels as a `Comparison`; arguments and errors are those of `label_pairs`.

    >>> compare(["cat", "dog"]).self_columns
    tensor([0, 1])
    """
    anchors, refs = _codes(labels, ref_labels)
    if self_columns is None:
        nobody = torch.full_like(anchors, -1, dtype=torch.long)
        self_columns = torch.arange(len(refs), device=refs.device) if ref_labels is None else nobody
    _check_self_columns(self_columns, len(anchors), len(refs))
    return Comparison(anchors, refs, self_columns.to(refs.device))


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
    check_pairs(sim, pairs)
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
    check_pairs(sim, pairs)
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
    return isinstance(labels, Tensor) and labels.ndim == 1 and labels.dtype in _WHOLE


def _check_self_columns(self_columns: Any, n: int, m: int) -> None:
    whole = isinstance(self_columns, Tensor) and self_columns.dtype in _WHOLE
    if not whole or self_columns.shape != (n,) or bool(((self_columns < -1) | (self_columns >= m)).any()):
        raise MsvizError(
            "error.self_columns",
            "self_columns must be a tensor of {n} whole numbers between 0 and {last} (-1 = absent), got {got}",
            n=n,
            last=m - 1,
            got=str(self_columns.tolist() if isinstance(self_columns, Tensor) else self_columns)[:60],
        )


def check_pairs(sim: Float[Tensor, "N M"], pairs: Pairs) -> None:
    """Refuse similarities and masks that do not belong together.

    Raises:
        MsvizError: `error.shape` when they differ in shape; `error.not_finite` for NaN or infinite similarities;
            `error.masks` unless the masks are boolean; `error.both_kinds` for a pair that is positive and negative.
    """
    if sim.ndim != 2 or sim.shape != pairs.pos.shape or sim.shape != pairs.neg.shape:
        expected = f"of the same shape as its pairs, {list(pairs.pos.shape)}"
        raise wrong_shape("sim", expected, f"shape {list(sim.shape)}")
    for mask in (pairs.pos, pairs.neg):
        if mask.dtype != torch.bool:
            raise MsvizError(
                "error.masks", "pos and neg must be boolean masks, got {got}; compare with != 0", got=str(mask.dtype)
            )
    both = pairs.pos & pairs.neg
    if bool(both.any()):
        i, j = both.nonzero()[0].tolist()
        raise MsvizError(
            "error.both_kinds",
            "a pair is a positive, a negative or neither, got both for anchor {anchor} with {other}",
            anchor=i,
            other=j,
        )
    check_finite("sim", sim)
