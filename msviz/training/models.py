"""What turns an item into an embedding: free points, a linear map, an MLP, a small CNN.

None has batch normalisation, so an item's embedding does not depend on the batch it comes in, nor on how a batch is
spread over processes; none has dropout. Every initial weight comes from the model's own generator: several sessions
train in threads of one process, where torch's global one belongs to nobody.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from msviz.core.errors import MsvizError, out_of_range

SIDE_LEFT: Final = 3  # rows and columns that the CNN's last layer sees at most: what three halvings leave of 24 pixels
# Only the first layer has a bias: embeddings keep their directions when all weights grow, and the loss sees nothing
# but directions. Biases further on would let a first large step throw all items to one place. As the size is free,
# hidden layers begin at a fraction of the sqrt(2) that carries a signal through a ReLU unchanged: small weights turn
# further in a step, and learn features where large ones get by with the random ones they begin with.
HIDDEN: Final = 0.1
_Layer = TypeVar("_Layer", nn.Linear, nn.Conv2d)


class Embedder(nn.Module):
    """What all models have in common.

    Attributes:
        wants_rows: True when the model is called with row numbers of the data, False when with its inputs.
    """

    wants_rows: bool = False


class Points(Embedder):
    """Every item is a free point: the embeddings themselves are what is learnt. Called with row numbers.

    Args:
        start: [n, d] where the points are at first.

    Example:
        >>> Points(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))(torch.tensor([1])).tolist()
        [[0.0, 1.0]]
    """

    wants_rows = True

    def __init__(self, start: Float[Tensor, "n d"]) -> None:
        super().__init__()
        self.places = nn.Parameter(start)

    def forward(self, rows: Int[Tensor, " b"]) -> Float[Tensor, "b d"]:
        """The places of some points.

        Args:
            rows: [b] row numbers.
        """
        return nn.functional.embedding(rows, self.places)


class Network(Embedder):
    """Layers from inputs to embeddings. Called with inputs.

    Args:
        layers: from first to last.

    Example:
        >>> Network(nn.Flatten())(torch.ones(2, 1, 3, 3)).shape
        torch.Size([2, 9])
    """

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, inputs: Float[Tensor, "b ..."]) -> Float[Tensor, "b d"]:
        """The embeddings, of any length: the loss compares directions.

        Args:
            inputs: [b, d] features or [b, channels, h, w] images.
        """
        embeddings: Tensor = self.layers(inputs)
        return embeddings


def build_model(
    name: str,
    shape: tuple[int, ...],
    n: int,
    dimensions: int,
    width: int,
    seed: int,
    dtype: torch.dtype = torch.float32,
    start: Float[np.ndarray, "n d"] | None = None,
) -> Embedder:
    """A model with its initial weights.

    Args:
        name: "points", "linear", "mlp" or "cnn".
        shape: of one item: (d,) or (channels, h, w).
        n: how many items there are; only free points need it.
        dimensions: of an embedding, >= 1.
        width: of the hidden layers, >= 1; the CNN's layers have width / 4, width / 2 and width channels.
        seed: whole number >= 0; the same seed gives the same weights.
        dtype: of the weights.
        start: [n, dimensions] where free points are at first; None = random directions.

    Raises:
        MsvizError: error.model_unknown, error.model_images for a CNN on what is no image, error.shape for a `start` of
            another shape; error.parameter_range.

    Example:
        >>> cnn = build_model("cnn", (1, 24, 24), n=3200, dimensions=64, width=64, seed=0)
        >>> cnn(torch.zeros(80, 1, 24, 24)).shape, sum(weight.numel() for weight in cnn.parameters())
        (torch.Size([80, 64]), 60064)
    """
    if name not in MODELS:
        raise MsvizError(
            "error.model_unknown",
            "there is no model named {got}; choose one of {known}",
            got=repr(name),
            known=", ".join(MODELS),
        )
    for what, size in (("dimensions", dimensions), ("width", width)):
        if size < 1:
            raise out_of_range(what, "a whole number >= 1", size)
    rng = torch.Generator().manual_seed(seed)
    if name == "points":
        return _points(n, dimensions, rng, start).to(dtype)
    return _NETWORKS[name](shape, dimensions, width, rng).to(dtype)


def linear(inputs: int, outputs: int, rng: torch.Generator, gain: float = 1.0, bias: bool = False) -> nn.Linear:
    """A linear layer with its initial weights, normal with variance gain^2 / inputs.

    Args:
        inputs: >= 1.
        outputs: >= 1.
        rng: where the weights come from.
        gain: 1 keeps the signal's size.
        bias: whether it has one.
    """
    return _filled(nn.Linear(inputs, outputs, bias=bias, device="meta"), inputs, rng, gain)


def _points(n: int, dimensions: int, rng: torch.Generator, start: Float[np.ndarray, "n d"] | None) -> Points:
    if start is None:
        return Points(nn.functional.normalize(torch.randn(n, dimensions, generator=rng, dtype=torch.float64)))
    if start.shape != (n, dimensions):
        raise MsvizError(
            "error.shape",
            "{name} must be {expected}, got {got}",
            name="start",
            expected=[n, dimensions],
            got=list(start.shape),
        )
    return Points(torch.tensor(start, dtype=torch.float64))


def _linear(shape: tuple[int, ...], dimensions: int, width: int, rng: torch.Generator) -> Network:
    return Network(nn.Flatten(), linear(math.prod(shape), dimensions, rng))


def _mlp(shape: tuple[int, ...], dimensions: int, width: int, rng: torch.Generator) -> Network:
    return Network(
        nn.Flatten(),
        linear(math.prod(shape), width, rng, HIDDEN, bias=True),
        nn.ReLU(),
        linear(width, width, rng, HIDDEN),
        nn.ReLU(),
        linear(width, dimensions, rng),
    )


def _cnn(shape: tuple[int, ...], dimensions: int, width: int, rng: torch.Generator) -> Network:
    if len(shape) != 3:
        raise MsvizError(
            "error.model_images",
            "a cnn needs images, [channels, height, width] an item, got {got}; choose linear or mlp",
            got=list(shape),
        )
    # A stride halves the image before the work, pooling after it: the same accuracy for a third of the time.
    channels = [shape[0], max(width // 4, 1), max(width // 2, 1), width]
    layers: list[nn.Module] = []
    for before, after in pairwise(channels):
        layers += [_convolution(before, after, rng, bias=not layers), nn.ReLU()]
    left = (_left(shape[1]), _left(shape[2]))
    if max(shape[1:]) > SIDE_LEFT * 2**3:
        layers.append(nn.AdaptiveAvgPool2d(left))
    network = Network(*layers, nn.Flatten(), linear(width * math.prod(left), dimensions, rng))
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # in place; a fifth quicker on a CPU
    return network


def _left(side: int) -> int:
    """Of an image's height or width what the last layer sees: halved three times, and at most so much."""
    return min(math.ceil(side / 2**3), SIDE_LEFT)


def _convolution(before: int, after: int, rng: torch.Generator, bias: bool) -> nn.Conv2d:
    layer = nn.Conv2d(before, after, kernel_size=3, stride=2, padding=1, bias=bias, device="meta")
    return _filled(layer, before * 3**2, rng, HIDDEN)


def _filled(layer: _Layer, inputs: int, rng: torch.Generator, gain: float) -> _Layer:
    layer.to_empty(device="cpu")  # built without weights, for torch would draw them from its global generator
    for weight in layer.parameters():  # a bias begins like the weight of one more input
        nn.init.normal_(weight, 0, gain / math.sqrt(inputs), generator=rng)
    return layer


_NETWORKS: Final[dict[str, Callable[[tuple[int, ...], int, int, torch.Generator], Network]]] = {
    "linear": _linear,
    "mlp": _mlp,
    "cnn": _cnn,
}
MODELS: Final = ("points", *_NETWORKS)
