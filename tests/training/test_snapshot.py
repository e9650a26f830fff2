"""A snapshot: what can be seen of a step, computed from its embeddings by the core."""

import numpy as np
import pytest
import torch

from msviz import METHODS, Method
from msviz.training.snapshot import Snapshot
from tests.training.runs import trainer


def at_angles(degrees: list[float], labels: list[int], method: Method) -> Snapshot:
    angles = np.radians(degrees)
    x = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return Snapshot(0, 0.0, method, 0.1, np.arange(len(x)), x, np.array(labels))


def test_weights_in_a_few_numbers_by_hand() -> None:
    # linear: every pair weighs 1. Of 6 ordered pairs 2 are positive, 4 negative.
    linear = at_angles([0, 30, 90], [0, 0, 1], Method("linear")).weights
    assert (linear.mean, linear.largest, linear.share_nonzero) == (1, 1, 1)
    assert (linear.positive_total, linear.negative_total) == (2, 4)
    # contrastive leaves negatives at or below lam = .5 alone: of 4 only those of 30 and 80 degrees, S = .64, are above.
    contrastive = at_angles([0, 30, 80], [0, 0, 1], Method("contrastive")).weights
    assert (contrastive.positive_total, contrastive.negative_total) == (2, 2)
    assert contrastive.share_nonzero == pytest.approx(4 / 6)
    assert contrastive.mean == pytest.approx(4 / 6)


def test_the_mined_share_counts_anchors_that_keep_a_pair() -> None:
    # The positive of 0 is at 10 degrees; its negatives at 90 are far below it by more than epsilon: nobody is kept.
    easy = at_angles([0, 10, 90, 100], [0, 0, 1, 1], METHODS["ms"])
    assert easy.mined_share == 0
    # At 0, 40, 60: 40 degrees has its negative nearer than its positive; for 0 the positive is far ahead (.77 to .5).
    # The one at 60 degrees has no positive.
    assert at_angles([0, 40, 60], [0, 0, 1], METHODS["ms"]).mined_share == pytest.approx(1 / 3)
    assert at_angles([0, 40, 60], [0, 0, 1], METHODS["ms"].replace(epsilon=None)).mined_share == 1


def test_what_a_snapshot_shows_is_what_the_step_computed() -> None:
    run = trainer()
    for _ in range(5):
        snapshot = run.step()
        assert float(snapshot.evaluation.value) == pytest.approx(snapshot.loss, rel=1e-5)


def test_a_snapshot_keeps_no_matrix_however_much_is_asked_of_it() -> None:
    snapshot = trainer().step()
    b = len(snapshot.rows)
    assert snapshot.evaluation.weights.shape == (b, b)
    assert snapshot.weights.mean > 0
    assert snapshot.mined_share > 0
    kept = [value for value in vars(snapshot).values() if isinstance(value, (np.ndarray, torch.Tensor))]
    assert kept
    assert all(value.shape != (b, b) for value in kept)


def test_a_snapshot_can_be_read_from_arrays_that_cannot_be_written() -> None:
    snapshot = at_angles([0, 40, 60], [0, 0, 1], METHODS["ms"])
    snapshot.x.flags.writeable = False
    snapshot.labels.flags.writeable = False
    assert snapshot.mined_share == pytest.approx(1 / 3)
