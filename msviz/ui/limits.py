"""The Limits page: one limit at a time, its settings, and its curve while it is measured."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from msviz.core.errors import MsvizError
from msviz.core.losses.spec import ParamInfo, param_infos
from msviz.figures.limits import limit_figure
from msviz.text import say, say_error
from msviz.ui import session
from msviz.ui.limit_runs import Measuring
from msviz.ui.picture import CHART, csv_button, savable
from msviz.ui.sign_table import sign_table
from msviz.views.limits import LIMITS, Limit, points_csv, takes
from msviz.views.limits_curves import Panel, panels
from msviz.views.limits_words import words

SHOWN: Final = "limit"  # also its name in the link
EVERY: Final = 0.5  # seconds between two looks at what is measured
_RUNS: Final = "msviz.limits.runs"


def limits() -> None:
    """The whole page below its heading."""
    name = st.pills(
        say("limits.choose"),
        list(LIMITS),
        default=next(iter(LIMITS)),
        required=True,
        wrap=True,
        format_func=lambda it: say(f"limits.name.{it}"),
        key=SHOWN,
        bind="query-params",
        label_visibility="collapsed",
    )
    assert name is not None
    left, right = st.columns([2, 3], gap="large")
    with left:
        _what(name, LIMITS[name])
    with right:
        _results(name)


def runs() -> dict[str, Measuring]:
    """What the visitor has measured, or is measuring, by the limits' names."""
    found: dict[str, Measuring] | None = session.widget(_RUNS)
    if found is None:
        found = {}
        session.keep(_RUNS, found)
    return found


# What is measured


def _what(name: str, limit: Limit) -> None:
    st.subheader(say(f"limits.question.{name}"), anchor=False)
    st.markdown(say(f"limits.text.{name}"))
    infos = {info.name: info for info in param_infos(limit.settings)}
    columns = st.columns(len(limit.first), vertical_alignment="bottom")
    for column, field in zip(columns, limit.first, strict=True):
        with column:
            _control(name, infos.pop(field))
    with st.expander(say("limits.more")):
        for info in infos.values():
            _control(name, info)
    settings = _settings(name, limit)
    if isinstance(settings, MsvizError):
        st.error(say_error(settings))
        return
    run = runs().get(name)
    with st.container(horizontal=True, vertical_alignment="center"):
        if run is not None and run.goes_on:
            st.button(say("limits.stop"), icon=":material/stop:", key="msviz.limits.stop", on_click=run.stop)
        else:
            st.button(
                say("limits.run" if run is None else "limits.again"),
                icon=":material/play_arrow:",
                key="msviz.limits.run",
                type="primary",
                on_click=_begin,
                args=(name,),
            )
        st.markdown(" ".join(say(line) for line in takes(limit, settings)))
    if run is not None and run.settings != settings:
        st.markdown(say("limits.other"))


def _control(name: str, info: ParamInfo) -> None:
    kind = int if info.whole else float
    st.number_input(
        say(f"limits.field.{info.name}"),
        min_value=kind(info.low),
        max_value=kind(info.high),
        value=kind(info.default),
        step=kind(info.step),
        format=None if info.whole else "%g",
        help=say(f"limits.help.{info.name}", default=info.help),
        key=_widget(name, info.name),
        persist_state="session",
    )


def _widget(name: str, field: str) -> str:
    return f"msviz.limits.{name}.{field}"


def _settings(name: str, limit: Limit) -> Any:
    """The settings as they are chosen now, or the error that says why there are none."""
    chosen = {info.name: session.widget(_widget(name, info.name)) for info in param_infos(limit.settings)}
    try:
        return limit.settings(**{field: value for field, value in chosen.items() if value is not None})
    except MsvizError as error:
        return error


def _begin(name: str) -> None:
    limit = LIMITS[name]
    settings = _settings(name, limit)  # as they are at the click: a number may have changed with it
    if isinstance(settings, MsvizError):
        return
    before = runs().get(name)
    if before is not None:
        before.stop()
    runs()[name] = Measuring(limit.measure, settings)


# What came out


def _going_on() -> frozenset[str]:
    return frozenset(name for name, run in runs().items() if run.goes_on)


def _results(name: str) -> None:
    going_on = _going_on()
    st.fragment(_shown, run_every=EVERY if going_on else None)(name, going_on)


def _shown(name: str, went_on: frozenset[str]) -> None:
    for run in runs().values():  # what is measured goes on while another limit is looked at
        run.poll()
    if went_on != _going_on():
        st.rerun()  # one has ended: the buttons change, and after the last one nobody looks any more
    found = runs().get(name)
    points = [] if found is None else list(found.points)
    settings = LIMITS[name].settings() if found is None else found.settings
    said = " ".join(say(line) for line in words(name, points))
    drawn = panels(name, settings, points)
    if drawn:
        _picture(name, drawn, points, said)
    else:
        _heading(name, points)
    if found is not None:
        _standing(LIMITS[name], found, len(points))
    if said and name not in went_on:
        st.markdown(f"**{say('limits.shown')}** · {said}")
    st.markdown(f"**{say('limits.paper')}** · {say(f'limits.paper.{name}')}")
    if not drawn:
        sign_table(points)


def _picture(name: str, drawn: tuple[Panel, ...], points: list[Any], said: str) -> None:
    title = say(f"limits.name.{name}")
    with savable(f"limit-{name}", title, f"msviz-limit-{name}", lambda: points_csv(points)):
        for at, (column, panel) in enumerate(zip(st.columns(len(drawn)), drawn, strict=True)):
            key, alt = f"msviz.limits.{name}.{at}", f"{say(panel.title)}. {said}"
            column.plotly_chart(limit_figure(panel), key=key, config=CHART, alt=alt)


def _heading(name: str, points: list[Any]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(say("limits.sign.title"), anchor=False, width="stretch")
        if points:
            csv_button(say("menu.csv"), f"msviz-limit-{name}", lambda: points_csv(points), f"msviz.csv.limit.{name}")


def _standing(limit: Limit, run: Measuring, done: int) -> None:
    total = limit.count(run.settings)
    line = say(f"limits.doing.{run.doing}", place=run.place, done=done, points=total, seconds=run.seconds)
    if run.goes_on:
        st.progress(min(1.0, done / total), text=line)
    else:
        st.markdown(line)
    if run.error is not None:
        st.error(say_error(run.error))
