"""How the weights of one anchor's pairs change as a single parameter runs over its range: a strip a parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Bool, Float64
from torch import Tensor

from msviz.core.losses.spec import ParamInfo, param_infos
from msviz.core.methods import Method
from msviz.core.pairs import Pairs, mine
from msviz.views.in_blocks import DENSE, mine_rows
from msviz.views.scene import Scene

STEPS: Final = 60  # values of a parameter
FEWER: Final = 12  # of a loss of the whole batch, when the batch is large
FEWEST: Final = 4  # and of thousands of points, where each value takes a second
LARGE: Final = 128  # points
MOST_POSITIVES: Final = 40  # rows of a strip, the hardest pairs of each kind
MOST_NEGATIVES: Final = 80
EPSILON: Final = (0.0, 1.0)  # the slider's range; there is no upper limit by itself


@dataclass(frozen=True, eq=False)
class Strip:
    """One parameter's range, and the anchor's weights at each of its values.

    Args:
        name: the parameter in code: "beta", "epsilon".
        letter: in the paper: "β".
        values: [K] rising, evenly on the slider's scale.
        log: whether that scale is logarithmic.
        now: the parameter's value; None when mining is off.
        gradient: [R, K] signed weights of the anchor's pairs: below 0 pulls, above 0 pushes.
        kept: [R, K] whether mining keeps the pair at that value.
    """

    name: str
    letter: str
    values: Float64[np.ndarray, " K"]
    log: bool
    now: float | None
    gradient: Float64[np.ndarray, "R K"]
    kept: Bool[np.ndarray, "R K"]

    @property
    def largest(self) -> float:
        """The largest weight in the strip; 1 where all are 0."""
        return float(np.abs(self.gradient).max(initial=0.0)) or 1.0


@dataclass(frozen=True, eq=False)
class SweepsView:
    """The strips of the selected anchor.

    Args:
        anchor: its id.
        others: ids of the rows' other ends: positives first, then negatives, each from the most similar down. Of many
            pairs the hardest ones (least similar positives, most similar negatives), and the selected pair.
        left: how many pairs have no row.
        positive: [R] the row's kind.
        s: [R] the row's similarity.
        selected: the row of the selected pair; None when only an anchor is selected.
        strips: one for every parameter of the active method, epsilon last.
    """

    anchor: int
    others: tuple[int, ...]
    positive: tuple[bool, ...]
    s: tuple[float, ...]
    selected: int | None
    left: int
    strips: tuple[Strip, ...]


def sweeps_view(scene: Scene) -> SweepsView | None:
    """The strips of a scene's selected anchor.

    Args:
        scene: the evaluated state.

    Returns:
        None when nothing is selected, or when the anchor is alone.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> [strip.letter for strip in sweeps_view(scene(default_state().select(4, 6))).strips]
        ['α', 'β', 'λ', 'ε']
    """
    selection = scene.state.display.selection
    if selection is None or scene.m < 2:
        return None
    batch, method = scene.state.batch, scene.state.method
    i = batch.index(selection.anchor)
    positive = scene.pairs.pos[i].numpy()
    s = scene.sim[i].numpy()
    rows = sorted((j for j in range(scene.m) if j != i), key=lambda j: (not positive[j], -s[j], batch.ids[j]))
    wanted = None if selection.other is None else batch.index(selection.other)
    count = int(positive.sum())
    hardest = {*rows[max(0, count - MOST_POSITIVES) : count + MOST_NEGATIVES], wanted}
    shown = [row for row in rows if row in hardest]
    return SweepsView(
        anchor=selection.anchor,
        others=tuple(batch.ids[j] for j in shown),
        positive=tuple(bool(positive[j]) for j in shown),
        s=tuple(float(s[j]) for j in shown),
        selected=None if wanted is None else shown.index(wanted),
        left=len(rows) - len(shown),
        strips=tuple(_strip(scene, i, shown, info) for info in (*param_infos(method.params), None)),
    )


def _strip(scene: Scene, i: int, rows: list[int], info: ParamInfo | None) -> Strip:
    """The strip of one parameter; None = of epsilon."""
    method = scene.state.method
    name = "epsilon" if info is None else info.name
    values = epsilon_values() if info is None else parameter_values(info)
    if not method.loss.separable and scene.m > LARGE:
        few = FEWER if scene.m <= DENSE else FEWEST
        values = values[np.unique(np.linspace(0, len(values) - 1, few).round().astype(int))]
    methods = [method.replace(**{name: value}) for value in values.tolist()]
    gradient, mined = (_epsilons if info is None else _parameters)(scene, i, methods)
    return Strip(
        name=name,
        letter="ε" if info is None else info.letter,
        values=values,
        log=info is not None and info.scale == "log",
        now=method.epsilon if info is None else float(getattr(method.params, name)),
        gradient=gradient.numpy().T[rows],
        kept=(mined.pos | mined.neg).numpy().T[rows],
    )


def _parameters(scene: Scene, i: int, methods: list[Method]) -> tuple[Tensor, Pairs]:
    """The anchor's gradient [K, m] under methods that mine the same pairs."""
    mined, own = scene.evaluation.mined, slice(i, i + 1)
    gradient = torch.cat([_gradient(scene.sim, mined, method, own) for method in methods])
    return gradient, Pairs(mined.pos[i].expand(len(methods), -1), mined.neg[i].expand(len(methods), -1))


def _epsilons(scene: Scene, i: int, methods: list[Method]) -> tuple[Tensor, Pairs]:
    """The anchor's gradient [K, m] under methods that differ in epsilon; a row each, where a row says everything."""
    loss, p, own = methods[0].loss, methods[0].params, slice(i, i + 1)
    if loss.separable:
        sim, pairs = scene.sim[own], scene.pairs.rows(own)
        each = [mine(sim, pairs, method.epsilon) for method in methods]
        mined = Pairs(torch.cat([it.pos for it in each]), torch.cat([it.neg for it in each]))
        return loss.pair_gradient(sim.repeat(len(methods), 1), mined, p), mined
    each = [mine_rows(scene.sim, scene.pairs, method.epsilon) for method in methods]
    gradient = [_gradient(scene.sim, it, method, own) for it, method in zip(each, methods, strict=True)]
    rows = [it.rows(own) for it in each]
    return torch.cat(gradient), Pairs(torch.cat([it.pos for it in rows]), torch.cat([it.neg for it in rows]))


def _gradient(sim: Tensor, mined: Pairs, method: Method, own: slice) -> Tensor:
    """The anchor's gradient [1, m] in its batch."""
    p, whole = method.params, method.loss.whole_batch
    if whole is None:
        return method.loss.pair_gradient(sim[own], mined.rows(own), p)
    return whole.gradient(whole.collect(sim, mined, p), sim[own], mined.rows(own), p)


def parameter_values(info: ParamInfo) -> Float64[np.ndarray, " K"]:
    """The values of a strip: evenly over the slider's range on its scale, whole where only whole numbers make sense.

    Example:
        >>> from msviz.core.losses import LOSSES
        >>> beta = param_infos(LOSSES["binomial"].params)[1]
        >>> parameter_values(beta)[[0, -1]].tolist()
        [0.1, 200.0]
    """
    if info.scale == "log":
        low = max(info.low, info.high / 2000)  # a logarithm needs a start; the slider has the same
        values = np.geomspace(low, info.high, STEPS)
    else:
        values = np.linspace(info.low, info.high, STEPS + 1)[int(info.low_open) :]
    values[-1] = info.high  # a power may miss the end by a bit, and so leave the range
    return np.unique(values.round()) if info.whole else values


def epsilon_values() -> Float64[np.ndarray, " K"]:
    """The values of epsilon's strip: 0 to 1 in steps of .02, twice the slider's."""
    return np.linspace(*EPSILON, 51)
