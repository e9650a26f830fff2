"""The chart of kept pairs shows the curves' numbers, and tells classes apart without colour."""

import math

import pytest

from msviz.core.methods import Method
from msviz.figures.mining import MOST_CURVES, kept_figure
from msviz.state import default_state
from msviz.views.kept import kept_view
from msviz.views.scene import scene
from tests.views.scenes import circle


def test_each_curve_is_drawn_as_steps_to_its_share() -> None:
    view = kept_view(scene(default_state()))
    figure = kept_figure(view)
    drawn = [trace for trace in figure.data if trace.mode == "lines" and trace.customdata is not None]
    assert len(drawn) == len(view.curves) == 6
    for trace, curve in zip(drawn, view.curves, strict=True):
        x, counts = curve.steps(1.0)
        assert list(trace.x) == x
        assert list(trace.y) == [count / curve.total for count in counts]
        assert trace.line.shape == "hv"
        assert trace.xaxis == ("x" if curve.positive else "x2")


def test_classes_differ_in_dash_and_in_marker() -> None:
    figure = kept_figure(kept_view(scene(default_state())))
    marks = [trace for trace in figure.data if trace.marker.symbol and trace.showlegend]
    assert [trace.name for trace in marks] == ["anchors of class A", "anchors of class B", "anchors of class C"]
    assert len({trace.line.dash for trace in marks}) == len({trace.marker.symbol for trace in marks}) == 3


def test_the_margin_now_is_marked_at_what_is_kept() -> None:
    view = kept_view(scene(default_state()))
    marks = [trace for trace in kept_figure(view).data if trace.marker.symbol]
    assert [(trace.x[0], trace.y[0]) for trace in marks] == [(0.1, curve.now / curve.total) for curve in view.curves]


def test_without_mining_no_margin_is_marked() -> None:
    figure = kept_figure(kept_view(scene(default_state().with_method(Method("linear")))))
    assert all(math.isnan(trace.x[0]) for trace in figure.data if trace.marker.symbol)
    assert not figure.layout.shapes


@pytest.mark.parametrize("classes", [3, 20])
def test_of_many_classes_the_first_ones_are_drawn(classes: int) -> None:
    state = circle([5 * k for k in range(2 * classes)], [k % classes for k in range(2 * classes)])
    figure = kept_figure(kept_view(scene(state)))
    assert len({trace.name for trace in figure.data}) == min(classes, MOST_CURVES)


def test_a_class_without_positives_stands_in_the_legend_all_the_same() -> None:
    figure = kept_figure(kept_view(scene(circle([0, 20, 90], [0, 0, 1]))))
    assert sorted(trace.name for trace in figure.data if trace.showlegend) == [
        "anchors of class A",
        "anchors of class B",
    ]
