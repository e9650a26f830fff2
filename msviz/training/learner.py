"""The model and what moves it: inputs on their device, criterion, optimiser. It knows batches, but no run."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from msviz.core.methods import Method
from msviz.core.precision import at_least_float32, check_finite
from msviz.training.config import TrainConfig
from msviz.training.device import numerics
from msviz.training.models import build_model
from msviz.training.pretrain import pretraining
from msviz.training.processes import ALONE, Processes
from msviz.training.training_set import TrainingSet

EMBED_AT_ONCE: Final = 1024  # items; always in the same blocks, for the last bit of a product depends on them


class Learner:
    """A model with its optimiser and criterion.

    Args:
        config: of the run.
        data: its items.
        group: the processes that share every batch.

    Raises:
        MsvizError: of the device and of the model.

    Attributes:
        model: the model.
        method: what weighs the pairs of a batch.
        learning_rate: of the updates.
    """

    def __init__(self, config: TrainConfig, data: TrainingSet, group: Processes = ALONE) -> None:
        self.config, self.data, self._group = config, data, group
        self._numerics = numerics(config.device, config.precision)
        self._inputs = torch.tensor(data.inputs, dtype=self._numerics.dtype, device=self._numerics.device)
        places = data.inputs if config.model == "points" and data.shape == (config.dimensions,) else None
        self.model = build_model(
            config.model,
            data.shape,
            data.n,
            config.dimensions,
            config.width,
            config.seed,
            self._numerics.dtype,
            start=places,
        ).to(self._numerics.device)
        self._weights = list(self.model.parameters())
        self._start = copy.deepcopy(self.model.state_dict())
        self.pretrained = config.pretrain_steps == 0
        self.rewind()

    def rewind(self) -> None:
        """The initial weights (after pre-training), a fresh optimiser, the config's method and learning rate."""
        self.model.load_state_dict(self._start)
        if self.config.optimiser == "adam":
            # fused: one pass over the weights, a third of the time
            optimiser: torch.optim.Optimizer = torch.optim.Adam(self._weights, self.config.learning_rate, fused=True)
        else:
            optimiser = torch.optim.SGD(self._weights, self.config.learning_rate, momentum=0.9)
        self._optimiser = optimiser
        self.set_method(self.config.method)

    @property
    def method(self) -> Method:
        """What weighs the pairs of a batch."""
        return self._method

    def set_method(self, method: Method) -> None:
        """Weigh by another method from now on."""
        self._method, self._criterion = method, self._group.criterion(method, self.config.scheme)

    @property
    def learning_rate(self) -> float:
        """Of the updates."""
        return float(self._optimiser.param_groups[0]["lr"])

    def set_learning_rate(self, learning_rate: float) -> None:
        """Update by another learning rate from now on."""
        self._optimiser.param_groups[0]["lr"] = learning_rate

    def gradient(self, rows: Int64[np.ndarray, " b"]) -> tuple[Float[np.ndarray, "b d"], float, float]:
        """Embeddings of a batch, its loss, and the length of the gradient, which stays with the weights.

        Args:
            rows: the batch; this process embeds its slice of it.

        Raises:
            MsvizError: error.not_finite when an embedding is not; error.overflow when dot products are too large.
        """
        self._optimiser.zero_grad()
        own = rows[self._group.slice(len(rows))]
        x = self._forward(own)
        whole = self._group.together(at_least_float32(x.detach()), len(rows))
        check_finite("x", whole)  # the same answer in every process
        loss: Tensor = self._criterion(x, self.data.labels[own])
        loss.backward()  # type: ignore[no-untyped-call]
        self._group.average_gradients(self._weights)
        norm = torch.nn.utils.get_total_norm([weight.grad for weight in self._weights if weight.grad is not None])
        return _plain(whole), loss.item(), norm.item()

    def update(self) -> None:
        """Move the weights by their gradient."""
        self._optimiser.step()

    def embed(self, rows: Int64[np.ndarray, " n"]) -> Float[np.ndarray, "n d"]:
        """Embeddings as the model gives them; float32 or float64.

        Args:
            rows: which items.
        """
        with torch.no_grad():
            parts = [self._forward(rows[at : at + EMBED_AT_ONCE]) for at in range(0, max(len(rows), 1), EMBED_AT_ONCE)]
        return _plain(torch.cat(parts))

    def pretraining(self, rows: Int64[np.ndarray, " n"]) -> Iterator[float]:
        """Learn to classify items first; broken off, it begins anew."""
        self.model.load_state_dict(self._start)
        yield from pretraining(
            self.model,
            self._inputs[torch.from_numpy(rows).to(self._inputs.device)],
            torch.from_numpy(self.data.labels[rows]).to(self._inputs.device),
            steps=self.config.pretrain_steps,
            learning_rate=self.config.pretrain_learning_rate,
            batch=self.config.batch_size,
            seed=self.config.seed,
        )
        self._group.share_weights(self._weights)
        self._start = copy.deepcopy(self.model.state_dict())
        self.pretrained = True

    def state_dict(self) -> dict[str, Any]:
        """Weights now and at the start, and the optimiser's memory; a copy."""
        state = {"model": self.model.state_dict(), "start": self._start, "optimiser": self._optimiser.state_dict()}
        return {**copy.deepcopy(state), "pretrained": self.pretrained}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where `state_dict` was taken."""
        state = copy.deepcopy(state)  # torch's optimisers keep the tensors that they are given
        self._start, self.pretrained = state["start"], state["pretrained"]
        self.model.load_state_dict(state["model"])
        self._optimiser.load_state_dict(state["optimiser"])

    def _forward(self, rows: Int64[np.ndarray, " b"]) -> Float[Tensor, "b d"]:
        at = torch.from_numpy(rows).to(self._inputs.device)
        items = at if self.model.wants_rows else self._inputs[at]
        with torch.autocast(self._inputs.device.type, torch.bfloat16, enabled=self._numerics.half):
            x: Tensor = self.model(items)
        return x


def _plain(x: Tensor) -> Float[np.ndarray, "b d"]:
    return at_least_float32(x.detach()).cpu().numpy()
