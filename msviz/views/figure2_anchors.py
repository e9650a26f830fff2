"""The anchors on which Figure 2's cases can be watched: the paper-like one, the selected pair's, and an odd one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.figure2 import default_anchor
from msviz.core.pairs import Pairs, label_pairs
from msviz.core.similarity import similarity
from msviz.text import Message, msg
from msviz.views.scene import Scene

# Three clusters of three points, drawn at random around 0, 55 and 110 degrees (standard deviation 18), then kept.
ODD_DEGREES: Final = (19, -14, 38, 78, 67, 61, 130, 97, 109)
ODD_PAIR: Final = (4, 2)  # the negative pair of which formulas.md warns: its weight falls when a rival enters mining


@dataclass(frozen=True, eq=False)
class AnchorRow:
    """An anchor, its similarities, and the negative pair to watch.

    Args:
        sim: [N, M] similarities; row i is the anchor's.
        pairs: its positives and negatives.
        i, j: the anchor's row and the pair's column.
        names: [M] what the columns are called.
        labels: [M] their classes.
        title: whose row it is.
    """

    sim: Float[Tensor, "N M"]
    pairs: Pairs
    i: int
    j: int
    names: tuple[str, ...]
    labels: tuple[int, ...]
    title: Message


def example_anchor() -> AnchorRow:
    """The anchor of the reference numbers: positives .82 and .65, negatives .62 and .30; the pair is the one at .62.

    Example:
        >>> example_anchor().names
        ('p1', 'p2', 'n1', 'n2')
    """
    sim, pairs = default_anchor()
    return AnchorRow(sim, pairs, 0, 2, ("p1", "p2", "n1", "n2"), (0, 0, 1, 1), msg("figure2.anchor.example.title"))


def odd_anchor() -> AnchorRow:
    """A pair whose weight falls in case 1 when only the negatives move: an exception that is really there.

    Example:
        >>> row = odd_anchor()
        >>> round(float(row.sim[row.i, row.j]), 3)
        0.875
    """
    turns = [math.radians(degrees) for degrees in ODD_DEGREES]
    sim = similarity(torch.tensor([[math.cos(turn), math.sin(turn)] for turn in turns], dtype=torch.float64))
    labels = tuple(at // 3 for at in range(9))
    names = tuple(str(at) for at in range(9))
    i, j = ODD_PAIR
    return AnchorRow(sim, label_pairs(list(labels)), i, j, names, labels, msg("figure2.anchor.odd.title"))


def selected_anchor(scene: Scene) -> AnchorRow | None:
    """The selected pair's row; None unless a negative pair is selected.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> selected_anchor(scene(default_state().select(4, 6))).names[:2]
        ('0', '1')
        >>> selected_anchor(scene(default_state().select(4, 0))) is None
        True
    """
    selection, batch = scene.state.display.selection, scene.state.batch
    if selection is None or selection.other is None:
        return None
    i, j = batch.index(selection.anchor), batch.index(selection.other)
    if not bool(scene.pairs.neg[i, j]):
        return None
    title = msg("figure2.anchor.pair.title", anchor=selection.anchor, other=selection.other)
    return AnchorRow(scene.sim, scene.pairs, i, j, tuple(map(str, batch.ids)), batch.labels, title)
