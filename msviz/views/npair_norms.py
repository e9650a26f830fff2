"""What norms do to N-pair-mc: all embeddings of the batch r times as long, with dot products and an L2 penalty.

    loss(r) = mean_i log(1 + sum_n e^{r^2 (S_n - S_p)})      penalty(r) = strength r^2 mean |x|^2

Normalised embeddings cannot go that way: |f . f+| <= 1, so that the loss of K negatives stays above log(1 + K e^{-2}).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from jaxtyping import Float64

from msviz.core.methods import Method, evaluate
from msviz.core.npair import l2_penalty
from msviz.core.pairs import Pairs
from msviz.core.similarity import similarity
from msviz.text import Message, msg
from msviz.views.csv_text import csv_text
from msviz.views.scene import Scene

LONGEST: Final = 4.0  # times as long as now
STEPS: Final = 161  # of r, from 0 on


@dataclass(frozen=True, eq=False)
class NormsCurve:
    """Loss and penalty against length.

    Args:
        r: how many times as long as now.
        loss: N-pair-mc.
        penalty: strength r^2 mean |x|^2.
        strength: of the penalty.
        best: where their sum is least.
        now: the place of r = 1.
        negatives: K, how many each anchor meets.
        floor: log(1 + K e^{-2}), below which normalised embeddings cannot come.
        summary: what the curves say.
    """

    r: Float64[np.ndarray, " R"]
    loss: Float64[np.ndarray, " R"]
    penalty: Float64[np.ndarray, " R"]
    strength: float
    best: int
    now: int
    negatives: int
    floor: float
    summary: tuple[Message, ...]

    @property
    def total(self) -> Float64[np.ndarray, " R"]:
        """Loss and penalty together."""
        return np.asarray(self.loss + self.penalty)


def norms_curve(now: Scene, strength: float) -> NormsCurve | None:
    """The curves of the batch that is built; None where none could be.

    Args:
        now: the scene under the lab's scheme.
        strength: of the penalty, >= 0.

    Example:
        >>> from msviz.core.npair import Pairing
        >>> from msviz.core.scheme import Scheme
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> curve = norms_curve(scene(default_state(), Scheme(pairing=Pairing.NPAIR)), strength=0.05)
        >>> round(float(curve.loss[0]), 4), curve.negatives  # log 3: embeddings of length 0 tell nothing apart
        (1.0986, 2)
    """
    rows = now.rows
    if rows is None or now.refused is not None:
        return None
    x = torch.from_numpy(now.state.batch.x.copy())
    used = x[rows.used]
    sim = similarity(x[rows.anchors], used, normalize=False)
    pairs = Pairs(rows.pairs.pos[:, rows.used], rows.pairs.neg[:, rows.used])
    r = torch.linspace(0, LONGEST, STEPS, dtype=torch.float64)
    # All lengths at once, as rows: the loss of a row knows nothing of the others.
    longer = (r.square()[:, None, None] * sim).flatten(0, 1)
    everywhere = Pairs(*(mask.repeat(STEPS, 1) for mask in (pairs.pos, pairs.neg)))
    per_anchor = evaluate(longer, everywhere, Method("npair")).per_anchor
    assert per_anchor is not None
    loss = per_anchor.reshape(STEPS, -1).mean(1).numpy()
    penalty = float(l2_penalty(used, strength)) * r.square().numpy()
    negatives = int(pairs.neg[0].sum())
    best, floor = _least(loss + penalty), math.log1p(negatives * math.exp(-2))
    at = int((r == 1).nonzero())
    curve = NormsCurve(r.numpy(), loss, penalty, strength, best, at, negatives, floor, summary=())
    own = sim.masked_fill(~pairs.pos, math.inf).amin(1, keepdim=True)
    violated = bool(((sim > own) & pairs.neg).any())
    return replace(curve, summary=tuple(_summary(curve, violated)))


def norms_csv(curve: NormsCurve) -> str:
    """The curves with all their digits."""
    rows = zip(*(it.tolist() for it in (curve.r, curve.loss, curve.penalty, curve.total)), strict=True)
    return csv_text(("r", "npair_mc", "penalty", "sum"), rows)


def _summary(curve: NormsCurve, violated: bool) -> Iterator[Message]:
    r, loss, best = curve.r, curve.loss, curve.best
    one = "one" if curve.negatives == 1 else "many"
    now = float(loss[curve.now])
    yield msg(f"page.npair.norms.floor.{one}", negatives=curve.negatives, floor=curve.floor, now=now)
    least, last = _least(loss), len(r) - 1
    if least == 0:
        yield msg("page.npair.norms.useless", least=float(loss[0]))
        return
    below = np.flatnonzero(loss < curve.floor)
    if len(below):
        key = "below" if below[-1] == last else "between"
        yield msg(f"page.npair.norms.{key}", r=float(r[below[0]]), until=float(r[below[-1]]))
    else:
        key = "violated" if violated and least < last else "slow"
        yield msg(f"page.npair.norms.{key}", least=float(loss[least]), r=float(r[least]))
    end = "nothing" if best == 0 else "end" if best == last else "best"
    if not curve.strength:
        end += "_free"
    total = float(curve.total[best])
    yield msg(f"page.npair.norms.{end}", strength=curve.strength, r=float(r[best]), total=total, loss=float(loss[best]))


def _least(values: Float64[np.ndarray, " R"]) -> int:
    # Of equals the shortest: points in one place cost the same at every length, but for the last digits.
    return int((values <= values.min() * (1 + 1e-12)).argmax())
