"""The state's selection and the history's steps."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msviz.core.errors import MsvizError
from msviz.core.figure2 import Case
from msviz.core.methods import METHODS
from msviz.data import PRESETS
from msviz.state import HISTORY_LIMIT, Display, History, Selection, State, Watched, default_state

START = default_state()


def _moved(state: State, y: float, point: int = 0) -> State:
    return state.with_batch(state.batch.moved(point, (1, y)))


def _beta(beta: float) -> State:
    return START.with_method(START.method.replace(beta=beta))


def test_the_first_visitor_sees_overlapping_classes_mined_by_the_authors_method() -> None:
    assert START.batch.source.name == "overlapping"
    assert START.method == METHODS["authors"]
    assert START.method.epsilon == 0.1
    assert START.display == Display(edges=True, forces=True, selection=None)


def test_a_selection_goes_when_one_of_its_points_is_deleted() -> None:
    picked = START.select(4, 6)
    assert picked.with_batch(picked.batch.removed(4)).display.selection is None
    assert picked.with_batch(picked.batch.removed(6)).display.selection is None
    assert picked.with_batch(picked.batch.removed(5)).display.selection == Selection(4, 6)


def test_a_selection_of_no_point_is_none_and_a_point_with_itself_is_no_pair() -> None:
    assert START.select(99).display.selection is None
    assert START.select(4, 4).display.selection == Selection(4)
    assert START.select(4).select(None).display.selection is None


def test_a_new_point_does_not_inherit_the_selection_of_a_deleted_one() -> None:
    picked = START.select(13)
    batch = picked.batch.removed(13)
    assert picked.with_batch(batch.added((1, 0), 0)).display.selection is None
    assert batch.added((1, 0), 0).ids[-1] == 14


def test_undo_and_redo_walk_through_the_steps() -> None:
    history = History(START).push(_beta(50)).push(_beta(60))
    assert history.undo().present == _beta(50)
    assert history.undo().undo().present == START
    assert history.undo().undo().redo().redo().present == _beta(60)
    assert (history.can_undo, history.can_redo) == (True, False)
    assert (history.undo().undo().can_undo, history.undo().can_redo) == (False, True)


def test_at_the_ends_undo_and_redo_do_nothing() -> None:
    history = History(START)
    assert history.undo() is history
    assert history.redo() is history


def test_one_gesture_is_one_step() -> None:
    history = History(START)
    for y in (0.1, 0.2, 0.3):
        history = history.push(_moved(START, y), gesture="drag 1")
    assert history.past == (START,)
    assert history.before == START
    assert history.undo().redo().present == _moved(START, 0.3)


def test_another_gesture_and_no_gesture_are_steps_of_their_own() -> None:
    history = History(START).push(_beta(50), 1).push(_beta(60), 2).push(_beta(70)).push(_beta(80))
    assert len(history.past) == 4
    assert history.before == _beta(70)


def test_a_gesture_ends_with_undo() -> None:
    history = History(START).push(_beta(50), 1).push(_beta(60), 2).undo().push(_beta(70), 1)
    assert history.past == (START, _beta(50))


def test_a_step_forgets_what_was_undone() -> None:
    history = History(START).push(_beta(50)).undo().push(_beta(60))
    assert not history.can_redo


def test_before_is_what_the_last_change_started_from() -> None:
    history = History(START)
    assert history.before is None
    history = history.push(_beta(50))
    assert history.before == START
    assert history.undo().before == _beta(50)
    assert history.undo().redo().before == START


def test_what_is_shown_is_no_step_and_survives_undo() -> None:
    history = History(START).push(_beta(50)).show(Display(edges=False, selection=Selection(4, 6)))
    assert len(history.past) == 1
    back = history.undo()
    assert back.present == START.with_display(history.present.display)
    assert back.redo().present.display == history.present.display


def test_norms_that_count_are_a_step_and_the_camera_is_none() -> None:
    history = History(START).push(START.with_normalize(False)).show(Display(camera=(0, 90)))
    assert not history.present.normalize
    assert history.present.display.camera == (0, 90)
    assert history.undo().present == START.with_display(Display(camera=(0, 90)))


def test_coming_back_to_the_circle_projects_and_undo_lets_the_points_out_again() -> None:
    flat = START.with_normalize(False)
    far = flat.with_batch(flat.batch.moved(0, (0, 1.5), on_circle=False))
    history = History(far).push(far.with_normalize(True))
    assert history.present.batch.board[0].tolist() == [0, 1]
    assert history.present.normalize
    assert history.undo().present == far


def test_norms_stop_counting_on_another_kind_of_board() -> None:
    flat = START.with_normalize(False)
    assert flat.with_batch(PRESETS["sphere_overlapping"].make()).normalize
    assert not flat.with_batch(PRESETS["two_clean"].make()).normalize
    with pytest.raises(MsvizError) as caught:
        START.with_batch(PRESETS["sphere_overlapping"].make()).with_normalize(False)
    assert caught.value.key == "error.not_planar"


def test_a_camera_looks_from_somewhere() -> None:
    for camera in ((180, 0), (-181, 0), (0, 91), (0, -91)):
        with pytest.raises(ValueError, match="camera must be"):
            Display(camera=camera)


def test_table_1_has_seeds_that_a_link_can_carry() -> None:
    for seed in (-1, 1_000_000):
        with pytest.raises(ValueError, match="table1_seed must be"):
            Display(table1_seed=seed)


@pytest.mark.parametrize(
    "wrong", [{"whose": "mine"}, {"step": 41}, {"step": -1}, {"methods": ("active",) * 2}, {"methods": ("ms2",)}]
)
def test_under_figure_2_only_what_exists_can_be_watched(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Watched().replace(**wrong)


def test_another_case_or_row_begins_at_the_first_position_and_other_methods_do_not() -> None:
    watched = Watched(step=7)
    assert watched.replace(case=Case.WHOLE_ROW).step == watched.replace(whose="odd").step == 0
    assert watched.replace(methods=("active",)).step == 7


def test_a_push_that_only_shows_otherwise_is_no_step() -> None:
    history = History(START).push(_beta(50)).undo().push(START.select(4))
    assert history.present == START.select(4)
    assert history.can_redo
    assert not history.can_undo


def test_undo_drops_the_selection_of_a_point_that_it_takes_away() -> None:
    grown = START.with_batch(START.batch.added((1, 0), 0))
    history = History(START).push(grown).show(Display(selection=Selection(14)))
    assert history.present.display.selection == Selection(14)
    assert history.undo().present.display.selection is None


def test_a_hundred_steps_are_kept() -> None:
    history = History(START)
    for beta in range(41, 41 + HISTORY_LIMIT + 5):
        history = history.push(_beta(beta))
    assert len(history.past) == HISTORY_LIMIT
    assert history.past[0] == _beta(45)
    while history.can_undo:
        history = history.undo()
    assert len(history.future) == HISTORY_LIMIT


@given(st.lists(st.sampled_from(["push", "drag", "undo", "redo", "show"]), max_size=30))
def test_undo_then_redo_is_the_same_work_whatever_happened(acts: list[str]) -> None:
    history = History(START)
    for step, act in enumerate(acts):
        if act in ("push", "drag"):
            history = history.push(_beta(41 + step), gesture="g" if act == "drag" else None)
        elif act == "show":
            history = history.show(Display(edges=step % 2 == 0))
        else:
            history = history.undo() if act == "undo" else history.redo()
        if history.can_undo:
            assert history.undo().redo().present == history.present
        if history.can_redo:
            assert history.redo().undo().present == history.present
