"""Thousands of points are evaluated a block of rows at a time, to the same numbers."""

import pytest
import torch

from msviz.core.losses import LOSSES
from msviz.core.methods import Method, evaluate
from msviz.core.pairs import bounds, label_pairs
from msviz.core.similarity import similarity
from msviz.data import Batch
from msviz.state import State
from msviz.views.board import board_view, scales
from msviz.views.in_blocks import ROWS, blocks, compared_rows, evaluate_rows, weigh
from msviz.views.readouts import readouts
from msviz.views.scene import scene

M = 2 * ROWS + 5
X = torch.nn.functional.normalize(torch.randn(M, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64))
LABELS = tuple(k % 4 for k in range(M))


def test_blocks_cover_every_row_once() -> None:
    assert [rows for part in blocks(M) for rows in range(part.start, part.stop)] == list(range(M))
    assert list(blocks(0)) == []


def test_rows_are_those_of_the_whole_matrix() -> None:
    sim, pairs, hardest = compared_rows(X, LABELS, normalize=True)
    whole = label_pairs(list(LABELS))
    assert torch.equal(pairs.pos, whole.pos)
    assert torch.equal(pairs.neg, whole.neg)
    assert torch.allclose(sim, similarity(X), rtol=0, atol=1e-15)
    expected = bounds(sim, whole)
    assert torch.equal(hardest.hardest_pos, expected.hardest_pos)
    assert torch.equal(hardest.hardest_neg_at, expected.hardest_neg_at)


@pytest.mark.parametrize("epsilon", [None, 0.1])
@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_is_the_same_in_blocks(name: str, epsilon: float | None) -> None:
    sim, pairs, method = similarity(X), label_pairs(list(LABELS)), Method(name, epsilon=epsilon)
    whole, parts = evaluate(sim, pairs, method), evaluate_rows(sim, pairs, method)
    assert torch.allclose(parts.gradient, whole.gradient, rtol=1e-12, atol=1e-15)
    assert torch.allclose(parts.value, whole.value, rtol=1e-12)
    assert torch.equal(parts.mined.pos, whole.mined.pos)
    assert torch.equal(parts.violations, whole.violations)
    mined, gradient = weigh(sim, pairs, method)
    assert torch.equal(mined.neg, whole.mined.neg)
    assert torch.equal(gradient, whole.gradient)


def test_a_scene_of_many_points_agrees_with_the_core_to_float32() -> None:
    turn = torch.linspace(0, 6.2, 600, dtype=torch.float64)
    batch = Batch.of(torch.stack([turn.cos(), turn.sin()], 1).numpy(), [k % 3 for k in range(600)])
    now = scene(State(batch, Method("multi_similarity"), others=(Method("triplet"),)))
    assert now.sim.dtype == torch.float32
    x = torch.from_numpy(batch.x.copy())
    exact = evaluate(similarity(x), label_pairs(list(batch.labels)), now.state.method)
    assert readouts(now).loss == pytest.approx(float(exact.value), rel=1e-5)
    assert torch.allclose(now.evaluation.gradient.double(), exact.gradient, atol=1e-5)
    assert [len(it.gradient) for it in now.compared] == [600, 600]
    view = board_view(now, scales(now))
    both = exact.weights + exact.weights.T
    assert len(view.edges) == 60
    assert view.edges[-1].weight == pytest.approx(float(both.max()), rel=1e-4)
