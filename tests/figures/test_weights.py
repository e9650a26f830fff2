"""The figures of the Weights page: the view's numbers, gaps where it jumps, today's value marked, looks that differ."""

from typing import Any

import numpy as np
import pytest

from msviz.core.methods import METHODS, Method
from msviz.figures.methods import COLORS, method_look
from msviz.figures.theme import DARK, GREY, LIGHT, Scheme
from msviz.figures.weights_curves import curves_figure
from msviz.figures.weights_sweeps import GROUND, column_edges, row_names, scale_end, strip_figure
from msviz.state import default_state
from msviz.views.scene import scene
from msviz.views.weights_curves import CurvesView, curves_view
from msviz.views.weights_sweeps import SweepsView, sweeps_view
from tests.figures.test_theme import contrast


def _curves(method: Method = METHODS["authors"]) -> CurvesView:
    view = curves_view(scene(default_state().with_method(method).select(4, 6)))
    assert view is not None
    return view


def _lines(view: SweepsView, strip: int) -> list[Any]:
    """What is drawn over the cells of a strip."""
    return [trace for trace in strip_figure(view, view.strips[strip]).data if trace.type == "scatter"]


def _sweeps(method: Method = METHODS["authors"]) -> SweepsView:
    view = sweeps_view(scene(default_state().with_method(method).select(4, 6)))
    assert view is not None
    return view


def test_a_jump_is_a_gap_in_the_line() -> None:
    view = _curves(Method("contrastive"))
    line = curves_figure(view, own_scale=False).data[0]
    gaps = np.flatnonzero(np.isnan(line.y))
    assert len(gaps) == len(view.curves[0].jumps) == 1
    assert not line.connectgaps
    assert (line.y[gaps[0] - 1], line.y[gaps[0] + 1]) == (0, 1)


def test_todays_point_lies_on_its_line() -> None:
    view = _curves()
    figure = curves_figure(view, own_scale=False)
    for curve, marker in zip(view.curves, figure.data[1::2], strict=True):
        assert (marker.x[0], marker.y[0]) == (view.s, curve.now)


def test_on_its_own_scale_every_line_ends_at_one() -> None:
    for line in curves_figure(_curves()).data[::2]:
        assert np.nanmax(np.abs(line.y)) == pytest.approx(1)


def test_twelve_methods_differ_in_more_than_colour() -> None:
    looks = [method_look(at) for at in range(12)]
    assert len({(look.dash, look.symbol) for look in looks}) == 12


@pytest.mark.parametrize("color", COLORS)
def test_lines_can_be_seen_on_both_pages(color: str) -> None:
    assert min(contrast(color, LIGHT.paper), contrast(color, DARK.paper)) >= 3


def test_a_strip_shows_the_views_numbers_and_leaves_out_what_is_dropped() -> None:
    view = _sweeps()
    strip = view.strips[-1]
    ground, weights = strip_figure(view, strip).data[:2]
    np.testing.assert_array_equal(np.isnan(weights.z), ~strip.kept)
    np.testing.assert_array_equal(np.isnan(ground.z), strip.kept)
    np.testing.assert_array_equal(weights.z[strip.kept], strip.gradient[strip.kept])
    assert weights.zmin == -weights.zmax


def test_dots_lie_on_dropped_cells_and_on_no_others_and_the_legend_says_what_they_mean() -> None:
    view = _sweeps()
    strip = view.strips[-1]
    (dots,) = (trace for trace in _lines(view, -1) if trace.fill == "toself")
    assert (dots.name, dots.fillpattern.shape) == ("dropped by mining", ".")
    boxes = np.asarray(dots.x, dtype=float).reshape(-1, 6), np.asarray(dots.y, dtype=float).reshape(-1, 6)
    middles = (column_edges(strip)[1:] + column_edges(strip)[:-1]) / 2
    dotted = np.zeros_like(strip.kept)
    for x, y in zip(*boxes, strict=True):
        assert y[:5].tolist() == [y[0], y[0], y[0] + 1, y[0] + 1, y[0]]
        dotted[int(y[0] + 0.5), (middles > x[0]) & (middles < x[1])] = True
    assert dotted.any()
    np.testing.assert_array_equal(dotted, ~strip.kept)


def test_where_nothing_is_dropped_there_are_no_dots_and_no_legend() -> None:
    view = _sweeps(Method("binomial"))
    assert [trace for trace in _lines(view, 0) if trace.showlegend is not False] == []


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_dots_can_be_seen_on_their_ground_on_both_pages(scheme: Scheme) -> None:
    share = float(GROUND.rstrip(")").split(",")[-1])
    page = [int(scheme.paper[at : at + 2], 16) for at in (1, 3, 5)]
    ground = "#" + "".join(f"{round(part + share * (128 - part)):02x}" for part in page)
    assert contrast(GREY, ground) >= 3


def test_todays_value_is_marked_and_without_mining_there_is_none() -> None:
    view = _sweeps()
    assert list(strip_figure(view, view.strips[1]).data[-1].x) == [40, 40]
    without = _sweeps(Method("linear"))
    assert [trace.marker.symbol for trace in _lines(without, 0) if trace.marker.symbol] == []


def test_columns_cover_the_sliders_range_and_meet_halfway() -> None:
    alpha, _, lam, _ = _sweeps().strips
    for strip in (alpha, lam):
        edges = column_edges(strip)
        assert len(edges) == len(strip.values) + 1
        assert (edges[0], edges[-1]) == (pytest.approx(strip.values[0]), pytest.approx(strip.values[-1]))
    assert column_edges(alpha)[1] == pytest.approx(np.sqrt(alpha.values[0] * alpha.values[1]))


def test_colours_end_near_todays_weights_so_that_those_can_be_seen() -> None:
    alpha = _sweeps(Method("binomial")).strips[0]  # its weights grow with alpha, up to 200
    today = np.abs(alpha.gradient[:, np.abs(alpha.values - 2).argmin()]).max()
    assert scale_end(alpha) == pytest.approx(4 * today)
    assert scale_end(alpha) < alpha.largest


def test_rows_say_kind_other_end_and_similarity_and_point_at_the_selected_pair() -> None:
    names = row_names(_sweeps())
    assert names[0] == "+ 3 · 0.80"
    assert [name for name in names if name.startswith("▸")] == ["▸ − 6 · 0.98"]
    assert len(set(names)) == 13
