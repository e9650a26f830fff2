"""Who pushes the selected point, and which way: one step for each of its pairs, and their sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from msviz.core.forces import pair_forces
from msviz.views.scene import Scene

MOST: Final = 8  # steps drawn by themselves; the weaker ones together
LEAST: Final = 0.01  # of the longest arrow: a shorter step has none of its own


@dataclass(frozen=True)
class Push:
    """The step that one pair asks of the point.

    Args:
        other: id of the pair's other point; None = all weaker pairs together.
        positive: whether the pair is of one class; None for several pairs.
        step: -dL/dx of that pair, as many numbers as the board has dimensions.
    """

    other: int | None
    positive: bool | None
    step: tuple[float, ...]


@dataclass(frozen=True)
class PushesView:
    """All pushes on one point.

    Args:
        anchor: id of the point.
        pushes: the strongest first, then what is left.
        total: their sum, the point's own step.
        left: how many pairs stand together in the last push.
    """

    anchor: int
    pushes: tuple[Push, ...]
    total: tuple[float, ...]
    left: int


def pushes_view(scene: Scene) -> PushesView | None:
    """The pushes on a scene's selected point.

    Args:
        scene: the evaluated state.

    Returns:
        None when nothing is selected, or when the board is only a projection of the embeddings.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> view = pushes_view(scene(default_state().select(4, 6)))
        >>> [push.other for push in view.pushes][:3]
        [0, 8, 1]
    """
    selection, batch = scene.state.display.selection, scene.state.batch
    if selection is None or not batch.editable:
        return None
    i = batch.index(selection.anchor)
    gradient = scene.evaluation.value_gradient
    each = pair_forces(torch.from_numpy(batch.x.copy()), gradient, scene.state.normalize, torch.tensor([i]))[0].numpy()
    size = np.linalg.norm(each, axis=1)
    order = [j for j in np.argsort(-size, kind="stable").tolist() if size[j] > 0]
    longest = max(float(size.max(initial=0.0)), float(np.linalg.norm(each.sum(axis=0))))
    seen = sum(bool(size[j] > LEAST * longest) for j in order[:MOST])
    drawn, rest = order[:seen], order[seen:]
    positive = scene.pairs.pos[i].tolist()
    pushes = [Push(batch.ids[j], positive[j], tuple(each[j].tolist())) for j in drawn]
    if rest:
        pushes.append(Push(None, None, tuple(each[rest].sum(axis=0).tolist())))
    return PushesView(selection.anchor, tuple(pushes), tuple(each.sum(axis=0).tolist()), len(rest))
