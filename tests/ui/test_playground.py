"""The Playground runs for every batch and every link, through Streamlit's AppTest; it never shows an exception."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

import msviz.ui
from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, Batch
from msviz.state import History, Selection, State, default_state, encode
from msviz.text import say
from msviz.ui.desk import Desk
from tests.ui.parcels import Message, desk, event, unpack

ROUTER = Path(msviz.ui.__file__).parent / "router.py"


def _app(query: Mapping[str, str] | None = None, start: Desk | None = None) -> AppTest:
    """The page as a visitor gets it, opened from a link or in the middle of their work."""
    app = AppTest.from_file(str(ROUTER), default_timeout=60)
    for name, value in (query or {}).items():
        app.query_params[name] = value
    if start is not None:
        app.session_state["msviz.desk"] = start
    return _clean(app.run())


def _clean(app: AppTest) -> AppTest:
    """The same page, on which nothing went wrong."""
    assert not app.exception
    assert not app.error
    assert not app.warning
    assert [component.key for component in app.get("bidi_component")] == [
        "msviz.strip",
        "msviz.bench.playground",
        "msviz.code",
    ]
    return app


def _desk(app: AppTest) -> Desk:
    found: Desk = app.session_state["msviz.desk"]
    return found


def _bench(app: AppTest) -> Message:
    return unpack(app.get("bidi_component")[1].proto.bytes)


def _strip(app: AppTest) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(app.get("bidi_component")[0].proto.json)
    return found


def test_a_first_visit_opens_on_a_pair_that_has_something_to_tell() -> None:
    app = _app()
    state = _desk(app).state
    assert state.same_work(default_state())
    assert state.display.selection == Selection(4, 6)
    sent = _bench(app)
    assert sent.head["ids"] == list(range(14))
    assert sent.head["change"]["text"].startswith("Start here")
    assert sent.head["inspector"]["title"].startswith("Why does pair 4→6 weigh ")
    assert _strip(app)["method"] == {"loss": "multi_similarity", "mined": True}


def test_scripts_are_sent_once_a_page_and_not_with_every_update() -> None:
    strip, bench, code = (component.proto for component in _app().get("bidi_component"))
    assert max(len(strip.js_content), len(bench.js_content)) < 1000 < 50_000 < len(code.js_content)
    assert "window.msvizParts?.strip" in strip.js_content
    assert "window.msvizParts?.bench" in bench.js_content


@pytest.mark.parametrize("slug", PRESETS)
def test_every_preset_is_shown(slug: str) -> None:
    app = _app(start=desk(State(PRESETS[slug].make(), METHODS["authors"])))
    assert _bench(app).sim.shape == (len(PRESETS[slug].labels),) * 2


@pytest.mark.parametrize(
    ("slug", "reason"),
    [
        ("empty", "The board is empty"),
        ("one_point", "One point has no partner"),
        ("one_class", "All weights are 0: every point is in class A"),
        ("two_clean", "All weights are 0, because nothing is mined."),
    ],
)
def test_where_nothing_weighs_anything_the_page_says_why(slug: str, reason: str) -> None:
    assert _bench(_app({"batch": slug})).head["why_zero"].startswith(reason)


def test_a_link_restores_a_state() -> None:
    edited = PRESETS["singleton"].make().added((0, -1), 3).relabelled(0, 1)
    state = State(edited, Method("binomial", alpha=3, epsilon=None)).select(9, 0)
    app = _app(encode(state))
    assert _desk(app) == Desk(History(state))
    assert _strip(app)["method"] == {"loss": "binomial", "mined": False}
    assert _bench(app).head["selection"] == {"anchor": 9, "other": 0}


def test_a_partial_link_changes_just_that() -> None:
    app = _app({"beta": "80"})
    assert _desk(app).state == default_state().with_method(METHODS["authors"].replace(beta=80)).select(4, 6)


@pytest.mark.parametrize("slug", PRESETS)
def test_a_link_to_a_preset_opens_on_the_pair_that_its_text_speaks_of(slug: str) -> None:
    selection = _desk(_app({"batch": slug})).state.display.selection
    assert (selection and (selection.anchor, selection.other)) == PRESETS[slug].pair


@pytest.mark.parametrize(("pair", "selection"), [("none", None), ("2", Selection(2)), ("1-0", Selection(1, 0))])
def test_a_link_that_names_a_pair_or_none_has_its_way(pair: str, selection: Selection | None) -> None:
    app = _app({"beta": "80", "pair": pair})
    assert _desk(app).state.display.selection == selection
    assert dict(parse_qsl(_bench(app).head["link"]["query"][1:])) == {"beta": "80", "pair": pair}


def test_a_bad_link_shows_its_sentences_and_the_rest_of_the_state() -> None:
    app = _app({"beta": "forty", "alpha": "3", "pair": "4-99", "batch": "two_clean"})
    assert [error.key for error in _desk(app).errors] == ["error.link_parameter", "error.link_pair"]
    change = _bench(app).head["change"]
    assert change["error"]
    assert change["text"].startswith("The link sets β to forty, but it must be a number ")
    assert "The link selects the pair 4-99" in change["text"]
    state = _desk(app).state
    assert (state.method.params.alpha, state.method.params.beta, state.batch.m) == (3, 40, 8)


@pytest.mark.parametrize(
    "query",
    [
        {"points": "AAAA"},
        {"points": "", "loss": "", "epsilon": "", "batch": "", "pair": "", "hide": ""},
        {"loss": "<script>alert(1)</script>", "epsilon": "-1", "hide": "everything"},
        {"beta": "1e999", "lam": "nan", "alpha": "0"},
    ],
)
def test_no_link_breaks_the_page(query: dict[str, str]) -> None:
    app = _app(query)
    assert _desk(app).errors
    assert _bench(app).head["change"]["error"]


def test_the_link_is_read_once_and_not_again() -> None:
    app = _app({"beta": "80"})
    app.session_state["msviz.desk"] = desk().apply("x", [event(1, "param", target="beta", value=30)])
    assert _desk(_clean(app.run())).state.method.params.beta == 30


@pytest.mark.parametrize(
    "method", [*METHODS.values(), Method("triplet"), Method("lifted", lam=-2), Method("contrastive")], ids=repr
)
def test_every_method_is_shown(method: Method) -> None:
    app = _app(start=desk(default_state().with_method(method).select(4, 6)))
    assert _strip(app)["method"] == {"loss": method.name, "mined": method.epsilon is not None}


def test_a_gesture_is_told_on_the_page() -> None:
    app = _app(start=desk().apply("x", [event(1, "remove", target=3)]))
    assert _bench(app).head["change"]["text"].startswith("Point 3 removed: ")
    assert len(_bench(app).head["ghosts"]) == 1


def test_the_button_opens_the_menu_of_batches() -> None:
    app = _app()
    (menu,) = (button for button in app.button if button.label == say("menu.batch"))
    menu.click()
    offered = {button.key for button in _clean(app.run()).button}
    assert {f"msviz.preset.{slug}" for slug in PRESETS} < offered


def test_a_batch_that_no_link_can_carry_is_shown_all_the_same() -> None:
    batch = Batch.of([[1, 0], [0, 1]], [0, 1], x=[[1.0, 2, 3, 4], [4.0, 3, 2, 1]])
    assert _bench(_app(start=desk(State(batch, METHODS["authors"])))).head["link"]["query"] is None
