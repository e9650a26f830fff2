"""P x K batches: P classes, K items of each, so that every anchor has positives and negatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Int64

from msviz.core.errors import MsvizError, out_of_range
from msviz.core.precision import is_finite_number

Choose = Callable[[Int64[np.ndarray, " e"], np.random.Generator], Sequence[int]]


class PKSampler:
    """Draws batches of P different classes and K different items of each.

    Batch t is a function of the seed and t alone: what was drawn before is remembered as one number, and any two
    samplers with the same seed and rows draw the same batches. Where somebody chooses the classes (`draw`), it is a
    function of the seed, t and what they choose.

    Args:
        labels: [n] the class of every item of the data.
        rows: the items to draw from, such as the training side of a split.
        classes_per_batch: P, >= 1.
        per_class: K, >= 1.
        seed: whole number >= 0.
        names: the classes' names for error texts; None = their numbers.
        candidates: C, among how many random classes P are chosen; 0 = nobody chooses.

    Raises:
        MsvizError: error.batch_too_large, error.too_few_classes, error.too_few_candidates, error.too_few_items;
            error.parameter_range for numbers outside of their range.

    Example:
        >>> labels = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
        >>> batch = PKSampler(labels, np.arange(9), classes_per_batch=2, per_class=3, seed=0).draw()
        >>> len(set(batch.tolist())), len(set(labels[batch].tolist()))
        (6, 2)

    Source: arXiv 1904.06627, section 4.1 (classes are chosen first, then items of each).
    """

    def __init__(
        self,
        labels: Int64[np.ndarray, " n"],
        rows: Int64[np.ndarray, " r"],
        classes_per_batch: int,
        per_class: int,
        seed: int,
        names: Sequence[str] | None = None,
        candidates: int = 0,
    ) -> None:
        self._classes_per_batch = _whole("classes_per_batch", classes_per_batch, 1)
        self._per_class = _whole("per_class", per_class, 1)
        self._seed = _whole("seed", seed, 0)
        self._candidates = _whole("candidates", candidates, 0)
        self._drawn = 0
        rows = np.asarray(rows, dtype=np.int64)
        classes = np.unique(labels[rows])
        self._members = [rows[labels[rows] == label] for label in classes]
        size = self._classes_per_batch * self._per_class
        if size > len(rows):
            plain = (
                "a batch of {classes} x {per_class} = {size} items is larger than the {n} to draw from; make it smaller"
            )
            raise MsvizError(
                "error.batch_too_large", plain, classes=classes_per_batch, per_class=per_class, size=size, n=len(rows)
            )
        if self._classes_per_batch > len(classes):
            plain = "a batch of {need} classes needs as many to draw from, got {got}; choose fewer classes a batch"
            raise MsvizError("error.too_few_classes", plain, need=classes_per_batch, got=len(classes))
        if self._candidates > len(classes):
            plain = "class mining draws {need} classes, but there are {got} to draw from; choose at most {got}"
            raise MsvizError("error.too_few_candidates", plain, need=candidates, got=len(classes))
        fewest = min(range(len(classes)), key=lambda at: len(self._members[at]))
        if self._per_class > len(self._members[fewest]):
            plain = "a batch takes {need} items of a class, but class {name} has {got}; take fewer, or leave it out"
            label = int(classes[fewest])
            raise MsvizError(
                "error.too_few_items",
                plain,
                need=per_class,
                got=len(self._members[fewest]),
                name=names[label] if names is not None else str(label),
            )

    def draw(self, choose: Choose | None = None) -> Int64[np.ndarray, " b"]:
        """The next batch: P x K different rows of the data, in blocks by class.

        Args:
            choose: which P of C random classes; called with two different rows of each, in blocks by class, and a
                generator of its own, answers with P of the numbers 0..C-1. None = P classes at random.
        """
        rng = np.random.default_rng((self._seed, self._drawn))
        self._drawn += 1
        if choose is None:
            classes = rng.choice(len(self._members), self._classes_per_batch, replace=False)
        else:
            drawn = rng.choice(len(self._members), self._candidates, replace=False)
            (own,) = rng.spawn(1)  # whether it is used or not, the items below are the same
            classes = drawn[list(choose(self._items(rng, drawn, 2), own))]
        return self._items(rng, classes, self._per_class)

    def _items(self, rng: np.random.Generator, classes: Int64[np.ndarray, " c"], each: int) -> Int64[np.ndarray, " i"]:
        return np.concatenate([rng.choice(self._members[at], each, replace=False) for at in classes])

    def state_dict(self) -> dict[str, int]:
        """What `load_state_dict` needs to go on with the same batches: how many were drawn."""
        return {"drawn": self._drawn}

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Go on from where `state_dict` was taken; {"drawn": 0} is the beginning.

        Args:
            state: of a sampler with the same arguments.
        """
        self._drawn = _whole("drawn", state["drawn"], 0)


def _whole(name: str, got: object, low: int) -> int:
    if not is_finite_number(got) or got != int(got) or got < low:
        raise out_of_range(name, f"a whole number >= {low}", got)
    return int(got)
