"""Losses and weights against numbers worked out by hand, at their limits and at their corners."""

import math

import pytest
import torch

from msviz import LOSSES, METHODS, Method, Pairs, autograd_gradient, evaluate
from tests.core.batches import one_anchor

LN2 = math.log(2)
# The running example: two positives, two negatives.
POS, NEG = [0.82, 0.65], [0.62, 0.30]


def loss_and_weights(method, pos, neg):
    got = evaluate(*one_anchor(pos, neg), method)
    weights = got.weights[0].tolist()
    return got.value.item(), weights[: len(pos)], weights[len(pos) :]


def test_multi_similarity_example_keeps_and_weighs_the_hardest_pair_of_each_kind():
    got = evaluate(*one_anchor(POS, NEG), METHODS["authors"])
    assert got.mined.pos[0].tolist() == [False, True, False, False]
    assert got.mined.neg[0].tolist() == [False, False, True, False]
    assert got.weights[0].tolist() == pytest.approx([0, 0.425557, 0.991837, 0], abs=5e-7)
    assert got.value.item() == pytest.approx(0.277178 + 0.120205, abs=1e-6)


def test_multi_similarity_terms_are_those_of_the_example():
    loss, p = LOSSES["multi_similarity"], METHODS["authors"].params
    sim, pairs = one_anchor([0.65], [0.62])
    nobody = torch.zeros_like(pairs.pos)
    assert loss.per_anchor(sim, Pairs(pairs.pos, nobody), p).item() == pytest.approx(0.277178, abs=5e-7)
    assert loss.per_anchor(sim, Pairs(nobody, pairs.neg), p).item() == pytest.approx(0.120205, abs=5e-7)


def test_parameters_of_the_paper_reverse_the_moral_of_the_example():
    _, pos, neg = loss_and_weights(METHODS["paper"], POS, NEG)
    assert pos[1] == pytest.approx(0.668, abs=5e-4)
    assert neg[0] == pytest.approx(5.6e-9, abs=5e-11)


def test_an_easy_negative_without_rivals_weighs_little_only_in_multi_similarity():
    pos, neg = [0.9], [0.2, -0.3, -0.4]
    weight = {name: loss_and_weights(Method(name, **p), pos, neg)[2][0] for name, p in {
        "lifted_star": {"beta": 50}, "lifted": {}, "binomial": {"beta": 50}, "multi_similarity": {"beta": 50},
    }.items()}  # fmt: skip
    assert weight["lifted_star"] == pytest.approx(1, abs=1e-9)
    assert weight["lifted"] == pytest.approx(0.464, abs=5e-4)
    assert weight["binomial"] == pytest.approx(5.1e-6, abs=5e-8)
    assert weight["multi_similarity"] == pytest.approx(3.1e-7, abs=5e-9)


def test_multi_similarity_pair_at_the_threshold_shares_evenly_with_the_resting_pair():
    value, pos, neg = loss_and_weights(Method("multi_similarity"), [0.5], [0.5])
    assert value == pytest.approx(LN2 / 2 + LN2 / 40)
    assert (pos, neg) == ([pytest.approx(0.5)], [pytest.approx(0.5)])


def test_multi_similarity_sharp_negative_term_becomes_the_distance_above_the_threshold():
    sim, pairs = one_anchor([], [0.9, 0.1])
    p = LOSSES["multi_similarity"].params(beta=200)
    assert LOSSES["multi_similarity"].per_anchor(sim, pairs, p).item() == pytest.approx(0.4, abs=1e-15)


def test_contrastive_pulls_all_positives_and_pushes_negatives_above_the_threshold():
    value, pos, neg = loss_and_weights(Method("contrastive"), POS, NEG)
    assert value == pytest.approx(0.12 - 1.47)
    assert (pos, neg) == ([1, 1], [1, 0])


def test_linear_weighs_every_pair_the_same():
    value, pos, neg = loss_and_weights(Method("linear"), POS, NEG)
    assert value == pytest.approx(0.92 - 1.47)
    assert (pos, neg) == ([1, 1], [1, 1])


def test_triplet_counts_active_triplets():
    value, pos, neg = loss_and_weights(Method("triplet"), POS, NEG)
    assert value == pytest.approx(0.07)  # .62 - .65 + .1; the other three are satisfied
    assert (pos, neg) == ([0, 1], [1, 0])
    value, pos, neg = loss_and_weights(Method("triplet", lam=0.4), POS, NEG)
    assert value == pytest.approx(0.20 + 0.37 + 0.05)
    assert (pos, neg) == ([1, 2], [2, 1])


def test_triplet_agrees_with_the_sum_over_all_triplets():
    rng = torch.Generator().manual_seed(0)
    sim = torch.rand(7, 30, generator=rng, dtype=torch.float64) * 2 - 1
    pos = torch.rand(7, 30, generator=rng) < 0.4
    pairs, lam = Pairs(pos, ~pos), 0.3
    leaf = sim.clone().requires_grad_()
    hinges = (leaf[:, None, :] - leaf[:, :, None] + lam).relu()  # [anchor, positive, negative]
    value = (hinges * (pos[:, :, None] & ~pos[:, None, :])).sum((1, 2))
    loss, p = LOSSES["triplet"], LOSSES["triplet"].params(lam=lam)
    torch.testing.assert_close(loss.per_anchor(sim, pairs, p), value.detach(), atol=1e-12, rtol=0)
    (gradient,) = torch.autograd.grad(value.sum(), leaf)
    torch.testing.assert_close(loss.pair_gradient(sim, pairs, p), gradient, atol=1e-12, rtol=0)


def test_lifted_is_a_hinge_over_soft_extremes():
    value, pos, neg = loss_and_weights(Method("lifted"), [0.5, 0.5], [0.5, 0.5])
    assert value == pytest.approx(0.5 + 2 * LN2)  # lam - S + log 2 + S + log 2
    assert pos + neg == pytest.approx([0.5] * 4)


def test_lifted_with_a_closed_hinge_is_nothing():
    assert loss_and_weights(Method("lifted", lam=-0.5), [0.9], [-0.9]) == (0, [0], [0])


def test_lifted_star_shares_among_rivals():
    value, pos, neg = loss_and_weights(Method("lifted_star"), [0.5, 0.5], [0.5, 0.5])
    assert value == pytest.approx((1 / 2 + 1 / 40) * LN2)
    assert pos + neg == pytest.approx([0.5] * 4)


def test_binomial_at_the_threshold_is_half_of_its_steepest_slope():
    value, pos, neg = loss_and_weights(Method("binomial"), [0.5], [0.5, 0.5])
    assert value == pytest.approx(2 * LN2)
    assert pos + neg == pytest.approx([1, 10, 10])  # alpha/2 and beta/2 over two negatives


@pytest.mark.parametrize("loss", ["lifted", "triplet"])
def test_losses_that_need_both_sides_are_nothing_without_one(loss):
    assert loss_and_weights(Method(loss), [0.1, 0.2], []) == (0, [0, 0], [])
    assert loss_and_weights(Method(loss), [], [0.8, 0.9]) == (0, [], [0, 0])


@pytest.mark.parametrize(
    ("loss", "only_positives", "only_negatives"),
    [
        ("contrastive", -0.5, 0.0),
        ("linear", -0.5, 0.5),
        ("lifted_star", -0.5, 0.5),
        ("binomial", LN2, LN2),
        ("multi_similarity", LN2 / 2, LN2 / 40),
    ],
)
def test_an_empty_side_leaves_the_other_term_alone(loss, only_positives, only_negatives):
    assert loss_and_weights(Method(loss), [0.5], [])[0] == pytest.approx(only_positives)
    assert loss_and_weights(Method(loss), [], [0.5])[0] == pytest.approx(only_negatives)


@pytest.mark.parametrize(
    ("method", "pos", "neg"),
    [
        (Method("contrastive", lam=0.5), [], [0.5]),
        (Method("triplet", lam=0.25), [0.5], [0.25]),
        (Method("triplet", lam=0), [0.5], [0.5]),
        (Method("lifted", lam=0.5), [0.5], [0.0]),
    ],
    ids=repr,
)
def test_the_slope_at_a_corner_is_zero(method, pos, neg):
    sim, pairs = one_anchor(pos, neg)
    assert not evaluate(sim, pairs, method).gradient.any()
    assert not autograd_gradient(sim, pairs, method).any()
    assert all(method.loss.equation(sim, pairs, method.params, 0, j).value == 0 for j in range(len(pos) + len(neg)))


def test_logarithms_keep_what_float32_can_hold():
    sim, pairs = one_anchor([], [-0.2], dtype=torch.float32)
    tail = math.log1p(math.exp(-28))  # 6.9e-13; 1 + 6.9e-13 is 1 in float32
    assert evaluate(sim, pairs, Method("binomial")).value.item() == pytest.approx(tail, rel=1e-5)
    assert evaluate(sim, pairs, Method("multi_similarity")).value.item() == pytest.approx(tail / 40, rel=1e-5)


def test_binomial_is_exact_where_a_straight_line_would_be_wrong():
    sim, pairs = one_anchor([], [1.0])
    value = evaluate(sim, pairs, Method("binomial", beta=42, lam=0.5)).value.item()  # the exponent is 21
    assert value == pytest.approx(21 + math.log1p(math.exp(-21)), rel=1e-15)
