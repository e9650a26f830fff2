"""Linear loss: every pair counts the same. With mining it is "MS mining" alone, the P row of the paper's ablation.

    L_i = sum_{n in N_i} S_in  -  sum_{p in P_i} S_ip

An empty side's term is 0.

Weights:

    positive  w_ij = 1
    negative  w_ij = 1

Source: general pair weighting with constant weights, arXiv 1904.06627, section 3.
"""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from msviz.core.losses.spec import ONE, Equation, LossSpec, check
from msviz.core.masked import masked_sum
from msviz.core.pairs import Pairs


@dataclass(frozen=True)
class Params:
    """No parameters: what the loss looks at is decided by mining alone."""

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, " N"]:
    """L_i [N] of every anchor."""
    pos = masked_sum(sim, pairs.pos)
    neg = masked_sum(sim, pairs.neg)
    return neg - pos


def pair_gradient(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params) -> Float[Tensor, "N M"]:
    """dL_i/dS_ij [N, M], signed: -1 on positives, +1 on negatives."""
    pos = pairs.pos.to(sim.dtype)
    neg = pairs.neg.to(sim.dtype)
    return neg - pos


def equation(sim: Float[Tensor, "N M"], pairs: Pairs, p: Params, i: int, j: int) -> Equation:
    """One, for every pair."""
    return Equation(numerator=(ONE,))


LOSS = LossSpec(
    name="linear",
    title="Linear (equal weights)",
    cite="General pair weighting with constant weights, arXiv 1904.06627",
    params=Params,
    examples=(Params(),),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
