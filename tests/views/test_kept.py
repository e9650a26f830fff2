"""Kept pairs against epsilon: the exact steps, by hand and against mining itself at margins all along the axis."""

import csv
import io

import numpy as np
import pytest

from msviz.core.methods import METHODS, Method
from msviz.core.pairs import mine
from msviz.data import PRESETS
from msviz.state import State, default_state
from msviz.text import say
from msviz.views.kept import KeptCurve, kept_csv, kept_view
from msviz.views.scene import scene
from tests.views.scenes import MS, cos, keys, on_circle


def test_the_steps_of_three_points_by_hand() -> None:
    # A at 0 and 40, B at 100. Anchor 0: positive .766, negative cos 100 = -.174: a gap of .940 both ways.
    # Anchor 1: positive .766, negative cos 60 = .5: a gap of .266. B has no positive: its two pairs are never kept.
    view = kept_view(on_circle([0, 40, 100], [0, 0, 1]))
    positives, negatives, lonely = view.curves
    gaps = [cos(40) - cos(60), cos(40) - cos(100)]
    assert (positives.name, positives.positive, negatives.positive, lonely.name) == ("A", True, False, "B")
    for curve in (positives, negatives):
        assert curve.gaps.tolist() == pytest.approx(gaps, abs=1e-4)
        x, kept = curve.steps(1.0)
        assert x == pytest.approx([0, *gaps, 1], abs=1e-4)
        assert kept == [0, 1, 2, 2]
    assert (lonely.gaps.tolist(), lonely.total, lonely.steps(1.0)) == ([], 2, ([0.0, 1.0], [0, 0]))


def test_a_pair_is_let_in_only_beyond_its_gap() -> None:
    curve = KeptCurve("A", 0, True, np.array([-0.2, 0.25, 0.25, 0.5]), 5, 1)
    assert [curve.kept(epsilon) for epsilon in (0, 0.25, 0.26, 0.5, 0.51)] == [1, 1, 3, 3, 4]
    assert curve.steps(1.0) == ([0, 0.25, 0.5, 1], [1, 3, 4, 4])
    assert curve.steps(0.25) == ([0, 0.25], [1, 1])


@pytest.mark.parametrize("slug", ["overlapping", "sixty_four", "singleton", "wrong_label"])
def test_the_curve_agrees_with_mining_at_every_margin(slug: str) -> None:
    state = State(PRESETS[slug].make(), MS)
    now = scene(state)
    view, labels = kept_view(now), np.array(state.batch.labels)
    for epsilon in np.random.default_rng(3).uniform(0, 2, 60).tolist():
        mined = mine(now.sim, now.pairs, epsilon)
        for curve in view.curves:
            kept = (mined.pos if curve.positive else mined.neg).numpy()[labels == curve.label].sum()
            assert curve.kept(epsilon) == kept, (epsilon, curve.name, curve.positive)


def test_the_mark_is_what_is_kept_now() -> None:
    now = scene(default_state())
    view = kept_view(now)
    assert sum(curve.now for curve in view.curves if curve.positive) == 42
    assert sum(curve.now for curve in view.curves if not curve.positive) == 37
    assert all(curve.now == curve.kept(0.1) for curve in view.curves)


def test_the_axis_reaches_to_the_margin() -> None:
    assert kept_view(scene(default_state())).high == 1
    assert kept_view(scene(default_state().with_method(MS.replace(epsilon=1.5)))).high == 1.5
    assert kept_view(scene(default_state().with_method(MS.replace(epsilon=None)))).high == 1


def test_the_words_say_where_the_first_and_the_last_pair_come_in() -> None:
    words = [say(line) for line in kept_view(on_circle([0, 40, 100], [0, 0, 1])).summary]
    assert words == [
        "At ε = 0.1, 0 of 2 positives and 0 of 4 negatives are kept.",
        "The first pair comes in when ε passes 0.27.",
        "The last comes in when ε passes 0.94.",
        "2 pairs are never kept: their anchor has no pair of the other kind.",
    ]
    assert keys(kept_view(scene(default_state())).summary) == [
        *("mining.curve.now", "mining.curve.from_zero", "mining.curve.all")
    ]


@pytest.mark.parametrize("slug", ["empty", "one_point", "one_class"])
def test_where_no_anchor_has_both_kinds_the_words_say_that_nothing_helps(slug: str) -> None:
    view = kept_view(scene(State(PRESETS[slug].make(), METHODS["authors"])))
    assert keys(view.summary) == ["mining.curve.none"]


def test_without_mining_the_curve_stands_and_nothing_is_marked() -> None:
    view = kept_view(scene(default_state().with_method(Method("multi_similarity"))))
    assert view.epsilon is None
    assert view.summary[0].key == "mining.curve.off"
    assert view.curves[0].kept(0.1) == 15


def test_a_curve_finer_than_a_screen_is_drawn_at_a_thousand_margins_that_are_exact() -> None:
    curve = KeptCurve("A", 0, True, np.sort(np.random.default_rng(1).uniform(0, 1, 5000)), 5000, 0)
    x, kept = curve.steps(1.0)
    assert len(x) == 1001
    assert kept == [curve.kept(epsilon) for epsilon in x]


def test_the_table_holds_every_step_of_every_curve() -> None:
    view = kept_view(on_circle([0, 40, 100], [0, 0, 1]))
    rows = list(csv.reader(io.StringIO(kept_csv(view))))
    first, second = (repr(gap) for gap in view.curves[0].gaps.tolist())
    assert rows[0] == ["class", "kind", "epsilon", "kept_above", "pairs"]
    steps = [("0.0", "0"), (first, "1"), (second, "2"), ("1.0", "2")]
    assert rows[1:5] == [["A", "positive", epsilon, kept, "2"] for epsilon, kept in steps]
    assert rows[-2:] == [["B", "negative", "0.0", "0", "2"], ["B", "negative", "1.0", "0", "2"]]
