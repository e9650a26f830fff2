"""The Train page: what is trained, and the component that plays it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import streamlit as st

from msviz.core.errors import MsvizError
from msviz.core.losses.spec import ParamInfo, param_infos
from msviz.core.methods import METHODS, Method
from msviz.text import catalogue, say, say_error
from msviz.training.config import FIELDS, Choice, TrainConfig
from msviz.training.sources import source_from_json, source_to_json
from msviz.ui import session
from msviz.ui.components import component
from msviz.ui.engines import Engine
from msviz.ui.runs import Run
from msviz.ui.setups import FIRST, OWN, SETUPS, own_setup
from msviz.ui.train_pictures import kept
from msviz.views.method_name import method_name

KEY: Final = "msviz.train"
PLAYGROUND: Final = Path(__file__).parents[2] / "pages" / "explore" / "playground.py"
_TRAINING: Final = "msviz.training"
_KEPT: Final = "msviz.training.kept"
_REFUSED: Final = "msviz.training.refused"


@dataclass(frozen=True)
class Training:
    """What a visitor trains.

    Args:
        setup: the choice that it began with.
        config: what it is now.
        other: the second method of a duel, or None.
        run: the run of both.
    """

    setup: str
    config: TrainConfig
    other: Method | None
    run: Run

    @classmethod
    def begin(cls, setup: str, config: TrainConfig, other: Method | None) -> Training:
        """With the visitor's method; nothing is computed yet."""
        config = dataclasses.replace(config, method=session.desk().state.method)
        return cls(setup, config, other, Run(lambda: Engine(config, other)))


def training() -> Training:
    """What the visitor trains; on the first visit the first setup."""
    found: Training | None = session.widget(_TRAINING)
    if found is None:
        found = Training.begin(FIRST, SETUPS[FIRST](), None)
        session.keep(_TRAINING, found)
    return found


# What is trained


def choices() -> None:
    """What is trained, against what, and all settings; a choice begins a new run."""
    now, setups = training(), [*SETUPS, OWN]
    st.selectbox(
        say("train.setup"),
        setups,
        index=setups.index(now.setup),
        format_func=lambda name: say(f"train.setup.{name}"),
        key=f"msviz.train.setup.{now.run.token}",
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
        key=f"msviz.train.other.{now.run.token}",
        on_change=_choose_other,
        label_visibility="collapsed",
        width=220,
    )
    with st.popover(say("train.settings")):
        _settings(now)


def _choose_setup() -> None:
    now = training()
    name = session.widget(f"msviz.train.setup.{now.run.token}")
    _begin(name, lambda: own_setup(session.desk().state.batch) if name == OWN else SETUPS[name](), now.other)


def _choose_other() -> None:
    now = training()
    slug = session.widget(f"msviz.train.other.{now.run.token}")
    _begin(now.setup, lambda: now.config, None if slug is None else METHODS[slug])


def _begin(setup: str, make: Callable[[], TrainConfig], other: Method | None) -> None:
    """Another run in place of the old one; if it is refused, the old one stays and the page says why."""
    old = training()
    try:
        session.keep(_TRAINING, Training.begin(setup, make(), other))
    except MsvizError as error:
        session.keep(_REFUSED, error)
        return
    session.keep(_REFUSED, None)
    old.run.close()


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
    config = now.config
    data = {} if now.setup == OWN else {field.name: field for field in param_infos(type(config.data))}
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

    def make() -> TrainConfig:
        data = source_from_json({**source_to_json(now.config.data), **of("data")})
        return dataclasses.replace(now.config, data=data, **of("run"))

    _begin(now.setup, make, now.other)
    st.rerun()


# The stage


@st.fragment(key=session.BENCH)
def stage() -> None:
    """The component; the method of the visitor's desk becomes the run's."""
    if session.widget(_KEPT):
        session.keep(_KEPT, False)
        st.switch_page(PLAYGROUND)
    refused: MsvizError | None = session.widget(_REFUSED)
    if refused is not None:
        st.error(say_error(refused))
    now, method = training(), session.desk().state.method
    now.run.set(method=method)  # nothing happens where it is the same
    own, other = method_name(method), None if now.other is None else method_name(now.other)
    data = {
        "run": now.run.token,
        "names": [own] if other is None else [f"A · {own}", f"B · {other}"],
        "about": f"{_sizes(now.config)} {say(f'train.setup.{now.setup}.help')}",
        "texts": catalogue("js."),
    }
    component("train")(key=KEY, data=data, on_kept_change=_keep)


def _sizes(config: TrainConfig) -> str:
    return say("train.batch", p=config.classes_per_batch, k=config.per_class, size=config.batch_size)


def _keep() -> None:
    """A step of the run becomes the current batch."""
    wanted: dict[str, Any] | None = session.widget(KEY, {}).get("kept")
    now = training()
    batch = None if not wanted else kept(now.run, int(wanted["step"]), wanted["board"] == "batch", now.setup)
    if batch is not None:
        session.put(session.desk().load(session.desk().state.with_batch(batch)))
        session.keep(_KEPT, True)
