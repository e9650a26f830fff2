"""Matrices stand in class blocks and say what became of every pair."""

import math
from dataclasses import replace

import numpy as np
import pytest

from msviz.data import PRESETS
from msviz.state import default_state
from msviz.views.matrices import Decision, class_order, decisions, matrix_view
from msviz.views.scene import scene
from tests.views.scenes import MS, circle, on_circle, reference


def test_rows_are_sorted_by_class_and_then_by_id() -> None:
    assert class_order(on_circle([0, 10, 20, 30, 40], [2, 0, 1, 0, 2])) == (1, 3, 2, 0, 4)


def test_a_new_id_stands_last_in_its_class() -> None:
    state = circle([0, 10, 20], [0, 1, 1])
    state = state.with_batch(state.batch.added((1, 0), 0))
    assert class_order(scene(state)) == (0, 3, 1, 2)


def test_ids_decide_and_not_the_rows_of_the_batch() -> None:
    state = circle([0, 10, 20], [0, 0, 0])
    swapped = replace(state.batch, ids=(7, 3, 5), next_id=8)
    assert class_order(scene(state.with_batch(swapped))) == (1, 2, 0)


def test_every_pair_of_the_reference_anchor_has_its_decision() -> None:
    assert decisions(reference())[0].tolist() == [
        Decision.SELF,
        Decision.POSITIVE_DROPPED,
        Decision.POSITIVE_KEPT,
        Decision.NEGATIVE_KEPT,
        Decision.NEGATIVE_DROPPED,
    ]


def test_without_mining_nothing_is_dropped() -> None:
    found = decisions(reference(MS.replace(epsilon=None)))
    assert found[0].tolist() == [
        Decision.SELF,
        Decision.POSITIVE_KEPT,
        Decision.POSITIVE_KEPT,
        Decision.NEGATIVE_KEPT,
        Decision.NEGATIVE_KEPT,
    ]


@pytest.mark.parametrize("slug", PRESETS)
def test_only_the_diagonal_is_self(slug: str) -> None:
    found = decisions(scene(default_state().with_batch(PRESETS[slug].make())))
    assert np.array_equal(found == Decision.SELF, np.eye(len(found), dtype=bool))


def test_a_duplicate_point_is_a_positive_and_not_itself() -> None:
    found = decisions(on_circle([0, 0, 90], [0, 0, 1]))
    assert found[0, 1] == Decision.POSITIVE_DROPPED


def test_the_browser_counts_decisions_as_python_does() -> None:
    assert [*Decision] == [0, 1, 2, 3, 4]


def test_matrices_are_in_class_order_and_signed() -> None:
    now = on_circle([0, 90, 10], [0, 1, 0])
    view = matrix_view(now)
    assert view.order == (0, 2, 1)
    cosines = [[1, math.cos(math.radians(10)), 0], [math.cos(math.radians(10)), 1, math.cos(math.radians(80))]]
    assert view.sim[:2] == pytest.approx(np.array(cosines), abs=1e-4)
    free = matrix_view(on_circle([0, 90, 10], [0, 1, 0], MS.replace(epsilon=None)))
    assert free.gradient[0, 1] < 0 < free.gradient[0, 2]  # a positive pulls, a negative pushes
    assert (view.sim.dtype, view.gradient.dtype, view.decision.dtype) == (np.float32, np.float32, np.uint8)


def test_a_dropped_pair_weighs_exactly_nothing() -> None:
    view = matrix_view(scene(default_state()))
    dropped = np.isin(view.decision, [Decision.POSITIVE_DROPPED, Decision.NEGATIVE_DROPPED, Decision.SELF])
    assert dropped.any()
    assert (view.gradient[dropped] == 0).all()


def test_an_empty_batch_has_empty_matrices() -> None:
    view = matrix_view(scene(default_state().with_batch(PRESETS["empty"].make())))
    assert view.order == ()
    assert view.sim.shape == view.gradient.shape == view.decision.shape == (0, 0)
