"""Is one method better than another? Differences between pairs of runs, their intervals, and many questions at once.

Two runs of the same seed share class split, images, initial weights and batches. What a lucky split gives to one it
gives to the other, too, and the difference of each pair is free of it: with d_k = a_k - b_k over n seeds

    mean +- t_{n-1} s / sqrt(n)        s^2 = 1/(n-1) sum_k (d_k - mean)^2        p = P(|T_{n-1}| >= |mean| sqrt(n) / s)

Sources: Student, "The probable error of a mean", Biometrika 1908; S. Holm, "A simple sequentially rejective multiple
test procedure", Scandinavian Journal of Statistics 1979.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from msviz.core.errors import MsvizError, out_of_range
from msviz.core.precision import is_finite_number

Verdict = Literal["higher", "lower", "undecided"]


@dataclass(frozen=True)
class Difference:
    """A mean difference, how sure it is, and how likely so large a one is by chance.

    Args:
        mean: of the differences.
        low, high: the interval that covers the true mean with the confidence that was asked for.
        p: probability of a mean at least so far from 0 when the true one is 0, 0..1.
        n: how many differences.
    """

    mean: float
    low: float
    high: float
    p: float
    n: int


def paired(a: Sequence[float], b: Sequence[float], confidence: float = 0.95) -> Difference:
    """The mean of a - b with its interval, by Student's t distribution of n - 1 degrees of freedom.

    Differences that are all the same have no spread: the interval is a point, and p is 0, or 1 where they are 0.

    Args:
        a: [n] numbers, n >= 2; finite.
        b: [n] their partners, in the same order.
        confidence: of the interval, > 0 and < 1.

    Raises:
        MsvizError: error.shape for another number of partners; error.parameter_range.

    Example:
        >>> found = paired([3.0, 5.0], [2.0, 2.0])  # differences 1 and 3; t_1 at 97.5 % is 12.706
        >>> found.mean, round(found.low, 2), round(found.high, 2), round(found.p, 4)
        (2.0, -10.71, 14.71, 0.2952)
    """
    if len(a) != len(b):
        raise MsvizError(
            "error.shape", "{name} must be {expected}, got {got}", name="b", expected=[len(a)], got=[len(b)]
        )
    n = len(a)
    if n < 2:
        raise out_of_range("the number of pairs", ">= 2", n)
    for name, values in (("a", a), ("b", b)):
        for value in values:
            if not is_finite_number(value):
                raise out_of_range(name, "finite numbers", value)
    if not is_finite_number(confidence) or not 0 < confidence < 1:
        raise out_of_range("confidence", "a number > 0 and < 1", confidence)
    differences = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    if error == 0:
        return Difference(mean, mean, mean, float(mean == 0), n)
    from scipy import special  # lazily: a quarter of a second, and only for who compares

    reach = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * error
    p = 2 * float(special.stdtr(n - 1, -abs(mean) / error))
    return Difference(mean, mean - reach, mean + reach, p, n)


def holm(p: Sequence[float]) -> list[float]:
    """Adjusted p values of several questions that are answered together, in the order of the questions.

    With the r-th smallest of m:  adjusted_r = min(1, max_{s <= r} (m - s + 1) p_s).  To say "yes" where it is below .05
    says any wrong "yes" at all with probability .05 at most, however the questions hang together.

    Args:
        p: [m] p values, each 0..1.

    Raises:
        MsvizError: error.parameter_range.

    Example:
        >>> [round(value, 3) for value in holm([0.01, 0.04, 0.03])]
        [0.03, 0.06, 0.06]
    """
    for value in p:
        if not is_finite_number(value) or not 0 <= value <= 1:
            raise out_of_range("p", "from 0 to 1", value)
    adjusted, largest = [0.0] * len(p), 0.0
    for done, at in enumerate(sorted(range(len(p)), key=lambda at: p[at])):
        largest = max(largest, min(1.0, (len(p) - done) * p[at]))
        adjusted[at] = largest
    return adjusted


def verdict(difference: Difference, adjusted: float, level: float = 0.05) -> Verdict:
    """What may be said of a difference: "higher", "lower", or "undecided", which is an answer, too.

    Args:
        difference: of one question.
        adjusted: its p value after `holm`.
        level: below which it counts, > 0 and < 1.

    Example:
        >>> found = paired([0.71, 0.73, 0.74], [0.66, 0.69, 0.69])
        >>> verdict(found, found.p), verdict(found, 0.2)
        ('higher', 'undecided')
    """
    if adjusted >= level:
        return "undecided"
    return "higher" if difference.mean > 0 else "lower"
