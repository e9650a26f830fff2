"""LoOp's closest points: against grids, by hand, their multipliers and gradients, and what is degenerate."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from msviz import ClosestPoints, LoopCase, MsvizError, closest_points
from msviz.core.errors import MsvizTypeError
from msviz.core.loop import AntipodalWarning
from tests.core.batches import on_circle

CORNERS = ("x1-y1", "x1-y2", "x2-y1", "x2-y2")
QUIET = pytest.mark.filterwarnings("ignore::msviz.core.loop.AntipodalWarning")


def draws(seed: int, n: int, d: int) -> list[Tensor]:
    rng = torch.Generator().manual_seed(seed)
    return [torch.randn(n, d, generator=rng, dtype=torch.float64) for _ in range(4)]


def dot(x: Tensor, y: Tensor) -> Tensor:
    return (x * y).sum(-1)


def unit(x: Tensor) -> Tensor:
    return x / x.norm(dim=-1, keepdim=True)


def on_sphere(*places: tuple[float, float]) -> Tensor:
    longitude, latitude = torch.tensor(places, dtype=torch.float64).deg2rad().T
    return torch.stack([longitude.cos() * latitude.cos(), longitude.sin() * latitude.cos(), latitude.sin()], 1)


def frame(start: Tensor, end: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """n1, n2 and the length of an arc, as the paper writes them."""
    n1, end = unit(start), unit(end)
    across = end - dot(n1, end)[..., None] * n1
    return n1, unit(across), torch.atan2(across.norm(dim=-1), dot(n1, end))


def on_arc(n1: Tensor, n2: Tensor, angle: Tensor) -> Tensor:
    return n1 * angle.cos()[..., None] + n2 * angle.sin()[..., None]


def best_on_grid(x1: Tensor, x2: Tensor, y1: Tensor, y2: Tensor, steps: int = 65) -> Tensor:
    """The largest cosine between steps x steps points of the arcs, ends included."""
    t = torch.linspace(0, 1, steps, dtype=torch.float64)
    sides = []
    for start, end in ((x1, x2), (y1, y2)):
        n1, n2, length = frame(start, end)
        angles = length[:, None] * t
        sides.append((torch.stack([n1, n2], 1), torch.stack([angles.cos(), angles.sin()], 2)))
    (n_x, at_x), (n_y, at_y) = sides
    middle = n_x @ n_y.mT  # the cosine depends on this 2 x 2 matrix and the lengths alone
    return (at_x @ middle @ at_y.mT).amax((1, 2))


def assert_feasible(found: ClosestPoints, x1: Tensor, x2: Tensor, y1: Tensor, y2: Tensor) -> None:
    for p, angle, length, start, end in (
        (found.p1, found.a, found.length_x, x1, x2),
        (found.p2, found.b, found.length_y, y1, y2),
    ):
        n1, n2, right_length = frame(start, end)
        torch.testing.assert_close(length, right_length, atol=1e-10, rtol=0)
        assert (angle >= 0).all()
        assert (angle <= length).all()
        torch.testing.assert_close(p, on_arc(n1, n2, angle), atol=1e-8, rtol=0)
        torch.testing.assert_close(p.norm(dim=-1), torch.ones_like(angle), atol=1e-14, rtol=0)
    torch.testing.assert_close(found.similarity, dot(found.p1, found.p2))


# The optimum


@pytest.mark.parametrize("d", [2, 3, 8, 64])
def test_no_point_of_a_grid_is_nearer_and_the_points_lie_on_their_arcs(d):
    points = draws(d, 10_000, d)
    found = closest_points(*points)
    assert (found.similarity >= best_on_grid(*points) - 1e-12).all()
    assert_feasible(found, *points)


@pytest.mark.parametrize("d", [2, 3, 64])
def test_it_is_never_below_the_four_plain_similarities(d):
    x1, x2, y1, y2 = map(unit, draws(d, 2000, d))
    found = closest_points(x1, x2, y1, y2)
    for x, y in ((x1, y1), (x1, y2), (x2, y1), (x2, y2)):
        assert (found.similarity >= dot(x, y) - 1e-15 * 4).all()


FLAT, UP = [(-30, 0), (30, 0)], [(5, 20), (5, 50)]  # longitude and latitude in degrees; 20 degrees apart
EAST, WEST = [(10, 0), (40, 0)], [(-10, 0), (-40, 0)]


@pytest.mark.parametrize(
    ("case", "x", "y", "a", "b"),
    [
        ("x1", UP, FLAT, 0, 35),
        ("x2", UP[::-1], FLAT, 30, 35),
        ("y1", FLAT, UP, 35, 0),
        ("y2", FLAT, UP[::-1], 35, 30),
        ("x1-y1", EAST, WEST, 0, 0),
        ("x1-y2", EAST, WEST[::-1], 0, 30),
        ("x2-y1", EAST[::-1], WEST, 30, 0),
        ("x2-y2", EAST[::-1], WEST[::-1], 30, 30),
    ],
)
def test_edges_and_corners_worked_out_by_hand(case, x, y, a, b):
    found = closest_points(*on_sphere(*x), *on_sphere(*y))
    assert found.case is LoopCase(case)
    assert found.similarity.item() == pytest.approx(math.cos(math.radians(20)), abs=1e-15)
    assert [found.a.item(), found.b.item()] == pytest.approx([math.radians(a), math.radians(b)], abs=1e-14)


def test_an_inside_worked_out_by_hand():
    # Two planes of R^4 at 20 and 60 degrees to each other; each arc reaches 30 degrees to both sides of where the angle
    # is 20. (In three dimensions planes meet, and whatever is inside touches.)
    e = torch.eye(4, dtype=torch.float64)
    d3, d4 = on_angle(e[0], e[2], 20), on_angle(e[1], e[3], 60)
    found = closest_points(
        on_angle(e[0], e[1], -30), on_angle(e[0], e[1], 30), on_angle(d3, d4, -30), on_angle(d3, d4, 30)
    )
    assert found.case is LoopCase.INSIDE
    torch.testing.assert_close(found.p1, e[0])
    torch.testing.assert_close(found.p2, d3)
    assert found.similarity.item() == pytest.approx(math.cos(math.radians(20)), abs=1e-15)
    assert not found.multipliers.any()
    assert not found.touching


@pytest.mark.parametrize("d", [3, 8, 64])
def test_random_draws_reach_all_nine_cases_in_their_shares(d):
    codes = closest_points(*draws(1, 10_000, d)).codes
    share = torch.bincount(codes, minlength=9) / len(codes)
    assert 0.11 < share[0] < 0.25
    assert ((share[1:] > 0.08) & (share[1:] < 0.13)).all()


def test_on_the_circle_and_the_sphere_many_arcs_touch():
    # On the sphere x1 and x2 must lie on two sides of the plane of y1, y2 (1/2) and these on two sides of theirs (1/2),
    # and both arcs must cross the planes' line on the same side (1/2).
    touching = {d: closest_points(*draws(2, 10_000, d)).touching.double().mean().item() for d in (2, 3, 4)}
    assert touching == {2: pytest.approx(0.5, abs=0.02), 3: pytest.approx(0.125, abs=0.015), 4: 0}


def test_pairs_of_clusters_mostly_end_in_a_corner():
    rng = torch.Generator().manual_seed(0)
    one, other = torch.randn(2, 5000, 1, 16, generator=rng, dtype=torch.float64)
    spread = 0.6 * torch.randn(2, 5000, 2, 16, generator=rng, dtype=torch.float64)
    x, y = (one + spread[0]).unbind(1), (other + spread[1]).unbind(1)
    cases = closest_points(*x, *y).case
    assert 0.65 < np.isin(cases, CORNERS).mean() < 0.8  # of independent points less than half do


# Multipliers


@pytest.mark.parametrize("d", [2, 3, 8])
def test_the_multipliers_are_those_of_karush_kuhn_and_tucker(d):
    points = draws(d + 10, 5000, d)
    found = closest_points(*points)
    n1, n2, length_x = frame(*points[:2])
    n3, n4, length_y = frame(*points[2:])
    slope_a = -dot(n2 * found.a.cos()[:, None] - n1 * found.a.sin()[:, None], found.p2)  # df/da
    slope_b = -dot(n4 * found.b.cos()[:, None] - n3 * found.b.sin()[:, None], found.p1)
    low_a, high_a, low_b, high_b = found.multipliers.unbind(-1)
    nothing = torch.zeros_like(low_a)
    for zero in (slope_a - low_a + high_a, slope_b - low_b + high_b):  # stationary
        torch.testing.assert_close(zero, nothing, atol=1e-8, rtol=0)
    assert (found.multipliers >= 0).all()
    for slack, multiplier in (
        (found.a, low_a),
        (length_x - found.a, high_a),
        (found.b, low_b),
        (length_y - found.b, high_b),
    ):
        torch.testing.assert_close(slack * multiplier, nothing, atol=1e-8, rtol=0)


# What is degenerate


@pytest.mark.parametrize("factor", [1.0, 3.0])
def test_equal_points_are_a_point_on_x1(factor):
    x1, _, y1, y2 = draws(3, 500, 4)
    found = closest_points(x1, factor * x1, y1, y2)
    assert set(found.case) == {"x1", "x1-y1", "x1-y2"}
    assert not found.a.any()
    assert not found.length_x.any()
    assert not found.multipliers[:, :2].any()
    t = torch.linspace(0, 1, 2001, dtype=torch.float64)
    n3, n4, length = frame(y1, y2)
    on_grid = torch.stack([dot(unit(x1), on_arc(n3, n4, length * step)) for step in t]).amax(0)
    torch.testing.assert_close(found.similarity, on_grid, atol=2e-6, rtol=0)
    assert (found.similarity >= on_grid - 1e-14).all()


def test_two_points_each_a_pair_of_equal_ones_meet_in_the_first_corner():
    x, y = on_circle(0, 70)
    found = closest_points(x, x, y, y)
    assert found.case is LoopCase.X1_Y1
    assert found.similarity.item() == pytest.approx(math.cos(math.radians(70)))


def test_of_opposite_points_only_the_ends_are_used_and_it_is_said():
    x1, y1, y2 = on_sphere((0, 0), (120, 30), (120, -30))
    with pytest.warns(AntipodalWarning, match="1 of the 2 pairs are opposite points, which no unique arc joins"):
        found = closest_points(x1, -2 * x1, y1, y2)
    assert found.antipodal.tolist() == [True, False]
    assert found.case is LoopCase.X2  # nearest to the middle of the arc from y1 to y2
    torch.testing.assert_close(found.p1, -x1)
    assert found.length_x.item() == pytest.approx(math.pi)
    assert found.b.item() == pytest.approx(found.length_y.item() / 2)
    assert not found.multipliers[:2].any()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("angle", [1e-12, 1e-8, 1e-5, math.pi - 1e-5, math.pi - 1e-7, math.pi - 1e-8])
@pytest.mark.parametrize("d", [2, 3, 8])
def test_almost_equal_and_almost_opposite_points_are_right(angle, d):
    x1, towards, y1, y2 = draws(4, 60, d)
    n1, n2, _ = frame(x1, towards)
    steps = torch.linspace(0, angle, 300, dtype=torch.float64)
    n3, n4, length = frame(y1, y2)
    on_x = torch.stack([on_arc(n1, n2, step.expand(60)) for step in steps], 1)
    on_y = torch.stack([on_arc(n3, n4, length * step) for step in torch.linspace(0, 1, 300, dtype=torch.float64)], 1)
    on_grid = (on_x @ on_y.mT).amax((1, 2))
    for points in ((on_x[:, 0], on_x[:, -1], y1, y2), (y1, y2, on_x[:, -1], on_x[:, 0])):
        points = [point.clone().requires_grad_() for point in points]
        found = closest_points(*points)
        assert (found.similarity >= on_grid - 1e-7).all()
        assert (found.similarity <= on_grid + 1e-4).all()
        found.similarity.sum().backward()
        assert all(point.grad.isfinite().all() for point in points)


def degrees(*angles: float) -> list[Tensor]:
    return list(on_circle(*angles))


@pytest.mark.parametrize(
    "points",
    [
        degrees(0, 60, 30, 90),  # overlap
        degrees(0, 60, 10, 20),  # one within the other
        degrees(0, 60, 60, 100),  # a common end
        degrees(0, 60, 0, 60),  # the same
        degrees(0, 60, 60, 0),
        degrees(20, 20, 20, 20),
        list(on_sphere((-30, 0), (30, 0), (5, -20), (5, 70))),  # a crossing
    ],
)
def test_where_arcs_touch_similarity_is_one_and_the_gradient_zero(points):
    points = [point.clone().requires_grad_() for point in points]
    found = closest_points(*points)
    assert found.touching
    assert found.similarity.item() == pytest.approx(1, abs=1e-14)
    (found.similarity + (found.p1 - 2 * found.p2).sum()).backward()
    assert all(torch.equal(point.grad, torch.zeros_like(point)) for point in points)


small = st.integers(-2, 2)


@QUIET
@given(st.integers(2, 4).flatmap(lambda d: st.lists(st.tuples(*[small] * d).filter(any), min_size=4, max_size=4)))
def test_points_of_a_lattice_with_all_their_ties_are_right_and_have_gradients(points):
    points = torch.tensor(points, dtype=torch.float64)[:, None].requires_grad_()
    found = closest_points(*points)
    (gradient,) = torch.autograd.grad(found.similarity.sum(), points)
    assert gradient.isfinite().all()
    x, y = unit(points[:2, 0]), unit(points[2:, 0])
    assert found.similarity >= (x @ y.T).max() - 1e-14
    assert found.similarity <= 1 + 1e-14
    proper = [not torch.equal(start, end) for start, end in (x, y)]
    if all(proper) and not found.antipodal.any():
        assert found.similarity >= best_on_grid(*points.detach()) - 1e-12
        assert_feasible(found, *points.detach())


# Gradients


def away_from_changes(d: int) -> tuple[list[Tensor], Tensor]:
    """Draws that stay in their case under small steps, and the cases' codes."""
    points = draws(20 + d, 4000, d)
    found = closest_points(*points)
    slack = torch.stack([found.a, found.length_x - found.a, found.b, found.length_y - found.b], 1)
    clear = ((slack > 0.02) | (found.multipliers > 0.02)).all(1) & (found.similarity < 0.99)
    clear &= torch.stack([*points]).norm(dim=-1).amin(0) > 0.1
    clear &= (found.length_x.maximum(found.length_y) < 3) & (found.length_x.minimum(found.length_y) > 0.1)
    return [point[clear] for point in points], found.codes[clear]


@pytest.mark.parametrize("d", [2, 3, 6, 32])
def test_the_gradient_is_that_of_finite_differences_in_every_case(d):
    points, codes = away_from_changes(d)
    # On the sphere whatever is inside touches, on the circle also what is on an edge.
    assert set(codes.tolist()) == {2: {5, 6, 7, 8}, 3: set(range(1, 9))}.get(d, set(range(9)))
    for of in (lambda found: found.similarity, distance):
        learnt = [point.clone().requires_grad_() for point in points]
        gradients = torch.autograd.grad(of(closest_points(*learnt)).sum(), learnt)
        for seed in range(3):
            steps = [1e-6 * step for step in draws(seed, len(codes), d)]
            there, back = ([p + sign * step for p, step in zip(points, steps, strict=True)] for sign in (1, -1))
            measured = (of(closest_points(*there)) - of(closest_points(*back))) / 2e-6
            expected = sum(dot(g, step) for g, step in zip(gradients, steps, strict=True)) / 1e-6
            torch.testing.assert_close(expected, measured, atol=1e-6, rtol=1e-6)


def test_gradcheck_accepts_it():
    points, _ = away_from_changes(6)
    points = [point[:20].requires_grad_() for point in points]
    assert torch.autograd.gradcheck(lambda *p: closest_points(*p).similarity, points, fast_mode=True)


def distance(found: ClosestPoints) -> Tensor:
    return (found.p1 - found.p2).norm(dim=-1)


def test_on_an_end_only_that_end_moves_the_value():
    points = [point.requires_grad_() for point in on_sphere(*EAST, *WEST)]
    closest_points(*points).similarity.backward()
    x1, x2, y1, y2 = (point.grad for point in points)
    assert not x2.any()
    assert not y2.any()
    torch.testing.assert_close(x1, torch.tensor([0, -math.sin(math.radians(20)), 0]).double() @ turn(10))
    torch.testing.assert_close(y1, torch.tensor([0, math.sin(math.radians(20)), 0]).double() @ turn(-10))


# What does not matter


@pytest.mark.parametrize("d", [3, 8])
def test_names_and_places_do_not_matter(d):
    x1, x2, y1, y2 = draws(5, 1000, d)
    found, back, other = closest_points(x1, x2, y1, y2), closest_points(x2, x1, y1, y2), closest_points(y1, y2, x1, x2)
    for again in (back, other):
        torch.testing.assert_close(again.similarity, found.similarity, atol=1e-14, rtol=0)
        assert torch.equal(again.touching, found.touching)
    torch.testing.assert_close(back.p1, found.p1, atol=1e-9, rtol=0)
    torch.testing.assert_close(back.a, back.length_x - found.a, atol=1e-9, rtol=0)
    torch.testing.assert_close(back.multipliers, found.multipliers[:, [1, 0, 2, 3]], atol=1e-9, rtol=0)
    torch.testing.assert_close(other.p1, found.p2, atol=1e-9, rtol=0)
    turned = str.maketrans({"1": "2", "2": "1"})
    assert [case.partition("-")[0] for case in back.case] == [
        case.partition("-")[0].translate(turned) if case[0] == "x" else case for case in found.case
    ]
    rotation = torch.linalg.qr(torch.randn(d, d, generator=torch.Generator().manual_seed(1), dtype=torch.float64)).Q
    rotated = closest_points(*(point @ rotation for point in (x1, x2, y1, y2)))
    assert torch.equal(rotated.codes, found.codes)
    torch.testing.assert_close(rotated.p1, found.p1 @ rotation, atol=1e-9, rtol=0)


@pytest.mark.parametrize(("scale", "dtype"), [(1e-30, torch.float32), (1e30, torch.float32), (7.0, torch.float64)])
def test_the_length_of_a_point_does_not_matter(scale, dtype):
    points = [point.to(dtype) for point in draws(6, 100, 5)]
    found, scaled = closest_points(*points), closest_points(*(point * scale for point in points))
    torch.testing.assert_close(scaled.similarity, found.similarity)
    assert torch.equal(scaled.codes, found.codes)


def test_one_pair_can_be_compared_with_many():
    x1, x2, y1, y2 = draws(7, 12, 3)
    found = closest_points(x1[0], x2[0], y1.reshape(3, 4, 3), y2.reshape(3, 4, 3))
    assert found.p1.shape == (3, 4, 3)
    assert found.case.shape == found.codes.shape == found.similarity.shape == (3, 4)
    assert found.multipliers.shape == (3, 4, 4)
    assert found.antipodal.shape == (3, 4, 2)
    one = closest_points(x1[0], x2[0], y1[6], y2[6])
    assert one.case is found.case[1, 2]
    torch.testing.assert_close(one.similarity, found.similarity[1, 2])


def test_no_pairs_have_no_points():
    found = closest_points(*torch.zeros(4, 0, 3))
    assert found.p1.shape == (0, 3)
    assert found.case.shape == (0,)


# Types and errors


@pytest.mark.parametrize("narrow", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_float32(narrow):
    points = [point.to(narrow).requires_grad_() for point in draws(8, 50, 4)]
    found = closest_points(*points)
    assert found.similarity.dtype == found.p1.dtype == found.multipliers.dtype == torch.float32
    torch.testing.assert_close(found.similarity, closest_points(*(point.float() for point in points)).similarity)
    found.similarity.sum().backward()
    assert points[0].grad.dtype == narrow
    assert points[0].grad.isfinite().all()


@QUIET
@pytest.mark.parametrize("d", [2, 3, 32])
def test_float32_is_as_good_as_it_can_be(d):
    points = draws(9, 5000, d)
    exact, single = closest_points(*points), closest_points(*(point.float() for point in points))
    assert single.similarity.dtype == torch.float32
    away = exact.length_x.maximum(exact.length_y) < 3.0
    torch.testing.assert_close(single.similarity.double()[away], exact.similarity[away], atol=3e-6, rtol=0)


GOOD = torch.ones(3, 2)


@pytest.mark.parametrize(
    ("points", "key", "words"),
    [
        (
            [GOOD, GOOD, torch.tensor(1.0), GOOD],
            "error.shape",
            "y1 must be a point or rows of points, .*got shape \\[\\]",
        ),
        ([torch.ones(3, 1)] * 4, "error.shape", "x1 must be .* at least two coordinates, got shape \\[3, 1\\]"),
        ([GOOD, GOOD, GOOD, torch.ones(3, 4)], "error.shape", "y2 must be of 2 coordinates, like x1, got shape"),
        (
            [GOOD, torch.ones(4, 2), GOOD, GOOD],
            "error.shape",
            "must be of shapes that go together, got \\[3, 2\\], \\[4, 2\\]",
        ),
        ([GOOD, GOOD * torch.nan, GOOD, GOOD], "error.not_finite", "x2 must be finite, got nan in row 0"),
        (
            [GOOD, GOOD, torch.eye(3)[:, :2], GOOD],
            "error.loop_zero",
            "y1 must have a direction, got a zero vector in row 2",
        ),
        ([[1.0, 2.0]] * 4, "error.embeddings_type", "x1 must be a tensor of real numbers, got list"),
        (
            [GOOD * 1j] * 4,
            "error.embeddings_type",
            "x1 must be a tensor of real numbers, got a tensor of torch.complex64",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(points, key, words):
    with pytest.raises(MsvizError, match=words) as error:
        closest_points(*points)
    assert error.value.key == key
    assert isinstance(error.value, MsvizTypeError) == (key == "error.embeddings_type")


def test_codes_count_the_cases():
    assert [case.value for case in LoopCase] == ["inside", "x1", "x2", "y1", "y2", *CORNERS]


def on_angle(start: Tensor, across: Tensor, angle: float) -> Tensor:
    return start * math.cos(math.radians(angle)) + across * math.sin(math.radians(angle))


def turn(angle: float) -> Tensor:
    """Rows turned by this longitude."""
    e = torch.eye(3, dtype=torch.float64)
    return torch.stack([on_angle(e[0], e[1], angle), on_angle(e[1], -e[0], angle), e[2]])
