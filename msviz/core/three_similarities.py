"""What a pair's weight can depend on: the three similarities S, P and N, as matrices.

    S_ij                                  self-similarity: the pair itself
    P_ij = S_ij - min_{k in P_i} S_ik     on a negative: relative to the least similar positive
         = max_{k in N_i} S_ik - S_ij     on a positive: relative to the most similar negative
    N_ij = 1 / sum_k e^{s (S_ik - S_ij)}  relative to the anchor's pairs of the same kind, j itself among them:
                                          s = beta on negatives, -alpha on positives

In S more is closer. In P and N more is harder: an informative pair among its anchor's.

Source: arXiv 1904.06627, section 3.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.errors import out_of_range
from msviz.core.masked import masked_softmax
from msviz.core.methods import Method
from msviz.core.pairs import Pairs, bounds
from msviz.core.precision import at_least_float32, is_finite_number


@dataclass(frozen=True, eq=False)
class Similarities:
    """The three similarities of every pair [N, M]; NaN where one is not defined.

    Attributes:
        s: S_ij, from -1 to 1 for cosines; NaN for a pair that is ignored, such as an anchor with itself.
        p: how far the pair is beyond the other kind's hardest, -2 to 2; NaN also where the anchor has no other kind.
            Mining keeps the pair where p > -epsilon (up to rounding: `mine` is the authority).
        n: its share among the anchor's pairs of its own kind, 0 to 1; 1 for the only one.
    """

    s: Float[Tensor, "N M"]
    p: Float[Tensor, "N M"]
    n: Float[Tensor, "N M"]


def three_similarities(sim: Float[Tensor, "N M"], pairs: Pairs, alpha: float = 2.0, beta: float = 40.0) -> Similarities:
    """S, P and N of every pair, before any mining.

        P_ij = S_ij - min_{k in P_i} S_ik for a negative,  max_{k in N_i} S_ik - S_ij for a positive
        N_ij = 1 / sum_k e^{s (S_ik - S_ij)},  s = beta over the negatives, -alpha over the positives

    Args:
        sim: similarities [N, M].
        pairs: the masks [N, M].
        alpha: α > 0, how sharply N prefers the least similar positive; see `sharpness` for a method's own.
        beta: β > 0, how sharply N prefers the most similar negative.

    Raises:
        MsvizError: `error.shape` when `sim` and `pairs` do not have the same shape; `error.parameter_range` when alpha
            or beta is not > 0.

    >>> import torch
    >>> from msviz.core.pairs import label_pairs
    >>> sim = torch.tensor([[1.00, 0.82, 0.65, 0.62, 0.30]])
    >>> found = three_similarities(sim, label_pairs([0], [0, 0, 0, 1, 1], torch.tensor([0])))
    >>> found.p
    tensor([[    nan, -0.2000, -0.0300, -0.0300, -0.3500]])
    >>> found.n
    tensor([[       nan, 4.1581e-01, 5.8419e-01, 1.0000e+00, 2.7608e-06]])

    Source: arXiv 1904.06627, section 3.
    """
    _check_positive("alpha", "α", alpha)
    _check_positive("beta", "β", beta)
    hardest = bounds(sim, pairs)
    sim = at_least_float32(sim)
    either = pairs.pos | pairs.neg
    p = torch.where(pairs.neg, sim - hardest.hardest_pos[:, None], hardest.hardest_neg[:, None] - sim)
    n = masked_softmax(beta * sim, pairs.neg) + masked_softmax(-alpha * sim, pairs.pos)
    return Similarities(
        s=sim.masked_fill(~either, torch.nan),
        p=p.masked_fill(~either | p.isinf(), torch.nan),  # infinitely far from the hardest of nobody
        n=n.masked_fill(~either, torch.nan),
    )


def sharpness(method: Method) -> tuple[float, float]:
    """The alpha and beta to show N with: the method's own, or 2 and 40 where the loss has none.

    >>> sharpness(Method("multi_similarity", beta=50)), sharpness(Method("triplet"))
    ((2.0, 50.0), (2.0, 40.0))
    """
    return getattr(method.params, "alpha", 2.0), getattr(method.params, "beta", 40.0)


def _check_positive(name: str, letter: str, got: float) -> None:
    if not is_finite_number(got) or got <= 0:
        raise out_of_range(name, "> 0 and finite", got, letter)
