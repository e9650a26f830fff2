"""N-pair: how a batch becomes tuplets, what the norms cost, and how far many negatives stand for all of them.

An (N+1)-tuplet is an anchor, its positive and N - 1 negatives, one of each other class. N classes, an anchor each, take

    triplets     3 N        anchor, positive and one negative, nobody shared
    tuplets      N (N + 1)  every tuplet with N - 1 negatives of its own
    N-pair       2 N        the positive of a class is the negative of all others: N tuplets out of N pairs

embeddings. What the tuplets cost is said by the losses `npair` (all negatives at once, N-pair-mc) and `npair_ovo` (one
against one) on the rows of the anchors, see `Tuplets.pairs`. With one negative, N = 2, both are log(1 + e^{S_n - S_p}):
a triplet with a soft hinge and no margin.

Source: K. Sohn, NIPS 2016, section 3.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from msviz.core.errors import MsvizError, out_of_range
from msviz.core.labels import encode_labels, plain_labels
from msviz.core.pairs import Pairs
from msviz.core.precision import at_least_float32, is_finite_number
from msviz.core.similarity import check_embeddings


class Pairing(StrEnum):
    """Who meets whom in a batch: everybody (`label_pairs`), or anchors in tuplets of one of three kinds (`tuplets`)."""

    ALL = "all"
    TRIPLETS = "triplets"
    TUPLETS = "tuplets"
    NPAIR = "npair"


def members(pairing: Pairing | str, n: int) -> int:
    """How many embeddings a pairing takes of each of n classes: triplets 3, tuplets n + 1, N-pair 2.

    Args:
        pairing: "triplets", "tuplets" or "npair"; "all" takes whatever there is, so it has no number.
        n: N, the number of classes, at least 2.

    Raises:
        MsvizError: `error.parameter_range`.

    >>> [members(pairing, 10) for pairing in ("triplets", "tuplets", "npair")]
    [3, 11, 2]

    Source: K. Sohn, NIPS 2016, section 3.2.
    """
    pairing = _in_tuplets(pairing)
    _check_whole("n", n)
    return {Pairing.TRIPLETS: 3, Pairing.TUPLETS: int(n) + 1, Pairing.NPAIR: 2}[pairing]


def embeddings(pairing: Pairing | str, n: int) -> int:
    """How many embeddings a pairing takes of n classes together: triplets 3 n, tuplets n (n + 1), N-pair 2 n.

    Args:
        pairing: "triplets", "tuplets" or "npair".
        n: N, the number of classes, at least 2.

    Raises:
        MsvizError: `error.parameter_range`.

    >>> [embeddings(pairing, 10) for pairing in ("triplets", "tuplets", "npair")]
    [30, 110, 20]

    Source: K. Sohn, NIPS 2016, section 3.2.
    """
    return int(n) * members(pairing, n)


@dataclass(frozen=True, eq=False)
class Tuplets:
    """N tuplets of a batch of m points, as rows of the batch. Tuplet i: `anchors[i]`, `positives[i]`, `negatives[i]`.

    Attributes:
        anchors: [N] the first point of every class.
        positives: [N] the second point of every class.
        negatives: [N, K] K = 1 for triplets, N - 1 for tuplets and N-pair: of the other classes, in their order.
        m: how many points the batch has.
    """

    anchors: Int[Tensor, " N"]
    positives: Int[Tensor, " N"]
    negatives: Int[Tensor, "N K"]
    m: int

    @property
    def used(self) -> Int[Tensor, " U"]:
        """The rows that take part, each once, in rising order: 3 N, N (N + 1) or 2 N of them."""
        rows: Tensor = torch.cat([self.anchors, self.positives, self.negatives.flatten()])
        return rows.new_tensor(sorted({*rows.tolist()}))

    @property
    def pairs(self) -> Pairs:
        """The masks [N, m]: row i is anchor i, column j point j of the batch; who is in no tuplet with it is ignored.

        `evaluate(similarity(x[t.anchors], x), t.pairs, Method("npair"))` is N-pair-mc, "npair_ovo" N-pair-ovo.
        """
        nobody = torch.zeros(len(self.anchors), self.m, dtype=torch.bool, device=self.anchors.device)
        return Pairs(pos=nobody.scatter(1, self.positives[:, None], True), neg=nobody.scatter(1, self.negatives, True))


def tuplets(labels: Iterable[Any], pairing: Pairing | str, classes: int | None = None) -> Tuplets:
    """Build the tuplets of a batch: an anchor and a positive of every class, negatives by the kind of pairing.

        npair       negatives of i: the positives of all other classes, the same points for everybody
        tuplets     negatives of i: one point of each other class that nobody else uses; class c gives its third point
                    to the first of the other tuplets, its fourth to the next, ...
        triplets    negative of i: the third point of the next class; the last takes it of the first

    Args:
        labels: m class ids (see `msviz.label_pairs`). The classes count in order of their first appearance, and so do
            the points of each.
        pairing: "triplets", "tuplets" or "npair".
        classes: N, at least 2: only the first N classes take part; None = all.

    Raises:
        MsvizError: `error.tuplets_classes` for fewer classes than N, or than 2; `error.tuplets_members` for a class
            with fewer points than `members` says; `error.parameter_range`; those of `msviz.label_pairs` for labels.

    >>> t = tuplets(["cat", "cat", "dog", "dog", "owl", "owl"], "npair")
    >>> t.anchors.tolist(), t.positives.tolist(), t.negatives.tolist()
    ([0, 2, 4], [1, 3, 5], [[3, 5], [1, 5], [1, 3]])
    >>> len(t.used) == embeddings("npair", 3)
    True

    Source: K. Sohn, NIPS 2016, section 3.2, Figure 2.
    """
    pairing = _in_tuplets(pairing)
    device = labels.device if isinstance(labels, Tensor) else None
    plain = plain_labels(labels)
    table = torch.tensor(_first_points(plain, pairing, classes), device=device)  # [N, members]
    n = len(table)
    own = torch.arange(n, device=device)[:, None]  # [N, 1] the tuplet, and its anchor's class
    other = torch.arange(n - 1, device=device).expand(n, -1)
    other = other + (other >= own)  # [N, N-1] the other classes, in their order
    if pairing == Pairing.TRIPLETS:
        negatives = table[(own + 1) % n, 2]
    elif pairing == Pairing.TUPLETS:
        negatives = table[other, 2 + own - (own > other).long()]  # own tuplet's place among the others of that class
    else:
        negatives = table[other, 1]
    return Tuplets(table[:, 0], table[:, 1], negatives, m=len(plain))


def l2_penalty(x: Float[Tensor, "m d"], strength: float) -> Float[Tensor, ""]:
    """What the lengths of embeddings cost, for dot products without normalisation.

        strength * mean_i |x_i|^2        its gradient: 2 strength x_i / m

    A longer embedding makes every exponent larger, which is no better answer: the direction should decide. Normalised
    embeddings would do, too, but keep |f . f+| <= 1, so that the loss of N classes cannot fall below
    log(1 + (N - 1) e^{-2}); a penalty leaves the length free and makes it cost.

    Args:
        x: all embeddings [m, d] of the batch, not normalised. float16 and bfloat16 are computed in float32.
        strength: what one unit of squared length costs, >= 0 and finite.

    Returns:
        A scalar that can be differentiated, to be added to the loss; 0 without embeddings.

    Raises:
        MsvizError: `error.parameter_range` for the strength; those of `msviz.similarity` for the embeddings.

    >>> l2_penalty(torch.tensor([[3.0, 4.0], [0.0, 1.0]]), strength=0.5)  # (25 + 1) / 2 / 2
    tensor(6.5000)

    Source: K. Sohn, NIPS 2016, section 3.2.2.
    """
    if not is_finite_number(strength) or strength < 0:
        raise out_of_range("strength", ">= 0 and finite", strength)
    check_embeddings("x", x)
    return strength * at_least_float32(x).square().sum() / max(len(x), 1)


def check_classes(name: str, n: Any, got: int) -> None:
    """Refuse a number of classes that is not whole and at least 2, or more than there are.

    Raises:
        MsvizError: `error.parameter_range`, `error.tuplets_classes`.
    """
    _check_whole(name, n)
    if got < n:
        raise MsvizError(
            "error.tuplets_classes",
            "tuplets of {need} classes need points of as many, got {got}; add points of other classes",
            need=int(n),
            got=got,
        )


def _check_whole(name: str, n: Any) -> None:
    if isinstance(n, bool) or not is_finite_number(n) or n != int(n) or n < 2:
        raise out_of_range(name, "a whole number >= 2", n)


def _in_tuplets(pairing: Pairing | str) -> Pairing:
    kinds = [kind for kind in Pairing if kind != Pairing.ALL]
    if pairing not in kinds:
        raise out_of_range("pairing", "one of " + ", ".join(repr(kind.value) for kind in kinds), pairing)
    return Pairing(pairing)


def _first_points(labels: list[Any], pairing: Pairing, classes: int | None) -> list[list[int]]:
    """The rows of every class that takes part, as many as `members` says; classes and rows by first appearance."""
    codes = encode_labels(labels).tolist()
    rows: list[list[int]] = [[] for _ in range(max(codes, default=-1) + 1)]
    for row, code in enumerate(codes):
        rows[code].append(row)

    check_classes("classes", 2 if classes is None else classes, len(rows))
    n = len(rows) if classes is None else int(classes)
    count = members(pairing, n)
    for of_class in rows[:n]:
        if len(of_class) < count:
            raise MsvizError(
                "error.tuplets_members",
                "tuplets of {classes} classes take {need} points of each, but class {name} has {got}; add points, or "
                "take fewer classes",
                classes=n,
                need=count,
                name=str(labels[of_class[0]]),
                got=len(of_class),
            )
    return [of_class[:count] for of_class in rows[:n]]
