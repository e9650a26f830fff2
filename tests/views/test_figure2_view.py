"""Figure 2's cases as a visitor scrubs them: numbers by hand, the sentence checked, its exceptions found."""

import math

import pytest

from msviz.core.errors import MsvizError
from msviz.core.figure2 import Case
from msviz.core.losses import LOSSES
from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS
from msviz.state import State, default_state
from msviz.text import say
from msviz.views.figure2 import MOST_DRAWN, STEPS, Figure2View, exceptions, figure2_view
from msviz.views.figure2_anchors import example_anchor, odd_anchor, selected_anchor
from msviz.views.scene import Scene, scene
from tests.views.scenes import MS, cos, on_circle, one_anchor

MS_MINED, BINOMIAL_MINED = METHODS["ms"], METHODS["binomial_mining"]


def _view(case: Case, *methods: Method, steps: int = STEPS) -> Figure2View:
    return figure2_view(case, example_anchor(), methods or (MS_MINED,), steps)


def _batch(slug: str) -> Scene:
    return scene(State(PRESETS[slug].make(), MS_MINED))


def test_every_sentence_holds_for_mined_multi_similarity_on_the_example() -> None:
    for case in (Case.WHOLE_ROW, Case.OTHER_NEGATIVES, Case.LEAST_POSITIVE):
        view = _view(case)
        for claim in (*view.similarities, view.methods[0].weight):
            assert say(claim.verdict) == "holds at all 41 positions"
            assert (claim.broken, claim.worst) == ((), None)
            assert len(claim.values) == len(view.shift) == STEPS


def test_the_numbers_on_the_way_are_those_of_the_case() -> None:
    view = _view(Case.LEAST_POSITIVE, steps=8)  # the positive at .65 moves by .05 a position
    assert view.shift == pytest.approx([0.05 * k for k in range(8)])
    s, p, _ = view.similarities
    assert s.values == pytest.approx([0.62] * 8)
    assert p.values == pytest.approx([0.62 - 0.65 - 0.05 * k for k in range(8)])
    assert view.limit == pytest.approx([0.55 + 0.05 * k for k in range(8)])
    assert view.methods[0].kept == (True, True, *[False] * 6)
    assert view.methods[0].weight.values[:3] == pytest.approx([0.991837, 0.991837, 0], abs=1e-6)
    assert [name for name, moves in zip(view.names, view.moving, strict=True) if moves] == ["p1", "p2"]


def test_the_marks_say_who_is_the_pair_and_who_is_kept() -> None:
    view = _view(Case.WHOLE_ROW)
    assert view.names[view.column] == "n1"
    assert view.positives == (True, True, False, False)
    assert view.kept[0] == (False, True, True, False)
    assert view.total == 4


def test_a_loss_that_does_not_look_at_rivals_breaks_case_2() -> None:
    ms, binomial = _view(Case.OTHER_NEGATIVES, MS_MINED, METHODS["binomial"]).methods
    assert ms.weight.worst is None
    assert len(binomial.weight.broken) > 20
    assert say(binomial.weight.verdict).startswith(f"exception at {len(binomial.weight.broken)} of 41 positions: ")
    assert not binomial.mines


def test_negatives_alone_can_lower_the_weight_when_a_rival_enters_mining() -> None:
    view = figure2_view(Case.NEGATIVES_ONLY, odd_anchor(), [MS_MINED])
    (ms,) = view.methods
    at = ms.weight.worst
    assert at is not None
    assert ms.entered
    before, after = ms.weight.values[at - 1], ms.weight.values[at]
    assert before == pytest.approx(1, abs=1e-4)
    assert after == pytest.approx(1 / (1 + math.exp(40 * (cos(30) - cos(29)))), abs=1e-4)  # rival 7 is 30 degrees away
    assert "1.000 → 0.585" in say(ms.weight.verdict)
    column = view.names.index("7")
    assert (view.kept[at - 1][column], view.kept[at][column]) == (False, True)


def test_the_whole_row_of_the_same_anchor_is_no_exception() -> None:
    view = figure2_view(Case.WHOLE_ROW, odd_anchor(), [MS_MINED])
    assert view.methods[0].weight.worst is None


@pytest.mark.parametrize("case", Case)
def test_every_loss_can_be_watched(case: Case) -> None:
    view = _view(case, *(Method(name) for name in LOSSES), steps=5)
    for path in view.methods:
        assert say(path.weight.verdict)
        assert None not in path.weight.values


def test_similarity_p_is_not_defined_without_positives() -> None:
    now = on_circle([0, 30, 60], [0, 1, 1], select=(0, 1))
    row = selected_anchor(now)
    assert row is not None
    view = figure2_view(Case.OTHER_NEGATIVES, row, [MS_MINED], 5)
    assert view.similarities[1].values == (None,) * 5
    assert (view.least, view.limit) == (None, None)


def test_where_nobody_can_come_nearer_the_case_is_refused() -> None:
    row = selected_anchor(on_circle([0, 30, 60], [0, 1, 1], select=(0, 1)))
    assert row is not None
    with pytest.raises(MsvizError):
        figure2_view(Case.LEAST_POSITIVE, row, [MS_MINED])


def test_only_a_negative_pair_can_be_watched() -> None:
    state = default_state()
    assert selected_anchor(scene(state.select(4, 6))) is not None
    for anchor, other in ((4, 0), (4, None), (None, None)):
        assert selected_anchor(scene(state.select(anchor, other))) is None


def test_of_a_crowd_the_pair_and_the_heaviest_are_drawn() -> None:
    crowd = [0.5 - 0.005 * k for k in range(80)]
    row = selected_anchor(one_anchor([0.9], crowd, select=(0, 81)))
    assert row is not None
    view = figure2_view(Case.WHOLE_ROW, row, [MS], 5)
    assert (len(view.names), view.total) == (MOST_DRAWN, 81)
    assert view.names[view.column] == "81"
    assert "2" in view.names  # the most similar negative


def test_exceptions_are_counted_in_a_batch() -> None:
    found = exceptions(_batch("two_clean"), MS_MINED)
    assert (found.found, found.tried, found.total) == (12, 32, 32)
    assert found.worst == (2, 4)
    assert found.old - found.new == pytest.approx(0.134, abs=1e-3)


def test_without_negatives_none_are_tried() -> None:
    for slug in ("empty", "one_point", "one_class"):
        found = exceptions(_batch(slug), MS_MINED)
        assert (found.found, found.tried, found.total, found.worst) == (0, 0, 0, None)


def test_of_a_large_batch_an_even_part_is_tried() -> None:
    found = exceptions(_batch("overlapping"), MS_MINED, most=50)
    assert found.total == 130
    assert 30 <= found.tried <= 50
