"""The heatmaps of two classes' pairs show the view's numbers, on one scale, readable on every colour."""

import numpy as np
import plotly.graph_objects as go
import pytest

from msviz.core.scheme import Scheme
from msviz.data import PRESETS
from msviz.figures.loop import pairs_figure
from msviz.figures.theme import LIGHT
from msviz.state import default_state
from msviz.views.loop_four import FourView, four_view
from msviz.views.loop_pairs import PairsView, pairs_view
from msviz.views.scene import scene


def _view(slug: str = "overlapping") -> PairsView:
    now = scene(default_state().with_batch(PRESETS[slug].make()), Scheme(loop=True))
    four = four_view(now)
    assert isinstance(four, FourView)
    return pairs_view(now, four)


def _marks(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.type == "scatter"]


def test_both_matrices_have_one_scale_and_the_first_pair_on_top() -> None:
    view = _view()
    one, two = (pairs_figure(view, kind, kind) for kind in ("plain", "loop"))
    np.testing.assert_array_equal(one.data[0].z, view.plain)
    np.testing.assert_array_equal(two.data[0].z, view.loop)
    assert (one.data[0].zmin, one.data[0].zmax) == (two.data[0].zmin, two.data[0].zmax) == (view.plain.min(), 1)
    assert list(one.data[0].y[:2]) == ["0–1", "0–2"]
    assert one.layout.yaxis.autorange == "reversed"


def test_every_cell_says_its_number_in_ink_or_paper() -> None:
    view = _view()
    written = [trace for trace in _marks(pairs_figure(view, "loop", "")) if trace.mode == "text"]
    assert {trace.textfont.color for trace in written} == {LIGHT.ink, LIGHT.paper}
    found = {(y, x): text for trace in written for x, y, text in zip(trace.x, trace.y, trace.text, strict=True)}
    assert len(found) == view.loop.size
    assert found["0–1", "5–6"] == f"{view.loop[0, 0]:.2f}"


def test_the_pairs_of_the_batch_are_framed() -> None:
    view = _view()
    dark, light = pairs_figure(view, "loop", "").layout.shapes
    assert dark.path == light.path
    assert dark.line.width > light.line.width  # the light one is drawn on the dark one
    cells = [[tuple(map(float, at.split(","))) for at in cell[1:].split("L")] for cell in dark.path.split("Z")[:-1]]
    middles = {tuple(round(float(v)) for v in np.mean(cell, axis=0)) for cell in cells}
    assert middles == {(column, row) for row, column in np.argwhere(view.used).tolist()}
    assert len(cells) == 25
    for cell in cells:
        assert (np.abs(np.array(cell) - np.round(np.mean(cell, axis=0))) < 0.5).all()  # within its own cell


@pytest.mark.parametrize("slug", ["sixty_four", "singleton", "sphere_overlapping"])
def test_other_batches_are_drawn(slug: str) -> None:
    view = _view(slug)
    figure = pairs_figure(view, "plain", "")
    assert figure.data[0].z.shape == view.plain.shape
    assert bool([trace for trace in _marks(figure) if trace.mode == "text"]) == (max(view.plain.shape) <= 12)
