"""Losses and weights against numbers worked out by hand, at their limits and at their corners."""

import math

import pytest
import torch

from msviz import LOSSES, METHODS, Method, Pairs, autograd_gradient, evaluate
from msviz.core import masked
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
        "lifted_star": {"beta": 50}, "lifted": {}, "binomial": {"beta": 50}, "binlifted": {"beta": 50},
        "multi_similarity": {"beta": 50},
    }.items()}  # fmt: skip
    assert weight["lifted_star"] == pytest.approx(1, abs=1e-9)
    assert weight["lifted"] == pytest.approx(0.464, abs=5e-4)
    assert weight["binomial"] == pytest.approx(5.1e-6, abs=5e-8)
    assert weight["binlifted"] == pytest.approx((0.464 + 5.1e-6) / 2, abs=5e-4)
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


@pytest.mark.parametrize("few", [0, 100])
def test_both_ways_to_count_passed_gates_are_the_count(monkeypatch, few):
    monkeypatch.setattr(masked, "_FEW_GATES", few)  # 0: always by search; 100: always gate by gate
    rng = torch.Generator().manual_seed(3)
    values = torch.randint(8, (6, 50), generator=rng) / 8  # with ties
    keep = torch.rand(6, 50, generator=rng) < 0.7
    gates = (torch.randint(8, (6, 40), generator=rng) / 8).sort(1).values
    beyond = (values[:, :, None] > gates[:, None, :]) & keep[:, :, None]  # [row, value, gate]
    passed, passages = masked.count_passed(values, keep, gates)
    assert torch.equal(passed, beyond.sum(2).float())
    assert torch.equal(passages, beyond.sum(1).float())


def test_triplet_counts_active_triplets():
    value, pos, neg = loss_and_weights(Method("triplet"), POS, NEG)
    assert value == pytest.approx(0.07)  # .62 - .65 + .1; the other three are satisfied
    assert (pos, neg) == ([0, 1], [1, 0])
    value, pos, neg = loss_and_weights(Method("triplet", lam=0.4), POS, NEG)
    assert value == pytest.approx(0.20 + 0.37 + 0.05)
    assert (pos, neg) == ([1, 2], [2, 1])


def over_all_triplets(term, sim, pairs):
    """sum_p sum_n term(S_n - S_p) of every anchor, from an [anchor, positive, negative] array."""
    difference = sim[:, None, :] - sim[:, :, None]
    return term(difference).masked_fill(~(pairs.pos[:, :, None] & pairs.neg[:, None, :]), 0)


BY_DEFINITION = {
    "triplet": lambda sim, pairs: over_all_triplets(lambda z: (z + 0.3).relu(), sim, pairs).sum((1, 2)),
    "npair": lambda sim, pairs: (
        over_all_triplets(torch.exp, sim, pairs).sum(2).log1p().sum(1) / pairs.pos.sum(1).clamp(min=1)
    ),
    "npair_ovo": lambda sim, pairs: (
        over_all_triplets(lambda z: z.exp().log1p(), sim, pairs).sum((1, 2)) / pairs.pos.sum(1).clamp(min=1)
    ),
}


@pytest.mark.parametrize("positives", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("name", BY_DEFINITION)
def test_sums_over_all_triplets_are_found_without_building_them(name, positives):
    rng = torch.Generator().manual_seed(0)
    sim = torch.rand(7, 30, generator=rng, dtype=torch.float64) * 2 - 1
    kind = torch.rand(7, 30, generator=rng)
    pairs = Pairs(kind < positives, (kind > positives) & (kind < 0.95))
    leaf = sim.clone().requires_grad_()
    value = BY_DEFINITION[name](leaf, pairs)
    loss = LOSSES[name]
    p = loss.params(lam=0.3) if name == "triplet" else loss.params()
    torch.testing.assert_close(loss.per_anchor(sim, pairs, p), value.detach(), atol=1e-12, rtol=0)
    (gradient,) = torch.autograd.grad(value.sum(), leaf)
    torch.testing.assert_close(loss.pair_gradient(sim, pairs, p), gradient, atol=1e-12, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("lam", [0, 0.1, 0.3])
def test_triplet_counts_the_same_triplets_from_both_sides_at_ties_of_floats(lam, dtype):
    rng = torch.Generator().manual_seed(0)
    sim = torch.randint(-20, 21, (50, 40), generator=rng).to(dtype) / 100
    pos = torch.rand(50, 40, generator=rng) < 0.3
    pairs, loss = Pairs(pos, ~pos), LOSSES["triplet"]
    gradient = loss.pair_gradient(sim, pairs, loss.params(lam=lam))
    active = (sim[:, None, :] > sim[:, :, None] - lam) & pos[:, :, None] & ~pos[:, None, :]
    assert torch.equal(gradient, (active.sum(1) - active.sum(2)).to(dtype))
    for j in range(40):
        weight = loss.equation(sim.double(), pairs, loss.params(lam=lam), 0, j).value
        assert dtype == torch.float32 or weight == gradient[0, j].abs()


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


def test_npair_holds_a_positive_against_all_negatives_at_once():
    value, pos, neg = loss_and_weights(Method("npair"), [0.5], [0.5, 0.5])
    assert value == pytest.approx(math.log(3))  # log(1 + e^0 + e^0)
    assert (pos, neg) == ([pytest.approx(2 / 3)], [pytest.approx(1 / 3)] * 2)
    value, pos, neg = loss_and_weights(Method("npair"), [0.5, 0.5], [0.5])
    assert value == pytest.approx(LN2)  # a mean over the positives
    assert (pos, neg) == ([pytest.approx(1 / 4)] * 2, [pytest.approx(1 / 2)])


def test_npair_one_vs_one_holds_every_positive_against_every_negative():
    value, pos, neg = loss_and_weights(Method("npair_ovo"), [0.5, 0.5], [0.5, 0.5, 0.5])
    assert value == pytest.approx(3 * LN2)  # six of log 2, over two positives
    assert (pos, neg) == ([pytest.approx(3 / 4)] * 2, [pytest.approx(1 / 2)] * 3)


def test_npair_losses_are_one_where_an_anchor_has_one_negative():
    at_once, one_by_one = (loss_and_weights(Method(name), POS, [0.62]) for name in ("npair", "npair_ovo"))
    assert at_once[0] == pytest.approx(one_by_one[0])
    assert at_once[1] + at_once[2] == pytest.approx(one_by_one[1] + one_by_one[2])


def test_npair_one_vs_one_keeps_no_more_for_autograd_when_positives_are_many():
    sim, pairs = one_anchor([0.1] * 60, [0.2] * 40)
    kept = {}

    def keep(x):
        kept[x.untyped_storage().data_ptr()] = x
        return x

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        LOSSES["npair_ovo"].per_anchor(sim.requires_grad_(), pairs, None)
    assert sum(x.numel() for x in kept.values()) < 100 * 10  # a few rows, not one for each of the 60


def test_nca_compares_the_two_kinds_of_neighbours():
    value, pos, neg = loss_and_weights(Method("nca", scale=6), [0.5, 0.5], [0.5])
    assert value == pytest.approx(math.log(3 / 2))  # a positive is picked two times of three
    assert (pos, neg) == ([pytest.approx(1)] * 2, [pytest.approx(2)])


def test_nca_at_a_large_scale_is_the_lead_of_the_nearest_negative():
    value, pos, neg = loss_and_weights(Method("nca", scale=200), [0.2, 0.6], [0.9, 0.3])
    assert value == pytest.approx(200 * 0.3, rel=1e-12)
    assert pos + neg == pytest.approx([0, 200, 200, 0], abs=1e-12)


def test_histogram_is_the_mass_of_negatives_at_or_above_positives():
    # Nodes -1, 0, 1. Both kinds have mass 1/2 at 0 and at 1: h-_1 h+_1 + h-_2 (h+_1 + h+_2) = 1/4 + 1/2.
    value, pos, neg = loss_and_weights(Method("histogram", bins=2), [0.5], [0.5])
    assert value == pytest.approx(0.75)
    assert (pos, neg) == ([pytest.approx(0.5)], [pytest.approx(0.5)])
    # Of two pairs of a kind each moves half as much; none of the negatives' mass is at node 0 of the second positive.
    value, pos, neg = loss_and_weights(Method("histogram", bins=2), [0.5, -0.5], [0.5, 0.5])
    assert value == pytest.approx(0.5 * 0.75 + 0.5 * 1)
    assert pos + neg == pytest.approx([1 / 4, 0, 1 / 8, 1 / 8])


def test_histogram_of_separated_kinds_is_nothing_and_of_reversed_kinds_one():
    assert loss_and_weights(Method("histogram"), [1, 0.8], [-1, 0.2])[0] == 0
    assert loss_and_weights(Method("histogram"), [-1, 0.2], [1, 0.8])[0] == pytest.approx(1)


def test_histogram_stays_when_the_whole_batch_moves_by_whole_steps():
    here, there = (loss_and_weights(Method("histogram"), [s + 0.31, s + 0.47], [s + 0.42, s]) for s in (0, 0.3))
    for now, before in zip(there, here, strict=True):
        assert now == pytest.approx(before)


@pytest.mark.parametrize("ends", [[1.0, -1.0], [1 + 1e-7, -1 - 1e-7]])
@pytest.mark.parametrize("bins", [2, 7, 20, 200])
def test_histogram_takes_similarities_at_the_ends_and_a_rounding_beyond(bins, ends):
    value, pos, neg = loss_and_weights(Method("histogram", bins=bins), ends, ends)
    assert value == pytest.approx(0.75, abs=1e-4)  # a quarter each of both high, both low, and the wrong way round
    assert all(math.isfinite(w) for w in pos + neg)


def test_histogram_without_a_side_is_a_zero_that_can_be_differentiated():
    for pos, neg in [([0.3, 0.4], []), ([], [0.3, 0.4]), ([], [])]:
        sim, pairs = one_anchor(pos, neg)
        leaf = sim.requires_grad_()
        value = evaluate(leaf, pairs, Method("histogram")).value
        assert value == 0
        assert not torch.autograd.grad(value, leaf)[0].any()
        assert not evaluate(sim, pairs, Method("histogram")).gradient.any()


@pytest.mark.parametrize("bins", [20, 200])
def test_histogram_of_ten_million_pairs_in_float32_keeps_five_digits(bins):
    loss = LOSSES["histogram"]
    p, batch = loss.params(bins=bins), loss.whole_batch
    s = torch.tensor(0.3071)
    sim = s.expand(250, 4000)
    pos = torch.arange(4000).expand(250, 4000) % 3 == 0
    block = batch.collect(sim, Pairs(pos, ~pos), p)
    collected = sum([block] * 9, block)
    upper = (s.double().item() + 1) * bins / 2 % 1  # of every pair of either kind, the part at the upper node
    lower = 1 - upper
    assert collected[:, -1].sum() == 10**7
    assert batch.value(collected, p).item() == pytest.approx(lower * lower + upper, abs=1e-5)


def test_binlifted_is_the_mean_of_binomial_and_lifted():
    value, pos, neg = loss_and_weights(Method("binlifted"), [0.5], [0.5])
    assert value == pytest.approx((2 * LN2 + 0.5) / 2)
    assert (pos, neg) == ([pytest.approx((1 + 1) / 2)], [pytest.approx((20 + 1) / 2)])


def test_supcon_wants_the_positives_to_share_the_softmax_evenly():
    value, pos, neg = loss_and_weights(Method("supcon"), [0.5, 0.5], [0.5, 0.5])
    assert value == pytest.approx(math.log(4))
    assert pos + neg == pytest.approx([10 / 4] * 4)  # (1/2 - 1/4) / tau and 1/4 / tau


def test_supcon_with_one_positive_is_nca():
    supcon, nca = (loss_and_weights(m, [0.4], NEG) for m in (Method("supcon", tau=0.1), Method("nca", scale=10)))
    assert supcon[0] == pytest.approx(nca[0])
    assert supcon[1] + supcon[2] == pytest.approx(nca[1] + nca[2])


def test_supcon_pushes_a_positive_away_that_holds_more_than_its_part():
    sim, pairs = one_anchor([0.9, 0.1], [0.2])
    got = evaluate(sim, pairs, Method("supcon"))
    q = [math.exp(10 * s) / sum(math.exp(10 * k) for k in (0.9, 0.1, 0.2)) for s in (0.9, 0.1, 0.2)]
    assert got.gradient[0].tolist() == pytest.approx([(q[0] - 0.5) * 10, (q[1] - 0.5) * 10, q[2] * 10])
    assert got.violations[0].tolist() == [True, False, False]
    equations = [LOSSES["supcon"].equation(sim, pairs, Method("supcon").params, 0, j).value for j in range(3)]
    assert equations == pytest.approx([-got.gradient[0, 0].item(), -got.gradient[0, 1].item(), q[2] * 10])
    assert equations[0] < 0


def test_supcon_without_negatives_is_a_softmax_over_the_positives_and_without_positives_nothing():
    value, pos, _ = loss_and_weights(Method("supcon"), [0.9, 0.1], [])
    assert value == pytest.approx(math.log(math.exp(9) + math.exp(1)) - 5)
    share = 1 / (1 + math.exp(-8))
    assert pos == pytest.approx([10 * (share - 0.5)] * 2)
    assert loss_and_weights(Method("supcon"), [], [0.8, 0.9]) == (0, [], [0, 0])


@pytest.mark.parametrize("loss", ["lifted", "triplet", "npair", "npair_ovo", "nca", "histogram"])
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
        ("binlifted", LN2 / 2, LN2 / 2),
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


@pytest.mark.parametrize("method", [Method("nca", scale=100), Method("supcon", tau=0.01)], ids=repr)
def test_softmax_losses_keep_their_tails_in_float32(method):
    sim, pairs = one_anchor([0.875], [0.625], dtype=torch.float32)
    got = evaluate(sim, pairs, method)
    tail = math.log1p(math.exp(-25))  # 1.4e-11
    assert got.value.item() == pytest.approx(tail, rel=1e-5)
    assert got.gradient[0].tolist() == pytest.approx([-100 * tail, 100 * tail], rel=1e-5)


def test_npair_losses_are_a_straight_line_far_out():
    for name in ("npair", "npair_ovo"):  # without normalised rows similarities may be large
        value, pos, neg = loss_and_weights(Method(name), [-500], [500])
        assert (value, pos, neg) == (1000, [1], [1])
