"""One pair's weight against its similarity: hand values, jumps where mining and hinges put them, all else at rest."""

import math
import time

import numpy as np
import pytest
import torch

from msviz.core.losses import LOSSES
from msviz.core.methods import METHODS, Method, evaluate
from msviz.data import PRESETS
from msviz.state import State
from msviz.views.scene import scene
from msviz.views.weights_curves import Curve, curves_view
from tests.views.scenes import MS, one_anchor, reference

ALL = [Method(name, epsilon=epsilon) for name in LOSSES for epsilon in (None, 0.1)]


def _curve(method: Method, select: tuple[int, int] = (0, 3)) -> Curve:
    """The curve of the reference anchor: positives 1 (.82) and 2 (.65), negatives 3 (.62) and 4 (.30)."""
    view = curves_view(reference(method, select))
    assert view is not None
    return view.curves[0]


def _at(curve: Curve, s: float) -> float:
    return float(np.interp(s, curve.s, curve.weight))


def test_without_a_pair_there_is_no_curve() -> None:
    assert curves_view(reference()) is None
    assert curves_view(reference(select=(0, None))) is None


def test_the_point_now_is_the_weight_that_the_page_shows() -> None:
    curve = _curve(MS)
    assert curve.now == pytest.approx(0.991837, abs=1e-6)
    assert curve.now == pytest.approx(float(reference().weights[0, 3]), abs=1e-12)


def test_the_curve_of_multi_similarity_is_its_formula() -> None:
    curve = _curve(MS)  # rivals: 4 at .30 is dropped, so only "1 +" and the pair itself stand below
    for s in (0.56, 0.6, 0.7, 0.9):
        own = math.exp(40 * (s - 0.5))
        assert _at(curve, s) == pytest.approx(own / (1 + own), abs=2e-4)


def test_mining_drops_a_negative_below_the_least_similar_positive_less_epsilon() -> None:
    ((low, high),) = _curve(MS).dropped()
    assert (low, high) == (-1, pytest.approx(0.55, abs=1e-5))  # .65 - .10


def test_mining_drops_a_positive_above_the_most_similar_negative_plus_epsilon() -> None:
    ((low, high),) = _curve(MS, (0, 1)).dropped()
    assert (low, high) == (pytest.approx(0.72, abs=1e-5), 1)  # .62 + .10


def test_where_mining_lets_go_the_curve_breaks_and_does_not_slant() -> None:
    curve = _curve(MS)
    (jump,) = curve.jumps
    assert curve.s[jump] == pytest.approx(0.55, abs=1e-5)
    assert curve.s[jump + 1] - curve.s[jump] <= 1e-6
    assert curve.weight[jump] == 0
    assert curve.weight[jump + 1] == pytest.approx(1 / (1 + math.exp(-2)), abs=1e-4)  # sigma(40 (.55 - .5))


def test_a_hinge_is_a_jump_at_its_threshold() -> None:
    curve = _curve(Method("contrastive", lam=0.5))
    (jump,) = curve.jumps
    assert curve.s[jump] == 0.5  # strict: at lambda itself nothing is pushed yet
    assert (curve.weight[jump], curve.weight[jump + 1]) == (0, 1)


def test_a_triplet_jumps_once_for_every_positive_that_the_negative_passes() -> None:
    curve = _curve(Method("triplet", lam=0.1))
    assert [round(float(curve.s[at]), 4) for at in curve.jumps] == [0.55, 0.72]
    assert [_at(curve, s) for s in (0.5, 0.6, 0.8)] == [0, 1, 2]


def test_a_smooth_curve_has_no_jump_however_steep() -> None:
    assert _curve(Method("binomial", beta=200)).jumps == ()
    assert _curve(Method("linear")).jumps == ()


def test_a_violation_lies_below_zero() -> None:
    near = one_anchor([0.99, 0.2], [-0.5], Method("supcon"), (0, 1))
    view = curves_view(near)
    assert view is not None
    assert view.curves[0].now < 0  # supcon pushes the positive that is close enough


@pytest.mark.parametrize("method", ALL, ids=repr)
@pytest.mark.parametrize("pair", [(4, 6), (4, 3)])
def test_every_point_of_every_curve_is_the_core_on_the_batch_with_that_one_similarity(
    method: Method, pair: tuple[int, int]
) -> None:
    now = scene(State(PRESETS["overlapping"].make(), method).select(*pair))
    view = curves_view(now)
    assert view is not None
    curve, (i, j) = view.curves[0], pair
    sign = 1 if bool(now.pairs.neg[i, j]) else -1
    assert curve.now == pytest.approx(sign * float(now.evaluation.gradient[i, j]), abs=1e-12)
    for at in range(0, len(curve.s), 37):
        sim = now.sim.clone()
        sim[i, j] = curve.s[at]
        found = evaluate(sim, now.pairs, method)
        assert curve.weight[at] == pytest.approx(sign * float(found.gradient[i, j]), abs=1e-12)
        assert curve.kept[at] == bool((found.mined.pos | found.mined.neg)[i, j])


def test_every_compared_method_has_one_curve_and_the_active_one_is_first() -> None:
    state = reference(select=(0, 3)).state.with_others((Method("triplet"), MS, Method("triplet")))
    view = curves_view(scene(state))
    assert view is not None
    assert [curve.method for curve in view.curves] == [MS, Method("triplet")]


def test_six_methods_on_a_batch_of_64_take_less_than_300_ms() -> None:
    torch.set_num_threads(1)
    now = scene(State(PRESETS["sixty_four"].make(), METHODS["authors"]).select(4, 20))
    best = math.inf
    for _ in range(5):
        start = time.perf_counter()
        view = curves_view(now)
        best = min(best, time.perf_counter() - start)
    assert view is not None
    assert len(view.curves) == 6
    assert best < 0.3
