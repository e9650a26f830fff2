"""The N-pair lab's tables: who meets whom, checked by hand for two and three classes, and what is said of them."""

import math

import numpy as np
import pytest
import torch

from msviz.core.losses import LOSSES
from msviz.core.npair import Pairing, embeddings
from msviz.core.pairs import Pairs
from msviz.data import PRESETS
from msviz.state import State, default_state
from msviz.state.npair_lab import BUILDS, WEIGHS
from msviz.text import say
from msviz.ui.npair_lab import npair_seen
from msviz.views.change import change_view
from msviz.views.npair_batch import tuplet_batch
from msviz.views.npair_tables import TupletsView, tuplets_view
from msviz.views.npair_words import lab_words, refused_words
from msviz.views.scene import Scene, scene
from tests.views.scenes import circle, cos, keys

TWO = circle([0, 60, 90, 180], [0, 0, 1, 1])


def seen(state: State, **chosen: object) -> Scene:
    """The state as the lab evaluates it, with something chosen in the lab."""
    lab = state.display.npair.replace(**chosen)
    return scene(*npair_seen(state.with_display(state.display.replace(npair=lab))))


def view_of(state: State, **chosen: object) -> TupletsView:
    view = tuplets_view(seen(state, **chosen))
    assert view is not None
    return view


def test_two_pairs_by_hand() -> None:
    view = view_of(TWO)
    assert (view.anchors, view.labels, view.positives, view.used) == ((0, 2), (0, 1), (1, 3), (0, 1, 2, 3))
    assert view.meets.tolist() == [[1, 3], [1, 3]]
    assert view.sim == pytest.approx(np.array([[0.5, -1], [cos(30), 0]]), abs=1e-4)
    excess = [-1.5, cos(30)]  # S_n - S_p of the two anchors
    losses = [math.log1p(math.exp(z)) for z in excess]
    for name in ("npair", "npair_ovo"):
        table = view.loss(name)
        assert table.per_anchor == pytest.approx(losses, abs=1e-4)
        assert table.value == pytest.approx(sum(losses) / 2, abs=1e-4)
        q = [1 / (1 + math.exp(-z)) for z in excess]
        assert table.gradient == pytest.approx(np.array([[-q[0], q[0]], [q[1], -q[1]]]), abs=1e-4)
    hinge = view.loss("triplet")
    assert hinge.per_anchor == pytest.approx([0, cos(30) + 0.1], abs=1e-4)
    assert hinge.gradient.tolist() == [[0, 0], [1, -1]]


def test_the_margin_is_the_labs() -> None:
    assert view_of(TWO, margin=2.0).loss("triplet").per_anchor == pytest.approx([0.5, 2 + cos(30)], abs=1e-4)


def test_three_classes_in_tuplets_meet_negatives_that_nobody_shares() -> None:
    state = circle(range(0, 360, 30), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    view = view_of(state, tuplets="tuplets")
    # Class c gives its third point to the first of the other tuplets, its fourth to the next.
    assert view.meets.tolist() == [[1, 6, 10], [2, 5, 11], [3, 7, 9]]
    assert view.used == tuple(range(12))
    assert view.negatives == 2


def test_three_classes_in_triplets_leave_cells_empty() -> None:
    view = view_of(circle(range(0, 270, 30), [0, 0, 0, 1, 1, 1, 2, 2, 2]), tuplets="triplets")
    assert view.meets.tolist() == [[1, 5, -1], [-1, 4, 8], [2, -1, 7]]
    for values in (view.sim, *(table.gradient for table in view.losses)):
        assert np.array_equal(np.isnan(values), view.meets < 0)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("n", [2, 3, 8])
def test_each_build_takes_as_many_embeddings_as_it_says(build: Pairing, n: int) -> None:
    view = view_of(default_state().with_batch(tuplet_batch(n, seed=1)), tuplets=build)
    assert (view.n, len(view.used)) == (n, embeddings(build, n))
    assert len(view.losses) == len(WEIGHS)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", WEIGHS)
def test_cells_are_the_losses_closed_form_of_each_row(build: Pairing, name: str) -> None:
    view = view_of(default_state().with_batch(tuplet_batch(4, seed=2)), tuplets=build, weigh=name)
    loss, p = LOSSES[name], view.loss(name).method.params
    for i, row in enumerate(view.sim):
        kept = ~np.isnan(row)
        sim = torch.tensor(row[kept])[None].requires_grad_()
        positive = torch.tensor(np.arange(view.n)[kept] == i)[None]
        assert loss.per_anchor is not None
        value = loss.per_anchor(sim, Pairs(positive, ~positive), p).sum()
        assert view.loss(name).per_anchor[i] == pytest.approx(value.item(), abs=1e-12)
        (slope,) = torch.autograd.grad(value, sim, allow_unused=True)
        assert view.loss(name).gradient[i][kept] == pytest.approx(slope[0].numpy(), abs=1e-12)


def test_fewer_classes_than_there_are_can_take_part() -> None:
    view = view_of(default_state(), n=2)
    assert (view.labels, view.used) == ((0, 1), (0, 1, 5, 6))


@pytest.mark.parametrize("slug", ["singleton", "one_class", "one_point", "empty"])
def test_a_batch_that_cannot_give_tuplets_has_no_tables_and_says_why(slug: str) -> None:
    now = seen(State(PRESETS[slug].make(), default_state().method))
    assert tuplets_view(now) is None
    assert now.refused is not None
    assert say(refused_words(now.refused, now.state.batch))


def test_a_class_that_is_too_small_is_named_as_people_know_it() -> None:
    now = seen(State(PRESETS["singleton"].make(), default_state().method))
    assert now.refused is not None
    assert "class C has 1" in say(refused_words(now.refused, now.state.batch))


def test_other_pages_have_no_tuplets() -> None:
    assert tuplets_view(scene(default_state())) is None


# ---- words -----------------------------------------------------------------------------------------------------------


def test_two_classes_are_said_to_make_both_losses_equal() -> None:
    view = view_of(TWO)
    (words,) = lab_words(view, None)
    assert words.key == "page.npair.words.two"
    assert words.values["mc"] == words.values["ovo"] == pytest.approx(view.loss("npair").value)


def test_triplets_of_many_classes_are_said_to_do_the_same() -> None:
    assert keys(lab_words(view_of(default_state(), tuplets="triplets"), None)) == ["page.npair.words.one"]


def test_of_many_negatives_it_is_said_how_much_one_against_one_exceeds_all_at_once() -> None:
    view = view_of(default_state())
    many, hinge, hardest = lab_words(view, None)
    mc, ovo = view.loss("npair").value, view.loss("npair_ovo").value
    assert many.values["times"] == pytest.approx(ovo / mc)
    assert ovo > mc
    assert hinge.values["resting"] == 2
    # Anchor 5: S = .81 and -.83; in mc a softmax, in ovo two logistics beside each other.
    s = view.sim[1]
    e = [math.exp(s[k] - s[1]) for k in (0, 2)]
    sigma = [it / (1 + it) for it in e]
    assert (hardest.values["anchor"], hardest.values["other"]) == (5, 1)
    assert hardest.values["mc"] == pytest.approx(e[0] / sum(e))
    assert hardest.values["ovo"] == pytest.approx(sigma[0] / sum(sigma))


def test_where_no_negative_is_harder_than_another_no_hardest_one_is_named() -> None:
    alike = view_of(default_state().with_batch(circle([30] * 6, [0, 0, 1, 1, 2, 2]).batch))
    assert keys(lab_words(alike, None)) == ["page.npair.words.many", "page.npair.words.hinge"]


def test_a_gesture_that_leaves_no_tuplets_is_told_without_a_loss_and_so_is_its_undo() -> None:
    one = seen(TWO.with_batch(TWO.batch.removed(1)))
    assert one.refused is not None
    gone, back = change_view(seen(TWO), one), change_view(one, seen(TWO))
    assert (keys(gone.actions), keys(gone.effects)) == (["change.removed"], ["change.refused"])
    assert (keys(back.actions), keys(back.effects)) == (["change.added"], ["change.built"])
    assert not gone.changed.any()


def test_where_norms_count_the_penalty_is_said_with_its_number() -> None:
    state = default_state().with_normalize(False)
    far = state.with_batch(state.batch.moved(0, (2, 0), on_circle=False))
    *_, words = lab_words(view_of(far), 0.25)
    assert words.key == "page.npair.words.penalty"
    assert words.values["norm"] == pytest.approx((5 * 1 + 4) / 6, abs=1e-3)
    assert words.values["value"] == pytest.approx(0.25 * 9 / 6, abs=1e-3)


def test_the_labs_forces_are_the_chosen_losss() -> None:
    calm = seen(default_state(), weigh="triplet")
    moved = {row for row, step in enumerate(calm.forces) if np.linalg.norm(step) > 1e-9}
    assert moved == {1, 5, 6}  # the triplet of anchor 5 alone is active
