"""What just changed is said in one line: what the person did, and what came of it."""

import numpy as np
import pytest

from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, Batch, digits_batch
from msviz.state import History, State, default_state
from msviz.text import msg
from msviz.views.change import ChangeView, change_view
from msviz.views.scene import scene
from tests.views.scenes import MS, circle, cos, keys

# A at 0, 30 and 90, B at 60 and 200 degrees, C alone at 280.
START = circle([0, 30, 90, 60, 200, 280], [0, 0, 0, 1, 1, 2], MS)


def _change(before: State, after: State) -> ChangeView:
    view = change_view(scene(before), scene(after))
    assert keys(view.actions)
    keys(view.effects)
    return view


def _at(degrees: float) -> tuple[float, float]:
    return cos(degrees), cos(90 - degrees)


def test_before_anything_happened_nothing_is_said() -> None:
    view = change_view(None, scene(START))
    assert (view.actions, view.effects, view.ghosts) == ((), (), ())
    assert view.changed.shape == (6, 6)
    assert not view.changed.any()


def test_the_same_work_shown_otherwise_is_no_change() -> None:
    view = change_view(scene(START), scene(START.select(0, 1)))
    assert (view.actions, view.effects, view.ghosts) == ((), (), ())


def test_a_move_names_both_angles_and_leaves_a_ghost() -> None:
    view = _change(START, START.with_batch(START.batch.moved(0, _at(345))))
    assert view.actions == (msg("change.moved", id=0, old="0°", new="345°"),)
    assert view.ghosts == ((1.0, 0.0, 0),)


def test_changed_cells_are_those_whose_weight_moved() -> None:
    # Multi-similarity without mining: a move of 0 changes its row, its column, and what rivals of its pairs share.
    before = START.with_method(METHODS["ms_weighting"])
    after = before.with_batch(before.batch.moved(0, _at(345)))
    view = _change(before, after)
    old, new = (scene(state).weights.numpy() for state in (before, after))
    assert np.array_equal(view.changed, np.abs(new - old) > 5e-4)
    assert view.changed[0, 1]
    assert not np.diag(view.changed).any()


def test_the_weight_that_moved_most_is_named() -> None:
    before = circle([0, 30, 60], [0, 0, 1], Method("multi_similarity", beta=50))
    after = before.with_method(Method("multi_similarity", beta=50, lam=0.9))
    # Negative 1-2 (cos 30 = .866): 1 / (1 + e^{50 (.5 - .866)}) = 1 -> 1 / (1 + e^{50 (.9 - .866)}) = .1545. Seen from
    # 2 it has a rival at .5, which takes nothing of it.
    view = _change(before, after)
    weights = [scene(state).weights.numpy() for state in (before, after)]
    moved = np.abs(weights[1] - weights[0])
    i, j = divmod(int(moved.argmax()), 3)
    named = next(effect for effect in view.effects if effect.key == "change.weight")
    assert named.values == {"anchor": i, "other": j, "old": weights[0][i, j], "new": weights[1][i, j]}
    assert named.values["old"] == pytest.approx(1, abs=1e-6)
    assert named.values["new"] == pytest.approx(0.1545, abs=1e-3)


def test_an_added_point_is_named_with_its_class() -> None:
    view = _change(START, START.with_batch(START.batch.added(_at(45), 2)))
    assert view.actions == (msg("change.added", id=6, name="C"),)
    assert view.ghosts == ()
    assert view.changed.shape == (7, 7)
    assert not view.changed[6].any()  # a new row has no before
    assert not view.changed[:, 6].any()


def test_a_removed_point_leaves_a_ghost() -> None:
    view = _change(START, START.with_batch(START.batch.removed(5)))
    assert view.actions == (msg("change.removed", id=5),)
    ((x, y, label),) = view.ghosts
    assert (x, y) == pytest.approx(_at(280), abs=1e-4)
    assert label == 2
    assert view.changed.shape == (5, 5)


def test_weights_are_compared_by_point_and_not_by_row() -> None:
    # Without point 0 every row moves up by one. Under the linear loss all weights stay 1, so none changed.
    linear = START.with_method(Method("linear"))
    view = _change(linear, linear.with_batch(START.batch.removed(0)))
    assert not view.changed.any()
    assert keys(view.effects) == ["change.no_weight", "change.loss_value"]


def test_a_relabelled_point_names_both_classes() -> None:
    view = _change(START, START.with_batch(START.batch.relabelled(3, 0)))
    assert view.actions == (msg("change.relabelled", id=3, old="B", new="A"),)
    assert view.ghosts == ()
    assert view.changed.any()


def test_the_last_point_can_be_removed() -> None:
    one = START.with_batch(PRESETS["one_point"].make())
    view = _change(one, one.with_batch(one.batch.removed(0)))
    assert view.actions == (msg("change.removed", id=0),)
    assert view.effects == (msg("change.no_weight"),)  # and no loss is compared with that of nothing


def test_a_parameter_is_named_by_its_letter() -> None:
    view = _change(START, START.with_method(MS.replace(beta=80)))
    assert view.actions == (msg("change.param", letter="β", old=40.0, new=80.0),)
    assert view.ghosts == ()


def test_epsilon_decides_what_is_newly_kept_or_dropped() -> None:
    kept = [scene(START.with_method(MS.replace(epsilon=epsilon))).kept for epsilon in (0.1, 1.0)]
    wider = _change(START, START.with_method(MS.replace(epsilon=1.0)))
    assert wider.actions == (msg("change.param", letter="ε", old=0.1, new=1.0),)
    new = int((kept[1] & ~kept[0]).sum())
    assert new > 0
    assert msg("change.newly_kept", count=new) in wider.effects
    assert "change.newly_dropped" not in keys(wider.effects)
    narrower = _change(START.with_method(MS.replace(epsilon=1.0)), START)
    assert msg("change.newly_dropped", count=new) in narrower.effects
    assert "change.newly_kept" not in keys(narrower.effects)


def test_a_changed_decision_is_a_changed_cell_even_when_no_weight_moved() -> None:
    # Triplet, margin 0, two tight classes: no triplet is active, whatever is mined.
    before = circle([0, 20, 50, 70], [0, 0, 1, 1], Method("triplet", lam=0, epsilon=0.0))
    after = before.with_method(before.method.replace(epsilon=0.1))
    view = _change(before, after)
    assert keys(view.effects) == ["change.newly_kept", "change.loss_value"]
    assert int(view.changed.sum()) == 4


def test_mining_is_switched_off_and_on() -> None:
    off = START.with_method(MS.replace(epsilon=None))
    assert _change(START, off).actions == (msg("change.mining_off"),)
    assert _change(off, START).actions == (msg("change.mining_on", epsilon=0.1),)


def test_another_loss_is_named_by_its_title_and_its_parameters_are_not_listed() -> None:
    view = _change(START, START.with_method(Method("triplet", epsilon=0.1)))
    assert view.actions == (msg("change.loss", old="Multi-similarity", new="Triplet"),)


def test_a_preset_of_the_method_lists_every_parameter_that_differs() -> None:
    view = _change(START, START.with_method(METHODS["paper"]))
    assert view.actions == (
        msg("change.param", letter="β", old=40.0, new=50.0),
        msg("change.param", letter="λ", old=0.5, new=1.0),
    )


def test_another_batch_is_named_and_not_compared() -> None:
    view = _change(default_state(), default_state().with_batch(PRESETS["two_clean"].make()))
    assert view.actions == (msg("change.batch", title="two clean classes", m=8, classes=2),)
    assert (view.effects, view.ghosts) == ((), ())
    assert not view.changed.any()


def test_another_draw_of_digits_is_another_batch() -> None:
    one, two = (State(digits_batch([3, 8], 2, seed=seed), MS) for seed in (0, 1))
    assert keys(_change(one, two).actions) == ["change.batch"]
    assert keys(_change(one, one.with_batch(one.batch.relabelled(0, 8))).actions) == ["change.relabelled"]


def test_undo_of_the_first_edit_is_told_as_the_way_back_and_not_as_a_new_batch() -> None:
    start = default_state()
    history = History(start).push(start.with_batch(start.batch.moved(0, _at(70)))).undo()
    assert history.before is not None
    view = _change(history.before, history.present)
    assert view.actions == (msg("change.moved", id=0, old="70°", new="8°"),)
    assert len(view.ghosts) == 1


def test_undo_of_a_parameter_shows_the_way_back() -> None:
    history = History(START).push(START.with_method(MS.replace(beta=80))).undo()
    assert history.before is not None
    assert _change(history.before, history.present).actions == (msg("change.param", letter="β", old=80.0, new=40.0),)


def test_a_change_too_small_for_three_decimals_is_no_change_of_weight() -> None:
    view = _change(START, START.with_method(MS.replace(alpha=2.00001)))
    assert keys(view.effects) == ["change.no_weight", "change.loss_value"]
    assert not view.changed.any()


def test_the_loss_is_told_before_and_after() -> None:
    after = START.with_method(MS.replace(beta=80))
    old, new = (float(scene(state).evaluation.value) for state in (START, after))
    assert _change(START, after).effects[-1] == msg("change.loss_value", old=old, new=new)


def test_a_move_on_the_sphere_names_longitude_and_latitude_and_leaves_a_ghost_in_space() -> None:
    before = State(Batch.of([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 1]), MS)
    view = _change(before, before.with_batch(before.batch.moved(0, (0, -1, 1))))
    assert view.actions == (msg("change.moved", id=0, old="0°, 0°", new="−90°, 45°"),)
    assert view.ghosts == ((1.0, 0.0, 0.0, 0),)


def test_where_norms_count_a_move_names_both_places() -> None:
    flat = START.with_normalize(False)
    view = _change(flat, flat.with_batch(flat.batch.moved(0, (0.5, -1.25), on_circle=False)))
    assert view.actions == (msg("change.moved", id=0, old="(1.00, 0.00)", new="(0.50, −1.25)"),)


def test_the_switch_of_norms_is_named_and_not_every_point_that_it_moves() -> None:
    flat = START.with_normalize(False)
    far = flat.with_batch(flat.batch.moved(0, (0, 1.5), on_circle=False).moved(1, (0.5, 0), on_circle=False))
    assert keys(_change(START, flat).actions) == ["change.flat"]
    back = _change(far, far.with_normalize(True))
    assert keys(back.actions) == ["change.circle"]
    assert len(back.ghosts) == 2


def test_a_method_that_joins_the_comparison_or_leaves_it_is_named() -> None:
    joined = _change(START, START.with_others((*START.others, Method("nca", scale=3, epsilon=0.2))))
    assert joined.actions == (msg("change.compared", name="NCA (s 3, ε 0.2)", count=7),)
    left = _change(START, START.with_others(START.others[1:]))
    assert left.actions == (msg("change.uncompared", name="Contrastive (λ 0.5)", count=5),)
    assert joined.effects == left.effects == ()  # the active method's weights are what they were
    assert not joined.changed.any()


def test_the_same_method_twice_counts_twice() -> None:
    twice = START.with_others((*START.others, START.others[0]))
    assert keys(_change(START, twice).actions) == ["change.compared"]
    assert keys(_change(twice, START).actions) == ["change.uncompared"]


def test_two_methods_that_change_places_are_said_as_one_thing() -> None:
    triplet = START.others[1]
    swapped = START.with_method(triplet).with_others((START.others[0], START.method, *START.others[2:]))
    view = _change(START, swapped)
    assert view.actions == (msg("change.active", name="Triplet (λ 0.1)"),)
    assert view.changed.any()  # what is outlined belongs to the active method
