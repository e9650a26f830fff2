"""The rules that end a run, without a run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from msviz.text import say
from msviz.training.stopping import COLLAPSE_STEPS, Stop, StopRules, mean_similarity

SAME_PLACE = np.array([[1.0, 0.0], [3.0, 0.001]])
APART = np.array([[1.0, 0.0], [0.0, 1.0]])


def test_patience_counts_evaluations_without_a_better_one_and_an_equal_one_is_not_better() -> None:
    rules = StopRules(patience=3)
    came = [rules.evaluated(recall) for recall in (0.2, 0.5, 0.5, 0.4, 0.6, 0.6, 0.1, 0.5)]
    assert came == [None] * 7 + [Stop.PATIENCE]


def test_without_patience_a_run_may_get_worse_for_ever() -> None:
    rules = StopRules()
    assert [rules.evaluated(0.5 - i / 100) for i in range(40)] == [None] * 40


def test_the_target_ends_a_run_when_it_is_met_and_before_patience() -> None:
    rules = StopRules(patience=1, target_recall=0.8)
    assert [rules.evaluated(recall) for recall in (0.7, 0.8)] == [None, Stop.TARGET]
    rules = StopRules(patience=1, target_recall=0.5, best=0.9)
    assert rules.evaluated(0.6) is Stop.TARGET


def test_a_collapse_must_last() -> None:
    rules = StopRules()
    before = [rules.embedded(SAME_PLACE) for _ in range(COLLAPSE_STEPS - 1)]
    assert rules.embedded(APART) is None
    again = [rules.embedded(SAME_PLACE) for _ in range(COLLAPSE_STEPS)]
    assert [*before, *again[:-1]] == [None] * (2 * COLLAPSE_STEPS - 2)
    assert again[-1] is Stop.COLLAPSE


@given(arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(1, 4)), elements=st.floats(-9, 9, width=16)))
def test_the_mean_similarity_is_that_of_all_pairs(x: np.ndarray) -> None:
    length = np.linalg.norm(x, axis=1, keepdims=True)
    unit = x / np.where(length > 0, length, 1)
    pairs = [unit[i] @ unit[j] for i in range(len(x)) for j in range(len(x)) if i != j]
    assert mean_similarity(x) == pytest.approx(np.mean(pairs), abs=1e-12)


def test_the_mean_similarity_of_one_row_is_nothing() -> None:
    assert mean_similarity(np.array([[1.0, 2.0]])) == pytest.approx(0)


@pytest.mark.parametrize("stop", Stop)
def test_every_end_has_its_sentence(stop: Stop) -> None:
    assert say(stop.key).endswith(".")
