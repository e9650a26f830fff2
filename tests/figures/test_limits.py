"""The chart of a limit shows the curves' numbers, in a frame that stays, and tells curves apart without colour."""

import pytest

from msviz.figures.limits import limit_figure
from msviz.training.limits import (
    CompositionPoint,
    CompositionSettings,
    CostPoint,
    CostSettings,
    NoisyPairsPoint,
    NoisyPairsSettings,
)
from msviz.views.limits_curves import panels

POINTS = [CompositionPoint(p, k, thin=1 / p, kept=0.5) for k in (2, 5, 10) for p in (2, 4, 8)]


def test_each_point_is_drawn_where_it_was_measured() -> None:
    (panel,) = panels("composition", CompositionSettings(), POINTS)
    *curves, mark = limit_figure(panel).data
    assert [(trace.name, list(trace.x), list(trace.y)) for trace in curves] == [
        (f"K = {k}", [2 * k, 4 * k, 8 * k], [0.5, 0.25, 0.125]) for k in (2, 5, 10)
    ]
    assert (list(mark.x), list(mark.y), mark.name) == ([20], [0.2], "the paper's report")


def test_the_frame_is_there_before_the_first_point_and_does_not_move() -> None:
    frames = [limit_figure(*panels("composition", CompositionSettings(), POINTS[:n])).layout for n in (0, 1, 9)]
    assert len({(layout.xaxis.range, layout.yaxis.range, layout.xaxis.tickvals) for layout in frames}) == 1


def test_curves_differ_in_dash_and_marker_and_what_they_are_held_against_is_grey() -> None:
    settings = NoisyPairsSettings()
    points = [NoisyPairsPoint(0.1, method, 0.04, 0.5, 0.2, 0.3) for method in settings.methods]
    *curves, wrong = limit_figure(*panels("noise", settings, points)).data
    looks = {(trace.line.dash, trace.marker.symbol) for trace in curves}
    assert len(looks) == len(curves) == len(settings.methods)
    assert (wrong.mode, wrong.line.dash) == ("lines", "dot")


def test_time_and_memory_have_a_logarithmic_frame_each() -> None:
    points = [CostPoint("dense", 256, 0.004, 5_000_000), CostPoint("dense", 512, 0.02, 0)]
    time, memory = map(limit_figure, panels("cost", CostSettings(largest=512), points))
    assert time.layout.yaxis.type == memory.layout.yaxis.type == "log"
    assert list(time.data[0].y) == pytest.approx([4, 20])
    assert memory.data[0].y[0] == 5
    assert memory.data[0].y[1] > 0  # no byte more: a logarithm still has a place for it
