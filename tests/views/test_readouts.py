"""The few numbers that matter, by hand; and the reason when every weight is zero, for every cause."""

from dataclasses import replace

import pytest
import torch

from msviz.core.methods import Method, evaluate
from msviz.core.pairs import Pairs, bounds
from msviz.data import PRESETS, digits_batch
from msviz.state import State, default_state
from msviz.text import msg, say
from msviz.views.readouts import readouts
from msviz.views.scene import scene
from tests.views.scenes import MS, cos, on_circle


def test_the_numbers_of_three_points_by_hand() -> None:
    # Formulas: angles 0, 30, 50, classes A A B, MS 2/50/.5 without mining: loss .47162.
    now = on_circle([0, 30, 50], [0, 0, 1], Method("multi_similarity", beta=50))
    numbers = readouts(now)
    assert numbers.loss == pytest.approx(0.47162, abs=1e-4)
    assert (numbers.positives, numbers.negatives) == (2, 4)
    assert (numbers.kept_positives, numbers.kept_negatives) == (2, 4)
    assert numbers.violations == 0
    assert numbers.why_zero is None


def test_a_singleton_class_counts_in_the_mean() -> None:
    # Formulas: angles 0, 30, 50, 70, classes A A B C, MS 2/40/.5/.1: .159012 over all four anchors.
    assert readouts(on_circle([0, 30, 50, 70], [0, 0, 1, 2])).loss == pytest.approx(0.159012, abs=1e-4)


def test_kept_pairs_are_counted_beside_all_pairs() -> None:
    # Anchor 0: its positive at cos 30 = .866, its hardest negative cos 50 = .643: farther than .1, nothing. Anchor 1:
    # its hardest negative cos 20 = .940, so the positive is kept; of its negatives the one above .766, which is 2.
    # Anchors 2 and 3 have no positive.
    numbers = readouts(on_circle([0, 30, 50, 80], [0, 0, 1, 2]))
    assert (numbers.kept_positives, numbers.positives) == (1, 2)
    assert (numbers.kept_negatives, numbers.negatives) == (1, 10)


def test_the_heaviest_pair_is_named_with_its_share() -> None:
    # Of the two kept pairs above: negative 1-2 with 1 / (1 + e^{40 (.5 - .9397)}) = 1, positive 1-0 with
    # 1 / (1 + e^{2 (.8660 - .5)}) = .3247.
    numbers = readouts(on_circle([0, 30, 50, 80], [0, 0, 1, 2]))
    assert numbers.heaviest == (1, 2)
    assert numbers.share == pytest.approx(1 / (1 + 0.3247), abs=1e-4)


def test_equal_weights_have_equal_shares() -> None:
    numbers = readouts(on_circle([0, 90, 180], [0, 0, 1], Method("linear")))
    assert numbers.share == pytest.approx(1 / 6)
    assert numbers.loss == pytest.approx((4 * 0 - 2 * 0 + 2 * -1) / 3, abs=1e-4)


def test_the_heaviest_pair_is_named_by_ids() -> None:
    state = on_circle([200, 0, 30, 50, 80], [0, 0, 0, 1, 2]).state
    assert readouts(scene(state.with_batch(state.batch.removed(0)))).heaviest == (2, 3)


def test_an_empty_board_says_so() -> None:
    numbers = readouts(scene(State(PRESETS["empty"].make(), MS)))
    assert numbers.why_zero == msg("zero.empty")
    assert (numbers.loss, numbers.share, numbers.heaviest, numbers.positives) == (0, 0, None, 0)


def test_one_point_says_so() -> None:
    assert readouts(on_circle([10], [0])).why_zero == msg("zero.one_point")


def test_one_class_says_which() -> None:
    assert readouts(on_circle([0, 10, 20], [2, 2, 2])).why_zero == msg("zero.one_class", name="C")


def test_one_class_of_digits_is_called_by_its_digit() -> None:
    now = scene(State(digits_batch([7], 3, seed=0), MS))
    assert readouts(now).why_zero == msg("zero.one_class", name="7")


def test_one_class_is_no_reason_when_its_positives_weigh_something() -> None:
    assert readouts(on_circle([0, 10, 20], [2, 2, 2], Method("linear"))).why_zero is None


def test_classes_of_one_point_have_no_positives() -> None:
    assert readouts(on_circle([0, 10, 20], [0, 1, 2])).why_zero == msg("zero.no_positives")


def test_without_mining_negatives_may_weigh_something_without_positives() -> None:
    # Formulas: all labels distinct, MS 2/40/.5 at 0, 30, 50, 70: .42594.
    numbers = readouts(on_circle([0, 30, 50, 70], [0, 1, 2, 3], Method("multi_similarity")))
    assert numbers.loss == pytest.approx(0.42594, abs=1e-4)
    assert numbers.why_zero is None


def test_separated_classes_name_the_closest_anchor_and_its_gap() -> None:
    # A at 0 and 20, B at 100, 130. Gaps: anchor 0: cos 20 - cos 100 = 1.113; 20: cos 20 - cos 80 = .766;
    # 100: cos 30 - cos 80 = .692, the smallest; 130: cos 30 - cos 110 = 1.208.
    reason = readouts(on_circle([0, 20, 100, 130], [0, 0, 1, 1])).why_zero
    assert reason is not None
    assert reason.key == "zero.separated"
    assert reason.values["anchor"] == 2
    assert reason.values["least"] == pytest.approx(cos(30), abs=1e-4)
    assert reason.values["most"] == pytest.approx(cos(80), abs=1e-4)
    assert reason.values["gap"] == pytest.approx(cos(30) - cos(80), abs=2e-4)
    assert reason.values["epsilon"] == 0.1
    assert "anchor 2," in say(reason)
    assert "(S = 0.17) lies 0.69 below the least similar positive (S = 0.87), more than ε = 0.1" in say(reason)


def test_a_larger_epsilon_ends_the_separation() -> None:
    assert readouts(on_circle([0, 20, 100, 130], [0, 0, 1, 1], MS.replace(epsilon=0.7))).why_zero is None


def test_the_closest_anchor_is_one_that_has_both_kinds() -> None:
    # The singletons have no positive: an infinite gap, not the smallest.
    reason = readouts(on_circle([0, 20, 180, 270], [0, 0, 1, 2])).why_zero
    assert reason is not None
    assert (reason.key, reason.values["anchor"]) == ("zero.separated", 0)


def test_without_an_anchor_that_has_both_kinds_that_is_the_reason() -> None:
    # Labels never make such masks (a pair of one class and a point of another give an anchor both); here by hand.
    now = on_circle([0, 20, 100], [0, 0, 1])
    pos = torch.tensor([[False, True, False], [False] * 3, [False] * 3])
    neg = torch.tensor([[False] * 3, [False] * 3, [True, False, False]])
    pairs = Pairs(pos, neg)
    ground = replace(now.ground, pairs=pairs, bounds=bounds(now.sim, pairs))
    odd = replace(now, ground=ground, evaluation=evaluate(now.sim, pairs, now.state.method))
    assert readouts(odd).why_zero == msg("zero.no_anchor_with_both")


def test_closed_hinges_say_how_many_pairs_are_kept() -> None:
    # Triplet with margin .1: the nearest negative is .342 away from the least similar positive.
    numbers = readouts(on_circle([0, 20, 100, 130], [0, 0, 1, 1], Method("triplet", lam=0.1)))
    assert numbers.why_zero == msg("zero.inactive", kept=12)
    assert numbers.heaviest is None


def test_closed_hinges_among_mined_pairs() -> None:
    # Every class is tighter than epsilon .1 but not than margin 0: pairs are mined and no triplet is active.
    numbers = readouts(on_circle([0, 20, 50, 70], [0, 0, 1, 1], Method("triplet", lam=0, epsilon=0.1)))
    assert numbers.kept_positives == numbers.kept_negatives == 2
    assert numbers.why_zero == msg("zero.inactive", kept=4)


@pytest.mark.parametrize("slug", PRESETS)
def test_a_reason_is_given_exactly_when_nothing_weighs_anything(slug: str) -> None:
    for method in (MS, MS.replace(epsilon=None), Method("triplet"), Method("lifted", lam=-2), Method("contrastive")):
        now = scene(State(PRESETS[slug].make(), method))
        reason = readouts(now).why_zero
        assert (reason is None) == bool((now.weights > 0).any())
        assert reason is None or say(reason)


def test_the_default_batch_has_its_counts() -> None:
    # Classes of 5, 5 and 4: 2 x 20 + 12 ordered positives, 14 x 13 - 52 negatives.
    numbers = readouts(scene(default_state()))
    assert (numbers.positives, numbers.negatives) == (52, 130)
