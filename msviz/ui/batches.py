"""The menu of batches: hand-made ones and samples of real digits."""

from __future__ import annotations

from typing import Final

import streamlit as st

from msviz.data.datasets import digits_batch
from msviz.data.presets import PRESETS
from msviz.text import say
from msviz.ui import session
from msviz.ui.desk import Desk

_FORM: Final = "msviz.digits."


def batch_menu() -> None:
    """A button that opens the menu; choosing a batch is one step of the history."""
    with st.popover(say("menu.batch"), icon=":material/scatter_plot:"):
        made, drawn = st.tabs([say("menu.presets"), say("digits.title")])
        with made:
            for slug, preset in PRESETS.items():
                st.button(
                    say("menu.preset", title=say(preset.title_key), m=len(preset.labels)),
                    key=f"msviz.preset.{slug}",
                    on_click=_load_preset,
                    args=(slug,),
                    help=say(preset.text_key),
                    width="stretch",
                )
        with drawn:
            _digits_form()


def _load_preset(slug: str) -> None:
    preset = PRESETS[slug]
    session.attempt(lambda desk: desk.load(desk.state.with_batch(preset.make()).select(*(preset.pair or (None,)))))


def _digits_form() -> None:
    st.markdown(say("digits.text"))
    with st.form("msviz.digits", border=False):
        st.pills(
            say("digits.classes"),
            range(10),
            selection_mode="multi",
            default=[3, 8, 9],
            key=_FORM + "classes",
        )
        left, right = st.columns(2)
        left.number_input(say("digits.per_class"), value=8, step=1, key=_FORM + "per_class")
        right.number_input(say("digits.seed"), value=0, step=1, key=_FORM + "seed", help=say("digits.seed.help"))
        _choice("method", ("pca", "lda"))
        _choice("space", ("circle", "pixels"))
        st.form_submit_button(say("digits.sample"), type="primary", on_click=_draw_digits)


def _choice(name: str, options: tuple[str, ...]) -> None:
    st.radio(
        say(f"digits.{name}"),
        options,
        format_func=lambda it: say(f"digits.{name}.{it}"),
        captions=[say(f"digits.{name}.{it}.help", default="") for it in options],
        key=_FORM + name,
    )


def _draw_digits() -> None:
    def draw(desk: Desk) -> Desk:
        batch = digits_batch(
            session.widget(_FORM + "classes"),
            session.widget(_FORM + "per_class"),
            session.widget(_FORM + "seed"),
            session.widget(_FORM + "method"),
            session.widget(_FORM + "space"),
        )
        return desk.load(desk.state.with_batch(batch).select(None))

    session.attempt(draw)
