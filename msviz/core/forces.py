"""Which way every point is pushed, and by whom: the pair gradients, carried from similarities to embeddings.

With A_ij = d value / dS_ij and unit rows u_i = x_i / |x_i|, S_ij = u_i . u_j. The pair {i, j} stands in S twice, so

    push on i by j     v_ij = -(A_ij + A_ji) u_j
    along the sphere   f_ij = (v_ij - (v_ij . u_i) u_i) / |x_i|        the Jacobian of x -> x / |x|
    in all             f_i  = sum_j f_ij = -d value / dx_i

Source: arXiv 1904.06627, section 3.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from msviz.core.errors import wrong_shape
from msviz.core.precision import at_least_float32
from msviz.core.similarity import check_embeddings, rows_and_lengths, through_normalization


def forces(
    x: Float[Tensor, "m d"], value_gradient: Float[Tensor, "m m"], normalize: bool = True
) -> Float[Tensor, "m d"]:
    """Where each point is pushed: the step -d value / dx of a batch that is compared with itself.

        v = -(A + A^T) u        A = d value / dS
        f = (v - (v . u) u) / |x|        with `normalize`: only the part along the sphere remains

    Args:
        x: embeddings [m, d], one point per row.
        value_gradient: A [m, m], signed: `Evaluation.value_gradient`, which holds the 1/m where the loss has one.
        normalize: True when the similarities are of normalised rows. Rows of zeros get no force.

    Raises:
        MsvizError: `error.shape` when `x` is no matrix or `value_gradient` is not [m, m]; `error.not_finite`.

    >>> import torch
    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> forces(x, torch.tensor([[0.0, 0.5], [0.5, 0.0]]))  # two negatives: each is pushed away from the other
    tensor([[ 0., -1.],
            [-1.,  0.]])

    Source: arXiv 1904.06627, section 3.
    """
    x, gradient = _checked(x, value_gradient)
    if not normalize:
        return _step(gradient, x)
    unit, length = rows_and_lengths(x)
    return through_normalization(_step(gradient, unit), unit, length)


def _step(gradient: Tensor, unit: Tensor) -> Tensor:
    return 0.0 - (gradient @ unit + gradient.T @ unit)  # A + A^T is never made; 0 - 0 is no minus zero


def pair_forces(
    x: Float[Tensor, "m d"],
    value_gradient: Float[Tensor, "m m"],
    normalize: bool = True,
    points: Int[Tensor, " P"] | None = None,
) -> Float[Tensor, "P m d"]:
    """Who pushes whom: entry [i, j] is the push on point i by its partner j. Over all j they add up to `forces`.

        f_ij = (v_ij - (v_ij . u_i) u_i) / |x_i|        v_ij = -(A_ij + A_ji) u_j

    The pair weighs twice: once with i as the anchor (A_ij), once with j (A_ji); the two need not be equal.

    Args:
        x: embeddings [m, d], one point per row.
        value_gradient: A [m, m], signed: `Evaluation.value_gradient`.
        normalize: True when the similarities are of normalised rows. Rows of zeros get no force, and give none.
        points: [P] the rows i wanted, each from 0 to m - 1; None = all m. The answer for all takes m * m * d numbers.

    Raises:
        MsvizError: `error.shape` when `x` is no matrix, `value_gradient` is not [m, m] or a point is not in the batch;
            `error.not_finite`.

    >>> import torch
    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    >>> linear = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]) / 3  # three negatives
    >>> pair_forces(x, linear, points=torch.tensor([0])).norm(dim=2)  # by 2, the opposite one, not at all
    tensor([[0.0000, 0.6667, 0.0000]])

    Source: arXiv 1904.06627, section 3.
    """
    x, gradient = _checked(x, value_gradient)
    points = torch.arange(len(x), device=x.device) if points is None else _checked_points(points, len(x))
    both = (gradient[points] + gradient.T[points])[:, :, None]
    if not normalize:
        return -both * x  # [P, m, d]
    unit, length = rows_and_lengths(x)
    push = -both * unit
    pushed = points.repeat_interleave(len(x))  # the point that each of the P m pushes is on
    return through_normalization(push.flatten(0, 1), unit[pushed], length[pushed]).view_as(push)


def _checked(x: Tensor, value_gradient: Tensor) -> tuple[Tensor, Tensor]:
    """x and A, in one type, float32 at least."""
    check_embeddings("x", x)
    m = len(x)
    if value_gradient.shape != (m, m):
        raise wrong_shape(
            "value_gradient", f"of shape [{m}, {m}], a row and a column per point", f"shape {[*value_gradient.shape]}"
        )
    x, gradient = at_least_float32(x), at_least_float32(value_gradient)
    dtype = torch.promote_types(x.dtype, gradient.dtype)
    return x.to(dtype), gradient.to(dtype)


def _checked_points(points: Tensor, m: int) -> Tensor:
    whole = not (points.is_floating_point() or points.is_complex() or points.dtype == torch.bool)
    if points.ndim != 1 or not whole or bool(((points < 0) | (points >= m)).any()):
        raise wrong_shape("points", f"a flat tensor of rows from 0 to {m - 1}", str(points.tolist()))
    return points.long()
