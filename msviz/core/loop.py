"""LoOp: the optimal hard negative between two pairs, the closest points of the arcs between them.

Two points x1, x2 of one class and two points y1, y2 of another make two arcs on the sphere. Their closest points p1, p2
are as hard a negative pair as the two pairs can give, and no batch has to contain it. How they are found stands in
`arcs.py`, the same for all pairs of a batch in `loop_batch.py`.

Source: arXiv 2108.09335 (B. Vasudeva et al., LoOp, ICCV 2021).
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from msviz.core.arcs import Arc, LoopCase, solve
from msviz.core.errors import MsvizError, wrong_shape
from msviz.core.similarity import check_embeddings, normalize_rows, zero_rows


class AntipodalWarning(UserWarning):
    """The two points of a pair are opposite each other: no unique arc joins them, only the points themselves count."""


@dataclass(frozen=True, eq=False)
class ClosestPoints:
    """The closest points of two arcs, for one pair of arcs or for many: ... are the leading dimensions of the input.

    Attributes:
        p1, p2: [..., d] the points, of unit length, p1 on the arc from x1 to x2, p2 on that from y1 to y2. They carry
            the gradient.
        similarity: [...] p1 . p2. Where a distance is shown, it is |p1 - p2|.
        a, b: [...] the angle from x1 to p1 and from y1 to p2, in radians; constants for autograd.
        length_x, length_y: [...] A and B, the angles from x1 to x2 and from y1 to y2, in radians, 0 to pi.
        codes: [...] `case` as a number, its place in `LoopCase`.
        multipliers: [..., 4] the multipliers (Karush, Kuhn and Tucker) of a >= 0, a <= A, b >= 0, b <= B when
            f = -p1 . p2 is made as small as possible: how fast f would fall if the bound gave way, in units of
            similarity a radian. >= 0, and 0 unless the point stands on that bound; 0 for an arc that is a point or
            antipodal.
        touching: [...] True where the arcs meet: p1 = p2 but for rounding (see `Solution.touching`). There may be many
            such points, one of them is given; the gradient is 0.
        antipodal: [..., 2] True where x2 = -x1, and where y2 = -y1: of such a pair only the end points are used.
    """

    p1: Float[Tensor, "... d"]
    p2: Float[Tensor, "... d"]
    similarity: Float[Tensor, "..."]
    a: Float[Tensor, "..."]
    b: Float[Tensor, "..."]
    length_x: Float[Tensor, "..."]
    length_y: Float[Tensor, "..."]
    codes: Int[Tensor, "..."]
    multipliers: Float[Tensor, "... 4"]
    touching: Bool[Tensor, "..."]
    antipodal: Bool[Tensor, "... 2"]

    @property
    def case(self) -> LoopCase | npt.NDArray[np.object_]:
        """Where the points stand: a `LoopCase`; of many pairs an array [...] of them."""
        if self.codes.ndim == 0:
            return tuple(LoopCase)[int(self.codes)]
        cases: npt.NDArray[np.object_] = np.array(list(LoopCase), dtype=object)[self.codes.cpu().numpy()]
        return cases


def closest_points(
    x1: Float[Tensor, "... d"], x2: Float[Tensor, "... d"], y1: Float[Tensor, "... d"], y2: Float[Tensor, "... d"]
) -> ClosestPoints:
    """The closest points of the arc from x1 to x2 and the arc from y1 to y2: LoOp's optimal hard negative.

        p1 = n1 cos a + n2 sin a,  n1 = x1,  n2 = unit(x2 - (x1 . x2) x1),   0 <= a <= A = angle(x1, x2)
        p2 = n3 cos b + n4 sin b,  likewise of y1, y2,                       0 <= b <= B = angle(y1, y2)
        minimise  f = -p1 . p2

    The minimum is exact (the best of nine candidates, see `arcs.py`). Gradients flow to all four points: with
    p1 = unit(u1 x1 + u2 x2), u1 and u2 are constants (at the minimum a small step along an arc changes nothing, the
    envelope theorem), so that a point on an end is that end itself; 0 where the arcs touch.

    A pair of equal points is a point, not an error: a = A = 0, and p1 counts as standing on x1. Opposite points have no
    unique arc: only the two ends are used, `antipodal` shows it and an `AntipodalWarning` says so. "Opposite" is what
    rounding cannot tell from it, an angle within 7e-9 of pi (2e-4 in float32).

    Args:
        x1: [..., d] points, d >= 2; their directions count, not their lengths. The leading dimensions are broadcast.
            Numbers narrower than float32 are computed and returned in float32.
        x2: [..., d] the other end of the first arc.
        y1: [..., d] where the second arc begins.
        y2: [..., d] where it ends.

    Raises:
        MsvizTypeError: (a TypeError) `error.embeddings_type` for anything but tensors of real numbers.
        MsvizError: `error.shape` for fewer than two coordinates, or shapes that do not go together; `error.not_finite`;
            `error.loop_zero` for a zero vector, which has no direction.

    >>> import torch
    >>> x1, x2 = torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0])
    >>> y1, y2 = torch.tensor([0.6, 0.6, 1.0]), torch.tensor([0.0, 0.0, 1.0])
    >>> found = closest_points(x1, x2, y1, y2)
    >>> str(found.case), found.p1, found.p2
    ('y1', tensor([0.7071, 0.7071, 0.0000]), tensor([0.4575, 0.4575, 0.7625]))

    Source: arXiv 2108.09335 (LoOp, ICCV 2021), section 3.
    """
    x1, x2, y1, y2 = _directions(x1=x1, x2=x2, y1=y1, y2=y2)
    with torch.no_grad():
        x, x2_or_x1, x_opposite = _arc(x1, x2)
        y, y2_or_y1, y_opposite = _arc(y1, y2)
        k = _dot(torch.stack([x1, x2_or_x1])[:, None], torch.stack([y1, y2_or_y1])[None])  # [2, 2, ...]
        found = solve(k, x, y)
        length_x, length_y = torch.atan2(x.sin, x.cos), torch.atan2(y.sin, y.cos)
        antipodal = torch.stack([x_opposite, y_opposite], -1)
        of_x = _pressure(x, found.u, (k * found.v).sum(1))  # x1 . p2 and x2 . p2
        of_y = _pressure(y, found.v, (k * found.u[:, None]).sum(0))
    if bool(antipodal.any()):
        warnings.warn(
            f"{int(antipodal.sum())} of the {antipodal.numel()} pairs are opposite points, which no unique arc joins: "
            "only the points themselves are used",
            AntipodalWarning,
            stacklevel=2,
        )
    p1 = _point(found.u, x1, x2, found.touching)
    p2 = _point(found.v, y1, y2, found.touching)
    return ClosestPoints(
        p1=p1,
        p2=p2,
        similarity=_dot(p1, p2),
        a=torch.minimum(_angle(found.u, x), length_x),  # rounding must not carry it over the end
        b=torch.minimum(_angle(found.v, y), length_y),
        length_x=length_x,
        length_y=length_y,
        codes=found.codes,
        multipliers=torch.stack([*of_x, *of_y], -1),
        touching=found.touching,
        antipodal=antipodal,
    )


def _arc(start: Tensor, end: Tensor) -> tuple[Arc, Tensor, Tensor]:
    """The arc, its end (of a point the start, to the bit), and whether the two are opposite."""
    eps = torch.finfo(start.dtype).eps
    # From the two chords |start - end| = 2 sin(A/2) and |start + end| = 2 cos(A/2): exact near 0 and near pi, where the
    # cosine alone no longer knows the angle.
    chord, antichord = (end - start).norm(dim=-1), (end + start).norm(dim=-1)
    point, opposite = chord <= 8 * eps, antichord <= eps**0.5 / 2
    chord = chord.masked_fill(point, 0)
    sin, cos = chord * antichord / 2, (antichord - chord) * (antichord + chord) / 4
    return Arc(cos, sin, ~(point | opposite)), torch.where(point[..., None], start, end), opposite


def _point(u: Tensor, start: Tensor, end: Tensor, touching: Tensor) -> Tensor:
    point = u[0, ..., None] * start + u[1, ..., None] * end
    point = point / point.norm(dim=-1, keepdim=True)
    return torch.where(touching[..., None], point.detach(), point)


def _angle(u: Tensor, arc: Arc) -> Tensor:
    return torch.atan2(u[1] * arc.sin, u[0] + u[1] * arc.cos)


def _pressure(arc: Arc, u: Tensor, cosines: Tensor) -> tuple[Tensor, Tensor]:
    """How fast f would fall if the point went on over the start, and over the end of its arc.

    `cosines` [2, ...] are those of the two ends with the other point.
    """
    sin = arc.sin.masked_fill(~arc.open, 1)
    over_start = (arc.cos * cosines[0] - cosines[1]) / sin
    over_end = (arc.cos * cosines[1] - cosines[0]) / sin
    on_start, on_end = arc.open & (u[1] == 0), arc.open & (u[0] == 0)
    # At the minimum neither is negative, but for rounding.
    return over_start.clamp(min=0).masked_fill(~on_start, 0), over_end.clamp(min=0).masked_fill(~on_end, 0)


def _dot(x: Tensor, y: Tensor) -> Tensor:
    return (x * y).sum(-1)


def _directions(**points: Any) -> list[Tensor]:
    """The four points as unit rows of one shape and type."""
    for name, x in points.items():
        if isinstance(x, Tensor) and (x.ndim < 1 or x.shape[-1] < 2):
            expected = "a point or rows of points, with at least two coordinates"
            raise wrong_shape(name, expected, f"shape {list(x.shape)}")
        check_embeddings(name, x.reshape(-1, x.shape[-1]) if isinstance(x, Tensor) else x)
        zero = zero_rows(x.reshape(-1, x.shape[-1])).tolist()
        if zero:
            raise MsvizError(
                "error.loop_zero",
                "{name} must have a direction, got a zero vector in row {row}; leave that pair out",
                name=name,
                row=zero[0],
            )
    x1 = points["x1"]
    for name, x in points.items():
        if x.shape[-1] != x1.shape[-1]:
            raise wrong_shape(name, f"of {x1.shape[-1]} coordinates, like x1", f"shape {list(x.shape)}")
    try:
        shape = torch.broadcast_tensors(*points.values())[0].shape  # type: ignore[no-untyped-call]
    except RuntimeError:
        shapes = ", ".join(str(list(x.shape)) for x in points.values())
        raise wrong_shape("x1, x2, y1, y2", "of shapes that go together", shapes) from None
    units = [normalize_rows(x.reshape(-1, x.shape[-1])).reshape(x.shape).expand(shape) for x in points.values()]
    dtype = max((x.dtype for x in units), key=lambda kind: torch.finfo(kind).bits)
    return [x.to(dtype) for x in units]
