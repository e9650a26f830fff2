"""The curves of a limit as a plotly chart: its panels side by side, in frames that stay while the curves grow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from msviz.figures.methods import method_look
from msviz.figures.theme import GREY, TRANSPARENT
from msviz.text import number, say
from msviz.views.limits_curves import REFERENCE, Curve, Panel


def limit_figure(panels: Sequence[Panel]) -> go.Figure:
    """The chart.

    Args:
        panels: at least one.

    Example:
        >>> from msviz.training.limits import CompositionPoint, CompositionSettings
        >>> from msviz.views.limits_curves import panels
        >>> points = [CompositionPoint(2, 5, thin=0.7, kept=0.1)]
        >>> [trace.name for trace in limit_figure(panels("composition", CompositionSettings(), points)).data]
        ['K = 5', "the paper's report"]
    """
    figure = make_subplots(1, len(panels), subplot_titles=[say(panel.title) for panel in panels])
    for at, panel in enumerate(panels, 1):
        place = {"row": 1, "col": at}
        for curve in panel.curves:
            _add(figure, panel, curve, at == 1, place)
        if panel.mark is not None:
            _add_mark(figure, panel, place)
        figure.update_xaxes(title=say(panel.x), **_x_axis(panel), **place)
        figure.update_yaxes(title=say(panel.y), **_y_axis(panel), **place)
    figure.update_layout(
        height=430,
        margin={"l": 10, "r": 10, "t": 36, "b": 10},
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        showlegend=True,
        hovermode="closest",
        **TRANSPARENT,
    )
    figure.update_annotations(font_size=14)
    return figure


def _add(figure: go.Figure, panel: Panel, curve: Curve, legend: bool, place: dict[str, int]) -> None:
    value = "%{y:.1%}" if panel.scale == "share" else "%{y:.4~g}"
    told = "<br>%{customdata}" if curve.notes else ""
    if curve.look == REFERENCE:
        style: dict[str, Any] = {"mode": "lines", "line": {"color": GREY, "width": 2, "dash": "dot"}}
    else:
        look = method_look(curve.look)
        line = {"color": look.color, "width": look.width, "dash": look.dash}
        style = {"mode": "lines+markers", "line": line, "marker": {"symbol": look.symbol, "size": 9}}
    figure.add_scatter(
        x=curve.x,
        y=curve.y,
        name=curve.name,
        legendgroup=curve.name,
        showlegend=legend,
        customdata=curve.notes or None,
        hovertemplate=f"{say(panel.x)}: %{{x}}<br>{say(panel.y)}: {value}{told}<extra>{curve.name}</extra>",
        **style,
        **place,
    )


def _add_mark(figure: go.Figure, panel: Panel, place: dict[str, int]) -> None:
    assert panel.mark is not None
    x, y, name = panel.mark
    figure.add_scatter(
        x=[x],
        y=[y],
        name=say(name),
        mode="markers",
        marker={"symbol": "star-open", "size": 15, "color": GREY, "line": {"width": 2}},
        hovertemplate=f"{say(name)}<extra></extra>",
        **place,
    )


def _x_axis(panel: Panel) -> dict[str, Any]:
    low, high = panel.span
    named = {"tickvals": panel.ticks, "ticktext": [number(tick, None) for tick in panel.ticks], "zeroline": False}
    if not panel.doubling:
        return {
            **named,
            "tickformat": ".0%",
            "ticktext": [f"{tick:.0%}" for tick in panel.ticks],
            "range": _wider(low, high),
        }
    return {**named, "type": "log", "range": _wider(math.log10(low), math.log10(high))}


def _y_axis(panel: Panel) -> dict[str, Any]:
    if panel.scale == "share":
        return {"range": [-0.04, 1.06], "tickformat": ".0%", "zeroline": False}
    return {"type": "log", "dtick": 1, "exponentformat": "none"}


def _wider(low: float, high: float) -> list[float]:
    room = 0.05 * (high - low) or 0.2
    return [low - room, high + room]
