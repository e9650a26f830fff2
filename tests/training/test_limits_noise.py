"""Limits: wrong labels. Losses that look for hard pairs find the wrong ones; retrieval pays for it."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msviz import METHODS, Method, MsvizError
from msviz.training.limits import (
    NoisyPairsPoint,
    NoisyPairsSettings,
    NoisyTrainingSettings,
    flip_labels,
    noisy_pairs,
    noisy_training,
    wrong_pairs,
)
from tests.training.networks import network

MS = METHODS["ms"]


def points(*methods: Method, shares: tuple[float, ...] = (0.2,)) -> list[NoisyPairsPoint]:
    return list(noisy_pairs(NoisyPairsSettings(draws=5, shares=shares, methods=methods), network()))


@given(
    labels=st.lists(st.integers(-3, 3), min_size=2, max_size=30).filter(lambda drawn: len(set(drawn)) > 1),
    share=st.floats(0, 1),
    seed=st.integers(0, 99),
)
def test_exactly_the_share_is_flipped_and_to_classes_that_there_are(labels: list[int], share: float, seed: int) -> None:
    flipped = flip_labels(np.array(labels), share, np.random.default_rng(seed))
    assert int((flipped != labels).sum()) == round(share * len(labels))
    assert set(flipped.tolist()) <= set(labels)


def test_wrong_pairs_by_hand() -> None:
    # The third item is of class 0, but is called 1: two positives of it become negatives, two negatives positives.
    wrong = wrong_pairs(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1]))
    assert wrong.neg.nonzero().tolist() == [[0, 2], [1, 2], [2, 0], [2, 1]]
    assert wrong.pos.nonzero().tolist() == [[2, 3], [2, 4], [3, 2], [4, 2]]


def test_where_all_pairs_weigh_the_same_wrong_ones_have_their_share() -> None:
    for point in points(Method("linear"), shares=(0.0, 0.2)):
        assert point.weight == pytest.approx(point.wrong, abs=1e-12)
        assert (point.wrong > 0) == (point.flipped > 0)


def test_multi_similarity_gives_wrong_pairs_many_times_their_share_and_more_as_labels_get_worse() -> None:
    found = points(MS, shares=(0.05, 0.2, 0.4))
    assert all(point.weight > 5 * point.wrong for point in found)
    weights = [point.weight for point in found]
    assert weights[0] + 0.1 < weights[1] < weights[2] - 0.05


def test_a_larger_beta_gives_wrong_negatives_more_and_wrong_positives_no_less() -> None:
    low, high = points(MS.replace(beta=2), MS.replace(beta=40))
    assert high.wrong_negatives > low.wrong_negatives + 0.1
    assert high.wrong_positives == pytest.approx(low.wrong_positives, abs=0.03)
    assert high.weight == pytest.approx(high.wrong_negatives + high.wrong_positives)


def test_a_batch_that_nothing_weighs_in_has_no_weight_on_wrong_pairs() -> None:
    found = points(Method("triplet", lam=0), shares=(0.0,))
    assert found[0].weight == 0


def test_wrong_labels_cost_recall_and_the_more_the_larger_beta_is() -> None:
    found = list(noisy_training(NoisyTrainingSettings(betas=(2, 160))))
    mild, sharp = (point for point in found if point.flipped)
    assert [point.weight for point in found if not point.flipped] == [0, 0]
    assert all(point.recall > mild.recall + 0.1 for point in found if not point.flipped)
    assert sharp.recall < mild.recall - 0.05
    assert mild.weight > 0.1


def test_without_flips_both_networks_are_the_same() -> None:
    one, other = noisy_training(NoisyTrainingSettings(flipped=0, steps=5, repeats=1, betas=(10,)))
    assert one == other


def test_each_repeat_has_a_seed_of_its_own_and_its_betas_share_it() -> None:
    settings = NoisyTrainingSettings(steps=2, repeats=2, seed=7, betas=(2, 40))
    found = [(point.seed, point.beta, point.flipped) for point in noisy_training(settings)]
    assert found == [(seed, beta, flipped) for seed in (7, 8) for beta in (2, 40) for flipped in (0, 0.3)]


def test_a_method_without_beta_is_refused() -> None:
    with pytest.raises(MsvizError, match="triplet has no parameter beta"):
        next(noisy_training(NoisyTrainingSettings(method=Method("triplet"))))


def test_the_same_settings_give_the_same_points() -> None:
    settings = NoisyPairsSettings(draws=3, shares=(0.3,), methods=(MS,))
    first = list(noisy_pairs(settings, network()))
    assert list(noisy_pairs(settings, network())) == first
    assert list(noisy_pairs(dataclasses.replace(settings, seed=1), network())) != first
