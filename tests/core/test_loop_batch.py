"""LoOp for a batch: partners, and the matrix of optimal hard negatives against the closest points themselves."""

import warnings

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from msviz import MsvizError, closest_points, label_pairs, similarity
from msviz.core.loop import AntipodalWarning
from msviz.core.loop_batch import loop_similarity, partners
from tests.core.batches import on_circle


def batch(seed: int, m: int, d: int, classes: int = 4) -> tuple[Tensor, Tensor, Tensor]:
    """Points of random lengths, their partners, and which entries are negatives."""
    rng = torch.Generator().manual_seed(seed)
    labels = torch.randint(classes, (m,), generator=rng)
    return torch.randn(m, d, generator=rng, dtype=torch.float64), partners(labels), label_pairs(labels).neg


def one_by_one(x: Tensor, other: Tensor) -> Tensor:
    """The same matrix from the points themselves."""
    rows, columns = x[:, None], x[None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AntipodalWarning)
        return closest_points(rows, x[other][:, None], columns, x[other][None]).similarity


# Partners


@given(st.lists(st.integers(0, 5), max_size=30))
def test_partners_go_round_each_class_in_the_order_of_the_batch(labels):
    found = partners(torch.tensor(labels, dtype=torch.long)).tolist()
    for i, label in enumerate(labels):
        mine = [j for j, other in enumerate(labels) if other == label]
        assert found[i] == mine[(mine.index(i) + 1) % len(mine)]


def test_two_of_a_class_are_a_pair_and_one_alone_is_its_own_partner():
    assert partners(torch.tensor([3, 3, -1, 8, 8])).tolist() == [1, 0, 2, 4, 3]


# The matrix


@pytest.mark.parametrize("d", [2, 3, 8, 64])
def test_every_entry_is_that_of_the_closest_points(d):
    x, other, _ = batch(d, 24, d)
    # From cosines alone the length of a short arc is known to half of the digits.
    torch.testing.assert_close(loop_similarity(similarity(x), other), one_by_one(x, other), atol=1e-9, rtol=0)


@pytest.mark.parametrize("d", [2, 3, 8])
def test_it_is_symmetric_and_never_below_the_similarities_it_replaces(d):
    x, other, _ = batch(d + 5, 40, d)
    sim = similarity(x)
    sim = torch.maximum(sim, sim.T)  # a matrix product need not be symmetric to the bit
    found = loop_similarity(sim, other)
    assert torch.equal(found, found.T)
    for plain in (sim, sim[other], sim[:, other], sim[other][:, other]):
        assert (found >= plain).all()


def test_by_hand_on_the_circle():
    sim = similarity(on_circle(0, 40, 100, 130))
    found = loop_similarity(sim, torch.tensor([1, 0, 3, 2]))
    torch.testing.assert_close(found[:2, 2:], torch.full((2, 2), 0.5, dtype=torch.float64))  # 40 and 100 degrees
    torch.testing.assert_close(found[:2, :2], torch.ones(2, 2, dtype=torch.float64))


def test_points_without_a_partner_keep_their_similarities():
    x, _, _ = batch(0, 12, 5)
    sim = similarity(x)
    assert torch.equal(loop_similarity(sim, torch.arange(12)), sim)


def test_between_opposite_points_there_is_no_arc():
    sim = similarity(on_circle(0, 180, 90, 80))
    found = loop_similarity(sim, torch.tensor([1, 0, 3, 2]))
    assert found[0, 2].item() == pytest.approx(sim[0, 3].item())


# The gradient


@pytest.mark.parametrize("d", [2, 3, 8])
def test_the_embeddings_get_the_gradient_of_the_closest_points(d):
    x, other, negative = batch(d + 20, 16, d)
    weights = torch.rand(16, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * negative
    gradients = []
    for matrix in (lambda x: loop_similarity(similarity(x), other), lambda x: one_by_one(x, other)):
        learnt = x.clone().requires_grad_()
        (weights * matrix(learnt)).sum().backward()
        gradients.append(learnt.grad)
    torch.testing.assert_close(*gradients, atol=1e-7, rtol=1e-7)


def test_the_gradient_of_every_entry_of_the_matrix_is_that_of_finite_differences():
    x, other, negative = batch(1, 10, 6)
    sim = similarity(x)
    learnt = sim.clone().requires_grad_()
    weights = torch.rand(10, 10, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * negative
    (weights * loop_similarity(learnt, other)).sum().backward()
    for i in range(10):
        for j in range(10):
            there, back = sim.clone(), sim.clone()
            there[i, j] += 1e-6
            back[i, j] -= 1e-6
            measured = (weights * (loop_similarity(there, other) - loop_similarity(back, other))).sum() / 2e-6
            assert learnt.grad[i, j].item() == pytest.approx(measured.item(), abs=1e-7)
    assert learnt.grad[torch.arange(10), other].any()  # the lengths of the arcs count, too


def test_gradcheck_accepts_it():
    labels = torch.arange(9) // 3  # nobody alone: the cosine of a point with itself has a border at 1
    sim, other, negative = similarity(batch(2, 9, 6)[0]).requires_grad_(), partners(labels), label_pairs(labels).neg
    assert torch.autograd.gradcheck(lambda sim: loop_similarity(sim, other)[negative], (sim,))


@pytest.mark.parametrize("d", [2, 3])
def test_where_arcs_touch_the_gradient_is_zero(d):
    x, other, _ = batch(3, 16, d)
    sim = similarity(x).requires_grad_()
    found = loop_similarity(sim, other)
    touching = found > 1 - 1e-12
    assert touching.sum() > 40
    found[touching].sum().backward()
    assert torch.equal(sim.grad, torch.zeros_like(sim))


@given(st.integers(2, 4), st.integers(0, 2**16))
def test_equal_opposite_and_zero_points_have_finite_values_and_gradients(d, seed):
    rng = torch.Generator().manual_seed(seed)
    x = torch.randint(-1, 2, (10, d), generator=rng).double()
    x = x[x.any(1)]
    other = partners(torch.randint(3, (len(x),), generator=rng))
    sim = similarity(x).requires_grad_()
    found = loop_similarity(sim, other)
    torch.testing.assert_close(found, one_by_one(x, other), atol=1e-9, rtol=0)
    found.sum().backward()
    assert sim.grad.isfinite().all()


# Types and errors


@pytest.mark.parametrize("narrow", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_float32(narrow):
    x, other, _ = batch(4, 12, 5)
    sim = similarity(x).to(narrow).requires_grad_()
    found = loop_similarity(sim, other)
    assert found.dtype == torch.float32
    assert torch.equal(found, loop_similarity(sim.float(), other))
    found.sum().backward()
    assert sim.grad.dtype == narrow


def test_float32_is_close():
    x, other, negative = batch(5, 60, 16, classes=20)
    grads = []
    for kind in (torch.float64, torch.float32):
        learnt = x.to(kind, copy=True).requires_grad_()
        found = loop_similarity(similarity(learnt), other)
        found[negative].mean().backward()
        grads.append((found.detach().double(), learnt.grad.double()))
    for exact, single in zip(*grads, strict=True):
        torch.testing.assert_close(single, exact, atol=3e-6, rtol=0)


def test_no_points_have_an_empty_matrix():
    nobody = torch.zeros(0, dtype=torch.long)
    assert loop_similarity(torch.zeros(0, 0), nobody).shape == (0, 0)
    assert partners(nobody).shape == (0,)


@pytest.mark.parametrize(
    ("sim", "other", "words"),
    [
        (torch.zeros(2, 3), torch.tensor([0, 1]), r"sim must be a square matrix, got shape \[2, 3\]"),
        (torch.zeros(2), torch.tensor([0, 1]), r"sim must be a square matrix, got shape \[2\]"),
        (torch.eye(2), torch.tensor([0]), r"partners must be one number for each of the 2 points, got shape \[1\]"),
    ],
)
def test_other_shapes_are_refused_in_words(sim, other, words):
    with pytest.raises(MsvizError, match=words) as error:
        loop_similarity(sim, other)
    assert error.value.key == "error.shape"
