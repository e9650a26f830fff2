"""All pairs of two classes: the optimal hard-negative similarity of each two, beside the largest of the plain four."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import torch
from jaxtyping import Bool, Float64

from msviz.core.loop import closest_points
from msviz.data import Batch
from msviz.text import Message, msg
from msviz.views.change import NOTICEABLE
from msviz.views.csv_text import csv_text
from msviz.views.loop_four import FourView, partners_of
from msviz.views.scene import Scene

MOST: Final = 20  # pairs of a class; of more those that the batch uses come first
_ROUNDED: Final = 1e-9  # what is below comes of rounding
Ids = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class PairsView:
    """Pairs of one class against pairs of another.

    Args:
        names: what the two classes are called.
        rows: the two points of each pair of the first class; a class of one point has that point twice.
        columns: the same of the second class.
        plain: the largest of the four similarities between two pairs.
        loop: that of the closest points of their arcs, never below.
        used: True where both are pairs of the batch: each point with its partner.
        touching: True where the arcs meet.
        totals: how many pairs either class has.
    """

    names: tuple[str, str]
    rows: Ids
    columns: Ids
    plain: Float64[np.ndarray, "p q"]
    loop: Float64[np.ndarray, "p q"]
    used: Bool[np.ndarray, "p q"]
    touching: Bool[np.ndarray, "p q"]
    totals: tuple[int, int]

    @property
    def summary(self) -> tuple[Message, ...]:
        """What the two matrices say."""
        gain = self.loop - self.plain
        gain = np.where(gain > _ROUNDED, gain, 0.0)
        said = [
            msg(
                "page.loop.pairs.gain",
                mean=float(gain.mean()),
                count=int((gain > NOTICEABLE).sum()),
                total=gain.size,
                touching=int(self.touching.sum()),
            )
        ]
        if self.totals != (len(self.rows), len(self.columns)):
            shown = {"rows": len(self.rows), "columns": len(self.columns)}
            said.append(msg("page.loop.pairs.some", **shown, one=self.totals[0], two=self.totals[1]))
        return tuple(said)


def pairs_view(now: Scene, view: FourView) -> PairsView:
    """The pairs of the two classes that a view of four points is about.

    Args:
        now: the evaluated state, by directions.
        view: its two pairs.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.loop_four import four_view
        >>> from msviz.views.scene import scene
        >>> now = scene(default_state())
        >>> pairs_view(now, four_view(now)).loop.shape
        (10, 10)
    """
    batch = now.state.batch
    own = {tuple(sorted(pair)) for pair in enumerate(partners_of(batch.labels))}
    (rows, of_rows), (columns, of_columns) = (_pairs(now, label, own) for label in view.labels)
    x = torch.from_numpy(batch.x / np.maximum(np.linalg.norm(batch.x, axis=1, keepdims=True), 1e-300))
    one, two = x[torch.tensor(rows)], x[torch.tensor(columns)]  # [p, 2, d] and [q, 2, d]
    found = closest_points(one[:, None, 0], one[:, None, 1], two[None, :, 0], two[None, :, 1])
    plain = torch.einsum("pkd,qld->pqkl", one, two).flatten(2).amax(2)
    return PairsView(
        names=(batch.class_name(view.labels[0]), batch.class_name(view.labels[1])),
        rows=_ids(batch, rows),
        columns=_ids(batch, columns),
        plain=plain.numpy(),
        loop=found.similarity.numpy(),
        used=np.array([[one in own and two in own for two in columns] for one in rows]),
        touching=found.touching.numpy(),
        totals=(of_rows, of_columns),
    )


def _pairs(now: Scene, label: int, own: set[tuple[int, ...]]) -> tuple[list[tuple[int, int]], int]:
    """The pairs of a class that are shown, as rows of the batch, and how many it has; points without a direction go."""
    points = [row for row, of in enumerate(now.state.batch.labels) if of == label and row not in now.zero_rows]
    every = list(combinations(points, 2)) or [(points[0], points[0])]
    first = sorted(every, key=lambda pair: pair not in own)[:MOST]  # stable: each kind in the batch's order
    return sorted(first), len(every)


def _ids(batch: Batch, pairs: list[tuple[int, int]]) -> Ids:
    return tuple((batch.ids[one], batch.ids[two]) for one, two in pairs)


def pairs_csv(view: PairsView) -> str:
    """Every two pairs as a row.

    Args:
        view: the matrices.
    """
    head = ("x1", "x2", "y1", "y2", "plain", "loop", "partners", "touching")
    rows = [
        (*one, *two, view.plain[p, q], view.loop[p, q], int(view.used[p, q]), int(view.touching[p, q]))
        for p, one in enumerate(view.rows)
        for q, two in enumerate(view.columns)
    ]
    return csv_text(head, rows)
