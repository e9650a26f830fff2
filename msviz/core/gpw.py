"""General pair weighting, checked: gradients by autograd, the proof that closed forms equal them, and their signs.

Source: arXiv 1904.06627, section 3.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from msviz.core.methods import Method, evaluate
from msviz.core.pairs import Pairs, mine
from msviz.core.precision import at_least_float32


def autograd_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, method: Method) -> Float[Tensor, "N M"]:
    """The signed pair gradient d(sum_i L_i)/dS_ij [N, M], by differentiating the loss instead of by its closed form.

    Which pairs are mined is a constant for the derivative, as in training.

    Args:
        sim: similarities [N, M]; computed in float32 at least, returned in their own type.
        pairs: the masks [N, M].
        method: the loss, its parameters and its mining margin.

    Raises:
        MsvizError: `error.shape` when `sim` and `pairs` do not have the same shape.

    >>> import torch
    >>> from msviz.core.pairs import label_pairs
    >>> autograd_gradient(torch.eye(2), label_pairs([0, 1]), Method("linear"))
    tensor([[0., 1.],
            [1., 0.]])
    """
    mined = mine(sim.detach(), pairs, method.epsilon)
    with torch.enable_grad():
        leaf = at_least_float32(sim).detach().clone().requires_grad_()
        total = method.loss.total(leaf, mined, method.params)
        (gradient,) = torch.autograd.grad(total, leaf)
    return gradient.to(sim.dtype) if sim.is_floating_point() else gradient


def proof(sim: Float[Tensor, "N M"], pairs: Pairs, method: Method) -> float:
    """The proof line: the largest difference between the closed form and autograd over all pairs.

        max_ij |closed form_ij - autograd_ij|        about 1e-15 in float64; 0 without pairs

    Args:
        sim: similarities [N, M].
        pairs: the masks [N, M].
        method: the loss, its parameters and its mining margin.

    Raises:
        MsvizError: `error.shape` when `sim` and `pairs` do not have the same shape.

    >>> import torch
    >>> from msviz.core.pairs import label_pairs
    >>> proof(torch.eye(2), label_pairs([0, 1]), Method("linear"))
    0.0
    """
    difference = evaluate(sim, pairs, method).gradient - autograd_gradient(sim, pairs, method)
    return float(difference.abs().max()) if difference.numel() else 0.0


@dataclass(frozen=True, eq=False)
class SignCheck:
    """The pairs whose gradient has the sign that GPW excludes, the largest first.

    Attributes:
        where: [V, 2] the pairs (i, j): row i is the anchor, column j the other.
        gradient: [V] their signed g_ij: > 0 on a positive (it is pushed away), < 0 on a negative (it is pulled closer).
        total: the weight on them, sum |g_ij|.
        share: that over the weight on all pairs, 0 to 1; 0 when nothing weighs anything.
    """

    where: Int[Tensor, "V 2"]
    gradient: Float[Tensor, " V"]
    total: float
    share: float

    @property
    def holds(self) -> bool:
        """True when no pair contradicts the assumption: then w_ij = |g_ij| together with its kind says everything."""
        return len(self.where) == 0


def sign_check(sim: Float[Tensor, "N M"], pairs: Pairs, method: Method) -> SignCheck:
    """Which pairs contradict GPW's assumption, and how much they weigh.

    GPW writes a loss as F = sum_i (sum_neg w_ij S_ij - sum_pos w_ij S_ij) with w_ij = |g_ij| >= 0. That assumes

        g_ij >= 0 on negatives (push them apart)        g_ij <= 0 on positives (pull them together)

    `supcon` breaks it: its softmax runs over the positives too, and pushes away the one that already is close enough.

    Args:
        sim: similarities [N, M].
        pairs: the masks [N, M].
        method: the loss, its parameters and its mining margin.

    Raises:
        MsvizError: `error.shape` when `sim` and `pairs` do not have the same shape.

    >>> import torch
    >>> from msviz.core.pairs import label_pairs
    >>> sign_check(torch.eye(3), label_pairs([0, 0, 1]), Method("multi_similarity")).holds
    True

    Source: arXiv 1904.06627, section 3 (the assumption).
    """
    found = evaluate(sim, pairs, method)
    where = found.violations.nonzero()
    gradient = at_least_float32(found.gradient)[found.violations]
    order = gradient.abs().argsort(descending=True, stable=True)
    total, of_all = float(gradient.abs().sum()), float(at_least_float32(found.weights).sum())
    return SignCheck(where[order], gradient[order], total, total / of_all if of_all > 0 else 0.0)
