"""What stands on the board beside the points: edges between kept pairs, the step of every point, frozen scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float64, Int

from msviz.views.in_blocks import blocks
from msviz.views.scene import Scene, once

FEW_POINTS: Final = 20  # up to here every edge is drawn
MOST_EDGES: Final = 60  # above, the heaviest ones and the selection's,
MOST_OWN: Final = 200  # of which there may be thousands


@dataclass(frozen=True)
class Scales:
    """The largest weight and the longest step; held still during a gesture, so that colours and lengths compare.

    Args:
        weight: the value at the ends of the weight's colour scale, > 0.
        force: the length of the longest arrow, > 0.
        start: the scene that they fit: where the gesture began; None = the scene that is drawn.
    """

    weight: float
    force: float
    start: Scene | None = None


def scales(scene: Scene) -> Scales:
    """The scales that fit a scene; 1 where there is nothing to scale."""
    weight = float(scene.weights.max()) if scene.m else 0.0
    force = float(np.linalg.norm(scene.forces, axis=1).max()) if scene.m else 0.0
    return Scales(weight or 1.0, force or 1.0, scene)


@dataclass(frozen=True)
class Edge:
    """A kept pair, both directions together.

    Args:
        one, two: ids of its points.
        weight: w_ij + w_ji.
        share: weight / (2 x the scale), 0..1: how thick it is drawn.
        net: g_ij + g_ji: below 0 the pair is pulled together, above 0 pushed apart.
        positive: same class (solid) or not (dashed). Most losses pull the ones and push the others; supcon pushes some
            positives.
    """

    one: int
    two: int
    weight: float
    share: float
    net: float
    positive: bool


@dataclass(frozen=True, eq=False)
class BoardView:
    """Edges and forces of a scene.

    Args:
        edges: what is drawn, the lightest first.
        total: how many edges there are.
        forces: [m, 2 or 3] steps -dL/dx, 1 = the scale's longest; zero for boards that are a projection.
    """

    edges: tuple[Edge, ...]
    total: int
    forces: Float64[np.ndarray, "m k"]


def board_view(scene: Scene, scale: Scales) -> BoardView:
    """Edges and forces of a scene, drawn to a scale.

    Up to 20 points every edge is drawn. Above, the 60 heaviest and those of the selected anchor, at most 200.

    Args:
        scene: the evaluated state.
        scale: from `scales`, of this scene or of the one at the beginning of the gesture.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> now = scene(default_state())
        >>> view = board_view(now, scales(now))
        >>> len(view.edges) == view.total
        True
    """
    batch = scene.state.batch
    heaviest, total = once(scene, "edges", lambda: _heaviest(scene))
    rows, columns = np.concatenate([heaviest, _selected(scene)], axis=1) if batch.m > FEW_POINTS else heaviest
    rows, columns = np.divmod(np.unique(rows * batch.m + columns), max(batch.m, 1))
    weights, gradient, positive = (it.numpy() for it in (scene.weights, scene.evaluation.gradient, scene.pairs.pos))
    both, net = (full[rows, columns] + full[columns, rows] for full in (weights, gradient))
    drawn = np.argsort(both, kind="stable")
    edges = tuple(
        Edge(
            one=batch.ids[rows[k]],
            two=batch.ids[columns[k]],
            weight=float(both[k]),
            share=min(1.0, float(both[k]) / (2 * scale.weight)),
            net=float(net[k]),
            positive=bool(positive[rows[k], columns[k]]),
        )
        for k in drawn.tolist()
    )
    steps = scene.forces / scale.force if batch.editable else np.zeros(batch.board.shape)
    return BoardView(edges, total, steps)


def _heaviest(scene: Scene) -> tuple[Int[np.ndarray, "2 E"], int]:
    """Rows and columns of the heaviest edges, row < column, and how many edges there are."""
    weights, kept = scene.weights.numpy(), scene.kept.numpy()
    most = scene.m**2 if scene.m <= FEW_POINTS else MOST_EDGES
    at, weight, total = np.zeros((2, 0), dtype=np.int64), np.zeros(0), 0
    for rows in blocks(scene.m):
        both = weights[rows, rows.start :] + weights[rows.start :, rows].T
        rest = kept[rows, rows.start :] | kept[rows.start :, rows].T
        edge = np.triu(_are_edges(scene, rest, both), 1)
        total += int(np.count_nonzero(edge))
        weight = np.append(weight, both[edge])
        at = np.concatenate([at, rows.start + np.array(np.nonzero(edge))], axis=1)
        if len(weight) > most:
            best = np.argpartition(weight, -most)[-most:]
            at, weight = at[:, best], weight[best]
    return at, total


def _selected(scene: Scene) -> Int[np.ndarray, "2 E"]:
    """The edges of the selected anchor; of many the heaviest, and the selected pair's."""
    selection = scene.state.display.selection
    if selection is None:
        return np.zeros((2, 0), dtype=np.int64)
    i, weights, kept = scene.state.batch.index(selection.anchor), scene.weights, scene.kept
    both = (weights[i] + weights[:, i]).numpy()
    edge = _are_edges(scene, (kept[i] | kept[:, i]).numpy(), both)
    edge[i] = False
    others = np.flatnonzero(edge)
    if len(others) > MOST_OWN:
        j = None if selection.other is None else scene.state.batch.index(selection.other)
        heaviest = others[np.argsort(-both[others], kind="stable")[:MOST_OWN]]
        others = others[np.isin(others, heaviest) | (others == j)]
    return np.stack([np.minimum(others, i), np.maximum(others, i)])


def _are_edges(scene: Scene, kept: np.ndarray, both: np.ndarray) -> np.ndarray:
    """Without mining every pair is kept: then those that weigh something."""
    return both > 0 if scene.state.method.epsilon is None else kept
