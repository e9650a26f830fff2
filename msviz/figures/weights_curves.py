"""Weight against similarity as a plotly chart: a curve a method, broken where the weight jumps, with its point now."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from msviz.figures.methods import MethodLook, method_look
from msviz.figures.theme import GREY, LEGEND, TRANSPARENT
from msviz.text import number, say
from msviz.views.method_name import method_name
from msviz.views.weights_curves import Curve, CurvesView

PALE = "rgba(128, 128, 128, 0.16)"


def curves_figure(view: CurvesView, own_scale: bool = True) -> go.Figure:
    """The curves of a pair.

    Args:
        view: the curves.
        own_scale: every curve divided by its largest weight, so that shapes compare; False = raw weights.
    """
    figure = go.Figure()
    for at, curve in enumerate(view.curves):
        _add(figure, curve, view.s, method_look(at), curve.largest if own_scale and curve.largest > 0 else 1.0)
    low, high = float(view.curves[0].s[0]), float(view.curves[0].s[-1])
    for start, end in view.curves[0].dropped():
        figure.add_vrect(x0=start, x1=end, fillcolor=PALE, line={"color": GREY, "width": 1}, layer="below")
        if end - start > 0.25 * (high - low):
            middle = (start + end) / 2
            figure.add_annotation(
                x=middle, y=1, yref="paper", yanchor="bottom", text=say("page.weights.curve.dropped"), showarrow=False
            )
    figure.add_vline(x=view.s, line={"color": GREY, "width": 1.5, "dash": "dot"})
    side = "right" if view.s > 0.6 else "left" if view.s < -0.6 else "center"
    now = say("page.weights.curve.now", s=view.s)
    figure.add_annotation(
        x=view.s, y=1, yref="paper", yanchor="bottom", xanchor=side, text=f"<b>{now}</b>", showarrow=False
    )
    y_title = say("page.weights.curve.y.own" if own_scale else "page.weights.curve.y")
    x_title = say("page.weights.curve.x", anchor=view.anchor, other=view.other)
    figure.update_xaxes(title=x_title, range=[low - 0.02, high + 0.02], zeroline=False)
    figure.update_yaxes(title=y_title, rangemode="tozero", zeroline=True, zerolinecolor=GREY)
    figure.update_layout(
        height=430,
        margin={"l": 10, "r": 10, "t": 36, "b": 10},
        legend=LEGEND,
        hovermode="closest",
        **TRANSPARENT,
    )
    return figure


def _add(figure: go.Figure, curve: Curve, s: float, look: MethodLook, scale: float) -> None:
    breaks = np.asarray(curve.jumps, dtype=int) + 1
    x = np.insert(curve.s, breaks, np.nan)  # a gap, so that no line slants through a jump
    raw = np.insert(curve.weight, breaks, np.nan)
    name = method_name(curve.method)
    hover = say("page.weights.curve.hover")
    line = {"color": look.color, "dash": look.dash, "width": look.width}
    kept = np.insert(curve.kept.astype(int), breaks, 0)
    words = [say("page.weights.curve.kept") if it else say("page.weights.curve.not_kept") for it in kept]
    figure.add_scatter(
        x=x, y=raw / scale, customdata=np.column_stack([raw, np.asarray(words, dtype=object)]), name=name, mode="lines",
        line=line, legendgroup=name, showlegend=False, connectgaps=False, hovertemplate=f"{hover}<extra>{name}</extra>",
    )  # fmt: skip
    marker = {"symbol": look.symbol, "size": 13, "color": look.color, "line": {"color": look.color, "width": 2.5}}
    here = say("page.weights.curve.hover.now", s=number(s, 3), w=number(curve.now, 3))
    figure.add_scatter(
        x=[s], y=[curve.now / scale], name=name, mode="lines+markers", line=line, marker=marker, legendgroup=name,
        hovertemplate=f"{here}<extra>{name}</extra>",
    )  # fmt: skip
