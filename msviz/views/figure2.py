"""Figure 2's cases for one negative pair and any methods: every number on the way, and whether it went as it must."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

import torch
from jaxtyping import Float
from torch import Tensor

from msviz.core.errors import MsvizError
from msviz.core.figure2 import Case, CasePath, figure2
from msviz.core.methods import Method
from msviz.core.three_similarities import sharpness
from msviz.state.figure2 import SLUGS, STEPS
from msviz.text import Message, msg, number
from msviz.views.figure2_anchors import AnchorRow
from msviz.views.inspector import digits_that_show
from msviz.views.method_name import method_name
from msviz.views.scene import Scene

MOST_DRAWN: Final = 60  # points of the anchor's row; the pair and the heaviest of them

Way = Literal["rises", "stays", "falls"]
MUST: Final[Mapping[Case, Mapping[str, Way]]] = MappingProxyType(
    {
        Case.WHOLE_ROW: {"S": "rises", "P": "stays", "N": "stays"},
        Case.NEGATIVES_ONLY: {"S": "rises", "P": "rises", "N": "stays"},
        Case.OTHER_NEGATIVES: {"S": "stays", "P": "stays", "N": "falls"},
        Case.LEAST_POSITIVE: {"S": "stays", "P": "falls", "N": "stays"},
    }
)
"""What S, P and N of the pair must do in each case."""


@dataclass(frozen=True)
class Claim:
    """One sentence of a case, checked between every position and the one before.

    Args:
        role: "S", "P", "N" or "weight".
        values: the number at every position; None where it is not defined.
        verdict: that it holds everywhere, or where it does not and by how much.
        broken: the positions at which it does not hold.
        worst: the one of them where the number jumps most; None when it holds everywhere.
    """

    role: str
    values: tuple[float | None, ...]
    verdict: Message
    broken: tuple[int, ...]
    worst: int | None


@dataclass(frozen=True)
class MethodPath:
    """What one method makes of it.

    Args:
        name: of the method.
        weight: the pair's weight, and what must become of it.
        kept: whether the pair counts, at every position.
        mines: the method mines at all.
        entered: a rival enters mining where the sentence breaks most, and takes its share.
    """

    name: str
    weight: Claim
    kept: tuple[bool, ...]
    mines: bool
    entered: bool


@dataclass(frozen=True)
class Figure2View:
    """A case of Figure 2.

    Args:
        case: what moves.
        shift: by how much, at every position.
        names, labels: of the points that are drawn: what they are called, and their classes.
        positives: which of them are positives.
        moving: which of them move.
        column: which of them is the pair.
        sims: their similarities, a row a position.
        kept: which of them the first method keeps, a row a position.
        limit: where the first method's mining draws the line for negatives; None without mining.
        least: the least similar positive; None without positives.
        similarities: S, P and N of the pair; N with the sharpness of the first method.
        sharp: that sharpness, beta.
        methods: one for each method asked for.
        total: how many points there are, drawn or not.
    """

    case: Case
    shift: tuple[float, ...]
    names: tuple[str, ...]
    labels: tuple[int, ...]
    positives: tuple[bool, ...]
    moving: tuple[bool, ...]
    column: int
    sims: tuple[tuple[float, ...], ...]
    kept: tuple[tuple[bool, ...], ...]
    limit: tuple[float, ...] | None
    least: tuple[float, ...] | None
    similarities: tuple[Claim, Claim, Claim]
    sharp: float
    methods: tuple[MethodPath, ...]
    total: int


def figure2_view(case: Case, anchor: AnchorRow, methods: Sequence[Method], steps: int = STEPS) -> Figure2View:
    """A case of Figure 2 for one anchor's pair and some methods.

    Args:
        case: what moves.
        anchor: the anchor's row and the pair.
        methods: at least one; mining, N and the marks follow the first.
        steps: how many positions.

    Raises:
        MsvizError: error.shape: in this case nobody can come nearer to this anchor.

    Example:
        >>> from msviz.core.methods import METHODS
        >>> from msviz.views.figure2_anchors import example_anchor
        >>> view = figure2_view(Case.LEAST_POSITIVE, example_anchor(), [METHODS["ms"]], steps=8)
        >>> view.methods[0].kept
        (True, True, False, False, False, False, False, False)
        >>> view.methods[0].weight.verdict.key
        'figure2.holds'
    """
    paths = [figure2(case, method, anchor.sim, anchor.pairs, anchor.i, anchor.j, steps) for method in methods]
    first = paths[0]
    drawn = _drawn(paths, anchor.j)
    moving = (first.sim[-1] != first.sim[0])[drawn]
    least = first.sim.masked_fill(~first.pairs.pos, torch.inf).amin(1)
    epsilon, has_positives = first.method.epsilon, bool(anchor.pairs.pos[anchor.i].any())
    return Figure2View(
        case=case,
        shift=tuple(first.shift.tolist()),
        names=tuple(anchor.names[k] for k in drawn),
        labels=tuple(anchor.labels[k] for k in drawn),
        positives=tuple(first.pairs.pos[0, drawn].tolist()),
        moving=tuple(moving.tolist()),
        column=drawn.index(anchor.j),
        sims=tuple(map(tuple, first.sim[:, drawn].tolist())),
        kept=tuple(map(tuple, first.mined[:, drawn].tolist())),
        limit=tuple((least - epsilon).tolist()) if epsilon is not None and has_positives else None,
        least=tuple(least.tolist()) if has_positives else None,
        similarities=(
            _similarity(first, "S", first.s),
            _similarity(first, "P", first.p),
            _similarity(first, "N", first.n),
        ),
        sharp=sharpness(first.method)[1],
        methods=tuple(_method(path) for path in paths),
        total=int((anchor.pairs.pos | anchor.pairs.neg)[anchor.i].sum()),
    )


def _drawn(paths: Sequence[CasePath], column: int) -> list[int]:
    """The columns to draw: all pairs of the anchor, or the pair itself and those that weigh most on the way."""
    pairs = paths[0].pairs
    columns = torch.nonzero(pairs.pos[0] | pairs.neg[0])[:, 0]
    if len(columns) <= MOST_DRAWN:
        return [int(k) for k in columns]
    heaviest = torch.stack([path.weights.amax(0) for path in paths]).amax(0)
    heaviest[column] = torch.inf
    heaviest = heaviest[columns] + 1e-12 * paths[0].sim.amax(0)[columns]  # of those that weigh nothing the nearest
    return sorted(int(k) for k in columns[heaviest.topk(MOST_DRAWN).indices])


def _claim(path: CasePath, role: str, values: Float[Tensor, " T"], key: str) -> Claim:
    broken = tuple(torch.nonzero(~path.holds[role])[:, 0].tolist())
    worst = max(broken, key=lambda at: abs(float(values[at] - values[at - 1])), default=None)
    return Claim(role, _defined(values), _verdict(path, key, values, len(broken), worst), broken, worst)


def _similarity(path: CasePath, role: str, values: Float[Tensor, " T"]) -> Claim:
    return _claim(path, role, values, f"figure2.broken.{MUST[path.case][role]}")


def _method(path: CasePath) -> MethodPath:
    weight = _claim(path, "weight", path.weight, f"figure2.broken.weight.{SLUGS[path.case]}")
    rivals = path.pairs.neg[0].clone()
    rivals[path.column] = False
    at = weight.worst
    return MethodPath(
        name=method_name(path.method),
        weight=weight,
        kept=tuple(path.kept.tolist()),
        mines=path.method.epsilon is not None,
        entered=path.case in (Case.WHOLE_ROW, Case.NEGATIVES_ONLY)
        and at is not None
        and bool((path.mined[at] & ~path.mined[at - 1] & rivals).any()),
    )


def _defined(values: Float[Tensor, " T"]) -> tuple[float | None, ...]:
    return tuple(None if value != value else value for value in values.tolist())  # NaN is what differs from itself


def _verdict(path: CasePath, key: str, values: Float[Tensor, " T"], count: int, worst: int | None) -> Message:
    if worst is None:
        return msg("figure2.holds", steps=len(values))
    old, new = float(values[worst - 1]), float(values[worst])
    digits = max(3, digits_that_show(old, new))
    return msg(
        key,
        count=count,
        steps=len(values),
        shift=float(path.shift[worst]),
        old=number(old, digits),
        new=number(new, digits),
    )


@dataclass(frozen=True)
class Exceptions:
    """How often case 1 goes wrong when only the negatives move.

    Args:
        tried: negative pairs that were looked at.
        total: negative pairs of the batch that could be.
        found: those whose weight falls on the way.
        worst: ids (anchor, other) of the one that falls most in one step; None when there is none.
        old, new: its weight before and after that step.
    """

    tried: int
    total: int
    found: int
    worst: tuple[int, int] | None
    old: float
    new: float


def exceptions(scene: Scene, method: Method, most: int = 150) -> Exceptions:
    """Try case 1 with the negatives alone on a batch's negative pairs, evenly chosen when there are many.

    Args:
        scene: the batch, evaluated.
        method: the method.
        most: how many pairs to try.

    Example:
        >>> from msviz.core.methods import METHODS
        >>> from msviz.data import PRESETS
        >>> from msviz.state import State
        >>> from msviz.views.scene import scene
        >>> found = exceptions(scene(State(PRESETS["two_clean"].make(), METHODS["ms"])), METHODS["ms"])
        >>> found.found, found.tried, found.worst
        (12, 32, (2, 4))
    """
    ids, every = scene.state.batch.ids, torch.nonzero(scene.pairs.neg).tolist()
    chosen = every[:: -(-len(every) // most)] if every else []
    tried, found, worst, fall = 0, 0, None, (0.0, 0.0)
    for i, j in chosen:
        try:
            path = figure2(Case.NEGATIVES_ONLY, method, scene.sim, scene.pairs, i, j, STEPS)
        except MsvizError:  # its nearest negative is at S = 1 already
            continue
        tried += 1
        at = _claim(path, "weight", path.weight, "figure2.broken.weight.1n").worst
        if at is None:
            continue
        found += 1
        old, new = float(path.weight[at - 1]), float(path.weight[at])
        if worst is None or old - new > fall[0] - fall[1]:
            worst, fall = (ids[i], ids[j]), (old, new)
    return Exceptions(tried, len(every), found, worst, *fall)
