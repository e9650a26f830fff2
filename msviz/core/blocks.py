"""A loss and its gradient on embeddings, some rows at a time: what `PairLoss` and `DistributedPairLoss` compute.

A batch of M embeddings has M^2 similarities; this never holds them all. It takes some rows at a time, computes their
similarities S, their loss and its gradient G, and adds up G x and G^T x: memory O(rows x M) instead of O(M^2).

    dL/dx_hat = (G + G^T) x_hat / N        then through x_hat = x / |x|

Source: arXiv 1904.06627, section 3 (general pair weighting).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.methods import Method
from msviz.core.pairs import Comparison, Pairs, mine
from msviz.core.similarity import check_overflow, rows_and_lengths, through_normalization

_FEW = 1 / 8  # of the references: up to here the members of a class are looked up one by one; above (or of 0) by masks


@dataclass(frozen=True, eq=False)
class Job:
    """What is to be done with embeddings, apart from the embeddings.

    Attributes:
        comparison: who is compared with whom.
        method: the loss, its parameters and its mining margin.
        normalize: compare directions.
        block_rows: anchors at a time; None = chosen by the number of references.
        anchors: what sum_i L_i is divided by: all anchors, also those of other processes.
        add_up: adds up, over all processes, what a loss of the whole batch collects.
    """

    comparison: Comparison
    method: Method
    normalize: bool
    block_rows: int | None
    anchors: int
    add_up: Callable[[Tensor], Tensor] = lambda collected: collected


def blockwise_loss(x: Float[Tensor, "N d"], ref: Float[Tensor, "M d"] | None, job: Job) -> Float[Tensor, ""]:
    """The loss of checked embeddings, block by block: what `PairLoss` and its distributed form share."""
    value: Tensor = _Blockwise.apply(x, ref, job, torch.is_grad_enabled())  # type: ignore[no-untyped-call]
    return value


class _Blockwise(torch.autograd.Function):
    """Value and gradient in one go: what the backward pass needs of a block is used at once and never kept."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, ref: Tensor | None, job: Job, grad_enabled: bool) -> Tensor:
        wanted = [grad_enabled and needed for needed in ctx.needs_input_grad[:2]]
        with torch.autocast(x.device.type, enabled=False):
            value, *gradients = _value_and_gradients(x, ref, job, *wanted)
        ctx.save_for_backward(*gradients)
        ctx.dtypes = (x.dtype, None if ref is None else ref.dtype)
        return value

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():  # with create_graph; the second derivative would be 0 without a word
            raise RuntimeError("PairLoss can be differentiated once: call backward() without create_graph")
        # Into the type of the input only now: a loss scaler's factor in `grad` saves small float16 gradients from 0.
        gradients = zip(ctx.saved_tensors, ctx.dtypes, strict=True)
        x, ref = (None if g is None else (grad * g).to(dtype) for g, dtype in gradients)
        return x, ref, None, None


def _value_and_gradients(
    x: Tensor, ref: Tensor | None, job: Job, x_wanted: bool, ref_wanted: bool
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    dtype = torch.promote_types(torch.promote_types(x.dtype, torch.float32), x.dtype if ref is None else ref.dtype)
    anchors = _Rows(x, dtype, job.normalize, x_wanted)
    refs = anchors if ref is None else _Rows(ref, dtype, job.normalize, ref_wanted)
    blocks = _Blocks(anchors, refs, job)
    loss, p = job.method.loss, job.method.params
    wanted = x_wanted or ref_wanted
    if (whole := loss.whole_batch) is None:
        per_anchor = anchors.unit.new_zeros(len(x))
        for rows, sim in blocks:
            per_anchor[rows], gradient = blocks.weigh(rows, sim, wanted)
            blocks.push(rows, gradient)
        value, scale = per_anchor.sum() / max(job.anchors, 1), 1 / max(job.anchors, 1)
    else:
        parts = [whole.collect(sim, blocks.mined(rows, sim), p) for rows, sim in blocks]
        collected = job.add_up(torch.stack(parts).sum(0))
        value, scale = whole.value(collected, p), 1.0
        for rows, sim in blocks if wanted else ():
            blocks.push(rows, whole.gradient(collected, sim, blocks.mined(rows, sim), p))
    if not job.normalize:
        check_overflow(value)
    return value, anchors.gradient(scale), None if ref is None else refs.gradient(scale)


class _Rows:
    """Embeddings, as they are compared, and the gradient that they gather."""

    def __init__(self, x: Tensor, dtype: torch.dtype, normalize: bool, wanted: bool) -> None:
        self.unit: Tensor = x.to(dtype)
        self.length: Tensor | None = None
        if normalize:
            self.unit, self.length = rows_and_lengths(self.unit)
        self.gathered = torch.zeros_like(self.unit) if wanted else None  # G x_hat, still without 1/N

    def gradient(self, scale: float) -> Tensor | None:
        """What was gathered, times `scale`, through the normalisation; None when nobody wants it."""
        if self.gathered is None:
            return None
        gradient = self.gathered.mul_(scale)
        return gradient if self.length is None else through_normalization(gradient, self.unit, self.length)


class _Blocks:
    """All rows, some at a time: iterating gives (rows, S of these rows); S is overwritten by the next block."""

    def __init__(self, anchors: _Rows, refs: _Rows, job: Job) -> None:
        self.anchors, self.refs, self.job = anchors, refs, job
        n, m = len(anchors.unit), len(refs.unit)
        self.size = min(job.block_rows or _rows_at_a_time(m, anchors.unit.device), max(n, 1))
        self.buffer = anchors.unit.new_empty(self.size, m)

    def __iter__(self) -> Iterator[tuple[slice, Tensor]]:
        # An empty batch is one empty block.
        for start in range(0, max(len(self.anchors.unit), 1), self.size):
            rows = slice(start, start + self.size)
            unit = self.anchors.unit[rows]
            sim = torch.mm(unit, self.refs.unit.T, out=self.buffer[: len(unit)])
            if not self.job.normalize:
                check_overflow(sim)
            yield rows, sim

    def mined(self, rows: slice, sim: Tensor) -> Pairs:
        return mine(sim, self.job.comparison.pairs(rows), self.job.method.epsilon)

    def weigh(self, rows: slice, sim: Tensor, wanted: bool) -> tuple[Tensor, Tensor | None]:
        """L_i of these rows and, if wanted, their signed pair gradient."""
        loss, p, epsilon = self.job.method.loss, self.job.method.params, self.job.method.epsilon
        assert loss.per_anchor is not None
        comparison = self.job.comparison
        if loss.fused is not None and 0 < comparison.by_class.most <= _FEW * sim.shape[1]:
            values = loss.fused(sim, comparison, rows, p, epsilon, gradient=wanted)
            return values, sim if wanted else None
        mined = self.mined(rows, sim)
        return loss.per_anchor(sim, mined, p), loss.pair_gradient(sim, mined, p) if wanted else None

    def push(self, rows: slice, gradient: Tensor | None) -> None:
        """Add what the pairs of these rows do to their anchors (G x) and to their references (G^T x)."""
        if gradient is None:
            return
        if self.anchors.gathered is not None:
            self.anchors.gathered[rows].addmm_(gradient, self.refs.unit)
        if self.refs.gathered is not None:
            self.refs.gathered.addmm_(gradient.T, self.anchors.unit[rows])


def _rows_at_a_time(m: int, device: torch.device) -> int:
    # 4 MiB of float32 stay in a processor's cache; a GPU wants more at a time. Below 64 rows matrix products are slow.
    entries = 2**20 if device.type == "cpu" else 2**24
    return max(64, entries // max(m, 1))
