"""S and the signed weights as matrices in class blocks, with what mining decided of every pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float32, UInt8

from msviz.core.pairs import Pairs
from msviz.views.blocks import Window, window
from msviz.views.decision import Decision as Decision
from msviz.views.scene import Scene


@dataclass(frozen=True, eq=False)
class MatrixView:
    """The matrices of a batch, rows = anchor i, columns = other j, both in class blocks.

    Args:
        order: the batch's row of each matrix row: sorted by label, then by id.
        known: the matrix rows that follow: all of them, or those that somebody can ask for: of the block that is shown
            cell by cell, and the selected anchor's.
        sim: S_ij, -1..1.
        gradient: dL_i/dS_ij, signed: below 0 pulls together, above 0 pushes apart.
        decision: a `Decision` a pair.
    """

    order: tuple[int, ...]
    known: tuple[int, ...]
    sim: Float32[np.ndarray, "k m"]
    gradient: Float32[np.ndarray, "k m"]
    decision: UInt8[np.ndarray, "k m"]


def matrix_view(scene: Scene, every: bool = True) -> MatrixView:
    """S, weights and decisions of a scene, in class blocks.

    Args:
        scene: the evaluated state.
        every: send all rows, unless the batch is large.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> matrix_view(scene(default_state())).order[:3]
        (0, 1, 2)
    """
    shown = window(scene.state)
    known = np.arange(scene.m) if every and shown.starts is None else _known(scene, shown)
    rows = shown.order[known]
    block = np.ix_(rows, shown.order)
    anchors, mined = torch.from_numpy(rows), scene.evaluation.mined
    return MatrixView(
        order=tuple(shown.order.tolist()),
        known=tuple(known.tolist()),
        sim=scene.sim.numpy()[block].astype(np.float32),
        gradient=scene.evaluation.gradient.numpy()[block].astype(np.float32),
        decision=_decided(scene.pairs.rows(anchors), mined.rows(anchors))[:, shown.order],
    )


def _known(scene: Scene, shown: Window) -> np.ndarray:
    known = set() if shown.means or shown.starts is None else set(shown.rows)
    selection = scene.state.display.selection
    if selection is not None:
        known.add(int(np.flatnonzero(shown.order == scene.state.batch.index(selection.anchor))[0]))
    return np.array(sorted(known), dtype=np.int64)


def class_order(scene: Scene) -> tuple[int, ...]:
    """Batch rows sorted by label, then by id: the one order of all panels."""
    return tuple(window(scene.state).order.tolist())


def decisions(scene: Scene, mined: Pairs | None = None) -> UInt8[np.ndarray, "m m"]:
    """A `Decision` for every pair, in the batch's order.

    Args:
        scene: its pairs by label.
        mined: what a method's mining kept of them; by default the active method's.
    """
    return _decided(scene.pairs, scene.evaluation.mined if mined is None else mined)


def _decided(pairs: Pairs, mined: Pairs) -> np.ndarray:
    # As sums of bytes: each pair is in one of the two kinds or in neither, and mined is a part of it.
    positive, negative = pairs.pos.numpy().view(np.uint8), pairs.neg.numpy().view(np.uint8)
    kept = (mined.pos | mined.neg).numpy().view(np.uint8)
    found: np.ndarray = positive * np.uint8(Decision.POSITIVE_DROPPED) + negative * np.uint8(Decision.NEGATIVE_DROPPED)
    return found - kept  # kept stands one before dropped
