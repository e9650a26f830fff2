"""The ablation's chart shows each row's mean, interval and the paper's number, each on its own axis."""

from typing import Any

import pytest

from msviz.figures.ablation import dots_figure
from msviz.text import say
from msviz.views.ablation import Dot

DOTS = (
    Dot("one", (80.0, 78.0, 82.0), 70.0),
    Dot("two", None, 71.0),
    Dot("three", (60.0, 59.0, 61.0), 72.0),
)


def trace(dots: tuple[Dot, ...], name: str, zero: bool = False) -> Any:
    (found,) = [it for it in dots_figure(dots, "unit", zero).data if it.name == say(name)]
    return found


def test_what_is_measured_stands_with_its_interval_on_its_line() -> None:
    here = trace(DOTS, "ablation.look.plain")
    assert list(here.x) == [80.0, 60.0]
    assert list(here.error_x.array) == [2.0, 1.0]
    names = {place: it.text for it in dots_figure(DOTS, "unit").layout.annotations[2:] for place in [round(it.y)]}
    assert [names[place] for place in here.y] == ["one", "three"]


def test_the_papers_numbers_have_an_axis_of_their_own_on_the_same_lines() -> None:
    here, paper = trace(DOTS, "ablation.look.plain"), trace(DOTS, "ablation.paper")
    assert (list(paper.x), list(paper.y)) == ([70.0, 71.0, 72.0], [0, -1, -2])
    assert (here.xaxis, paper.xaxis) == ("x", "x2")
    layout = dots_figure(DOTS, "unit").layout
    assert layout.xaxis2.matches is None
    assert layout.yaxis.range == layout.yaxis2.range


def test_verdicts_differ_by_shape_and_zero_is_marked_on_both_axes() -> None:
    verdicts = tuple(Dot(look, (1.0, 0.0, 2.0), 1.0, look) for look in ("higher", "lower", "undecided"))
    shapes = {trace(verdicts, f"ablation.look.{dot.look}", zero=True).marker.symbol for dot in verdicts}
    assert len(shapes) == 3
    zeros = [it for it in dots_figure(verdicts, "unit", zero=True).data if set(it.x) == {0}]
    assert {it.xaxis for it in zeros} == {"x", "x2"}


@pytest.mark.parametrize("zero", [False, True])
def test_a_chart_of_the_paper_alone_is_drawn(zero: bool) -> None:
    assert list(trace((Dot("one", None, 70.0),), "ablation.paper", zero).x) == [70.0]
