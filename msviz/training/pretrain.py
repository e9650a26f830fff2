"""Pre-training as a classifier, the place that ImageNet has in the paper: features first, then metric learning."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from msviz.training.models import Embedder, linear


def pretraining(
    model: Embedder,
    inputs: Float[Tensor, "n ..."],
    labels: Int[Tensor, " n"],
    steps: int,
    learning_rate: float,
    batch: int,
    seed: int,
) -> Iterator[float]:
    """Train a model as a classifier: cross-entropy of a linear head on its embeddings, by Adam. The head is forgotten.

    One step each time the next loss is asked for, so that whoever asks can show progress, or stop.

    Args:
        model: is changed; on the device of `inputs`.
        inputs: [n, d] features or [n, channels, h, w] images of the training side.
        labels: [n] their classes; they need not be consecutive.
        steps: how many, >= 0.
        learning_rate: > 0.
        batch: items a step, >= 1; all of them where there are fewer.
        seed: whole number >= 0; decides head and batches.

    Returns:
        The losses, one a step: ln(classes) for a guess, 0 at best.

    Example:
        >>> from msviz.training.models import build_model
        >>> model = build_model("linear", (2,), n=2, dimensions=2, width=1, seed=0)
        >>> losses = list(pretraining(model, torch.eye(2), torch.tensor([5, 7]), 50, 0.1, batch=2, seed=0))
        >>> len(losses), losses[-1] < 0.01 < losses[0]
        (50, True)
    """
    classes, codes = torch.unique(labels, return_inverse=True)
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        embedding = model(inputs[:1])
    # A seed of its own: with the model's the head would repeat the model's first weights.
    head_rng = torch.Generator().manual_seed(int(rng.integers(2**31)))
    head = linear(embedding.shape[1], len(classes), head_rng).to(embedding)
    optimiser = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=learning_rate)
    for _ in range(steps):
        rows = torch.from_numpy(rng.choice(len(inputs), min(batch, len(inputs)), replace=False)).to(inputs.device)
        loss = nn.functional.cross_entropy(head(model(inputs[rows])), codes[rows])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        yield loss.item()
