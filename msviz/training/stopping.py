"""Why a run ends, and the counters that decide it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from jaxtyping import Float

SAME: Final = 1e-3  # a batch whose mean similarity is within this of 1 is one point, as far as retrieval can tell
COLLAPSE_STEPS: Final = 20  # an untrained network may begin that way and recover; one that stays so will not


class Stop(Enum):
    """Why a run ended.

    STEPS: all its steps are done. PATIENCE: validation Recall@1 has not risen for too long. TARGET: it reached what was
    asked for. COLLAPSE: for 20 steps all embeddings were in one place. NOT_FINITE: numbers of the network became
    infinite or NaN, mostly by too large a learning rate.

    Example:
        >>> Stop.PATIENCE.key
        'stop.patience'
    """

    STEPS = "steps"
    PATIENCE = "patience"
    TARGET = "target"
    COLLAPSE = "collapse"
    NOT_FINITE = "not_finite"

    @property
    def key(self) -> str:
        """The entry of the text catalogue that says it."""
        return f"stop.{self.value}"


@dataclass
class StopRules:
    """The rules that need a memory, and that memory.

    Args:
        patience: evaluations without a better Recall@1 that are one too many; 0 = no such rule.
        target_recall: the Recall@1 that is enough; 0 = no such rule.
        best: the best Recall@1 so far.
        waited: evaluations since then.
        collapsed: steps in a row whose batch was one point.

    Example:
        >>> rules = StopRules(patience=2)
        >>> [rules.evaluated(recall) for recall in (0.5, 0.6, 0.6, 0.55)]
        [None, None, None, <Stop.PATIENCE: 'patience'>]
    """

    patience: int = 0
    target_recall: float = 0.0
    best: float = -1.0
    waited: int = 0
    collapsed: int = 0

    def evaluated(self, recall: float) -> Stop | None:
        """What a validation Recall@1 means for the run; the target counts before patience."""
        self.waited = 0 if recall > self.best else self.waited + 1
        self.best = max(self.best, recall)
        if self.target_recall and recall >= self.target_recall:
            return Stop.TARGET
        return Stop.PATIENCE if self.patience and self.waited >= self.patience else None

    def embedded(self, x: Float[np.ndarray, "b d"]) -> Stop | None:
        """What the embeddings of a step's batch mean for the run."""
        self.collapsed = self.collapsed + 1 if mean_similarity(x) > 1 - SAME else 0
        return Stop.COLLAPSE if self.collapsed >= COLLAPSE_STEPS else None


def mean_similarity(x: Float[np.ndarray, "b d"]) -> float:
    """The mean cosine similarity of all pairs of rows, without the pairs of a row with itself; 0 for a single row.

    Args:
        x: embeddings of any length; a zero row has similarity 0 to all.

    Example:
        >>> mean_similarity(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 5.0]]))  # 1, 0 and 0
        0.3333333333333333
    """
    x = x.astype(np.float64)
    length = np.linalg.norm(x, axis=1, keepdims=True)
    unit = x / np.where(length > 0, length, 1)
    itself = float((unit**2).sum())  # sum_ij u_i u_j = |sum_i u_i|^2, of which the diagonal is this
    return (float((unit.sum(0) ** 2).sum()) - itself) / max(len(x) * (len(x) - 1), 1)
