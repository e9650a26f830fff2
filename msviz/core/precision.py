"""Three rules about numbers: tensors are finite, and computed in float32 or better; parameters are finite numbers."""

import math
from numbers import Real
from typing import TypeGuard

import torch
from torch import Tensor

from msviz.core.errors import MsvizError


def at_least_float32(x: Tensor) -> Tensor:
    """`x` itself when it is float32 or float64; anything narrower (float16, bfloat16, integers) as float32.

    Half precision is too coarse for e^{beta S}: with beta = 50 it overflows. The conversion is differentiable, so
    gradients come back in the type of the input.

    >>> at_least_float32(torch.ones(2, dtype=torch.float16)).dtype
    torch.float32
    """
    return x if x.dtype in (torch.float32, torch.float64) else x.to(torch.float32)


def check_finite(name: str, x: Tensor) -> None:
    """Refuse a matrix that holds NaN or an infinity; the error names the first one.

    Raises:
        MsvizError: `error.not_finite`.

    >>> check_finite("x", torch.tensor([[1.0, float("inf")]]))
    Traceback (most recent call last):
    msviz.core.errors.MsvizError: x must be finite, got inf in row 0, column 1; repair or remove that row
    """
    if bool(x.sum().isfinite()):  # one quick pass; only NaN, an infinity, or numbers near the largest float get further
        return
    finite = x.isfinite()
    if bool(finite.all()):
        return
    row, column = (~finite).nonzero()[0].tolist()
    raise MsvizError(
        "error.not_finite",
        "{name} must be finite, got {got} in row {row}, column {column}; repair or remove that row",
        name=name,
        got=x[row, column].item(),
        row=row,
        column=column,
    )


def is_finite_number(x: object) -> TypeGuard[float]:
    """True for a Python or numpy number that is neither infinite nor NaN. True and False are no numbers here.

    >>> is_finite_number(3), is_finite_number(float("nan")), is_finite_number("3")
    (True, False, False)
    """
    if isinstance(x, bool):
        return False
    try:
        return isinstance(x, Real) and math.isfinite(x)
    except OverflowError:  # a whole number beyond all floats, such as 10**400
        return False
