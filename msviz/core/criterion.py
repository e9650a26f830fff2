"""PairLoss: any method as the criterion of a training loop, with the very weights that the pictures show.

A batch of M embeddings has M^2 similarities; this never holds them all. It takes some rows at a time, computes their
similarities S, their loss and its gradient G, and adds up G x and G^T x: memory O(rows x M) instead of O(M^2).

    dL/dx_hat = (G + G^T) x_hat / N        then through x_hat = x / |x|

Source: arXiv 1904.06627, section 3 (general pair weighting).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from msviz.core.errors import MsvizError, shown
from msviz.core.methods import METHODS, Method
from msviz.core.pairs import Comparison, Pairs, compare, mine
from msviz.core.similarity import (
    check_embeddings,
    check_overflow,
    report_zero_rows,
    rows_and_lengths,
    through_normalization,
)

_FEW = 1 / 8  # of the references: up to here the members of a class are looked up one by one; above (or of 0) by masks


class PairLoss(nn.Module):
    """A method as a criterion: embeddings and labels in, the batch loss out, ready for `backward()`.

        value = 1/N sum_i L_i        (`histogram`: the batch loss)

    Values and gradients are those of `evaluate` on the whole batch, computed in blocks of rows in float32 at least,
    with autocast off. The gradient comes from the closed-form weights in the forward pass; without gradients (under
    `torch.no_grad()`, or when no input requires one) that work is skipped. It can be differentiated once.

    Args:
        method: a `Method`, or the name of one in `METHODS`, such as "ms".
        normalize: compare directions, so that the length of an embedding does not matter; False = bare dot products.
        block_rows: how many anchors to compare at a time, >= 1; None = as many as fit a processor's cache. It changes
            memory and speed, not the result.

    Raises:
        MsvizError: `error.method_unknown`, `error.block_rows`.

    >>> import torch
    >>> x = torch.tensor([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8]], requires_grad=True)
    >>> loss = PairLoss("authors")(x, ["cat", "cat", "dog"])
    >>> loss.backward()
    >>> f"{loss.item():.4f}", x.grad.shape
    ('0.2262', torch.Size([3, 2]))

    Source: arXiv 1904.06627, section 3.
    """

    def __init__(self, method: Method | str, normalize: bool = True, block_rows: int | None = None) -> None:
        super().__init__()
        self.method = _method(method)
        self.normalize = normalize
        self.block_rows = _block_rows(block_rows)

    def forward(
        self,
        embeddings: Float[Tensor, "N d"],
        labels: Iterable[Any],
        ref_emb: Float[Tensor, "M d"] | None = None,
        ref_labels: Iterable[Any] | None = None,
        self_columns: Int[Tensor, " N"] | None = None,
    ) -> Float[Tensor, ""]:
        """The batch loss, in float32 at least; 0, connected to the graph, when there is nothing to compare.

        Args:
            embeddings: [N, d] the anchors.
            labels: N class ids (see `msviz.label_pairs`).
            ref_emb: [M, d] what the anchors are compared with, such as a memory bank; None = each other. They get
                their gradient, too, if they require one.
            ref_labels: M class ids; given exactly when `ref_emb` is.
            self_columns: [N] the column that is the anchor itself, -1 = not among the references.

        Raises:
            MsvizError: `error.shape`, `error.not_finite`, `error.device` or `error.overflow` (without `normalize`) for
                embeddings; `error.labels_count`, `error.ref_labels`, and those of `msviz.label_pairs` for labels.
        """
        check_embeddings("embeddings", embeddings)
        if (ref_emb is None) != (ref_labels is None):
            got = "ref_labels" if ref_emb is None else "ref_emb"
            raise MsvizError(
                "error.ref_labels", "ref_emb and ref_labels belong together, got {got} alone; pass both", got=got
            )
        if ref_emb is not None:
            check_embeddings("ref_emb", ref_emb, width=embeddings.shape[1])
            _check_device(ref_emb, embeddings)
        comparison = compare(labels, ref_labels, self_columns).to(embeddings.device)
        check_count("labels", len(comparison.anchors), embeddings)
        if ref_emb is not None:
            check_count("ref_labels", len(comparison.refs), ref_emb)
        if self.normalize:
            report_zero_rows("embeddings", embeddings)
            if ref_emb is not None:
                report_zero_rows("ref_emb", ref_emb)
        job = Job(comparison, self.method, self.normalize, self.block_rows, anchors=len(embeddings))
        return blockwise_loss(embeddings, ref_emb, job)

    def extra_repr(self) -> str:
        """What `print(criterion)` says."""
        return f"{self.method!r}, normalize={self.normalize}, block_rows={self.block_rows}"


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


def _method(method: Method | str) -> Method:
    if isinstance(method, Method):
        return method
    if method not in METHODS:
        raise MsvizError(
            "error.method_unknown",
            "there is no method named {got}; pass a Method or one of {known}",
            got=repr(method),
            known=", ".join(METHODS),
        )
    return METHODS[method]


def _block_rows(block_rows: Any) -> int | None:
    if block_rows is None:
        return None
    if isinstance(block_rows, bool) or not isinstance(block_rows, int) or block_rows < 1:
        raise MsvizError(
            "error.block_rows", "block_rows must be a whole number >= 1, or None, got {got}", got=shown(block_rows)
        )
    return block_rows


def _check_device(ref: Tensor, embeddings: Tensor) -> None:
    if ref.device != embeddings.device:
        raise MsvizError(
            "error.device",
            "ref_emb must be on the device of the embeddings, {expected}, got {got}; move it there with .to(...)",
            expected=str(embeddings.device),
            got=str(ref.device),
        )


def check_count(name: str, got: int, embeddings: Tensor) -> None:
    """Refuse labels that are not one for each embedding (MsvizError `error.labels_count`)."""
    if got != len(embeddings):
        raise MsvizError(
            "error.labels_count",
            "{name} must hold one class id for each of the {expected} embeddings, got {got}",
            name=name,
            expected=len(embeddings),
            got=got,
        )
