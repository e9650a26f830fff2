"""The N-pair lab's charts show their views' numbers, and tell curves and bars apart without colour."""

import numpy as np
import plotly.graph_objects as go
import pytest

from msviz.figures.npair import fill_figure, norms_figure, violations_figure
from msviz.state import default_state
from msviz.state.npair_lab import NPairLab
from msviz.views.npair_mining import mining_view
from msviz.views.npair_norms import norms_curve
from msviz.views.npair_partition import partition_view
from tests.views.test_npair_tables import seen


def _named(figure: go.Figure, part: str) -> go.Scatter:
    (found,) = (trace for trace in figure.data if part in trace.name)
    return found


def test_the_denominator_is_drawn_with_band_bound_full_value_and_n() -> None:
    view = partition_view(seen(default_state()), "digits")
    figure, curve = fill_figure(view), view.curve
    assert list(_named(figure, "mean").y) == curve.mean.tolist()
    assert list(_named(figure, "Jensen").y) == curve.bound.tolist()
    assert list(_named(figure, "all 10").y) == [curve.full, curve.full]
    assert list(_named(figure, "smallest").y) == [*curve.high, *curve.low[::-1]]
    mark = _named(figure, "N = 3")
    assert (mark.x[0], mark.y[0]) == (3, curve.mean[1])
    lines = [trace.line.dash for trace in figure.data if trace.mode and "lines" in trace.mode and trace.fill is None]
    assert len(set(lines)) == len(lines) == 3


def test_without_so_many_classes_n_is_not_marked() -> None:
    figure = fill_figure(partition_view(seen(default_state(), n=5), "batch"))
    assert not any(trace.name.startswith("N =") for trace in figure.data)


def test_lengths_are_drawn_with_the_least_sum_and_the_floor() -> None:
    curve = norms_curve(seen(default_state()), 0.05)
    assert curve is not None
    figure = norms_figure(curve)
    assert list(_named(figure, "N-pair-mc").y) == curve.loss.tolist()
    assert list(_named(figure, "their sum").y) == (curve.loss + curve.penalty).tolist()
    star = _named(figure, "least")
    assert (star.x[0], star.y[0]) == (curve.r[curve.best], curve.total[curve.best])
    assert set(_named(figure, "normalised").y) == {curve.floor}
    dashes = [trace.line.dash for trace in figure.data if trace.mode == "lines"]
    assert len(set(dashes)) == len(dashes) == 4
    low, high = figure.layout.yaxis.range
    assert low < 0 < curve.loss[curve.now] < high


@pytest.mark.parametrize("mined", ["digits", "glyphs"])
def test_a_bar_for_every_candidate_and_the_chosen_one_apart(mined: str) -> None:
    view = mining_view(NPairLab(mined=mined, reached=3))  # type: ignore[arg-type]
    assert view.step is not None
    figure = violations_figure(view)
    bars = {name: y for trace in figure.data for name, y in zip(trace.x, trace.y, strict=True)}
    expected = {view.pool.names[c]: it for c, it in enumerate(view.step.violations) if not np.isnan(it)}
    assert bars == expected
    assert list(_named(figure, "joins").x) == [view.pool.names[int(view.step.chosen)]]
    ticked = [note.x for note in figure.layout.annotations]
    assert ticked == [view.pool.names[c] for c in view.chosen[:3]]
    assert all((trace.text is None) == (mined == "glyphs") for trace in figure.data)


def test_before_the_first_choice_no_bar_is_chosen() -> None:
    figure = violations_figure(mining_view(NPairLab(reached=0)))
    assert [trace.name for trace in figure.data] == ["other candidates"]
    assert len(figure.data[0].x) == 9
