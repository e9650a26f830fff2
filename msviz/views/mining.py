"""Mining, looked at closely: which anchors stand on a line, one anchor's reasons, and all reasons as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from msviz.core.reasons import Reasons
from msviz.text import Message, msg
from msviz.views.csv_text import csv_text
from msviz.views.decision import Decision
from msviz.views.inspector import mining_verdict
from msviz.views.matrices import class_order
from msviz.views.scene import Scene

MOST_LINES: Final = 64  # anchors that are drawn as lines; of a larger batch those around the selected one
SENT_FROM: Final = 128  # points, from which on the browser does not have the whole matrix (views/blocks.py)
FEW_LINES: Final = 24  # anchors of so large a batch: each brings hundreds of numbers,
MOST_MARKS: Final = 12_288  # and there are at most so many, but five anchors
MOST_ROWS: Final = 200  # pairs of an anchor that are listed
CSV_UP_TO: Final = 512  # points, up to which all reasons are written; of more those of the selected anchor


# ---- which lines -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LinesView:
    """Which anchors are drawn as number lines.

    Args:
        first: the place of the first one in class order.
        count: how many.
        note: why it is not all of them; None when it is.
        sent: for large batches, by place: S to every point and the decision of every pair, in class order.
    """

    first: int
    count: int
    note: Message | None
    sent: dict[int, tuple[list[float], list[int]]]


def lines_view(scene: Scene) -> LinesView:
    """The anchors to draw: up to 64 all of them, of more those around the selected anchor.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> view = lines_view(scene(default_state()))
        >>> view.first, view.count, view.note
        (0, 14, None)
    """
    m = scene.m
    if m <= MOST_LINES:
        return LinesView(0, m, None, {})
    count = MOST_LINES if m < SENT_FROM else max(5, min(FEW_LINES, MOST_MARKS // m))
    order, selection = class_order(scene), scene.state.display.selection
    at = 0 if selection is None else order.index(scene.state.batch.index(selection.anchor))
    first = max(0, min(at - count // 2, m - count))
    key = "mining.lines.first" if selection is None else "mining.lines.around"
    note = msg(key, count=count, m=m, **({} if selection is None else {"anchor": selection.anchor}))
    return LinesView(first, count, note, _sent(scene, order, range(first, first + count)) if m >= SENT_FROM else {})


def _sent(scene: Scene, order: tuple[int, ...], ranks: range) -> dict[int, tuple[list[float], list[int]]]:
    columns, rows = torch.tensor(order), torch.tensor(order[ranks.start : ranks.stop])
    pairs, mined = scene.pairs.rows(rows), scene.evaluation.mined.rows(rows)
    decided = torch.where(pairs.pos, Decision.POSITIVE_DROPPED.value, Decision.SELF.value)
    decided = torch.where(pairs.neg, Decision.NEGATIVE_DROPPED.value, decided)
    decided = (decided - (mined.pos | mined.neg).int())[:, columns]  # kept stands one before dropped
    sim = np.round(scene.sim[rows][:, columns].double().numpy(), 4)
    return {rank: (sim[k].tolist(), decided[k].tolist()) for k, rank in enumerate(ranks)}


# ---- reasons -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReasonRow:
    """One pair of an anchor and why it counts or does not.

    Args:
        other: id of the other point.
        positive: same class.
        kept: the pair counts.
        s: S_ij.
        w: its weight.
        why: what mining compared, short: "kept: 0.62 > 0.65 - 0.1".
    """

    other: int
    positive: bool
    kept: bool
    s: float
    w: float
    why: Message


@dataclass(frozen=True)
class ReasonsView:
    """The reasons of the selected anchor.

    Args:
        anchor: its id; None when nothing is selected.
        title: how many of its pairs are kept, or what to do first.
        hint: what its pairs are compared with.
        rows: its pairs, the most similar first.
        some: why it is not all of them; None when it is.
    """

    anchor: int | None
    title: Message
    hint: Message
    rows: tuple[ReasonRow, ...]
    some: Message | None = None


def reasons_view(scene: Scene) -> ReasonsView:
    """Why each pair of the selected anchor is kept or dropped.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.text import say
        >>> from msviz.views.scene import scene
        >>> say(reasons_view(scene(default_state().select(4))).rows[0].why)
        'kept: 0.98 > 0.24 \u2212 0.1 (4\u21920)'
    """
    selection, batch = scene.state.display.selection, scene.state.batch
    if selection is None:
        return ReasonsView(None, msg("mining.reasons.nothing"), msg("mining.reasons.how"), ())
    i, known = batch.index(selection.anchor), scene.reasons_of(batch.index(selection.anchor))
    sim, kept, positive = scene.sim[i].tolist(), known.kept[0].tolist(), known.positive[0].tolist()
    weights = scene.evaluation.gradient[i].abs().tolist()
    others = sorted((j for j in range(scene.m) if j != i), key=lambda j: (-sim[j], batch.ids[j]))
    listed = others
    if len(others) > MOST_ROWS:
        narrow = _nearest_to_their_gate(scene, i, known)
        listed = [j for j in others if j in narrow]

    def row(j: int) -> ReasonRow:
        return ReasonRow(batch.ids[j], positive[j], kept[j], sim[j], weights[j], short_reason(scene, i, j, known))

    rows = tuple(map(row, listed))
    mined, pairs = scene.evaluation.mined, scene.pairs
    counts = {
        "positives": int(mined.pos[i].sum()),
        "all_positives": int(pairs.pos[i].sum()),
        "negatives": int(mined.neg[i].sum()),
        "all_negatives": int(pairs.neg[i].sum()),
    }
    title = msg("mining.reasons.title", anchor=selection.anchor, **counts)
    some = msg("mining.reasons.some", count=len(rows), all=len(others)) if len(rows) < len(others) else None
    return ReasonsView(selection.anchor, title, _compared(scene, i), rows, some)


def _nearest_to_their_gate(scene: Scene, i: int, known: Reasons) -> set[int]:
    """The pairs that mining decides most narrowly, and the selected one."""
    away = (known.compared[0] - known.limit[0]).abs().nan_to_num(0.0)
    away[i] = torch.inf
    nearest = set(away.argsort(stable=True)[:MOST_ROWS].tolist())
    selection = scene.state.display.selection
    if selection is not None and selection.other is not None:
        nearest.add(scene.state.batch.index(selection.other))
    return nearest


def _compared(scene: Scene, i: int) -> Message:
    epsilon, bounds, ids = scene.state.method.epsilon, scene.bounds, scene.state.batch.ids
    if epsilon is None:
        return msg("mining.off")
    least, most = int(bounds.hardest_pos_at[i]), int(bounds.hardest_neg_at[i])
    if least < 0 or most < 0:
        return msg("mining.no_negative" if most < 0 else "mining.no_positive", anchor=ids[i])
    rivals = {"least": float(bounds.hardest_pos[i]), "most": float(bounds.hardest_neg[i])}
    return msg("mining.reasons.rivals", positive=ids[least], negative=ids[most], **rivals)


def short_reason(scene: Scene, i: int, j: int, known: Reasons) -> Message:
    """What `mining_verdict` says of the pair (i, j) of batch rows, shorter."""
    verdict = mining_verdict(scene, i, j, known)
    _, *parts = verdict.key.split(".")
    if len(parts) == 1:  # nothing was compared
        return Message(f"mining.short.{parts[0]}", verdict.values)
    kind, decision = parts
    return Message(f"mining.short.{kind}.{decision}", verdict.values)


CSV_COLUMNS: Final = (
    *("anchor", "other", "anchor_class", "other_class", "kind", "s", "rival", "rival_s", "epsilon", "limit"),
    *("kept", "weight"),
)


def reasons_csv(scene: Scene) -> str:
    """Every pair with its reason, a row each, in class order; numbers in full, empty where nothing is compared.

    Of more than 512 points the pairs of the selected anchor only: all would be millions of rows.
    """
    return csv_text(CSV_COLUMNS, _reason_rows(scene))


def _reason_rows(scene: Scene) -> Iterator[tuple[object, ...]]:
    batch, epsilon, selection = scene.state.batch, scene.state.method.epsilon, scene.state.display.selection
    order = class_order(scene)
    anchors = order if scene.m <= CSV_UP_TO else () if selection is None else (batch.index(selection.anchor),)
    names = [batch.class_name(label) for label in batch.labels]
    for i in anchors:
        found = scene.reasons_of(i)
        rival_at, rival, limit = found.rival_at[0].tolist(), found.rival[0].tolist(), found.limit[0].tolist()
        positive, kept = found.positive[0].tolist(), found.kept[0].tolist()
        sim, weights = scene.sim[i].tolist(), scene.weights[i].tolist()
        for j in order:
            if i == j:
                continue
            compared = epsilon is not None and rival_at[j] >= 0
            yield (
                *(batch.ids[i], batch.ids[j], names[i], names[j], "positive" if positive[j] else "negative"),
                repr(sim[j]),
                *((batch.ids[rival_at[j]], repr(rival[j])) if compared else ("", "")),
                *((epsilon, repr(limit[j])) if compared else ("" if epsilon is None else epsilon, "")),
                *(int(kept[j]), repr(weights[j])),
            )
