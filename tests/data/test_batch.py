"""The batch: on the grid, never changed in place, each operation checked."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msviz.core.errors import MsvizError
from msviz.data import GRID, MAX_POINTS, Batch, Source, snap

SQUARE = Batch.of([[1, 0], [0, 1], [-1, 0], [0, -1]], [0, 0, 1, 1])
PIXELS = Batch.of([[0.5, 0], [0, 0.5]], [3, 8], x=np.eye(2, 64), digits=[3, 8], source=Source("digits", "digits"))


def _key(act: Callable[[], object]) -> str:
    with pytest.raises(MsvizError) as caught:
        act()
    return caught.value.key


def test_positions_lie_on_the_grid_of_a_link() -> None:
    batch = Batch.of([[0.1, -0.7], [3.0, -3.0]], [0, 0])
    assert np.array_equal(batch.board / GRID, [[1638, -11469], [32767, -32767]])  # .1 * 16384 = 1638.4


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=2))
def test_snapping_moves_by_half_a_step_at_most_and_snapping_twice_changes_nothing(xy: list[float]) -> None:
    once = snap(xy)
    assert np.array_equal(snap(once), once)
    assert np.all(np.abs(once - np.clip(xy, -2 + GRID, 2 - GRID)) <= GRID / 2)
    assert np.array_equal(np.signbit(once), once < 0)  # no -0.0: a link knows one zero


def test_up_to_three_dimensions_the_board_is_the_embeddings() -> None:
    assert SQUARE.x is SQUARE.board
    assert SQUARE.editable
    assert Batch.of([[0, 0, 1.0]], [0]).editable
    assert not PIXELS.editable
    assert PIXELS.x.shape == (2, 64)


def test_arrays_cannot_be_written_and_the_given_ones_stay_free() -> None:
    given_board = np.eye(2)
    batch = Batch.of(given_board, [0, 1])
    with pytest.raises(ValueError, match="read-only"):
        batch.board[0, 0] = 0
    given_board[0, 0] = 7
    assert batch.board[0, 0] == 1


def test_a_moved_point_comes_to_lie_on_the_circle() -> None:
    moved = SQUARE.moved(1, (3, 4))
    assert moved.board[1] == pytest.approx([0.6, 0.8], abs=GRID)
    assert np.array_equal(moved.board[[0, 2, 3]], SQUARE.board[[0, 2, 3]])
    assert SQUARE.board[1].tolist() == [0, 1]
    assert moved.x is moved.board
    assert moved.source.edited
    assert not SQUARE.source.edited


def test_off_the_circle_a_point_stays_where_it_is_put() -> None:
    assert SQUARE.moved(1, (0.25, 9), on_circle=False).board[1].tolist() == [0.25, 2 - GRID]


def test_at_the_centre_a_moved_point_keeps_its_place_and_an_added_one_is_refused() -> None:
    assert SQUARE.moved(1, (0, 0)) is SQUARE
    assert SQUARE.moved(1, (GRID / 4, 0)) is SQUARE
    assert _key(lambda: SQUARE.added((0, 0), 0)) == "error.at_centre"


@given(st.floats(-math.pi, math.pi), st.floats(-200, 200))
def test_a_drag_keeps_its_direction_however_far_it_goes(angle: float, exponent: float) -> None:
    far = 10.0 ** max(exponent, -3)
    direction = np.array([math.cos(angle), math.sin(angle)])
    assert np.abs(SQUARE.moved(0, far * direction).board[0] - direction).max() <= GRID


def test_an_id_is_never_given_twice() -> None:
    batch = SQUARE.removed(3).added((1, 1), 5)
    assert batch.ids == (0, 1, 2, 4)
    assert batch.labels == (0, 0, 1, 5)
    assert batch.next_id == 5
    assert batch.index(4) == 3


def test_removing_takes_the_row_out_of_everything() -> None:
    batch = PIXELS.removed(0)
    assert (batch.ids, batch.labels, batch.digits, batch.next_id) == ((1,), (8,), (8,), 2)
    assert np.array_equal(batch.x, PIXELS.x[1:])
    assert np.array_equal(batch.board, PIXELS.board[1:])


def test_relabelling_changes_one_label_only_also_where_points_cannot_be_moved() -> None:
    assert SQUARE.relabelled(1, 7).labels == (0, 7, 1, 1)
    batch = PIXELS.relabelled(1, 3)
    assert (batch.labels, batch.editable) == ((3, 3), False)
    assert np.array_equal(batch.x, PIXELS.x)


def test_a_projection_cannot_be_edited() -> None:
    assert _key(lambda: PIXELS.moved(0, (1, 0))) == "error.not_editable"
    assert _key(lambda: PIXELS.added((1, 0), 3)) == "error.not_editable"


def test_a_point_that_does_not_exist_is_named() -> None:
    for act in (
        lambda: SQUARE.index(9),
        lambda: SQUARE.moved(9, (1, 0)),
        lambda: SQUARE.removed(9),
        lambda: SQUARE.relabelled(9, 0),
    ):
        assert _key(act) == "error.no_such_point"


@pytest.mark.parametrize("xy", [(math.nan, 0), (math.inf, 1), (1,), (1, 2, 3), ((1, 0), (0, 1))])
def test_a_position_is_two_finite_numbers(xy: tuple[float, ...]) -> None:
    assert _key(lambda: SQUARE.moved(0, xy)) == "error.position"


@pytest.mark.parametrize("label", [-1, 256, 0.5, True, math.nan])
def test_a_class_is_a_whole_number_from_0_to_255(label: int) -> None:
    assert _key(lambda: SQUARE.relabelled(0, label)) == "error.label_range"


def test_4096_points_are_the_limit() -> None:
    full = Batch.of(np.ones((MAX_POINTS, 2)), [0] * MAX_POINTS)
    assert _key(lambda: full.added((1, 0), 0)) == "error.too_many_points"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Batch.of([[1, 0]], [0, 0]),
        lambda: Batch.of([[1, 0, 0, 0]], [0]),
        lambda: Batch.of([1, 0], [0, 0]),
        lambda: Batch.of([[math.nan, 0]], [0]),
        lambda: Batch.of([[1, 0], [0, 1]], [0, 0], ids=[3, 3]),
        lambda: Batch.of([[1, 0]], [0], ids=[3], next_id=3),
        lambda: Batch.of([[1, 0]], [0], ids=[-1]),
        lambda: Batch.of([[1, 0]], [0], digits=[1797]),
        lambda: Batch.of([[1, 0]], [0], x=[[1, 0]]),
    ],
)
def test_what_does_not_fit_together_is_refused(make: Callable[[], Batch]) -> None:
    assert _key(make) == "error.batch_shape"


def test_batches_are_equal_by_content() -> None:
    again = Batch.of([[1, 0], [0, 1], [-1, 0], [0, -1]], [0, 0, 1, 1])
    assert again == SQUARE
    assert hash(again) == hash(SQUARE)
    assert SQUARE.moved(0, (1, 0.5)) != SQUARE
    assert SQUARE.relabelled(0, 1) != SQUARE
    assert PIXELS != "batch"


def test_classes_have_letters_and_digits_their_own_names() -> None:
    assert [SQUARE.class_name(label) for label in (0, 25, 26, 27, 255)] == ["A", "Z", "AA", "AB", "IV"]
    assert PIXELS.class_name(8) == "8"
    assert PIXELS.classes == (3, 8)


def test_an_empty_batch_is_a_batch() -> None:
    empty = Batch.of([], [])
    assert (empty.m, empty.board.shape, empty.classes) == (0, (0, 2), ())
    assert empty.added((0, 2), 1).board.tolist() == [[0, 1]]
    assert SQUARE.removed(0).removed(1).removed(2).removed(3).next_id == 4


@pytest.mark.parametrize(
    "source",
    [
        lambda: Source("other", "x"),  # type: ignore[arg-type]
        lambda: Source("hand", "x" * 81),
        lambda: Source("hand", "\ud800"),
        lambda: Source("hand", "", {"x": math.nan}),
        lambda: Source("hand", "", {"x": object()}),
        lambda: Source("hand", "", {"x": "y" * 2000}),
    ],
)
def test_a_source_is_short_plain_json(source: Callable[[], Source]) -> None:
    with pytest.raises(ValueError, match=r"must be|surrogates|JSON compliant"):
        source()


def test_points_come_back_to_the_circle_and_one_at_the_centre_stays_there() -> None:
    away = Batch.of([[0, 1.5], [0.3, -0.4], [0, 0], [1, 0]], [0, 0, 1, 1])
    back = away.on_circle()
    assert back.board.tolist()[0] == [0, 1]
    assert back.board[1] == pytest.approx([0.6, -0.8], abs=GRID)
    assert back.board.tolist()[2:] == [[0, 0], [1, 0]]
    assert back.source.edited
    assert back.x is back.board


def test_a_batch_on_the_circle_is_not_touched_by_coming_back_to_it() -> None:
    turn = np.radians(np.linspace(0, 360, 100))
    batch = Batch.of(np.stack([np.cos(turn), np.sin(turn)], 1), [0] * 100)
    assert batch.on_circle() is batch
    assert PIXELS.on_circle() is PIXELS


def test_points_can_leave_the_circle_on_a_board_of_two_dimensions_only() -> None:
    assert SQUARE.planar
    assert not PIXELS.planar
    assert not Batch.of([[0, 0, 1.0]], [0]).planar
