"""A desk applies what a visitor does, once, in order; what it refuses leaves everything as it was and is explained."""

from typing import Any

import pytest

from msviz.core.figure2 import Case
from msviz.core.losses import LOSSES
from msviz.core.losses.spec import param_infos
from msviz.core.methods import METHODS, Method
from msviz.core.npair import Pairing
from msviz.data import GRID, MAX_POINTS, PRESETS, Batch, digits_batch
from msviz.state import Selection, Watched, default_state
from msviz.state.npair_lab import NPairLab
from msviz.text import say_error
from msviz.ui.desk import Desk, with_loss
from msviz.views.remedy import remedies
from tests.ui.parcels import degrees, desk, event, move


def _one(before: Desk, kind: str, **what: Any) -> Desk:
    return before.apply("b", [event(before.applied.get("b", 0) + 1, kind, **what)])


def _refused(before: Desk, kind: str, **what: Any) -> str:
    """The key of the reason; everything else is as it was."""
    after = _one(before, kind, **what)
    assert after.state is before.state
    assert after.history is before.history
    (error,) = after.errors
    assert say_error(error)
    return error.key


def test_events_do_what_they_say() -> None:
    start = desk()
    assert degrees(_one(start, "move", target=3, x=0, y=-5).state.batch, 3) == 270
    added = _one(start, "add", x=0, y=1, label=1).state.batch
    assert (added.ids[-1], added.labels[-1], degrees(added, 14)) == (14, 1, 90)
    assert 3 not in _one(start, "remove", target=3).state.batch.ids
    assert _one(start, "label", target=3, label=2).state.batch.labels[3] == 2
    assert _one(start, "loss", name="triplet").state.method == Method("triplet", epsilon=0.1)
    assert _one(start, "preset", slug="paper").state.method == METHODS["paper"]
    assert _one(start, "param", target="beta", value=80).state.method.params.beta == 80
    assert _one(start, "param", target="epsilon", value=0.2).state.method.epsilon == 0.2
    assert _one(start, "mine", on=False).state.method.epsilon is None


def test_mining_switched_on_again_uses_the_default_margin() -> None:
    off = _one(desk(default_state().with_method(METHODS["authors"].replace(epsilon=0.3))), "mine", on=False)
    assert _one(off, "mine", on=True).state.method.epsilon == 0.1


def test_an_event_number_is_applied_once() -> None:
    add = event(1, "add", x=0, y=1, label=0)
    once = desk().apply("b", [add])
    assert once.apply("b", [add]).state.batch.m == 15
    again = once.apply("b", [add, event(2, "remove", target=0)])  # sent again with what came since
    assert again.state.batch.m == 14
    assert again.applied == {"b": 2}


def test_components_count_on_their_own() -> None:
    after = desk().apply("b", [event(5, "remove", target=0)]).apply("c", [event(1, "mine", on=False)])
    assert after.applied == {"b": 5, "c": 1}
    assert after.state.method.epsilon is None


def test_events_are_applied_in_the_order_of_their_numbers() -> None:
    after = desk().apply("b", [event(3, "remove", target=14), event(1, "add", x=0, y=1, label=0), move(2, 14, 45)])
    assert after.errors == ()
    assert after.state.batch.m == 14
    assert len(after.history.past) == 3


def test_an_applied_number_stays_applied_when_it_is_refused() -> None:
    after = desk().apply("b", [event(1, "remove", target=99), event(2, "remove", target=0)])
    assert after.applied == {"b": 2}
    assert after.errors == ()  # the gesture that worked has cleared it
    assert after.state.batch.m == 13


def test_a_whole_drag_is_one_step_of_the_history() -> None:
    after = desk().apply("b", [move(seq, 0, 8 + seq, "b1.1") for seq in range(1, 31)])
    assert after.open
    assert len(after.history.past) == 1
    assert degrees(after.state.batch, 0) == pytest.approx(38, abs=0.01)
    assert _one(after, "undo").state.same_work(default_state())


def test_a_drag_over_several_parcels_is_one_step_too() -> None:
    after = desk()
    for seq in range(1, 6):
        after = after.apply("b", [move(seq, 0, 8 + seq, "b1.1")])
    assert len(after.history.past) == 1


def test_two_drags_are_two_steps() -> None:
    after = desk().apply("b", [move(1, 0, 20, "b1.1"), event(2, "drop"), move(3, 0, 30, "b3.2")])
    assert len(after.history.past) == 2


def test_dropping_ends_the_gesture_and_changes_nothing() -> None:
    held = desk().apply("b", [move(1, 0, 20, "b1.1")])
    dropped = _one(held, "drop")
    assert (held.open, dropped.open) == (True, False)
    assert dropped.history is held.history


def test_a_lone_event_is_no_open_gesture() -> None:
    assert not _one(desk(), "remove", target=0).open


def test_undo_and_redo_walk_through_the_steps_and_close_a_gesture() -> None:
    after = desk().apply("b", [event(1, "remove", target=0), move(2, 1, 99, "b2.1")])
    back = _one(after, "undo")
    assert not back.open
    assert back.state.batch.m == 13
    assert degrees(back.state.batch, 1) == pytest.approx(22, abs=0.01)
    assert _one(_one(back, "undo"), "redo").state.same_work(back.state)
    assert _one(back, "redo").state.same_work(after.state)


def test_undo_at_the_beginning_does_nothing() -> None:
    assert _one(desk(), "undo").state == default_state()
    assert _one(desk(), "redo").state == default_state()


def test_undo_clears_what_was_refused() -> None:
    refused = _one(_one(desk(), "remove", target=0), "remove", target=0)
    assert refused.errors
    assert _one(refused, "undo").errors == ()


@pytest.mark.parametrize(
    ("kind", "what", "key"),
    [
        ("param", {"target": "beta", "value": -3}, "error.parameter_range"),
        ("param", {"target": "beta", "value": 201}, "error.parameter_range"),
        ("param", {"target": "beta", "value": float("nan")}, "error.parameter_range"),
        ("param", {"target": "beta", "value": "forty"}, "error.parameter_range"),
        ("param", {"target": "beta", "value": 10**400}, "error.parameter_range"),
        ("param", {"target": "beta", "value": None}, "error.not_a_number"),
        ("param", {"target": "epsilon", "value": None}, "error.not_a_number"),
        ("param", {"target": "epsilon", "value": -0.1}, "error.epsilon"),
        ("param", {"target": "gamma", "value": 1}, "error.parameter_unknown"),
        ("loss", {"name": "focal"}, "error.loss_unknown"),
        ("move", {"target": 99, "x": 0, "y": 1}, "error.no_such_point"),
        ("move", {"target": 1e25, "x": 0, "y": 1}, "error.no_such_point"),
        ("move", {"target": 0, "x": float("nan"), "y": 1}, "error.position"),
        ("remove", {"target": 99}, "error.no_such_point"),
        ("label", {"target": 99, "label": 0}, "error.no_such_point"),
        ("label", {"target": 0, "label": 256}, "error.label_range"),
        ("add", {"x": 0, "y": 0, "label": 0}, "error.at_centre"),
        ("add", {"x": 0, "y": 1, "label": -1}, "error.label_range"),
        # what no page of ours sends
        ("dance", {}, "error.event"),
        ("move", {}, "error.event"),
        ("move", {"target": "x", "x": 0, "y": 1}, "error.event"),
        ("move", {"target": float("inf"), "x": 0, "y": 1}, "error.event"),
        ("move", {"target": 0, "x": [], "y": 1}, "error.event"),
        ("param", {"target": "name", "value": 1}, "error.parameter_unknown"),
        ("param", {"target": "loss_name", "value": 1}, "error.event"),
        ("preset", {"slug": "mine"}, "error.event"),
        ("select", {"anchor": "x", "other": None}, "error.event"),
        ("show", {"edges": True}, "error.event"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason(kind: str, what: dict[str, Any], key: str) -> None:
    assert _refused(desk(), kind, **what) == key


@pytest.mark.parametrize(
    "parcel", [[{"kind": "undo"}], [{"seq": "x", "kind": "undo"}], [None], [["seq"]], [{"seq": {}}]]
)
def test_a_parcel_that_cannot_be_put_in_order_is_refused_as_a_whole(parcel: list[Any]) -> None:
    before = desk()
    after = before.apply("b", [event(1, "remove", target=0), *parcel])
    assert after.history is before.history
    assert after.applied == {}
    assert [error.key for error in after.errors] == ["error.event"]


def test_an_event_without_a_kind_is_refused() -> None:
    assert [error.key for error in desk().apply("b", [{"seq": 1}]).errors] == ["error.event"]


def test_a_parameter_that_is_refused_is_named_by_its_letter() -> None:
    (error,) = _one(desk(), "param", target="beta", value=-3).errors
    assert say_error(error) == "β must be > 0 and <= 200, got −3."


def test_an_empty_field_is_named_by_its_letter() -> None:
    (error,) = _one(desk(), "param", target="epsilon", value=None).errors
    assert say_error(error).startswith("ε needs a number")
    (error,) = _one(desk(), "param", target="lam", value=None).errors
    assert say_error(error).startswith("λ needs a number")


def test_the_513th_point_is_refused() -> None:
    full = desk(default_state().with_batch(Batch.of([[1, 0]] * MAX_POINTS, [0] * MAX_POINTS)))
    assert _refused(full, "add", x=0, y=1, label=0) == "error.too_many_points"


def test_points_of_a_projection_stay_where_they_are() -> None:
    picture = desk(default_state().with_batch(digits_batch([3, 8], 2, seed=0, space="pixels")))
    assert _refused(picture, "move", target=0, x=0, y=1) == "error.not_editable"
    assert _refused(picture, "add", x=0, y=1, label=3) == "error.not_editable"
    assert _one(picture, "remove", target=0).state.batch.m == 3


def test_a_refusal_during_a_drag_closes_it() -> None:
    held = desk().apply("b", [move(1, 0, 20, "b1.1")])
    assert not held.apply("b", [event(2, "move", "b1.1", target=99, x=0, y=1)]).open


def test_the_centre_keeps_the_old_place_and_is_no_step() -> None:
    after = _one(desk(), "move", target=0, x=0, y=0)
    assert after.errors == ()
    assert not after.history.can_undo


def test_selecting_and_hiding_are_no_steps() -> None:
    after = desk().apply(
        "b",
        [
            event(1, "select", anchor=4, other=6),
            event(2, "show", edges=False, forces=True),
        ],
    )
    assert after.state.display.selection == Selection(4, 6)
    assert not after.state.display.edges
    assert not after.history.can_undo
    assert after.state.same_work(default_state())


def test_a_display_event_neither_ends_a_drag_nor_hides_a_refusal() -> None:
    held = desk().apply("b", [move(1, 0, 20, "b1.1"), event(2, "select", anchor=0, other=None)])
    assert held.open
    refused = _one(_one(desk(), "remove", target=99), "select", anchor=0, other=None)
    assert [error.key for error in refused.errors] == ["error.no_such_point"]


def test_a_selection_can_be_cleared_and_an_unknown_point_selects_nothing() -> None:
    chosen = _one(desk(), "select", anchor=4, other=6)
    assert _one(chosen, "select", anchor=None, other=None).state.display.selection is None
    assert _one(chosen, "select", anchor=99, other=None).state.display.selection is None
    assert _one(chosen, "select", anchor=4, other=4).state.display.selection == Selection(4)


def test_a_remedy_shows_the_opposite_and_is_one_step() -> None:
    start = desk(default_state().with_batch(PRESETS["two_clean"].make()))
    for target in (0, 1):
        after = _one(start, "remedy", target=target)
        assert after.state.same_work(remedies(start.state)[target].state)
        assert _one(after, "undo").state.same_work(start.state)
    assert _one(start, "remedy", target=0).state.method == start.state.method
    assert _one(start, "remedy", target=1).state.method.epsilon > 1


def test_a_remedy_that_is_not_offered_any_more_does_nothing() -> None:
    assert _one(desk(), "remedy", target=0).history is not None
    assert not _one(desk(), "remedy", target=0).history.can_undo
    assert _refused(desk(), "remedy", target=-1) == "error.event"
    assert _refused(desk(), "remedy") == "error.event"


def test_loading_a_batch_is_one_step_that_ends_gestures_and_clears_refusals() -> None:
    refused = desk().apply("b", [move(1, 0, 20, "b1.1"), event(2, "remove", target=99)])
    loaded = refused.load(refused.state.with_batch(PRESETS["two_clean"].make()))
    assert (loaded.open, loaded.errors, len(loaded.history.past)) == (False, (), 2)
    assert loaded.applied == refused.applied
    assert _one(loaded, "undo").state.batch == refused.state.batch


@pytest.mark.parametrize("new", LOSSES)
@pytest.mark.parametrize("old", LOSSES)
def test_another_loss_keeps_mining_and_the_parameters_that_mean_the_same(old: str, new: str) -> None:
    for example in LOSSES[old].examples:
        before = Method(old, epsilon=0.3, **vars(example))
        after = with_loss(before, new)
        assert (after.name, after.epsilon) == (new, 0.3)
        mine = {info.name: info for info in param_infos(before.params)}
        for info in param_infos(after.params):
            twin = mine.get(info.name)
            same = twin and (twin.low, twin.high, twin.default) == (info.low, info.high, info.default)
            expected = getattr(before.params, info.name) if same else info.default
            assert getattr(after.params, info.name) == expected


def test_binomial_and_multi_similarity_share_all_and_triplet_has_its_own_margin() -> None:
    binomial = Method("binomial", alpha=3, beta=10, lam=0.3)
    assert with_loss(binomial, "multi_similarity") == Method("multi_similarity", alpha=3, beta=10, lam=0.3)
    assert with_loss(binomial, "triplet") == Method("triplet", lam=0.1)  # a margin, not a threshold
    assert with_loss(binomial, "lifted_star") == Method("lifted_star", alpha=3, beta=10)


# Spheres and planes

SPHERE = default_state().with_batch(PRESETS["sphere_overlapping"].make())


def test_on_a_sphere_points_have_three_coordinates() -> None:
    moved = _one(desk(SPHERE), "move", target=3, x=0, y=0, z=-4)
    assert moved.state.batch.board[3].tolist() == [0, 0, -1]
    added = _one(moved, "add", x=0, y=2, z=0, label=1)
    assert (added.state.batch.board[15].tolist(), added.state.batch.labels[15]) == ([0, 1, 0], 1)
    assert _refused(desk(SPHERE), "move", target=3, x=0, y=1) == "error.event"
    assert _refused(desk(SPHERE), "add", x=0, y=1, z=float("nan"), label=0) == "error.position"


def test_turning_the_sphere_is_no_step_and_may_go_round_and_round() -> None:
    turned = _one(desk(SPHERE), "camera", yaw=-200, pitch=90)
    assert turned.state.display.camera == (160, 90)
    assert not turned.history.can_undo
    assert _one(turned, "move", target=3, x=0, y=0, z=1).state.display.camera == (160, 90)
    assert _refused(desk(SPHERE), "camera", yaw=0, pitch=91) == "error.event"
    assert _refused(desk(SPHERE), "camera", yaw=float("inf"), pitch=0) == "error.event"


def test_what_is_watched_under_figure_2_is_no_step_and_must_exist() -> None:
    watched = _one(desk(), "watch", case="1, negatives only", whose="odd", methods=["triplet", "active"])
    assert watched.state.display.figure2 == Watched(Case.NEGATIVES_ONLY, "odd", ("triplet", "active"))
    assert _one(watched, "watch", step=40).state.display.figure2.step == 40
    assert not watched.history.can_undo
    for wrong in ({"case": "4"}, {"whose": "mine"}, {"methods": ["active", "active"]}, {"step": 41}):
        assert _refused(desk(), "watch", **wrong) == "error.event"


def test_table_1_can_be_measured_with_any_seed_that_a_link_can_carry() -> None:
    assert _one(desk(), "measure", seed=3).state.display.table1_seed == 3
    assert not _one(desk(), "measure", seed=3).history.can_undo
    assert _refused(desk(), "measure", seed=1_000_000) == "error.event"


def test_what_is_chosen_in_the_n_pair_lab_is_no_step_and_must_exist() -> None:
    chosen = _one(_one(desk(), "npair", target="tuplets", value="triplets"), "npair", target="n", value=3)
    assert chosen.state.display.npair == NPairLab(Pairing.TRIPLETS, n=3)
    assert not chosen.history.can_undo
    assert _refused(desk(), "npair", target="tuplets", value="all") == "error.event"
    assert _refused(desk(), "npair", target="colour", value=1) == "error.event"
    assert _refused(desk(), "npair", target="penalty", value=2) == "error.parameter_range"


def test_norms_count_until_they_are_switched_off_and_both_are_steps() -> None:
    flat = _one(desk(), "flat", on=True)
    assert not flat.state.normalize
    away = _one(flat, "move", target=3, x=0.5, y=-5)
    assert away.state.batch.board[3].tolist() == [0.5, -2 + GRID]
    added = _one(away, "add", x=0, y=0, label=0)  # the centre is a place like any other
    assert added.state.batch.board[14].tolist() == [0, 0]
    back = _one(away, "flat", on=False)
    assert back.state.normalize
    assert (back.state.batch.board[3] ** 2).sum() == pytest.approx(1, abs=1e-4)
    assert [len(it.history.past) for it in (flat, away, back)] == [1, 2, 3]
    undone = _one(back, "undo")
    assert undone.state == away.state


@pytest.mark.parametrize(
    "batch", [PRESETS["sphere_sixty_four"].make(), digits_batch([3, 8], 2, seed=0, space="pixels")], ids=["3-D", "64-D"]
)
def test_norms_cannot_count_where_points_cannot_leave_the_circle(batch: Batch) -> None:
    assert _refused(desk(default_state().with_batch(batch)), "flat", on=True) == "error.not_planar"
