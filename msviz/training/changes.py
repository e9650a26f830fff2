"""What was changed in the middle of a run."""

from __future__ import annotations

from dataclasses import dataclass

from msviz.core.methods import Method
from msviz.training.config import method_to_json


@dataclass(frozen=True)
class Change:
    """A setting that was changed during a run.

    Args:
        step: updates made before.
        name: "learning_rate", "loss", "epsilon" or a parameter of the loss.
        old: what it was; a loss by its name.
        new: what it became.
    """

    step: int
    name: str
    old: float | str | None
    new: float | str | None


def changes_between(step: int, old: tuple[float, Method], new: tuple[float, Method]) -> tuple[Change, ...]:
    """What differs, one by one; of another loss its name and its margin, for the parameters are others.

    Args:
        step: updates made before.
        old: learning rate and method as they were.
        new: as they are now.

    Example:
        >>> changes_between(5, (0.1, Method("triplet")), (0.1, Method("triplet", lam=0.2)))
        (Change(step=5, name='lam', old=0.1, new=0.2),)
    """
    before, after = ({"learning_rate": rate, **method_to_json(method)} for rate, method in (old, new))
    names = list(after) if old[1].name == new[1].name else ["learning_rate", "loss", "epsilon"]
    return tuple(Change(step, name, before[name], after[name]) for name in names if before[name] != after[name])
