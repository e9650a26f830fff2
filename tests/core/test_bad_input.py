"""What cannot be computed is refused, in one sentence that says what was expected and what came, by every function."""

import math

import pytest
import torch

from msviz import (
    Method,
    MsvizError,
    Pairs,
    autograd_gradient,
    evaluate,
    label_pairs,
    mine,
    proof,
    reasons,
    sign_check,
    similarity,
    three_similarities,
    zero_rows,
)
from msviz.core.errors import MsvizTypeError, ZeroRowWarning

MS = Method("multi_similarity", epsilon=0.1)
TAKES_A_MATRIX = {
    "mine": lambda sim, pairs: mine(sim, pairs, 0.1),
    "mine without a margin": lambda sim, pairs: mine(sim, pairs, None),
    "evaluate": lambda sim, pairs: evaluate(sim, pairs, MS),
    "autograd_gradient": lambda sim, pairs: autograd_gradient(sim, pairs, MS),
    "proof": lambda sim, pairs: proof(sim, pairs, MS),
    "sign_check": lambda sim, pairs: sign_check(sim, pairs, MS),
    "reasons": lambda sim, pairs: reasons(sim, pairs, 0.1),
    "three_similarities": three_similarities,
}
every_function = pytest.mark.parametrize("call", TAKES_A_MATRIX.values(), ids=TAKES_A_MATRIX)
PAIRS = label_pairs([0, 0, 1])


def refused(call, sim, pairs):
    with pytest.raises(MsvizError) as error:
        call(sim, pairs)
    return error.value.key, str(error.value)


@every_function
def test_a_pair_is_never_a_positive_and_a_negative_at_once(call):
    both = torch.zeros(3, 3, dtype=torch.bool)
    both[2, 1] = True
    key, words = refused(call, torch.eye(3), Pairs(PAIRS.pos | both, PAIRS.neg | both))
    assert key == "error.both_kinds"
    assert words == "a pair is a positive, a negative or neither, got both for anchor 2 with 1"


@every_function
def test_masks_are_boolean_and_not_numbers(call):
    key, words = refused(call, torch.eye(3), Pairs(PAIRS.pos.float(), PAIRS.neg))
    assert key == "error.masks"
    assert words == "pos and neg must be boolean masks, got torch.float32; compare with != 0"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@every_function
def test_similarities_are_finite(call, bad):
    sim = torch.eye(3)
    sim[1, 2] = bad
    key, words = refused(call, sim, PAIRS)
    assert key == "error.not_finite"
    assert words == f"sim must be finite, got {bad} in row 1, column 2; repair or remove that row"


@every_function
def test_similarities_fit_their_pairs(call):
    key, words = refused(call, torch.eye(4), PAIRS)
    assert key == "error.shape"
    assert words == "sim must be of the same shape as its pairs, [3, 3], got shape [4, 4]"


def test_the_largest_floats_are_finite_though_their_sum_is_not():
    sim = torch.full((3, 3), torch.finfo(torch.float32).max)
    assert mine(sim, PAIRS, None) is PAIRS


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("name", ["x", "ref"])
def test_embeddings_are_finite(name, bad):
    good, broken = torch.ones(2, 2), torch.tensor([[1.0, 0.0], [0.0, bad]])
    with pytest.raises(ValueError, match=f"{name} must be finite, got {bad} in row 1, column 1") as error:
        similarity(*((broken, good) if name == "x" else (good, broken)))
    assert error.value.key == "error.not_finite"


@pytest.mark.parametrize(
    ("x", "got"), [([[1.0, 0.0]], "list"), (torch.ones(2, 2, dtype=torch.complex64), "a tensor of torch.complex64")]
)
def test_embeddings_are_a_tensor_of_real_numbers(x, got):
    with pytest.raises(TypeError, match=f"x must be a tensor of real numbers, got {got}") as error:
        similarity(x)
    assert isinstance(error.value, MsvizTypeError)


def test_a_zero_row_is_named_where_it_is_compared():
    x = torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]])
    with pytest.warns(ZeroRowWarning, match=r"1 of the 3 rows of x are zero vectors \(rows 1\)"):
        sim = similarity(x)
    assert zero_rows(x).tolist() == [1]
    assert not sim[1].any()
    got = evaluate(sim, label_pairs([0, 0, 1]), MS)
    assert got.value.isfinite()
    assert got.gradient.isfinite().all()


def test_without_normalising_a_zero_row_is_a_point_like_any_other(recwarn):
    similarity(torch.tensor([[1.0, 0.0], [0.0, 0.0]]), normalize=False)
    assert not recwarn.list


@pytest.mark.parametrize("m", [0, 1])
def test_nobody_or_one_alone_costs_nothing_and_is_connected_to_the_graph(m):
    x = torch.ones(m, 2, requires_grad=True)
    value = evaluate(similarity(x), label_pairs([0] * m), MS).value
    assert value == 0
    value.backward()
    assert x.grad.tolist() == [[0.0, 0.0]] * m
