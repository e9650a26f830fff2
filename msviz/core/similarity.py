"""Cosine similarities between embeddings: S = x_hat ref_hat^T, higher = closer."""

import warnings
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from msviz.core.errors import MsvizError, MsvizTypeError, ZeroRowWarning, wrong_shape
from msviz.core.precision import at_least_float32, check_finite


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
            no direction, stays zero and receives no gradient: a `ZeroRowWarning` names it (see `zero_rows`).

    Raises:
        MsvizTypeError: (a TypeError) `error.embeddings_type` for anything but a tensor of real numbers.
        MsvizError: `error.shape` when an input is not a matrix or the widths differ; `error.not_finite`.

    >>> import torch
    >>> similarity(torch.tensor([[1.0, 0.0], [0.0, 5.0]]))
    tensor([[1., 0.],
            [0., 1.]])

    Source: arXiv 1904.06627, section 3.
    """
    check_embeddings("x", x)
    if normalize:
        report_zero_rows("x", x)
    rows = _prepared(x, normalize)
    if ref is None:
        return rows @ rows.T
    check_embeddings("ref", ref, width=x.shape[1])
    if normalize:
        report_zero_rows("ref", ref)
    return rows @ _prepared(ref, normalize).T


def normalize_rows(x: Float[Tensor, "N d"]) -> Float[Tensor, "N d"]:
    """Every row divided by its Euclidean length; a row of zeros stays zero and its gradient is 0.

    >>> import torch
    >>> normalize_rows(torch.tensor([[3.0, 4.0], [0.0, 0.0]]))
    tensor([[0.6000, 0.8000],
            [0.0000, 0.0000]])
    """
    return rows_and_lengths(x)[0]


def rows_and_lengths(x: Float[Tensor, "N d"]) -> tuple[Float[Tensor, "N d"], Float[Tensor, "N 1"]]:
    """The rows of `normalize_rows` and the lengths that they had.

    >>> rows_and_lengths(torch.tensor([[3.0, 4.0]]))
    (tensor([[0.6000, 0.8000]]), tensor([[5.]]))
    """
    x = at_least_float32(x)
    size = x.detach().abs().amax(1, keepdim=True)
    zero = size == 0
    # Dividing by the largest entry first keeps the squares of very small and very large rows in range. The result does
    # not depend on `size`, so it may be a constant for autograd. Zero rows compute a stand-in whose gradient is cut.
    scaled = x / size.masked_fill(zero, 1)
    scaled = scaled.masked_fill(zero, 1)
    length: Tensor = torch.linalg.vector_norm(scaled, dim=1, keepdim=True)
    return (scaled / length).masked_fill(zero, 0), length * size


def through_normalization(
    gradient: Float[Tensor, "N d"], unit: Float[Tensor, "N d"], length: Float[Tensor, "N 1"]
) -> Float[Tensor, "N d"]:
    """dL/dx from dL/d(unit), where unit = x / |x|: what remains along the sphere, divided by the length.

        dL/dx = (g - (g . unit) unit) / |x|        0 for a row of zeros

    >>> through_normalization(torch.tensor([[1.0, 1.0]]), torch.tensor([[0.0, 1.0]]), torch.tensor([[2.0]]))
    tensor([[0.5000, 0.0000]])
    """
    along = (gradient * unit).sum(1, keepdim=True)
    return (gradient - along * unit).div_(length).masked_fill_(length == 0, 0)


def zero_rows(x: Float[Tensor, "N d"]) -> Int[Tensor, " Z"]:
    """Indices of the rows of `x` that are all zero: they have no direction, similarity 0 to everything and no gradient.

    Args:
        x: embeddings [N, d].

    >>> import torch
    >>> zero_rows(torch.tensor([[1.0, 0.0], [0.0, 0.0]]))
    tensor([1])
    """
    return (x == 0).all(1).nonzero().flatten()


def report_zero_rows(name: str, x: Float[Tensor, "N d"]) -> None:
    """Warn of rows that have no direction (see `zero_rows`); `name` is what the caller calls them."""
    zero = zero_rows(x).tolist()
    if zero:
        shown = ", ".join(map(str, zero[:5])) + (", ..." if len(zero) > 5 else "")
        warnings.warn(
            f"{len(zero)} of the {len(x)} rows of {name} are zero vectors (rows {shown}): they have no direction, "
            "similarity 0 to everything and no gradient",
            ZeroRowWarning,
            stacklevel=3,
        )


def check_embeddings(name: str, x: Any, width: int | None = None) -> None:
    """Refuse what cannot be compared: `x` must be a finite floating-point matrix, with `width` columns if given.

    Raises:
        MsvizTypeError: (a TypeError) `error.embeddings_type`.
        MsvizError: `error.shape`; `error.not_finite`, which names the first number that is NaN or infinite.
    """
    if not isinstance(x, Tensor) or x.dtype.is_complex:
        got = f"a tensor of {x.dtype}" if isinstance(x, Tensor) else type(x).__name__
        raise MsvizTypeError(
            "error.embeddings_type", "{name} must be a tensor of real numbers, got {got}", name=name, got=got
        )
    if x.ndim != 2 or x.shape[1] < 1:
        expected = "a matrix, one row per embedding and at least one column"
        raise wrong_shape(name, expected, f"shape {list(x.shape)}")
    if width is not None and x.shape[1] != width:
        expected = f"a matrix with {width} columns, like what it is compared with"
        raise wrong_shape(name, expected, f"{x.shape[1]} columns")
    check_finite(name, x)


def check_overflow(x: Tensor) -> None:
    """Refuse bare dot products, and a loss of them, that are infinite or NaN (MsvizError `error.overflow`)."""
    if not bool(x.isfinite().all()):
        raise MsvizError(
            "error.overflow",
            "the similarities are too large for {dtype}; normalise the embeddings or scale them down",
            dtype=str(x.dtype),
        )


def _prepared(x: Tensor, normalize: bool) -> Tensor:
    return normalize_rows(x) if normalize else at_least_float32(x)
