"""Large batches are shown as means of blocks within the classes, and one block can be looked into."""

import numpy as np
import pytest

from msviz.core.methods import METHODS
from msviz.data import Batch
from msviz.state import State
from msviz.views.blocks import LARGE, SIDE, Window, block_starts, window
from msviz.views.board import scales
from msviz.views.decision import Decision
from msviz.views.matrices import decisions, matrix_view
from msviz.views.panels import similarity_panel, three_panels
from msviz.views.scene import scene


def _state(labels: list[int], zoom: tuple[int, int] | None = None, select: tuple[int, int] | None = None) -> State:
    turn = np.linspace(0, 6, len(labels))
    state = State(Batch.of(np.stack([np.cos(turn), np.sin(turn)], 1), labels), METHODS["authors"])
    return state.select(*(select or (None,))).with_display(
        state.select(*(select or (None,))).display.replace(zoom=zoom)
    )


# Points 0..127: class 1 has the even ids, class 0 the odd ones, so that order and rows differ.
TWO = [1 - k % 2 for k in range(LARGE)]


def test_a_small_batch_shows_every_cell() -> None:
    shown = window(_state([0] * 60 + [1] * 67))
    assert (shown.means, shown.starts, shown.rows, shown.columns) == (False, None, range(127), range(127))


def test_blocks_lie_within_the_classes() -> None:
    # 9 points of class 0 in blocks of at most 8: 4 and 5.
    assert block_starts([9, 8, 1]) == (0, 4, 9, 17)


@pytest.mark.parametrize("sizes", [[4096], [512] * 8, [16] * 256, [4000, *[1] * 96], [1] * 300])
def test_there_are_never_more_blocks_than_fit(sizes: list[int]) -> None:
    starts = block_starts(sizes)
    assert len(starts) <= max(SIDE, len(sizes))
    assert {0, *np.cumsum(sizes)[:-1].tolist()} <= set(starts)  # every class begins a block


def test_a_mean_is_that_of_its_pairs_without_the_diagonal() -> None:
    state = _state(TWO)
    now, shown = scene(state), window(state)
    assert shown.means
    assert shown.starts is not None
    assert len(shown.starts) == 16
    assert state.batch.labels[shown.order[0]] == 0
    first, second = shown.order[:8], shown.order[8:16]  # two blocks of class 0
    means = shown.values(now.sim.numpy())
    assert means.shape == (16, 16)
    assert means[0, 1] == pytest.approx(now.sim.numpy()[np.ix_(first, second)].mean())
    inside = now.sim.numpy()[np.ix_(first, first)]
    assert means[0, 0] == pytest.approx((inside.sum() - np.trace(inside)) / 56)


def test_what_is_not_a_number_is_left_out_of_a_mean() -> None:
    shown = Window(np.array([0, 1, 2]), (0, 2), range(3), range(3), True)
    full = np.array([[9.0, 1, np.nan], [3, 9, 5], [np.nan, np.nan, 9]])
    means = shown.values(full)
    assert means[0].tolist() == [2, 5]
    assert np.isnan(means[1]).all()  # the point alone has no pair of its own, the others are not numbers


def test_a_block_is_kept_when_one_of_its_pairs_is() -> None:
    shown = Window(np.array([2, 0, 1, 3]), (0, 2, 3), range(4), range(4), True)  # blocks (2, 0), (1), (3)
    P, p, N, n, s = (
        Decision.POSITIVE_KEPT,
        Decision.POSITIVE_DROPPED,
        Decision.NEGATIVE_KEPT,
        Decision.NEGATIVE_DROPPED,
        0,
    )
    full = np.array([[s, n, p, n], [n, s, n, N], [P, N, s, n], [n, n, n, s]], dtype=np.uint8)
    assert shown.decisions(full).tolist() == [[P, N, n], [n, s, N], [n, n, s]]


def test_a_zoom_shows_the_cells_of_the_block_that_holds_its_pair() -> None:
    state = _state(TWO, zoom=(17, 0))  # the ninth point of class 0, the first of class 1
    now, shown = scene(state), window(state)
    assert (shown.means, shown.rows, shown.columns) == (False, range(8, 16), range(64, 72))
    rows, columns = shown.order[8:16], shown.order[64:72]
    assert np.array_equal(shown.values(now.sim.numpy()), now.sim.numpy()[np.ix_(rows, columns)].astype(np.float32))
    assert np.array_equal(shown.decisions(decisions(now)), decisions(now)[np.ix_(rows, columns)])
    assert similarity_panel(now).values.shape == (8, 8)


def test_means_of_everything_are_the_mean_of_the_means() -> None:
    now = scene(_state([0] * 100 + [1] * 60 + [2]))
    shown = window(now.state)
    assert shown.starts is not None
    sizes = np.diff([*shown.starts, 161])
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    weights = np.nan_to_num(shown.values(now.weights.numpy())) * pairs
    assert weights.sum() == pytest.approx(float(now.weights.sum()), rel=1e-5)


def test_rows_are_sent_where_somebody_can_ask_for_them() -> None:
    assert matrix_view(scene(_state([0, 1] * 20))).known == tuple(range(40))
    assert matrix_view(scene(_state(TWO))).known == ()
    selected = matrix_view(scene(_state(TWO, select=(0, 1))))
    assert selected.known == (64,)  # the first of class 1
    assert selected.sim.shape == selected.gradient.shape == selected.decision.shape == (1, LARGE)
    assert matrix_view(scene(_state(TWO, zoom=(17, 0), select=(0, 1)))).known == (*range(8, 16), 64)


def test_a_zoom_goes_with_its_points() -> None:
    state = _state(TWO, zoom=(17, 0))
    assert state.with_batch(state.batch.removed(17)).display.zoom is None
    assert window(state.with_batch(state.batch.removed(17))).means is False  # 127 points are shown one by one


def test_colours_of_mean_shares_reach_to_the_largest_one() -> None:
    now = scene(_state(TWO))
    n = three_panels(now)[2]
    assert (n.low, n.high) == (0, float(n.values.max()))
    assert 0 < n.high < 0.5  # of some sixty rivals
    later = scene(now.state.with_method(now.state.method.replace(beta=1.0)))
    assert three_panels(later, scales(now))[2].high == n.high  # while a slider is held
    assert three_panels(scene(_state(TWO, zoom=(17, 0))))[2].high == 1
