"""The charts of the N-pair lab: the denominator as it fills up, loss and penalty against length, class mining."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from msviz.figures.methods import COLORS
from msviz.figures.theme import GREY, LEGEND, TRANSPARENT
from msviz.text import number, say
from msviz.views.npair_mining import MiningView
from msviz.views.npair_norms import NormsCurve
from msviz.views.npair_partition import PartitionView

MEAN, BOUND, SUM = COLORS[0], COLORS[1], COLORS[3]
FEW: Final = 12  # bars, up to which each has its number
BAND: Final = "rgba(47, 138, 134, 0.22)"  # of the mean's colour
LAYOUT: Final = {
    "margin": {"l": 10, "r": 10, "t": 28, "b": 10},
    "legend": LEGEND,
    "hovermode": "closest",
    **TRANSPARENT,
}


def fill_figure(view: PartitionView) -> go.Figure:
    """The loss of N classes against N: mean and range of the draws, Jensen's bound, the full value, N as chosen.

    Args:
        view: the curve.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.npair_partition import partition_view
        >>> from msviz.views.scene import scene
        >>> [trace.name for trace in fill_figure(partition_view(scene(default_state()), "digits")).data][1:3]
        ['mean of the draws', "Jensen's bound"]
    """
    curve, figure = view.curve, go.Figure()
    figure.add_scatter(
        x=np.concatenate([curve.n, curve.n[::-1]]),
        y=np.concatenate([curve.high, curve.low[::-1]]),
        mode="lines",
        fill="toself",
        fillcolor=BAND,
        line={"color": GREY, "width": 1},
        name=say("page.npair.fill.band"),
        hoverinfo="skip",
    )
    few = "lines+markers" if len(curve.n) <= 20 else "lines"
    figure.add_scatter(
        x=curve.n,
        y=curve.mean,
        customdata=np.column_stack([curve.low, curve.high]),
        mode=few,
        line={"color": MEAN, "width": 3.5},
        marker={"size": 8},
        name=say("page.npair.fill.mean"),
        hovertemplate=say("page.npair.fill.hover") + "<extra></extra>",
    )
    figure.add_scatter(
        x=curve.n,
        y=curve.bound,
        mode="lines",
        line={"color": BOUND, "width": 2, "dash": "dash"},
        name=say("page.npair.fill.bound"),
        hovertemplate="N = %{x}: %{y:.3f}<extra></extra>",
    )
    figure.add_scatter(
        x=[curve.n[0], curve.n[-1]],
        y=[curve.full, curve.full],
        mode="lines",
        line={"color": GREY, "width": 2, "dash": "dot"},
        name=say("page.npair.fill.full", classes=int(curve.n[-1])),
        hovertemplate="%{y:.3f}<extra></extra>",
    )
    if view.chosen is not None:
        at, name = view.chosen - 2, say("page.npair.fill.chosen", n=view.chosen)
        _mark(figure, view.chosen, float(curve.mean[at]), name)
    step = {"dtick": 1} if len(curve.n) <= 20 else {}
    figure.update_xaxes(title=say("page.npair.fill.x"), zeroline=False, **step)
    figure.update_yaxes(title=say("page.npair.fill.y"), rangemode="tozero", zeroline=False)
    figure.update_layout(height=430, **LAYOUT)
    return figure


def norms_figure(curve: NormsCurve) -> go.Figure:
    """Loss, penalty and their sum against length; the least sum, the length now, the floor of normalised embeddings.

    Args:
        curve: from `norms_curve`.
    """
    figure = go.Figure()
    for name, values, line in (
        ("loss", curve.loss, {"color": MEAN, "width": 3.5}),
        ("penalty", curve.penalty, {"color": BOUND, "width": 2, "dash": "dash"}),
        ("sum", curve.total, {"color": SUM, "width": 2.5, "dash": "dashdot"}),
    ):
        figure.add_scatter(
            x=curve.r,
            y=values,
            mode="lines",
            line=line,
            name=say(f"page.npair.norms.{name}"),
            hovertemplate="r = %{x:.2f}: %{y:.3f}<extra></extra>",
        )
    figure.add_scatter(
        x=[0, curve.r[-1]],
        y=[curve.floor, curve.floor],
        mode="lines",
        line={"color": GREY, "width": 2, "dash": "dot"},
        name=say("page.npair.norms.line", floor=curve.floor),
        hovertemplate="%{y:.3f}<extra></extra>",
    )
    _mark(figure, float(curve.r[curve.best]), float(curve.total[curve.best]), say("page.npair.norms.least"))
    figure.add_vline(x=1, line={"color": GREY, "width": 1.5, "dash": "dot"})
    figure.add_annotation(
        x=1, y=1, yref="paper", yanchor="bottom", text=f"<b>{say('page.npair.norms.now')}</b>", showarrow=False
    )
    top = 1.35 * float(max(curve.loss[0], curve.loss[curve.now], curve.total[curve.best]))
    figure.update_xaxes(title=say("page.npair.norms.x"), range=[-0.05, float(curve.r[-1]) + 0.05], zeroline=False)
    figure.update_yaxes(title=say("page.npair.norms.y"), range=[-0.03 * top, top], zeroline=False)
    figure.update_layout(height=430, **LAYOUT)
    return figure


def violations_figure(view: MiningView) -> go.Figure:
    """A bar for every candidate's violation at the choice shown; the chosen one is full, ties have a ring, others pale.

    Args:
        view: the choices; before the first one the bars are those that it will look at.
    """
    step = view.step or view.mined.steps[0]
    names = [view.pool.names[int(c)] for c in view.mined.classes]
    taken = view.step is not None
    figure = go.Figure()
    for key in ("chosen", "tied", "left"):
        bars = [_kind(step, c, taken) == key for c in range(len(names))]
        if any(bars):
            _bars(
                figure,
                key,
                [name for name, it in zip(names, bars, strict=True) if it],
                step.violations[bars],
                len(names) <= FEW,
            )
    y = "page.npair.mine.y.two" if view.picks.shape[1] == 2 else "page.npair.mine.y.one"
    figure.update_xaxes(
        title=say("page.npair.mine.x"),
        type="category",
        categoryorder="array",
        categoryarray=names,
        range=[-0.7, len(names) - 0.3],
    )
    figure.update_yaxes(title=say(y), zeroline=True, zerolinecolor=GREY, zerolinewidth=2)
    for c in view.chosen[: view.reached] if taken else view.chosen:
        figure.add_annotation(
            x=names[c],
            y=0,
            text="✓",
            showarrow=False,
            yshift=10,
            hovertext=say("page.npair.mine.before"),
            font={"size": 15},
        )
    figure.update_layout(height=400, showlegend=True, bargap=0.25, **LAYOUT)
    return figure


def _kind(step: Any, c: int, taken: bool) -> str:
    if np.isnan(step.violations[c]):
        return ""
    if taken and c == int(step.chosen):
        return "chosen"
    return "tied" if len(step.ties) > 1 and c in map(int, step.ties) else "left"


def _bars(figure: go.Figure, key: str, names: list[str], values: np.ndarray, few: bool) -> None:
    look = {
        "chosen": {"color": SUM, "line": {"color": GREY, "width": 2}, "pattern": {"shape": ""}},
        "tied": {
            "color": "rgba(0,0,0,0)",
            "line": {"color": SUM, "width": 2.5},
            "pattern": {"shape": "x", "fgcolor": SUM},
        },
        "left": {"color": "rgba(125, 127, 136, 0.35)", "line": {"color": GREY, "width": 1.5}},
    }[key]
    figure.add_bar(
        x=names,
        y=values,
        marker=look,
        text=[number(value) for value in values] if few else None,
        textposition="outside",
        cliponaxis=False,
        name=say(f"page.npair.mine.bar.{key}"),
        hovertemplate="%{x}: %{y:.3f}<extra></extra>",
    )


def _mark(figure: go.Figure, x: float, y: float, name: str) -> None:
    figure.add_scatter(
        x=[x],
        y=[y],
        mode="markers",
        marker={"symbol": "star", "size": 17, "color": SUM, "line": {"color": GREY, "width": 1.5}},
        name=name,
        hovertemplate=f"{name}: %{{y:.3f}}<extra></extra>",
    )
