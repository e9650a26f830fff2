"""The Compare page runs for every batch and any methods, through Streamlit's AppTest; it never shows an exception."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from msviz.core.losses import LOSSES
from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, Batch
from msviz.state import DEFAULT_OTHERS, MAX_OTHERS, State, default_state
from msviz.text import say
from msviz.ui.compare import share
from msviz.ui.desk import Desk
from msviz.ui.layouts import LAYOUTS
from msviz.views.compare import compared
from msviz.views.scene import scene
from tests.ui.conftest import Show
from tests.ui.pages import bench_of, open_page
from tests.ui.parcels import Message, desk, event


def _app(start: Desk) -> AppTest:
    return open_page("compare", start)


def _bench(app: AppTest) -> Message:
    return bench_of(app, "compare")


def _tables(app: AppTest) -> str:
    return " ".join(part.proto.body for part in app.get("html"))


@pytest.mark.parametrize("slug", PRESETS)
def test_every_preset_is_compared(slug: str) -> None:
    batch = PRESETS[slug].make()
    app = _app(desk(State(batch, METHODS["authors"])))
    sent = _bench(app)
    assert list(sent.panels) == ["w", "c0", "c1", "c2", "c3", "c4", "d"]
    assert all(values.shape == (batch.m, batch.m) for values in sent.panels.values())
    assert bool(app.get("download_button")) == (batch.m > 1)


def test_panels_hold_the_shares_of_the_core_in_class_order() -> None:
    state = default_state()
    sent, now = _bench(_app(desk(state))), scene(state)
    block = np.ix_(sent.head["order"], sent.head["order"])
    for one in compared(now):
        weights = one.gradient[block]
        assert sent.panels[one.key] == pytest.approx(weights / np.abs(weights).sum(), abs=1e-7)
        assert np.array_equal(np.isin(sent.decisions[one.key], [1, 3]), (one.mined.pos | one.mined.neg).numpy()[block])


@pytest.mark.parametrize(
    "others", [(), (Method("triplet"),) * MAX_OTHERS, tuple(map(Method, list(LOSSES)[:MAX_OTHERS]))]
)
def test_two_to_twelve_methods_and_one_alone_are_shown(others: tuple[Method, ...]) -> None:
    app = _app(desk(default_state().with_others(others)))
    head = _bench(app).head
    assert len(head["more"]["cards"]) == 1 + len(others)
    assert ("d" in [panel["key"] for panel in head["panels"]]) == bool(others)
    assert head["more"]["full"] == (len(others) == MAX_OTHERS)


def test_a_batch_without_weights_says_that_there_are_no_shares() -> None:
    app = _app(desk(State(PRESETS["two_clean"].make(), METHODS["authors"])))
    head = _bench(app).head
    assert head["more"]["cards"][0]["figures"] == ["total 0.0 · 0 of 56 pairs kept", say("page.compare.zero")]
    assert head["panels"][0]["hint"].startswith("total weight 0")
    assert any("total weight is 0" in text.value for text in app.markdown)


def test_the_tables_stand_under_the_heatmaps_and_can_be_downloaded() -> None:
    app = _app(desk(default_state()))
    tables = _tables(app)
    for caption in ("positives", "negatives", "apart"):
        assert say(f"page.compare.table.{caption}") in tables
    assert "<th scope='row'>3 · Triplet (λ 0.1)</th>" in tables
    assert [button.label for button in app.get("download_button")] == [say("page.compare.table.csv")]


def test_names_from_a_link_are_no_markup() -> None:
    batch = Batch.of([[1, 0], [0, 1]], [0, 0])
    assert "<script" not in _tables(_app(desk(State(batch, Method("linear")))))


# ---- what people do ------------------------------------------------------------------------------------------------


def test_the_menu_offers_every_loss_and_the_ablation_and_each_can_be_added(show: Show) -> None:
    layout = LAYOUTS["compare"]
    start = desk(default_state().with_others(()))
    menu = layout.more(start, scene(start.state))["menu"]
    slugs = [option["slug"] for group in menu for option in group["options"]]
    assert set(slugs) == {None, *METHODS, *LOSSES}
    for seq, slug in enumerate(slugs, 1):
        added = start.apply("b", [event(seq, "compare", slug=slug)])
        assert added.errors == ()
        assert len(added.state.others) == 1
    assert added.history.can_undo


def test_a_thirteenth_method_is_refused_in_words() -> None:
    full = desk(default_state().with_others((Method("nca"),) * MAX_OTHERS)).apply("b", [event(1, "compare", slug=None)])
    assert [error.key for error in full.errors] == ["error.too_many_methods"]


def test_the_two_of_a_difference_stay_the_same_methods_when_others_leave_or_change_places() -> None:
    start = desk().apply("b", [event(1, "versus", one=5, two=1)])
    assert start.state.display.versus == (5, 1)
    assert start.apply("b", [event(2, "uncompare", target=0)]).state.display.versus == (4, 1)
    assert start.apply("b", [event(2, "uncompare", target=4)]).state.display.versus == (5, 1)
    assert start.apply("b", [event(2, "uncompare", target=3)]).state.display.versus == (1, 2)  # one of the two left
    swapped = start.apply("b", [event(2, "activate", target=3)])
    assert swapped.state.method == DEFAULT_OTHERS[3]
    assert swapped.state.display.versus == (1, 5)
    assert swapped.apply("b", [event(3, "undo")]).state.method == METHODS["authors"]


@pytest.mark.parametrize(("one", "two"), [(3, 3), (0, 1), (1, 7), (-1, 2)])
def test_a_difference_of_methods_that_are_not_there_is_the_first_one(one: int, two: int) -> None:
    assert desk().apply("b", [event(1, "versus", one=one, two=two)]).state.display.versus == (1, 2)


@pytest.mark.parametrize("kind", ["activate", "uncompare"])
@pytest.mark.parametrize("target", [-1, 5, "two", None])
def test_a_method_that_is_not_there_is_refused(kind: str, target: object) -> None:
    refused = desk().apply("b", [event(1, kind, target=target)])
    assert refused.state == default_state()
    assert [error.key for error in refused.errors] == ["error.event"]


def test_how_it_is_drawn_is_no_step_to_undo() -> None:
    shown = desk().apply(
        "b", [event(1, "shares", how="log"), event(2, "versus", one=2, two=3), event(3, "zoom", anchor=0, other=1)]
    )
    assert not shown.history.can_undo
    display = shown.state.display
    assert (display.shares, display.versus, display.zoom) == ("log", (2, 3), (0, 1))
    assert shown.apply("b", [event(4, "zoom", anchor=None, other=None)]).state.display.zoom is None


def test_a_method_that_joins_is_said_in_the_change_line(show: Show) -> None:
    text = show(desk().apply("b", [event(1, "compare", slug="nca")])).head["change"]["text"]
    assert text == "Compared with NCA (s 1): now 7 methods."


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "50%"), (0.0419, "4.2%"), (0.00034, "0.034%"), (2.5e-7, "0.000025%"), (0, "0%"), (1, "100%")],
)
def test_a_share_is_written_with_digits_that_say_something(value: float, text: str) -> None:
    assert share(value) == text


# ---- large batches ---------------------------------------------------------------------------------------------------


def _large(m: int) -> State:
    turn = np.linspace(0, 6, m)
    return State(
        Batch.of(np.stack([np.cos(turn), np.sin(turn)], 1), [k * 4 // m for k in range(m)]), METHODS["authors"]
    )


def test_a_large_batch_is_sent_as_means_and_its_message_stays_small() -> None:
    state = _large(512).select(3, 200)
    app = _app(desk(state))
    sent = _bench(app)
    assert sent.head["window"]["means"]
    assert {values.shape for values in sent.panels.values()} == {(64, 64)}
    assert sent.sim.shape == (1, 512)  # the selected anchor's, for the words and the line
    (proto,) = (part.proto for part in app.get("bidi_component") if part.key == "msviz.bench.compare")
    assert len(proto.bytes) < 350_000


def test_a_look_into_a_block_sends_its_cells() -> None:
    state = _large(512)
    inside = state.with_display(state.display.replace(zoom=(3, 200)))
    sent = _bench(_app(desk(inside)))
    assert not sent.head["window"]["means"]
    assert (sent.head["window"]["rows"], sent.head["window"]["columns"]) == ([0, 8], [200, 208])
    assert sent.head["known"] == list(range(8))
    (one, *_) = compared(scene(state))
    assert sent.panels["w"] == pytest.approx(one.shares()[:8, 200:208], abs=1e-9)
