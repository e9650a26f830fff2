"""General pair weighting, checked: gradients by autograd, the proof that closed forms equal them, forces on points.

Source: arXiv 1904.06627, section 3.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.methods import Method, evaluate
from msviz.core.pairs import Pairs, mine
from msviz.core.precision import at_least_float32
from msviz.core.similarity import normalize_rows


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
    """The largest difference between the closed form and autograd over all pairs; about 1e-15 in float64.

    >>> from msviz.core.pairs import label_pairs
    >>> proof(torch.eye(2), label_pairs([0, 1]), Method("linear"))
    0.0
    """
    difference = evaluate(sim, pairs, method).gradient - autograd_gradient(sim, pairs, method)
    return float(difference.abs().max()) if difference.numel() else 0.0


def forces(x: Float[Tensor, "m d"], gradient: Float[Tensor, "m m"], normalize: bool = True) -> Float[Tensor, "m d"]:
    """Where each point is pushed: -dL/dx for the *mean* loss of a batch compared with itself.

        -dL/dx_hat = -(G + G^T) x_hat / m        then, with `normalize`, through x_hat = x / |x|:
        -dL/dx     = (v - (v . x_hat) x_hat) / |x|        v = -dL/dx_hat: only the part along the sphere remains

    Args:
        x: embeddings [m, d].
        gradient: the signed pair gradient G [m, m] of `evaluate`, without the 1/m.
        normalize: True when the similarities are of normalised rows. Rows of zeros get no force.

    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> forces(x, torch.tensor([[0.0, 1.0], [1.0, 0.0]]))  # two negatives: each is pushed away from the other
    tensor([[ 0., -1.],
            [-1.,  0.]])
    """
    x, gradient = at_least_float32(x), at_least_float32(gradient)
    unit = normalize_rows(x) if normalize else x
    push: Tensor = -(gradient + gradient.T) @ unit / max(len(x), 1)
    if not normalize:
        return push
    along: Tensor = (push * unit).sum(1, keepdim=True) * unit
    norm: Tensor = torch.linalg.vector_norm(x, dim=1, keepdim=True)
    return ((push - along) / norm).masked_fill(norm == 0, 0)
