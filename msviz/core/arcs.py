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


INSIDE, X1, X2, Y1, Y2, _, X1_Y2, X2_Y1, X2_Y2 = range(9)  # their codes


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
    x, y = _without_zeros(x), _without_zeros(y)
    both, u_both, v_both = _inside(k, x, y)
    on_x1, v_x1 = _edge(k.x1y1, k.x1y2, y)
    on_x2, v_x2 = _edge(k.x2y1, k.x2y2, y)
    on_y1, u_y1 = _edge(k.x1y1, k.x2y1, x)
    on_y2, u_y2 = _edge(k.x1y2, k.x2y2, x)
    others = (on_x1, on_x2, on_y1, on_y2, k.x1y1, k.x1y2, k.x2y1, k.x2y2)

    similarity, codes = both, torch.full_like(both, INSIDE, dtype=torch.long)
    for code, candidate in enumerate(others, X1):
        codes = codes.masked_fill_(candidate > similarity, code)
        similarity = torch.maximum(similarity, candidate)

    inside, at_x1, at_x2, at_y1, at_y2 = (codes == code for code in (INSIDE, X1, X2, Y1, Y2))
    end_x = (at_x2 | (codes >= X2_Y1)).to(both.dtype)  # 0 = on x1, 1 = on x2
    end_y = (at_y2 | (codes == X1_Y2) | (codes == X2_Y2)).to(both.dtype)
    u1, u2 = (
        torch.where(inside, of_both, torch.where(at_y1, of_y1, torch.where(at_y2, of_y2, end)))
        for of_both, of_y1, of_y2, end in zip(u_both, u_y1, u_y2, (1 - end_x, end_x), strict=True)
    )
    v1, v2 = (
        torch.where(inside, of_both, torch.where(at_x1, of_x1, torch.where(at_x2, of_x2, end)))
        for of_both, of_x1, of_x2, end in zip(v_both, v_x1, v_x2, (1 - end_y, end_y), strict=True)
    )
    return Solution(codes, similarity, u1, u2, v1, v2)


def _without_zeros(arc: Arc) -> Arc:
    """The arc with a sine that can be divided by; where it is replaced, nothing comes of it."""
    return Arc(arc.cos, arc.sin.masked_fill(~arc.open, 1), arc.open)


def _inside(k: Cosines, x: Arc, y: Arc) -> tuple[Tensor, tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """The largest cosine of two points of the circles, -inf where they are not on the arcs, and their coefficients."""
    m11 = k.x1y1
    m12 = (k.x1y2 - y.cos * k.x1y1) / y.sin
    m21 = (k.x2y1 - x.cos * k.x1y1) / x.sin
    # Added in an order that does not change when x and y change places: the matrix of a batch is symmetric to the bit.
    m22 = (k.x2y2 - (x.cos * k.x1y2 + y.cos * k.x2y1) + x.cos * y.cos * k.x1y1) / (x.sin * y.sin)

    sin1, cos1 = m21 - m12, m11 + m22  # 2 R1 sin phi1, 2 R1 cos phi1
    sin2, cos2 = m21 + m12, m11 - m22
    value = (torch.hypot(sin1, cos1) + torch.hypot(sin2, cos2)) / 2
    phi1, phi2 = torch.atan2(sin1, cos1), torch.atan2(sin2, cos2)
    a, b = (phi2 + phi1) / 2, (phi2 - phi1) / 2
    u2, v2 = a.sin() / x.sin, b.sin() / y.sin
    u1, v1 = a.cos() - x.cos * u2, b.cos() - y.cos * v2

    # In the box when all are positive; or all negative, and then pi must be added to both a and b.
    sign = u2.sign()
    in_box = x.open & y.open & (u1 * sign > 0) & (u2 * sign > 0) & (v1 * sign > 0) & (v2 * sign > 0)
    return value.masked_fill_(~in_box, -torch.inf), (u1.abs_(), u2.abs_()), (v1.abs_(), v2.abs_())


def _edge(k1: Tensor, k2: Tensor, arc: Arc) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """A point whose cosines with the ends of an arc are k1 and k2, and the nearest point between those ends.

    Their cosine, -inf where an end is nearer, and the nearest point's coefficients.
    """
    # The projection on the arc's plane is (w1 y1 + w2 y2) / sin: between the ends when both are positive.
    w1, w2 = (k1 - arc.cos * k2) / arc.sin, (k2 - arc.cos * k1) / arc.sin
    length = torch.hypot(k1, w2)
    between = arc.open & (w1 > 0) & (w2 > 0)
    # At the angle b, whose cosine and sine are k1 / length and w2 / length. On an arc of almost a half circle both
    # coefficients are huge: this way their errors cancel, while w1 would bring one of its own.
    v2 = w2 / length / arc.sin
    v1 = (k1 / length - arc.cos * v2).clamp_(min=0)
    return length.masked_fill(~between, -torch.inf), (v1, v2)
