"""DistributedPairLoss: the criterion of several processes that train together, as if their batches were one.

Every rank compares its own anchors with the embeddings of all ranks, so a batch spread over W processes has the
positives and negatives of the whole, and each process does 1/W of the work.

    value = 1/M sum_i L_i        over the M anchors of all ranks: the same number on every rank

DistributedDataParallel averages gradients over the W ranks. Therefore the gradient on a rank's embeddings is W times
that of the value: what its own anchors say, W/M dL_i/dx, plus what the anchors of the others send it back through the
gather. The average is then the gradient that one process has on the whole batch.

Source: arXiv 1904.06627, section 3 (the loss); the reduction is that of torch.nn.parallel.DistributedDataParallel.
"""

import pickle
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import torch
import torch.distributed as dist
from jaxtyping import Float
from torch import Tensor, nn

from msviz.core.blocks import Job, blockwise_loss
from msviz.core.criterion import PairLoss, check_count
from msviz.core.errors import MsvizError
from msviz.core.labels import encode_labels, plain_labels
from msviz.core.methods import Method
from msviz.core.pairs import Comparison
from msviz.core.precision import at_least_float32
from msviz.core.similarity import check_embeddings, check_overflow, report_zero_rows


class DistributedPairLoss(nn.Module):
    """`PairLoss` inside torch.distributed: call it on every rank with the rank's own batch.

        value = 1/M sum_i L_i        over the M anchors of all ranks; each meets all M references

    Every rank returns this value. Its gradient is W times that of the value, W = number of ranks, because
    DistributedDataParallel averages over the ranks: after `backward()` the parameters have the gradient of the whole
    batch in one process. (`histogram`: the value of the whole batch, the same W.) To follow it without
    DistributedDataParallel, average gradients over the ranks, do not add them up.

    Local batches may differ in size and be empty, [0, d]. Labels travel as Python objects, embeddings in float32 at
    least. What the ranks must agree on, and the input of every rank, is checked before embeddings travel: what is wrong
    on one rank raises the same error on all of them, and nobody waits. With one process, or without torch.distributed,
    this is `PairLoss`.

    Args:
        method: a `Method`, or the name of one in `METHODS`, such as "ms".
        normalize: compare directions, so that the length of an embedding does not matter; False = bare dot products.
        block_rows: how many anchors to compare at a time, >= 1; None = as many as fit a processor's cache.
        group: the processes that share a batch; None = all.

    Raises:
        MsvizError: `error.method_unknown`, `error.block_rows`.

    >>> import torch
    >>> x = torch.tensor([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8]], requires_grad=True)
    >>> loss = DistributedPairLoss("authors")(x, ["cat", "cat", "dog"])  # one process: as PairLoss
    >>> loss.backward()
    >>> f"{loss.item():.4f}"
    '0.2262'

    Source: arXiv 1904.06627, section 3.
    """

    def __init__(
        self,
        method: Method | str,
        normalize: bool = True,
        block_rows: int | None = None,
        group: "dist.ProcessGroup | None" = None,
    ) -> None:
        super().__init__()
        self.alone = PairLoss(method, normalize, block_rows)
        self.group = group

    def forward(self, embeddings: Float[Tensor, "n d"], labels: Iterable[Any]) -> Float[Tensor, ""]:
        """The loss of the batch of all ranks, in float32 at least; 0, connected to the graph, when all are empty.

        Args:
            embeddings: [n, d] the anchors of this rank; d, the type and `requires_grad` are the same on every rank.
            labels: n class ids; all ranks use one kind (see `msviz.label_pairs`).

        Raises:
            MsvizError: on every rank alike, `error.rank` for bad input on one of them, `error.ranks_differ`,
                `error.overflow` (without `normalize`), and `error.labels_mixed`; `error.group` outside of the group. In
                one process those of `PairLoss`.
        """
        if not (dist.is_available() and dist.is_initialized()):
            value: Tensor = self.alone(embeddings, labels)
            return value
        world = dist.get_world_size(self.group)
        if world < 1:
            raise MsvizError("error.group", "this process is not in the group; call the criterion only on its ranks")
        if world == 1:
            value = self.alone(embeddings, labels)
            return value
        return self._together(embeddings, labels)

    def _together(self, embeddings: Tensor, labels: Iterable[Any]) -> Tensor:
        method, normalize, group = self.alone.method, self.alone.normalize, self.group
        parts = _exchange(self._part(embeddings, labels), group)
        rows = [len(part.labels) for part in parts]
        codes = encode_labels([label for part in parts for label in part.labels])
        start = sum(rows[: dist.get_rank(group)])
        own = torch.arange(start, start + len(embeddings))
        comparison = Comparison(codes[own], codes, own).to(embeddings.device)

        x = at_least_float32(embeddings)  # half precision would lose what the ranks send back when it is added up
        ref = gather_rows(x, rows, group)
        if not normalize:
            check_overflow(
                ref.detach().square().sum(1)
            )  # |x|^2, the largest dot products there are: the same everywhere
        job = Job(comparison, method, normalize, self.alone.block_rows, len(ref), lambda c: _added_up(c, group))
        try:
            part = blockwise_loss(x, ref, job)
        except (
            MsvizError
        ):  # a loss of bare dot products overflows, perhaps here alone: the others hear of it by the sum
            part = x.new_full((), torch.nan)
        # The gather adds up, over the ranks, what backward() sends back: a gradient of 1 on each makes the factor W.
        total = gather_rows(part[None], [1] * len(rows), group).sum()
        if not method.loss.separable:
            total = part.detach() + (total - total.detach())  # every rank has the whole value already
        if not normalize:
            check_overflow(total)
        return total

    def _part(self, embeddings: Tensor, labels: Iterable[Any]) -> "_Part":
        try:
            check_embeddings("embeddings", embeddings)
            plain = plain_labels(labels)
            encode_labels(plain)
            check_count("labels", len(plain), embeddings)
            pickle.dumps(plain)
        except Exception as problem:  # of any kind: the other ranks must not wait for this one
            return _Part(problem=str(problem) if isinstance(problem, MsvizError) else repr(problem))
        if self.alone.normalize:
            report_zero_rows("embeddings", embeddings)
        alike = {
            "the width of the embeddings": embeddings.shape[1],
            "the type of the embeddings": str(embeddings.dtype),
            "the device of the embeddings": embeddings.device.type,
            "requires_grad": embeddings.requires_grad and torch.is_grad_enabled(),
            "the method": repr(self.alone.method),
            "normalize": self.alone.normalize,
        }
        return _Part(labels=plain, alike=alike)

    def extra_repr(self) -> str:
        """What `print(criterion)` says besides."""
        return "all ranks" if self.group is None else f"{dist.get_world_size(self.group)} ranks"


@dataclass(frozen=True)
class _Part:
    """What a rank tells the others before any embeddings travel."""

    labels: list[Any] | tuple[()] = ()
    alike: dict[str, Any] | None = None
    problem: str | None = None


def _exchange(own: _Part, group: "dist.ProcessGroup | None") -> list[_Part]:
    """The parts of all ranks; the same MsvizError on each of them when they cannot work together."""
    gathered: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(gathered, own, group=group)
    parts = cast(list[_Part], gathered)
    for rank, part in enumerate(parts):
        if part.problem is not None:
            raise MsvizError("error.rank", "rank {rank}: {problem}", rank=rank, problem=part.problem)
    first = parts[0].alike or {}
    for rank, part in enumerate(parts):
        for what, got in (part.alike or {}).items():
            if got != first[what]:
                raise MsvizError(
                    "error.ranks_differ",
                    "{what} must be the same on every rank, got {one} on rank 0 and {other} on rank {rank}",
                    what=what,
                    one=str(first[what]),
                    other=str(got),
                    rank=rank,
                )
    return parts


def gather_rows(
    x: Float[Tensor, "n ..."], rows: list[int], group: "dist.ProcessGroup | None" = None
) -> Float[Tensor, "M ..."]:
    """The rows of all ranks, rank after rank; the gradient of a row is the sum of what all ranks send back to it.

    Args:
        x: those of this rank, in float32 at least.
        rows: how many each rank has.
        group: the processes; None = all.
    """
    from torch.distributed import _functional_collectives as collectives  # not in a torch built for one process

    everybody = dist.group.WORLD if group is None else group
    assert everybody is not None
    most = max(1, *rows)  # a collective wants the same size from everybody
    padded = torch.cat([x, x.new_zeros(most - len(x), *x.shape[1:])])
    gathered = collectives.all_gather_single_autograd(padded, 0, everybody)
    return torch.cat([part[:count] for part, count in zip(gathered.split(most), rows, strict=True)])


def _added_up(collected: Tensor, group: "dist.ProcessGroup | None") -> Tensor:
    dist.all_reduce(collected, group=group)
    return collected
