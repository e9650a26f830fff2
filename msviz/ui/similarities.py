"""The Similarities page: the pair's line on the bench; Figure 2 and Table 1 below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

import streamlit as st

from msviz.core.errors import MsvizError
from msviz.core.figure2 import Case
from msviz.core.methods import Method
from msviz.figures.methods import method_look
from msviz.figures.theme import class_look
from msviz.state import Watched
from msviz.state.figure2 import ACTIVE, MOST, SLUGS, WATCHABLE, WHOSE
from msviz.text import catalogue, number, say
from msviz.ui import session
from msviz.ui.components import component
from msviz.ui.desk import Desk
from msviz.ui.table1 import TEXT, now_measured
from msviz.views.figure2 import MUST, Claim, Figure2View, MethodPath, exceptions, figure2_view
from msviz.views.figure2_anchors import AnchorRow, example_anchor, odd_anchor, selected_anchor
from msviz.views.inspector import digits_that_show
from msviz.views.method_name import method_name
from msviz.views.pairline import pair_line
from msviz.views.scene import Scene

_FIGURE: Final = "msviz.figure2"


def pair_line_data(desk: Desk, now: Scene) -> dict[str, Any]:
    """What assets/pairline.js draws: the selected pair with everything that it is compared to, or None.

    Args:
        desk: the visitor's desk.
        now: its state, evaluated.
    """
    line = pair_line(now)
    if line is None:
        return {"pairline": None}
    words = [(role, say(sentence)) for role, sentence in line.sentences]
    return {"pairline": {**asdict(line), "sentences": words}}


@st.fragment(key=session.BELOW)
def below() -> None:
    """Figure 2's cases, on the example's anchor or on the selected pair."""
    now, _ = session.scenes()
    st.subheader(say("figure2.title"), anchor=False, divider="gray")
    st.markdown(say("figure2.first"), width=TEXT)
    _choices(now)
    watched = now.state.display.figure2
    row = {"pair": lambda: selected_anchor(now), "odd": odd_anchor}.get(watched.whose, example_anchor)()
    st.markdown(f"**{say(f'figure2.must.{SLUGS[watched.case]}')}**", width=TEXT)
    if row is None:
        st.info(say("figure2.choose"))
    elif not watched.methods:
        st.info(say("figure2.methods.none"))
    else:
        st.caption(say(row.title))
        _figure(watched, row, now.state.method)
    if watched.case == Case.NEGATIVES_ONLY:
        _count(now)
    now_measured()


def _choices(now: Scene) -> None:
    watched, active = now.state.display.figure2, method_name(now.state.method)
    left, right = st.columns([3, 2])
    _pills(left, "case", list(Case), watched.case, lambda it: say(f"figure2.case.{SLUGS[it]}"), "figure2.case")
    _pills(right, "whose", WHOSE, watched.whose, lambda it: say(f"figure2.anchor.{it}"), "figure2.anchor")
    key = f"{_FIGURE}.methods"
    session.show(key, list(watched.methods))
    st.multiselect(
        say("figure2.methods", limit=MOST),
        [ACTIVE, *WATCHABLE],
        max_selections=MOST,
        format_func=lambda slug: say("figure2.active", name=active) if slug == ACTIVE else method_name(WATCHABLE[slug]),
        key=key,
        on_change=_choose,
        args=("methods",),
    )


def _pills(place: Any, name: str, options: Sequence[Any], now: Any, words: Callable[[Any], str], label: str) -> None:
    """One choice of several, kept in the state."""
    key = f"{_FIGURE}.{name}"
    session.show(key, now)
    place.pills(
        say(label), options, format_func=words, required=True, wrap=True, key=key, on_change=_choose, args=(name,)
    )


def _choose(name: str) -> None:
    session.look("watch", **{name: session.widget(f"{_FIGURE}.{name}")})


def _figure(watched: Watched, row: AnchorRow, active: Method) -> None:
    methods = [WATCHABLE.get(slug, active) for slug in watched.methods]
    try:
        view = figure2_view(watched.case, row, methods)
    except MsvizError:
        st.info(say("figure2.nobody"))
        return
    data = message(view, f"{SLUGS[watched.case]} {say(row.title)}", watched.step)
    component("figure2")(key=_FIGURE, data=data, on_step_change=_stepped)


def _stepped() -> None:
    """The slider was let go."""
    session.look("watch", step=session.widget(_FIGURE)["step"])


def message(view: Figure2View, name: str, step: int = 0) -> dict[str, Any]:
    """What assets/figure2.js draws.

    Args:
        view: the case.
        name: while it stays, so does the slider.
        step: where the slider begins.
    """

    def look(label: int) -> dict[str, Any]:
        found = class_look(label)
        return {"color": found.color, "shape": found.shape}

    return {
        "name": name,
        "step": step,
        "title": say("figure2.saved", case=say(f"figure2.case.{SLUGS[view.case]}")),
        "slug": f"case_{SLUGS[view.case]}",
        "texts": {**catalogue("js.figure2."), **catalogue("js.save.")},
        "shift": view.shift,
        "names": view.names,
        "labels": view.labels,
        "looks": {str(label): look(label) for label in set(view.labels)},
        "positives": view.positives,
        "moving": view.moving,
        "column": view.column,
        "sims": [[round(s, 4) for s in sims] for sims in view.sims],
        "kept": view.kept,
        "limit": view.limit,
        "least": view.least,
        "sharp": view.sharp,
        "total": view.total,
        "similarities": [_claim(claim, MUST[view.case][claim.role]) for claim in view.similarities],
        "methods": [_method(at, path) for at, path in enumerate(view.methods)],
    }


def _claim(claim: Claim, must: str) -> dict[str, Any]:
    return {**asdict(claim), "must": must, "verdict": say(claim.verdict)}


def _method(at: int, path: MethodPath) -> dict[str, Any]:
    found, verdict = method_look(at), say(path.weight.verdict)
    return {
        "name": path.name,
        "weights": path.weight.values,
        "kept": path.kept,
        "mines": path.mines,
        "worst": path.weight.worst,
        "verdict": say("figure2.entered", verdict=verdict) if path.entered else verdict,
        "color": found.color,
        "dash": found.dash,
        "symbol": found.symbol,
    }


def _count(now: Scene) -> None:
    """How often the odd case happens in the batch above: counted when somebody asks."""
    if not st.button(say("figure2.count"), icon=":material/search:"):
        return
    method = now.state.method
    found, name = exceptions(now, method), method_name(method)
    if found.worst is None:
        st.markdown(say("figure2.count.none", tried=found.tried, total=found.total, name=name))
        return
    anchor, other = found.worst
    digits = max(3, digits_that_show(found.old, found.new))
    st.markdown(
        say(
            "figure2.count.some",
            found=found.found,
            tried=found.tried,
            total=found.total,
            share=found.found / found.tried,
            name=name,
            anchor=anchor,
            other=other,
            old=number(found.old, digits),
            new=number(found.new, digits),
        )
    )
    st.button(say("figure2.count.show", anchor=anchor, other=other), on_click=_show, args=found.worst)


def _show(anchor: int, other: int) -> None:
    """Select a pair everywhere, and watch it here."""
    desk = session.desk()
    session.put(replace(desk, history=desk.history.show(desk.state.select(anchor, other).display)))
    session.look("watch", whose="pair")
