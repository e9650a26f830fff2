"""Kept pairs against epsilon, class by class: a step function, exact, from the sorted gaps of all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Float64, Int
from torch import Tensor

from msviz.text import Message, msg, number
from msviz.views.csv_text import csv_text
from msviz.views.in_blocks import count
from msviz.views.scene import Scene

MOST_STEPS: Final = 1000  # of a curve that is drawn


@dataclass(frozen=True, eq=False)
class KeptCurve:
    """How many pairs of one kind mining keeps, by epsilon: a step function, exact.

    Args:
        name: the class of the anchors.
        label: its number, for its look.
        positive: which kind.
        gaps: sorted, one a pair that some epsilon keeps: every epsilon above its gap keeps it. Below 0: kept always.
        total: all pairs of the kind, those that nothing keeps too (their anchor lacks the other kind).
        now: how many are kept now.
    """

    name: str
    label: int
    positive: bool
    gaps: Float64[np.ndarray, " n"]
    total: int
    now: int

    def kept(self, epsilon: float) -> int:
        """How many pairs a margin keeps."""
        return int(np.searchsorted(self.gaps, epsilon, side="left"))

    def steps(self, high: float) -> tuple[list[float], list[int]]:
        """Where the curve steps between 0 and high, and how many are kept from there on, the two ends included.

        Of a curve with more than 1,000 steps, finer than a screen, the counts at 1,000 margins.
        """
        first, end = np.searchsorted(self.gaps, (0.0, high))
        inside = self.gaps[first:end]
        inside = inside[np.append(True, inside[1:] > inside[:-1])[: len(inside)]]
        if len(inside) > MOST_STEPS:
            inside = np.linspace(0, high, MOST_STEPS, endpoint=False)[1:]
        after = np.searchsorted(self.gaps, inside, side="right")
        return [0.0, *inside.tolist(), high], [self.kept(0.0), *after.tolist(), self.kept(high)]


@dataclass(frozen=True, eq=False)
class KeptView:
    """Kept pairs against epsilon.

    Args:
        curves: for each class with pairs of the kind, first all positives, then all negatives.
        epsilon: the margin now; None = no mining.
        high: where the axis of epsilon ends: 1, or farther when epsilon is.
        summary: the picture in words.
    """

    curves: tuple[KeptCurve, ...]
    epsilon: float | None
    high: float
    summary: tuple[Message, ...]


def kept_view(scene: Scene) -> KeptView:
    """Kept pairs against epsilon, class by class of the anchors.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> view = kept_view(scene(default_state()))
        >>> [(curve.name, curve.positive, curve.kept(0.1), curve.total) for curve in view.curves][:2]
        [('A', True, 15, 20), ('B', True, 18, 20)]
    """
    batch, epsilon, labels = scene.state.batch, scene.state.method.epsilon, torch.tensor(scene.state.batch.labels)
    curves = []
    for positive in (True, False):
        for label in batch.classes:
            own = (labels == label).nonzero().flatten()
            pairs, mined = scene.pairs.rows(own), scene.evaluation.mined.rows(own)
            of_kind, now = (pairs.pos, mined.pos) if positive else (pairs.neg, mined.neg)
            found = _gaps(scene, own, positive)[of_kind].numpy()
            if len(found):
                gaps = np.sort(found[np.isfinite(found)])
                curves.append(KeptCurve(batch.class_name(label), label, positive, gaps, len(found), count(now)))
    return KeptView(tuple(curves), epsilon, max(1.0, epsilon or 0.0), _summary(scene, curves))


def kept_csv(view: KeptView) -> str:
    """The curves as a table: a row for every step of every curve, all digits; each count holds for larger margins.

    Args:
        view: the curves.
    """
    rows = (
        (curve.name, "positive" if curve.positive else "negative", repr(epsilon), kept, curve.total)
        for curve in view.curves
        for epsilon, kept in zip(*curve.steps(view.high), strict=True)
    )
    return csv_text(("class", "kind", "epsilon", "kept_above", "pairs"), rows)


def _gaps(scene: Scene, rows: Int[Tensor, " n"], positive: bool) -> Float64[Tensor, "n m"]:
    """How far each pair is beyond its rival: mining keeps it iff epsilon is larger; infinite without a rival."""
    sim, hardest = scene.sim[rows], scene.bounds
    return sim - hardest.hardest_neg[rows, None] if positive else hardest.hardest_pos[rows, None] - sim


def _summary(scene: Scene, curves: list[KeptCurve]) -> tuple[Message, ...]:
    epsilon, mined, pairs = scene.state.method.epsilon, scene.evaluation.mined, scene.pairs
    ends = [gap for curve in curves if len(curve.gaps) for gap in curve.gaps[[0, -1]].tolist()]
    if not ends:
        return (msg("mining.curve.none"),)
    counts = {
        "positives": count(mined.pos),
        "all_positives": count(pairs.pos),
        "negatives": count(mined.neg),
        "all_negatives": count(pairs.neg),
    }
    now = msg("mining.curve.off") if epsilon is None else msg("mining.curve.now", epsilon=epsilon, **counts)
    first, last = min(ends), max(ends)
    start = msg("mining.curve.from_zero") if first < 0 else msg("mining.curve.first", gap=number(first, 2))
    never = sum(curve.total - len(curve.gaps) for curve in curves)
    end = msg("mining.curve.all", gap=number(max(0.0, last), 2))
    return (now, start, end, *([msg("mining.curve.never", count=never)] if never else []))
