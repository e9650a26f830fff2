"""Paired differences, Holm's correction and verdicts, against hand computation, closed forms and scipy's tests."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from msviz import MsvizError
from msviz.training import Difference, holm, paired, verdict

P = st.floats(0, 1, allow_subnormal=False)


def test_three_differences_by_hand() -> None:
    # differences 1, 2, 3: mean 2, s = 1, error 1/sqrt(3); of t with 2 degrees of freedom both are closed forms:
    # quantile(q) = (2q - 1) / sqrt(2 q (1 - q)), P(|T| >= t) = 1 - t / sqrt(2 + t^2)
    found = paired([2, 4, 6], [1, 2, 3])
    quantile = 0.95 / math.sqrt(2 * 0.975 * 0.025)
    assert quantile == pytest.approx(4.302653, abs=1e-6)  # as tables print it
    t = 2 * math.sqrt(3)
    assert found.mean == 2
    assert found.low == pytest.approx(2 - quantile / math.sqrt(3), abs=1e-12)
    assert found.high == pytest.approx(2 + quantile / math.sqrt(3), abs=1e-12)
    assert found.p == pytest.approx(1 - t / math.sqrt(2 + t**2), abs=1e-12)
    assert found.n == 3


def test_two_differences_are_cauchy() -> None:
    # one degree of freedom: quantile(q) = tan(pi (q - 1/2)), P(|T| >= t) = 1 - 2/pi atan(t); mean 2, error 1
    found = paired([3, 5], [2, 2], confidence=0.9)
    assert found.high - found.mean == pytest.approx(math.tan(math.pi * 0.45), abs=1e-10)
    assert found.p == pytest.approx(1 - 2 / math.pi * math.atan(2), abs=1e-12)


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=2, max_size=30).filter(
        lambda pairs: np.std([a - b for a, b in pairs]) > 1e-6
    ),
    st.floats(0.5, 0.999),
)
def test_it_agrees_with_scipys_paired_test(pairs: list[tuple[float, float]], confidence: float) -> None:
    a, b = map(list, zip(*pairs, strict=True))
    theirs = stats.ttest_rel(a, b)
    found, interval = paired(a, b, confidence), theirs.confidence_interval(confidence)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-9, abs=1e-12)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300)


def test_what_both_gain_from_a_lucky_seed_changes_nothing() -> None:
    luck = [0.0, 0.3, -0.2, 0.1]
    a, b = [0.71, 0.74, 0.72, 0.75], [0.70, 0.71, 0.70, 0.71]
    lucky = paired([x + k for x, k in zip(a, luck, strict=True)], [x + k for x, k in zip(b, luck, strict=True)])
    assert (lucky.low, lucky.high, lucky.p) == pytest.approx(
        tuple(getattr(paired(a, b), n) for n in ("low", "high", "p"))
    )


def test_differences_without_a_spread_are_a_point() -> None:
    assert paired([1, 2, 3], [1, 2, 3]) == Difference(0.0, 0.0, 0.0, 1.0, 3)
    assert paired([2, 3, 4], [1, 2, 3]) == Difference(1.0, 1.0, 1.0, 0.0, 3)


def test_a_95_percent_interval_covers_the_truth_in_95_percent_of_samples() -> None:
    rng = np.random.default_rng(0)
    samples = rng.normal(0.3, 1, (2000, 5))
    covered = np.mean([found.low <= 0.3 <= found.high for found in (paired(x, np.zeros(5)) for x in samples)])
    assert abs(covered - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 2000)


def test_holm_by_hand() -> None:
    # sorted .005 .01 .03 .04 times 4 3 2 1: .02 .03 .06 .04, and none may be below one before it
    assert holm([0.03, 0.005, 0.04, 0.01]) == pytest.approx([0.06, 0.02, 0.06, 0.03])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(P, min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_holm_lies_between_the_p_values_and_bonferroni_whatever_the_order(p: list[float], random) -> None:
    adjusted = holm(p)
    for one, corrected in zip(p, adjusted, strict=True):
        assert one <= corrected <= min(1, len(p) * one) or corrected == pytest.approx(min(1, len(p) * one))
    order = random.sample(range(len(p)), len(p))
    assert holm([p[at] for at in order]) == [adjusted[at] for at in order]
    assert sorted(adjusted) == [adjusted[at] for at in sorted(range(len(p)), key=lambda at: (p[at], adjusted[at]))]


def test_holm_cries_wolf_in_five_percent_of_families_at_most() -> None:
    p = np.random.default_rng(0).random((2000, 9))  # nine questions whose true answer is always "no difference"
    wrong = np.mean([min(holm(family)) < 0.05 for family in p.tolist()])
    assert 0.02 < wrong < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 2000)


def test_a_verdict_follows_the_sign_and_undecided_is_one() -> None:
    up, down = Difference(0.1, 0.05, 0.15, 0.001, 9), Difference(-0.1, -0.15, -0.05, 0.001, 9)
    assert [verdict(up, 0.049), verdict(down, 0.049), verdict(up, 0.05)] == ["higher", "lower", "undecided"]
    assert verdict(up, 0.049, level=0.01) == "undecided"


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        (lambda: paired([1.0], [2.0]), "the number of pairs must be >= 2, got 1"),
        (lambda: paired([1.0, 2.0], [2.0]), "b must be [2], got [1]"),
        (lambda: paired([1.0, math.nan], [2.0, 1.0]), "a must be finite numbers, got nan"),
        (lambda: paired([1.0, 2.0], [2.0, 1.0], confidence=1), "confidence must be a number > 0 and < 1, got 1"),
        (lambda: holm([0.5, 1.5]), "p must be from 0 to 1, got 1.5"),
        (lambda: holm([math.nan]), "p must be from 0 to 1, got nan"),
    ],
)
def test_what_is_wrong_is_said(what, sentence: str) -> None:
    with pytest.raises(MsvizError) as wrong:
        what()
    assert str(wrong.value) == sentence
