"""Where a run is computed, and in what numbers."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from msviz.core.errors import MsvizError


@dataclass(frozen=True)
class Numerics:
    """Where and how a model is computed.

    Args:
        device: of the model and its inputs.
        dtype: of the weights, float32 or float64.
        half: autocast to bfloat16 in the model; the loss stays in float32.
    """

    device: torch.device
    dtype: torch.dtype
    half: bool


def numerics(device: str, precision: str) -> Numerics:
    """What `TrainConfig.device` and `TrainConfig.precision` mean on this machine.

    Args:
        device: "auto", "cpu", "cuda" or "mps".
        precision: "auto", "float32", "float64" or "bfloat16".

    Raises:
        MsvizError: error.no_device when it is not there; error.no_float64 on MPS, which has none.

    Example:
        >>> numerics("cpu", "auto")
        Numerics(device=device(type='cpu'), dtype=torch.float32, half=False)
    """
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    name = next(kind for kind, is_there in there.items() if is_there) if device == "auto" else device
    if not there[name]:
        raise MsvizError("error.no_device", "this machine has no {name} for torch; choose auto or cpu", name=name)
    if name == "mps" and precision == "float64":
        raise MsvizError("error.no_float64", "MPS has no float64; choose float32, or the device cpu")
    half = precision == "bfloat16" or (precision == "auto" and name == "cuda")
    return Numerics(torch.device(name), torch.float64 if precision == "float64" else torch.float32, half)
