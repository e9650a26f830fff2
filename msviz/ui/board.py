"""What the board draws: points, classes, edges, forces, ghosts and the words around them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from msviz.core.npair import Pairing
from msviz.data import Batch
from msviz.data.titles import batch_about, batch_title
from msviz.figures.theme import class_look
from msviz.text import msg, say
from msviz.views.board import Edge, Scales, board_view
from msviz.views.change import ChangeView
from msviz.views.norms import norms_words
from msviz.views.scene import Scene

CLASSES: Final = 10  # as many classes can be chosen on the board and by the keys 1 to 9 and 0


def board_head(now: Scene, change: ChangeView, scale: Scales) -> dict[str, Any]:
    """The board's part of the header that the browser is sent (see assets/board.js).

    Args:
        now: the evaluated state.
        change: what the last gesture changed: its ghosts.
        scale: what arrows and edges are drawn to.
    """
    view = board_view(now, scale)
    note = msg("board.edges.some", drawn=len(view.edges), total=view.total)
    return {
        "limit": (scale.start or now).limit,
        "board": _board(now),
        "edges": {
            "rows": [_edge(edge) for edge in view.edges],
            "note": say(note) if len(view.edges) < view.total else "",
        },
        "forces": np.round(view.forces, 3).ravel().tolist(),
        "ghosts": change.ghosts,
        **_points(now),
        **_looks(now.state.batch, change),
    }


def _board(now: Scene) -> dict[str, Any]:
    batch = now.state.batch
    title, about = say(batch_title(batch)), batch_about(batch)
    if batch.source.edited:
        title = say("source.edited", title=title)
    return {
        "title": say("board.title", m=batch.m, classes=len(batch.classes), title=title),
        "hint": say(_hint(now), d=batch.x.shape[1] if batch.m else 2),
        "about": say(about) if about else "",
        "editable": batch.editable,
        "planar": batch.planar and not now.scheme.loop,  # LoOp knows directions only
        "flat": not now.state.normalize,
        "norms": " ".join(say(words) for words in norms_words(now)),
        "camera": now.state.display.camera,
    }


def _hint(now: Scene) -> str:
    if not now.state.batch.editable:
        return "board.hint.projection"
    if now.state.batch.board.shape[1] == 3:
        return "board.hint.sphere"
    return "board.hint" if now.state.normalize else "board.hint.flat"


def _edge(edge: Edge) -> tuple[int, int, float, int, int]:
    """Its ends, how thick, 1 for a positive, and -1 pulled together, 1 pushed apart, 0 neither."""
    return edge.one, edge.two, round(edge.share, 2), int(edge.positive), int(np.sign(edge.net))


def _points(now: Scene) -> dict[str, Any]:
    batch, display = now.state.batch, now.state.display
    selection = display.selection
    return {
        "ids": batch.ids,
        "labels": batch.labels,
        "dim": batch.board.shape[1],
        "places": batch.board.ravel().tolist(),
        "next_id": batch.next_id,
        "selection": {"anchor": selection and selection.anchor, "other": selection and selection.other},
        "tuplets": _tuplets(now),
        "show": {"edges": display.edges, "forces": display.forces, "per_pair": display.per_pair},
    }


def _tuplets(now: Scene) -> dict[str, Any] | None:
    """Who is what in the tuplets that a scene compares; None where everybody meets everybody, or nobody anybody."""
    rows, ids = now.rows, np.array(now.state.batch.ids)
    if rows is None or now.refused is not None or now.scheme.pairing is Pairing.ALL:
        return None
    positives = rows.pairs.pos.nonzero()[:, 1]
    parts = {"anchors": rows.anchors, "positives": positives, "used": rows.used}
    return {name: ids[part.numpy()].tolist() for name, part in parts.items()}


def _looks(batch: Batch, change: ChangeView) -> dict[str, Any]:
    """Names and looks of the classes on the board, of its ghosts, and of the next one that a visitor can open."""
    palette = list(batch.classes) or [0, 1]
    if len(palette) == 1:
        palette.append(next(label for label in range(2) if label not in palette))
    free = next((label for label in range(256) if label not in palette), None)

    def look(label: int) -> dict[str, Any]:
        found = class_look(label)
        return {"name": batch.class_name(label), "color": found.color, "shape": found.shape}

    gone = {int(label) for *_, label in change.ghosts}  # the last point of a class leaves a ghost, but no class
    offered = free if len(palette) < CLASSES else None
    return {
        "palette": palette,
        "looks": {label: look(label) for label in sorted({*palette, *gone})},
        "next_class": offered,
        "next_look": None if offered is None else look(offered),
    }
