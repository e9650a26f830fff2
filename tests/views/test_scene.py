"""A scene holds what the core computes of a state."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
import torch

from msviz.core.forces import forces
from msviz.core.methods import METHODS, Method, evaluate
from msviz.core.npair import Pairing
from msviz.core.pairs import label_pairs
from msviz.core.scheme import Scheme, SchemeLoss
from msviz.core.similarity import similarity
from msviz.data import PRESETS, Batch
from msviz.state import State, default_state
from msviz.views.scene import scene
from tests.views.scenes import MS, circle, cos, on_circle, reference


def test_similarities_are_the_cosines_of_the_angles_between_points() -> None:
    now = on_circle([0, 60, 180], [0, 0, 1])
    assert now.sim.numpy() == pytest.approx(np.array([[1, 0.5, -1], [0.5, 1, cos(120)], [-1, cos(120), 1]]), abs=1e-4)
    assert now.sim.dtype == torch.float64


def test_the_reference_anchor_has_the_weights_worked_out_by_hand() -> None:
    now = reference()
    assert now.weights[0].tolist() == pytest.approx([0, 0, 0.425557, 0.991837, 0], abs=1e-6)
    assert float(now.evaluation.per_anchor[0]) == pytest.approx(0.277178 + 0.120205, abs=1e-6)
    assert now.kept[0].tolist() == [False, False, True, True, False]


def test_with_the_papers_own_setting_the_moral_of_the_reference_anchor_reverses() -> None:
    now = reference(METHODS["paper"])
    assert float(now.weights[0, 2]) == pytest.approx(0.668, abs=5e-4)
    assert float(now.weights[0, 3]) == pytest.approx(5.6e-9, rel=0.01)


def test_bounds_come_from_before_mining() -> None:
    now = reference()
    assert float(now.bounds.hardest_pos[0]) == pytest.approx(0.65)
    assert float(now.bounds.hardest_neg[0]) == pytest.approx(0.62)
    assert (int(now.bounds.hardest_pos_at[0]), int(now.bounds.hardest_neg_at[0])) == (2, 3)


def test_everything_is_kept_when_mining_is_off() -> None:
    now = reference(MS.replace(epsilon=None))
    assert now.kept.tolist() == (~torch.eye(5, dtype=torch.bool)).tolist()


@pytest.mark.parametrize("slug", PRESETS)
def test_a_scene_says_what_the_core_says(slug: str) -> None:
    batch = PRESETS[slug].make()
    now = scene(State(batch, MS))
    x = torch.tensor(batch.x)
    pairs = label_pairs(list(batch.labels))
    found = evaluate(similarity(x), pairs, MS)
    assert now.m == batch.m
    assert torch.equal(now.evaluation.gradient, found.gradient)
    assert torch.equal(now.pairs.pos, pairs.pos)
    assert np.array_equal(now.forces, forces(x, found.value_gradient).numpy())


def test_two_negatives_push_each_other_along_the_circle() -> None:
    # Linear weighs every negative 1, so G + G^T = 2 between the two and m = 2: v = -x_other, of which the part along
    # the circle remains. At 0 and 90 degrees that is all of it.
    now = on_circle([0, 90], [0, 1], Method("linear"))
    assert now.forces == pytest.approx(np.array([[0, -1], [-1, 0]]), abs=1e-4)


def test_two_positives_pull_each_other() -> None:
    now = on_circle([0, 90], [0, 0], Method("linear"))
    assert now.forces == pytest.approx(np.array([[0, 1], [1, 0]]), abs=1e-4)


def test_a_zero_row_is_reported_and_neither_resembles_nor_moves() -> None:
    now = scene(State(Batch.of([[0, 0], [1, 0], [0, 1]], [0, 0, 1]), Method("linear")))
    assert now.zero_rows == (0,)
    assert now.sim[0].tolist() == [0, 0, 0]
    assert now.forces[0].tolist() == [0, 0]


def test_a_scene_leaves_the_batch_as_it_was() -> None:
    state = circle([0, 60], [0, 1])
    before = state.batch.x.copy()
    scene(state)
    assert np.array_equal(state.batch.x, before)


def test_an_empty_batch_is_a_scene_too() -> None:
    now = scene(default_state().with_batch(PRESETS["empty"].make()))
    assert now.m == 0
    assert now.weights.shape == (0, 0)
    assert now.forces.shape == (0, 2)


def test_another_method_on_the_same_batch_computes_only_itself() -> None:
    state = circle([0, 50, 100, 150], [0, 0, 1, 1]).with_others((Method("triplet"), Method("binomial")))
    first = scene(state)
    again = scene(state.with_method(state.method.replace(beta=7.0)))
    assert again.ground is first.ground
    assert [one is two for one, two in zip(first.compared, again.compared, strict=True)] == [False, True, True]
    moved = scene(state.with_batch(state.batch.moved(0, (0, 1))))
    assert moved.ground is not first.ground
    assert scene(state.with_others(())).evaluation is first.evaluation


def test_norms_that_count_are_another_ground() -> None:
    state = circle([0, 50, 100], [0, 0, 1])
    assert scene(state).ground is not scene(state.with_normalize(False)).ground


def test_a_batch_that_nobody_looks_at_is_forgotten() -> None:
    now = scene(circle([0, 50, 100], [0, 0, 1]))
    ground, evaluation = weakref.ref(now.ground), weakref.ref(now.evaluation)
    del now
    gc.collect()
    assert (ground(), evaluation()) == (None, None)


def test_the_scene_before_makes_room_when_nothing_of_it_is_shared() -> None:
    turn = np.linspace(0, 6, 600)
    state = State(Batch.of(np.stack([np.cos(turn), np.sin(turn)], 1), [k % 3 for k in range(600)]), MS)
    state = state.with_others((Method("linear"),))
    before = scene(state)
    linear = weakref.ref(before.compared[1])
    slider = scene(state.with_method(MS.replace(beta=7.0)))
    before.make_room_for(slider)  # that would have to weigh again what it shares
    assert slider.compared[1] is linear()
    before.make_room_for(slider)
    assert "compared" not in before.figures
    slider.make_room_for(scene(state.with_batch(state.batch.removed(0))))
    gc.collect()
    assert linear() is None


# Under a scheme


@pytest.mark.parametrize(
    "scheme",
    [
        Scheme(loop=True),
        *(Scheme(pairing=pairing, normalize=normalize) for pairing in Pairing for normalize in (True, False)),
        Scheme(pairing=Pairing.NPAIR, normalize=False, penalty=0.3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("method", [Method("npair"), METHODS["authors"]], ids=repr)
def test_under_a_scheme_every_point_goes_where_its_criterion_sends_it(scheme: Scheme, method: Method) -> None:
    state = default_state().with_method(method).with_normalize(scheme.normalize)
    now = scene(state, replace(scheme, normalize=True))  # norms count where the state says so
    x = torch.from_numpy(state.batch.x.copy()).requires_grad_()
    value = SchemeLoss(method, scheme)(x, torch.tensor(state.batch.labels))
    value.backward()
    assert x.grad is not None
    assert np.allclose(now.forces, -x.grad.numpy(), rtol=0, atol=1e-12)
    used = slice(None) if now.rows is None else now.rows.used
    penalty = scheme.penalty * float(x[used].detach().square().sum(1).mean())
    assert float(now.evaluation.value) + penalty == pytest.approx(value.item(), abs=1e-12)


def test_a_batch_of_which_no_tuplets_can_be_built_shows_why_and_nothing_moves() -> None:
    batch = default_state().batch
    alone = next(label for label in batch.classes)
    for id in [id for id, label in zip(batch.ids, batch.labels, strict=True) if label == alone][1:]:
        batch = batch.removed(id)
    now = scene(default_state().with_batch(batch), Scheme(pairing=Pairing.NPAIR))
    assert now.refused is not None
    assert now.refused.key == "error.tuplets_members"
    assert not now.kept.any()
    assert not now.forces.any()
