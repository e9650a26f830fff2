"""The menu of batches: hand-made ones and samples of real digits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import streamlit as st

from msviz.core.errors import MsvizError
from msviz.data import Batch
from msviz.data.datasets import digits_batch
from msviz.data.presets import PRESETS
from msviz.text import say, say_error
from msviz.ui import session

_FORM: Final = tuple(f"msviz.digits.{name}" for name in ("classes", "per_class", "seed", "method", "space"))


@st.dialog(say("menu.batch"), width="large")
def batch_menu() -> None:
    """Choose a hand-made batch or draw digits; each choice closes the menu and is one step of the history."""
    made, drawn = st.tabs([say("menu.presets"), say("digits.title")])
    with made:
        for slug, preset in PRESETS.items():
            title = say("menu.preset", title=say(preset.title_key), m=len(preset.labels))
            name, text = st.columns([1, 3], vertical_alignment="center")
            chosen = name.button(title, key=f"msviz.preset.{slug}", width="stretch")
            text.caption(say(preset.text_key))
            if chosen:
                _load(preset.make, preset.pair)
    with drawn:
        _digits_form()


def _load(make: Callable[[], Batch], pair: tuple[int, int] | None = None) -> None:
    """Put a batch on the board and close the menu; if it is refused, say why and leave everything as it was."""
    try:
        batch = make()
    except MsvizError as error:
        st.error(say_error(error))
        return
    desk = session.desk()
    session.put(desk.load(desk.state.with_batch(batch).select(*(pair or (None,)))))
    st.rerun()


def _digits_form() -> None:
    st.markdown(say("digits.text"))
    with st.form("msviz.digits", border=False):
        st.pills(
            say("digits.classes"),
            range(10),
            selection_mode="multi",
            default=[3, 8, 9],
            key="msviz.digits.classes",
        )
        left, right = st.columns(2)
        left.number_input(say("digits.per_class"), value=8, step=1, key="msviz.digits.per_class")
        right.number_input(say("digits.seed"), value=0, step=1, key="msviz.digits.seed", help=say("digits.seed.help"))
        _choice("method", ("pca", "lda"))
        _choice("space", ("circle", "sphere", "pixels"))
        wanted = st.form_submit_button(say("digits.sample"), type="primary")
    if wanted:
        _load(partial(digits_batch, *map(session.widget, _FORM)))


def _choice(name: str, options: tuple[str, ...]) -> None:
    st.radio(
        say(f"digits.{name}"),
        options,
        format_func=lambda it: say(f"digits.{name}.{it}"),
        captions=[say(f"digits.{name}.{it}.help", default="") for it in options],
        key=f"msviz.digits.{name}",
    )
