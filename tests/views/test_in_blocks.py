"""Thousands of points are evaluated a block of rows at a time, to the same numbers."""

import numpy as np
import pytest
import torch

from msviz.core.losses import LOSSES
from msviz.core.methods import Method, evaluate
from msviz.core.pairs import bounds, label_pairs
from msviz.core.similarity import similarity
from msviz.data import Batch
from msviz.state import State
from msviz.text import msg
from msviz.views.board import board_view, scales
from msviz.views.change import NOTICEABLE, change_view
from msviz.views.in_blocks import ROWS, blocks, compared_rows, evaluate_rows, weigh
from msviz.views.norms import norms_view
from msviz.views.readouts import coincide, readouts
from msviz.views.scene import scene
from tests.views.scenes import keys

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


def _many(seed: int = 1, normalize: bool = True) -> State:
    """133 points on a plane: three blocks of rows."""
    rng = np.random.default_rng(seed)
    turn, length = np.pi / 2 * np.array(LABELS) + rng.normal(0, 0.5, M), rng.uniform(0.3, 1, M)
    board = length[:, None] * np.stack([np.cos(turn), np.sin(turn)], 1)
    return State(Batch.of(board, LABELS), Method("multi_similarity", epsilon=0.1), normalize=normalize)


def test_edges_over_blocks_are_those_of_the_whole_matrix() -> None:
    now = scene(_many().select(7))
    both, kept = (now.weights + now.weights.T).triu(1), (now.kept | now.kept.T).triu(1)
    view = board_view(now, scales(now))
    own = {(min(7, j), max(7, j)) for j in range(M) if kept[min(7, j), max(7, j)]}
    heaviest = {divmod(k, M) for k in both.flatten().argsort(descending=True)[:60].tolist()}
    assert view.total == int(kept.sum())
    assert {(edge.one, edge.two) for edge in view.edges} == own | heaviest
    assert all(edge.weight == float(both[edge.one, edge.two]) for edge in view.edges)


@pytest.mark.parametrize("removed", [False, True])
def test_what_changed_is_found_over_blocks(removed: bool) -> None:
    state = _many()
    batch = state.batch.removed(3) if removed else state.batch
    before, after = scene(state), scene(state.with_batch(batch.moved(100, (1, 0))))
    rows = [row for row in range(M) if not (removed and row == 3)]  # of the first scene, of the points in both
    old, new = before.weights[rows][:, rows], after.weights
    i, j = divmod(int((new - old).abs().argmax()), len(rows))
    view = change_view(before, after)
    (largest,) = (effect for effect in view.effects if effect.key == "change.weight")
    assert (largest.values["anchor"], largest.values["other"]) == (rows[i], rows[j])
    assert (largest.values["old"], largest.values["new"]) == (float(old[i, j]), float(new[i, j]))
    other_decision = after.kept != before.kept[rows][:, rows]
    assert view.changed.tolist() == (((new - old).abs() > NOTICEABLE) | other_decision).tolist()
    counts = {effect.key: effect.values.get("count", 0) for effect in view.effects}
    newly_kept = int((after.kept & ~before.kept[rows][:, rows]).sum())
    assert counts.get("change.newly_kept", 0) == newly_kept > 0
    assert counts.get("change.newly_dropped", 0) == int((before.kept[rows][:, rows] & ~after.kept).sum())


def test_norms_over_blocks_are_those_of_the_whole_matrix() -> None:
    now = scene(_many(normalize=False))
    view = norms_view(now)
    assert view is not None
    apart = now.sim[~torch.eye(M, dtype=torch.bool)]
    rivals = now.sim - torch.eye(M) * 99
    row = now.state.batch.index(view.longest)
    assert (view.low, view.high) == (float(apart.min()), float(apart.max()))
    assert view.neighbours == int(((rivals.argmax(1) == row) & (rivals.amax(1) > 0)).sum())
    assert 0 < view.by_angle < view.neighbours


def test_points_of_one_place_are_found_over_blocks() -> None:
    together = [[1.0, 0.0]] * M
    now, last_apart = (
        scene(State(Batch.of(board, LABELS), Method("linear"))) for board in (together, [*together[:-1], [0.0, 1.0]])
    )
    assert coincide(now, now.pairs.neg)
    assert not coincide(last_apart, last_apart.pairs.neg)
    assert keys([readouts(now).why_still or msg("")]) == ["zero.still"]


def test_a_histogram_is_collected_over_blocks() -> None:
    sim, pairs, p = similarity(X.repeat(5, 1)), label_pairs([*LABELS] * 5), Method("histogram").params
    whole = LOSSES["histogram"].whole_batch
    assert whole is not None
    assert len(sim) > 600
    parts = sum(whole.collect(sim[rows], pairs.rows(rows), p) for rows in blocks(len(sim)))
    assert torch.allclose(whole.collect(sim, pairs, p), torch.as_tensor(parts), rtol=1e-12)
