"""The pictures of one step of a run: board and matrices, as messages to benches of their own (assets/train.js)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from msviz.core.scheme import Scheme
from msviz.data import Batch
from msviz.state import History, State
from msviz.text import say
from msviz.training.sources import Digits
from msviz.ui import session
from msviz.ui.bench import message
from msviz.ui.desk import Desk
from msviz.ui.layouts import LAYOUTS
from msviz.ui.recording import Frame, step_of
from msviz.ui.runs import Run
from msviz.ui.train_eye import Eye, among_all
from msviz.views.scene import Scene, scene
from msviz.views.training import EXACT, board_steps, kept_batch, neighbours, placed, snapshot_state

LOOKS: Final = ("select", "show", "zoom")


@dataclass(frozen=True)
class Wanted:
    """What a visitor wants to see.

    Args:
        step: a recorded one; None = the newest.
        board: "probe", the same items all along; "batch", the step's; or "tsne", the probe by t-SNE while it rests.
        looks: "board" and "pairs": the last event of each kind that only changes what is shown there.
    """

    step: int | None
    board: str
    looks: Mapping[str, tuple[Mapping[str, Any], ...]]


@dataclass(frozen=True)
class Shown:
    """Pictures and what they are of.

    Args:
        head: for the answer's header: the step, "have", the messages' "sizes".
        frame: the step's snapshots.
        messages: for each of them the board's and the matrices'; none when the visitor has them.
    """

    head: dict[str, Any]
    frame: Frame
    messages: tuple[bytes, ...]


def pictures(run: Run, wanted: Wanted, have: str) -> Shown | None:
    """The pictures of the step that is wanted; None before the first.

    Args:
        run: whose.
        wanted: the step and how to look at it.
        have: what the visitor sees already, as `Shown.head` said it.
    """
    found = _frames(run, wanted.step, wanted.board == "batch")
    if found is None or run.engine is None:
        return None
    frame, board = found
    moving = run.status.doing == "playing" and wanted.step is None
    made_of = [(shot.method, shot.stop, shot.probe_x is None) for shot in frame]
    key = repr((run.era, step_of(frame), made_of, wanted.board, moving, wanted.looks))
    head = {
        "shown": step_of(frame),
        "board_step": step_of(board),
        "have": key,
        "stop": "" if frame[0].stop is None else say(frame[0].stop.key),
    }
    if key == have:
        return Shown(head, frame, ())
    eye = Eye.of(run, frame)
    messages = [
        part
        for side in range(len(frame))
        for part in (
            _board(run, wanted, eye, board, side, moving, frame),
            _pairs(run, wanted, eye, frame, side, moving),
        )
    ]
    return Shown(head | {"sizes": [len(part) for part in messages]}, frame, tuple(messages))


def kept(run: Run, step: int, batch: bool, name: str) -> Batch | None:
    """A step as a batch for every page; None when it is no more.

    Args:
        run: whose.
        step: a recorded one, or the newest.
        batch: the step's batch, in place of the probe.
        name: what is trained.
    """
    found = _frames(run, step, batch)
    if found is None or run.engine is None:
        return None
    _, frame = found
    shot, data = frame[0], run.engine.data
    of_probe = not batch and shot.probe_x is not None
    x, rows = (shot.probe_x, run.engine.probe) if of_probe else (shot.x, shot.rows)
    assert x is not None
    is_digits = isinstance(run.engine.config.data, Digits)  # the only ones whose images a link can name
    note = {"setup": name, "step": shot.step}
    axes = Eye.of(run, frame).axes(run, frame, 0)
    return kept_batch(x, data.labels[rows], axes, note, data.names, rows if is_digits else None)


def _frames(run: Run, step: int | None, batch: bool) -> tuple[Frame, Frame] | None:
    """The frame of a step, and the one for its board: the same, or the last one before that has the probe."""
    newest = run.latest
    if newest is None:
        return None
    frame = newest if step is None or step >= step_of(newest) else run.recording.at(step) or newest
    if batch or frame[0].probe_x is not None:
        return frame, frame
    return frame, run.recording.probed(step_of(frame)) or frame


def _board(run: Run, wanted: Wanted, eye: Eye, frame: Frame, side: int, moving: bool, shown: Frame) -> bytes:
    assert run.engine is not None
    shot, data = frame[side], run.engine.data
    probe = wanted.board != "batch" and shot.probe_x is not None
    rows, x = (run.engine.probe, shot.probe_x) if probe else (shot.rows, shot.x)
    assert x is not None
    labels, axes = data.labels[rows], eye.axes(run, frame, side)
    by_neighbours = wanted.board == "tsne" and axes is not None and not moving
    places = neighbours(x) if by_neighbours else placed(x, axes)
    state = snapshot_state(x, labels, shot.method, places, data.names)
    scheme = among_all(shot.scheme) if probe else shot.scheme
    now, desk = _looked_at(state, scheme, wanted.looks.get("board", ()), moving)
    scales = eye.scales(run, "probe" if probe else "batch", side, now)
    title = say("train.board.probe" if probe else "train.board.batch", m=now.m, classes=len(now.state.batch.classes))
    if not moving and step_of(frame) != step_of(shown):  # at full speed the probe is embedded at some steps alone
        title = say("train.board.earlier", title=title, step=step_of(frame))
    board = {
        "title": title,
        "hint": _hint(x.shape[1], scheme, shot.scheme, by_neighbours),
        "editable": False,
        "planar": False,
        "flat": False,
        "about": "",
        "norms": "",
        "camera": now.state.display.camera,
    }
    steps = np.zeros(places.shape) if by_neighbours else board_steps(now, axes, scales.force)
    forces = np.round(steps, 3).ravel().tolist()
    own = _own(rows)
    return message(desk, now, None, scales, LAYOUTS["train_board"], board=board, forces=forces, **own)


def _pairs(run: Run, wanted: Wanted, eye: Eye, frame: Frame, side: int, moving: bool) -> bytes:
    assert run.engine is not None
    shot = frame[side]
    nowhere = np.zeros((len(shot.rows), 2))  # nobody sees this board
    state = snapshot_state(shot.x, shot.labels, shot.method, nowhere, run.engine.data.names)
    now, desk = _looked_at(state, shot.scheme, wanted.looks.get("pairs", ()), moving)
    layout = LAYOUTS["train_pairs" if len(frame) == 1 else "train_duel"]
    return message(desk, now, None, eye.scales(run, "batch", side, now), layout, **_own(shot.rows))


def _hint(d: int, shown: Scheme, run: Scheme, by_neighbours: bool) -> str:
    """How to read a board of d dimensions, and where it compares otherwise than the run."""
    if by_neighbours:
        return say("train.board.hint.tsne", d=d)
    hint = say(f"train.board.hint.{'dot' if d <= EXACT and not shown.normalize else min(4, d)}", d=d)
    return hint if shown.pairing == run.pairing else f"{hint} {say('train.board.hint.everybody')}"


def _looked_at(state: State, scheme: Scheme, looks: Iterable[Mapping[str, Any]], moving: bool) -> tuple[Scene, Desk]:
    """The state as the visitor looks at it, evaluated; while the run moves, as in a drag, colours are sent as bytes."""
    allowed = [{**look, "seq": at} for at, look in enumerate(looks, 1) if look.get("kind") in LOOKS]
    desk = Desk(History(state), open=moving).apply(session.BENCH, allowed)
    return scene(desk.state, scheme), desk


def _own(rows: np.ndarray) -> dict[str, Any]:
    """What a run's message says otherwise: which items its points are, no link to them, and no words."""
    return {"items": rows.tolist(), "link": {"query": "", "first": "", "refused": None}, "texts": None}
