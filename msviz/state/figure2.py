"""What a visitor has chosen under Figure 2: what moves, whose row, which methods, and how far the slider is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from msviz.core.figure2 import Case
from msviz.core.losses import LOSSES
from msviz.core.methods import METHODS, Method

SLUGS: Final[Mapping[Case, str]] = MappingProxyType(dict(zip(Case, ("1", "1n", "2", "3"), strict=True)))
"""A case's name in links and in catalogue keys."""
Whose = Literal["example", "pair", "odd"]
WHOSE: Final[tuple[Whose, ...]] = get_args(Whose)
ACTIVE: Final = "active"  # the active method, whichever it is
AT_FIRST: Final = (ACTIVE, "lifted_star_mining", "binomial_mining")
MOST: Final = 6  # methods at a time
STEPS: Final = 41  # positions of the slider


def _watchable() -> dict[str, Method]:
    """Every method but the active one, each once: the named ones, then the other losses as they are."""
    found: dict[str, Method] = {}
    for slug, method in (*METHODS.items(), *((name, Method(name)) for name in LOSSES)):
        if method not in found.values():
            found.setdefault(slug, method)
    return found


WATCHABLE: Final[Mapping[str, Method]] = MappingProxyType(_watchable())
"""The methods to choose from, by their names in links, beside `ACTIVE`."""


@dataclass(frozen=True)
class Watched:
    """What is watched under Figure 2.

    Args:
        case: what comes nearer.
        whose: the row: the "example", the selected "pair", or an "odd" one that is an exception.
        methods: at most six names of `WATCHABLE`, or "active", each once; marks and N follow the first.
        step: the slider's position, 0..40.

    Raises:
        ValueError: a row, a method or a position that does not exist.

    Example:
        >>> Watched(methods=("active", "triplet")).replace(step=12).step
        12
    """

    case: Case = Case.OTHER_NEGATIVES  # where the three methods part most
    whose: Whose = "example"
    methods: tuple[str, ...] = AT_FIRST
    step: int = 0

    def __post_init__(self) -> None:
        if self.whose not in WHOSE:
            raise ValueError(f"whose must be one of {', '.join(WHOSE)}, got {self.whose}")
        known = len(set(self.methods) & {ACTIVE, *WATCHABLE})
        if not known == len(self.methods) <= MOST:
            raise ValueError(f"methods must be at most {MOST} different names of WATCHABLE, got {self.methods}")
        if not 0 <= self.step < STEPS:
            raise ValueError(f"step must be 0..{STEPS - 1}, got {self.step}")

    def replace(self, **changes: Any) -> Watched:
        """The same with something else chosen; what moves another row, or in another way, begins at position 0."""
        start = {} if {"case", "whose"}.isdisjoint(changes) else {"step": 0}
        return Watched(**{**vars(self), **start, **changes})
