"""Hard negative class mining: which classes should meet in an N-pair batch, chosen one by one.

With many classes most negatives of a random batch are easy. So embed one or two examples of each of C classes, start
from one class, and add, until there are N, the class that violates the triplet constraint S_an < S_ap most against
those chosen. Here the violation of a candidate c is the largest over all triplets that c would add,

    v(c) = max over chosen classes q of  max( S_an - S_ap,  a, p in q, n in c;   S_an - S_ap,  a, p in c, n in q )

where a and p are the two examples of a class, either way round. With one example a class there is no positive and it is

    v(c) = max over chosen classes q of  S_an,  a in q, n in c

v(c) > 0 says that a negative is closer than the positive: a triplet is violated. The greedy choice does not need that;
it takes the worst there is. Equal violations are drawn at random.

How bad two classes are together does not change while others are chosen: the [C, C] matrix of it is computed once, and
v is the maximum over its chosen rows, kept up to date by one row a step.

Source: K. Sohn, NIPS 2016, section 3.2.1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Float64, Int64
from torch import Tensor

from msviz.core.criterion import check_count
from msviz.core.errors import MsvizError, out_of_range
from msviz.core.labels import encode_labels, plain_labels
from msviz.core.npair import check_classes
from msviz.core.similarity import check_embeddings, check_overflow, similarity

TINY = 1e-12  # of the largest similarity: violations that differ by less are equal, but for rounding


@dataclass(frozen=True, eq=False)
class ClassStep:
    """One greedy choice: the class, how much it violates, and the triplet that says so.

    Attributes:
        chosen: the label of the class that is added.
        violation: v of that class, the largest of `violations`; > 0 when a negative is closer than the positive.
        ties: the labels of all classes with that violation, the chosen one among them, in the order of
            `ClassMining.classes`; one label when there was nothing to draw.
        violations: [C] v of every class in the order of `ClassMining.classes`; NaN for those chosen before.
        anchor: the row of the anchor in the worst triplet that the class adds.
        negative: the row of its negative. One of the two is of the chosen class, the other of a class chosen before.
        positive: the row of the anchor's positive; None with one example a class.
    """

    chosen: Any
    violation: float
    ties: tuple[Any, ...]
    violations: Float64[np.ndarray, " C"]
    anchor: int
    negative: int
    positive: int | None


@dataclass(frozen=True, eq=False)
class ClassMining:
    """Which classes were chosen, and why.

    Attributes:
        chosen: the labels of the n classes in the order in which they were chosen.
        steps: the n - 1 greedy choices; the first class was given or drawn and has no step.
        classes: the labels of all C classes in order of first appearance, as in `ClassStep.violations`.
    """

    chosen: tuple[Any, ...]
    steps: tuple[ClassStep, ...]
    classes: tuple[Any, ...]


def mine_classes(
    x: Float[Tensor, "m d"],
    labels: Iterable[Any],
    n: int,
    rng: np.random.Generator,
    first: Any = None,
    normalize: bool = False,
) -> ClassMining:
    """Choose n classes that are hard for each other: from one class on, always the one that violates the most.

        v(c) = max over chosen classes q of max(S_an - S_ap) over the triplets with a, p in one of q and c, n in the
               other; with one example a class of S_an

    Similarities are computed in float64. What differs by less than rounding does (1e-12 of the largest) is a tie, and
    is drawn: two equal classes would otherwise be told apart by the order in which a processor adds.

    Args:
        x: embeddings [m, d], one or two examples of every class, of each as many.
        labels: m class ids (see `msviz.label_pairs`).
        n: N, how many classes to choose, 2 to C.
        rng: draws the first class, unless it is given, and among ties; equal seeds, equal choices.
        first: the label of the class to start from; None = at random.
        normalize: compare directions; by default N-pair compares by bare dot products.

    Raises:
        MsvizError: `error.class_examples` unless every class has one example, or every class two;
            `error.tuplets_classes` for fewer classes than n; `error.parameter_range` for n or first;
            `error.labels_count`; `error.overflow`; those of `msviz.similarity` for embeddings and of
            `msviz.label_pairs` for labels.

    >>> import torch
    >>> x = torch.tensor([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0]])
    >>> mined = mine_classes(x, ["cat", "dog", "owl"], n=2, rng=np.random.default_rng(0), first="cat")
    >>> mined.chosen, mined.steps[0].violations.round(6)
    (('cat', 'dog'), array([ nan,  0.6, -1. ]))

    Source: K. Sohn, NIPS 2016, section 3.2.1.
    """
    check_embeddings("x", x)
    plain = plain_labels(labels)
    codes = encode_labels(plain).numpy()
    check_count("labels", len(codes), x)
    check_classes("n", n, len(np.unique(codes)))
    rows = _examples(plain, codes)  # [C, k], k = 1 or 2
    classes = tuple(plain[of_class[0]] for of_class in rows.tolist())
    start = _start(first, classes, rng)

    of_points = similarity(x.detach().cpu().double(), normalize=normalize)
    check_overflow(of_points)
    sim = of_points.numpy()
    together = _together(sim, rows)  # [C, C]
    margin = TINY * np.abs(sim).max()
    violations = np.full(len(classes), -np.inf)
    chosen, steps = [start], list[ClassStep]()
    while len(chosen) < n:
        violations = np.maximum(violations, together[chosen[-1]])
        violations[chosen] = np.nan
        ties = np.flatnonzero(violations >= np.nanmax(violations) - margin)
        pick = int(ties[rng.integers(len(ties))])
        partner = chosen[int(together[chosen, pick].argmax())]
        anchor, negative, positive = _worst_triplet(sim, rows, partner, pick)
        steps.append(
            ClassStep(
                chosen=classes[pick],
                violation=float(violations[pick]),
                ties=tuple(classes[c] for c in ties),
                violations=violations.copy(),
                anchor=anchor,
                negative=negative,
                positive=positive,
            )
        )
        chosen.append(pick)
    return ClassMining(tuple(classes[c] for c in chosen), tuple(steps), classes)


def _together(sim: Float64[np.ndarray, "m m"], rows: Int64[np.ndarray, "C k"]) -> Float64[np.ndarray, "C C"]:
    """The worst triplet of any two classes, whichever of them the anchor is in. The diagonal means nothing."""
    worst = np.full((len(rows), len(rows)), -np.inf)
    for anchors, positives in zip(rows.T, rows.T[::-1], strict=True):  # everybody's i-th example, and the other one
        excess = sim[anchors]  # [C, m]
        if rows.shape[1] == 2:
            excess = excess - sim[anchors, positives][:, None]
        for negatives in rows.T:
            np.maximum(worst, excess[:, negatives], out=worst)
    either: Float64[np.ndarray, "C C"] = np.maximum(worst, worst.T)
    return either


def _worst_triplet(
    sim: Float64[np.ndarray, "m m"], rows: Int64[np.ndarray, "C k"], q: int, c: int
) -> tuple[int, int, int | None]:
    """Anchor, negative and positive of the worst triplet of two classes; the first of equals, anchors of `q` first."""
    triplets = [
        (anchor, negative, positive if positive != anchor else None)
        for own, other in ((rows[q], rows[c]), (rows[c], rows[q]))
        for anchor, positive in zip(own.tolist(), own[::-1].tolist(), strict=True)
        for negative in other.tolist()
    ]
    return max(triplets, key=lambda t: sim[t[0], t[1]] - (0 if t[2] is None else sim[t[0], t[2]]))


def _examples(labels: list[Any], codes: Int64[np.ndarray, " m"]) -> Int64[np.ndarray, "C k"]:
    """The rows of every class, classes and rows in order of first appearance."""
    counts = np.bincount(codes)
    expected = 1 if counts[0] == 1 else 2
    odd = np.flatnonzero(counts != expected)
    if len(odd):
        raise MsvizError(
            "error.class_examples",
            "class mining takes one example of every class, or two of every class, but class {name} has {got}; choose "
            "as many of each",
            name=str(labels[int((codes == odd[0]).argmax())]),
            got=int(counts[odd[0]]),
        )
    return np.argsort(codes, kind="stable").reshape(len(counts), -1)


def _start(first: Any, classes: tuple[Any, ...], rng: np.random.Generator) -> int:
    if first is None:
        return int(rng.integers(len(classes)))
    plain = plain_labels([first])[0]
    if plain not in classes:
        raise out_of_range("first", "the label of a class", first)
    return classes.index(plain)
