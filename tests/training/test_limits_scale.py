"""Limits: without normalisation the length of the embeddings decides what is mined and who weighs."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from msviz import METHODS, Method, MsvizError, PairLoss
from msviz.training.limits import Checkpoint, ScalePoint, ScaleSettings, scale
from tests.training.networks import circle, network

SQUARE = {"classes_per_batch": 2, "per_class": 2}


def points(method: Method, *constants: float) -> list[ScalePoint]:
    return list(scale(ScaleSettings(constants=constants, methods=(method,)), network()))


def test_kept_pairs_by_hand() -> None:
    # S: positives .8, between the classes .6, .96 and 0. At a tenth of the length all lie within epsilon of each other.
    batch = Checkpoint(np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0]]), np.array([0, 0, 1, 1]))
    found = list(scale(ScaleSettings(constants=(0.1, 1, 10), methods=(METHODS["ms"],), **SQUARE), batch))
    assert [point.kept for point in found] == [1, 4 / 12, 4 / 12]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), epsilon=st.floats(0, 1))
def test_the_longer_the_rows_the_fewer_pairs_are_mined(seed: int, epsilon: float) -> None:
    batch = Checkpoint(np.random.default_rng(seed).normal(size=(12, 4)), np.arange(12) // 4)
    wanted = ScaleSettings(classes_per_batch=3, per_class=4, methods=(Method("linear", epsilon=epsilon),))
    kept = [point.kept for point in scale(wanted, batch)]
    assert kept == sorted(kept, reverse=True)


def test_in_multi_similarity_few_pairs_take_over_as_rows_grow() -> None:
    short, unit, long = points(METHODS["ms"], 0.125, 1, 8)
    assert short.kept > unit.kept + 0.3 > long.kept + 0.3
    assert long.largest > unit.largest > 2 * short.largest


def test_in_binomial_more_pairs_reach_the_full_weight_and_the_loss_explodes() -> None:
    unit, long = points(METHODS["binomial"], 1, 8)
    assert long.largest < unit.largest / 2
    assert long.loss > 100 * unit.loss


@pytest.mark.parametrize("method", [METHODS["ms"], Method("nca")])
def test_losses_are_those_of_the_criterion_and_normalised_it_knows_no_constant(method: Method) -> None:
    batch = circle((0, 30), (20, 90))
    found = list(scale(ScaleSettings(constants=(0.5, 1, 3), methods=(method,), **SQUARE), batch))
    for point in found:
        x = torch.tensor(point.constant * batch.x)
        assert float(PairLoss(method, normalize=False)(x, batch.labels)) == pytest.approx(point.loss)
        assert float(PairLoss(method)(x, batch.labels)) == pytest.approx(found[1].loss)


def test_where_nothing_weighs_there_is_no_largest_pair() -> None:
    (point,) = scale(ScaleSettings(constants=(1,), methods=(METHODS["ms"],), **SQUARE), circle((0, 1), (180, 181)))
    assert (point.kept, point.largest, point.weighing) == (0, 0, 0)


def test_a_constant_that_leaves_the_numbers_is_refused() -> None:
    with pytest.raises(MsvizError) as raised:
        points(METHODS["ms"], 1e200)
    assert raised.value.key == "error.overflow"
