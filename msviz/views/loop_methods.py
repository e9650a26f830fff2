"""What mining and weights become for the losses that LoOp is made for, when it takes the place of the negatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from msviz.core.methods import Method, evaluate
from msviz.views.loop_four import plain
from msviz.views.scene import Scene

LOSSES: Final = ("triplet", "multi_similarity")


@dataclass(frozen=True)
class Figures:
    """A method on a batch.

    Args:
        positives, negatives: how many pairs it keeps of either kind.
        loss: the mean over all anchors.
        pull, push: the sums of the weights that pull and of those that push.
        heaviest: anchor, other and weight of the heaviest pair; None where nothing weighs.
    """

    positives: int
    negatives: int
    loss: float
    pull: float
    push: float
    heaviest: tuple[int, int, float] | None


@dataclass(frozen=True)
class MethodRow:
    """A method without and with LoOp.

    Args:
        method: which.
        plain: by plain similarities.
        loop: with optimal hard negatives.
    """

    method: Method
    plain: Figures
    loop: Figures


def method_rows(now: Scene) -> tuple[MethodRow, ...]:
    """Triplet and multi-similarity on the batch, without and with LoOp.

    The active method stands for its own loss; the other has its loss's defaults, and mining as it is chosen.

    Args:
        now: the state, evaluated with LoOp.
    """
    return tuple(
        MethodRow(method, _figures(plain(now), method), _figures(now, method))
        for method in (_method(now.state.method, name) for name in LOSSES)
    )


def _method(active: Method, name: str) -> Method:
    return active if active.name == name else Method(name, epsilon=active.epsilon)


def _figures(scene: Scene, method: Method) -> Figures:
    found = evaluate(scene.sim, scene.pairs, method)
    ids, at = scene.state.batch.ids, int(found.weights.argmax())
    i, j = divmod(at, scene.m)
    weight = float(found.weights[i, j])
    return Figures(
        positives=int(found.mined.pos.sum()),
        negatives=int(found.mined.neg.sum()),
        loss=float(found.value),
        pull=float(-found.gradient.clamp(max=0).sum()),
        push=float(found.gradient.clamp(min=0).sum()),
        heaviest=(ids[i], ids[j], weight) if weight > 0 else None,
    )
