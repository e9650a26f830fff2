"""A method: a loss, its parameters and a mining margin or none; and what it makes of a batch."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from jaxtyping import Bool, Float
from torch import Tensor

from msviz.core.errors import MsvizError
from msviz.core.losses import LOSSES
from msviz.core.losses.spec import LossSpec, param_infos
from msviz.core.pairs import Pairs, check_epsilon, mine
from msviz.core.precision import at_least_float32


@dataclass(frozen=True, init=False, repr=False)
class Method:
    """A loss with its parameters and its mining margin. Frozen and hashable; equal when all three are equal.

    Args:
        loss_name: a name in `LOSSES`.
        epsilon: the mining margin, 0 <= epsilon < inf; None = no mining (the default). Any loss may be mined.
        params: the loss's parameters by name; those not given keep their defaults.

    Raises:
        MsvizError: `error.loss_unknown`, `error.parameter_unknown`, `error.parameter_range`, `error.epsilon`.

    >>> Method("multi_similarity", beta=50, epsilon=0.1)
    Method('multi_similarity', alpha=2.0, beta=50.0, lam=0.5, epsilon=0.1)
    """

    name: str
    params: Any
    epsilon: float | None

    def __init__(self, loss_name: str, *, epsilon: float | None = None, **params: float) -> None:
        if loss_name not in LOSSES:
            raise MsvizError(
                "error.loss_unknown",
                "there is no loss named {got}; choose one of {known}",
                got=repr(loss_name),
                known=", ".join(LOSSES),
            )
        known = [info.name for info in param_infos(LOSSES[loss_name].params)]
        for name in params:
            if name not in known:
                raise MsvizError(
                    "error.parameter_unknown",
                    "{loss} has no parameter {name}; it has {known}",
                    loss=loss_name,
                    name=name,
                    known=", ".join([*known, "epsilon"]),
                )
        object.__setattr__(self, "name", loss_name)
        object.__setattr__(self, "params", LOSSES[loss_name].params(**params))
        object.__setattr__(self, "epsilon", check_epsilon(epsilon))

    @property
    def loss(self) -> LossSpec:
        """The record of the loss."""
        return LOSSES[self.name]

    def replace(self, **changes: Any) -> "Method":
        """The same method with some parameters, or `epsilon`, changed.

        >>> Method("triplet").replace(lam=0.2, epsilon=0)
        Method('triplet', lam=0.2, epsilon=0.0)
        """
        return Method(self.name, **{**dataclasses.asdict(self.params), "epsilon": self.epsilon, **changes})

    def __repr__(self) -> str:
        values = {**dataclasses.asdict(self.params), "epsilon": self.epsilon}
        return f"Method({self.name!r}, {', '.join(f'{name}={value!r}' for name, value in values.items())})"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a method makes of a batch.

    Attributes:
        mined: the pairs that mining kept (all pairs without mining).
        per_anchor: L_i [N]; None for a loss of the whole batch (`histogram`).
        value: the batch loss, the mean of L_i over *all* N anchors; 0 for an empty batch.
        gradient: g_ij = d(sum_i L_i)/dS_ij [N, M], signed, without the 1/N; in the type of the similarities. Without
            L_i it is d value / dS_ij.
        weights: the GPW weights w_ij = |g_ij| [N, M].
        violations: True [N, M] where the sign contradicts GPW's assumption (push negatives, pull positives).
        anchors: how many of the N rows are anchors, when some are not (their rows are empty); None = all.
    """

    mined: Pairs
    per_anchor: Float[Tensor, " N"] | None
    value: Float[Tensor, ""]
    gradient: Float[Tensor, "N M"]
    weights: Float[Tensor, "N M"]
    violations: Bool[Tensor, "N M"]
    anchors: int | None = None

    @property
    def value_gradient(self) -> Float[Tensor, "N M"]:
        """d value / dS_ij [N, M]: the gradient over the number of anchors, or itself for a loss of the whole batch."""
        anchors = len(self.gradient) if self.anchors is None else self.anchors
        return self.gradient if self.per_anchor is None else self.gradient / max(anchors, 1)


def evaluate(sim: Float[Tensor, "N M"], pairs: Pairs, method: Method) -> Evaluation:
    """Mine, then compute the loss of every anchor and the weight of every pair.

        value = 1/N sum_i L_i        gradient_ij = d(sum_i L_i)/dS_ij        weights = |gradient|

    `histogram` is no sum over anchors: there value is the batch loss and gradient its derivative, without any 1/N.

    Args:
        sim: similarities [N, M], see `similarity`. float16 and bfloat16 are computed in float32.
        pairs: the masks [N, M], see `label_pairs`.
        method: the loss, its parameters and its mining margin.

    Raises:
        MsvizError: `error.shape` when `sim` and `pairs` do not have the same shape.

    >>> import torch
    >>> from msviz.core.pairs import label_pairs
    >>> sim = torch.tensor([[1.00, 0.82, 0.65, 0.62, 0.30]], dtype=torch.float64)
    >>> pairs = label_pairs([0], [0, 0, 0, 1, 1], torch.tensor([0]))
    >>> [round(w, 6) for w in evaluate(sim, pairs, METHODS["authors"]).weights[0].tolist()]
    [0.0, 0.0, 0.425557, 0.991837, 0.0]

    Source: arXiv 1904.06627, section 3 (general pair weighting).
    """
    full = at_least_float32(sim)
    mined = mine(full.detach(), pairs, method.epsilon)
    loss, p = method.loss, method.params
    per_anchor = loss.per_anchor(full, mined, p) if loss.per_anchor else None
    value = loss.total(full, mined, p) if per_anchor is None else per_anchor.sum() / max(len(per_anchor), 1)
    gradient = loss.pair_gradient(full.detach(), mined, p)
    returned = gradient.to(sim.dtype) if sim.is_floating_point() else gradient
    return Evaluation(
        mined=mined,
        per_anchor=per_anchor,
        value=value,
        gradient=returned,
        weights=returned.abs(),
        violations=(mined.neg & (gradient < 0)) | (mined.pos & (gradient > 0)),
    )


METHODS: dict[str, Method] = {
    # Three settings of the same loss: printed in the paper, in its authors' code, in pytorch-metric-learning.
    "paper": Method("multi_similarity", alpha=2, beta=50, lam=1, epsilon=0.1),
    "authors": Method("multi_similarity", alpha=2, beta=40, lam=0.5, epsilon=0.1),
    "pml": Method("multi_similarity", alpha=2, beta=50, lam=0.5, epsilon=0.1),
    # The rows of the paper's ablation; `ABLATION` says what each looks at.
    "binomial": Method("binomial"),
    "lifted_star": Method("lifted_star"),
    "ms_mining": Method("linear", epsilon=0.1),
    "binlifted": Method("binlifted"),
    "ms_weighting": Method("multi_similarity"),
    "binomial_mining": Method("binomial", epsilon=0.1),
    "lifted_star_mining": Method("lifted_star", epsilon=0.1),
    "ms": Method("multi_similarity", epsilon=0.1),
}
"""Methods worth knowing, by a short name: three settings of multi-similarity, the rows of the paper's ablation."""

ABLATION: dict[str, str] = {
    "binomial": "S",
    "lifted_star": "N",
    "ms_mining": "P",
    "binlifted": "SN",
    "ms_weighting": "SN",
    "binomial_mining": "SP",
    "lifted_star_mining": "NP",
    "ms": "SPN",
}
"""The rows of the paper's ablation (arXiv 1904.06627, section 4): a name in `METHODS`, the similarities it looks at.

S is the pair itself, N its rivals of its own kind, P the other kind; mining is what adds P.
"""
