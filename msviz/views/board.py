"""What stands on the board beside the points: edges between kept pairs, the step of every point, frozen scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float64

from msviz.views.scene import Scene

FEW_POINTS: Final = 20  # up to here every edge is drawn
MOST_EDGES: Final = 60  # above, the heaviest ones and the selection's


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

    Up to 20 points every edge is drawn. Above, the 60 heaviest and those of the selected anchor.

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
    both = (scene.weights + scene.weights.T).numpy()
    net = (scene.evaluation.gradient + scene.evaluation.gradient.T).numpy()
    kept = (scene.kept | scene.kept.T).numpy()
    if scene.state.method.epsilon is None:  # without mining every pair is kept: only those that weigh something
        kept = both > 0
    upper = np.triu(kept, 1)
    rows, columns = np.nonzero(upper) if batch.m <= FEW_POINTS else _heaviest(scene, upper, both)
    drawn = np.argsort(both[rows, columns], kind="stable")
    positive = scene.pairs.pos.numpy()
    edges = tuple(
        Edge(
            one=batch.ids[i],
            two=batch.ids[j],
            weight=float(both[i, j]),
            share=min(1.0, float(both[i, j]) / (2 * scale.weight)),
            net=float(net[i, j]),
            positive=bool(positive[i, j]),
        )
        for i, j in zip(rows[drawn].tolist(), columns[drawn].tolist(), strict=True)
    )
    steps = scene.forces / scale.force if batch.editable else np.zeros(batch.board.shape)
    return BoardView(edges, int(upper.sum()), steps)


def _heaviest(scene: Scene, upper: np.ndarray, both: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the heaviest edges and of the selected anchor's, without a list of all of millions."""
    selection, count = scene.state.display.selection, min(MOST_EDGES, int(upper.sum()))
    weight = np.where(upper, both, -np.inf).ravel()
    chosen = np.argpartition(weight, -count)[-count:] if count else np.zeros(0, dtype=np.int64)
    if selection is not None:
        own = scene.state.batch.index(selection.anchor)
        after, before = own * scene.m + np.flatnonzero(upper[own]), np.flatnonzero(upper[:, own]) * scene.m + own
        chosen = np.union1d(chosen, np.concatenate([after, before]))
    rows, columns = np.divmod(chosen, scene.m)
    return rows, columns
