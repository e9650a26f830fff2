"""Kept pairs against epsilon as a plotly chart: positives on the left, negatives on the right, a step curve a class."""

from __future__ import annotations

import math
from typing import Final

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from msviz.figures.theme import CLASS_COLORS, GREY, LEGEND, TRANSPARENT, class_look
from msviz.text import say
from msviz.views.kept import KeptCurve, KeptView

DASHES: Final = ("solid", "9px,4px", "3px,4px", "12px,4px,3px,4px", "18px,5px", "16px,4px,3px,4px,3px,4px")
SYMBOLS: Final = {
    **{"circle": "circle", "triangle": "triangle-up", "square": "square", "diamond": "diamond", "plus": "cross"},
    **{"wedge": "triangle-down", "hexagon": "hexagon", "star": "star"},
}
MOST_CURVES: Final = 12  # classes; of more the first ones, as nobody could tell them apart


def kept_figure(view: KeptView) -> go.Figure:
    """The share of each class's pairs that mining keeps, against epsilon; the margin now is marked.

    Args:
        view: the curves.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.kept import kept_view
        >>> from msviz.views.scene import scene
        >>> len(kept_figure(kept_view(scene(default_state()))).data)  # three classes, two kinds, three traces each
        18
    """
    titles = [say("mining.curve.positives"), say("mining.curve.negatives")]
    figure = make_subplots(1, 2, subplot_titles=titles, shared_yaxes=True, horizontal_spacing=0.04)
    labels = sorted({curve.label for curve in view.curves})[:MOST_CURVES]
    for curve in view.curves:
        if curve.label in labels:
            _add(figure, view, curve, labels.index(curve.label))
    if view.epsilon is not None:
        for column in (1, 2):
            figure.add_vline(x=view.epsilon, line={"color": GREY, "width": 1.5, "dash": "dot"}, col=column, row=1)
    figure.update_xaxes(title="ε", range=[-0.02 * view.high, 1.02 * view.high], zeroline=False)
    figure.update_yaxes(tickformat=".0%", range=[-0.04, 1.06], zeroline=False)
    figure.update_yaxes(title=say("mining.curve.y"), col=1, row=1)
    figure.update_layout(
        height=360,
        margin={"l": 10, "r": 10, "t": 36, "b": 10},
        legend=LEGEND,
        hovermode="closest",
        **TRANSPARENT,
    )
    return figure


def _add(figure: go.Figure, view: KeptView, curve: KeptCurve, at: int) -> None:
    look, column = class_look(curve.label), 1 if curve.positive else 2
    x, counts = curve.steps(view.high)
    y, color, dash = [count / curve.total for count in counts], CLASS_COLORS[look.color], DASHES[at % len(DASHES)]
    name = say("mining.curve.class", name=curve.name)
    group = {"legendgroup": name, "name": name, "row": 1, "col": column}
    # Grey lines the curves, whose own colours may be pale.
    stepped = {"mode": "lines", "x": x, "y": y, **group}
    figure.add_scatter(
        **stepped, line={"color": GREY, "width": 5, "dash": dash, "shape": "hv"}, showlegend=False, hoverinfo="skip"
    )
    hover = say("mining.curve.hover", total=curve.total)
    figure.add_scatter(
        **stepped,
        line={"color": color, "width": 2.5, "dash": dash, "shape": "hv"},
        showlegend=False,
        customdata=counts,
        hovertemplate=f"{hover}<extra>{name}</extra>",
    )
    # The margin now, in the class's shape; without mining the mark stands in the legend only.
    mark = {"symbol": SYMBOLS[look.shape], "size": 13, "color": color, "line": {"color": GREY, "width": 2}}
    here = math.nan if view.epsilon is None else view.epsilon
    figure.add_scatter(
        x=[here],
        y=[curve.now / curve.total],
        mode="lines+markers",
        line={"color": color, "width": 2.5, "dash": dash},
        marker=mark,
        showlegend=curve.positive or all(other.label != curve.label for other in view.curves if other.positive),
        hovertemplate=f"{say('mining.curve.hover.now', count=curve.now, total=curve.total)}<extra>{name}</extra>",
        **group,
    )
