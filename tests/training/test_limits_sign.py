"""Limits: in which losses and batches GPW's assumption on signs fails."""

import pytest
import torch

from msviz import LOSSES, autograd_gradient, label_pairs, similarity
from msviz.data.presets import PRESETS
from msviz.training.limits import BATCHES, SignPoint, SignSettings, sign


@pytest.fixture(scope="module", params=[0, 3])
def found(request: pytest.FixtureRequest) -> list[SignPoint]:
    return list(sign(SignSettings(seed=request.param)))


def test_every_loss_is_checked_on_every_batch_mined_and_not(found: list[SignPoint]) -> None:
    for batch in BATCHES:
        methods = {(point.method.name, point.method.epsilon) for point in found if point.batch == batch}
        assert methods == {(name, epsilon) for name in LOSSES for epsilon in (None, 0.1)}


def test_on_unit_rows_supcon_alone_pushes_positives_and_nobody_pulls_negatives(found: list[SignPoint]) -> None:
    broken = [point for point in found if not point.holds and point.batch != "long"]
    assert {point.method.name for point in broken} == {"supcon"}
    assert {point.batch for point in broken} == {*BATCHES} - {"couples", "long"}
    assert all(point.pushed_positives > 0 == point.pulled_negatives for point in broken)


def test_a_single_positive_is_never_pushed(found: list[SignPoint]) -> None:
    assert all(point.holds and point.share == 0 for point in found if point.batch == "couples")


def test_without_normalisation_histogram_breaks_it_too(found: list[SignPoint]) -> None:
    broken = [point for point in found if point.batch == "long" and not point.holds]
    assert {point.method.name for point in broken} == {"histogram", "supcon"}
    histogram = [point for point in broken if point.method.name == "histogram" and point.method.epsilon is None]
    assert all(point.pushed_positives and point.pulled_negatives for point in histogram)


def test_the_lower_the_temperature_the_more_of_supcons_weight_pushes_positives(found: list[SignPoint]) -> None:
    of = {
        p.method.params.tau: p.share
        for p in found
        if p.method.name == "supcon" and (p.batch, p.method.epsilon) == ("classes", None)
    }
    assert of[0.01] > of[0.1] + 0.05 > of[0.5] + 0.1


def test_the_pair_that_is_shown_has_that_gradient_by_autograd(found: list[SignPoint]) -> None:
    batch = PRESETS["overlapping"].make()
    sim, pairs = similarity(torch.tensor(batch.x)), label_pairs(batch.labels)
    broken = [point for point in found if point.batch == "overlapping" and not point.holds]
    assert broken
    for point in broken:
        gradient = autograd_gradient(sim, pairs, point.method)
        assert point.worst is not None
        assert bool(pairs.pos[point.worst])
        assert float(gradient[point.worst]) == pytest.approx(point.gradient)
        assert float(gradient.masked_fill(~pairs.pos, 0).max()) == pytest.approx(point.gradient)
