"""LoOp for a batch: the optimal hard negatives between the pairs of a batch take the place of the plain negatives.

Every point i makes an arc with its partner, another point of its class. Entry [i, j] is the cosine of the closest
points of the arcs of i and j. Only the matrix of cosines is needed, see `arcs.py`.

Source: arXiv 2108.09335 (LoOp, ICCV 2021).
"""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from msviz.core.arcs import Arc, solve
from msviz.core.errors import wrong_shape
from msviz.core.precision import at_least_float32


def partners(labels: Int[Tensor, " m"]) -> Int[Tensor, " m"]:
    """For each point the other end of its arc: the next point of its class in the order of the batch.

    The last of a class goes with the first; a point alone in its class is its own partner (its arc is a point). With
    two points a class these are the paper's pairs.

    Args:
        labels: [m] class ids.

    >>> import torch
    >>> partners(torch.tensor([5, 7, 5, 5, 9, 7]))
    tensor([2, 5, 3, 0, 4, 1])
    """
    _, classes, sizes = labels.unique(return_inverse=True, return_counts=True)  # type: ignore[no-untyped-call]
    order = classes.argsort(stable=True)  # class by class, each in the order of the batch
    ends = sizes.cumsum(0)
    following = torch.arange(1, len(labels) + 1, device=labels.device)
    following[ends - 1] = ends - sizes
    return torch.empty_like(order).scatter_(0, order, order[following])


def loop_similarity(sim: Float[Tensor, "m m"], partners: Int[Tensor, " m"]) -> Float[Tensor, "m m"]:
    """The optimal hard negatives of a batch: S_loop_ij = p1 . p2 of the arcs (i, partner of i) and (j, partner of j).

        S_loop_ij = sum_kl u_k v_l S_kl,    k in {i, partner of i},  l in {j, partner of j}

    Never below the four entries of S that it is made of. Symmetric when S is. Entries within a class are computed, too
    (arcs that share a point touch: 1); as negatives only those between classes count.

    Gradient (envelope theorem: the closest points are optimal, so where they stand does not move the value):

        dS_loop_ij / dS_kl = u_k v_l,    and through the lengths of the arcs
        dS_loop_ij / dS_(i, partner of i) = -S_loop_ij u1 u2,    dS_loop_ij / dS_(j, partner of j) = -S_loop_ij v1 v2

    and 0 where the arcs touch. It can be differentiated once. Memory: some fifty matrices of the size of S for
    a moment, six until the gradient.

    Cosines see no arc that is shorter than sqrt(4 eps), or that near to a half circle (3e-8; 7e-4 in float32): only the
    ends are used there.

    Args:
        sim: [m, m] cosines. float16 and bfloat16 are computed and returned in float32.
        partners: [m] the other end of each point's arc, see `partners`.

    Raises:
        MsvizError: `error.shape`.

    >>> import torch
    >>> angles = torch.tensor([0.0, 40.0, 100.0, 130.0]).deg2rad()
    >>> sim = (angles - angles[:, None]).cos()
    >>> loop_similarity(sim, torch.tensor([1, 0, 3, 2]))[0, 2]  # 40 and 100 degrees are the nearest points: cos 60
    tensor(0.5000)

    Source: arXiv 2108.09335 (LoOp, ICCV 2021).
    """
    if sim.ndim != 2 or sim.shape[0] != sim.shape[1]:
        raise wrong_shape("sim", "a square matrix", f"shape {list(sim.shape)}")
    if partners.shape != sim.shape[:1]:
        raise wrong_shape("partners", f"one number for each of the {len(sim)} points", f"shape {list(partners.shape)}")
    value: Tensor = _LoopSimilarity.apply(at_least_float32(sim), partners)  # type: ignore[no-untyped-call]
    return value


class _LoopSimilarity(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, sim: Tensor, partners: Tensor) -> Tensor:
        within = sim.gather(1, partners[:, None])  # [m, 1] the cosine of each arc's length
        square = (1 - within) * (1 + within)
        x = Arc(cos=within, sin=square.clamp(min=0).sqrt(), open=square > 4 * torch.finfo(sim.dtype).eps)
        y = Arc(x.cos.T, x.sin.T, x.open.T)
        m = len(sim)
        ends = torch.cat([torch.arange(m, device=sim.device), partners])
        k = sim.index_select(0, ends).index_select(1, ends).view(2, m, 2, m).transpose(1, 2)  # [2, 2, m, m]
        found = solve(k, x, y)
        ctx.save_for_backward(found.similarity, found.touching, found.u, found.v, partners)
        return found.similarity

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        similarity, touching, u, v, partners = ctx.saved_tensors
        g = upstream.masked_fill(touching, 0)
        of_x = g * u  # [2, m, m]
        to_x1, to_x2 = (of_x * v[0]).index_add_(2, partners, of_x * v[1])
        gradient = to_x1.index_add_(0, partners, to_x2)
        g = g * similarity
        lengths = (g * u[0] * u[1]).sum(1) + (g * v[0] * v[1]).sum(0)
        gradient[torch.arange(len(g), device=g.device), partners] -= lengths
        return gradient, None
