"""A snapshot on the page: its numbers are the step's own, and its picture does not jump."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from msviz.core.methods import METHODS, Method
from msviz.core.scheme import Scheme
from msviz.state import State, decode, encode
from msviz.training.snapshot import Snapshot
from msviz.training.trainer import Change
from msviz.views.scene import scene
from msviz.views.training import (
    MAX_KEPT,
    Axes,
    board_steps,
    directions,
    evenly,
    kept_batch,
    longest_step,
    neighbours,
    placed,
    snapshot_state,
)
from msviz.views.training_words import change_marks, left_words

RNG = np.random.default_rng(0)
LABELS = np.repeat([3, 7, 70], 4)


def embeddings(d: int, dtype: type = np.float32) -> np.ndarray:
    return (RNG.normal(size=(12, d)) * RNG.uniform(0.1, 9, size=(12, 1))).astype(dtype)


@pytest.mark.parametrize("d", [2, 3, 4, 64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", [METHODS["authors"], Method("triplet"), Method("histogram")])
def test_the_matrices_are_those_that_made_the_step(d: int, dtype: type, method: Method) -> None:
    x = embeddings(d, dtype)
    shot = Snapshot(0, 0.0, method, 1e-3, np.arange(12), x, LABELS)
    axes = None if d <= 3 else Axes(1).at(0, lambda step: x)
    now = scene(snapshot_state(x, LABELS, method, placed(x, axes)))
    assert torch.allclose(now.evaluation.gradient, shot.evaluation.gradient, rtol=0, atol=1e-12)
    assert torch.equal(now.evaluation.mined.pos, shot.evaluation.mined.pos)
    assert torch.equal(now.evaluation.mined.neg, shot.evaluation.mined.neg)
    assert float(now.evaluation.value) == pytest.approx(float(shot.evaluation.value), abs=1e-12)


@pytest.mark.parametrize("d", [2, 3])
def test_two_and_three_dimensions_are_shown_as_they_are(d: int) -> None:
    x = embeddings(d)
    board = snapshot_state(x, LABELS, METHODS["authors"], placed(x, None)).batch.board
    np.testing.assert_allclose(board, directions(x), atol=2**-14)


def test_classes_are_numbered_anew_and_keep_their_names() -> None:
    names = [f"class {label}" for label in range(71)]
    batch = snapshot_state(embeddings(2), LABELS, METHODS["authors"], np.zeros((12, 2)), names).batch
    assert batch.classes == (0, 1, 2)
    assert [batch.class_name(label) for label in batch.classes] == ["class 3", "class 7", "class 70"]


def test_an_arrow_is_the_way_of_a_direction_however_long_the_embedding() -> None:
    x = embeddings(2, np.float64)
    here, there = (scene(snapshot_state(y, LABELS, METHODS["authors"], placed(y, None))) for y in (x, 50 * x))
    np.testing.assert_allclose(board_steps(here, None, 1.0), board_steps(there, None, 1.0), atol=1e-10)
    assert np.abs((board_steps(here, None, 1.0) * directions(x)).sum(1)).max() < 1e-10  # along the circle
    steps = board_steps(here, None, longest_step(here))
    assert np.linalg.norm(steps, axis=1).max() == pytest.approx(1)


def test_where_norms_count_an_arrow_is_the_part_of_a_step_that_turns_the_point() -> None:
    x = embeddings(3, np.float64) / 5
    scheme = Scheme(normalize=False, penalty=0.1)
    now = scene(snapshot_state(x, LABELS, Method("npair"), placed(x, None)), scheme)
    forces = now.forces[:, :3]  # x has a fourth column, of zeros
    along = (forces * directions(x)).sum(1)
    assert np.abs(along).min() > 1e-4  # steps change lengths, too
    moved = x + 1e-6 * np.linalg.norm(x, axis=1, keepdims=True) ** 2 * forces
    seen = (directions(moved) - directions(x)) / 1e-6
    np.testing.assert_allclose(board_steps(now, None, 1.0), seen, atol=1e-4)


def test_an_arrow_in_many_dimensions_is_the_shadow_of_the_step() -> None:
    x = embeddings(8, np.float64)
    axes = Axes(1).at(0, lambda step: x)
    now = scene(snapshot_state(x, LABELS, METHODS["authors"], placed(x, axes)))
    moved = x + 1e-6 * np.linalg.norm(x, axis=1, keepdims=True) ** 2 * now.forces
    seen = (placed(moved, axes) - placed(x, axes)) / 1e-6
    np.testing.assert_allclose(board_steps(now, axes, 1.0), seen, atol=1e-4)


# Axes


def drift(step: int) -> np.ndarray:
    """Points that move a little with every step."""
    rng = np.random.default_rng(5)
    return rng.normal(size=(30, 16)) + 0.02 * step * rng.normal(size=(30, 16))


def test_the_picture_does_not_jump_from_step_to_step() -> None:
    axes = Axes(grid=1)
    boards = [placed(drift(step), axes.at(step, drift)) for step in range(60)]
    jumps = [np.abs(two - one).max() for one, two in itertools.pairwise(boards)]
    assert max(jumps) < 0.1


def test_without_turning_them_it_would() -> None:
    boards = [placed(drift(step), Axes(grid=1).at(0, lambda _, step=step: drift(step))) for step in range(60)]
    jumps = [np.abs(two - one).max() for one, two in itertools.pairwise(boards)]
    assert max(jumps) > 0.5


def test_a_step_has_the_same_axes_however_one_gets_there() -> None:
    forward, straight = Axes(grid=4), Axes(grid=4)
    for step in range(40):
        forward.at(step, drift)
    np.testing.assert_array_equal(forward.at(22, drift), straight.at(22, drift))


@given(st.integers(0, 200), st.integers(2, 40))
def test_axes_are_orthonormal_or_empty_and_the_shadow_lies_in_the_disc(seed: int, d: int) -> None:
    x = np.random.default_rng(seed).normal(size=(6, d))
    axes = Axes(1).at(0, lambda step: x)
    np.testing.assert_allclose(axes.T @ axes, np.eye(2), atol=1e-9)
    assert np.linalg.norm(placed(x, axes), axis=1).max() <= 1 + 1e-9


def test_one_point_and_equal_points_have_axes_too() -> None:
    for x in (np.ones((1, 5)), np.ones((4, 5)), np.zeros((3, 5))):
        assert np.isfinite(placed(x, Axes(1).at(0, lambda step, x=x: x))).all()


def test_t_sne_keeps_neighbours_together_and_begins_the_same_every_time() -> None:
    centres = np.repeat(np.eye(3, 16), 10, axis=0)
    x = centres + 0.05 * np.random.default_rng(0).normal(size=(30, 16))
    found = neighbours(x)
    np.testing.assert_array_equal(found, neighbours(x))
    assert np.linalg.norm(found, axis=1).max() == pytest.approx(1)
    means = found.reshape(3, 10, 2).mean(1)
    spread = np.linalg.norm(found.reshape(3, 10, 2) - means[:, None], axis=2).max()
    apart = min(np.linalg.norm(means[i] - means[j]) for i in range(3) for j in range(i))
    assert spread < apart / 2


# A snapshot as the current batch


def test_a_kept_snapshot_on_the_sphere_can_be_edited_and_weighs_the_same_up_to_the_grid() -> None:
    x = embeddings(3)
    batch = kept_batch(x, LABELS, None, {"step": 5})
    assert batch.editable
    assert batch.source.note == {"step": 5}
    np.testing.assert_allclose(batch.board, directions(x), atol=2**-14)


def test_a_kept_snapshot_of_many_dimensions_keeps_them_all() -> None:
    x = embeddings(64)
    batch = kept_batch(x, LABELS, Axes(1).at(0, lambda step: x), {})
    assert not batch.editable
    np.testing.assert_array_equal(batch.x, x.astype(np.float64))


def test_a_kept_snapshot_says_what_its_classes_are_called_here_and_in_a_link() -> None:
    names = ["left out", "ant", "bee" * 20, "\ud800"]
    batch = kept_batch(embeddings(3)[:4], np.array([3, 1, 2, 1]), None, {}, names)
    assert [batch.class_name(label) for label in batch.labels] == ["?", "ant", "bee" * 13 + "…", "ant"]
    again, errors = decode(encode(State(batch, METHODS["paper"])))
    assert (again.batch, again.batch.names, errors) == (batch, batch.names, ())


def test_the_longest_names_of_the_most_classes_fit_into_a_link() -> None:
    labels = np.arange(512) % 256
    batch = kept_batch(np.tile(np.eye(3), (171, 1))[:512], labels, None, {}, ["猫" * 99] * 256)
    assert decode(encode(State(batch, METHODS["paper"])))[0].batch == batch


def test_a_kept_snapshot_of_digits_keeps_their_images() -> None:
    batch = kept_batch(embeddings(3)[:3], np.array([7, 7, 2]), None, {}, list("0123456789"), np.array([1700, 3, 9]))
    assert batch.digits == (1700, 3, 9)
    assert [batch.class_name(label) for label in batch.labels] == ["7", "7", "2"]
    again, _ = decode(encode(State(batch, METHODS["paper"])))
    assert (again.batch.digits, again.batch.class_name(1)) == (batch.digits, "7")


def test_at_most_512_points_are_kept_evenly_by_class() -> None:
    labels = np.repeat(np.arange(10), 100)
    rows = evenly(labels, MAX_KEPT)
    assert len(rows) <= MAX_KEPT
    assert set(np.bincount(labels[rows])) == {51}
    assert (np.diff(rows) > 0).all()


# Words


def test_a_sliders_way_is_one_mark_and_what_came_back_is_none() -> None:
    method = METHODS["authors"]
    way = [Change(10 + k, "beta", 40.0 + k, 41.0 + k) for k in range(20)]
    (mark,) = change_marks(way, method, near=30)
    assert mark[0] == 10
    assert mark[1].values == {"letter": "β", "old": 40.0, "new": 60.0}
    back = [Change(10, "beta", 40.0, 50.0), Change(12, "beta", 50.0, 40.0)]
    assert change_marks(back, method, near=30) == []
    assert len(change_marks([Change(10, "beta", 40, 50), Change(90, "beta", 50, 60)], method, near=30)) == 2


def test_what_was_set_before_the_first_step_is_no_change_on_the_way() -> None:
    assert change_marks([Change(0, "learning_rate", 0.1, 0.2)], METHODS["authors"], near=5) == []


def test_how_long_it_takes_is_said_as_people_say_it() -> None:
    assert left_words(None) is None
    assert left_words(float("inf")) is None
    assert left_words(0.2).values == {"count": 1}  # type: ignore[union-attr]
    assert left_words(99).key == "train.left.seconds"  # type: ignore[union-attr]
    assert left_words(101).values == {"count": 2}  # type: ignore[union-attr]
