"""The N-pair denominator on its way to the partition over all classes.

An anchor of one of L classes, with one negative of each other class, has L - 1 excesses z_n = S_n - S_p. The full
(L+1)-tuplet compares it with all of them, N-pair with N - 1 that the batch happened to draw:

    full    log(1 + sum_n e^{z_n})        over all L - 1
    L_N     log(1 + sum_n e^{z_n})        over N - 1 of them, drawn without replacement

No draw is above the full value, since every e^z is positive; another negative only adds. The logarithm is concave, so
that by Jensen's inequality the mean over the draws stays below the logarithm of the mean, in which each of the L - 1 is
drawn with probability (N - 1) / (L - 1):

    E[L_N] <= log(1 + (N - 1) / (L - 1) sum_n e^{z_n})

The bound reaches the full value at N = L, where there is but one draw, and so does the mean. It says how many negatives
are enough: where sum e^z is large, half of the classes cost log 2 less than all of them.

Source: K. Sohn, NIPS 2016, section 3.1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float64, Int64
from numpy.typing import ArrayLike

from msviz.core.errors import out_of_range, wrong_shape
from msviz.core.precision import check_finite, is_finite_number


@dataclass(frozen=True, eq=False)
class PartitionCurve:
    """The loss of N = 2 to L classes, the mean over the anchors, and the bound on it.

    Attributes:
        n: [L-1] N = 2, 3, ..., L: classes in the batch, one of them the anchor's.
        mean: [L-1] L_N, averaged over draws and anchors.
        low: [L-1] the smallest draw, each averaged over the anchors.
        high: [L-1] the largest draw, likewise.
        bound: [L-1] log(1 + (N - 1) / (L - 1) sum e^z), averaged over anchors; `mean` stays below it.
        full: log(1 + sum e^z) over all L - 1 negatives, averaged over anchors: where all of them end.
    """

    n: Int64[np.ndarray, " K"]
    mean: Float64[np.ndarray, " K"]
    low: Float64[np.ndarray, " K"]
    high: Float64[np.ndarray, " K"]
    bound: Float64[np.ndarray, " K"]
    full: float


def partition_curve(excess: ArrayLike, rng: np.random.Generator, rounds: int = 2) -> PartitionCurve:
    """How the loss of N random classes approaches the loss of all L as N grows.

    In a round every anchor puts its L - 1 negatives on a ring, in an order of its own. A draw begins at one place of
    the ring and takes N - 1 in a row; the L - 1 places are L - 1 draws. Each draw is a fair one, without replacement,
    and in a round each negative comes up equally often: so Jensen's inequality holds for the mean of the draws that
    were made, not only for their expectation, and at N = 2 and N = L the mean is exact. Time grows with rounds A L^2.

    Args:
        excess: z = S_n - S_p [A, L-1]: for each of A anchors one negative of every other class. A >= 1, L >= 2.
        rng: where the orders come from; equal seeds, equal curves.
        rounds: how many orders every anchor gets, at least 1; (L - 1) draws each.

    Raises:
        MsvizError: `error.shape` unless excess is a matrix with a row and a column; `error.not_finite`;
            `error.parameter_range` for rounds.

    >>> curve = partition_curve([[0.0, 0.0, 0.0]], np.random.default_rng(0))  # log 2, log 3, log 4
    >>> curve.n, curve.mean.round(3), round(curve.full, 3)
    (array([2, 3, 4]), array([0.693, 1.099, 1.386]), 1.386)

    Source: K. Sohn, NIPS 2016, section 3.1.
    """
    z = _checked(excess)
    if isinstance(rounds, bool) or not is_finite_number(rounds) or rounds != int(rounds) or rounds < 1:
        raise out_of_range("rounds", "a whole number >= 1", rounds)
    count = z.shape[1]  # L - 1
    draws = np.concatenate([_round(z, rng) for _ in range(int(rounds))])  # [draws, L-1]
    logsum = np.logaddexp.reduce(z, axis=1, keepdims=True)  # [A, 1] log sum e^z
    n = np.arange(2, count + 2)
    bound = np.logaddexp(0, np.log((n - 1) / count) + logsum).mean(0)
    return PartitionCurve(
        n=n,
        mean=draws.mean(0),
        low=draws.min(0),
        high=draws.max(0),
        bound=bound,
        full=float(np.logaddexp(0, logsum).mean()),
    )


def _round(z: Float64[np.ndarray, "A K"], rng: np.random.Generator) -> Float64[np.ndarray, "K K"]:
    """[draw, N-2] the mean over the anchors of L_N, for each place at which a draw can begin."""
    ring = rng.permuted(z, axis=1)
    turns = (np.logaddexp.accumulate(np.roll(ring, -start, axis=1), axis=1) for start in range(z.shape[1]))
    return np.stack([np.logaddexp(0, turn).mean(0) for turn in turns])


def _checked(excess: Any) -> Float64[np.ndarray, "A K"]:
    z = np.asarray(excess, dtype=np.float64)
    if z.ndim != 2 or not z.size:
        expected = "a matrix, one row per anchor and one column per other class"
        raise wrong_shape("excess", expected, f"shape {list(z.shape)}")
    check_finite("excess", torch.from_numpy(z))
    return z
