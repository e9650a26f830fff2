"""A strip as a plotly heatmap: rows are the anchor's pairs, columns the values of one parameter.

Weight 0 is see-through, so that it is the page in either theme; dropped pairs are grey, which no weight is.
"""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float64

from msviz.figures.theme import LIGHT, TRANSPARENT
from msviz.text import number, say
from msviz.views.weights_sweeps import Strip, SweepsView

DROPPED = "rgba(128, 128, 128, 0.32)"
ROW = 17  # pixels a pair
LEAST, MOST = 150, 620  # pixels of all rows together
ROOM = 4.0  # colours end at so many times the largest weight of today, at most


def strip_figure(view: SweepsView, strip: Strip) -> go.Figure:
    """One strip.

    Args:
        view: the strips of the anchor, whose rows it shares.
        strip: one of them.
    """
    rows, high = row_names(view), scale_end(strip)
    edges = column_edges(strip)
    shown = np.where(strip.kept, strip.gradient, np.nan)
    figure = go.Figure()
    at = {"x": edges, "y": rows}
    grey = [[0.0, DROPPED], [1.0, DROPPED]]
    gone = say("page.weights.strip.hover.dropped", letter=strip.letter)
    figure.add_heatmap(z=np.where(strip.kept, np.nan, 1.0), **at, colorscale=grey, showscale=False, hovertemplate=gone)
    more = "≥ " if high < strip.largest else ""
    figure.add_heatmap(
        z=shown,
        **at,
        zmin=-high,
        zmax=high,
        colorscale=_diverging(),
        hovertemplate=say("page.weights.strip.hover", letter=strip.letter),
        colorbar={
            "orientation": "h", "thickness": 10, "y": -0.16, "yanchor": "top", "outlinewidth": 1, "len": 1.0,
            "tickvals": [-0.86 * high, 0, 0.86 * high],
            "ticktext": [
                say("page.weights.strip.pull", w=more + number(high, 2)), "0",
                say("page.weights.strip.push", w=more + number(high, 2)),
            ],
        },
    )  # fmt: skip
    if strip.now is not None and edges[0] <= strip.now <= edges[-1]:
        _mark(figure, strip.now, rows)
    figure.update_xaxes(type="log" if strip.log else "linear", title=say("page.weights.strip.x", letter=strip.letter))
    figure.update_xaxes(showgrid=False, zeroline=False, range=_span(edges, strip.log), nticks=6)
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False, title=None)
    positives = sum(view.positive)
    if 0 < positives < len(rows):
        figure.add_hline(y=positives - 0.5, line={"color": "#7d7f88", "width": 2})
    figure.update_layout(
        height=int(np.clip(ROW * len(rows), LEAST, MOST)) + 130,
        margin={"l": 10, "r": 10, "t": 14, "b": 10},
        showlegend=False,
        **TRANSPARENT,
    )
    return figure


def row_names(view: SweepsView) -> list[str]:
    """The rows of a strip: + or − for the kind, the other end, its similarity; an arrow points at the selected pair."""
    return [
        f"{'▸ ' if row == view.selected else ''}{'+' if positive else '−'} {other} · {number(s, 2)}"
        for row, (other, positive, s) in enumerate(zip(view.others, view.positive, view.s, strict=True))
    ]


def scale_end(strip: Strip) -> float:
    """The weight at the end of a strip's colours: its largest, but not more than four times the largest of today.

    A sharpness of 200 makes some weights a hundred times those of today, and all others would look like nothing.
    """
    if strip.now is None:
        return strip.largest
    today = float(np.abs(strip.gradient[:, int(np.abs(strip.values - strip.now).argmin())]).max(initial=0.0))
    return min(strip.largest, ROOM * today) if today > 0 else strip.largest


def column_edges(strip: Strip) -> Float64[np.ndarray, " K1"]:
    """Where the columns meet: halfway between their values, on the slider's scale."""
    values = np.log10(strip.values) if strip.log else strip.values
    middle = (values[1:] + values[:-1]) / 2
    edges = np.concatenate([[values[0]], middle, [values[-1]]])
    return 10**edges if strip.log else edges


def _span(edges: Float64[np.ndarray, " K1"], log: bool) -> list[float]:
    ends = edges[[0, -1]]
    return [float(end) for end in (np.log10(ends) if log else ends)]


def _diverging() -> list[list[float | str]]:
    """Pull, nothing, push: opaque at both ends, see-through at 0."""
    pull, push = ("rgba({}, {}, {}, {{}})".format(*_rgb(color)) for color in (LIGHT.pull, LIGHT.push))
    return [[0.0, pull.format(1)], [0.5, pull.format(0)], [0.5, push.format(0)], [1.0, push.format(1)]]


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(int(color[at : at + 2], 16) for at in (1, 3, 5))


def _mark(figure: go.Figure, now: float, rows: list[str]) -> None:
    """Today's value: a light line in a dark one, seen on every colour and on either page."""
    ends = [rows[0], rows[-1]]
    for color, width in (("#1c1f24", 5), ("#ffffff", 2)):
        figure.add_scatter(x=[now, now], y=ends, mode="lines", line={"color": color, "width": width}, hoverinfo="skip")
    marker = {"symbol": ["triangle-down", "triangle-up"], "size": 11, "color": "#ffffff"}
    marker["line"] = {"color": "#1c1f24", "width": 1.5}
    figure.add_scatter(x=[now, now], y=ends, mode="markers", marker=marker, hoverinfo="skip", cliponaxis=False)
