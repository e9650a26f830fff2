"""Positives, negatives and mining: by index, strict, exactly as spelled."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from msviz import MsvizError, Pairs, label_pairs, mine
from msviz.core.pairs import bounds
from tests.core.batches import one_anchor, random_batch

sixteenths = st.integers(-16, 16).map(lambda k: k / 16)  # exact in floats, with many ties
margins = st.integers(0, 8).map(lambda k: k / 16)


@st.composite
def rows(draw):
    n, m = draw(st.integers(1, 4)), draw(st.integers(1, 7))
    sim = torch.tensor([[draw(sixteenths) for _ in range(m)] for _ in range(n)], dtype=torch.float64)
    kind = torch.tensor([[draw(st.integers(0, 2)) for _ in range(m)] for _ in range(n)])
    return sim, Pairs(pos=kind == 0, neg=kind == 1)


def test_a_point_is_neither_its_positive_nor_its_negative():
    pairs = label_pairs([0, 0, 1])
    assert pairs.pos.tolist() == [[False, True, False], [True, False, False], [False, False, False]]
    assert pairs.neg.tolist() == [[False, False, True], [False, False, True], [True, True, False]]


def test_self_columns_say_which_reference_is_the_anchor_itself():
    pairs = label_pairs([0, 1], [0, 0, 1], self_columns=torch.tensor([1, -1]))
    assert pairs.pos.tolist() == [[True, False, False], [False, False, True]]
    assert pairs.neg.tolist() == [[False, False, True], [True, True, False]]


def test_references_are_other_points_unless_said():
    assert label_pairs([0], [0]).pos.tolist() == [[True]]


@pytest.mark.parametrize("columns", [[0], [0, 3], [-2, 0]])
def test_self_columns_out_of_range_are_refused(columns):
    with pytest.raises(MsvizError, match="self_columns must be a tensor of 2 whole numbers between 0 and 2") as error:
        label_pairs([0, 1], [0, 0, 1], self_columns=torch.tensor(columns))
    assert error.value.key == "error.self_columns"


@pytest.mark.parametrize("columns", [[1, -1], torch.tensor([1.0, -1.0]), "first"], ids=repr)
def test_self_columns_of_another_kind_are_refused(columns):
    with pytest.raises(MsvizError, match="self_columns must be a tensor of 2 whole numbers") as error:
        label_pairs([0, 1], [0, 0, 1], self_columns=columns)
    assert error.value.key == "error.self_columns"


def test_no_points_make_no_pairs():
    assert label_pairs([]).pos.shape == (0, 0)


def test_bounds_name_the_two_numbers_and_whose_they_are():
    sim, pairs = one_anchor([0.8, 0.6, 0.6], [0.3, 0.5, 0.5])
    found = bounds(sim, pairs)
    assert (found.hardest_pos.item(), found.hardest_pos_at.item()) == (0.6, 1)  # the first of equals
    assert (found.hardest_neg.item(), found.hardest_neg_at.item()) == (0.5, 4)


def test_bounds_of_an_empty_side_are_infinite_and_nobodys():
    sim, pairs = one_anchor([], [0.5])
    found = bounds(sim, pairs)
    assert (found.hardest_pos.item(), found.hardest_pos_at.item()) == (math.inf, -1)
    sim, pairs = one_anchor([0.5], [])
    found = bounds(sim, pairs)
    assert (found.hardest_neg.item(), found.hardest_neg_at.item()) == (-math.inf, -1)
    nobody = torch.zeros(2, 0, dtype=torch.bool)
    assert bounds(torch.zeros(2, 0), Pairs(nobody, nobody)).hardest_pos_at.tolist() == [-1, -1]


def test_mining_keeps_what_the_other_kind_makes_informative():
    sim, pairs = one_anchor([0.82, 0.65], [0.62, 0.30])
    mined = mine(sim, pairs, 0.1)
    assert sim[mined.pos].tolist() == [0.65]  # < .62 + .1
    assert sim[mined.neg].tolist() == [0.62]  # > .65 - .1


def test_mining_is_strict_at_exact_ties():
    sim, pairs = one_anchor([0.5], [0.25])
    mined = mine(sim, pairs, 0.25)
    assert not mined.pos.any()
    assert not mined.neg.any()
    mined = mine(sim, pairs, 0.25 + 2**-50)
    assert mined.pos.any()
    assert mined.neg.any()


@pytest.mark.parametrize(
    ("pos", "neg", "epsilon", "keeps_pos", "keeps_neg"),
    [
        (0.35, 0.25, 0.1, False, True),
        (0.11, 0.01, 0.1, False, True),  # neg - pos + epsilon > 0 would drop this negative
        (0.02, -0.08, 0.1, True, False),
        (0.82, 0.52, 0.3, True, False),  # neg - pos + epsilon > 0 would keep this negative
        (0.84, 0.54, 0.3, True, False),
        (0.90, 0.80, 0.1, False, False),
    ],
)
def test_ties_in_hundredths_are_decided_by_the_spelling(pos, neg, epsilon, keeps_pos, keeps_neg):
    # pos - neg = epsilon on paper. In floats "S > min - epsilon" and "S < max + epsilon" each decide for themselves.
    sim, pairs = one_anchor([pos], [neg])
    mined = mine(sim, pairs, epsilon)
    assert (bool(mined.pos.any()), bool(mined.neg.any())) == (keeps_pos, keeps_neg)


@given(rows(), margins)
def test_mining_keeps_both_sides_or_neither(batch, epsilon):
    sim, pairs = batch
    mined = mine(sim, pairs, epsilon)
    assert torch.equal(mined.pos.any(1), mined.neg.any(1))


@given(rows(), margins, margins)
def test_a_larger_margin_keeps_more(batch, one, other):
    sim, pairs = batch
    few, many = (mine(sim, pairs, epsilon) for epsilon in sorted((one, other)))
    assert not (few.pos & ~many.pos).any()
    assert not (few.neg & ~many.neg).any()
    assert not (many.pos & ~pairs.pos).any()
    assert not (many.neg & ~pairs.neg).any()


@given(rows(), margins)
def test_mining_agrees_with_the_definition_pair_by_pair(batch, epsilon):
    sim, pairs = batch
    mined = mine(sim, pairs, epsilon)
    for i, row in enumerate(sim.tolist()):
        pos = [s for s, keep in zip(row, pairs.pos[i], strict=True) if keep]
        neg = [s for s, keep in zip(row, pairs.neg[i], strict=True) if keep]
        for j, s in enumerate(row):
            assert bool(mined.neg[i, j]) == (bool(pairs.neg[i, j]) and bool(pos) and s > min(pos, default=0) - epsilon)
            assert bool(mined.pos[i, j]) == (bool(pairs.pos[i, j]) and bool(neg) and s < max(neg, default=0) + epsilon)


def test_anchors_without_positives_or_without_negatives_keep_nothing():
    for pos, neg in [([], [0.9, 0.1]), ([0.9, 0.1], []), ([], [])]:
        sim, pairs = one_anchor(pos, neg)
        mined = mine(sim, pairs, 10)
        assert not mined.pos.any()
        assert not mined.neg.any()


def test_no_epsilon_is_no_mining():
    sim, pairs = random_batch(0)
    assert mine(sim, pairs, None) is pairs


@pytest.mark.parametrize("epsilon", [0, 0.1, 3, np.float32(0.5), 1e300])
def test_margins_from_zero_up_are_allowed(epsilon):
    mine(*one_anchor([0.5], [0.5]), epsilon)


@pytest.mark.parametrize("epsilon", [-0.1, -1e-300, math.inf, -math.inf, math.nan, "0.1", True, 10**400], ids=repr)
def test_other_margins_are_errors(epsilon):
    with pytest.raises(MsvizError, match="epsilon must be >= 0 and finite, or None for no mining, got") as error:
        mine(*one_anchor([0.5], [0.5]), epsilon)
    assert error.value.key == "error.epsilon"


def test_half_precision_is_mined_in_float32():
    sim, pairs = one_anchor([0.5], [0.4], dtype=torch.float16)
    wide = mine(sim.float(), pairs, 0.1)
    narrow = mine(sim, pairs, 0.1)
    assert torch.equal(narrow.neg, wide.neg)
    assert torch.equal(narrow.pos, wide.pos)


def test_similarities_and_pairs_of_other_shapes_are_refused():
    with pytest.raises(MsvizError, match=r"sim must be of the same shape as its pairs, \[3, 3\], got shape \[3, 2\]"):
        mine(torch.zeros(3, 2), label_pairs([0, 0, 1]), 0.1)
