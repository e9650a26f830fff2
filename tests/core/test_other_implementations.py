"""Inputs on which other implementations go wrong, with the right answers (angles in degrees on the circle)."""

import pytest
import torch

from msviz import LOSSES, Method, Pairs, autograd_gradient, evaluate, label_pairs, similarity
from tests.core.batches import on_circle, one_anchor

AUTHORS = {"alpha": 2, "beta": 40, "lam": 0.5}
PML = {"alpha": 2, "beta": 50, "lam": 0.5}
FREE_NEGATIVE_TERM = {"contrastive", "lifted_star", "binomial", "binlifted", "multi_similarity", "linear"}


def value_of(angles, labels, method):
    return evaluate(similarity(on_circle(*angles)), label_pairs(labels), method).value.item()


def test_one_pair_on_each_side_is_not_nothing():
    pos, neg = torch.zeros(2, 3, 3, dtype=torch.bool)
    pos[0, 1] = neg[0, 2] = True
    got = evaluate(similarity(on_circle(0, 30, 50)), Pairs(pos, neg), Method("multi_similarity", **PML))
    assert got.value.item() == pytest.approx(0.113045, abs=5e-7)


def test_the_pair_of_a_point_with_itself_does_not_slip_in():
    assert value_of([0, 30, 50], [0, 0, 1], Method("multi_similarity", **PML)) == pytest.approx(0.47162, abs=5e-6)


def test_duplicates_stay_positives():
    method = Method("multi_similarity", **AUTHORS, epsilon=0.1)
    assert value_of([0, 0, 40, 20, 60], [0, 0, 0, 1, 1], method) == pytest.approx(0.75286, abs=5e-6)


def test_a_class_of_one_point_is_no_crash():
    method = Method("multi_similarity", **AUTHORS, epsilon=0.1)
    assert value_of([0, 30, 50, 70], [0, 0, 1, 2], method) == pytest.approx(0.159012, abs=5e-7)


def test_the_sums_of_neighbours_may_vanish_in_float32():
    x = on_circle(0, 180, 1, 181, dtype=torch.float32).requires_grad_()
    value = evaluate(similarity(x), label_pairs([0, 0, 1, 1]), Method("nca", scale=100)).value
    assert value.item() == pytest.approx(199.98477, abs=2e-5)
    value.backward()
    assert x.grad.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_similarity_one_has_a_place_in_the_histogram(dtype):
    sim = similarity(on_circle(0, 0, 40, 90, dtype=dtype))
    assert sim[0, 1] == 1
    got = evaluate(sim, label_pairs([0, 0, 1, 1]), Method("histogram", bins=20))
    assert got.value.item() == pytest.approx(0.25, abs=1e-6)
    assert got.gradient.isfinite().all()


@pytest.mark.parametrize("loss", LOSSES)
def test_all_labels_distinct_is_nothing_but_for_losses_with_a_free_negative_term(loss):
    sim, pairs = similarity(on_circle(0, 30, 50, 70)), label_pairs([0, 1, 2, 3])
    assert evaluate(sim, pairs, Method(loss, epsilon=0.1)).value == 0
    assert (evaluate(sim, pairs, Method(loss)).value != 0) == (loss in FREE_NEGATIVE_TERM)


def test_all_labels_distinct_in_multi_similarity():
    assert value_of([0, 30, 50, 70], [0, 1, 2, 3], Method("multi_similarity")) == pytest.approx(0.42594, abs=5e-6)


def test_self_pairs_are_dropped_by_index_also_where_their_similarity_is_below_one():
    x = torch.randn(512, 64, generator=torch.Generator().manual_seed(0))
    assert (similarity(x).diagonal() < 1).any()  # so "drop S >= 1" would keep some
    pairs = label_pairs([k % 8 for k in range(512)])
    assert not (pairs.pos | pairs.neg).diagonal().any()
    assert (pairs.pos | pairs.neg).sum() == 512 * 511


@pytest.mark.parametrize("beta", [100, 160, 200])
def test_a_row_with_low_similarities_survives_a_large_beta_in_float32(beta):
    # The anchor's own 1 on the diagonal is the row's maximum: shifting by it would leave log 0 for the others.
    for method in (Method(loss, beta=beta) for loss in ("multi_similarity", "lifted_star", "binomial", "binlifted")):
        sim = torch.tensor([[1.0, -0.9, -0.95]])
        pairs = Pairs(pos=torch.tensor([[False, False, False]]), neg=torch.tensor([[False, True, True]]))
        got, right = evaluate(sim, pairs, method), evaluate(sim.double(), pairs, method)
        torch.testing.assert_close(got.value.double(), right.value, rtol=1e-4, atol=1e-30)
        torch.testing.assert_close(got.gradient.double(), right.gradient, rtol=1e-4, atol=1e-30)
        torch.testing.assert_close(autograd_gradient(sim, pairs, method), got.gradient, rtol=1e-4, atol=1e-30)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_zero_row_gets_and_gives_no_gradient(loss):
    x = on_circle(0, 20, 50, 90, dtype=torch.float32)
    x[1] = 0
    x.requires_grad_()
    evaluate(similarity(x), label_pairs([0, 0, 1, 1]), Method(loss)).value.backward()
    assert not x.grad[1].any()
    assert x.grad.abs().max() < 100


@pytest.mark.parametrize("wrap", [list, torch.tensor])
def test_large_neighbouring_labels_stay_two_classes(wrap):
    assert not label_pairs(wrap([16777216, 16777217])).pos.any()


@pytest.mark.parametrize("loss", LOSSES)
def test_ten_times_the_embeddings_is_the_same_loss(loss):
    x, pairs = on_circle(0, 31, 47, 80), label_pairs([0, 0, 1, 1])
    here, there = (evaluate(similarity(scale * x), pairs, Method(loss)).value.item() for scale in (1, 10))
    assert there == pytest.approx(here, rel=1e-12)


def test_half_precision_embeddings_do_not_overflow():
    x = on_circle(0, 0.5, 1, 40, dtype=torch.float16).requires_grad_()
    got = evaluate(similarity(x), label_pairs([0, 0, 1, 1]), Method("multi_similarity", **PML))
    assert got.value.dtype == torch.float32
    assert got.value.item() == pytest.approx(0.64093, abs=2e-5)
    got.value.backward()
    assert x.grad.dtype == torch.float16
    assert x.grad.isfinite().all()


def test_a_similarity_matrix_in_half_precision_does_not_overflow():
    sim, pairs = one_anchor([0.5], [1.0], dtype=torch.float16)
    got = evaluate(sim, pairs, Method("multi_similarity", beta=200))
    assert got.value.item() == pytest.approx(0.5 + 0.5 * 0.693147, abs=1e-4)
    assert got.gradient.dtype == torch.float16
