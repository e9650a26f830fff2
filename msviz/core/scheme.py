"""How a batch is compared: who meets whom, and by which similarity. `PLAIN`: everybody meets everybody, by cosines.

    pairing     everybody with everybody, or triplets, (N+1)-tuplets, N-pairs (`npair.py`)
    loop        a negative's similarity is that of the closest points of two arcs, its LoOp (`loop.py`)
    normalize   cosines, or dot products, for which norms count
    penalty     strength * mean |x|^2, which keeps norms small where they count

Losses and mining need no word of it: they get a row of similarities and masks, whichever they are.

Source: arXiv 1904.06627, section 3; K. Sohn, NIPS 2016; B. Vasudeva et al., ICCV 2021.
"""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from msviz.core.criterion import PairLoss, check_count
from msviz.core.errors import MsvizError, out_of_range
from msviz.core.loop_batch import loop_similarity, partners
from msviz.core.methods import Evaluation, Method, evaluate
from msviz.core.npair import Pairing, l2_penalty, tuplets
from msviz.core.pairs import Pairs, compare, label_pairs
from msviz.core.precision import is_finite_number
from msviz.core.similarity import check_overflow, similarity


@dataclass(frozen=True, repr=False)
class Scheme:
    """How a batch is compared.

    Args:
        pairing: who meets whom: "all", "triplets", "tuplets" or "npair".
        classes: tuplets of the first so many classes, >= 2; None = of all.
        loop: the similarity of a negative is that of its optimal hard negative; needs `normalize`.
        normalize: cosines; False: dot products.
        penalty: >= 0, the strength of the penalty on squared norms.

    Raises:
        MsvizError: error.parameter_range; error.scheme_loop for LoOp of dot products.

    >>> Scheme("npair", normalize=False, penalty=0.02)
    Scheme('npair', normalize=False, penalty=0.02)

    Source: K. Sohn, NIPS 2016; arXiv 2108.09335 (LoOp, ICCV 2021).
    """

    pairing: str = Pairing.ALL  # a Pairing, once it is checked
    classes: int | None = None
    loop: bool = False
    normalize: bool = True
    penalty: float = 0.0

    def __post_init__(self) -> None:
        if self.pairing not in list(Pairing):
            raise out_of_range("pairing", "one of " + ", ".join(repr(kind.value) for kind in Pairing), self.pairing)
        object.__setattr__(self, "pairing", Pairing(self.pairing))
        if not is_finite_number(self.penalty) or self.penalty < 0:
            raise out_of_range("penalty", "a finite number >= 0", self.penalty)
        if self.loop and not self.normalize:
            plain = "LoOp looks for hard negatives on the sphere; compare by cosines, not by dot products"
            raise MsvizError("error.scheme_loop", plain)

    def __repr__(self) -> str:
        """What is not as usual."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        said = [f"{name}={value!r}" for name, value in values.items() if name != "pairing" and value != _FIRST[name]]
        return f"Scheme({', '.join([repr(str(self.pairing)), *said])})"


_FIRST: Final = {field.name: field.default for field in dataclasses.fields(Scheme)}

PLAIN: Final = Scheme()
"""Everybody meets everybody, by cosines."""


@dataclass(frozen=True, eq=False)
class SchemeRows:
    """A batch as a scheme compares it: one row an anchor, one column a point.

    Attributes:
        sim: [N, m] similarities; where the scheme says so a negative's is its LoOp's.
        pairs: [N, m] who is compared.
        anchors: [N] the points that are anchors.
        used: [u] the points that take part.
    """

    sim: Float[Tensor, "N m"]
    pairs: Pairs
    anchors: Int[Tensor, " N"]
    used: Int[Tensor, " u"]

    def square(self, part: Shaped[Tensor, "N ..."]) -> Shaped[Tensor, "m ..."]:
        """Rows of anchors among those of all points; points that are no anchors have rows of zeros.

        Args:
            part: one row an anchor.
        """
        whole = part.new_zeros(self.sim.shape[1], *part.shape[1:])
        whole[self.anchors] = part
        return whole


def compared(x: Float[Tensor, "m d"], labels: Int[Tensor, " m"], scheme: Scheme) -> SchemeRows:
    """A batch as a scheme compares it; `sim` can be differentiated by `x`.

    Args:
        x: embeddings.
        labels: class codes.
        scheme: how.

    Raises:
        MsvizError: those of `similarity` and `tuplets`.

    >>> x, labels = torch.eye(4), torch.tensor([0, 0, 1, 1])
    >>> compared(x, labels, Scheme("npair")).pairs.neg.int()
    tensor([[0, 0, 0, 1],
            [0, 1, 0, 0]], dtype=torch.int32)
    """
    everybody = torch.arange(len(x), device=x.device)
    if scheme.pairing is Pairing.ALL:
        of_labels = label_pairs(labels)  # on the CPU, wherever labels are
        pairs = Pairs(of_labels.pos.to(x.device), of_labels.neg.to(x.device))
        anchors, used = everybody, everybody
    else:
        found = tuplets(labels, scheme.pairing, scheme.classes)
        pairs, anchors, used = found.pairs, found.anchors, found.used
    if not scheme.loop:
        return SchemeRows(similarity(x[anchors], x, normalize=scheme.normalize), pairs, anchors, used)
    plain = similarity(x)
    hardest = loop_similarity(plain, partners(labels))
    return SchemeRows(torch.where(pairs.neg, hardest[anchors], plain[anchors]), pairs, anchors, used)


def evaluate_square(rows: SchemeRows, method: Method) -> Evaluation:
    """What a method makes of a batch under a scheme, a row a point: those of points that are no anchors are empty.

    Args:
        rows: the batch, as `compared` gives it.
        method: the loss, its parameters and its mining margin.

    >>> rows = compared(torch.eye(4), torch.tensor([0, 0, 1, 1]), Scheme("npair"))
    >>> evaluate_square(rows, Method("npair")).weights.shape
    torch.Size([4, 4])
    """
    found = evaluate(rows.sim.detach(), rows.pairs, method)
    return Evaluation(
        mined=Pairs(rows.square(found.mined.pos), rows.square(found.mined.neg)),
        per_anchor=None if found.per_anchor is None else rows.square(found.per_anchor),
        value=found.value,
        gradient=rows.square(found.gradient),
        weights=rows.square(found.weights),
        violations=rows.square(found.violations),
        anchors=len(rows.anchors),
    )


def evaluate_scheme(
    x: Float[Tensor, "m d"], labels: Iterable[Any], method: Method, scheme: Scheme = PLAIN
) -> Evaluation:
    """What a method makes of a batch that is compared under a scheme: as `evaluate`, a row a point.

    Points that are no anchors have empty rows, and pairs that do not meet weigh nothing. What norms cost
    (`scheme.penalty`) belongs to no pair: it is not in it.

    Args:
        x: embeddings [m, d].
        labels: m class ids (see `msviz.label_pairs`).
        method: the loss, its parameters and its mining margin.
        scheme: how the batch is compared.

    Raises:
        MsvizError: `error.labels_count`; those of `msviz.similarity`, `msviz.label_pairs` and `msviz.tuplets`.

    >>> x = torch.tensor([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8]])
    >>> found = evaluate_scheme(x, ["cat", "cat", "dog", "dog"], Method("npair"), Scheme("npair"))
    >>> f"{found.value:.4f}", (found.weights > 0).int().tolist()
    ('0.5981', [[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]])

    Source: arXiv 1904.06627, section 3; K. Sohn, NIPS 2016; arXiv 2108.09335 (LoOp, ICCV 2021).
    """
    return evaluate_square(compared(x, _codes(labels, x), scheme), method)


def _codes(labels: Iterable[Any], x: Tensor) -> Int[Tensor, " m"]:
    codes = compare(labels).anchors.to(x.device)
    check_count("labels", len(codes), x)
    return codes


class SchemeLoss(nn.Module):
    """A method as the criterion of a batch that is compared under a scheme.

        value = 1/N sum_i L_i + penalty * mean |x|^2        over the N anchors, and the embeddings that take part

    Gradients come from the closed-form weights, as in `PairLoss`, which does the work where everybody meets everybody;
    the others hold matrices of N x m.

    Args:
        method: the loss, its parameters and its mining margin.
        scheme: how the batch is compared.

    >>> x = torch.tensor([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8]], requires_grad=True)
    >>> loss = SchemeLoss(Method("npair"), Scheme("npair"))(x, torch.tensor([0, 0, 1, 1]))
    >>> loss.backward()
    >>> f"{loss.item():.4f}"
    '0.5981'

    Source: arXiv 1904.06627, section 3.
    """

    def __init__(self, method: Method, scheme: Scheme) -> None:
        super().__init__()
        self.method, self.scheme = method, scheme
        everybody = scheme.pairing is Pairing.ALL and not scheme.loop
        self._pair_loss = PairLoss(method, scheme.normalize) if everybody else None

    def forward(self, x: Float[Tensor, "m d"], labels: Iterable[Any]) -> Float[Tensor, ""]:
        """The loss of a batch, in float32 at least.

        Args:
            x: embeddings [m, d].
            labels: m class ids (see `msviz.label_pairs`).

        Raises:
            MsvizError: those of `PairLoss` and `tuplets`.
        """
        with torch.autocast(x.device.type, enabled=False):
            value: Tensor
            if self._pair_loss is not None:
                value, used = self._pair_loss(x, labels), x
            else:
                rows = compared(x, _codes(labels, x), self.scheme)
                held = rows.sim.detach()
                check_overflow(held)
                found = evaluate(held, rows.pairs, self.method)
                # General pair weighting: with the weights held, sum_ij g_ij S_ij has the loss's gradient; it adds 0.
                value, used = found.value + (found.value_gradient * (rows.sim - held)).sum(), x[rows.used]
            return value + l2_penalty(used, self.scheme.penalty) if self.scheme.penalty else value

    def extra_repr(self) -> str:
        """What `print(criterion)` says."""
        return f"{self.method!r}, {self.scheme!r}"
