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
class Solution:
    """The closest points: p1 = u1 x1 + u2 x2 and p2 = v1 y1 + v2 y2.

    Attributes:
        codes: [...] the place in `LoopCase`.
        similarity: [...] p1 . p2.
        u, v: [2, ...] the coefficients, >= 0; of a point on an end exactly 1 and 0.
    """

    codes: Int[Tensor, "..."]
    similarity: Float[Tensor, "..."]
    u: Float[Tensor, "2 ..."]
    v: Float[Tensor, "2 ..."]

    @property
    def touching(self) -> Bool[Tensor, "..."]:
        """True where the arcs meet: the cosine is 1 but for rounding.

            1 - p1 . p2 <= 16 eps (u1 + u2) (v1 + v2)        eps = 2.2e-16, or 1.2e-7 in float32

        The coefficients sum to about 1, and to much more only on an arc that is close to a half circle: there they
        multiply what is rounded.
        """
        rounding = 16 * torch.finfo(self.similarity.dtype).eps * self.u.sum(0) * self.v.sum(0)
        return self.similarity >= 1 - rounding


@torch.no_grad()
def solve(k: Float[Tensor, "2 2 ..."], x: Arc, y: Arc) -> Solution:
    """The best of the nine candidates; of equals the first in the order of `LoopCase`.

    Args:
        k: K, the cosines of the ends of one arc with the ends of the other.
        x, y: the two arcs.
    """
    x, y = _without_zeros(x), _without_zeros(y)
    similarity, u_inside, v_inside = _inside(k, x, y)
    on_x, v_on_x = _edges(k[:, 0], k[:, 1], y)  # p1 on x1, on x2
    on_y, u_on_y = _edges(k[0], k[1], x)  # p2 on y1, on y2

    codes = torch.full_like(similarity, INSIDE, dtype=torch.uint8)
    for code, candidate in enumerate((*on_x, *on_y, *k[0], *k[1]), X1):
        codes.masked_fill_(candidate > similarity, code)
        similarity = torch.maximum(similarity, candidate)

    inside, at_x1, at_x2, at_y1, at_y2 = (codes == code for code in (INSIDE, X1, X2, Y1, Y2))
    end_x = at_x2 | (codes >= X2_Y1)  # True on x2, False on x1
    end_y = at_y2 | (codes == X1_Y2) | (codes == X2_Y2)
    u = torch.where(at_y1, u_on_y[:, 0], torch.where(at_y2, u_on_y[:, 1], torch.stack([~end_x, end_x])))
    v = torch.where(at_x1, v_on_x[:, 0], torch.where(at_x2, v_on_x[:, 1], torch.stack([~end_y, end_y])))
    return Solution(codes.long(), similarity, torch.where(inside, u_inside, u), torch.where(inside, v_inside, v))


def _without_zeros(arc: Arc) -> Arc:
    """The arc with a sine that can be divided by; where it is replaced, nothing comes of it."""
    return Arc(arc.cos, arc.sin.masked_fill(~arc.open, 1), arc.open)


def _inside(k: Tensor, x: Arc, y: Arc) -> tuple[Tensor, Tensor, Tensor]:
    """The largest cosine of two points of the circles, -inf where they are not on the arcs; u and v [2, ...]."""
    (k11, k12), (k21, k22) = k
    m11 = k11
    m12 = (k12 - y.cos * k11) / y.sin
    m21 = (k21 - x.cos * k11) / x.sin
    # Added in an order that does not change when x and y change places: the matrix of a batch is symmetric to the bit.
    m22 = (k22 - (x.cos * k12 + y.cos * k21) + x.cos * y.cos * k11) / (x.sin * y.sin)

    sin1, cos1 = m21 - m12, m11 + m22  # 2 R1 sin phi1, 2 R1 cos phi1
    sin2, cos2 = m21 + m12, m11 - m22
    value = (torch.hypot(sin1, cos1) + torch.hypot(sin2, cos2)) / 2
    phi1, phi2 = torch.atan2(sin1, cos1), torch.atan2(sin2, cos2)
    u, v = _coefficients((phi2 + phi1) / 2, x), _coefficients((phi2 - phi1) / 2, y)

    # In the box when all four are positive; or all negative, and then pi must be added to both a and b.
    in_box = x.open & y.open & (u[0] * u[1] > 0) & (v[0] * v[1] > 0) & (u[1] * v[1] > 0)
    return value.masked_fill_(~in_box, -torch.inf), u.abs_(), v.abs_()


def _coefficients(a: Tensor, arc: Arc) -> Tensor:
    second = a.sin() / arc.sin
    return torch.stack([a.cos() - arc.cos * second, second])


def _edges(k1: Tensor, k2: Tensor, arc: Arc) -> tuple[Tensor, Tensor]:
    """Points whose cosines with the ends of an arc are k1 and k2, and the nearest points between those ends.

    Their cosines [2, ...], -inf where an end is nearer, and the nearest points' coefficients [2 coefficients, 2, ...].
    """
    # The projection on the arc's plane is (w1 y1 + w2 y2) / sin: between the ends when both are positive.
    w1, w2 = (k1 - arc.cos * k2) / arc.sin, (k2 - arc.cos * k1) / arc.sin
    length = torch.hypot(k1, w2)
    between = arc.open & (w1 > 0) & (w2 > 0)
    # At the angle b, whose cosine and sine are k1 / length and w2 / length. On an arc of almost a half circle both
    # coefficients are huge: this way their errors cancel, while w1 would bring one of its own.
    v2 = w2 / length / arc.sin
    v1 = (k1 / length - arc.cos * v2).clamp_(min=0)
    return length.masked_fill(~between, -torch.inf), torch.stack([v1, v2])
