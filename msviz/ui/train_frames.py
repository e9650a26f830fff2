"""What POST msviz/run answers: what a visitor does to a run, and the pictures of one of its steps.

As with a drag (`msviz.ui.frames`) nothing of it passes through a script run: the component asks here, some ten times a
second while a run plays, and the answer holds only what it does not have yet.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from msviz.core.errors import MsvizError
from msviz.text import say, say_error
from msviz.training.duel import Divergence
from msviz.ui.compare import share
from msviz.ui.components import pack
from msviz.ui.recording import Frame, Recording, step_of
from msviz.ui.runs import RUNS, Run
from msviz.ui.train_pictures import Wanted, pictures
from msviz.ui.worker import SPEEDS
from msviz.views.training import EXACT
from msviz.views.training_words import change_marks, left_words

MAX_DOS: Final = 50
MAX_PICTURES: Final = 2000


@dataclass(frozen=True)
class _Request:
    run: Run
    dos: tuple[Mapping[str, Any], ...]
    wanted: Wanted
    era: int
    curve: int
    have: str


def answer(body: bytes) -> bytes:
    """Do what a visitor asks of a run, and say how it stands.

    Args:
        body: JSON, {"run": its token, "do": a list of {"kind": one of `_DO`, ...}, "want": a step or null for the
            newest, "board": what stands on it, "looks": what is selected and shown, "era" and "curve": how much of
            the curves is there, "have": the picture that is there}.

            Or {"run": its token, "pictures": rows of its data}.

    Returns:
        `pack`ed: how the run stands, curves from "curve" on; then, unless "have" is what they show, the pictures'
        messages, whose lengths stand in "sizes" (see assets/train.js). {"gone": true} for a run that is no more.

    Raises:
        ValueError: the body is not of that form.

    Example:
        >>> answer(b'{"run": "nobody\\'s"}').rstrip()[4:]
        b'{"gone":true}'
    """
    request = _read(body)
    if request is None:
        return pack({"gone": True})
    if isinstance(request, bytes):
        return request
    run, refused = request.run, None
    for do in request.dos:
        try:
            _DO[str(do["kind"])](run, do)
        except MsvizError as error:
            refused = error
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"expected one of {', '.join(_DO)} with what it needs, got {str(do)[:80]}") from error
    run.poll()
    try:
        return _say(request, refused)
    except Exception:
        if run.token in RUNS:
            raise
        return pack({"gone": True})  # the tab was closed while this was drawn


def _read(body: bytes) -> _Request | bytes | None:
    """The request; None for a run that is no more; the answer itself where just a picture of an item is asked for."""
    try:
        asked = json.loads(body)
        run = RUNS.get(asked["run"])
        if run is None:
            return None
        if "pictures" in asked:
            return _pictures(run, [int(row) for row in asked["pictures"]])
        dos, want = asked.get("do", []), asked.get("want")
        looks = {name: tuple(map(dict, events)) for name, events in asked.get("looks", {}).items()}
        wanted = Wanted(None if want is None else int(want), str(asked.get("board", "probe")), looks)
        era, curve = int(asked.get("era", 0)), int(asked.get("curve", 0))
        if len(dos) > MAX_DOS or not all(isinstance(do, dict) for do in dos) or curve < 0:
            raise ValueError
        return _Request(run, tuple(dos), wanted, era, curve, str(asked.get("have", "")))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError('expected JSON {"run": a text, "do": a list of objects, ...}') from error


def _pictures(run: Run, rows: list[int]) -> bytes:
    """The grey values of some items, one after the other; nothing where items are no pictures."""
    data = None if run.engine is None else run.engine.data
    if data is None or data.thumbnails is None:
        return b""
    if len(rows) > MAX_PICTURES or not all(0 <= row < data.n for row in rows):
        raise ValueError
    return data.thumbnails[rows].tobytes()


def _speed(run: Run, do: Mapping[str, Any]) -> None:
    if do["to"] not in SPEEDS:
        raise ValueError
    run.speed = do["to"]


def _param(run: Run, do: Mapping[str, Any]) -> None:
    """A slider of the strip while it is held: the visitor's desk hears of it when it is let go."""
    if run.engine is not None:
        run.set(method=run.engine.method.replace(**{str(do["target"]): float(do["value"])}))


_DO: Final[Mapping[str, Callable[[Run, Mapping[str, Any]], object]]] = {
    "play": lambda run, do: run.play(),
    "pause": lambda run, do: run.pause(),
    "step": lambda run, do: run.step(),
    "rewind": lambda run, do: run.rewind(),
    "close": lambda run, do: run.close(),
    "speed": _speed,
    "rate": lambda run, do: run.set(learning_rate=float(do["to"])),
    "param": _param,
}


def _say(request: _Request, refused: MsvizError | None) -> bytes:
    run, recording = request.run, request.run.recording
    status, engine = run.status, run.engine
    begins = 0 if request.era != run.era else request.curve
    left = left_words(status.seconds_left) if status.doing == "playing" else None
    head: dict[str, Any] = {
        "era": run.era,
        "doing": status.doing,
        "words": say(f"train.doing.{status.doing}", place=status.place, share=run.prepared),
        "left": "" if left is None else say(left),
        "speed": run.speed,
        "rate": None if engine is None else engine.learning_rate,
        "error": "" if status.error is None else say_error(status.error),
        "refused": "" if refused is None else say_error(refused),
        "many": engine is not None and engine.config.dimensions > EXACT,
        "step": status.step,
        "total": 0 if engine is None else engine.total,
        "begins": begins,
        "losses": [[_finite(loss) for loss in losses] for losses in recording.losses[begins:]],
        "grid": recording.grid,
        "mined": recording.mined(),
        "recalls": recording.recalls,
        "changes": [] if engine is None else _changes(run),
        "divergence": None if engine is None or engine.divergence is None else _parting(engine.divergence),
        "sizes": [],
    }
    shown = pictures(run, request.wanted, request.have)
    if shown is None:
        return pack(head)
    head |= shown.head | {"figures": _figures(recording, shown.frame)}
    return pack(head, *(np.frombuffer(message, dtype=np.uint8) for message in shown.messages))


def _changes(run: Run) -> list[tuple[int, str]]:
    assert run.engine is not None
    near = max(1, run.engine.total // 100)
    return [(step, say(mark)) for step, mark in change_marks(run.engine.changes, run.engine.method, near)]


def _parting(found: Divergence) -> dict[str, Any]:
    anchor, other = found.pair
    shares = {"one": share(found.share_a), "two": share(found.share_b)}
    words = say("train.parting", step=found.step, anchor=anchor, other=other, **shares)
    return {"step": found.step, "pair": found.pair, "words": words}


def _figures(recording: Recording, frame: Frame) -> dict[str, list[float | None]]:
    """The numbers of a step, one of each side; Recall@1 is the last that was measured."""
    measured = [recall for step, recall in recording.recalls if step <= step_of(frame)]
    return {
        "loss": [_finite(shot.loss) for shot in frame],
        "recall": list(measured[-1]) if measured else [None for _ in frame],
        "mined": [shot.mined_share for shot in frame],
        "norm": [_finite(shot.gradient_norm) for shot in frame],
        "speed": [_finite(shot.images_per_second) for shot in frame],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
