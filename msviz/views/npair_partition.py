"""How the denominator of N-pair fills up: the loss of N = 2, 3, ... classes on its way to all of them, on real data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import torch
from jaxtyping import Float64

from msviz.core.npair import Pairing, tuplets
from msviz.core.partition import PartitionCurve, partition_curve
from msviz.core.similarity import similarity
from msviz.state.npair_lab import Filled
from msviz.text import Message, msg
from msviz.views.csv_text import csv_text
from msviz.views.npair_data import pool
from msviz.views.scene import Scene

ROUNDS: Final = 4
NEARLY: Final = 0.9  # of the full value: from there on more classes add little


@dataclass(frozen=True, eq=False)
class PartitionView:
    """The curve of one data set.

    Args:
        curve: mean, ends and bound for every N.
        chosen: N of the batch on the bench, where the data have so many classes; else None.
        summary: what the curve says.
    """

    curve: PartitionCurve
    chosen: int | None
    summary: tuple[Message, ...]


def partition_view(now: Scene, filled: Filled) -> PartitionView:
    """The curve of the batch on the bench, of digits, or of glyphs.

    Args:
        now: the scene under the lab's scheme; says how many classes are chosen.
        filled: whose denominators.

    Raises:
        MsvizError: error.tuplets_*: the batch has no two classes, or a class without a pair.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> view = partition_view(scene(default_state()), "digits")
        >>> view.curve.n.tolist(), view.chosen
        ([2, 3, 4, 5, 6, 7, 8, 9, 10], 3)
    """
    batch = now.state.batch
    curve = _of_batch(batch.x, batch.labels, now.scheme.normalize) if filled == "batch" else _of_images(filled)
    wanted = now.scheme.classes or len(batch.classes)
    chosen = wanted if 2 <= wanted <= int(curve.n[-1]) else None
    return PartitionView(curve, chosen, _summary(curve, chosen))


def partition_csv(curve: PartitionCurve) -> str:
    """The curve with all its digits."""
    columns = (curve.n.tolist(), curve.mean.tolist(), curve.low.tolist(), curve.high.tolist(), curve.bound.tolist())
    rows = ((*row, curve.full) for row in zip(*columns, strict=True))
    return csv_text(("N", "mean", "smallest", "largest", "jensen_bound", "full"), rows)


def _of_batch(x: np.ndarray, labels: tuple[int, ...], normalize: bool) -> PartitionCurve:
    sim = similarity(torch.from_numpy(x.copy()), normalize=normalize)
    found = tuplets(labels, Pairing.NPAIR)
    own = sim[found.anchors]
    excess = own.gather(1, found.negatives) - own.gather(1, found.positives[:, None])
    return _curve(excess.numpy())


@lru_cache(maxsize=4)
def _of_images(name: str) -> PartitionCurve:
    """One pair of every class: the first image is the anchor, the second its positive, for others a negative."""
    x = torch.from_numpy(pool(name).x[:, :2])
    sim = similarity(x[:, 0], x[:, 1]).numpy()
    excess = sim - sim.diagonal()[:, None]
    return _curve(excess[~np.eye(len(x), dtype=bool)].reshape(len(x), -1))


def _curve(excess: Float64[np.ndarray, "A K"]) -> PartitionCurve:
    return partition_curve(excess, np.random.default_rng(0), ROUNDS)


def _summary(curve: PartitionCurve, chosen: int | None) -> tuple[Message, ...]:
    last = int(curve.n[-1])
    share = curve.mean / curve.full
    enough = int(curve.n[int((share >= NEARLY).argmax())])
    words = [msg("page.npair.fill.enough", n=enough, classes=last, share=NEARLY, full=curve.full)]
    if chosen is not None:
        at = chosen - 2
        values = {"mean": float(curve.mean[at]), "low": float(curve.low[at]), "high": float(curve.high[at])}
        key = "page.npair.fill.all" if chosen == last else "page.npair.fill.now"
        words.insert(0, msg(key, n=chosen, share=float(share[at]), bound=float(curve.bound[at]), **values))
    return tuple(words)
