"""Where norms count, S is a dot product; the longest point is named, and so is a point without a direction."""

import numpy as np
import pytest

from msviz.core.methods import Method
from msviz.data import PRESETS, Batch
from msviz.state import State, default_state
from msviz.text import say
from msviz.views.board import scales
from msviz.views.norms import norms_view, norms_words
from msviz.views.panels import similarity_panel, three_panels
from msviz.views.scene import Scene, scene
from tests.views.scenes import MS, keys


def _flat(board: list[list[float]], labels: list[int], method: Method = MS) -> Scene:
    return scene(State(Batch.of(board, labels), method, normalize=False))


FAN = [[1, 0], [0.5, 0.5], [0, 1], [1.5, 1]]  # the last one is the longest


def test_similarities_are_dot_products() -> None:
    now = _flat(FAN, [0, 0, 1, 1])
    assert now.sim[3].tolist() == [1.5, 1.25, 1, 3.25]
    assert now.sim[0].tolist() == [1, 0.5, 0, 1.5]


def test_forces_are_not_bound_to_the_circle() -> None:
    # linear: dL/dS is 1 for a negative, and L is the mean of two anchors: each is pushed by -(1 + 1)/2 times the other.
    now = _flat([[1, 0], [1.5, 0.5]], [0, 1], Method("linear"))
    assert now.forces.tolist() == [[-1.5, -0.5], [-1, 0]]


def test_the_longest_point_is_everybodys_neighbour() -> None:
    view = norms_view(_flat(FAN, [0, 0, 1, 1]))
    assert view is not None
    assert (view.longest, view.length) == (3, pytest.approx(3.25**0.5))
    assert (view.neighbours, view.others) == (3, 3)
    assert view.by_angle == 2  # 34 degrees from 0, 11 from 1, 56 from 2, which is nearer to 1 (45)
    assert (view.low, view.high) == (0, 1.5)


def test_its_words_hold_these_numbers() -> None:
    (said,) = norms_words(_flat(FAN, [0, 0, 1, 1]))
    assert "here from 0.00 to 1.50" in say(said)
    assert "Point 3 is the longest, |x| = 1.80: the most similar one for 3 of 3 points (by angle alone for 2)" in say(
        said
    )


def test_on_the_circle_nothing_is_said_of_norms() -> None:
    assert norms_words(scene(default_state())) == ()
    assert norms_view(_flat([[1, 1]], [0])) is None


@pytest.mark.parametrize("normalize", [True, False])
def test_a_zero_vector_is_reported_in_words(normalize: bool) -> None:
    batch = Batch.of([[0, 0], [1, 0], [0, 0], [0, 1]], [0, 0, 1, 1], ids=[4, 5, 6, 7])
    now = scene(State(batch, MS, normalize=normalize))
    assert not now.sim[0].any()
    said = norms_words(now)[-1]
    assert said.key == "board.zero"
    assert say(said).startswith("At the centre: 4, 6. ")
    assert keys(norms_words(now)) == (["board.zero"] if normalize else ["board.norms", "board.zero"])


def test_the_colours_of_s_reach_as_far_as_s_does_and_stay_during_a_gesture() -> None:
    start = _flat(FAN, [0, 0, 1, 1])
    assert (similarity_panel(start).low, similarity_panel(start).high) == (-1.5, 1.5)
    farther = scene(start.state.with_batch(start.state.batch.moved(3, (1.9, 1.9), on_circle=False)))
    assert similarity_panel(farther).high == pytest.approx(1.9, abs=1e-3)
    assert similarity_panel(farther, scales(start)).high == 1.5
    assert [panel.high for panel in three_panels(farther, scales(start))] == [1.5, 1.5, 1]


@pytest.mark.parametrize("state", [default_state(), State(PRESETS["empty"].make(), MS, normalize=False)])
def test_cosines_and_an_empty_plane_have_the_usual_colours(state: State) -> None:
    assert similarity_panel(scene(state)).high == 1
    assert np.isfinite(scene(state).sim.numpy()).all()
