"""Under the bench of the Weights page: weight against similarity, and the strips of every parameter."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from msviz.figures.weights_curves import curves_figure
from msviz.figures.weights_sweeps import strip_figure
from msviz.text import say
from msviz.ui import session
from msviz.ui.picture import CHART, savable
from msviz.views.method_name import method_name
from msviz.views.weights_curves import curves_view
from msviz.views.weights_sweeps import SweepsView, sweeps_view
from msviz.views.weights_words import curve_words, curves_csv, sweeps_csv

_SWITCH: Final = "msviz.weights.own"  # not "scale": charts have the names of parameters, and NCA has that one


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
    own = now.state.display.shares != "raw"
    title = say("page.weights.curve.title", anchor=view.anchor, other=view.other)
    file = f"msviz-weights-curves-{view.anchor}-{view.other}"
    with savable("curves", title, file, lambda: curves_csv(view), lambda: _scale_switch(own)):
        st.markdown(say("page.weights.curve.text", anchor=view.anchor, other=view.other))
        words = " ".join(say(line) for line in curve_words(view))
        _chart("curves", curves_figure(view, own), f"{say('page.weights.curve.alt')} {words}")
        st.markdown(f"{words} {say('page.weights.curve.own' if own else 'page.weights.curve.raw')}")


def _scale_switch(own: bool) -> None:
    session.show(_SWITCH, "share" if own else "raw")
    st.segmented_control(
        say("page.weights.scale"),
        ["share", "raw"],
        format_func=lambda how: say(f"page.weights.scale.{how}"),
        required=True,
        key=_SWITCH,
        on_change=lambda: session.look("shares", how=session.widget(_SWITCH)),
        label_visibility="collapsed",
    )


def _strips(view: SweepsView) -> None:
    now, _ = session.scenes()
    title = say("page.weights.strip.title", anchor=view.anchor)
    file = f"msviz-weights-sweeps-anchor-{view.anchor}-{now.state.method.name}"
    with savable("strips", title, file, lambda: sweeps_csv(view)):
        method = method_name(now.state.method)
        st.markdown(say("page.weights.strip.text", anchor=view.anchor, method=method))
        if view.left:
            st.caption(say("page.weights.strip.left", shown=len(view.others), left=view.left))
        for column, strip in zip(st.columns(len(view.strips)), view.strips, strict=True):
            with column:
                alt = say("page.weights.strip.alt", letter=strip.letter, anchor=view.anchor)
                _chart(strip.name, strip_figure(view, strip), alt)


def _chart(key: str, figure: Any, alt: str) -> None:
    st.plotly_chart(figure, key=f"msviz.weights.{key}", config=CHART, alt=alt)
