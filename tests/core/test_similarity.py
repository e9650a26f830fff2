"""Cosine similarities: scale, zero rows, number types, shapes."""

import pytest
import torch

from msviz import MsvizError, similarity, zero_rows
from msviz.core.similarity import normalize_rows
from tests.core.batches import on_circle


def test_similarity_is_the_cosine_of_the_angle_between():
    sim = similarity(on_circle(0, 60, 180))
    right = [[1, 0.5, -1], [0.5, 1, -0.5], [-1, -0.5, 1]]
    torch.testing.assert_close(sim, torch.tensor(right, dtype=torch.float64), atol=1e-15, rtol=0)


def test_rows_are_anchors_and_columns_references():
    assert similarity(on_circle(0, 10), on_circle(0, 20, 40)).shape == (2, 3)


@pytest.mark.parametrize(("scale", "dtype"), [(10, torch.float64), (1e-30, torch.float32), (1e30, torch.float32)])
def test_the_length_of_an_embedding_does_not_matter(scale, dtype):
    x = on_circle(0, 25, 130, dtype=dtype)
    torch.testing.assert_close(similarity(x * scale), similarity(x))


def test_without_normalize_it_is_the_dot_product():
    x = torch.tensor([[3.0, 4.0], [1.0, 0.0]])
    assert similarity(x, normalize=False).tolist() == [[25, 3], [3, 1]]


def test_zero_row_has_similarity_zero_to_all_and_gradient_zero():
    x = on_circle(0, 40, 80)
    x[1] = 0
    x.requires_grad_()
    sim = similarity(x)
    assert not sim[1].any()
    assert not sim[:, 1].any()
    (sim * torch.arange(9).reshape(3, 3)).sum().backward()
    assert not x.grad[1].any()
    assert x.grad.isfinite().all()


def test_zero_rows_are_reported():
    assert zero_rows(torch.tensor([[0.0, 0.0], [1e-30, 0.0], [-0.0, 0.0]])).tolist() == [0, 2]


def test_gradient_of_normalising_lies_in_the_tangent_and_shrinks_with_length():
    x = torch.tensor([[3.0, 4.0]], dtype=torch.float64, requires_grad=True)
    normalize_rows(x)[0, 0].backward()
    # d(x1/|x|)/dx = (x2^2, -x1 x2) / |x|^3
    assert x.grad[0].tolist() == pytest.approx([16 / 125, -12 / 125])


@pytest.mark.parametrize("narrow", [torch.float16, torch.bfloat16])
def test_half_precision_embeddings_are_compared_in_float32(narrow):
    x = on_circle(0, 33, dtype=narrow).requires_grad_()
    sim = similarity(x)
    assert sim.dtype == torch.float32
    assert torch.equal(sim, similarity(x.float()))
    sim[0, 1].backward()
    assert x.grad.dtype == narrow


@pytest.mark.parametrize(
    ("x", "ref", "words"),
    [
        (torch.ones(3), None, "x must be a matrix, one row per embedding and at least one column, got shape [3]"),
        (torch.ones(3, 0), None, "got shape [3, 0]"),
        (torch.ones(3, 2), torch.ones(2, 2, 2), "ref must be a matrix"),
        (
            torch.ones(3, 2),
            torch.ones(2, 3),
            "ref must be a matrix with 2 columns, like what it is compared with, got 3 columns",
        ),
    ],
)
def test_wrong_shapes_are_refused_in_words(x, ref, words):
    with pytest.raises(MsvizError) as error:
        similarity(x, ref)
    assert words in str(error.value)
    assert error.value.key == "error.shape"


def test_an_empty_batch_has_an_empty_matrix():
    assert similarity(torch.zeros(0, 2)).shape == (0, 0)
