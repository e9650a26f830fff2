"""Under the bench of the N-pair lab: how the denominator fills up, what norms do, and how hard classes are mined."""

from __future__ import annotations

import html
from typing import Any, Final

import streamlit as st

from msviz.core.errors import MsvizError
from msviz.figures.npair import fill_figure, norms_figure, violations_figure
from msviz.state.npair_lab import CHOICES, MOST_MINED
from msviz.text import say
from msviz.ui import session
from msviz.ui.npair_lab import npair_seen
from msviz.ui.npair_pictures import mining_html
from msviz.ui.picture import CHART, savable
from msviz.views.npair_mining import MiningView, candidates, mining_csv, mining_view
from msviz.views.npair_norms import norms_csv, norms_curve
from msviz.views.npair_partition import partition_csv, partition_view
from msviz.views.npair_words import refused_words
from msviz.views.scene import Scene

_KEY: Final = "msviz.npair"
MOST_SEED: Final = 999_999


@st.fragment(key=session.BELOW)
def below() -> None:
    """The curves and the mining of classes."""
    now, _ = session.scenes(npair_seen)
    left, right = st.columns(2, gap="large")
    with left:
        _fill(now)
    with right:
        _norms(now)
    _mining(now)


def _choose(name: str) -> None:
    session.look("npair", target=name, value=session.widget(f"{_KEY}.{name}"))


def _set(name: str, value: float) -> None:
    session.look("npair", target=name, value=value)


# ---- the denominator -------------------------------------------------------------------------------------------------


def _fill(now: Scene) -> None:
    filled, title = now.state.display.npair.filled, say("page.npair.fill.title")
    try:
        view = partition_view(now, filled)
    except MsvizError as error:
        st.subheader(title, anchor=False)
        _options("filled", filled)
        st.html(f"<p>{html.escape(say(refused_words(error, now.state.batch)))}</p>")
        return
    words = " ".join(say(line) for line in view.summary)
    with savable("fill", title, f"msviz-npair-denominator-{filled}", lambda: partition_csv(view.curve)):
        st.markdown(say("page.npair.fill.text"))
        _options("filled", filled)
        st.plotly_chart(fill_figure(view), key=f"{_KEY}.fill", config=CHART, alt=f"{title}. {words}")
        st.markdown(words)


def _options(name: str, now: str) -> None:
    key = f"{_KEY}.{name}"
    session.show(key, now)
    st.segmented_control(
        say(f"page.npair.field.{name}"),
        CHOICES[name],
        format_func=lambda it: say(f"page.npair.option.{name}.{it}"),
        required=True,
        key=key,
        on_change=_choose,
        args=(name,),
    )


# ---- norms -----------------------------------------------------------------------------------------------------------


def _norms(now: Scene) -> None:
    title = say("page.npair.norms.title")
    curve = norms_curve(now, now.state.display.npair.penalty)
    if curve is None:
        st.subheader(title, anchor=False)
        st.markdown(say("page.npair.norms.none"))
        return
    words = " ".join(say(line) for line in curve.summary)
    with savable("norms", title, "msviz-npair-norms", lambda: norms_csv(curve)):
        st.markdown(say("page.npair.norms.text", strength=curve.strength))
        st.plotly_chart(norms_figure(curve), key=f"{_KEY}.norms", config=CHART, alt=f"{title}. {words}")
        st.markdown(words)


# ---- class mining ----------------------------------------------------------------------------------------------------


def _mining(now: Scene) -> None:
    lab, title = now.state.display.npair, say("page.npair.mine.title")
    view = mining_view(lab)
    words = [say(line) for line in view.words]
    with savable("classes", title, f"msviz-npair-classes-{lab.mined}-seed-{lab.seed}", lambda: mining_csv(view)):
        st.markdown(say("page.npair.mine.text", classes=view.count))
        _settings(now)
        _steps(view, lab.seed)
        left, right = st.columns([3, 2], gap="large")
        with left:
            st.markdown(f"**{words[-1]}**")
            alt = f"{title}. {words[-1]}"
            st.plotly_chart(violations_figure(view), key=f"{_KEY}.violations", config=CHART, alt=alt)
        with right:
            st.html(mining_html(view, words))


def _settings(now: Scene) -> None:
    lab = now.state.display.npair
    names = candidates(lab.mined)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        _options("mined", lab.mined)
        _options("by", lab.by)
        _select("examples", (1, 2), lab.examples, lambda it: say(f"page.npair.option.examples.{it}"))
        _select("picks", range(2, len(names) + 1), min(lab.picks, len(names)), str)
        first = lab.first if lab.first < len(names) else -1
        _select(
            "first",
            range(-1, len(names)),
            first,
            lambda it: say("page.npair.random") if it < 0 else names[it],
        )


def _select(name: str, options: Any, now: int, words: Any) -> None:
    key = f"{_KEY}.{name}"
    session.show(key, now)
    label = say(f"page.npair.field.{name}")
    st.selectbox(label, options, format_func=words, key=key, on_change=_choose, args=(name,), width=150)


def _steps(view: MiningView, seed: int) -> None:
    at, last = view.reached, view.last
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _button("next", ":material/skip_next:", "reached", min(at + 1, last), at == last, "primary")
        _button("back", ":material/skip_previous:", "reached", max(at - 1, 0), at == 0)
        _button("all", ":material/last_page:", "reached", MOST_MINED - 1, at == last)
        _button("seed", ":material/casino:", "seed", (seed + 1) % (MOST_SEED + 1), False)
        st.markdown(say("page.npair.mine.where", step=at, steps=last, seed=seed))


def _button(name: str, icon: str, target: str, value: int, off: bool, kind: Any = "secondary") -> None:
    label = say(f"page.npair.mine.{name}")
    st.button(label, icon=icon, key=f"{_KEY}.{name}", type=kind, disabled=off, on_click=_set, args=(target, value))
