"""S and the signed weights as matrices in class blocks, with what mining decided of every pair."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from jaxtyping import Float32, UInt8

from msviz.views.scene import Scene


class Decision(IntEnum):
    """What became of a pair; the browser's matrix.js has the same numbers."""

    SELF = 0
    POSITIVE_KEPT = 1
    POSITIVE_DROPPED = 2
    NEGATIVE_KEPT = 3
    NEGATIVE_DROPPED = 4


@dataclass(frozen=True, eq=False)
class MatrixView:
    """The matrices of a batch, rows = anchor i, columns = other j, both in class blocks.

    Args:
        order: the batch's row of each matrix row: sorted by label, then by id.
        sim: S_ij, -1..1.
        gradient: dL_i/dS_ij, signed: below 0 pulls together, above 0 pushes apart.
        decision: a `Decision` a pair.
    """

    order: tuple[int, ...]
    sim: Float32[np.ndarray, "m m"]
    gradient: Float32[np.ndarray, "m m"]
    decision: UInt8[np.ndarray, "m m"]


def matrix_view(scene: Scene) -> MatrixView:
    """S, weights and decisions of a scene, in class blocks.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> matrix_view(scene(default_state())).order[:3]
        (0, 1, 2)
    """
    order = class_order(scene)
    block = np.ix_(order, order)
    return MatrixView(
        order=order,
        sim=scene.sim.numpy()[block].astype(np.float32),
        gradient=scene.evaluation.gradient.numpy()[block].astype(np.float32),
        decision=decisions(scene)[block],
    )


def class_order(scene: Scene) -> tuple[int, ...]:
    """Batch rows sorted by label, then by id: the one order of all panels."""
    batch = scene.state.batch
    return tuple(sorted(range(batch.m), key=lambda row: (batch.labels[row], batch.ids[row])))


def decisions(scene: Scene) -> UInt8[np.ndarray, "m m"]:
    """A `Decision` for every pair, in the batch's order."""
    pairs, mined = scene.pairs, scene.evaluation.mined
    decision = np.full((scene.m, scene.m), Decision.SELF, dtype=np.uint8)
    decision[pairs.pos.numpy()] = Decision.POSITIVE_DROPPED
    decision[mined.pos.numpy()] = Decision.POSITIVE_KEPT
    decision[pairs.neg.numpy()] = Decision.NEGATIVE_DROPPED
    decision[mined.neg.numpy()] = Decision.NEGATIVE_KEPT
    return decision
