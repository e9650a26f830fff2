"""The few numbers that matter, and the reason when every weight is zero."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from msviz.text import Message, msg
from msviz.views.scene import Scene


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


def readouts(scene: Scene) -> Readouts:
    """The readouts of a scene.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> numbers = readouts(scene(default_state()))
        >>> numbers.positives, numbers.negatives
        (52, 130)
    """
    mined, weights, ids = scene.evaluation.mined, scene.weights, scene.state.batch.ids
    total = float(weights.sum())
    heaviest = None
    if total > 0:
        i, j = divmod(int(weights.argmax()), scene.m)
        heaviest = (ids[i], ids[j])
    return Readouts(
        loss=float(scene.evaluation.value) if scene.m else 0.0,
        kept_positives=int(mined.pos.sum()),
        kept_negatives=int(mined.neg.sum()),
        positives=int(scene.pairs.pos.sum()),
        negatives=int(scene.pairs.neg.sum()),
        heaviest=heaviest,
        share=float(weights.max()) / total if total > 0 else 0.0,
        violations=int(scene.evaluation.violations.sum()),
        why_zero=None if total > 0 else why_zero(scene),
    )


def why_zero(scene: Scene) -> Message:
    """Why every weight is zero: the first cause that holds.

    Causes, in this order: no point, one point, one class (no negatives) where the method needs them, no class with two
    points (no positives) likewise, every anchor's classes farther apart than epsilon, a loss whose hinges are all
    closed.
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
    if method.epsilon is not None and not scene.kept.any():
        return _separated(scene, method.epsilon)
    return msg("zero.inactive", kept=int(scene.kept.sum()))


def _separated(scene: Scene, epsilon: float) -> Message:
    # The anchor that comes closest to being mined: the smallest gap between its hardest positive and negative; infinite
    # where it lacks one of them.
    gap = scene.bounds.hardest_pos - scene.bounds.hardest_neg
    row = int(gap.argmin())
    if not torch.isfinite(gap[row]):  # positives exist and negatives exist, but no anchor has both
        return msg("zero.no_anchor_with_both")
    return msg(
        "zero.separated",
        anchor=scene.state.batch.ids[row],
        least=float(scene.bounds.hardest_pos[row]),
        most=float(scene.bounds.hardest_neg[row]),
        gap=float(gap[row]),
        epsilon=epsilon,
    )
