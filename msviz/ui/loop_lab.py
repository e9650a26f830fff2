"""The LoOp lab: the closest points of two arcs, and what becomes of a batch when they replace its negatives."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import streamlit as st

from msviz.core.scheme import PLAIN, Scheme
from msviz.data import Batch
from msviz.figures.loop import pairs_figure
from msviz.state import State
from msviz.text import Message, number, say
from msviz.ui import session
from msviz.ui.desk import Desk, with_loss
from msviz.ui.picture import CHART, savable
from msviz.ui.tables import plain_table
from msviz.views.in_blocks import DENSE
from msviz.views.loop_examples import circle_four, random_four, sphere_four
from msviz.views.loop_four import FourView, Pair, four_view
from msviz.views.loop_methods import LOSSES, Figures, MethodRow, method_rows
from msviz.views.loop_pairs import PairsView, pairs_csv, pairs_view
from msviz.views.loop_words import (
    BOUNDS,
    case_title,
    case_words,
    gain_words,
    multiplier_words,
    pairs_words,
    solution_words,
)
from msviz.views.method_name import loss_title, method_name
from msviz.views.scene import Scene

_SEED: Final = "msviz.loop.seed"
_TRAIN: Final = Path(__file__).parents[2] / "pages" / "train" / "train.py"


def loop_seen(state: State) -> tuple[State, Scheme]:
    """The state by directions, with every negative's similarity that of its optimal hard negative.

    Those of more than 512 points are not computed: then with plain similarities.
    """
    directed = state if state.normalize else state.with_normalize(True)
    return directed, Scheme(loop=True) if state.batch.m <= DENSE else PLAIN


def loop_data(desk: Desk, now: Scene) -> dict[str, Any]:
    """What assets/arcs.js and assets/loop.js draw: head.more.loop, or None and why.

    Args:
        desk: the visitor's desk.
        now: its state, evaluated.
    """
    view = four_view(now)
    if isinstance(view, Message):
        return {"loop": None, "why": say(view)}
    return {"loop": {**_numbers(view), **_words(view, now.state, desk)}, "why": ""}


def _numbers(view: FourView) -> dict[str, Any]:
    return {
        "ids": view.ids,
        "case": view.case,
        "a": view.a,
        "b": view.b,
        "lengths": view.lengths,
        "box": view.box,
        "parts": view.parts,
        "marks": [asdict(mark) for mark in view.marks],
        "touching": view.touching,
        "antipodal": view.antipodal,
        "distances": [
            {"name": _pair_name(pair), "distance": pair.distance, "similarity": pair.similarity}
            for pair in (view.closest, *view.pairs)
        ],
        "multipliers": list(zip(BOUNDS, view.multipliers, strict=True)),
    }


def _pair_name(pair: Pair) -> str:
    if pair.ids is None:
        return say("page.loop.closest", one=pair.one, two=pair.two)
    return say("page.loop.pair", one=pair.one, two=pair.two, i=pair.ids[0], j=pair.ids[1])


def _words(view: FourView, state: State, desk: Desk) -> dict[str, Any]:
    one, two = (state.batch.class_name(label) for label in view.labels)
    lines = [
        Message("page.loop.read"),
        *case_words(view),
        *([] if desk.state.normalize else [Message("page.loop.directions")]),
    ]
    if state.batch.m > DENSE:
        lines.append(Message("page.loop.large", {"limit": DENSE}))
    return {
        "names": {"one": one, "two": two},
        "pairs": say(pairs_words(view, (one, two))),
        "title": say(case_title(view)),
        "lines": [say(line) for line in lines],
        "solution": say(solution_words(view)),
        "held": say(multiplier_words(view)),
        "gains": [say(gain) for gain in gain_words(view)],
        "moving": desk.open,
    }


def choices() -> None:
    """Buttons that put four points on the board, and that choose a loss for which LoOp is made."""
    seed = session.widget(_SEED, 0)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="msviz.loop.choices"):
        for name, make in (("circle", circle_four), ("sphere", sphere_four)):
            st.button(say(f"page.loop.load.{name}"), key=f"msviz.loop.{name}", on_click=lambda make=make: _load(make()))
        st.button(
            say("page.loop.load.random"),
            key="msviz.loop.random",
            icon=":material/casino:",
            help=say("page.loop.load.random.help", seed=seed),
            on_click=_draw,
        )
        st.markdown(say("page.loop.losses"), width="content")
        for name in LOSSES:
            st.button(loss_title(name), key=f"msviz.loop.{name}", on_click=_choose, args=(name,))


def _load(batch: Batch) -> None:
    """Four points as one step of the history; the pairs are the first ones, whatever was selected."""
    desk = session.desk()
    session.put(desk.load(desk.state.with_batch(batch).select(None)))


def _draw() -> None:
    seed = session.widget(_SEED, 0)
    session.keep(_SEED, seed + 1)
    _load(random_four(seed, 3 if session.desk().state.batch.board.shape[1] == 3 else 2))


def _choose(loss: str) -> None:
    desk = session.desk()
    session.put(desk.load(desk.state.with_method(with_loss(desk.state.method, loss))))


@st.fragment(key=session.BELOW)
def below() -> None:
    """All pairs of the two classes as matrices, then what triplet and multi-similarity make of the batch."""
    now, _ = session.scenes(loop_seen)
    view = four_view(now)
    if isinstance(view, Message):
        return
    _pairs(pairs_view(now, view))
    if now.scheme.loop:
        _methods(method_rows(now))
    else:
        st.markdown(say("page.loop.large", limit=DENSE))
    st.markdown(say("page.loop.train"))
    st.page_link(_TRAIN, label=say("page.loop.train.link"), icon=":material/arrow_forward:")


def _pairs(view: PairsView) -> None:
    one, two = view.names
    title = say("page.loop.matrix.title", one=one, two=two)
    words = " ".join(say(line) for line in view.summary)
    with savable("loop_pairs", title, f"msviz-loop-pairs-{one}-{two}", lambda: pairs_csv(view)):
        st.markdown(say("page.loop.matrix.text", one=one, two=two))
        for column, kind in zip(st.columns(2), ("plain", "loop"), strict=True):
            with column:
                heading = say(f"page.loop.matrix.{kind}")
                st.plotly_chart(
                    pairs_figure(view, kind, heading),
                    key=f"msviz.loop.pairs.{kind}",
                    config=CHART,
                    alt=f"{title}. {heading}. {words}",
                )
        st.markdown(words)


def _methods(rows: tuple[MethodRow, ...]) -> None:
    st.subheader(say("page.loop.methods.title"), anchor=False)
    st.markdown(say("page.loop.methods.text"))
    head = [say(f"page.loop.methods.{name}") for name in ("method", "kept", "loss", "pull", "push", "heaviest")]
    lines = [
        (say(f"page.loop.methods.{kind}", name=method_name(row.method)), _figures(getattr(row, kind)))
        for row in rows
        for kind in ("plain", "loop")
    ]
    st.html(plain_table(say("page.loop.methods.caption"), head, lines))


def _figures(found: Figures) -> list[str]:
    heaviest = "–"
    if found.heaviest is not None:
        anchor, other, weight = found.heaviest
        heaviest = say("page.loop.methods.pair", anchor=anchor, other=other, weight=weight)
    kept = f"{number(found.positives)} + {number(found.negatives)}"
    return [kept, number(found.loss, 4), number(found.pull, 2), number(found.push, 2), heaviest]
