"""The strips: every cell is the core's weight of that pair at that value, rows and values are in order."""

import numpy as np
import pytest

from msviz.core.losses import LOSSES
from msviz.core.methods import Method, evaluate
from msviz.data import PRESETS
from msviz.data.datasets import digits_batch
from msviz.state import State
from msviz.views.scene import Scene, scene
from msviz.views.weights_sweeps import SweepsView, sweeps_view
from tests.views.scenes import MS, on_circle, reference


def _view(now: Scene) -> SweepsView:
    view = sweeps_view(now)
    assert view is not None
    return view


def test_without_a_selection_or_a_partner_there_are_no_strips() -> None:
    assert sweeps_view(reference()) is None
    assert sweeps_view(on_circle([0], [0], select=(0, None))) is None


def test_rows_are_positives_then_negatives_the_most_similar_first() -> None:
    view = _view(reference(select=(0, 3)))
    assert view.others == (1, 2, 3, 4)
    assert view.positive == (True, True, False, False)
    assert view.s == pytest.approx((0.82, 0.65, 0.62, 0.30))
    assert view.selected == 2


def test_epsilon_from_nothing_to_everything() -> None:
    strip = _view(reference(select=(0, None))).strips[-1]
    kept = {round(float(value), 2): strip.kept[:, at].tolist() for at, value in enumerate(strip.values)}
    assert strip.letter == "ε"
    assert kept[0.02] == [False] * 4  # the gap between .65 and .62 is .03
    assert kept[0.1] == [False, True, True, False]
    assert kept[0.22] == [True, True, True, False]  # .82 < .62 + .22
    assert kept[0.36] == [True] * 4  # .30 > .65 - .36


def test_the_column_of_the_present_value_holds_the_weights_of_the_page() -> None:
    now = reference(Method("contrastive", lam=0.5), (0, None))
    strip = _view(now).strips[0]
    at = int(np.flatnonzero(strip.values == 0.5)[0]) if 0.5 in strip.values else None
    nearest = int(np.abs(strip.values - 0.5).argmin())
    assert at is None or at == nearest
    assert strip.now == 0.5
    assert strip.gradient[:, nearest].tolist() == [-1, -1, 1, 0]


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("epsilon", [None, 0.1])
def test_every_strip_holds_what_the_core_says(name: str, epsilon: float | None) -> None:
    method = Method(name, epsilon=epsilon)
    now = scene(State(PRESETS["overlapping"].make(), method).select(4, 6))
    view = _view(now)
    assert [strip.name for strip in view.strips][-1] == "epsilon"
    rows = [now.state.batch.index(other) for other in view.others]
    for strip in view.strips:
        assert (np.diff(strip.values) > 0).all()
        assert strip.gradient.shape == strip.kept.shape == (13, len(strip.values))
        for at in range(0, len(strip.values), 17):
            found = evaluate(now.sim, now.pairs, method.replace(**{strip.name: float(strip.values[at])}))
            np.testing.assert_allclose(strip.gradient[:, at], found.gradient[4, rows].numpy(), atol=1e-12)
            assert strip.kept[:, at].tolist() == (found.mined.pos | found.mined.neg)[4, rows].tolist()


def test_values_run_over_the_slider_on_its_scale() -> None:
    alpha, beta, lam, epsilon = _view(reference(MS, (0, 3))).strips
    assert beta.log
    assert beta.values[[0, -1]].tolist() == pytest.approx([0.1, 200])
    assert np.diff(np.log(beta.values)) == pytest.approx(np.log(2000) / 59)
    assert not lam.log
    assert lam.values[[0, -1]].tolist() == [-1, 1]
    assert epsilon.values[[0, -1]].tolist() == [0, 1]
    assert (alpha.now, beta.now, lam.now, epsilon.now) == (2, 40, 0.5, 0.1)


def test_bins_are_whole_numbers() -> None:
    strip = _view(reference(Method("histogram"), (0, 3))).strips[0]
    assert strip.values.tolist() == np.unique(strip.values.round()).tolist()
    assert strip.values[[0, -1]].tolist() == [2, 200]


def test_without_mining_epsilon_has_no_present_value() -> None:
    assert _view(reference(Method("linear"), (0, 3))).strips[-1].now is None


def test_of_many_pairs_the_hardest_stand_in_the_strips_and_the_selected_one() -> None:
    batch = digits_batch(range(4), 60, seed=0)
    now = scene(State(batch, MS).select(batch.ids[0], batch.ids[-1]))
    view = _view(now)
    positives = [s for s, positive in zip(view.s, view.positive, strict=True) if positive]
    assert len(positives) == 40
    assert len(view.others) in (120, 121)
    assert view.left == 239 - len(view.others)
    assert min(positives) == pytest.approx(float(now.sim[0][now.pairs.pos[0]].min()))
    assert view.selected is not None
    assert view.others[view.selected] == batch.ids[-1]
    assert all(len(strip.gradient) == len(view.others) for strip in view.strips)
