"""The N-pair lab: tuplets built of the current batch, and three losses that weigh them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from msviz.core.methods import Method
from msviz.core.npair import embeddings
from msviz.core.scheme import Scheme
from msviz.state import State
from msviz.state.npair_lab import BUILDS, NUMBERS, WEIGHS, NPairLab
from msviz.text import number, say
from msviz.ui.desk import Desk
from msviz.views.npair_batch import OFFERED
from msviz.views.npair_tables import LossTable, TupletsView, tuplets_view
from msviz.views.npair_words import lab_words, refused_words
from msviz.views.scene import Scene

MOST_SHOWN: Final = (*range(2, 11), 12, 16, 24, 32, 48)  # as many of the classes can be chosen


def npair_seen(state: State) -> tuple[State, Scheme]:
    """The state under the lab's three losses, the chosen one first; and how its batch is compared."""
    lab = state.display.npair
    others = tuple(_method(name, lab) for name in WEIGHS if name != lab.weigh)
    scheme = Scheme(pairing=lab.tuplets, classes=lab.n or None, penalty=0.0 if state.normalize else lab.penalty)
    return state.with_method(_method(lab.weigh, lab)).with_others(others), scheme


def _method(name: str, lab: NPairLab) -> Method:
    return Method(name, **({"lam": lab.margin} if name == "triplet" else {}))


def npair_data(desk: Desk, now: Scene) -> dict[str, Any]:
    """What assets/npair.js draws: what can be chosen, and the tables of what is built.

    Args:
        desk: the visitor's desk.
        now: its state, evaluated.
    """
    lab, view = now.state.display.npair, tuplets_view(now)
    penalty = None if now.scheme.normalize else lab.penalty
    words = [say(refused_words(now.refused, now.state.batch))] if now.refused is not None else []
    return {
        "choices": {"tuplets": _builds(now), "n": _counts(now), "weigh": _weighs(lab)},
        "params": _params(now),
        "flat": not now.state.normalize,
        "planar": now.state.batch.planar,
        "why_normal": _why_normal(now),
        "part": "" if view is None else say("page.npair.part", used=len(view.used), m=now.m),
        "refused": bool(words),
        "words": [say(line) for line in lab_words(view, penalty)] if view is not None else words,
        "offered": OFFERED,
        "enough": min(OFFERED, key=lambda n: abs(n - _n(now))),
        "tables": None if view is None else _tables(view),
    }


def _n(now: Scene) -> int:
    """N: as chosen, or all classes; never below 2, so that there is something to count."""
    return max(2, now.state.display.npair.n or len(now.state.batch.classes))


def _builds(now: Scene) -> list[dict[str, Any]]:
    n, chosen = _n(now), now.state.display.npair.tuplets
    most = max(embeddings(build, n) for build in BUILDS)
    return [
        {
            "value": build.value,
            "chosen": build is chosen,
            "name": say(f"page.npair.build.{build.value}"),
            "count": say(f"page.npair.count.{build.value}", n=n, more=n + 1, count=embeddings(build, n)),
            "who": say(f"page.npair.who.{'two' if n == 2 else 'many'}.{build.value}", others=n - 1),
            "share": embeddings(build, n) / most,
        }
        for build in BUILDS
    ]


def _counts(now: Scene) -> list[dict[str, Any]]:
    lab, classes = now.state.display.npair, len(now.state.batch.classes)
    offered = sorted({*(n for n in MOST_SHOWN if n < classes), *([lab.n] if lab.n else [])})
    listed = [{"value": n, "chosen": n == lab.n, "name": number(n)} for n in offered]
    return [*listed, {"value": 0, "chosen": not lab.n, "name": say("page.npair.n.all", classes=classes)}]


def _weighs(lab: NPairLab) -> list[dict[str, Any]]:
    return [
        {"value": name, "chosen": name == lab.weigh, "name": say(f"page.npair.loss.{name}.short")} for name in WEIGHS
    ]


def _params(now: Scene) -> list[dict[str, Any]]:
    """The sliders, as assets/sliders.js wants them; the penalty's is off while embeddings are normalised."""
    lab, found = now.state.display.npair, []
    for name in ("margin", "penalty"):
        info, value = NUMBERS[name], getattr(lab, name)
        off = name == "penalty" and now.scheme.normalize
        found.append(
            {
                **{key: getattr(info, key) for key in ("name", "low", "high", "bounds", "scale", "step", "whole")},
                "letter": say(f"page.npair.param.{name}"),
                "help": say(f"page.npair.param.{name}.help"),
                "value": None if off else value,
                "rest": value,
            }
        )
    return found


def _why_normal(now: Scene) -> str:
    """Why the penalty's slider is off; nothing where it is not."""
    if not now.scheme.normalize:
        return ""
    return say("page.npair.normal" if now.state.batch.planar else "page.npair.normal.always")


def _tables(view: TupletsView) -> dict[str, Any]:
    most = max(table.value for table in view.losses)
    return {
        "anchors": view.anchors,
        "labels": view.labels,
        "meets": _cells(view.meets),
        "sim": _cells(view.sim),
        "losses": [_loss(table, most) for table in view.losses],
    }


def _loss(table: LossTable, most: float) -> dict[str, Any]:
    name = table.method.name
    return {
        "name": name,
        "title": say(f"page.npair.loss.{name}"),
        "formula": say(f"page.npair.loss.{name}.formula", margin=getattr(table.method.params, "lam", 0.0)),
        "value": number(table.value, 3),
        "share": table.value / most if most else 0.0,
        "gradient": _cells(table.gradient),
    }


def _cells(values: np.ndarray) -> list[float | int | None]:
    """Row by row; None where there is no pair."""
    if values.dtype.kind == "i":
        return [None if it < 0 else it for it in values.ravel().tolist()]
    return [None if np.isnan(it) else round(it, 5) for it in values.ravel().tolist()]
