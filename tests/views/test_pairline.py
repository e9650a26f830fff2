"""The selected pair on a line: what S, P and N compare it to, on the reference anchor and where somebody is missing."""

import math

import pytest

from msviz.core.methods import Method
from msviz.data import PRESETS
from msviz.state import default_state
from msviz.text import say
from msviz.views.pairline import MOST_DRAWN, PairLine, pair_line
from msviz.views.scene import scene
from tests.views.scenes import MS, on_circle, one_anchor, reference


def _line(select: tuple[int, int], method: Method = MS) -> PairLine:
    found = pair_line(reference(method, select))
    assert found is not None
    return found


def _said(line: PairLine) -> list[str]:
    return [say(sentence) for _, sentence in line.sentences]


def test_a_negative_is_compared_with_the_least_similar_positive_and_with_the_other_negatives() -> None:
    line = _line((0, 3))
    assert not line.positive
    assert line.kept
    assert (line.s, line.p) == pytest.approx((0.62, 0.62 - 0.65))
    assert line.n == pytest.approx(1 / (1 + math.exp(40 * (0.30 - 0.62))))
    assert line.rival is not None
    assert (line.rival.id, line.rival.s, line.rival.kept) == (2, pytest.approx(0.65), True)
    assert line.limit == pytest.approx(0.55)
    assert [(one.id, one.kept) for one in line.own] == [(3, True), (4, False)]
    assert sum(one.share or 0 for one in line.own) == pytest.approx(1)
    assert [(one.id, one.share) for one in line.against] == [(2, None), (1, None)]


def test_a_positive_is_compared_with_the_most_similar_negative_and_with_the_other_positives() -> None:
    line = _line((0, 2))
    assert line.positive
    assert line.p == pytest.approx(0.62 - 0.65)
    assert line.n == pytest.approx(1 / (1 + math.exp(-2 * (0.82 - 0.65))))
    assert line.rival is not None
    assert line.rival.id == 3
    assert line.limit == pytest.approx(0.72)
    assert [one.id for one in line.own] == [2, 1]


def test_the_sentences_hold_the_numbers() -> None:
    s, p, kept, n = _said(_line((0, 3)))
    assert "S = 0.620" in s
    assert "class A against B" in s
    assert p == "P = 0.620 − 0.650 = −0.030: how far it is beyond the least similar positive, 0→2."
    assert kept.startswith("Kept by mining: S = 0.62 > 0.65 − 0.1 = 0.55")
    assert n.startswith(
        "N = 1.000: its share among all 2 negatives of 0, at β = 40. Its strongest rival is 0→4, S = 0.30"
    )
    assert (
        _said(_line((0, 2)))[1] == "P = 0.620 − 0.650 = −0.030: how far the most similar negative, 0→3, is beyond it."
    )


def test_n_has_the_sharpness_of_the_active_method_or_the_usual_one() -> None:
    assert _line((0, 3), MS.replace(beta=5)).n == pytest.approx(1 / (1 + math.exp(5 * (0.30 - 0.62))))
    assert _line((0, 3), Method("triplet")).n == _line((0, 3)).n


def test_without_mining_there_is_no_limit_but_still_a_rival() -> None:
    line = _line((0, 4), MS.replace(epsilon=None))
    assert line.limit is None
    assert line.kept
    assert line.rival is not None
    assert _said(line)[2] == "Mining is off: every pair counts."


def test_an_anchor_without_positives_has_no_p_and_an_only_negative_no_rival() -> None:
    alone = pair_line(on_circle([0, 30], [0, 1], select=(0, 1)))
    assert alone is not None
    assert (alone.p, alone.rival, alone.limit, alone.n) == (None, None, None, pytest.approx(1))
    _, p, _, n = _said(alone)
    assert p == "P is not defined: anchor 0 has no positive to compare with."
    assert n == "N = 1: it is the only negative of anchor 0, nobody shares with it."
    together = pair_line(on_circle([0, 30], [0, 0], select=(0, 1)))
    assert together is not None
    assert _said(together)[1].endswith("no negative to compare with.")


def test_without_a_pair_there_is_no_line() -> None:
    assert pair_line(reference()) is None
    assert pair_line(reference(select=(0, None))) is None
    assert pair_line(scene(default_state().with_batch(PRESETS["empty"].make()))) is None


def test_of_a_crowd_the_hardest_are_drawn_and_the_rest_is_counted() -> None:
    crowd = [0.5 - 0.005 * k for k in range(80)]
    line = pair_line(one_anchor([0.9], crowd, select=(0, 70)))
    assert line is not None
    assert line.own[0].id == 70  # the pair itself, however easy
    assert [one.id for one in line.own[1:4]] == [2, 3, 4]
    assert (len(line.own), line.hidden) == (MOST_DRAWN, 20)


def test_a_difference_is_written_so_that_it_can_be_checked() -> None:
    now = on_circle([0, 120, 60], [0, 0, 1], select=(0, 2))
    line = pair_line(now)
    assert line is not None
    assert "P = 0.500 − (−0.500) = 1.000:" in _said(line)[1]
