"""One rule about number types: everything is computed in float32 or better."""

import torch
from torch import Tensor


def at_least_float32(x: Tensor) -> Tensor:
    """`x` itself when it is float32 or float64; anything narrower (float16, bfloat16, integers) as float32.

    Half precision is too coarse for e^{beta S}: with beta = 50 it overflows. The conversion is differentiable, so gradients
    come back in the type of the input.

    >>> at_least_float32(torch.ones(2, dtype=torch.float16)).dtype
    torch.float32
    """
    return x if x.dtype in (torch.float32, torch.float64) else x.to(torch.float32)
