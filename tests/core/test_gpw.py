"""Autograd, the proof line and the signs that GPW assumes."""

import dataclasses
import math

import pytest
import torch

from msviz import LOSSES, METHODS, Method, MsvizError, autograd_gradient, label_pairs, proof, sign_check
from tests.core.batches import one_anchor, random_batch


@pytest.mark.parametrize("slug", METHODS)
def test_the_closed_form_of_every_method_is_proved_by_autograd(slug):
    assert proof(*random_batch(7, m=20), METHODS[slug]) < 1e-12


def test_the_proof_notices_a_wrong_closed_form(monkeypatch):
    wrong = METHODS["authors"].replace(lam=0.4).params
    right = LOSSES["multi_similarity"]
    forged = dataclasses.replace(right, pair_gradient=lambda sim, pairs, p: right.pair_gradient(sim, pairs, wrong))
    monkeypatch.setitem(LOSSES, "multi_similarity", forged)
    assert proof(*random_batch(7), METHODS["authors"]) > 1e-3


def test_autograd_works_where_gradients_are_switched_off():
    sim, pairs = random_batch(8)
    with torch.no_grad():
        got = autograd_gradient(sim, pairs, METHODS["authors"])
    assert torch.equal(got, autograd_gradient(sim, pairs, METHODS["authors"]))
    assert got.any()


def test_nothing_has_a_proof_too():
    assert proof(torch.zeros(0, 0), label_pairs([]), METHODS["authors"]) == 0


@pytest.mark.parametrize("epsilon", [None, 0.1])
@pytest.mark.parametrize("loss", [name for name in LOSSES if name != "supcon"])
def test_every_loss_but_supcon_pushes_negatives_and_pulls_positives(loss, epsilon):
    for seed in range(20):
        for params in LOSSES[loss].examples:
            checked = sign_check(*random_batch(seed, m=20), Method(loss, epsilon=epsilon, **vars(params)))
            assert checked.holds
            assert (checked.total, checked.share) == (0, 0)


def test_supcon_pushes_the_closest_positive_away():
    # At tau = .1, q = e^6, e^4, e^3 over their sum; on a positive g = (q - 1/2) / .1.
    sim, pairs = one_anchor([0.6, 0.4], [0.3])
    checked = sign_check(sim, pairs, Method("supcon", tau=0.1))
    over = math.exp(6) + math.exp(4) + math.exp(3)
    pushed, pulled, negative = (
        (math.exp(6) / over - 0.5) / 0.1,
        (0.5 - math.exp(4) / over) / 0.1,
        math.exp(3) / over / 0.1,
    )
    assert pushed > 3
    assert not checked.holds
    assert checked.where.tolist() == [[0, 0]]
    assert checked.gradient.tolist() == pytest.approx([pushed])
    assert checked.total == pytest.approx(pushed)
    assert checked.share == pytest.approx(pushed / (pushed + pulled + negative))


def test_violations_come_largest_first_and_add_up():
    sim, pairs = random_batch(3, m=20)
    method = Method("supcon")
    checked, gradient = sign_check(sim, pairs, method), autograd_gradient(sim, pairs, method)
    wrong = {(i, j) for i, j in pairs.pos.nonzero().tolist() if gradient[i, j] > 0}
    assert len(wrong) == 5
    assert {(i, j) for i, j in checked.where.tolist()} == wrong
    sizes = [abs(float(gradient[i, j])) for i, j in checked.where.tolist()]
    assert sizes == sorted(sizes, reverse=True)
    assert checked.gradient.tolist() == pytest.approx(sizes)
    assert checked.share == pytest.approx(sum(sizes) / float(gradient.abs().sum()))


def test_a_negative_that_is_pulled_closer_is_a_violation_too(monkeypatch):
    right = LOSSES["linear"]
    forged = dataclasses.replace(right, pair_gradient=lambda sim, pairs, p: -right.pair_gradient(sim, pairs, p))
    monkeypatch.setitem(LOSSES, "linear", forged)
    checked = sign_check(*one_anchor([0.5], [0.2, 0.3]), Method("linear"))
    assert sorted(checked.where.tolist()) == [[0, 0], [0, 1], [0, 2]]
    assert checked.gradient.tolist() == [1, -1, -1]
    assert (checked.total, checked.share) == (3, 1)


def test_nothing_violates_nothing_and_other_shapes_are_refused():
    checked = sign_check(torch.zeros(0, 0), label_pairs([]), METHODS["authors"])
    assert (checked.holds, checked.share, checked.where.shape) == (True, 0, (0, 2))
    with pytest.raises(MsvizError, match="sim must be of the same shape as its pairs"):
        sign_check(torch.zeros(2, 3), label_pairs([0, 1]), METHODS["authors"])
