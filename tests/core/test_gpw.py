"""Autograd, the proof line and the forces on the points."""

import dataclasses

import pytest
import torch

from msviz import LOSSES, METHODS, Method, autograd_gradient, evaluate, label_pairs, similarity
from msviz.core.gpw import forces, proof
from tests.core.batches import on_circle, random_batch


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


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("loss", LOSSES)
def test_forces_are_minus_the_gradient_of_the_mean_loss(loss, normalize):
    x = torch.randn(8, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64, requires_grad=True)
    pairs, method = label_pairs([0, 0, 0, 1, 1, 2, 2, 2]), Method(loss)
    got = evaluate(similarity(x, normalize=normalize), pairs, method)
    (gradient,) = torch.autograd.grad(got.value, x)
    pushed = forces(x.detach(), got.gradient, normalize)
    torch.testing.assert_close(pushed, -gradient, atol=1e-12, rtol=0)


def test_forces_on_the_circle_are_tangent():
    x = on_circle(0, 20, 50, 90)
    got = evaluate(similarity(x), label_pairs([0, 0, 1, 1]), METHODS["authors"])
    pushed = forces(x, got.gradient)
    assert pushed.any()
    torch.testing.assert_close((pushed * x).sum(1), torch.zeros(4, dtype=torch.float64), atol=1e-15, rtol=0)


def test_two_negatives_push_each_other_apart_and_two_positives_pull():
    x = on_circle(0, 90)
    sim = similarity(x)
    apart = forces(x, evaluate(sim, label_pairs([0, 1]), Method("linear")).gradient)
    together = forces(x, evaluate(sim, label_pairs([0, 0]), Method("linear")).gradient)
    expected = torch.tensor([[0.0, -1.0], [-1.0, 0.0]], dtype=torch.float64)
    torch.testing.assert_close(apart, expected, atol=1e-15, rtol=0)
    torch.testing.assert_close(together, -expected, atol=1e-15, rtol=0)


def test_a_zero_row_is_not_pushed_and_an_empty_batch_has_no_forces():
    x = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    pushed = forces(x, torch.ones(3, 3))
    assert not pushed[0].any()
    assert pushed.isfinite().all()
    assert forces(torch.zeros(0, 2), torch.zeros(0, 0)).shape == (0, 2)
