"""The Similarities page: the pair's line on the bench; Figure 2 and Table 1 below it."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Final

import streamlit as st

from msviz.core.errors import MsvizError
from msviz.core.figure2 import Case
from msviz.core.losses import LOSSES
from msviz.core.methods import METHODS, Method
from msviz.figures.methods import method_look
from msviz.figures.theme import class_look
from msviz.text import catalogue, number, say
from msviz.ui import session
from msviz.ui.components import component
from msviz.ui.desk import Desk
from msviz.ui.table1 import TEXT, now_measured
from msviz.views.figure2 import MUST, SLUGS, Claim, Figure2View, MethodPath, exceptions, figure2_view
from msviz.views.figure2_anchors import AnchorRow, example_anchor, odd_anchor, selected_anchor
from msviz.views.inspector import digits_that_show
from msviz.views.method_name import method_name
from msviz.views.pairline import pair_line
from msviz.views.scene import Scene

ACTIVE: Final = "active"
ANCHORS: Final = ("example", "pair", "odd")
AT_FIRST: Final = (ACTIVE, "lifted_star_mining", "binomial_mining")
MOST: Final = 6
FIRST: Final = Case.OTHER_NEGATIVES  # where the three methods part most
_CASE: Final = "msviz.figure2.case"
_ANCHOR: Final = "msviz.figure2.anchor"


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
    case, row, methods = _choices(now)
    st.markdown(f"**{say(f'figure2.must.{SLUGS[case]}')}**", width=TEXT)
    if row is None:
        st.info(say("figure2.choose"))
    elif not methods:
        st.info(say("figure2.methods.none"))
    else:
        st.caption(say(row.title))
        _figure(case, row, methods)
    if case == Case.NEGATIVES_ONLY:
        _count(now)
    now_measured()


def _choices(now: Scene) -> tuple[Case, AnchorRow | None, list[Method]]:
    known = _known(now.state.method)
    left, right = st.columns([3, 2])
    case = left.pills(
        say("figure2.case"),
        list(Case),
        default=FIRST,
        format_func=lambda it: say(f"figure2.case.{SLUGS[it]}"),
        required=True,
        wrap=True,
        key=_CASE,
    )
    anchor = right.pills(
        say("figure2.anchor"),
        ANCHORS,
        default="example",
        format_func=lambda it: say(f"figure2.anchor.{it}"),
        required=True,
        wrap=True,
        key=_ANCHOR,
    )
    chosen = st.multiselect(
        say("figure2.methods", limit=MOST),
        list(known),
        default=AT_FIRST,
        max_selections=MOST,
        format_func=lambda slug: (
            say("figure2.active", name=method_name(known[slug])) if slug == ACTIVE else method_name(known[slug])
        ),
        key="msviz.figure2.methods",
    )
    rows = {"pair": lambda: selected_anchor(now), "odd": odd_anchor}
    return case or FIRST, rows.get(str(anchor), example_anchor)(), [known[slug] for slug in chosen]


def _known(active: Method) -> dict[str, Method]:
    """Every method to choose from, each once: the active one, the named ones, the other losses as they are."""
    known = {ACTIVE: active}
    for slug, method in (*METHODS.items(), *((name, Method(name)) for name in LOSSES)):
        if slug in AT_FIRST or method not in list(known.values())[1:]:
            known.setdefault(slug, method)
    return known


def _figure(case: Case, row: AnchorRow, methods: list[Method]) -> None:
    try:
        view = figure2_view(case, row, methods)
    except MsvizError:
        st.info(say("figure2.nobody"))
        return
    component("figure2")(key="msviz.figure2", data=message(view, f"{SLUGS[case]} {say(row.title)}"))


def message(view: Figure2View, name: str) -> dict[str, Any]:
    """What assets/figure2.js draws.

    Args:
        view: the case.
        name: while it stays, so does the slider.
    """

    def look(label: int) -> dict[str, Any]:
        found = class_look(label)
        return {"color": found.color, "shape": found.shape}

    return {
        "name": name,
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
    session.set_widget(_ANCHOR, "pair")
    st.rerun([session.BENCH, session.BELOW])
