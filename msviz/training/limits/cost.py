"""What m^2 pairs cost: time and memory of a loss and its gradient against the batch size m, on this machine.

Three ways: "dense", whole matrices with autograd; "blocked", `PairLoss`, some rows at a time; "products", the three
matrix products x x^T, G x and G^T x without which there is no gradient. Time grows with m^2 in all of them; memory does
not have to.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msviz
from msviz.core.errors import MsvizError
from msviz.core.losses.spec import check, param
from msviz.core.methods import METHODS, Method
from msviz.training.config import method_to_json

_ROOT: Final = Path(msviz.__file__).parents[1]
_SMALLEST: Final = 256


@dataclass(frozen=True)
class CostSettings:
    """What is measured.

    Args:
        largest: batch sizes double from 256 up to this, 256..8192. At 4096 the dense way takes some 500 MB, at twice
            that four times as much.
        dimensions: d of an embedding, 2..2048.
        rounds: the quickest of so many counts, or of those that fit in a second, 1..20.
        method: what weighs the pairs.

    Raises:
        MsvizError: error.parameter_range.

    Example:
        >>> CostSettings(largest=1500).sizes
        (256, 512, 1024)
    """

    largest: int = param("largest m", 4096, _SMALLEST, 8192, "Twice as many: four times the pairs.", whole=True, step=1)
    dimensions: int = param("d", 128, 2, 2048, "More: the products take longer.", whole=True, step=1)
    rounds: int = param("rounds", 3, 1, 20, "More: less depends on what else the machine does.", whole=True, step=1)
    method: Method = METHODS["authors"]

    def __post_init__(self) -> None:
        check(self)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The batch sizes m."""
        return tuple(_SMALLEST * 2**k for k in range(16) if _SMALLEST * 2**k <= self.largest)


@dataclass(frozen=True)
class CostPoint:
    """What one way cost at one batch size.

    Args:
        way: "products", "blocked" or "dense".
        m: the batch size.
        seconds: of a loss and its gradient on one core.
        memory: the most bytes that were held beyond those before; None where the system does not tell (not Linux).
    """

    way: str
    m: int
    seconds: float
    memory: int | None


def cost(settings: CostSettings) -> Iterator[CostPoint]:
    """One point for each batch size and way, sizes growing, measured in a child process, which ends with the iterator.

    Args:
        settings: what is measured.

    Raises:
        MsvizError: error.measuring when the child dies, mostly because memory has run out; points before stand.
    """
    plain = {"sizes": settings.sizes, "dimensions": settings.dimensions, "rounds": settings.rounds}
    plain["method"] = method_to_json(settings.method)
    child = subprocess.Popen(
        [sys.executable, "-m", "msviz.training.limits.measure", json.dumps(plain)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=_ROOT,
        start_new_session=True,  # a group of its own, so that its forks end with it
    )
    try:
        assert child.stdout is not None
        assert child.stderr is not None
        for line in child.stdout:
            yield CostPoint(**json.loads(line))
        problem = child.stderr.read().strip()
        if child.wait():
            raise MsvizError(
                "error.measuring",
                "measuring ended early ({got}), mostly because memory ran out; choose a smaller batch",
                got=problem.splitlines()[-1] if problem else child.returncode,
            )
    finally:
        _end(child)


def _end(child: subprocess.Popen[str]) -> None:
    if sys.platform == "win32":
        child.kill()
    elif child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
    child.communicate()
