"""S, P and N as matrices: defined where the paper defines them, NaN elsewhere."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from msviz import METHODS, Method, MsvizError, Pairs, evaluate, label_pairs, mine, three_similarities
from msviz.core.three_similarities import sharpness
from tests.core.batches import one_anchor, random_batch, random_rows

seeds = st.integers(0, 2**32)


def test_the_reference_anchor_has_the_similarities_worked_out_by_hand():
    found = three_similarities(*one_anchor([0.82, 0.65], [0.62, 0.30]), alpha=2, beta=40)
    assert found.s[0].tolist() == [0.82, 0.65, 0.62, 0.30]
    assert found.p[0].tolist() == pytest.approx([0.62 - 0.82, 0.62 - 0.65, 0.62 - 0.65, 0.30 - 0.65])
    rivals = [1 + math.exp(-2 * -0.17), 1 + math.exp(-2 * 0.17), 1 + math.exp(40 * -0.32), 1 + math.exp(40 * 0.32)]
    assert found.n[0].tolist() == pytest.approx([1 / k for k in rivals])


def test_an_anchor_with_itself_has_no_similarities_to_show():
    found = three_similarities(torch.eye(3), label_pairs([0, 0, 1]))
    for matrix in (found.s, found.p, found.n):
        assert matrix.diagonal().isnan().all()
    assert not found.s[~torch.eye(3, dtype=torch.bool)].isnan().any()


def test_without_the_other_kind_there_is_no_p_but_s_and_n():
    for pos, neg in [([], [0.5, 0.1]), ([0.5, 0.1], [])]:
        found = three_similarities(*one_anchor(pos, neg))
        assert found.p.isnan().all()
        assert found.s[0].tolist() == [0.5, 0.1]
        assert float(found.n.sum()) == pytest.approx(1)


def test_the_only_one_of_its_kind_has_all_of_n():
    assert three_similarities(*one_anchor([-0.3], [0.9])).n.tolist() == [[1, 1]]


@given(seeds, st.floats(0.1, 200), st.floats(0.1, 200))
def test_every_entry_is_its_definition(seed, alpha, beta):
    sim, pairs = random_rows(seed, 3, 6)
    found = three_similarities(sim, pairs, alpha, beta)
    for i, row in enumerate(sim.tolist()):
        pos = [s for s, keep in zip(row, pairs.pos[i], strict=True) if keep]
        neg = [s for s, keep in zip(row, pairs.neg[i], strict=True) if keep]
        for j, s in enumerate(row):
            p = n = math.nan
            if pairs.neg[i, j]:
                p = s - min(pos, default=math.nan)
                n = 1 / sum(math.exp(beta * (k - s)) for k in neg)
            elif pairs.pos[i, j]:
                p = max(neg, default=math.nan) - s
                n = 1 / sum(math.exp(-alpha * (k - s)) for k in pos)
            assert float(found.p[i, j]) == pytest.approx(p, nan_ok=True)
            assert float(found.n[i, j]) == pytest.approx(n, nan_ok=True, rel=1e-9)
            assert math.isnan(found.s[i, j]) == bool(~pairs.pos[i, j] & ~pairs.neg[i, j])


@given(seeds, st.floats(0, 0.5))
def test_mining_keeps_where_p_is_above_minus_epsilon(seed, epsilon):
    sim, pairs = random_rows(seed, 3, 6)
    mined, p = mine(sim, pairs, epsilon), three_similarities(sim, pairs).p
    kept, clear = mined.pos | mined.neg, (p + epsilon).abs() > 1e-12  # nearer than that, rounding decides
    assert torch.equal((p > -epsilon) & clear, kept & clear)


@given(seeds, st.floats(-0.3, 0.3))
def test_a_whole_row_that_moves_keeps_its_p_and_n(seed, shift):
    sim, pairs = random_rows(seed, 3, 6)
    before, after = three_similarities(sim, pairs), three_similarities(sim + shift, pairs)
    torch.testing.assert_close(after.s, before.s + shift, equal_nan=True)
    torch.testing.assert_close(after.p, before.p, equal_nan=True)
    torch.testing.assert_close(after.n, before.n, equal_nan=True)


def test_n_is_the_weight_of_lifted_star():
    sim, pairs = random_batch(5, m=20)
    weights = evaluate(sim, pairs, METHODS["lifted_star"]).weights
    torch.testing.assert_close(three_similarities(sim, pairs).n.nan_to_num(0), weights)


def test_half_precision_and_empty_batches_are_answered():
    sim, pairs = one_anchor([0.5], [0.25], dtype=torch.float16)
    assert three_similarities(sim, pairs).p.dtype == torch.float32
    assert three_similarities(torch.zeros(0, 0), label_pairs([])).n.shape == (0, 0)
    nobody = torch.zeros(2, 0, dtype=torch.bool)
    assert three_similarities(torch.zeros(2, 0), Pairs(nobody, nobody)).p.shape == (2, 0)


def test_sharpness_is_the_methods_own_where_it_has_one():
    assert sharpness(METHODS["paper"]) == (2, 50)
    assert sharpness(Method("binomial", alpha=3)) == (3, 40)
    assert sharpness(Method("triplet")) == (2, 40)


@pytest.mark.parametrize("wrong", [{"alpha": 0}, {"beta": -1}, {"beta": math.inf}, {"alpha": "2"}])
def test_a_sharpness_that_is_not_positive_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(MsvizError, match=f"{name} must be > 0 and finite, got") as error:
        three_similarities(*one_anchor([0.5], [0.1]), **wrong)
    assert error.value.key == "error.parameter_range"


def test_other_shapes_are_refused():
    with pytest.raises(MsvizError, match=r"sim must be of the same shape as its pairs, \[2, 2\], got shape \[2, 3\]"):
        three_similarities(torch.zeros(2, 3), label_pairs([0, 1]))
