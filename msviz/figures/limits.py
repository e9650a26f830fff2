"""A panel of a limit as a plotly chart, in a frame that stays while its curves grow."""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from msviz.figures.methods import method_look
from msviz.figures.theme import GREY, LEGEND, TRANSPARENT
from msviz.text import number, percent, say
from msviz.views.limits_curves import REFERENCE, Curve, Panel


def limit_figure(panel: Panel) -> go.Figure:
    """The chart.

    Args:
        panel: its axes and curves.

    Example:
        >>> from msviz.training.limits import CompositionPoint, CompositionSettings
        >>> from msviz.views.limits_curves import panels
        >>> (panel,) = panels("composition", CompositionSettings(), [CompositionPoint(2, 5, thin=0.7, kept=0.1)])
        >>> [trace.name for trace in limit_figure(panel).data]
        ['K = 5', "the paper's report"]
    """
    figure = go.Figure()
    for curve in panel.curves:
        _add(figure, panel, curve)
    if panel.mark is not None:
        _add_mark(figure, *panel.mark[:2], say(panel.mark[2]))
    figure.update_xaxes(title=say(panel.x), zeroline=False, **_x_axis(panel))
    figure.update_yaxes(title=say(panel.y), zeroline=False, **_y_axis(panel))
    figure.update_layout(
        title={"text": say(panel.title), "font": {"size": 15, "weight": "normal"}},
        height=390 + 14 * len(panel.curves),  # on a phone the legend has a line for nearly every curve
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend=LEGEND,
        showlegend=True,
        hovermode="closest",
        **TRANSPARENT,
    )
    return figure


def _add(figure: go.Figure, panel: Panel, curve: Curve) -> None:
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
        customdata=curve.notes or None,
        hovertemplate=f"{say(panel.x)}: %{{x}}<br>{say(panel.y)}: {value}{told}<extra>{curve.name}</extra>",
        **style,
    )


def _add_mark(figure: go.Figure, x: float, y: float, name: str) -> None:
    figure.add_scatter(
        x=[x],
        y=[y],
        name=name,
        mode="markers",
        marker={"symbol": "star-open", "size": 15, "color": GREY, "line": {"width": 2}},
        hovertemplate=f"{name}<extra></extra>",
    )


def _x_axis(panel: Panel) -> dict[str, Any]:
    low, high = panel.span
    if panel.doubling:
        names = [number(tick, None) for tick in panel.ticks]
        return {
            "type": "log",
            "range": _wider(math.log10(low), math.log10(high)),
            "tickvals": panel.ticks,
            "ticktext": names,
        }
    names = [percent(tick) for tick in panel.ticks]
    return {"range": _wider(low, high), "tickvals": panel.ticks, "ticktext": names, "hoverformat": ".0%"}


def _y_axis(panel: Panel) -> dict[str, Any]:
    if panel.scale == "share":
        return {"range": [-0.04, 1.06], "tickformat": ".0%"}
    return {"type": "log", "dtick": 1, "exponentformat": "none"}


def _wider(low: float, high: float) -> list[float]:
    room = 0.05 * (high - low) or 0.2
    return [low - room, high + room]
