"""The Weights page runs for every batch, selection and method, says what to do, and takes its numbers away."""

import pytest
from streamlit.testing.v1 import AppTest

from msviz.core.losses import LOSSES
from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS
from msviz.state import State, default_state
from msviz.text import say
from msviz.ui.desk import Desk
from tests.ui.pages import bench_of, clean, open_page
from tests.ui.parcels import Message, desk


def _app(start: Desk) -> AppTest:
    return open_page("weights", start)


def _bench(app: AppTest) -> Message:
    return bench_of(app, "weights")


def _words(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.subheader])


def _charts(app: AppTest) -> int:
    return len(app.get("plotly_chart"))


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_has_its_curve_its_strips_and_its_equation(name: str) -> None:
    app = _app(desk(default_state().with_method(Method(name, epsilon=0.1)).select(4, 6)))
    assert (
        _charts(app) == 1 + len(Method(name).__dict__["params"].__dataclass_fields__) + 1
    )  # curves, parameters, epsilon
    assert _bench(app).head["inspector"]["equation"] is not None


@pytest.mark.parametrize("slug", PRESETS)
@pytest.mark.parametrize("both", [False, True])
def test_every_batch_is_shown_or_one_sentence_says_what_is_missing(slug: str, both: bool) -> None:
    state = State(PRESETS[slug].make(), METHODS["authors"])
    ids = state.batch.ids
    if ids:
        state = state.select(ids[0], ids[-1] if both and len(ids) > 1 else None)
    app = _app(desk(state))
    if len(ids) < 2:
        assert say("page.weights.alone") in _words(app)
        assert _charts(app) == 0
    elif not both:
        assert say("page.weights.choose.other", anchor=ids[0]) in _words(app)
        assert _charts(app) == 4
    else:
        assert _charts(app) == 5


def test_with_nothing_selected_one_sentence_says_to_choose_a_pair() -> None:
    app = _app(desk(default_state()))
    assert say("page.weights.choose") in _words(app)
    assert _charts(app) == 0


def test_the_words_under_the_curve_say_where_mining_lets_the_pair_go() -> None:
    words = _words(_app(desk(default_state().select(4, 6))))
    assert "What if only the similarity of 4→6 were different?" in words
    assert "Above S = 0.142 it counts." in words


def test_the_proof_line_stands_under_the_heatmap_of_the_active_method() -> None:
    head = _bench(_app(desk(default_state().select(4, 6)))).head
    assert [panel["kind"] for panel in head["panels"]] == ["w"]
    assert head["proof"].startswith("closed form = autograd")


def test_raw_weights_are_a_part_of_the_state_and_so_of_the_link() -> None:
    app = _app(desk(default_state().select(4, 6)))
    (switch,) = app.get("button_group")
    switch.set_value("raw")
    clean(app.run())
    assert app.session_state["msviz.desk"].state.display.shares == "raw"
    assert say("page.weights.curve.raw") in _words(app)
    assert "shares=raw" in _bench(app).head["link"]["query"]


def test_curves_and_strips_come_as_tables() -> None:
    app = _app(desk(default_state().select(4, 6)))
    assert len(app.get("download_button")) == 2


@pytest.mark.parametrize("slug", ["overlapping", "empty"])
def test_take_it_away_opens_a_script_or_says_why_there_is_none(slug: str) -> None:
    app = _app(desk(State(PRESETS[slug].make(), METHODS["authors"])))
    (button,) = (button for button in app.button if button.label == say("menu.take"))
    button.click()
    clean(app.run())
    if slug == "empty":
        assert say("menu.take.empty") in _words(app)
        assert not app.code
    else:
        assert app.code[0].value.startswith("# 14 points under multi_similarity")
        assert len(app.get("download_button")) == 3
