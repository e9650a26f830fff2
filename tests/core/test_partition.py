"""The N-pair denominator against all classes: exact means by enumeration, the bound, the ends."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from msviz import Method, MsvizError, evaluate, partition_curve, similarity, tuplets
from tests.core.test_npair import batch, excesses

matrices = arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(1, 8)),
    elements=st.floats(-30, 30, allow_subnormal=False),
)
seeds = st.integers(0, 2**32 - 1)


def rng(seed=0):
    return np.random.default_rng(seed)


def loss(z):
    return math.log1p(sum(math.exp(k) for k in z))


@given(matrices, seeds)
@settings(deadline=None, max_examples=60)
def test_every_curve_rises_to_the_full_value_and_stays_below_its_bound(z, seed):
    curve = partition_curve(z, rng(seed), rounds=1)
    full = np.mean([loss(row) for row in z])
    tiny = 1e-12 * max(1, full)
    assert curve.full == pytest.approx(full, rel=1e-12)
    assert curve.n.tolist() == list(range(2, z.shape[1] + 2))
    for values in (curve.low, curve.mean, curve.high, curve.bound):
        assert (np.diff(values) > -tiny).all()
        assert values[-1] == pytest.approx(full, rel=1e-12)
    assert (curve.low <= curve.mean + tiny).all()
    assert (curve.mean <= curve.high + tiny).all()
    assert (curve.high <= full + tiny).all()
    assert (curve.mean <= curve.bound + tiny).all()


@given(matrices, seeds)
@settings(deadline=None, max_examples=40)
def test_the_mean_at_n_2_is_exact(z, seed):
    curve = partition_curve(z, rng(seed), rounds=1)
    assert curve.mean[0] == pytest.approx(np.mean([loss([one]) for one in z.flat]), rel=1e-9)


def test_the_mean_tends_to_that_of_all_subsets():
    z = rng(1).normal(0, 2, (3, 6))
    curve = partition_curve(z, rng(2), rounds=2000)
    for k, got in enumerate(curve.mean, start=1):
        exact = np.mean([loss(row[list(some)]) for row in z for some in itertools.combinations(range(6), k)])
        assert got == pytest.approx(exact, rel=5e-3)


def test_low_and_high_of_one_anchor_are_real_draws():
    z = np.array([[0.0, 1.0, -2.0, 3.0]])
    curve = partition_curve(z, rng(), rounds=1)
    assert (curve.low[0], curve.high[0]) == (pytest.approx(loss([-2])), pytest.approx(loss([3])))
    possible = {round(loss(some), 9) for some in itertools.combinations(z[0], 2)}
    assert {round(curve.low[1], 9), round(curve.high[1], 9)} <= possible


def test_equal_excesses_leave_nothing_to_chance():
    curve = partition_curve(np.full((2, 5), 0.7), rng())
    expected = np.log1p(np.arange(1, 6) * math.exp(0.7))
    for values in (curve.low, curve.mean, curve.high):
        assert values == pytest.approx(expected, rel=1e-12)
    # Jensen's inequality is strict only where draws differ: here the bound is reached everywhere.
    assert curve.bound == pytest.approx(expected, rel=1e-12)


def test_the_full_value_is_the_n_pair_loss_of_all_classes():
    x, labels = batch(2, 6, 2)
    found = tuplets(labels, "npair")
    sim = similarity(x[found.anchors], x, normalize=False)
    curve = partition_curve(excesses(x, found).numpy(), rng())
    assert curve.full == pytest.approx(evaluate(sim, found.pairs, Method("npair")).value.item(), rel=1e-12)


def test_where_negatives_weigh_much_half_of_them_cost_log_2_less():
    curve = partition_curve(20 + rng(3).normal(0, 0.1, (50, 40)), rng(4))
    assert curve.full - curve.mean[19] == pytest.approx(math.log(2), abs=1e-3)  # 20 of the 40, N = 21


def test_excesses_of_any_size_are_safe():
    curve = partition_curve([[2000.0, -2000.0, 0.0]], rng())
    assert curve.full == 2000
    assert (curve.low[0], curve.high[0]) == (0, 2000)


def test_equal_seeds_give_equal_curves():
    z = rng(5).normal(size=(4, 9))
    assert (partition_curve(z, rng(6)).mean == partition_curve(z, rng(6)).mean).all()
    assert (partition_curve(z, rng(6)).mean != partition_curve(z, rng(7)).mean).any()


@pytest.mark.parametrize(
    ("excess", "key", "words"),
    [
        (np.zeros(3), "error.shape", "excess must be a matrix, one row per anchor and one column per other class"),
        (np.zeros((2, 0)), "error.shape", r"got shape \[2, 0\]"),
        (np.array([[0.0], [np.nan]]), "error.not_finite", "excess must be finite, got nan in row 1, column 0"),
    ],
)
def test_what_is_no_matrix_of_excesses_is_an_error(excess, key, words):
    with pytest.raises(MsvizError, match=words) as error:
        partition_curve(excess, rng())
    assert error.value.key == key


@pytest.mark.parametrize("rounds", [0, 1.5, True, "2"])
def test_the_number_of_rounds_is_at_least_1(rounds):
    with pytest.raises(MsvizError, match="rounds must be a whole number >= 1, got"):
        partition_curve(np.zeros((1, 1)), rng(), rounds)
