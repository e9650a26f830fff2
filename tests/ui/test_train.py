"""The Train page runs for every choice, through Streamlit's AppTest; it never shows an exception."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from msviz.core.methods import METHODS
from msviz.data import PRESETS
from msviz.state import State, default_state
from msviz.text import say
from msviz.training.config import FIELDS
from msviz.ui.desk import Desk
from msviz.ui.runs import RUNS
from msviz.ui.setups import OWN, SETUPS
from msviz.ui.train import Training
from tests.ui.pages import ROUTER, clean
from tests.ui.parcels import desk

PAGE = ROUTER.parents[2] / "pages" / "train" / "train.py"


@pytest.fixture
def opened() -> Iterator[Any]:
    apps: list[AppTest] = []

    def open_train(start: Desk | None = None) -> AppTest:
        app = AppTest.from_file(str(ROUTER), default_timeout=60)
        app.session_state["msviz.desk"] = desk() if start is None else start
        app.run()
        apps.append(app)
        return clean(app.switch_page(str(PAGE)).run())

    yield open_train
    for app in apps:
        training(app).run.close()


def training(app: AppTest) -> Training:
    found: Training = app.session_state["msviz.training"]
    return found


def ready(app: AppTest) -> Training:
    now, end = training(app), time.monotonic() + 30
    now.run.poll()
    while now.run.status.doing == "preparing":
        assert time.monotonic() < end
        time.sleep(0.02)
    assert now.run.status.error is None
    return now


def test_the_page_opens_with_a_run_that_waits_for_play(opened: Any) -> None:
    app = opened()
    now = ready(app)
    assert now.run.status.doing == "paused"
    assert now.run.token in RUNS
    assert [choice.value for choice in app.selectbox[:2]] == ["glyphs", None]


@pytest.mark.parametrize("setup", [*SETUPS, OWN])
def test_every_setup_begins(opened: Any, setup: str) -> None:
    app = opened()
    before = training(app)
    clean(app.selectbox[0].set_value(setup).run())
    if setup != before.setup:
        assert before.run.token not in RUNS  # nothing of the old run stays
    now = ready(app)
    assert now.setup == setup
    now.run.step()
    assert now.run.status.step == 1


def test_the_run_has_the_method_of_the_visitors_desk(opened: Any) -> None:
    method = METHODS["authors"].replace(beta=70.0)
    app = opened(desk(default_state().with_method(method)))
    assert ready(app).config.method == method


def test_a_second_method_makes_it_a_duel(opened: Any) -> None:
    app = opened()
    clean(app.selectbox[1].set_value("binomial").run())
    now = ready(app)
    assert now.other == METHODS["binomial"]
    assert now.run.latest is not None
    assert len(now.run.latest) == 2


def test_a_batch_that_cannot_be_trained_is_refused_in_words_and_the_old_run_stays(opened: Any) -> None:
    app = opened(desk(State(PRESETS["one_point"].make(), METHODS["authors"])))
    before = training(app)
    app.selectbox[0].set_value(OWN).run()
    assert not app.exception
    assert [error.value for error in app.error] == [say("error.own_batch", got="1")]
    assert training(app) is before


def test_every_setting_of_the_config_has_a_control_with_a_name(opened: Any) -> None:
    app = opened()
    labels = {control.label for control in [*app.selectbox, *app.number_input]}
    assert {say(f"train.field.run.{name}") for name in FIELDS} <= labels


def test_settings_begin_a_new_run_and_what_is_out_of_range_is_refused(opened: Any) -> None:
    app = opened()
    before = training(app)

    def control(name: str) -> Any:
        (found,) = (it for it in app.number_input if it.key.startswith(f"msviz.train.run.{name}."))
        return found

    control("steps").set_value(77)
    control("seed").set_value(5)
    clean(app.button[0].click().run())
    now = training(app)
    assert (now.config.steps, now.config.seed) == (77, 5)
    assert now.run is not before.run
    control("steps").set_value(-1)
    app.button[0].click().run()
    assert not app.exception
    assert len(app.error) == 1
    assert training(app).run is now.run


def test_the_page_is_short(opened: Any) -> None:
    assert len(Path(PAGE).read_text(encoding="utf-8").splitlines()) < 12
