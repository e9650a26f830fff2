"""The Train page: what is trained, and the component that plays it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlencode

import streamlit as st

from msviz.core.errors import MsvizError
from msviz.core.losses.spec import ParamInfo, param_infos
from msviz.core.methods import METHODS
from msviz.core.npair import Pairing
from msviz.state import State, default_state, encode
from msviz.text import catalogue, say, say_error
from msviz.training.config import FIELDS, Choice, TrainConfig
from msviz.training.sources import Features, source_from_json, source_to_json
from msviz.ui import session
from msviz.ui.components import component
from msviz.ui.desk import Desk
from msviz.ui.page import refuse
from msviz.ui.setups import FILES, OWN, SETUPS, Chosen, chosen_setup, setup_method
from msviz.ui.train_files import files_menu
from msviz.ui.train_link import first_rate, run_query
from msviz.ui.train_pictures import kept
from msviz.ui.training import Training, choose, refused, training
from msviz.views.method_name import method_name

KEY: Final = "msviz.train"
PLAYGROUND: Final = Path(__file__).parents[2] / "pages" / "explore" / "playground.py"
_KEPT: Final = "msviz.training.kept"
_ASKED: Final = "msviz.training.asked"
_SEND: Final = "send"  # the choice that asks for files


# What is trained


def choices() -> None:
    """What is trained, against what, and all settings; a choice begins a new run."""
    now, token = training().chosen, training().run.token
    setups = [*SETUPS, OWN, *([FILES] if now.data is not None else []), _SEND]
    st.selectbox(
        say("train.setup"),
        setups,
        index=setups.index(now.setup),
        format_func=lambda name: say(f"train.setup.{name}", name=_file(now)),
        key=f"msviz.train.setup.{token}",
        on_change=_choose_setup,
        label_visibility="collapsed",
        width=310,
    )
    others = [None, *METHODS]
    st.selectbox(
        say("train.other"),
        others,
        index=next((at for at, slug in enumerate(others) if slug and METHODS[slug] == now.other), 0),
        format_func=lambda slug: say("train.other.none") if slug is None else say(f"method.{slug}.title"),
        key=f"msviz.train.other.{token}",
        on_change=_choose_other,
        label_visibility="collapsed",
        width=220,
    )
    with st.popover(say("train.settings")):
        _settings(training())
    if session.widget(_ASKED):
        session.keep(_ASKED, False)
        files_menu()


def _file(chosen: Chosen) -> str:
    """What the visitor's files are called."""
    return chosen.config.data.path if isinstance(chosen.config.data, Features) else ""


def _choose_setup() -> None:
    now = training()
    key = f"msviz.train.setup.{now.run.token}"
    name = session.widget(key)
    if name == _SEND:  # nothing is chosen before something was sent
        session.keep(key, now.chosen.setup)
        session.keep(_ASKED, True)
    else:
        desk = session.desk()
        state = desk.state.with_method(setup_method(name, desk.state.method))
        session.put(desk if state == desk.state else desk.load(state))
        if not choose(lambda: replace(chosen_setup(name, state.batch), other=now.chosen.other)):
            session.put(desk)


def _choose_other() -> None:
    now = training()
    slug = session.widget(f"msviz.train.other.{now.run.token}")
    choose(lambda: replace(now.chosen, other=None if slug is None else METHODS[slug]))


def _settings(now: Training) -> None:
    st.markdown(say("train.settings.text"))
    controls = _controls(now)
    with st.form("msviz.train.settings", border=False):
        columns = st.columns(3)
        for at, control in enumerate(controls):
            with columns[at % 3]:
                _control(*control, now)
        if st.form_submit_button(say("train.settings.begin"), type="primary"):
            _apply(now, controls)


_Control = tuple[str, str, ParamInfo | Choice, Any]  # of "data" or of the "run", its name, what it is, its value


def _controls(now: Training) -> list[_Control]:
    config = now.chosen.config
    data = {field.name: field for field in param_infos(type(config.data))}
    own: list[_Control] = [("data", name, field, getattr(config.data, name)) for name, field in data.items()]
    return [*own, *(("run", name, field, getattr(config, name)) for name, field in FIELDS.items())]


def _control(part: str, name: str, field: ParamInfo | Choice, value: Any, now: Training) -> None:
    label = say(f"train.field.{part}.{name}", default=name)
    how: dict[str, Any] = {
        "key": _widget(part, name, now),
        "help": say(f"train.help.{part}.{name}", default=field.help),
    }
    if isinstance(field, Choice):
        st.selectbox(label, field.options, index=field.options.index(value), **how)
    elif field.whole:
        st.number_input(label, value=int(value), step=max(1, int(field.step)), **how)
    else:
        st.number_input(label, value=float(value), step=field.step, format="%g", **how)


def _widget(part: str, name: str, now: Training) -> str:
    return f"msviz.train.{part}.{name}.{now.run.token}"  # a new run begins with controls of its own


def _apply(now: Training, controls: list[_Control]) -> None:
    def of(part: str) -> dict[str, Any]:
        return {name: session.widget(_widget(part, name, now)) for whose, name, *_ in controls if whose == part}

    def make() -> Chosen:
        config = now.chosen.config
        data = source_from_json({**source_to_json(config.data), **of("data")}) if of("data") else config.data
        return replace(now.chosen, config=replace(config, data=data, **of("run")))

    choose(make)
    st.rerun()


# The stage


@st.fragment(key=session.BENCH)
def stage() -> None:
    """The component; the method of the visitor's desk becomes the run's."""
    if session.widget(_KEPT):
        session.keep(_KEPT, False)
        st.switch_page(PLAYGROUND)
    refuse(refused())
    now, method = training(), session.desk().state.method
    chosen = now.chosen
    now.run.set(method=method)  # nothing happens where it is the same
    own, other = method_name(method), None if chosen.other is None else method_name(chosen.other)
    data = {
        "run": now.run.token,
        "names": [own] if other is None else [f"A · {own}", f"B · {other}"],
        "about": " ".join([*_batch(chosen.config), say(f"train.setup.{chosen.setup}.help", name=_file(chosen))]),
        "link": _link(chosen),
        "texts": catalogue("js."),
    }
    component("train")(key=KEY, data=data, on_kept_change=_keep)


def _link(chosen: Chosen) -> dict[str, Any]:
    """The query that opens the same run, and the first visitor's; the page adds a learning rate that is not `rate`."""
    state, now = session.desk().state, chosen.config.learning_rate
    link: dict[str, Any] = {"query": None, "first": _written(Desk.begin({}).state), "rate": now, "now": now}
    if chosen.data is not None:
        return {**link, "refused": say("train.link.files")}
    batch = chosen.batch or state.batch
    run = run_query(chosen, batch)
    if setup_method(chosen.setup, state.method) != state.method:  # else a link without a loss would begin with another
        run["loss"] = state.method.name
    try:
        query = _written(state.with_batch(batch), run)
    except MsvizError as error:
        if chosen.batch is not None:
            return {**link, "refused": say_error(error)}
        query = _written(state.with_batch(default_state().batch), run)  # what is trained does not need it
    return {**link, "query": query, "rate": first_rate(chosen, batch), "refused": None}


def _written(state: State, run: Mapping[str, str] = MappingProxyType({})) -> str:
    # The pair is always said, so that a preset's own pair does not take its place.
    return f"?{urlencode({'pair': 'none', **encode(state), **run})}"


def _batch(config: TrainConfig) -> list[str]:
    """What a batch is, and how it is compared where that is not as usual: a sentence each."""
    scheme, (p, c) = config.scheme, (config.classes_per_batch, config.mine_classes)
    words = [say("train.batch", p=p, k=config.per_class, size=config.batch_size)]
    if c:
        words.append(say("train.scheme.mined", c=c))
    if scheme.pairing != Pairing.ALL:
        words.append(say(f"train.scheme.{scheme.pairing}", p=p, others=p - 1))
    if scheme.loop:
        words.append(say("train.scheme.loop"))
    if not scheme.normalize:
        words.append(say("train.scheme.dot", penalty=f"{scheme.penalty:g}"))
    return words


def _keep() -> None:
    """A step of the run becomes the current batch."""
    wanted: dict[str, Any] | None = session.widget(KEY, {}).get("kept")
    now = training()
    batch = None if not wanted else kept(now.run, int(wanted["step"]), wanted["board"] == "batch", now.chosen.setup)
    if batch is not None:
        session.put(session.desk().load(session.desk().state.with_batch(batch)))
        session.keep(_KEPT, True)
