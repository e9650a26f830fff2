"""The probe: the same few items, looked at all through a run."""

from __future__ import annotations

from typing import Final

import numpy as np
from jaxtyping import Int64

PER_CLASS: Final = 8  # enough to see a class gather


def probe_rows(
    labels: Int64[np.ndarray, " n"], rows: Int64[np.ndarray, " r"], size: int, seed: int
) -> Int64[np.ndarray, " q"]:
    """Some items to follow: about 8 of each of some classes, in blocks by class; all items when they are few.

    Args:
        labels: the class of every item of the data.
        rows: the items to choose from.
        size: at most so many.
        seed: whole number >= 0.

    Example:
        >>> labels = np.arange(60) // 20
        >>> labels[probe_rows(labels, np.arange(60), size=4, seed=0)].tolist()
        [0, 0, 2, 2]
    """
    by_class = rows[np.argsort(labels[rows], kind="stable")]
    if len(by_class) <= size or size == 0:
        return by_class[:size]
    rng = np.random.default_rng(seed)
    classes = np.unique(labels[rows])
    some = np.sort(rng.permutation(classes)[: max(2, size // PER_CLASS)])
    each = max(size // len(some), 1)
    of_class = (rng.permutation(by_class[labels[by_class] == label])[:each] for label in some)
    return np.concatenate([np.sort(chosen) for chosen in of_class])[:size]
