"""Mining, looked at closely: which anchors stand on a line, one anchor's reasons, and all reasons as a table."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Final

from msviz.text import Message, msg
from msviz.views.inspector import mining_verdict
from msviz.views.matrices import class_order, decisions
from msviz.views.scene import Scene

MOST_LINES: Final = 64  # anchors that are drawn as lines; of a larger batch those around the selected one
SENT_FROM: Final = 128  # points, from which on the browser does not have the whole matrix (views/blocks.py)
FEW_LINES: Final = 24  # anchors of so large a batch: each brings hundreds of numbers


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
    count = MOST_LINES if m < SENT_FROM else FEW_LINES
    order, selection = class_order(scene), scene.state.display.selection
    at = 0 if selection is None else order.index(scene.state.batch.index(selection.anchor))
    first = max(0, min(at - count // 2, m - count))
    key = "mining.lines.first" if selection is None else "mining.lines.around"
    note = msg(key, count=count, m=m, **({} if selection is None else {"anchor": selection.anchor}))
    return LinesView(first, count, note, _sent(scene, order, range(first, first + count)) if m >= SENT_FROM else {})


def _sent(scene: Scene, order: tuple[int, ...], ranks: range) -> dict[int, tuple[list[float], list[int]]]:
    columns, decided, sim = list(order), decisions(scene), scene.sim.numpy().round(4)
    return {rank: (sim[order[rank], columns].tolist(), decided[order[rank], columns].tolist()) for rank in ranks}


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
    """

    anchor: int | None
    title: Message
    hint: Message
    rows: tuple[ReasonRow, ...]


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
    i = batch.index(selection.anchor)
    others = sorted((j for j in range(scene.m) if j != i), key=lambda j: (-float(scene.sim[i, j]), batch.ids[j]))
    sim, weights, kept = scene.sim[i].tolist(), scene.weights[i].tolist(), scene.kept[i].tolist()
    positive = scene.pairs.pos[i].tolist()
    rows = tuple(
        ReasonRow(batch.ids[j], positive[j], kept[j], sim[j], weights[j], short_reason(scene, i, j)) for j in others
    )
    counts = {
        "positives": sum(row.kept and row.positive for row in rows),
        "all_positives": sum(row.positive for row in rows),
        "negatives": sum(row.kept and not row.positive for row in rows),
        "all_negatives": sum(not row.positive for row in rows),
    }
    return ReasonsView(
        selection.anchor, msg("mining.reasons.title", anchor=selection.anchor, **counts), _compared(scene, i), rows
    )


def _compared(scene: Scene, i: int) -> Message:
    epsilon, bounds, ids = scene.state.method.epsilon, scene.bounds, scene.state.batch.ids
    if epsilon is None:
        return msg("mining.off")
    least, most = int(bounds.hardest_pos_at[i]), int(bounds.hardest_neg_at[i])
    if least < 0 or most < 0:
        return msg("mining.no_negative" if most < 0 else "mining.no_positive", anchor=ids[i])
    rivals = {"least": float(bounds.hardest_pos[i]), "most": float(bounds.hardest_neg[i])}
    return msg("mining.reasons.rivals", positive=ids[least], negative=ids[most], **rivals)


def short_reason(scene: Scene, i: int, j: int) -> Message:
    """What `mining_verdict` says of the pair (i, j) of batch rows, shorter."""
    verdict = mining_verdict(scene, i, j)
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
    """Every pair with its reason, a row each, in class order; numbers in full, empty where nothing is compared."""
    batch, found, epsilon = scene.state.batch, scene.reasons, scene.state.method.epsilon
    order, text = class_order(scene), io.StringIO()
    names = [batch.class_name(label) for label in batch.labels]
    rival_at, rival, limit = found.rival_at.tolist(), found.rival.tolist(), found.limit.tolist()
    positive, kept, sim, weights = (table.tolist() for table in (found.positive, found.kept, scene.sim, scene.weights))
    write = csv.writer(text, lineterminator="\n")
    write.writerow(CSV_COLUMNS)
    for i in order:
        for j in order:
            if i == j:
                continue
            compared = epsilon is not None and rival_at[i][j] >= 0
            write.writerow(
                (
                    *(batch.ids[i], batch.ids[j], names[i], names[j], "positive" if positive[i][j] else "negative"),
                    repr(sim[i][j]),
                    *((batch.ids[rival_at[i][j]], repr(rival[i][j])) if compared else ("", "")),
                    *((epsilon, repr(limit[i][j])) if compared else ("" if epsilon is None else epsilon, "")),
                    *(int(kept[i][j]), repr(weights[i][j])),
                )
            )
    return text.getvalue()
