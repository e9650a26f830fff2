"""Where the sign check found something: a row for each method and batch, and a link that shows it on the Playground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from msviz.data import PRESETS
from msviz.state import default_state, encode
from msviz.training.limits import SignPoint
from msviz.views.limits_words import batch_name
from msviz.views.method_name import method_name


@dataclass(frozen=True)
class SignRow:
    """A method that breaks the assumption on a batch.

    Args:
        method: its name, with parameters and mining margin.
        batch: the batch's name.
        pushed: how many positives are pushed.
        pulled: how many negatives are pulled.
        share: share of the weight on them, 0..1.
        worst: (anchor, other) of the heaviest of them.
        gradient: its signed g_ij.
        query: of a link to the Playground with this batch and method, this pair selected; None for a drawn batch,
            which a link cannot carry.
    """

    method: str
    batch: str
    pushed: int
    pulled: int
    share: float
    worst: tuple[int, int]
    gradient: float
    query: str | None


def sign_rows(points: Sequence[SignPoint]) -> tuple[SignRow, ...]:
    """For each loss and batch, mined and not, the parameters that break the assumption most; most of the weight first.

    Args:
        points: of a run, as many as there are.

    Example:
        >>> from msviz.training.limits import SignSettings, sign
        >>> rows = sign_rows(list(sign(SignSettings())))
        >>> rows[0].method, rows[0].batch, rows[0].worst
        ('Supervised contrastive (τ 0.01)', 'two clean classes', (3, 2))
    """
    heaviest: dict[object, SignPoint] = {}
    for point in sorted((it for it in points if not it.holds), key=lambda it: -it.share):
        heaviest.setdefault((point.method.name, point.batch, point.method.epsilon), point)
    return tuple(map(_row, heaviest.values()))


def _row(point: SignPoint) -> SignRow:
    assert point.worst is not None
    return SignRow(
        method=method_name(point.method),
        batch=batch_name(point.batch),
        pushed=point.pushed_positives,
        pulled=point.pulled_negatives,
        share=point.share,
        worst=point.worst,
        gradient=point.gradient,
        query=_query(point, *point.worst) if point.batch in PRESETS else None,
    )


def _query(point: SignPoint, anchor: int, other: int) -> str:
    state = default_state().with_batch(PRESETS[point.batch].make()).with_method(point.method)
    return urlencode(encode(state.select(anchor, other)))
