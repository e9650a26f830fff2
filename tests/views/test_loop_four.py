"""The two pairs of the LoOp lab: their numbers are the core's, and what is special about them is said."""

import math

import numpy as np
import pytest
import torch

from msviz.core.arcs import LoopCase
from msviz.core.loop import closest_points
from msviz.core.loop_batch import partners
from msviz.core.methods import METHODS
from msviz.core.scheme import Scheme
from msviz.data import Batch, digits_batch
from msviz.state import State
from msviz.text import Message, say
from msviz.views.loop_examples import circle_four, random_four, sphere_four
from msviz.views.loop_four import FourView, four_view
from msviz.views.loop_words import case_title, case_words, gain_words, multiplier_words, pairs_words, solution_words
from msviz.views.scene import Scene, scene
from tests.views.scenes import circle, cos, keys

LOOP = Scheme(loop=True)


def _view(state: State) -> FourView:
    view = four_view(scene(state, LOOP))
    assert isinstance(view, FourView)
    return view


def _of(batch: Batch) -> FourView:
    return _view(State(batch, METHODS["authors"]))


def _degrees(view: FourView) -> tuple[float, ...]:
    return tuple(math.degrees(angle) for angle in (view.a, view.b, *view.lengths))


def test_four_points_on_the_circle_by_hand() -> None:
    view = _view(circle([0, 40, 100, 130], [0, 0, 1, 1]))
    assert view.case == LoopCase.X2_Y1
    assert _degrees(view) == pytest.approx((40, 0, 40, 30), abs=0.01)
    assert view.similarity == pytest.approx(cos(60), abs=1e-4)
    assert view.closest.distance == pytest.approx(2 * math.sin(math.radians(30)), abs=1e-4)
    assert [pair.similarity for pair in view.pairs] == pytest.approx([cos(100), cos(130), cos(60), cos(90)], abs=1e-4)
    # f = -cos(100 + b - a): falls with a, and would fall with a smaller b, by sin 60 a radian.
    assert view.multipliers == pytest.approx((0, math.sin(math.radians(60)), math.sin(math.radians(60)), 0), abs=1e-4)
    assert [mark.name for mark in view.marks] == ["x1", "x2 = p1", "y1 = p2", "y2"]
    assert view.parts == (1, 0)
    assert (view.nearest.one, view.nearest.two) == ("x2", "y1")
    assert keys([case_title(view), *case_words(view), multiplier_words(view), *gain_words(view)]) == [
        *("page.loop.case.x2_y1", "page.loop.space.2", "page.loop.held.two"),
        *("page.loop.gain.four.none", "page.loop.gain.batch.same"),
    ]
    assert say(solution_words(view)) == "a = 40.0 of 40.0 degrees, b = 0.0 of 30.0 degrees, f = −0.500."


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_numbers_are_those_of_the_core(seed: int, dimensions: int) -> None:
    batch = random_four(seed, dimensions)
    view, found = _of(batch), closest_points(*torch.from_numpy(batch.x.copy()))
    assert view.case == found.case
    assert view.similarity == pytest.approx(float(found.similarity), abs=1e-12)
    assert (view.a, view.b) == pytest.approx((float(found.a), float(found.b)), abs=1e-7)
    assert view.closest.distance == pytest.approx(float((found.p1 - found.p2).norm()), abs=1e-7)
    plain = [float(view.similarity - pair.similarity) for pair in view.pairs]
    assert min(plain) >= -1e-12


@pytest.mark.parametrize("seed", range(12))
def test_the_box_is_f_and_the_solution_its_lowest_place(seed: int) -> None:
    view = _of(random_four(seed, 3))

    def f(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        left, right = np.stack([np.cos(a), np.sin(a)], -1), np.stack([np.cos(b), np.sin(b)], -1)
        return -np.einsum("...i,ij,...j->...", left, np.array(view.box), right)

    assert f(np.array(view.a), np.array(view.b)) == pytest.approx(-view.similarity, abs=1e-9)
    a, b = np.meshgrid(*(np.linspace(0, length, 201) for length in view.lengths))
    assert f(a, b).min() >= -view.similarity - 1e-9
    corners = [f(np.array(x), np.array(y)) for x in (0, view.lengths[0]) for y in (0, view.lengths[1])]
    assert corners == pytest.approx([-pair.similarity for pair in view.pairs], abs=1e-9)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_every_case_comes_up_at_random_and_has_a_name(dimensions: int) -> None:
    views = [_of(random_four(seed, dimensions)) for seed in range(80)]
    titles = {view.case: say(case_title(view)) for view in views}
    assert set(titles) == set(LoopCase)
    assert len(set(titles.values())) == 9
    for case, title in titles.items():
        for p, end in [(f"p{'xy'.index(end[0]) + 1}", end) for end in case.split("-") if end != "inside"]:
            assert f"{p} stands on {end}" in title or f"{p} on {end}" in title


def test_a_selected_negative_pair_gives_the_arcs_of_its_ends_and_their_partners() -> None:
    state = circle([0, 10, 20, 90, 100, 110, 200, 210], [0, 0, 0, 1, 1, 1, 2, 2])
    other = partners(torch.tensor(state.batch.labels)).tolist()
    assert _view(state).ids == (0, 1, 3, 4)
    for i, j in ((2, 4), (5, 0), (7, 2)):
        view = _view(state.select(i, j))
        assert view.ids == (i, other[i], j, other[j])
        assert view.chosen
        assert pairs_words(view, ("A", "B")).key == "page.loop.pairs.chosen"


def test_one_selected_point_or_a_positive_pair_keeps_its_own_arc() -> None:
    state = circle([0, 10, 20, 90, 100, 110], [0, 0, 0, 1, 1, 1])
    for view in (_view(state.select(4)), _view(state.select(4, 5))):
        assert view.ids == (4, 5, 0, 1)
        assert view.labels == (1, 0)
        assert not view.chosen


def test_overlapping_arcs_touch() -> None:
    view = _of(circle_four())
    assert view.touching
    assert view.similarity == pytest.approx(1, abs=1e-12)
    assert view.closest.distance == 0
    assert max(view.multipliers) < 1e-9
    assert any("p1 = p2" in mark.name for mark in view.marks)
    assert "page.loop.touching" in keys(case_words(view))
    assert multiplier_words(view).key == "page.loop.held.touching"
    gain, _ = gain_words(view)
    assert gain.values["gain"] == pytest.approx(1 - cos(30), abs=1e-3)


def test_arcs_that_are_only_their_ends_have_no_bounds() -> None:
    for angles in ([0, 180, 90, 270], [0, 0, 100, 100], [0, 180, 100, 100]):
        assert multiplier_words(_view(circle(angles, [0, 0, 1, 1]))).key == "page.loop.held.ends"


def test_an_end_that_faces_a_point_is_not_pulled_beyond() -> None:
    north = [[0.5, 0.0, math.sqrt(0.75)]] * 2  # above x1, on the meridian at a right angle to the arc
    view = _of(Batch.of([[1.0, 0.0, 0.0], [0.5, math.sqrt(0.75), 0.0], *north], [0, 0, 1, 1]))
    assert not view.touching
    assert multiplier_words(view).key == "page.loop.held.free"


def test_a_right_angle_is_said_to_be_0_without_what_is_left_of_rounding() -> None:
    view = _view(circle([0, 330, 90, 120], [0, 0, 1, 1]))
    assert view.similarity == view.nearest.similarity == view.hardest.similarity == 0
    for line in (*gain_words(view), solution_words(view)):
        assert "e−" not in say(line)


def test_on_the_sphere_the_end_of_an_arc_faces_the_middle_of_the_other() -> None:
    view = _of(sphere_four())
    assert view.case == LoopCase.Y1
    assert 0.3 < view.parts[0] < 0.7
    assert view.similarity > view.nearest.similarity + 0.1
    assert view.multipliers[2] > 0.3
    assert keys([multiplier_words(view)]) == ["page.loop.held.one"]
    assert [mark.name for mark in view.marks] == ["x1", "x2", "y1 = p2", "y2", "p1"]
    assert view.marks[-1].arc == 0
    assert view.marks[-1].part == view.parts[0]


def test_a_class_of_one_point_is_a_point() -> None:
    view = _view(circle([0, 40, 100], [0, 0, 1]))
    assert view.ids == (0, 1, 2, 2)
    assert view.point == (False, True)
    assert view.similarity == pytest.approx(cos(60), abs=1e-4)
    assert "y1 = y2 = p2" in [mark.name for mark in view.marks]
    assert "page.loop.alone" in keys(case_words(view))


def test_two_points_in_one_place_are_a_point() -> None:
    view = _view(circle([0, 0, 100, 120], [0, 0, 1, 1]))
    assert view.point == (True, False)
    assert "page.loop.point" in keys(case_words(view))


@pytest.mark.filterwarnings("ignore::msviz.core.loop.AntipodalWarning")
def test_opposite_points_count_alone() -> None:
    view = _of(Batch.of([[1, 0], [-1, 0], [0, 1], [0.6, 0.8]], [0, 0, 1, 1]))
    assert view.antipodal == (True, False)
    assert "page.loop.antipodal" in keys(case_words(view))
    assert view.similarity == pytest.approx(0.6, abs=1e-4)  # x1 with y2, and not the 1 of an arc over the top
    assert view.box[1] == (0, 0)


@pytest.mark.parametrize("labels", [[0, 0, 0], [3]])
def test_without_a_second_class_there_is_a_sentence(labels: list[int]) -> None:
    why = four_view(scene(circle([0, 40, 100][: len(labels)], labels), LOOP))
    assert isinstance(why, Message)
    assert say(why).startswith("LoOp needs two classes")


def test_a_point_at_the_centre_has_no_arc() -> None:
    state = State(Batch.of([[0, 0], [1, 0], [0, 1], [-1, 0]], [0, 0, 1, 1]), METHODS["authors"])
    why = four_view(scene(state, LOOP))
    assert isinstance(why, Message)
    assert why.key == "page.loop.centre"
    assert why.values["id"] == 0


def test_the_hardest_negative_of_the_batch_is_the_plain_one() -> None:
    view = _view(circle([0, 50, 100, 130, 52], [0, 0, 1, 1, 2]))
    assert view.hardest.ids is not None
    assert set(view.hardest.ids) == {1, 4}
    assert view.hardest.similarity == pytest.approx(cos(2), abs=1e-4)
    _, beyond = gain_words(view)
    assert beyond.key == "page.loop.gain.batch.easier"
    assert beyond.values["by"] == pytest.approx(cos(2) - cos(50), abs=1e-4)


def test_of_many_dimensions_the_board_is_a_picture() -> None:
    now: Scene = scene(State(digits_batch([3, 8], 4, seed=0, space="pixels"), METHODS["authors"]).select(0, 5), LOOP)
    view = four_view(now)
    assert isinstance(view, FourView)
    assert view.picture
    x = torch.from_numpy(now.state.batch.x[[0, 1, 5, 6]].copy())
    assert view.similarity == pytest.approx(float(closest_points(*x).similarity), abs=1e-12)
    assert {"page.loop.space.4", "page.loop.picture"} <= set(keys(case_words(view)))
