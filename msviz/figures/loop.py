"""The pairs of two classes against each other as a plotly heatmap."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from msviz.figures.theme import GREY, LIGHT, TRANSPARENT
from msviz.text import number, say
from msviz.views.loop_pairs import PairsView

NUMBERS: Final = 12  # pairs a side, up to which cells show their number
DARK_FROM: Final = 0.76  # of the scale: from here on cells are so dark that white reads better
_COLORS: Final = [[0.0, LIGHT.s_low], [0.5, LIGHT.s_mid], [1.0, LIGHT.s_high]]


def pairs_figure(view: PairsView, kind: str, title: str) -> go.Figure:
    """One of the two matrices; both have the same colours, from the least plain similarity to 1.

    Args:
        view: the matrices.
        kind: "plain", the largest of the four similarities, or "loop", that of the closest points.
        title: over it.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.loop_four import four_view
        >>> from msviz.views.loop_pairs import pairs_view
        >>> from msviz.views.scene import scene
        >>> now = scene(default_state())
        >>> pairs_figure(pairs_view(now, four_view(now)), "loop", "LoOp").data[0].z.shape
        (10, 10)
    """
    values = view.plain if kind == "plain" else view.loop
    rows, columns = ([_name(pair) for pair in side] for side in (view.rows, view.columns))
    figure, few = go.Figure(), max(values.shape) <= NUMBERS
    low, hover = float(view.plain.min()), say("page.loop.matrix.hover", one="%{y}", two="%{x}")
    figure.add_heatmap(
        z=values,
        x=columns,
        y=rows,
        zmin=min(low, 0.99),  # where all are 1, a scale needs some length
        zmax=1.0,
        colorscale=_COLORS,
        customdata=np.where(view.touching, say("page.loop.matrix.touch"), ""),
        hovertemplate=f"{hover}: %{{z:.3f}}<br>%{{customdata}}<extra></extra>",
        xgap=1,
        ygap=1,
        colorbar={
            **{"orientation": "h", "yref": "container", "y": 0.01, "yanchor": "bottom"},
            **{"thickness": 12, "len": 0.6, "nticks": 5},
        },
    )
    if few:
        _write(figure, values, rows, columns, low)
    _mark_used(figure, view)
    axis: dict[str, Any] = {"type": "category", "showgrid": False, "zeroline": False, "tickangle": 0}
    figure.update_xaxes(**axis, title=say("page.loop.matrix.side", name=view.names[1]), side="bottom")
    figure.update_xaxes(tickangle=0 if len(columns) <= NUMBERS else 90)
    figure.update_yaxes(**axis, title=say("page.loop.matrix.side", name=view.names[0]), autorange="reversed")
    figure.update_layout(
        title={
            "text": title,
            "font": {"size": 15, "weight": "normal"},
            "x": 0,
            "xanchor": "left",
            "yref": "container",
            "y": 0.98,
        },
        height=200 + (30 * max(len(rows), 4) if few else 19 * len(rows)),
        margin={"l": 10, "r": 10, "t": 66, "b": 120},
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom"},
        showlegend=True,
        **TRANSPARENT,
    )
    return figure


def _write(figure: go.Figure, values: np.ndarray, rows: list[str], columns: list[str], low: float) -> None:
    """The numbers, light in dark cells and dark in the others: plotly's own choice cannot be read on middle greys."""
    dark = (values - low) / max(1.0 - low, 1e-9) > DARK_FROM
    for where, color in ((dark, LIGHT.paper), (~dark, LIGHT.ink)):
        at = list(zip(*np.nonzero(where), strict=True))
        figure.add_scatter(
            x=[columns[q] for _, q in at],
            y=[rows[p] for p, _ in at],
            text=[number(values[p, q]) for p, q in at],
            mode="text",
            textfont={"color": color, "size": 12},
            showlegend=False,
            hoverinfo="skip",
        )


def _mark_used(figure: go.Figure, view: PairsView) -> None:
    """A frame in each cell where both pairs are the batch's own: dark with a light core, to be seen on every colour."""
    few = max(view.used.shape) <= NUMBERS
    # In parts of a cell: around its number, or a mark where there is none.
    wide, high = (0.48, 0.42) if few else (0.3, 0.3)
    # On axes of names a shape counts them 0, 1, ...
    corners = [(q - wide, q + wide, p - high, p + high) for p, q in np.argwhere(view.used).tolist()]
    path = "".join(f"M{left},{top}L{right},{top}L{right},{foot}L{left},{foot}Z" for left, right, top, foot in corners)
    for color, width in ((LIGHT.ink, 3.0), (LIGHT.paper, 1.0)):
        figure.add_shape(type="path", path=path, line={"width": width, "color": color})
    sample = {"symbol": "square-open", "size": 14, "color": GREY, "line": {"width": 2, "color": GREY}}
    figure.add_scatter(x=[None], y=[None], mode="markers", name=say("page.loop.matrix.used"), marker=sample)


def _name(pair: tuple[int, int]) -> str:
    one, two = pair
    return str(one) if one == two else f"{one}–{two}"
