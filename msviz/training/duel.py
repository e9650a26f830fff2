"""Two methods on the same start: same data, initial weights and batches; and where they part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.errors import MsvizError
from msviz.core.methods import Method
from msviz.training.config import TrainConfig
from msviz.training.snapshot import Snapshot
from msviz.training.trainer import Trainer
from msviz.training.training_set import TrainingSet

SAME_SHARE: Final = 1e-9


@dataclass(frozen=True)
class Divergence:
    """Where the two methods of a duel part: the first step at which they share out the weight differently.

    Args:
        step: that step.
        pair: (i, j), rows of that step's batch: the anchor and the other of the pair on which they differ most.
        share_a: of the total weight, what the first method gives this pair.
        share_b: the same for the second.
    """

    step: int
    pair: tuple[int, int]
    share_a: float
    share_b: float


class Duel:
    """Two runs that differ in their method alone.

    Args:
        config: the first run.
        method_b: the method of the second.
        data: the items; None = those of `config.data`.

    Raises:
        MsvizError: those of `Trainer`; error.duel_mining, for with class mining each would choose its own batches.

    Attributes:
        a: the run of `config`.
        b: the run with `method_b`.
        divergence: where they parted; None until then.

    Example:
        >>> from msviz.training.sources import Blobs
        >>> config = TrainConfig(data=Blobs(), model="linear")
        >>> duel = Duel(config, config.method.replace(epsilon=None))
        >>> one, other = duel.step()
        >>> bool((one.x == other.x).all()), duel.divergence.step
        (True, 0)
    """

    def __init__(self, config: TrainConfig, method_b: Method, data: TrainingSet | None = None) -> None:
        if config.mine_classes:
            raise MsvizError(
                "error.duel_mining",
                "both runs of a duel get the same batches, but with class mining each network chooses its own; "
                "set mine_classes to 0, or train one method alone",
            )
        self.a = Trainer(config, data)
        self.b = Trainer(replace(config, method=method_b), self.a.data)
        self.divergence: Divergence | None = None

    @property
    def stopped(self) -> bool:
        """Whether both runs have ended."""
        return self.a.stop is not None and self.b.stop is not None

    def step(self, *, probe: bool = True) -> tuple[Snapshot, Snapshot]:
        """A step of each run; one that has ended is looked at again.

        Args:
            probe: embed the probe, too.

        Raises:
            MsvizError: error.training_stopped when both have ended.
        """
        if self.stopped:
            self.a.step()  # raises
        one, other = (run.step(probe=probe) if run.stop is None else run.look(probe=probe) for run in (self.a, self.b))
        if self.divergence is None and one.step == other.step:
            self.divergence = divergence(one, other)
        return one, other

    def look(self, *, probe: bool = True, evaluate: bool = False) -> tuple[Snapshot, Snapshot]:
        """What the next step will return, without an update (see `Trainer.look`).

        Args:
            probe: embed the probe, too.
            evaluate: measure retrieval on the validation side, too.
        """
        return self.a.look(probe=probe, evaluate=evaluate), self.b.look(probe=probe, evaluate=evaluate)

    def rewind(self) -> None:
        """Both back to step 0, as `Trainer.rewind`."""
        self.a.rewind()
        self.b.rewind()
        self.divergence = None

    def state_dict(self) -> dict[str, Any]:
        """All that a duel of the same config, method and data needs to go on; a copy."""
        found = self.divergence
        parted = None if found is None else (found.step, found.pair, found.share_a, found.share_b)
        return {"a": self.a.state_dict(), "b": self.b.state_dict(), "divergence": parted}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where `state_dict` was taken.

        Args:
            state: of a duel with the same config, method and data.
        """
        self.a.load_state_dict(state["a"])
        self.b.load_state_dict(state["b"])
        self.divergence = None if state["divergence"] is None else Divergence(*state["divergence"])


def divergence(one: Snapshot, other: Snapshot) -> Divergence | None:
    """The pair on which two runs differ most in the same step, by its share of the total weight.

    Args:
        one: of the first run.
        other: of the second, with the same batch.

    Returns:
        None where no share differs by more than 1e-9.
    """
    share_a, share_b = _shares(one), _shares(other)
    gap = (share_a - share_b).abs()
    i, j = divmod(int(gap.argmax()), gap.shape[1])
    if float(gap[i, j]) <= SAME_SHARE:
        return None
    return Divergence(one.step, (i, j), float(share_a[i, j]), float(share_b[i, j]))


def _shares(snapshot: Snapshot) -> Float[Tensor, "b b"]:
    weights = snapshot.evaluation.weights
    total = weights.sum()
    return weights / total if total > 0 else torch.zeros_like(weights)
