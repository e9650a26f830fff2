"""Time and memory of a loss and its gradient, in a process that does nothing else:

    python -m msviz.training.limits.measure '{"sizes": [256], "dimensions": 128, "rounds": 3, "method": "authors"}'

One line of JSON comes out for each size and way. On Linux each is measured in a fork of its own, which begins with no
memory of the one before; peak memory is what the system counts beyond what was held at the start. Elsewhere no system
tells it without asking for more packages, and it is null.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import torch
from jaxtyping import Float, Int
from torch import Tensor

from msviz.core.criterion import PairLoss
from msviz.core.methods import Method
from msviz.core.pairs import label_pairs, mine
from msviz.core.similarity import similarity
from msviz.training.config import method_from_json

_WARM: Final = 64  # items; what is loaded at a first call is neither the call's memory nor its time
_ENOUGH: Final = 1.0  # second; rounds are there for calls so short that anything disturbs them


def gaussian_batch(m: int, dimensions: int) -> tuple[Float[Tensor, "m d"], Int[Tensor, " m"]]:
    """Unit rows of a Gaussian that want a gradient, and labels with about five to a class.

    Args:
        m: how many, >= 5.
        dimensions: d, >= 1.
    """
    rng = torch.Generator().manual_seed(m + dimensions)
    x = torch.nn.functional.normalize(torch.randn(m, dimensions, generator=rng))
    return x.requires_grad_(), torch.randint(m // 5, (m,), generator=rng)


def products(x: Float[Tensor, "m d"], labels: Int[Tensor, " m"], method: Method) -> None:
    """What no loss can do without: x x^T, G x and G^T x. Labels and method do not matter."""
    with torch.no_grad():
        gradient = x @ x.T
        _ = gradient @ x
        _ = gradient.T @ x


def blocked(x: Float[Tensor, "m d"], labels: Int[Tensor, " m"], method: Method) -> None:
    """`PairLoss`: some rows at a time, nothing of size m^2 is kept."""
    x.grad = None
    PairLoss(method)(x, labels).backward()


def dense(x: Float[Tensor, "m d"], labels: Int[Tensor, " m"], method: Method) -> None:
    """The loss as it is written down: whole matrices, differentiated by autograd."""
    x.grad = None
    sim = similarity(x)
    mined = mine(sim.detach(), label_pairs(labels), method.epsilon)
    method.loss.total(sim, mined, method.params).backward()  # type: ignore[no-untyped-call]


WAYS: Final[dict[str, Callable[[Tensor, Tensor, Method], None]]] = {
    "products": products,
    "blocked": blocked,
    "dense": dense,
}


def peak_memory(call: Callable[[], object]) -> int | None:
    """The most memory that this process held during a call beyond what it held before, bytes; None where not on Linux.

    Args:
        call: what is measured; anything like it should have been called before.
    """
    if sys.platform != "linux":
        call()
        return None
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = _held("VmRSS")
    call()
    return max(_held("VmHWM") - before, 0)


def _held(what: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:")) * 1024


def _measured(way: str, m: int, dimensions: int, rounds: int, method: Method) -> dict[str, Any]:
    WAYS[way](*gaussian_batch(_WARM, dimensions), method)
    x, labels = gaussian_batch(m, dimensions)
    peak = peak_memory(lambda: WAYS[way](x, labels, method))
    seconds: list[float] = []
    while len(seconds) < rounds and sum(seconds) < _ENOUGH:
        start = perf_counter()
        WAYS[way](x, labels, method)
        seconds.append(perf_counter() - start)
    return {"way": way, "m": m, "seconds": min(seconds), "memory": peak}


def _say(job: dict[str, Any]) -> None:
    print(json.dumps(_measured(**job)), flush=True)


def main(plain: str) -> None:
    """Measure and print.

    Args:
        plain: JSON: sizes, dimensions, rounds, method.
    """
    torch.set_num_threads(1)  # before a fork, threads would be left behind; and on one core m^2 is seen best
    settings = json.loads(plain)
    rest = {"dimensions": settings["dimensions"], "rounds": settings["rounds"]}
    rest["method"] = method_from_json(settings["method"])
    for m in settings["sizes"]:
        for way in WAYS:
            job = {"way": way, "m": m, **rest}
            if sys.platform != "linux":
                _say(job)
                continue
            fork = os.fork()
            if fork == 0:
                try:
                    _say(job)
                    os._exit(0)
                finally:
                    os._exit(1)
            if os.waitpid(fork, 0)[1]:
                sys.exit(f"{way}, m = {m}")


if __name__ == "__main__":
    main(sys.argv[1])
