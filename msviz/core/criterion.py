"""PairLoss: any method as the criterion of a training loop, with the very weights that the pictures show.

What is checked and promised stands here; how it is computed, some rows at a time, in `blocks.py`.

Source: arXiv 1904.06627, section 3 (general pair weighting).
"""

from collections.abc import Iterable
from numbers import Integral
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor, nn

from msviz.core.blocks import Job, blockwise_loss
from msviz.core.errors import MsvizError, shown
from msviz.core.methods import METHODS, Method
from msviz.core.pairs import compare
from msviz.core.similarity import check_embeddings, report_zero_rows


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
    if isinstance(block_rows, bool) or not isinstance(block_rows, Integral) or block_rows < 1:
        raise MsvizError(
            "error.block_rows", "block_rows must be a whole number >= 1, or None, got {got}", got=shown(block_rows)
        )
    return int(block_rows)


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
