"""The strip of controls over the bench: loss, presets, parameters, mining."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from msviz.core.losses import LOSSES
from msviz.core.losses.spec import ParamInfo, param_infos
from msviz.core.methods import METHODS, Method
from msviz.text import catalogue, say
from msviz.ui import session
from msviz.ui.components import component
from msviz.ui.desk import DEFAULT_EPSILON, Desk
from msviz.ui.layouts import LAYOUTS
from msviz.views.change import loss_title

KEY: Final = "msviz.strip"
PRESETS: Final = ("paper", "authors", "pml")


@st.fragment(key=session.STRIP)
def strip(page: str) -> None:
    """Show the controls of the visitor's desk.

    Args:
        page: a name in `LAYOUTS`.
    """
    on_parcel = session.on_parcel(session.STRIP, KEY, LAYOUTS[page].below)
    component("strip")(key=KEY, data=message(session.desk()), on_parcel_change=on_parcel)


def message(desk: Desk) -> dict[str, Any]:
    """What the browser draws. Everything about a loss comes from its record: a new loss file needs no line here."""
    method = desk.state.method
    return {
        "seq": desk.applied.get(session.STRIP, 0),
        "texts": catalogue("js."),
        "losses": [{"name": name, "title": loss_title(name)} for name in LOSSES],
        "method": {"loss": method.name, "mined": method.epsilon is not None},
        "presets": [
            {
                "slug": slug,
                "title": say(f"method.{slug}.title"),
                "help": say(f"method.{slug}.help"),
                "active": method == METHODS[slug],
            }
            for slug in PRESETS
        ],
        "params": [*(_param(method, info) for info in param_infos(method.params)), _epsilon(method)],
    }


def _param(method: Method, info: ParamInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "letter": info.letter,
        "help": say(f"loss.{method.name}.{info.name}.help", default=info.help),
        "low": max(info.low, info.high / 2000) if info.scale == "log" else info.low,  # a logarithm needs a start
        "high": info.high,
        "bounds": info.bounds,
        "scale": info.scale,
        "step": info.step,
        "whole": info.whole,
        "value": getattr(method.params, info.name),
    }


def _epsilon(method: Method) -> dict[str, Any]:
    shown = {"letter": "ε", "help": say("js.strip.epsilon"), "bounds": ">= 0", "scale": "linear"}
    span = {"low": 0.0, "high": 1.0, "step": 0.01, "whole": False}
    return {"name": "epsilon", **shown, **span, "value": method.epsilon, "rest": DEFAULT_EPSILON}
