"""Every pair has its reason, and the reason is mining's own decision."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from msviz import MsvizError, Pairs, Reason, label_pairs, mine, reasons
from msviz.core.pairs import bounds
from msviz.core.reasons import Cause
from tests.core.batches import one_anchor

# Hundredths tie often, and floats then decide by the spelling; the margins are floats of such hundredths, too.
hundredths = st.integers(-100, 100).map(lambda k: k / 100)
margins = st.one_of(st.none(), st.integers(0, 50).map(lambda k: k / 100))


@st.composite
def rows(draw):
    n, m = draw(st.integers(1, 4)), draw(st.integers(1, 7))
    sim = torch.tensor([[draw(hundredths) for _ in range(m)] for _ in range(n)], dtype=torch.float64)
    kind = torch.tensor([[draw(st.integers(0, 2)) for _ in range(m)] for _ in range(n)])
    return sim, Pairs(pos=kind == 0, neg=kind == 1)


@given(rows(), margins)
def test_what_is_kept_is_what_mining_keeps(batch, epsilon):
    sim, pairs = batch
    mined, found = mine(sim, pairs, epsilon), reasons(sim, pairs, epsilon)
    assert torch.equal(found.kept, mined.pos | mined.neg)


@given(rows(), margins)
def test_the_two_numbers_show_the_decision(batch, epsilon):
    sim, pairs = batch
    found = reasons(sim, pairs, epsilon)
    for i in range(len(sim)):
        for j in range(sim.shape[1]):
            reason = found.pair(i, j)
            if reason.cause in (Cause.KEPT, Cause.DROPPED):
                inside = reason.compared < reason.limit if reason.positive else reason.compared > reason.limit
                assert inside == reason.kept == (reason.cause == Cause.KEPT)
                assert sim[i, reason.rival_at] == reason.rival
                assert (pairs.neg if reason.positive else pairs.pos)[i, reason.rival_at]
                assert reason.limit == (reason.rival + epsilon if reason.positive else reason.rival - epsilon)
            else:
                assert reason.limit is None
                assert reason.kept == (reason.cause == Cause.NO_MINING)


@given(rows(), margins)
def test_the_cause_is_the_first_that_applies(batch, epsilon):
    sim, pairs = batch
    found, hardest = reasons(sim, pairs, epsilon), bounds(sim, pairs)
    for i in range(len(sim)):
        for j in range(sim.shape[1]):
            rival = hardest.hardest_neg_at[i] if pairs.pos[i, j] else hardest.hardest_pos_at[i]
            cause = found.pair(i, j).cause
            if not (pairs.pos[i, j] or pairs.neg[i, j]):
                assert cause == Cause.IGNORED
            elif epsilon is None:
                assert cause == Cause.NO_MINING
            elif rival < 0:
                assert cause == Cause.NO_RIVAL
            else:
                assert cause in (Cause.KEPT, Cause.DROPPED)


def test_the_reference_anchor_has_the_reasons_worked_out_by_hand():
    found = reasons(*one_anchor([0.82, 0.65], [0.62, 0.30]), epsilon=0.1)
    assert found.pair(0, 0) == Reason(Cause.DROPPED, True, False, 0.82, 0.62 + 0.1, 2, 0.62)
    assert found.pair(0, 1) == Reason(Cause.KEPT, True, True, 0.65, 0.62 + 0.1, 2, 0.62)
    assert found.pair(0, 2) == Reason(Cause.KEPT, False, True, 0.62, 0.65 - 0.1, 1, 0.65)
    assert found.pair(0, 3) == Reason(Cause.DROPPED, False, False, 0.30, 0.65 - 0.1, 1, 0.65)


def test_without_the_other_kind_there_is_no_rival():
    assert reasons(*one_anchor([], [0.9]), epsilon=0.1).pair(0, 0) == Reason(
        Cause.NO_RIVAL, False, False, 0.9, None, None, None
    )
    found = reasons(*one_anchor([0.9], []), epsilon=0.1)
    assert found.rival_at.tolist() == [[-1]]
    assert math.isnan(found.limit[0, 0])


def test_without_mining_every_pair_counts_and_nothing_is_compared():
    found = reasons(*one_anchor([0.8], [0.1]), epsilon=None)
    assert found.pair(0, 1) == Reason(Cause.NO_MINING, False, True, 0.1, None, 0, 0.8)
    assert found.limit.isnan().all()


def test_an_anchor_with_itself_is_ignored_even_without_mining():
    for epsilon in (None, 0.1):
        assert reasons(torch.eye(2), label_pairs([0, 1]), epsilon).pair(1, 1) == Reason(
            Cause.IGNORED, False, False, 1, None, None, None
        )


@pytest.mark.parametrize(("pos", "neg", "epsilon"), [(0.35, 0.25, 0.1), (0.02, -0.08, 0.1), (0.90, 0.80, 0.1)])
def test_at_a_tie_on_paper_the_limit_is_the_float_that_was_compared(pos, neg, epsilon):
    sim, pairs = one_anchor([pos], [neg])
    mined, found = mine(sim, pairs, epsilon), reasons(sim, pairs, epsilon)
    assert found.pair(0, 0).kept == bool(mined.pos[0, 0]) == (pos < found.pair(0, 0).limit)
    assert found.pair(0, 1).kept == bool(mined.neg[0, 1]) == (neg > found.pair(0, 1).limit)


def test_half_precision_is_reasoned_in_float32_as_it_is_mined():
    sim, pairs = one_anchor([0.5], [0.4], dtype=torch.float16)
    found = reasons(sim, pairs, 0.1)
    assert found.compared.dtype == torch.float32
    assert torch.equal(found.kept, mine(sim, pairs, 0.1).pos | mine(sim, pairs, 0.1).neg)


def test_no_points_need_no_reasons():
    assert reasons(torch.zeros(0, 0), label_pairs([]), 0.1).cause.shape == (0, 0)


def test_other_shapes_and_other_margins_are_refused():
    with pytest.raises(MsvizError, match="sim must be of the same shape as its pairs") as error:
        reasons(torch.zeros(2, 3), label_pairs([0, 1]), None)
    assert error.value.key == "error.shape"
    with pytest.raises(MsvizError, match="epsilon must be >= 0") as error:
        reasons(torch.eye(2), label_pairs([0, 1]), -1)
    assert error.value.key == "error.epsilon"
