"""The few numbers that matter, and the reason when every weight is zero."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Bool
from torch import Tensor

from msviz.text import Message, msg
from msviz.views.in_blocks import blocks, count
from msviz.views.scene import Scene, once

SAME: Final = 1e-9  # S of two points in one place may differ so much from 1; a step of the board's grid makes more
STILL: Final = 1e-9  # a force below this moves nothing


@dataclass(frozen=True)
class Readouts:
    """Numbers of a scene.

    Args:
        loss: the batch loss, the mean over all m anchors; 0 for an empty board.
        kept_positives, kept_negatives: pairs that count, ordered (i, j).
        positives, negatives: pairs by label, ordered.
        heaviest: ids (anchor, other) of the pair with the largest weight, None when all are zero.
        share: its part of the total weight, 0..1.
        violations: pairs whose gradient has the sign that GPW excludes.
        why_zero: the reason when all weights are zero, None otherwise.
        why_still: the reason when pairs weigh something and yet no point is pushed anywhere, None otherwise.
    """

    loss: float
    kept_positives: int
    kept_negatives: int
    positives: int
    negatives: int
    heaviest: tuple[int, int] | None
    share: float
    violations: int
    why_zero: Message | None
    why_still: Message | None = None


def readouts(scene: Scene) -> Readouts:
    """The readouts of a scene.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> numbers = readouts(scene(default_state()))
        >>> numbers.positives, numbers.negatives
        (52, 130)
    """
    return once(scene, "readouts", lambda: _readouts(scene))


def _readouts(scene: Scene) -> Readouts:
    mined, weights, ids = scene.evaluation.mined, scene.weights, scene.state.batch.ids
    total = float(weights.sum())
    heaviest = None
    if total > 0:
        i, j = divmod(int(weights.argmax()), scene.m)
        heaviest = (ids[i], ids[j])
    return Readouts(
        loss=float(scene.evaluation.value) if scene.m else 0.0,
        kept_positives=count(mined.pos),
        kept_negatives=count(mined.neg),
        positives=count(scene.pairs.pos),
        negatives=count(scene.pairs.neg),
        heaviest=heaviest,
        share=float(weights.max()) / total if total > 0 else 0.0,
        violations=count(scene.evaluation.violations),
        why_zero=None if total > 0 else why_zero(scene),
        why_still=why_still(scene) if total > 0 else None,
    )


def why_zero(scene: Scene) -> Message:
    """Why every weight is zero: the first cause that holds.

    Causes, in this order: no point, one point, one class (no negatives) where the method needs them, no class with two
    points (no positives) likewise, all points in one place, every anchor's classes farther apart than epsilon (or each
    class in a place of its own), a loss whose hinges are all closed. What would end it: `msviz.views.remedy`.
    """
    batch, method = scene.state.batch, scene.state.method
    if batch.m == 0:
        return msg("zero.empty")
    if batch.m == 1:
        return msg("zero.one_point")
    if not scene.pairs.neg.any():
        return msg("zero.one_class", name=batch.class_name(batch.labels[0]))
    if not scene.pairs.pos.any():
        return msg("zero.no_positives")
    if coincide(scene, scene.pairs.pos | scene.pairs.neg):
        return msg("zero.coincident")
    if method.epsilon is not None and not scene.kept.any():
        return _separated(scene, method.epsilon)
    return msg("zero.inactive", kept=count(scene.kept))


def why_still(scene: Scene) -> Message | None:
    """Why no point is pushed although pairs weigh something; None where at least one is.

    A force acts along the circle or sphere. From a point at the very same place, or at the opposite one, it has no such
    part: a gradient that vanishes, whatever the weight. Otherwise pulls and pushes cancel.
    """
    if not scene.m or float(np.abs(scene.forces).max()) > STILL:
        return None
    weighs = scene.weights > 0
    away = weighs & (1 - scene.sim.abs() >= _nothing(scene))
    if scene.scheme.normalize and not away.any():
        return msg("zero.still", count=count(weighs))
    return msg("zero.balanced")


def coincide(scene: Scene, among: Bool[Tensor, "m m"]) -> bool:
    """Whether there are such pairs and the two points of each lie in one place."""
    apart = ((among[rows] & ~same_place(scene, rows)).any() for rows in blocks(scene.m))
    return bool(among.any()) and not any(map(bool, apart))


def same_place(scene: Scene, rows: slice = slice(None)) -> Bool[Tensor, "n m"]:
    """Which pairs of some anchors lie in one place: S is 1 there, and where norms count the points are the same."""
    if scene.scheme.normalize:
        return scene.sim[rows] > 1 - _nothing(scene)
    x = torch.from_numpy(scene.state.batch.x.copy())
    return torch.cdist(x[rows], x) < SAME


def _nothing(scene: Scene) -> float:
    """What S of two points in one place may differ from 1: thousands of points are evaluated in float32."""
    return max(SAME, 8 * torch.finfo(scene.sim.dtype).eps)


def gap(scene: Scene) -> tuple[int, float]:
    """The anchor (its row) that comes closest to being mined, and how far it is from it.

    Its hardest negative lies that much below its least similar positive; infinite where no anchor has both kinds.
    """
    gaps = scene.bounds.hardest_pos - scene.bounds.hardest_neg  # infinite where an anchor lacks one of them
    row = int(gaps.argmin())
    return row, float(gaps[row])


def _separated(scene: Scene, epsilon: float) -> Message:
    row, far = gap(scene)
    if not math.isfinite(far):  # positives exist and negatives exist, but no anchor has both
        return msg("zero.no_anchor_with_both")
    return msg(
        "zero.collapsed" if coincide(scene, scene.pairs.pos) else "zero.separated",
        anchor=scene.state.batch.ids[row],
        least=float(scene.bounds.hardest_pos[row]),
        most=float(scene.bounds.hardest_neg[row]),
        gap=far,
        epsilon=epsilon,
    )
