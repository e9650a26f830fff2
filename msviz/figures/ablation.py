"""Dots with their intervals, and beside them the paper's on an axis of its own, as a plotly chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from msviz.figures.methods import method_look
from msviz.figures.theme import GREY, LEGEND, TRANSPARENT
from msviz.text import say
from msviz.views.ablation import Dot, Look

_HERE, _PAPER = method_look(0).color, method_look(1).color
_SYMBOLS: Final[dict[Look, str]] = {
    "plain": "circle",
    "higher": "circle",
    "lower": "x",
    "undecided": "circle-open",
}
_ROW: Final = 46  # pixels, room for a name over its dots: beside them names would take half a phone's width


def dots_figure(dots: Sequence[Dot], unit: str, zero: bool = False) -> go.Figure:
    """The chart: what was measured here on the left, what the paper says on the right, a line each.

    Args:
        dots: at least one, from above.
        unit: what stands at the axes.
        zero: mark the zero that differences are on one side of or the other.

    Example:
        >>> from msviz.views.ablation import row_dots
        >>> [len(trace.x) for trace in dots_figure(row_dots(None), "Recall@1").data]
        [0, 8]
    """
    titles = [say("ablation.here"), say("ablation.paper")]
    figure = make_subplots(1, 2, subplot_titles=titles, horizontal_spacing=0.06)
    places = [-at for at in range(len(dots))]
    if zero:
        _add_zero(figure, places)
    for look, symbol in _SYMBOLS.items():
        group = [(dot, place) for dot, place in zip(dots, places, strict=True) if dot.look == look]
        if group:
            _add_here(figure, group, symbol, look)
    figure.add_scatter(
        x=[dot.paper for dot in dots],
        y=places,
        mode="markers",
        name=say("ablation.paper"),
        marker={"symbol": "diamond", "size": 12, "color": _PAPER},
        customdata=[dot.name for dot in dots],
        hovertemplate=f"%{{customdata}}<br>%{{x:.1f}}<extra>{say('ablation.paper')}</extra>",
        row=1,
        col=2,
    )
    figure.update_annotations(font_size=14)
    for dot, place in zip(dots, places, strict=True):
        name: dict[str, Any] = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "y", "y": place + 0.36}
        figure.add_annotation(text=dot.name, showarrow=False, font={"size": 13}, **name)
    figure.update_xaxes(title=unit, zeroline=False)
    if all(dot.here is None for dot in dots):
        figure.update_xaxes(showticklabels=False, row=1, col=1)  # plotly would make numbers up
    figure.update_yaxes(range=[places[-1] - 0.4, 0.62], tickvals=places, showticklabels=False, zeroline=False)
    figure.update_layout(
        height=90 + _ROW * len(dots),
        margin={"l": 4, "r": 10, "t": 30, "b": 10},
        legend=LEGEND,
        showlegend=any(dot.look != "plain" for dot in dots),
        hovermode="closest",
        **TRANSPARENT,
    )
    return figure


def _add_zero(figure: go.Figure, places: Sequence[int]) -> None:
    """A stroke at zero on each line; a whole line would cross the names."""
    mark = {"symbol": "line-ns-open", "size": 10, "color": GREY, "line": {"width": 2, "color": GREY}}
    how: dict[str, Any] = {"mode": "markers", "marker": mark, "showlegend": False, "hoverinfo": "skip"}
    for column in (1, 2):
        figure.add_scatter(x=[0] * len(places), y=places, row=1, col=column, **how)


def _add_here(figure: go.Figure, group: Sequence[tuple[Dot, int]], symbol: str, look: Look) -> None:
    known = [(dot.name, *dot.here, place) for dot, place in group if dot.here is not None]
    reach = say("ablation.reach")
    figure.add_scatter(
        x=[mean for _, mean, *_ in known],
        y=[place for *_, place in known],
        error_x={
            "type": "data",
            "symmetric": True,
            "array": [high - mean for _, mean, _, high, _ in known],
            "color": _HERE,
            "thickness": 2,
            "width": 5,
        },
        mode="markers",
        name=say(f"ablation.look.{look}"),
        marker={"symbol": symbol, "size": 11, "color": _HERE, "line": {"width": 2, "color": _HERE}},
        customdata=[(name, low, high) for name, _, low, high, _ in known],
        hovertemplate=f"%{{customdata[0]}}<br>%{{x:.1f}}<br>{reach}<extra>{say(f'ablation.look.{look}')}</extra>",
        row=1,
        col=1,
    )
