"""Several processes that train one model together: each embeds its slice of the batch, all make the same step.

Every process holds the whole data and the whole model and draws the same batches. What differs is the slice that it
embeds; gradients are averaged, so that all weights stay the same, and what must be decided alike is decided by the
first process and told to the others. Start them with `torchrun`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from jaxtyping import Float, Int64
from torch import Tensor, nn

from msviz.core.criterion import PairLoss
from msviz.core.distributed import DistributedPairLoss, gather_rows
from msviz.core.errors import MsvizError
from msviz.core.methods import Method
from msviz.core.precision import at_least_float32
from msviz.core.scheme import PLAIN, Scheme, SchemeLoss

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Processes:
    """One process's view of all that share a run; `ALONE` is the run of a single one, where nothing needs to travel.

    Args:
        rank: this process, 0..count - 1; the first one measures, logs and saves.
        count: how many there are.

    Example:
        >>> ALONE.slice(80), Processes(rank=1, count=3).slice(80)
        (slice(0, 80, None), slice(27, 54, None))
    """

    rank: int = 0
    count: int = 1
    _store: Any = field(default=None, repr=False)

    @property
    def is_first(self) -> bool:
        """Whether this is the process that measures, logs and saves."""
        return self.rank == 0

    def slice(self, n: int) -> slice:
        """Which of n items this process takes: in order of rank, as equal as can be.

        Args:
            n: >= 0.
        """
        sizes = self._sizes(n)
        start = sum(sizes[: self.rank])
        return slice(start, start + sizes[self.rank])

    def criterion(self, method: Method, scheme: Scheme = PLAIN) -> nn.Module:
        """What weighs the pairs of the whole batch, called with this process's slice.

        Args:
            method: the method.
            scheme: how the batch is compared.
        """
        if scheme != PLAIN:
            return _WholeBatch(SchemeLoss(method, scheme), self.count)
        return PairLoss(method) if self.count == 1 else DistributedPairLoss(method)

    def together(self, x: Float[Tensor, "own d"], n: int) -> Float[Tensor, "n d"]:
        """The rows of all processes, without a gradient.

        Args:
            x: the rows of this process's slice.
            n: how many rows there are in all.
        """
        if self.count == 1:
            return x
        sizes = self._sizes(n)
        padded = torch.cat([x, x.new_zeros(sizes[0] - len(x), *x.shape[1:])])  # a collective wants equal sizes
        parts = [torch.empty_like(padded) for _ in sizes]
        dist.all_gather(parts, padded)
        return torch.cat([part[:size] for part, size in zip(parts, sizes, strict=True)])

    def average_gradients(self, weights: Iterable[Tensor]) -> None:
        """Replace every gradient by its mean over the processes, in one exchange.

        Args:
            weights: those of the model, in the same order everywhere.
        """
        if self.count > 1:
            gradients = [weight.grad for weight in weights if weight.grad is not None]
            flat = torch.cat([gradient.flatten() for gradient in gradients])
            dist.all_reduce(flat)
            _spread(flat.div_(self.count), gradients)

    def share_weights(self, weights: Iterable[Tensor]) -> None:
        """Take the first process's weights: on a GPU the same computation need not give the same bits twice.

        Args:
            weights: those of the model.
        """
        if self.count > 1:
            values = [weight.detach() for weight in weights]
            flat = torch.cat([value.flatten() for value in values])
            dist.broadcast(flat, src=0)
            _spread(flat, values)

    def from_first(self, make: Callable[[], _Value]) -> _Value:
        """What the first process computes, on all of them; what it refuses is refused on all of them.

        Args:
            make: called in the first process alone; its result must be picklable.

        Raises:
            MsvizError: those of `make`.
        """
        if self.count == 1:
            return make()
        told: list[_Value | MsvizError | None] = [_tried(make) if self.is_first else None]
        dist.broadcast_object_list(told, src=0)
        value = told[0]
        if isinstance(value, MsvizError):
            raise value
        return value  # type: ignore[return-value]  # the first process has put it there

    def any(self, here: bool) -> bool:
        """Whether something holds in any of the processes; the same answer in all.

        Args:
            here: whether it holds in this one.
        """
        if self.count == 1:
            return here
        anywhere = torch.tensor(int(here))
        dist.all_reduce(anywhere, op=dist.ReduceOp.MAX)
        return bool(anywhere)

    def speaks(self) -> bool:
        """Whether this process is the first to say what went wrong; the others fail with it and keep silent."""
        return self._store is None or bool(self._store.add("msviz/failed", 1) == 1)

    def join(self, device: str) -> None:
        """Meet the others; call it once, before anything is exchanged.

        Args:
            device: `TrainConfig.device`; unless it is "cpu" every process of a machine takes a GPU of its own.

        Raises:
            MsvizError: error.processes_gpus when there are more processes than GPUs.
        """
        if self.count == 1:
            return
        backend = "gloo"
        if device in ("auto", "cuda") and torch.cuda.is_available():
            local, gpus = int(os.environ.get("LOCAL_RANK", 0)), torch.cuda.device_count()
            if int(os.environ.get("LOCAL_WORLD_SIZE", 1)) > gpus:
                raise MsvizError(
                    "error.processes_gpus",
                    "this machine has {gpus} GPUs for {got} processes; start as many as GPUs, or choose the device cpu",
                    gpus=gpus,
                    got=int(os.environ["LOCAL_WORLD_SIZE"]),
                )
            torch.cuda.set_device(local)  # "cuda" means this one from now on
            backend = "cpu:gloo,cuda:nccl"
        dist.init_process_group(backend, store=self._store, rank=self.rank, world_size=self.count)

    def leave(self) -> None:
        """The opposite of `join`; nothing where there was none."""
        if self.count > 1 and dist.is_initialized():
            dist.destroy_process_group()

    def _sizes(self, n: int) -> list[int]:
        return [len(part) for part in np.array_split(np.empty(n), self.count)]


class _WholeBatch(nn.Module):
    """A criterion of the whole batch, called with this process's slice.

    Every process computes the same loss of all rows. The gather adds up what all of them send back to a row, which is
    as many times its gradient as there are processes: after `average_gradients` it is the gradient of one process.
    """

    def __init__(self, loss: SchemeLoss, count: int) -> None:
        super().__init__()
        self._loss, self._count = loss, count

    def forward(self, x: Float[Tensor, "own d"], labels: Int64[np.ndarray, " own"]) -> Float[Tensor, ""]:
        if self._count > 1:
            parts: list[Any] = [None] * self._count
            dist.all_gather_object(parts, labels)
            x, labels = gather_rows(at_least_float32(x), list(map(len, parts))), np.concatenate(parts)
        value: Tensor = self._loss(x, torch.from_numpy(labels).to(x.device))
        return value


ALONE: Final = Processes()


def from_environment() -> Processes:
    """The processes that `torchrun` started, `ALONE` where it did not."""
    if int(os.environ.get("WORLD_SIZE", 1)) == 1 or not dist.is_available():
        return ALONE
    from torch.distributed.rendezvous import rendezvous  # not in a torch built for one process

    store, rank, count = next(iter(rendezvous("env://")))
    return Processes(rank, count, store)


def _tried(make: Callable[[], _Value]) -> _Value | MsvizError:
    try:
        return make()
    except MsvizError as problem:
        return problem


def _spread(flat: Tensor, into: list[Tensor]) -> None:
    parts = torch.split(flat, [tensor.numel() for tensor in into])
    for tensor, part in zip(into, parts, strict=True):
        tensor.copy_(part.view_as(tensor))
