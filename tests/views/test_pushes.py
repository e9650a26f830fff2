"""Pushes on one point: by hand for three points, in sum the point's own step."""

import numpy as np
import pytest

from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, Batch
from msviz.state import State, default_state
from msviz.views.pushes import MOST, pushes_view
from msviz.views.scene import scene
from tests.views.scenes import on_circle


def test_without_a_selection_nobody_pushes() -> None:
    assert pushes_view(scene(default_state())) is None


def test_a_projection_shows_no_pushes() -> None:
    batch = Batch.of([[1, 0], [0, 1]], [0, 1], x=[[1.0, 2, 3, 4], [4.0, 3, 2, 1]])
    assert pushes_view(scene(State(batch, METHODS["authors"]).select(0))) is None


def test_a_positive_pulls_and_a_negative_pushes_along_the_circle() -> None:
    view = pushes_view(on_circle([0, 90, 270], [0, 0, 1], Method("linear"), (0, None)))
    assert view is not None
    steps = {push.other: push.step for push in view.pushes}
    # A = ∓1/3, and each pair stands in S twice: 2/3 towards the positive at 90°, 2/3 away from the negative at 270°.
    assert steps[1] == pytest.approx((0, 2 / 3), abs=1e-9)
    assert steps[2] == pytest.approx((0, 2 / 3), abs=1e-9)
    assert {push.other: push.positive for push in view.pushes} == {1: True, 2: False}
    assert view.total == pytest.approx((0, 4 / 3), abs=1e-9)


@pytest.mark.parametrize("slug", ["overlapping", "sixty_four", "sphere_overlapping"])
def test_the_pushes_add_up_to_the_points_own_step(slug: str) -> None:
    now = scene(State(PRESETS[slug].make(), METHODS["ms_weighting"]).select(4))
    view = pushes_view(now)
    assert view is not None
    np.testing.assert_allclose(np.sum([push.step for push in view.pushes], axis=0), now.forces[4], atol=1e-12)
    np.testing.assert_allclose(view.total, now.forces[4], atol=1e-12)
    assert len(view.pushes) <= MOST + 1
    assert (view.pushes[-1].other is None) == (view.left > 0)


def test_where_norms_count_the_pushes_do_too() -> None:
    batch = Batch.of([[1, 0], [0.5, 0.1], [0, 1.5]], [0, 0, 1])
    now = scene(State(batch, Method("linear"), normalize=False).select(0))
    view = pushes_view(now)
    assert view is not None
    np.testing.assert_allclose(view.total, now.forces[0], atol=1e-12)


def test_where_nothing_weighs_anything_there_are_no_pushes() -> None:
    view = pushes_view(scene(State(PRESETS["two_clean"].make(), METHODS["authors"]).select(0)))
    assert view is not None
    assert view.pushes == ()
    assert view.total == (0, 0)
