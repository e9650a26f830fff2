"""Under the bench of the Weights page: weight against similarity, and the strips of every parameter."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from msviz.figures.weights_curves import curves_figure
from msviz.figures.weights_sweeps import strip_figure
from msviz.text import say
from msviz.ui import session
from msviz.views.method_name import method_name
from msviz.views.weights_curves import curves_view
from msviz.views.weights_sweeps import SweepsView, sweeps_view
from msviz.views.weights_words import curve_words, curves_csv, sweeps_csv

_SWITCH: Final = "msviz.weights.scale"


@st.fragment(key=session.BELOW)
def below() -> None:
    """Both pictures of the selected pair; a sentence in their place while nothing is selected."""
    now, _ = session.scenes()
    strips = sweeps_view(now)
    if strips is None:
        st.markdown(say("page.weights.alone" if now.m < 2 else "page.weights.choose"))
        return
    _curves()
    _strips(strips)


def _curves() -> None:
    now, _ = session.scenes()
    view = curves_view(now)
    if view is None:
        assert now.state.display.selection is not None
        st.markdown(say("page.weights.choose.other", anchor=now.state.display.selection.anchor))
        return
    st.subheader(say("page.weights.curve.title", anchor=view.anchor, other=view.other), anchor=False)
    st.markdown(say("page.weights.curve.text", anchor=view.anchor, other=view.other))
    own = now.state.display.shares != "raw"
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.segmented_control(
            say("page.weights.scale"),
            ["share", "raw"],
            default="share" if own else "raw",
            format_func=lambda how: say(f"page.weights.scale.{how}"),
            key=f"{_SWITCH}.{own}",  # anew when the state has changed elsewhere: undo, another page
            on_change=_rescale,
            args=(f"{_SWITCH}.{own}",),
            label_visibility="collapsed",
        )
        name = f"msviz-weights-curves-{view.anchor}-{view.other}"
        _csv("curves", curves_csv(view), name)
    words = " ".join(say(line) for line in curve_words(view))
    _chart("curves", curves_figure(view, own), name, f"{say('page.weights.curve.alt')} {words}")
    st.markdown(f"{words} {say('page.weights.curve.own' if own else 'page.weights.curve.raw')}")


def _strips(view: SweepsView) -> None:
    now, _ = session.scenes()
    st.subheader(say("page.weights.strip.title", anchor=view.anchor), anchor=False)
    method = method_name(now.state.method)
    st.markdown(say("page.weights.strip.text", anchor=view.anchor, method=method))
    if view.left:
        st.caption(say("page.weights.strip.left", shown=len(view.others), left=view.left))
    for column, strip in zip(st.columns(len(view.strips)), view.strips, strict=True):
        with column:
            name = f"msviz-weights-{strip.name}-anchor-{view.anchor}-{now.state.method.name}"
            alt = say("page.weights.strip.alt", letter=strip.letter, anchor=view.anchor)
            _chart(strip.name, strip_figure(view, strip), name, alt)
    _csv("strips", sweeps_csv(view), f"msviz-weights-sweeps-anchor-{view.anchor}-{now.state.method.name}")


def _rescale(key: str) -> None:
    how = session.widget(key)
    if how is None:  # a click on the chosen one
        return
    desk = session.desk()
    seq = desk.applied.get(session.BELOW, 0) + 1
    session.put(desk.apply(session.BELOW, [{"seq": seq, "kind": "shares", "how": how, "gesture": None}]))
    st.rerun([session.BENCH, session.BELOW])


def _chart(key: str, figure: Any, name: str, alt: str) -> None:
    image = {"format": "svg", "filename": name}
    config = {"displaylogo": False, "toImageButtonOptions": image, "modeBarButtons": [["toImage", "resetScale2d"]]}
    st.plotly_chart(figure, key=f"msviz.weights.{key}", config=config, alt=alt)


def _csv(key: str, text: str, name: str) -> None:
    st.download_button(
        say("page.weights.csv"),
        text.encode("utf-8-sig"),  # with a mark, so that spreadsheets read the letters right
        file_name=f"{name}.csv",
        mime="text/csv",
        key=f"msviz.weights.csv.{key}",
        icon=":material/download:",
        on_click="ignore",
        type="tertiary",
    )
