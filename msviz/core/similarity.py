"""Cosine similarities between embeddings: S = x_hat ref_hat^T, higher = closer."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from msviz.core.errors import MsvizError
from msviz.core.precision import at_least_float32


def similarity(
    x: Float[Tensor, "N d"], ref: Float[Tensor, "M d"] | None = None, normalize: bool = True
) -> Float[Tensor, "N M"]:
    """Similarities of every row of `x` (anchors) with every row of `ref` (references).

        S_ij = x_i . ref_j / (|x_i| |ref_j|)        in [-1, 1], no unit; without `normalize` the bare dot product

    Args:
        x: embeddings [N, d], d >= 1. float16 and bfloat16 are computed and returned in float32.
        ref: embeddings [M, d] to compare with; None = `x` itself, which gives a square matrix with the self-pairs on
            its diagonal.
        normalize: divide rows by their length first. Then the scale of an embedding does not matter; a row of zeros has
            no direction, stays zero and receives no gradient (see `zero_rows`).

    Raises:
        MsvizError: `error.shape` when an input is not a matrix or the widths differ.

    >>> import torch
    >>> similarity(torch.tensor([[1.0, 0.0], [0.0, 5.0]]))
    tensor([[1., 0.],
            [0., 1.]])

    Source: arXiv 1904.06627, section 3.
    """
    _check_matrix("x", x)
    rows = _prepared(x, normalize)
    if ref is None:
        return rows @ rows.T
    _check_matrix("ref", ref)
    if ref.shape[1] != x.shape[1]:
        raise MsvizError(
            "error.shape",
            "{name} must be {expected}, got {got}",
            name="ref",
            expected=f"a matrix with {x.shape[1]} columns, like x",
            got=f"{ref.shape[1]} columns",
        )
    return rows @ _prepared(ref, normalize).T


def normalize_rows(x: Float[Tensor, "N d"]) -> Float[Tensor, "N d"]:
    """Every row divided by its Euclidean length; a row of zeros stays zero and its gradient is 0.

    >>> import torch
    >>> normalize_rows(torch.tensor([[3.0, 4.0], [0.0, 0.0]]))
    tensor([[0.6000, 0.8000],
            [0.0000, 0.0000]])
    """
    x = at_least_float32(x)
    size = x.detach().abs().amax(1, keepdim=True)
    zero = size == 0
    # Dividing by the largest entry first keeps the squares of very small and very large rows in range. The result does
    # not depend on `size`, so it may be a constant for autograd. Zero rows compute a stand-in whose gradient is cut.
    scaled = x / size.masked_fill(zero, 1)
    scaled = scaled.masked_fill(zero, 1)
    length: Tensor = torch.linalg.vector_norm(scaled, dim=1, keepdim=True)
    return (scaled / length).masked_fill(zero, 0)


def zero_rows(x: Float[Tensor, "N d"]) -> Int[Tensor, " Z"]:
    """Indices of the rows of `x` that are all zero: they have no direction, similarity 0 to everything and no gradient.

    Args:
        x: embeddings [N, d].

    >>> import torch
    >>> zero_rows(torch.tensor([[1.0, 0.0], [0.0, 0.0]]))
    tensor([1])
    """
    return (x == 0).all(1).nonzero().flatten()


def _prepared(x: Tensor, normalize: bool) -> Tensor:
    return normalize_rows(x) if normalize else at_least_float32(x)


def _check_matrix(name: str, x: Tensor) -> None:
    if x.ndim != 2 or x.shape[1] < 1:
        raise MsvizError(
            "error.shape",
            "{name} must be {expected}, got {got}",
            name=name,
            expected="a matrix, one row per embedding and at least one column",
            got=f"shape {list(x.shape)}",
        )
