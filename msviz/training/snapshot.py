"""One state of a run: what the network made of a batch, just before that batch moves it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float, Int64

from msviz.core.methods import Evaluation, Method, evaluate
from msviz.core.pairs import mine
from msviz.core.scheme import PLAIN, Scheme, SchemeRows, compared, evaluate_square
from msviz.training.stopping import Stop

if TYPE_CHECKING:
    from msviz.training.retrieval import Retrieval


@dataclass(frozen=True)
class WeightStatistics:
    """The weights of a batch's pairs in a few numbers; every pair that is compared counts, also those mining dropped.

    Args:
        mean: mean weight.
        largest: largest weight.
        share_nonzero: share of the pairs that have any weight, 0..1.
        positive_total: sum over positive pairs, the pull.
        negative_total: sum over negative pairs, the push.
    """

    mean: float
    largest: float
    share_nonzero: float
    positive_total: float
    negative_total: float


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One state of a network, and the batch that is about to move it.

    It keeps embeddings, never matrices: similarities, mining and weights are computed from `x`, `labels`, `method` and
    `scheme` by whoever wants to see them, with the same core that made the step.

    Args:
        step: updates made before; 0 = initial weights.
        loss: what was minimised: the batch loss, and what norms cost (`scheme.penalty`).
        method: the loss, its parameters and its mining margin.
        learning_rate: of the update that follows.
        rows: [b] rows of the data set: the batch.
        x: [b, d] its embeddings as the model gave them; float32 or float64.
        labels: [b] its classes.
        probe_x: [q, d] embeddings of the probe (`Trainer.probe`) by the same weights; None = not asked for.
        retrieval: on the validation side, at steps that evaluate; None at the others.
        gradient_norm: length of the gradient of all weights.
        images_per_second: items trained on a second, over about the last second spent in steps; 0 = none yet.
        stop: why the run ended here; None while it goes on.
        scheme: how the batch was compared.

    Example:
        >>> x, labels = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8]], np.float32), np.array([0, 0, 1])
        >>> snapshot = Snapshot(0, 0.2262, Method("multi_similarity", epsilon=0.1), 1e-3, np.arange(3), x, labels)
        >>> round(float(snapshot.evaluation.value), 4), round(snapshot.mined_share, 4)
        (0.2262, 0.3333)
    """

    step: int
    loss: float
    method: Method
    learning_rate: float
    rows: Int64[np.ndarray, " b"]
    x: Float[np.ndarray, "b d"]
    labels: Int64[np.ndarray, " b"]
    probe_x: Float[np.ndarray, "q d"] | None = None
    retrieval: Retrieval | None = None
    gradient_norm: float = 0.0
    images_per_second: float = 0.0
    stop: Stop | None = None
    scheme: Scheme = PLAIN

    @property
    def is_finite(self) -> bool:
        """Whether loss, gradient and the probe's embeddings are (the batch's are: a loss refuses others)."""
        probe_is = self.probe_x is None or bool(np.isfinite(self.probe_x).all())
        return probe_is and math.isfinite(self.loss) and math.isfinite(self.gradient_norm)

    @property
    def evaluation(self) -> Evaluation:
        """Mining, weights and losses of the batch, in float64; computed at every call: they are b x b numbers.

        Rows of points that are no anchors are empty; what norms cost is not in it.
        """
        return evaluate_square(self._compared, self.method)

    @cached_property
    def mined_share(self) -> float:
        """The share of anchors that keep at least one pair, 0..1; without mining those that have a pair at all."""
        rows = self._compared
        mined = mine(rows.sim, rows.pairs, self.method.epsilon)
        return float((mined.pos | mined.neg).any(1).double().mean())

    @cached_property
    def weights(self) -> WeightStatistics:
        """The weights of the batch in a few numbers."""
        rows = self._compared
        weights, pairs = evaluate(rows.sim, rows.pairs, self.method).weights, rows.pairs
        count = max(int((pairs.pos | pairs.neg).sum()), 1)
        return WeightStatistics(
            mean=float(weights.sum()) / count,
            largest=float(weights.max()),
            share_nonzero=int((weights > 0).sum()) / count,
            positive_total=float(weights[pairs.pos].sum()),
            negative_total=float(weights[pairs.neg].sum()),
        )

    @property
    def _compared(self) -> SchemeRows:
        return compared(torch.tensor(self.x, dtype=torch.float64), torch.tensor(self.labels), self.scheme)
