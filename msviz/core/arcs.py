"""The closest points of two arcs, from cosines alone: nine candidates, the best of them wins.

Two arcs of great circles, from x1 to x2 and from y1 to y2, of lengths A and B. A point of the first is

    p1 = u1 x1 + u2 x2,    u1 = sin(A - a) / sin A,    u2 = sin a / sin A,    0 <= a <= A

at the angle a from x1; u1, u2 >= 0. Likewise p2 = v1 y1 + v2 y2 at the angle b from y1. Their cosine

    p1 . p2 = sum_kl u_k K_kl v_l,    K_kl = x_k . y_l

depends on K and the two lengths only, whatever the dimension. Its largest value over the box 0 <= a <= A, 0 <= b <= B
is inside, on one of its four edges, or in one of its four corners:

    inside   the largest value over all a and b, if its point is in the box. With n1 = x1, n2 at a right angle to x1
             towards x2, n3 = y1, n4 likewise, and M_kl = n_k . n_(l+2), the cosine is
             R1 cos(a - b - phi1) + R2 cos(a + b - phi2); R1 + R2 is reached at a = (phi1 + phi2) / 2,
             b = (phi2 - phi1) / 2, and there with pi added to both
    edge     p1 stands on an end, p2 is that end's projection on the plane of the other arc, if it falls on the arc
             (or the other way round)
    corner   both stand on ends

No singular value decomposition, no iteration, and nothing here needs autograd.

Source: arXiv 2108.09335 (LoOp, ICCV 2021). Its formula for the inside is 0/0 on the circle; this one is not.
"""

from dataclasses import dataclass
from enum import StrEnum

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


class LoopCase(StrEnum):
    """Where the closest points of two arcs stand: both inside, one of them on an end of its arc, or both on ends.

    The name says which ends: "x2" means that p1 stands on x2 and p2 inside its arc, "x1-y2" that p1 stands on x1 and p2
    on y2. `ClosestPoints.codes` counts them in this order.
    """

    INSIDE = "inside"
    X1 = "x1"
    X2 = "x2"
    Y1 = "y1"
    Y2 = "y2"
    X1_Y1 = "x1-y1"
    X1_Y2 = "x1-y2"
    X2_Y1 = "x2-y1"
    X2_Y2 = "x2-y2"


INSIDE, X1, X2, Y1, Y2 = range(5)  # codes of the cases with something to slide on; the corners follow
ON_X1 = (0, 1, 0, 0, 0, 1, 1, 0, 0)  # code -> u1 and u2, v1 and v2, unless the point slides
ON_X2 = (0, 0, 1, 0, 0, 0, 0, 1, 1)
ON_Y1 = (0, 0, 0, 1, 0, 1, 0, 1, 0)
ON_Y2 = (0, 0, 0, 0, 1, 0, 1, 0, 1)


@dataclass(frozen=True, eq=False)
class Arc:
    """The length of an arc, as its cosine and sine, and whether a point may slide on it.

    Attributes:
        cos, sin: of the length A.
        open: False where there is nothing between the ends: they are one point, or opposite (no unique arc). The sine
            may be 0 there.
    """

    cos: Tensor
    sin: Tensor
    open: Tensor


@dataclass(frozen=True, eq=False)
class Cosines:
    """K: the cosines of the ends of one arc with the ends of the other; all four of one shape."""

    x1y1: Tensor
    x1y2: Tensor
    x2y1: Tensor
    x2y2: Tensor


@dataclass(frozen=True, eq=False)
class Solution:
    """The closest points: p1 = u1 x1 + u2 x2 and p2 = v1 y1 + v2 y2.

    Attributes:
        codes: the place in `LoopCase`.
        similarity: p1 . p2.
        u1, u2, v1, v2: the coefficients, >= 0; where a point stands on an end, exactly 1 and 0.
    """

    codes: Int[Tensor, "..."]
    similarity: Float[Tensor, "..."]
    u1: Float[Tensor, "..."]
    u2: Float[Tensor, "..."]
    v1: Float[Tensor, "..."]
    v2: Float[Tensor, "..."]

    @property
    def touching(self) -> Bool[Tensor, "..."]:
        """True where the arcs meet: the cosine is 1 but for rounding.

            1 - p1 . p2 <= 16 eps (u1 + u2) (v1 + v2)        eps = 2.2e-16, or 1.2e-7 in float32

        The coefficients sum to about 1, and to much more only on an arc that is close to a half circle: there they
        multiply what is rounded.
        """
        rounding = 16 * torch.finfo(self.similarity.dtype).eps * (self.u1 + self.u2) * (self.v1 + self.v2)
        return self.similarity >= 1 - rounding


@torch.no_grad()
def solve(k: Cosines, x: Arc, y: Arc) -> Solution:
    """The best of the nine candidates; of equals the first in the order of `LoopCase`."""
    both = _inside(k, x, y)
    on_x1, v1_x1, v2_x1 = _edge(k.x1y1, k.x1y2, y)
    on_x2, v1_x2, v2_x2 = _edge(k.x2y1, k.x2y2, y)
    on_y1, u1_y1, u2_y1 = _edge(k.x1y1, k.x2y1, x)
    on_y2, u1_y2, u2_y2 = _edge(k.x1y2, k.x2y2, x)
    candidates = [both.similarity, on_x1, on_x2, on_y1, on_y2, k.x1y1, k.x1y2, k.x2y1, k.x2y2]
    similarity, codes = torch.stack(candidates).max(0)
    return Solution(
        codes=codes,
        similarity=similarity,
        u1=_chosen(codes, ON_X1, {INSIDE: both.u1, Y1: u1_y1, Y2: u1_y2}),
        u2=_chosen(codes, ON_X2, {INSIDE: both.u2, Y1: u2_y1, Y2: u2_y2}),
        v1=_chosen(codes, ON_Y1, {INSIDE: both.v1, X1: v1_x1, X2: v1_x2}),
        v2=_chosen(codes, ON_Y2, {INSIDE: both.v2, X1: v2_x1, X2: v2_x2}),
    )


def _inside(k: Cosines, x: Arc, y: Arc) -> Solution:
    x_sin, y_sin = _divisor(x), _divisor(y)
    m11 = k.x1y1
    m12 = (k.x1y2 - y.cos * k.x1y1) / y_sin
    m21 = (k.x2y1 - x.cos * k.x1y1) / x_sin
    # Added in an order that does not change when x and y change places: the matrix of a batch is symmetric to the bit.
    m22 = (k.x2y2 - (x.cos * k.x1y2 + y.cos * k.x2y1) + x.cos * y.cos * k.x1y1) / (x_sin * y_sin)

    phi1 = torch.atan2(m21 - m12, m11 + m22)
    phi2 = torch.atan2(m21 + m12, m11 - m22)
    value = (torch.hypot(m21 - m12, m11 + m22) + torch.hypot(m21 + m12, m11 - m22)) / 2
    a, b = (phi2 + phi1) / 2, (phi2 - phi1) / 2
    u2, v2 = a.sin() / x_sin, b.sin() / y_sin
    u1, v1 = a.cos() - x.cos * u2, b.cos() - y.cos * v2

    # All positive: in the box. All negative: in the box once pi is added to both a and b.
    sign = u2.sign()
    u1, u2, v1, v2 = sign * u1, sign * u2, sign * v1, sign * v2
    in_box = x.open & y.open & (u1 > 0) & (u2 > 0) & (v1 > 0) & (v2 > 0)
    value = value.masked_fill(~in_box, -torch.inf)
    return Solution(torch.full_like(value, INSIDE, dtype=torch.long), value, u1, u2, v1, v2)


def _edge(k1: Tensor, k2: Tensor, arc: Arc) -> tuple[Tensor, Tensor, Tensor]:
    """A point that has the cosines k1, k2 with the ends of an arc: its cosine with the nearest point between them (-inf
    when an end is nearer), and that point's coefficients."""
    sin = _divisor(arc)
    # The projection on the arc's plane is (w1 y1 + w2 y2) / sin^2: between the ends when both are positive.
    w1, w2 = (k1 - arc.cos * k2) / sin, (k2 - arc.cos * k1) / sin
    length = torch.hypot(k1, w2)
    value = length.masked_fill(~(arc.open & (w1 > 0) & (w2 > 0)), -torch.inf)
    return value, w1 / length / sin, w2 / length / sin


def _divisor(arc: Arc) -> Tensor:
    return arc.sin.masked_fill(~arc.open, 1)


def _chosen(codes: Tensor, at_end: tuple[int, ...], sliding: dict[int, Tensor]) -> Tensor:
    some = next(iter(sliding.values()))
    coefficient = torch.tensor(at_end, dtype=some.dtype, device=some.device)[codes]
    for code, value in sliding.items():
        coefficient = torch.where(codes == code, value, coefficient)
    return coefficient
