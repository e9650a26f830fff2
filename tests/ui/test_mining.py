"""The Mining page runs for every batch and method, through Streamlit's AppTest; it never shows an exception."""

import pytest
from streamlit.testing.v1 import AppTest

from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, Batch, digits_batch
from msviz.state import State, default_state
from msviz.text import say
from msviz.ui.desk import Desk
from msviz.ui.mining import mining_data
from msviz.views.scene import scene
from tests.ui.pages import bench_of, open_page
from tests.ui.parcels import Message, desk, event


def _app(start: Desk) -> AppTest:
    return open_page("mining", start)


def _bench(app: AppTest) -> Message:
    return bench_of(app, "mining")


def _words(app: AppTest) -> str:
    return " ".join(text.value for text in app.markdown)


@pytest.mark.parametrize("slug", PRESETS)
def test_every_preset_is_shown(slug: str) -> None:
    batch = PRESETS[slug].make()
    app = _app(desk(State(batch, METHODS["authors"])))
    more = _bench(app).head["more"]
    assert more["lines"]["count"] == batch.m
    curves = app.get("plotly_chart")
    assert len(curves) == (batch.m > 1)
    assert bool(_words(app))


def test_the_page_says_the_curve_in_words_and_offers_all_reasons() -> None:
    app = _app(desk(default_state().select(4, 6)))
    assert "At ε = 0.1, 42 of 52 positives and 37 of 130 negatives are kept." in _words(app)
    (chart,) = app.get("plotly_chart")
    assert "42 of 52 positives" in chart.proto.alt
    assert [button.label for button in app.get("download_button")] == [say("menu.csv"), say("mining.csv")]


@pytest.mark.parametrize("method", [Method("triplet"), Method("histogram"), METHODS["ms_mining"], METHODS["paper"]])
def test_every_kind_of_method_is_shown(method: Method) -> None:
    _app(desk(default_state().with_method(method).select(4, 6)))


def test_the_reasons_of_the_selected_anchor_are_sent() -> None:
    reasons = _bench(_app(desk(default_state().select(4, 6)))).head["more"]["reasons"]
    assert reasons["anchor"] == 4
    assert reasons["rows"][0] == [6, False, True, "0.982", "0.947", "kept: 0.98 > 0.24 − 0.1 (4→0)"]


def test_many_classes_are_counted_in_words() -> None:
    batch = Batch.of([[1, 0.01 * k] for k in range(40)], [k % 20 for k in range(40)])
    assert "Drawn are the first 12 of 20 classes." in _words(_app(desk(State(batch, METHODS["authors"]))))


def test_a_batch_of_many_dimensions_is_shown() -> None:
    _app(desk(State(digits_batch([3, 8], 4, seed=0, space="pixels"), METHODS["authors"])))


def test_512_points_bring_the_numbers_of_the_lines_that_are_drawn() -> None:
    batch = Batch.of([[1, 0.001 * k] for k in range(512)], [k % 4 for k in range(512)])
    lines = mining_data(desk(), scene(State(batch, METHODS["authors"]).select(100)))["lines"]
    assert lines["note"].startswith("24 of 512 anchors: those around anchor 100")
    assert set(lines["sent"]) == set(range(lines["first"], lines["first"] + 24))
    assert {len(row["S"]) for row in lines["sent"].values()} == {512}


@pytest.mark.parametrize("slug", ["empty", "one_point", "one_class", "two_clean"])
def test_what_weighs_nothing_has_a_button_and_its_click_shows_the_opposite(slug: str) -> None:
    start = desk(State(PRESETS[slug].make(), METHODS["authors"]))
    before = _bench(_app(start)).head
    assert before["why_zero"]
    assert before["remedies"]
    for at, label in enumerate(before["remedies"]):
        assert label
        after = _bench(_app(start.apply("bench", [event(1, "remedy", target=at)])))
        assert after.head["why_zero"] is None
        assert after.head["remedies"] == []
        assert abs(after.gradient).max() > 0


def test_while_a_point_is_held_the_buttons_stay_as_they_are() -> None:
    held = desk(State(PRESETS["two_clean"].make(), METHODS["authors"]))
    held = held.apply("bench", [event(1, "move", "b1.1", target=0, x=1, y=0.3)])
    assert _bench(_app(held)).head["remedies"] is None
