"""The LoOp lab's batch: matrices, the pairs of two classes, and two losses, each without and with LoOp."""

import csv
import io
from itertools import combinations

import numpy as np
import pytest
import torch

from msviz.core.loop import closest_points
from msviz.core.loop_batch import loop_similarity, partners
from msviz.core.methods import METHODS, Method
from msviz.core.pairs import label_pairs
from msviz.core.scheme import Scheme
from msviz.core.similarity import similarity
from msviz.data import PRESETS, Batch
from msviz.state import State, default_state
from msviz.text import say
from msviz.views.board import scales
from msviz.views.loop_four import FourView, four_view
from msviz.views.loop_methods import method_rows
from msviz.views.loop_pairs import MOST, PairsView, pairs_csv, pairs_view
from msviz.views.loop_panels import loop_panels
from msviz.views.panels import Panel
from msviz.views.scene import Scene, scene
from tests.views.scenes import circle

LOOP = Scheme(loop=True)


def _now(state: State | None = None) -> Scene:
    return scene(default_state() if state is None else state, LOOP)


def _panels(now: Scene) -> dict[str, Panel]:
    return {panel.key: panel for panel in loop_panels(now, scales(now))}


def _pairs(now: Scene) -> PairsView:
    view = four_view(now)
    assert isinstance(view, FourView)
    return pairs_view(now, view)


def test_four_matrices_plain_and_with_loop() -> None:
    now, state = _now(), default_state()
    panels, before = _panels(now), scene(state)
    assert list(panels) == ["S0", "S", "w0", "w"]
    order = np.lexsort((state.batch.ids, state.batch.labels))
    cells = np.ix_(order, order)
    x, labels = torch.from_numpy(state.batch.x.copy()), torch.tensor(state.batch.labels)
    plain = similarity(x)
    hard = torch.where(label_pairs(labels).neg, loop_similarity(plain, partners(labels)), plain)
    np.testing.assert_allclose(panels["S0"].values, plain.numpy()[cells], atol=1e-6)
    np.testing.assert_allclose(panels["S"].values, hard.numpy()[cells], atol=1e-6)
    np.testing.assert_allclose(panels["w0"].values, before.evaluation.gradient.numpy()[cells], atol=1e-6)
    np.testing.assert_allclose(panels["w"].values, now.evaluation.gradient.numpy()[cells], atol=1e-6)


def test_both_weights_have_one_scale_and_each_its_own_decisions() -> None:
    panels = _panels(_now(default_state().with_method(Method("triplet", epsilon=0.1))))
    reach = max(float(np.abs(panels[key].values).max()) for key in ("w0", "w"))
    assert panels["w0"].high == panels["w"].high == pytest.approx(reach)
    one, two = panels["w0"].decision, panels["w"].decision
    assert one is not None
    assert two is not None
    assert (one != two).any()
    assert len({say(panel.title) for panel in panels.values()}) == 4


def test_during_a_gesture_the_scale_stays() -> None:
    start = default_state().with_method(Method("triplet"))
    first, later = _now(start), _now(start.with_batch(start.batch.moved(9, (-0.5, 0.87))))
    held, fitted = (loop_panels(later, scales(it)) for it in (first, later))
    assert held[3].high == loop_panels(first, scales(first))[3].high != fitted[3].high


def test_means_of_a_large_batch_are_drawn_to_the_largest_mean() -> None:
    batch = Batch.of([[np.cos(k / 30), np.sin(k / 30)] for k in range(130)], [k % 3 for k in range(130)])
    panels = _panels(_now(State(batch, METHODS["authors"])))
    reach = max(float(np.nanmax(np.abs(panels[key].values))) for key in ("w0", "w"))
    assert panels["w"].high == pytest.approx(reach)


def test_every_pair_of_two_classes_meets_every_other() -> None:
    now = _now()
    view, x = _pairs(now), torch.from_numpy(now.state.batch.x.copy())
    assert view.rows == tuple(combinations(range(5), 2))
    assert view.columns == tuple(combinations(range(5, 10), 2))
    for p, (i, k) in enumerate(view.rows):
        for q, (j, n) in enumerate(view.columns):
            found = closest_points(x[i], x[k], x[j], x[n])
            assert view.loop[p, q] == pytest.approx(float(found.similarity), abs=1e-12)
            assert view.touching[p, q] == bool(found.touching)
            cosines = similarity(x[[i, k]], x[[j, n]])
            assert view.plain[p, q] == pytest.approx(float(cosines.max()), abs=1e-12)
    assert (view.loop - view.plain).min() > -1e-12


def test_the_marked_cells_are_the_similarities_that_the_batch_uses() -> None:
    now = _now()
    view, other = _pairs(now), partners(torch.tensor(now.state.batch.labels)).tolist()
    assert view.used.sum() == 25  # five pairs of neighbours in each class
    for p, q in zip(*np.nonzero(view.used), strict=True):
        starts = [next(i for i in pair if other[i] == sum(pair) - i) for pair in (view.rows[p], view.columns[q])]
        assert view.loop[p, q] == pytest.approx(float(now.sim[starts[0], starts[1]]), abs=1e-7)


def test_many_pairs_are_cut_and_those_that_the_batch_uses_stay() -> None:
    view = _pairs(_now(State(PRESETS["sixty_four"].make(), METHODS["authors"])))
    assert view.loop.shape == (MOST, MOST)
    assert view.totals == (120, 120)
    assert view.used.sum() == 16 * 16
    assert [words.key for words in view.summary] == ["page.loop.pairs.gain", "page.loop.pairs.some"]


def test_a_class_of_one_point_has_that_point_as_its_pair() -> None:
    view = _pairs(_now(circle([0, 40, 100], [0, 0, 1])))
    assert (view.rows, view.columns) == (((0, 1),), ((2, 2),))
    assert view.loop == pytest.approx(view.plain)


def test_the_mean_gain_is_said() -> None:
    view = _pairs(_now(circle([20, 110, 80, 150], [0, 0, 1, 1])))
    (said,) = view.summary
    assert said.values["mean"] == pytest.approx(1 - np.cos(np.radians(30)), abs=1e-3)
    assert (said.values["count"], said.values["total"], said.values["touching"]) == (1, 1, 1)


def test_the_table_holds_every_cell() -> None:
    view = _pairs(_now())
    rows = list(csv.DictReader(io.StringIO(pairs_csv(view))))
    assert len(rows) == view.loop.size
    assert [float(row["loop"]) for row in rows] == pytest.approx(view.loop.ravel().tolist())
    assert sum(int(row["partners"]) for row in rows) == 25


def test_triplet_and_ms_without_and_with_loop() -> None:
    now, before = _now(), scene(default_state())
    triplet, ms = method_rows(now)
    assert triplet.method == Method("triplet", epsilon=0.1)
    assert ms.method == METHODS["authors"]
    for figures, it in ((ms.plain, before), (ms.loop, now)):
        found = it.evaluation
        assert figures.loss == pytest.approx(float(found.value))
        assert (figures.positives, figures.negatives) == (int(found.mined.pos.sum()), int(found.mined.neg.sum()))
        assert figures.push == pytest.approx(float(found.weights[it.pairs.neg].sum()))
        assert figures.pull == pytest.approx(float(found.weights[it.pairs.pos].sum()))
        assert figures.heaviest is not None
        assert figures.heaviest[2] == pytest.approx(float(found.weights.max()))
    assert ms.loop.negatives > ms.plain.negatives  # harder negatives: more of them are mined


def test_the_active_loss_keeps_its_parameters() -> None:
    triplet, ms = method_rows(_now(default_state().with_method(Method("triplet", lam=0.4))))
    assert triplet.method == Method("triplet", lam=0.4)
    assert ms.method == Method("multi_similarity")


def test_a_batch_in_which_nothing_weighs_has_no_heaviest_pair() -> None:
    triplet, _ = method_rows(_now(circle([0, 1, 180, 181], [0, 0, 1, 1], Method("triplet"))))
    assert triplet.plain.heaviest is None
    assert triplet.plain.push == 0


def test_more_than_512_points_have_no_matrices_of_it() -> None:
    batch = Batch.of([[np.cos(k / 90), np.sin(k / 90)] for k in range(520)], [k % 4 for k in range(520)])
    now = scene(State(batch, METHODS["authors"]))
    assert loop_panels(now, scales(now)) == ()
    view = four_view(now)
    assert isinstance(view, FourView)
    assert pairs_view(now, view).loop.shape == (MOST, MOST)
