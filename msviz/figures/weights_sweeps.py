"""A strip as a plotly heatmap: rows are the anchor's pairs, columns the values of one parameter.

Weight 0 is see-through, so that it is the page in either theme; dropped pairs are dotted, as on the bench.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float64

from msviz.figures.theme import GREY, LIGHT, TRANSPARENT
from msviz.text import number, say
from msviz.views.weights_sweeps import Strip, SweepsView

GROUND = "rgba(128, 128, 128, 0.12)"  # of dropped pairs; their dots keep 3:1 against it
ROW = 17  # pixels a pair
LEAST, MOST = 150, 620  # pixels of all rows together
ABOVE, BELOW = 14, 134  # pixels around them; below lie the axis, the colours and what the dots mean
ROOM = 4.0  # colours end at so many times the largest weight of today, at most


def strip_figure(view: SweepsView, strip: Strip) -> go.Figure:
    """One strip.

    Args:
        view: the strips of the anchor, whose rows it shares.
        strip: one of them.
    """
    rows, edges, figure = row_names(view), column_edges(strip), go.Figure()
    height = int(np.clip(ROW * len(rows), LEAST, MOST))
    _add_weights(figure, strip, {"x": edges, "y": rows}, -60 / height)
    _dot_dropped(figure, strip, edges)
    if strip.now is not None and edges[0] <= strip.now <= edges[-1]:
        _mark(figure, strip.now, len(rows))
    figure.update_xaxes(type="log" if strip.log else "linear", title=say("page.weights.strip.x", letter=strip.letter))
    figure.update_xaxes(showgrid=False, zeroline=False, range=_span(edges, strip.log), nticks=6)
    span = [len(rows) - 0.5, -0.5]
    figure.update_layout(
        yaxis={"type": "category", "range": span, "showgrid": False},
        yaxis2={"range": span, "overlaying": "y", "visible": False},  # rows by number, for what lies between them
        height=ABOVE + height + BELOW,
        margin={"l": 10, "r": 10, "t": ABOVE, "b": BELOW},
        showlegend=True,  # where a single trace stands in it, too
        legend={"orientation": "h", "x": 0.5, "xanchor": "center", "y": -102 / height, "yanchor": "top"},
        **TRANSPARENT,
    )
    positives = sum(view.positive)
    if 0 < positives < len(rows):
        figure.add_hline(y=positives - 0.5, line={"color": GREY, "width": 2})
    return figure


def _add_weights(figure: go.Figure, strip: Strip, at: dict[str, Any], colors_at: float) -> None:
    """The cells: the ground of dropped pairs, and the weights of the others with their scale of colours below."""
    high, ground = scale_end(strip), [[0.0, GROUND], [1.0, GROUND]]
    gone = say("page.weights.strip.hover.dropped", letter=strip.letter)
    figure.add_heatmap(
        z=np.where(strip.kept, np.nan, 1.0), **at, colorscale=ground, showscale=False, hovertemplate=gone
    )
    more = "≥ " if high < strip.largest else ""
    figure.add_heatmap(
        z=np.where(strip.kept, strip.gradient, np.nan),
        **at,
        zmin=-high,
        zmax=high,
        colorscale=_diverging(),
        hovertemplate=say("page.weights.strip.hover", letter=strip.letter),
        colorbar={
            "orientation": "h", "thickness": 10, "y": colors_at, "yanchor": "top", "outlinewidth": 1, "len": 1.0,
            "tickvals": [-0.86 * high, 0, 0.86 * high],
            "ticktext": [
                say("page.weights.strip.pull", w=more + number(high, 2)), "0",
                say("page.weights.strip.push", w=more + number(high, 2)),
            ],
        },
    )  # fmt: skip


def _dot_dropped(figure: go.Figure, strip: Strip, edges: Float64[np.ndarray, " K1"]) -> None:
    """Dots over every run of cells that mining drops, and in the legend what they mean."""
    x, y = [], []
    for row, kept in enumerate(strip.kept):
        ends = np.flatnonzero(np.diff(~kept, prepend=False, append=False))  # where runs start and end, in turn
        for start, end in ends.reshape(-1, 2).tolist():
            left, right = float(edges[start]), float(edges[end])
            x += [left, right, right, left, left, None]
            y += [row - 0.5, row - 0.5, row + 0.5, row + 0.5, row - 0.5, None]
    if x:
        dots = {"shape": ".", "size": 6, "solidity": 0.16, "fgcolor": GREY, "bgcolor": "rgba(0, 0, 0, 0)"}
        figure.add_scatter(
            x=x, y=y, yaxis="y2", mode="lines", line={"width": 0, "color": GREY}, fill="toself", fillpattern=dots,
            name=say("page.weights.curve.dropped"), hoverinfo="skip",
        )  # fmt: skip


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


def _mark(figure: go.Figure, now: float, rows: int) -> None:
    """Today's value: a light line in a dark one, seen on every colour and on either page."""
    ends, quiet = [0, rows - 1], {"hoverinfo": "skip", "showlegend": False, "yaxis": "y2"}
    for color, width in (("#1c1f24", 5), ("#ffffff", 2)):
        figure.add_scatter(x=[now, now], y=ends, mode="lines", line={"color": color, "width": width}, **quiet)
    marker = {"symbol": ["triangle-down", "triangle-up"], "size": 11, "color": "#ffffff"}
    marker["line"] = {"color": "#1c1f24", "width": 1.5}
    figure.add_scatter(x=[now, now], y=ends, mode="markers", marker=marker, cliponaxis=False, **quiet)
