"""N-pair one-vs-one loss: every positive against every negative, each two a smooth triplet of their own.

    L_i = 1/|P_i| sum_{p in P_i} sum_{n in N_i} log(1 + e^{S_in - S_ip})

An anchor without positives or without negatives has no such two: L_i = 0.

Weights (sigma(z) = 1 / (1 + e^{-z})); they look at the pairs of the other kind only, similarity P:

    positive  w_ip = 1/|P_i| sum_n sigma(S_in - S_ip)
    negative  w_in = 1/|P_i| sum_p sigma(S_in - S_ip)

The double sum does not come apart as in `npair`: the code visits the anchors' k-th positives together, one k after the
other, so that no [N, M, M] array is ever built.

Source: K. Sohn, NIPS 2016, section 3.2 (N-pair-ovo).
"""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from msviz.core.losses.spec import Equation, LossSpec, Term, check, exp, row_values
from msviz.core.masked import smallest_first
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """No parameters: similarities enter the exponent as they are."""

    def __post_init__(self) -> None:
        check(self)


# Below, a negative that does not exist lies at -inf and a positive that does not exist at +inf. Either way
# S_in - S_ip = -inf, which costs log(1 + 0) = 0 and has slope sigma(-inf) = 0.


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor."""
    negs = sim.masked_fill(~pairs.neg, -torch.inf)
    poss, _ = smallest_first(sim, pairs.pos)  # [N, K]
    total = sim[:, :0].sum(1)  # zeros that hang on `sim`: where nobody has a positive, the gradient is 0, not missing
    for k in range(poss.shape[1]):
        total = total + _costs_recomputed(negs, poss[:, k : k + 1])
    return total / pairs.pos.sum(1).clamp(min=1)


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: the slope of each two counts for both of them."""
    negs = sim.masked_fill(~pairs.neg, -torch.inf)
    poss, columns = smallest_first(sim, pairs.pos)
    neg, pos = torch.zeros_like(sim), torch.zeros_like(poss)
    for k in range(poss.shape[1]):
        slopes = (negs - poss[:, k : k + 1]).sigmoid()
        neg += slopes
        pos[:, k] = slopes.sum(1)
    return neg.scatter_add(1, columns, -pos) / pairs.pos.sum(1, keepdim=True).clamp(min=1)


def _costs(negs: Float[Tensor, "N M"], poss: Float[Tensor, "N 1"]) -> Float[Tensor, " N"]:
    return torch.logaddexp(negs.new_zeros(()), negs - poss).sum(1)


def _costs_recomputed(negs: Float[Tensor, "N M"], poss: Float[Tensor, "N 1"]) -> Float[Tensor, " N"]:
    # `_costs`. Autograd would keep an [N, M] array of each of the K steps; so they are computed anew on the way back.
    # (torch's own `checkpoint` does the same, but loads 800 modules on its first call: three seconds.)
    costs: Tensor = _Recomputed.apply(negs, poss)  # type: ignore[no-untyped-call]
    return costs


class _Recomputed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, negs: Tensor, poss: Tensor) -> Tensor:
        ctx.save_for_backward(negs, poss)
        return _costs(negs, poss)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, ...]:
        with torch.enable_grad():
            negs, poss = (kept.detach().requires_grad_() for kept in ctx.saved_tensors)
            return torch.autograd.grad(_costs(negs, poss), (negs, poss), grad)


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """The sum of slopes over the other kind, as seen from the pair (i, j)."""
    s = float(sim[i, j])
    positives = row_values(sim, pairs.pos, i)
    if pairs.neg[i, j]:
        slopes = sum(1 / (1 + exp(k - s)) for k in positives)
        others = Term("Σ_{k∈P_{i}} σ(S_{ij}−S_{ik})", slopes, "P")
    else:
        slopes = sum(1 / (1 + exp(s - k)) for k in row_values(sim, pairs.neg, i))
        others = Term("Σ_{k∈N_{i}} σ(S_{ik}−S_{ij})", slopes, "P")
    return Equation(factor=(Term("1/|P_{i}|", 1 / max(len(positives), 1)),), numerator=(others,))


LOSS = LossSpec(
    name="npair_ovo",
    title="N-pair one-vs-one",
    cite="Sohn, NIPS 2016",
    params=Params,
    examples=(Params(),),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
