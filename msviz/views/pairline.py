"""The selected pair on a line, with everything that S, P and N compare it to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from msviz.core.three_similarities import sharpness, three_similarities
from msviz.state import Selection
from msviz.text import Message, msg, number
from msviz.views.inspector import digits_that_show, mining_verdict
from msviz.views.scene import Scene

MOST_DRAWN: Final = 60  # of each kind; more marks would be one grey band


@dataclass(frozen=True)
class Rival:
    """A point that the pair is compared with.

    Args:
        id: the point.
        s: its similarity to the anchor.
        share: N, its share among the pair's kind; None for the other kind.
        kept: mining keeps it as a pair of the anchor.
    """

    id: int
    s: float
    share: float | None
    kept: bool


@dataclass(frozen=True)
class PairLine:
    """What a pair is compared with, in the anchor's row.

    Args:
        anchor, other: ids of its ends.
        positive: same class.
        kept: mining keeps it.
        s: S_ij.
        p: P_ij; None where the anchor has nobody of the other kind.
        n: N_ij.
        rival: whom mining compares it with, the hardest of the other kind; None where there is nobody.
        limit: the rival's similarity, less epsilon for a negative, plus it for a positive; or None.
        own: its own kind, itself included: the largest shares first.
        against: the other kind, the hardest first.
        hidden: how many others of either kind are too many to be drawn.
        sentences: role "S", "P" or "N" -> what it says of this pair.
    """

    anchor: int
    other: int
    positive: bool
    kept: bool
    s: float
    p: float | None
    n: float
    rival: Rival | None
    limit: float | None
    own: tuple[Rival, ...]
    against: tuple[Rival, ...]
    hidden: int
    sentences: tuple[tuple[str, Message], ...]


def pair_line(scene: Scene) -> PairLine | None:
    """The line of a scene's selected pair; None when no pair is selected.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> line = pair_line(scene(default_state().select(4, 6)))
        >>> line.positive, line.rival.id, len(line.own)
        (False, 0, 9)
    """
    selection = scene.state.display.selection
    if selection is None or selection.other is None:
        return None
    batch, pairs = scene.state.batch, scene.pairs
    i, j = batch.index(selection.anchor), batch.index(selection.other)
    positive = bool(pairs.pos[i, j])
    alpha, beta = sharpness(scene.state.method)
    row = slice(i, i + 1)
    found = three_similarities(scene.sim[row], pairs.rows(row), alpha, beta)
    sims, shares, kept = scene.sim[i].numpy(), found.n[0].numpy(), scene.kept[i].numpy()

    def rivals(columns: np.ndarray, with_share: bool) -> list[Rival]:
        return [
            Rival(batch.ids[k], float(sims[k]), float(shares[k]) if with_share else None, bool(kept[k]))
            for k in columns.tolist()
        ]

    mine, theirs = (pairs.pos, pairs.neg) if positive else (pairs.neg, pairs.pos)
    own = rivals(np.flatnonzero(mine[i].numpy()), True)
    own.sort(key=lambda rival: (rival.id != selection.other, -(rival.share or 0.0)))
    against = rivals(np.flatnonzero(theirs[i].numpy()), False)
    against.sort(key=lambda rival: -rival.s if positive else rival.s)
    rival, epsilon = (against[0] if against else None), scene.state.method.epsilon
    margin = 0.0 if epsilon is None else epsilon if positive else -epsilon
    n = float(shares[j])
    return PairLine(
        anchor=selection.anchor,
        other=selection.other,
        positive=positive,
        kept=bool(kept[j]),
        s=float(sims[j]),
        p=None if rival is None else float(found.p[0, j]),
        n=n,
        rival=rival,
        limit=None if rival is None or epsilon is None else rival.s + margin,
        own=tuple(own[:MOST_DRAWN]),
        against=tuple(against[:MOST_DRAWN]),
        hidden=max(0, len(own) - MOST_DRAWN) + max(0, len(against) - MOST_DRAWN),
        sentences=(
            ("S", _self(scene, selection, i, j)),
            ("P", _against(scene, selection, rival, i, j)),
            ("P", mining_verdict(scene, i, j)),
            ("N", _among(selection, own, positive, alpha if positive else beta)),
        ),
    )


def _kind(positive: bool) -> str:
    return "positive" if positive else "negative"


def _self(scene: Scene, selection: Selection, i: int, j: int) -> Message:
    batch = scene.state.batch
    return msg(
        f"pairline.S.{_kind(bool(scene.pairs.pos[i, j]))}",
        anchor=selection.anchor,
        other=selection.other or 0,
        a=batch.class_name(batch.labels[i]),
        b=batch.class_name(batch.labels[j]),
        s=float(scene.sim[i, j]),
    )


def _against(scene: Scene, selection: Selection, rival: Rival | None, i: int, j: int) -> Message:
    positive, s = bool(scene.pairs.pos[i, j]), float(scene.sim[i, j])
    if rival is None:
        return msg(f"pairline.P.{_kind(positive)}.alone", anchor=selection.anchor)
    digits = max(3, digits_that_show(s, rival.s))
    return msg(
        f"pairline.P.{_kind(positive)}",
        p=number(rival.s - s if positive else s - rival.s, digits),
        s=_term(s, digits, first=not positive),
        rival=_term(rival.s, digits, first=positive),
        anchor=selection.anchor,
        at=rival.id,
    )


def _term(value: float, digits: int, first: bool) -> str:
    """A number in a difference; a negative one behind the minus needs its parentheses."""
    written = number(value, digits)
    return written if first or value >= 0 else f"({written})"


def _among(selection: Selection, own: list[Rival], positive: bool, sharp: float) -> Message:
    if len(own) == 1:
        return msg(f"pairline.N.{_kind(positive)}.alone", anchor=selection.anchor)
    strongest = own[1]  # the pair itself comes first
    return msg(
        f"pairline.N.{_kind(positive)}",
        n=float(own[0].share or 0.0),
        count=len(own),
        sharp=sharp,
        anchor=selection.anchor,
        at=strongest.id,
        s=strongest.s,
        share=float(strongest.share or 0.0),
    )
