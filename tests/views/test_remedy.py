"""One click shows the opposite: for every cause weights are all zero before, and not all zero after."""

from itertools import product

import numpy as np
import pytest

from msviz.core.losses import LOSSES
from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, Batch, digits_batch
from msviz.state import State, default_state
from msviz.text import catalogue, say
from msviz.views.readouts import coincide, readouts
from msviz.views.remedy import LARGEST, Remedy, remedies
from msviz.views.scene import scene
from tests.views.scenes import MS, circle, keys

TRIPLET = Method("triplet", lam=0.1)

CAUSES = {
    "zero.empty": (circle([], []), ["zero.remedy.fill"]),
    "zero.one_point": (circle([40], [2]), ["zero.remedy.second", "zero.remedy.negative"]),
    "zero.one_class": (circle([0, 20, 70], [1, 1, 1]), ["zero.remedy.negative"]),
    "zero.no_positives": (circle([0, 50, 200], [0, 1, 2]), ["zero.remedy.second"]),
    "zero.separated": (circle([0, 20, 100, 130], [0, 0, 1, 1]), ["zero.remedy.move"]),
    "zero.collapsed": (circle([0, 0, 90, 90], [0, 0, 1, 1]), ["zero.remedy.spread", "zero.remedy.move"]),
    "zero.coincident": (circle([30] * 4, [0, 0, 1, 1], MS.replace(epsilon=0.0)), ["zero.remedy.spread"]),
    "zero.inactive": (circle([0, 20, 100, 130], [0, 0, 1, 1], TRIPLET), ["zero.remedy.move"]),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_the_first_click_shows_the_opposite_of_its_cause(cause: str) -> None:
    state, steps = CAUSES[cause]
    before = readouts(scene(state))
    assert before.why_zero is not None
    assert (before.why_zero.key, before.heaviest) == (cause, None)
    first = remedies(state)[0]
    assert keys(first.steps) == steps
    after = readouts(scene(first.state))
    assert after.why_zero is None
    assert after.why_still is None
    assert after.heaviest is not None
    assert after.loss > 0


def test_every_cause_that_can_come_has_a_case_here() -> None:
    # no_anchor_with_both cannot come from labels; still and balanced have their own tests.
    reasons = {key for key in catalogue("zero.") if not key.startswith("zero.remedy.")}
    assert reasons - {"zero.no_anchor_with_both", "zero.still", "zero.balanced"} == set(CAUSES)


def test_epsilon_is_set_just_above_the_gap() -> None:
    # Classes at 0, 20 and 100, 130: the closest anchor lacks cos 30 - cos 80 = .692.
    _, second = remedies(CAUSES["zero.separated"][0])
    assert say(second.steps[0]) == "Set ε to 0.7, just above the gap"
    now = scene(second.state)
    assert (now.state.method.epsilon, now.state.batch) == (0.7, CAUSES["zero.separated"][0].batch)
    assert bool(now.kept.any())
    assert not bool(scene(now.state.with_method(MS.replace(epsilon=0.69))).kept.any())


def test_a_closed_hinge_opens_at_the_nearest_twentieth_of_its_range() -> None:
    # The nearest negative of any anchor lacks .692, and lambda runs from 0 to 2: .7.
    _, second = remedies(CAUSES["zero.inactive"][0])
    assert say(second.steps[0]) == "Set λ to 0.7"
    assert second.state.method == Method("triplet", lam=0.7)


def test_the_moved_negative_stands_between_the_anchor_and_its_least_similar_positive() -> None:
    # Anchor 2 at 100 comes closest: its positive is at 130, its hardest negative, point 1, at 20.
    first = remedies(CAUSES["zero.separated"][0])[0]
    assert say(first.steps[0]) == "Move negative 1 between points 2 and 3"
    x, y = first.state.batch.board[1]
    assert (x, y) == pytest.approx((-0.4226, 0.9063), abs=1e-3)  # 115 degrees


def test_the_heaviest_pair_is_selected_so_that_the_page_shows_it() -> None:
    after = remedies(CAUSES["zero.one_class"][0])[0].state
    heaviest = readouts(scene(after)).heaviest
    assert after.display.selection is not None
    assert (after.display.selection.anchor, after.display.selection.other) == heaviest


def test_where_pairs_weigh_something_and_points_move_there_is_nothing_to_remedy() -> None:
    assert remedies(default_state()) == ()


def test_points_in_one_place_weigh_something_and_still_nothing_moves_until_they_are_spread() -> None:
    # Every S is 1, so with epsilon .1 every pair is mined; along the circle none has a direction.
    state = circle([30] * 4, [0, 0, 1, 1])
    before = readouts(scene(state))
    assert before.why_zero is None
    assert before.why_still is not None
    assert (before.why_still.key, before.why_still.values["count"]) == ("zero.still", 12)
    (first,) = [remedy for remedy in remedies(state) if keys(remedy.steps) == ["zero.remedy.spread"]]
    assert readouts(scene(first.state)).why_still is None
    assert float(abs(scene(first.state).forces).max()) > 0.01


def test_opposite_points_of_one_class_pull_in_no_direction_until_one_is_moved_aside() -> None:
    state = circle([0, 180], [0, 0], Method("linear"))
    assert readouts(scene(state)).why_still is not None
    (only,) = remedies(state)
    assert say(only.steps[0]) == "Move point 0 aside"
    assert float(abs(scene(only.state).forces).max()) > 0.01


def test_pulls_that_cancel_are_told_from_points_in_one_place() -> None:
    # Each A is pushed equally from both sides by the Bs, and pulled by nothing along the circle; and so is each B.
    state = circle([0, 180, 90, 270], [0, 0, 1, 1], Method("linear"))
    reason = readouts(scene(state)).why_still
    assert reason is not None
    assert reason.key == "zero.balanced"
    assert readouts(scene(remedies(state)[0].state)).why_still is None


METHODS_TRIED = [
    *METHODS.values(),
    *(Method(name, epsilon=epsilon) for name, epsilon in product(LOSSES, (None, 0.0, 0.1))),
    *(Method("lifted", lam=-2, epsilon=epsilon) for epsilon in (None, 0.1)),
    *(Method("triplet", lam=0, epsilon=epsilon) for epsilon in (None, 0.0, 0.1)),
    Method("contrastive", lam=1),
]
BATCHES = [
    *(PRESETS[slug].make() for slug in ("empty", "one_point", "one_class", "two_clean", "singleton")),
    *(state.batch for state, _ in CAUSES.values()),
    circle([0, 50, 120, 270], [0, 1, 2, 3]).batch,
    circle([0, 180], [0, 1]).batch,
    circle([10, 10], [0, 1]).batch,
    circle([10, 10, 10], [0, 0, 0]).batch,
    digits_batch([7], 1, seed=0, space="pixels"),
    digits_batch([7], 3, seed=0, space="pixels"),
    digits_batch([3, 7], 1, seed=0, space="pixels"),
    digits_batch([0, 1], 3, seed=0, space="pixels"),
]


def _ends_it(remedy: Remedy) -> bool:
    after = readouts(scene(remedy.state))
    return after.why_zero is None and after.why_still is None and after.heaviest is not None


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: f"{batch.source.name or 'hand'}-{batch.m}")
def test_whatever_the_method_and_the_batch_every_remedy_ends_the_cause(batch: Batch) -> None:
    for method in METHODS_TRIED:
        state = State(batch, method)
        numbers = readouts(scene(state))
        found = remedies(state)
        assert bool(found) == bool(numbers.why_zero or numbers.why_still), method
        assert all(_ends_it(remedy) for remedy in found), method
        assert all(say(step) for remedy in found for step in remedy.steps)


SPHERE = np.eye(3)
OTHER_BOARDS = [
    *(
        State(Batch.of(SPHERE[rows], labels), MS)
        for rows, labels in (([2], [0]), ([0, 1, 2], [0, 0, 0]), ([0, 1, 2], [0, 1, 2]))
    ),
    State(Batch.of(SPHERE[[2, 2, 2, 2]], [0, 0, 1, 1]), MS),
    *(
        State(Batch.of(points, labels), MS).with_normalize(False)
        for points, labels in (
            ([[0, 0]], [0]),
            ([[0, 0], [0, 0]], [0, 1]),
            ([[1.5, 0], [1.5, 0.1], [0, -0.2], [0.1, -0.2]], [0, 0, 1, 1]),
            ([[1.9, 0], [1.9, 0.1], [1, 0], [1, 0.1]], [0, 0, 1, 1]),
        )
    ),
]


@pytest.mark.parametrize("state", OTHER_BOARDS, ids=lambda state: f"{state.batch.board.shape}-{state.normalize}")
@pytest.mark.filterwarnings("ignore::msviz.core.similarity.ZeroRowWarning")
def test_on_the_sphere_and_where_norms_count_every_remedy_ends_the_cause(state: State) -> None:
    for method in METHODS_TRIED[::3]:
        tried = state.with_method(method)
        numbers, found = readouts(scene(tried)), remedies(tried)
        assert bool(found) == bool(numbers.why_zero or numbers.why_still), method
        assert all(_ends_it(remedy) for remedy in found), method


def test_where_norms_count_points_with_large_s_do_not_lie_in_one_place() -> None:
    # Every S is above 1, and no two points are the same.
    state = State(Batch.of([[1.9, 0], [1.9, 0.1], [1.2, 0], [1.2, 0.1]], [0, 0, 1, 1]), Method("triplet", lam=0))
    now = scene(state.with_normalize(False))
    assert float(now.sim.min()) > 1
    assert not coincide(now, now.pairs.pos | now.pairs.neg)


def test_a_full_batch_gets_no_new_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("msviz.data.batch.MAX_POINTS", 40)
    full = State(Batch.of([[1, 0]] * 40, [0] * 40), MS)
    first = remedies(full)[0]
    assert first.state.batch.m <= 40
    assert _ends_it(first)


def test_thousands_of_points_get_what_one_evaluation_can_check() -> None:
    few = 1 + LARGEST
    apart = scene(circle([90 * (k % 2) + k / few for k in range(few)], [k % 2 for k in range(few)]))
    steps = [step for remedy in remedies(apart.state) for step in remedy.steps]
    assert keys(steps) == ["zero.remedy.move", "zero.remedy.epsilon"]
    for remedy in remedies(apart.state):
        assert bool((scene(remedy.state).weights > 0).any())


def test_thousands_of_points_in_one_place_are_not_spread_one_by_one() -> None:
    few = 1 + LARGEST
    (only,) = remedies(circle([0] * few, [k % 2 for k in range(few)], Method("triplet", lam=0.0)))
    assert keys(only.steps) == ["zero.remedy.load"]
