"""Sums over the pairs of a row that a mask keeps. Rows that keep nothing are safe, in value and in gradient."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def masked_sum(values: Float[Tensor, "N M"], keep: Bool[Tensor, "N M"]) -> Float[Tensor, " N"]:
    """sum_k values_ik over the kept k; 0 where nothing is kept.

    >>> masked_sum(torch.tensor([[1.0, 2.0, 4.0]]), torch.tensor([[True, False, True]]))
    tensor([5.])
    """
    return values.masked_fill(~keep, 0).sum(1)


def masked_mean(values: Float[Tensor, "N M"], keep: Bool[Tensor, "N M"]) -> Float[Tensor, " N"]:
    """Mean of values_ik over the kept k; 0 where nothing is kept.

    >>> masked_mean(torch.tensor([[1.0, 2.0, 4.0]]), torch.tensor([[True, False, True]]))
    tensor([2.5000])
    """
    return masked_sum(values, keep) / keep.sum(1).clamp(min=1)


def masked_logsumexp(
    logits: Float[Tensor, "N M"], keep: Bool[Tensor, "N M"], empty: float = -torch.inf
) -> Float[Tensor, " N"]:
    """log sum_k e^{logits_ik} over the kept k; `empty` where nothing is kept (log 0 = -inf unless said).

    >>> masked_logsumexp(torch.tensor([[0.0, 0.0, 9.0]]), torch.tensor([[True, True, False]])).exp()
    tensor([2.])
    """
    nothing = ~keep.any(1)
    return _only(logits, keep, nothing).logsumexp(1).masked_fill(nothing, empty)


def masked_softmax(logits: Float[Tensor, "N M"], keep: Bool[Tensor, "N M"]) -> Float[Tensor, "N M"]:
    """e^{logits_ij} / sum_k e^{logits_ik} over the kept k: the gradient of `masked_logsumexp`; 0 where not kept.

    >>> masked_softmax(torch.tensor([[0.0, 0.0, 9.0]]), torch.tensor([[True, True, False]]))
    tensor([[0.5000, 0.5000, 0.0000]])
    """
    return _only(logits, keep, ~keep.any(1)).softmax(1).masked_fill(~keep, 0)


def smallest_first(
    values: Float[Tensor, "N M"], keep: Bool[Tensor, "N M"]
) -> tuple[Float[Tensor, "N K"], Int[Tensor, "N K"]]:
    """The kept values of every row in rising order, and their columns; K = what the fullest row keeps.

    Rows that keep fewer are filled up with inf, at columns that are not kept. The values are differentiable.

    >>> front, columns = smallest_first(torch.tensor([[3.0, 1.0, 2.0]]), torch.tensor([[True, False, True]]))
    >>> front, columns
    (tensor([[2., 3.]]), tensor([[2, 0]]))
    """
    fullest = max(keep.sum(1).tolist(), default=0)
    found = values.masked_fill(~keep, torch.inf).topk(fullest, 1, largest=False, sorted=True)
    return found.values, found.indices


def count_passed(
    values: Float[Tensor, "N M"], keep: Bool[Tensor, "N M"], gates: Float[Tensor, "N K"]
) -> tuple[Float[Tensor, "N M"], Float[Tensor, "N K"]]:
    """How many gates every kept value has passed (value > gate, strictly), and how many kept values passed every gate.

    Both count the same passages, at ties of floats too. Constants for autograd.

    Args:
        values: [N, M].
        keep: [N, M] the values that count; the others pass no gate.
        gates: [N, K] in rising order.

    >>> gates = torch.tensor([[1.0, 2.0]])
    >>> count_passed(torch.tensor([[1.0, 1.5, 9.0]]), torch.tensor([[True, True, True]]), gates)
    (tensor([[0., 1., 2.]]), tensor([[2., 1.]]))
    """
    values, gates = values.detach().masked_fill(~keep, -torch.inf), gates.detach()
    if gates.shape[1] <= _FEW_GATES:
        passed, passages, over = torch.zeros_like(values), torch.zeros_like(gates), torch.empty_like(values)
        for k in range(gates.shape[1]):
            torch.gt(values, gates[:, k : k + 1], out=over)  # into floats: adding booleans is slower
            passed += over
            passages[:, k] = over.sum(1)
        return passed, passages
    place = torch.searchsorted(gates, values)
    stopped = values.new_zeros(len(values), gates.shape[1] + 1).scatter_add(1, place, keep.to(values.dtype))
    return place.to(values.dtype), stopped.flip(1).cumsum(1).flip(1)[:, 1:]  # beyond the k-th gate: stopped later


_FEW_GATES = 32  # up to here one comparison a gate is faster than a binary search


def _only(logits: Tensor, keep: Tensor, nothing: Tensor) -> Tensor:
    # The shift by the maximum, inside logsumexp and softmax, must be that of the kept pairs: a large logit that is not
    # kept would push all others to e^{-inf}. A row of -inf alone has a NaN gradient, which masked_fill would cut, but
    # torch's detect_anomaly stops at it; so empty rows compute with zeros.
    return logits.masked_fill(~keep, -torch.inf).masked_fill(nothing[:, None], 0)
