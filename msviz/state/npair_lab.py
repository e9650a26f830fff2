"""What a visitor has chosen in the N-pair lab: how tuplets are built, what weighs them, what norms cost; and below the
bench whose denominators are filled and which classes are mined."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from msviz.core.losses.spec import ParamInfo, check, param, param_infos
from msviz.core.npair import Pairing

Weighs = Literal["npair", "npair_ovo", "triplet"]
Filled = Literal["digits", "glyphs", "batch"]
Mined = Literal["digits", "glyphs"]
By = Literal["dot", "cosine"]
WEIGHS: Final[tuple[Weighs, ...]] = get_args(Weighs)
"""The losses of the lab."""
BUILDS: Final = (Pairing.TRIPLETS, Pairing.TUPLETS, Pairing.NPAIR)
"""The batches of the lab."""
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "tuplets": BUILDS,
    "weigh": WEIGHS,
    "filled": get_args(Filled),
    "mined": get_args(Mined),
    "by": get_args(By),
}
"""What there is to choose from, by name."""
MOST_MINED: Final = 40
"""Classes among which hard ones are mined."""


@dataclass(frozen=True)
class NPairLab:
    """What is built of the batch, and what weighs it.

    Args:
        tuplets: one of `BUILDS`.
        weigh: the loss whose forces are drawn, one of `WEIGHS`.
        n: N, of how many classes tuplets are built, 2..64; 0 = of all there are.
        margin: of the triplet loss, 0..2.
        penalty: on squared norms, where norms count, 0..1.
        filled: whose denominators are filled, class by class.
        mined: of what hard classes are mined.
        by: what class mining compares, dot products or cosines.
        examples: of every class, 1 or 2.
        picks: how many classes are mined, 2..40; of fewer all there are.
        first: the class to start from, counted from 0; -1 = a random one.
        reached: how many greedy choices are shown, 0..39.
        seed: of the examples, of the first class and of ties, 0..999999.

    Raises:
        ValueError: a choice that the lab does not have; MsvizError error.parameter_range for a number.

    Example:
        >>> NPairLab(n=3).replace(tuplets=Pairing.TRIPLETS).n
        3
    """

    tuplets: Pairing = Pairing.NPAIR
    weigh: Weighs = "npair"
    n: int = param("N", 0, 0, 64, "Classes in the batch: each gives one anchor; 0: all of them.", step=1, whole=True)
    margin: float = param("λ", 0.1, 0, 2, "Margin of the triplet loss: larger makes more triplets active.")
    penalty: float = param(
        "penalty", 0.05, 0, 1, "Strength of the penalty on squared norms: larger makes them smaller."
    )
    filled: Filled = "digits"
    mined: Mined = "digits"
    by: By = "dot"
    examples: int = param(
        "k", 2, 1, 2, "Examples of every class among which hard classes are mined.", step=1, whole=True
    )
    picks: int = param("N", 6, 2, MOST_MINED, "How many classes are mined.", step=1, whole=True)
    first: int = param(
        "first", -1, -1, MOST_MINED - 1, "The class to start from; -1: a random one.", step=1, whole=True
    )
    reached: int = param("steps", 1, 0, MOST_MINED - 1, "How many greedy choices are shown.", step=1, whole=True)
    seed: int = param("seed", 0, 0, 999_999, "Of the examples, the first class and ties.", step=1, whole=True)

    def __post_init__(self) -> None:
        check(self)
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}")
        object.__setattr__(self, "tuplets", Pairing(self.tuplets))

    def replace(self, **changes: Any) -> NPairLab:
        """The same with something else chosen."""
        return dataclasses.replace(self, **changes)


NUMBERS: Final[Mapping[str, ParamInfo]] = {info.name: info for info in param_infos(NPairLab)}
"""The numbers of the lab, as sliders need them."""
