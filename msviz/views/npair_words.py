"""What the tables of the N-pair lab show, in words: how the three losses compare, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from msviz.core.errors import MsvizError
from msviz.data import Batch
from msviz.text import Message, msg
from msviz.views.npair_tables import LossTable, TupletsView

VISIBLE: Final = 0.005  # of a push: less does not show in whole per cents


def lab_words(view: TupletsView, penalty: float | None) -> tuple[Message, ...]:
    """The sentences under the tables.

    Args:
        view: the tables.
        penalty: its strength where norms count; None where they do not.
    """
    mc, ovo, triplet = (table.value for table in view.losses)
    margin = view.loss("triplet").method.params.lam
    said = {"n": view.n, "mc": mc, "ovo": ovo, "triplet": triplet, "margin": margin}
    words = []
    if view.negatives == 1:
        words.append(msg("page.npair.words.two" if view.n == 2 else "page.npair.words.one", **said))
    else:
        resting = int((view.loss("triplet").per_anchor == 0).sum())
        words.append(msg("page.npair.words.many", negatives=view.negatives, times=ovo / mc, **said))
        words.append(msg("page.npair.words.hinge", resting=resting, **said))
        words.extend(_hardest(view))
    if penalty is not None:
        words.append(msg("page.npair.words.penalty", strength=penalty, norm=view.norm, value=penalty * view.norm))
    return tuple(words)


def refused_words(error: MsvizError, batch: Batch) -> Message:
    """Why no tuplets could be built; the core knows classes by their numbers, people by their names.

    Example:
        >>> from msviz.data import PRESETS
        >>> error = MsvizError("error.tuplets_members", "", classes=3, need=2, name="2", got=1)
        >>> refused_words(error, PRESETS["singleton"].make()).values["name"]
        'C'
    """
    values = dict(error.values)
    if error.key == "error.tuplets_members":
        values["name"] = batch.class_name(int(values["name"]))
    return msg(error.key, **values)


def _hardest(view: TupletsView) -> Iterator[Message]:
    """Where N-pair-mc and one-vs-one differ most: how much of an anchor's push its hardest negative gets.

    Nothing where no anchor has a harder negative than the others: alike they share alike in both.
    """
    negative = (view.meets >= 0) & ~np.eye(view.n, dtype=bool)
    hardest = np.where(negative, view.sim, -np.inf).argmax(1)
    mc, ovo = (_shares(view.loss(name), negative)[np.arange(view.n), hardest] for name in ("npair", "npair_ovo"))
    i = int((mc - ovo).argmax())
    if mc[i] - ovo[i] < VISIBLE:
        return
    yield msg(
        "page.npair.words.hardest",
        anchor=view.anchors[i],
        other=int(view.meets[i, hardest[i]]),
        mc=float(mc[i]),
        ovo=float(ovo[i]),
    )


def _shares(table: LossTable, negative: np.ndarray) -> np.ndarray:
    push = np.where(negative, table.gradient, 0.0)
    total = push.sum(1, keepdims=True)
    return np.asarray(push / np.where(total > 0, total, 1.0))
