"""The forces on the points, and who exerts them."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from msviz import LOSSES, METHODS, Method, MsvizError, evaluate, forces, label_pairs, pair_forces, similarity
from tests.core.batches import on_circle

LABELS = [0, 0, 0, 1, 1, 2, 2, 2]


def eight_points(dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(8, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64).to(dtype)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("epsilon", [None, 0.1])
@pytest.mark.parametrize("loss", LOSSES)
def test_forces_are_minus_the_gradient_of_the_batch_loss_and_partners_add_up_to_them(loss, epsilon, normalize):
    x = eight_points().requires_grad_()
    got = evaluate(similarity(x, normalize=normalize), label_pairs(LABELS), Method(loss, epsilon=epsilon))
    (gradient,) = torch.autograd.grad(got.value, x)
    assert gradient.any()
    pushed = forces(x.detach(), got.value_gradient, normalize)
    torch.testing.assert_close(pushed, -gradient, atol=1e-12, rtol=0)
    by_partner = pair_forces(x.detach(), got.value_gradient, normalize)
    torch.testing.assert_close(by_partner.sum(1), pushed, atol=1e-12, rtol=0)


@pytest.mark.parametrize("normalize", [True, False])
def test_a_partner_pushes_as_it_would_if_only_that_pair_had_a_gradient(normalize):
    x = eight_points()
    gradient = torch.randn(8, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    by_partner = pair_forces(x, gradient, normalize)
    for i, j in [(0, 1), (1, 0), (2, 7), (5, 3)]:
        alone = torch.zeros(8, 8, dtype=torch.float64)
        alone[i, j], alone[j, i] = gradient[i, j], gradient[j, i]
        torch.testing.assert_close(by_partner[i, j], forces(x, alone, normalize)[i], atol=1e-14, rtol=0)


def test_forces_on_the_circle_are_tangent_from_every_partner():
    x = on_circle(0, 20, 50, 90)
    got = evaluate(similarity(x), label_pairs([0, 0, 1, 1]), METHODS["authors"])
    by_partner = pair_forces(x, got.value_gradient)
    assert by_partner.any()
    torch.testing.assert_close((by_partner * x[:, None]).sum(2), torch.zeros(4, 4).double(), atol=1e-15, rtol=0)


def test_two_negatives_push_each_other_apart_and_two_positives_pull():
    x = on_circle(0, 90)
    sim = similarity(x)
    apart = forces(x, evaluate(sim, label_pairs([0, 1]), Method("linear")).value_gradient)
    together = forces(x, evaluate(sim, label_pairs([0, 0]), Method("linear")).value_gradient)
    expected = torch.tensor([[0.0, -1.0], [-1.0, 0.0]], dtype=torch.float64)
    torch.testing.assert_close(apart, expected, atol=1e-15, rtol=0)
    torch.testing.assert_close(together, -expected, atol=1e-15, rtol=0)


def test_only_one_direction_of_a_pair_pushes_both_its_ends():
    # A_01 = 1 and A_10 = 0: S_01 = x_0 . x_1 moves both.
    x = on_circle(0, 90)
    by_partner = pair_forces(x, torch.tensor([[0.0, 1.0], [0.0, 0.0]]))
    assert by_partner[0, 1].tolist() == pytest.approx([0, -1])
    assert by_partner[1, 0].tolist() == pytest.approx([-1, 0])
    assert not by_partner[0, 0].any()


def test_a_long_embedding_moves_less():
    x, gradient = on_circle(0, 90), torch.ones(2, 2)
    torch.testing.assert_close(forces(10 * x, gradient), forces(x, gradient) / 10)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_very_short_and_very_long_rows_have_a_force_in_float32(scale):
    x = on_circle(10, 70, 100, dtype=torch.float32)
    gradient = torch.ones(3, 3)
    torch.testing.assert_close(forces(x * scale, gradient) * scale, forces(x, gradient))


def test_a_zero_row_is_not_pushed_and_does_not_push():
    x = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    by_partner = pair_forces(x, torch.ones(3, 3))
    assert not by_partner[0].any()
    assert not by_partner[:, 0].any()
    assert by_partner[1, 2].any()
    assert by_partner.isfinite().all()
    assert forces(x, torch.ones(3, 3)).equal(by_partner.sum(1))


def test_some_points_get_the_rows_that_all_get():
    x = eight_points()
    gradient = torch.randn(8, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    some = torch.tensor([5, 0, 5])
    for normalize in (True, False):
        assert torch.equal(pair_forces(x, gradient, normalize, some), pair_forces(x, gradient, normalize)[some])
    assert pair_forces(x, gradient, points=torch.tensor([], dtype=torch.long)).shape == (0, 8, 3)


def test_an_empty_batch_has_no_forces():
    assert forces(torch.zeros(0, 2), torch.zeros(0, 0)).shape == (0, 2)
    assert pair_forces(torch.zeros(0, 2), torch.zeros(0, 0)).shape == (0, 0, 2)


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(2, 4))
@settings(max_examples=30)
def test_without_normalising_the_forces_of_a_pair_balance_around_the_origin(seed, m, d):
    # S_ij does not change when both points turn together, so the pushes on i and j have opposite torques.
    rng = torch.Generator().manual_seed(seed)
    x, gradient = torch.randn(m, d, generator=rng).double(), torch.randn(m, m, generator=rng).double()
    for normalize in (True, False):
        outer = x[:, None, :, None] * pair_forces(x, gradient, normalize)[:, :, None, :]
        torque = outer - outer.mT
        torch.testing.assert_close(torque, -torque.transpose(0, 1), atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize(
    ("x", "gradient", "points", "words"),
    [
        (torch.ones(3), torch.ones(3, 3), None, r"x must be a matrix, .*, got shape \[3\]"),
        (torch.ones(3, 2), torch.ones(3, 2), None, r"value_gradient must be of shape \[3, 3\], .*, got shape \[3, 2\]"),
        (torch.ones(3, 2), torch.ones(3, 3), torch.tensor([3]), r"points must be .* rows from 0 to 2, got \[3\]"),
        (torch.ones(3, 2), torch.ones(3, 3), torch.tensor([-1]), r"got \[-1\]"),
        (torch.ones(3, 2), torch.ones(3, 3), torch.tensor([0.5]), r"got \[0.5\]"),
        (torch.ones(3, 2), torch.ones(3, 3), torch.tensor(1), r"got 1"),
    ],
)
def test_wrong_shapes_are_refused_in_words(x, gradient, points, words):
    with pytest.raises(MsvizError, match=words) as error:
        pair_forces(x, gradient, points=points)
    assert error.value.key == "error.shape"
    if points is None:
        with pytest.raises(MsvizError, match=words):
            forces(x, gradient)
