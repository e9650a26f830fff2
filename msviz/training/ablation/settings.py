"""What tuning tries: values that somebody printed, and draws beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from msviz.core.losses.spec import param_infos
from msviz.core.methods import METHODS, Method

PRINTED: Final = ({"alpha": 2.0, "beta": 40.0, "lam": 0.5}, {"alpha": 2.0, "beta": 50.0, "lam": 1.0})
"""Values that are always tried: those of the authors' code, and those printed in the paper."""

RANGES: Final = {"alpha": (0.5, 10.0), "beta": (5.0, 100.0), "lam": (0.0, 1.0), "learning_rate": (1e-4, 1e-2)}
"""What is drawn beside them: lambda evenly, all others evenly in their logarithm."""


def settings(row: str, count: int, learning_rates: Sequence[float]) -> list[tuple[Method, float]]:
    """Methods with their learning rates for a row of the ablation: as many for each, of the same draws.

    Args:
        row: a name in `msviz.ABLATION`.
        count: how many, >= 1.
        learning_rates: those at which `PRINTED` is tried.

    Example:
        >>> settings("ms", 2, learning_rates=[1e-3, 3e-3])[1]
        (Method('multi_similarity', alpha=2.0, beta=40.0, lam=0.5, epsilon=0.1), 0.003)
    """
    method = METHODS[row]
    has = {info.name for info in param_infos(method.params)}
    printed = [{**values, "learning_rate": rate} for values in PRINTED for rate in learning_rates]
    found = [
        (method.replace(**{name: values[name] for name in has}), values["learning_rate"])
        for values in (*printed, *_draws(count))
    ]
    return list(dict.fromkeys(found))[:count]  # to a loss without parameters both printed values are one


def _draws(count: int) -> list[dict[str, float]]:
    """A Latin hypercube: each value falls once into each of as many parts of its range, and all in random order."""
    rng = np.random.default_rng(0)
    drawn: dict[str, list[float]] = {}
    for name, (low, high) in RANGES.items():
        place = (rng.permutation(count) + rng.random(count)) / count
        values = low + (high - low) * place if low == 0 else low * (high / low) ** place
        drawn[name] = [float(f"{value:.3g}") for value in values]
    return [dict(zip(drawn, values, strict=True)) for values in zip(*drawn.values(), strict=True)]
