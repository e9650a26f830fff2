"""What a visitor has chosen in the N-pair lab: how tuplets are built, what weighs them, and what norms cost."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from msviz.core.losses.spec import ParamInfo, check, param, param_infos
from msviz.core.npair import Pairing

Weighs = Literal["npair", "npair_ovo", "triplet"]
WEIGHS: Final[tuple[Weighs, ...]] = get_args(Weighs)
"""The losses of the lab."""
BUILDS: Final = (Pairing.TRIPLETS, Pairing.TUPLETS, Pairing.NPAIR)
"""The batches of the lab."""


@dataclass(frozen=True)
class NPairLab:
    """What is built of the batch, and what weighs it.

    Args:
        tuplets: one of `BUILDS`.
        weigh: the loss whose forces are drawn, one of `WEIGHS`.
        n: N, of how many classes tuplets are built, 2..64; 0 = of all there are.
        margin: of the triplet loss, 0..2.
        penalty: on squared norms, where norms count, 0..1.

    Raises:
        ValueError: a batch or a loss that the lab does not have; MsvizError error.parameter_range for a number.

    Example:
        >>> NPairLab(n=3).replace(tuplets=Pairing.TRIPLETS).n
        3
    """

    tuplets: Pairing = Pairing.NPAIR
    weigh: Weighs = "npair"
    n: int = param("N", 0, 0, 64, "Classes in the batch: each gives one anchor; 0: all of them.", step=1, whole=True)
    margin: float = param("λ", 0.1, 0, 2, "Margin of the triplet loss: larger makes more triplets active.")
    penalty: float = param("penalty", 0.0, 0, 1, "Strength of the penalty on squared norms: larger makes them smaller.")

    def __post_init__(self) -> None:
        check(self)
        if self.tuplets not in BUILDS or self.weigh not in WEIGHS:
            raise ValueError(f"expected one of {', '.join(BUILDS)} and of {', '.join(WEIGHS)}")
        object.__setattr__(self, "tuplets", Pairing(self.tuplets))

    def replace(self, **changes: Any) -> NPairLab:
        """The same with something else chosen."""
        return dataclasses.replace(self, **changes)


NUMBERS: Final[Mapping[str, ParamInfo]] = {info.name: info for info in param_infos(NPairLab)}
"""The numbers of the lab, as sliders need them."""
