"""The board draws kept pairs, says how many it leaves out, and holds its scales still during a gesture."""

import itertools

import numpy as np
import pytest

from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, digits_batch
from msviz.state import State, default_state
from msviz.views.board import FEW_POINTS, MOST_EDGES, MOST_OWN, BoardView, Scales, board_view, scales
from msviz.views.scene import Scene, scene
from tests.views.scenes import MS, circle, on_circle, reference


def _view(now: Scene) -> BoardView:
    return board_view(now, scales(now))


def _pairs(view: BoardView) -> set[tuple[int, int]]:
    return {(edge.one, edge.two) for edge in view.edges}


def _crowd(method: Method = METHODS["ms_weighting"]) -> State:
    return State(PRESETS["sixty_four"].make(), method)


def test_an_edge_is_a_kept_pair_with_both_directions_added() -> None:
    # 0 and 90 are one class, 45 another. From 0 and from 90 the negative is at .707 and the positive at 0; the anchor
    # at 45 has no positive and keeps nothing, so each negative edge counts in one direction only, the positive in both.
    now = on_circle([0, 90, 45], [0, 0, 1])
    edges = {(edge.one, edge.two): edge for edge in _view(now).edges}
    assert set(edges) == {(0, 1), (0, 2), (1, 2)}
    assert edges[0, 1].weight == pytest.approx(float(now.weights[0, 1] + now.weights[1, 0]))
    # w+ = e^{2*.5} / (1 + e^{2*.5}) both ways
    assert edges[0, 1].weight == pytest.approx(2 * 0.731059, abs=1e-4)
    assert edges[0, 2].weight == pytest.approx(float(now.weights[0, 2]))
    assert float(now.weights[2, 0]) == 0
    assert [edges[pair].positive for pair in ((0, 1), (0, 2), (1, 2))] == [True, False, False]


def test_a_pair_kept_from_one_side_only_is_drawn_once() -> None:
    now = reference()
    drawn = _pairs(_view(now))
    assert {(0, 2), (0, 3)} <= drawn
    kept = (now.kept | now.kept.T).numpy()
    assert drawn == {(i, j) for i, j in itertools.combinations(range(5), 2) if kept[i, j]}


def test_a_kept_pair_that_weighs_nothing_is_drawn() -> None:
    # Triplet with margin 0: S = .65 > .62, so no triplet of anchor 0 is active, yet mining keeps the pair.
    now = reference(Method("triplet", lam=0, epsilon=0.1))
    edge = next(edge for edge in _view(now).edges if (edge.one, edge.two) == (0, 2))
    assert bool(now.kept[0, 2])
    assert float(now.weights[0, 2]) == 0
    assert edge.weight == float(now.weights[2, 0])


def test_with_mining_off_only_pairs_that_weigh_something_are_drawn() -> None:
    now = reference(Method("contrastive", lam=0.99))  # no negative is that similar to another point, but 3 to 2
    drawn = _view(now)
    assert all(edge.weight > 0 for edge in drawn.edges)
    assert (0, 3) not in _pairs(drawn)
    assert (0, 1) in _pairs(drawn)
    assert len(drawn.edges) == drawn.total == int((now.weights.triu() > 0).sum())


def test_up_to_twenty_points_every_edge_is_drawn() -> None:
    now = on_circle([18 * k for k in range(FEW_POINTS)], [k % 2 for k in range(FEW_POINTS)], Method("linear"))
    view = _view(now)
    assert len(view.edges) == view.total == 20 * 19 // 2 > MOST_EDGES


def test_above_twenty_points_the_sixty_heaviest_are_drawn() -> None:
    now = on_circle([17 * k for k in range(21)], [k % 2 for k in range(21)], Method("binomial"))
    view = _view(now)
    assert view.total == 21 * 20 // 2
    assert len(view.edges) == MOST_EDGES
    both = now.weights + now.weights.T
    heaviest = sorted((float(both[i, j]) for i, j in itertools.combinations(range(21), 2)), reverse=True)[:MOST_EDGES]
    assert sorted((edge.weight for edge in view.edges), reverse=True) == pytest.approx(heaviest)


def test_above_twenty_points_the_selected_anchors_edges_are_drawn_too() -> None:
    state = _crowd()
    heaviest = _pairs(_view(scene(state)))
    assert len(heaviest) == MOST_EDGES
    drawn = _pairs(_view(scene(state.select(5, 40))))
    own = {(min(5, other), max(5, other)) for other in range(64) if other != 5}
    assert drawn == heaviest | own


@pytest.mark.parametrize("anchor", [None, 5])
def test_the_lightest_edges_come_first_so_that_the_heaviest_lie_on_top(anchor: int | None) -> None:
    weights = [edge.weight for edge in _view(scene(_crowd().select(anchor))).edges]
    assert weights == sorted(weights)
    assert len(set(weights)) > 50


def test_an_edges_share_compares_both_directions_with_twice_the_scale() -> None:
    now = on_circle([0, 90, 45], [0, 0, 1])
    view = board_view(now, Scales(weight=2.0, force=1.0))
    assert {edge.share for edge in view.edges} == {edge.weight / 4 for edge in view.edges}


def test_an_edge_never_gets_thicker_than_the_whole_scale() -> None:
    now = on_circle([0, 90, 45], [0, 0, 1])
    assert max(edge.share for edge in board_view(now, Scales(weight=1e-3, force=1.0)).edges) == 1


def test_a_force_adds_the_pull_and_the_push_of_both_directions() -> None:
    # Point 0 is pulled up by the positive at 90 degrees, twice e / (1 + e) = .731059, and pushed down by the negative
    # at 45 degrees, once e^{40 (.70711 - .5)} / (1 + ...) = .999748, of which sin 45 lies along the circle; m = 3.
    now = on_circle([0, 90, 45], [0, 0, 1])
    step = (2 * 0.731059 - 0.999748 * 0.707107) / 3
    view = board_view(now, Scales(weight=1, force=1))
    assert view.forces == pytest.approx(np.array([[0, step], [step, 0], [0, 0]]), abs=1e-4)


def test_the_longest_arrow_has_length_one() -> None:
    lengths = np.linalg.norm(_view(scene(default_state())).forces, axis=1)
    assert lengths.max() == pytest.approx(1)
    now = scene(default_state())
    twice = board_view(now, Scales(weight=1.0, force=2 * scales(now).force))
    assert np.linalg.norm(twice.forces, axis=1).max() == pytest.approx(0.5)


def test_forces_are_tangents_of_the_circle() -> None:
    now = scene(default_state())
    assert (_view(now).forces * now.state.batch.board).sum(axis=1) == pytest.approx(np.zeros(14), abs=1e-9)


def test_a_projection_shows_no_forces() -> None:
    now = scene(State(digits_batch([3, 8], 2, seed=0, space="pixels"), MS))
    assert np.linalg.norm(now.forces) > 0
    assert _view(now).forces.shape == (4, 2)
    assert not _view(now).forces.any()


def test_the_scale_is_the_largest_weight_and_the_longest_step() -> None:
    now = on_circle([0, 90], [0, 1], Method("linear"))
    assert scales(now).weight == 1
    assert scales(now).force == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("slug", ["empty", "one_point", "one_class", "two_clean"])
def test_where_nothing_weighs_anything_the_scale_is_one(slug: str) -> None:
    now = scene(State(PRESETS[slug].make(), MS))
    assert scales(now) == Scales(1, 1, now)
    view = _view(now)
    assert view.edges == ()
    assert view.total == 0
    assert view.forces.shape == (now.m, 2)
    assert not view.forces.any()


def test_a_mined_edge_carries_ids_and_not_rows() -> None:
    state = circle([0, 90, 45], [0, 0, 1])
    state = state.with_batch(state.batch.added((0, -1), 0).removed(0))
    assert {id for edge in _view(scene(state)).edges for id in (edge.one, edge.two)} <= {1, 2, 3}
    assert _view(scene(state)).edges


def test_a_positive_that_pushes_has_a_net_above_zero() -> None:
    # supcon, tau 1, anchor 0 with positives at 10 and 170 degrees and a negative at 90: q of the near positive is
    # e^{.985} / (e^{.985} + e^{-.985} + 1) = .661 > 1/2, so it is pushed away: the near pair has g = (q - 1/2) / tau.
    now = on_circle([0, 10, 170, 90], [0, 0, 0, 1], Method("supcon", tau=1))
    edges = {(edge.one, edge.two): edge for edge in _view(now).edges}
    assert float(now.evaluation.gradient[0, 1]) == pytest.approx(0.661 - 0.5, abs=1e-3)
    assert edges[0, 1].positive
    assert edges[0, 1].net == pytest.approx(float(now.evaluation.gradient[0, 1] + now.evaluation.gradient[1, 0]))
    assert edges[0, 1].net > 0 > edges[0, 2].net
    assert edges[0, 3].net > 0
    assert not edges[0, 3].positive


def test_where_both_directions_of_a_pair_disagree_the_net_decides() -> None:
    rows = np.random.default_rng(0).uniform(0, 360, 12).tolist()
    now = on_circle(rows, [k % 3 for k in range(12)], Method("supcon", tau=0.1))
    g = now.evaluation.gradient.numpy()
    mixed = [edge for edge in _view(now).edges if g[edge.one, edge.two] * g[edge.two, edge.one] < 0]
    assert mixed
    assert all(edge.net == pytest.approx(g[edge.one, edge.two] + g[edge.two, edge.one]) for edge in mixed)


def test_forces_on_the_sphere_have_three_coordinates_and_are_tangents() -> None:
    now = scene(State(PRESETS["sphere_overlapping"].make(), MS))
    forces = _view(now).forces
    assert forces.shape == (15, 3)
    assert (forces * now.state.batch.board).sum(axis=1) == pytest.approx(np.zeros(15), abs=1e-9)
    assert np.linalg.norm(forces, axis=1).max() == pytest.approx(1)


def test_of_very_many_edges_of_the_selected_anchor_the_heaviest_are_drawn_and_the_selected_pair() -> None:
    m = MOST_OWN + 100
    turn = np.random.default_rng(3).uniform(0, 360, m)
    now = scene(circle(turn.tolist(), [k % 3 for k in range(m)], Method("binomial")))
    both = (now.weights + now.weights.T)[0]
    lightest = int(both[1:].argmin()) + 1
    own = {j for i, j in _pairs(_view(scene(now.state.select(0, lightest)))) if i == 0}
    heaviest = set(both.argsort(descending=True)[:MOST_OWN].tolist())
    elsewhere = {j for i, j in _pairs(_view(now)) if i == 0}  # among the heaviest of all
    assert lightest not in heaviest
    assert own == heaviest | elsewhere | {lightest}
