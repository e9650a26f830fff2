"""The Train page runs for every choice, through Streamlit's AppTest; it never shows an exception."""

import gc
import io
import json
import re
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from msviz.core.methods import METHODS, Method
from msviz.core.scheme import Scheme
from msviz.data import PRESETS
from msviz.state import State, default_state
from msviz.text import say
from msviz.training.config import FIELDS
from msviz.ui.desk import Desk
from msviz.ui.runs import RUNS
from msviz.ui.setups import OWN, SETUPS
from msviz.ui.training import Training
from tests.ui.pages import ROUTER, clean
from tests.ui.parcels import desk

PAGE = ROUTER.parents[2] / "pages" / "train" / "train.py"


@pytest.fixture
def opened() -> Iterator[Any]:
    apps: list[AppTest] = []

    def open_train(
        start: Desk | None = None,
        query: dict[str, str] | None = None,
        training: Training | None = None,
        fault: bool = False,
    ) -> AppTest:
        app = AppTest.from_file(str(ROUTER), default_timeout=60)
        app.session_state["msviz.desk"] = Desk.begin(query or {}) if start is None else start
        if training is not None:
            app.session_state["msviz.training"] = training
        app.run()
        apps.append(app)
        app.switch_page(str(PAGE))
        app.query_params.update(query or {})
        app.run()
        assert not app.exception
        return app if fault else clean(app)

    yield open_train
    for app in apps:
        training(app).run.close()


def training(app: AppTest) -> Training:
    found: Training = app.session_state["msviz.training"]
    return found


def said(app: AppTest) -> list[str]:
    """What was refused, as it is read: backslashes keep markup from being one."""
    return [re.sub(r"\\(.)", r"\1", error.value) for error in app.error]


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
    if setup != before.chosen.setup:
        assert before.run.token not in RUNS  # nothing of the old run stays
    now = ready(app)
    assert now.chosen.setup == setup
    now.run.step()
    assert now.run.status.step == 1


def about(app: AppTest) -> str:
    (found,) = (part for part in app.get("bidi_component") if part.key == "msviz.train")
    told: str = json.loads(found.proto.json)["about"]
    return told


def test_n_pair_begins_with_its_loss_and_says_how_its_batch_is_compared(opened: Any) -> None:
    app = opened()
    clean(app.selectbox[0].set_value("npair").run())
    now = ready(app)
    assert app.session_state["msviz.desk"].state.method == now.chosen.config.method == Method("npair")
    (shot,) = now.run.latest
    assert (len(shot.rows), shot.evaluation.anchors) == (32, 16)
    for words in ("16 classes × 2 items = 32", "among 32 random", "15 negatives", "dot products", "0.03"):
        assert words in about(app)
    clean(app.selectbox[0].set_value("iris").run())
    assert app.session_state["msviz.desk"].state.method == Method("npair")  # which the visitor may change
    assert "N-pairs" not in about(app)


def test_loop_keeps_a_loss_that_it_was_made_for(opened: Any) -> None:
    method = METHODS["authors"].replace(beta=70.0)
    app = opened(desk(default_state().with_method(method)))
    clean(app.selectbox[0].set_value("loop").run())
    now = ready(app)
    assert now.chosen.config.method == method
    assert now.run.latest[0].scheme == Scheme(loop=True)
    assert "LoOp" in about(app)


def test_a_duel_with_mined_classes_is_refused_and_neither_run_nor_loss_changes(opened: Any) -> None:
    app = opened()
    clean(app.selectbox[1].set_value("binomial").run())
    before, method = training(app), app.session_state["msviz.desk"].state.method
    app.selectbox[0].set_value("npair").run()
    assert said(app) == [say("error.duel_mining")]
    assert training(app) is before
    assert app.session_state["msviz.desk"].state.method == method


def test_the_run_has_the_method_of_the_visitors_desk(opened: Any) -> None:
    method = METHODS["authors"].replace(beta=70.0)
    app = opened(desk(default_state().with_method(method)))
    assert ready(app).chosen.config.method == method


def test_a_run_that_was_chosen_leaves_nothing_when_its_tab_is_closed(opened: Any) -> None:
    app = opened()
    clean(app.selectbox[0].set_value("iris").run())
    run = ready(app).run
    left: list[Any] = [weakref.ref(run.engine), weakref.ref(run.recording)]
    run.close()
    gc.collect()
    assert [thing() for thing in left] == [None, None]


def test_a_second_method_makes_it_a_duel(opened: Any) -> None:
    app = opened()
    clean(app.selectbox[1].set_value("binomial").run())
    now = ready(app)
    assert now.chosen.other == METHODS["binomial"]
    assert now.run.latest is not None
    assert len(now.run.latest) == 2


def test_a_batch_that_cannot_be_trained_is_refused_in_words_and_the_old_run_stays(opened: Any) -> None:
    app = opened(desk(State(PRESETS["one_point"].make(), METHODS["authors"])))
    before = training(app)
    app.selectbox[0].set_value(OWN).run()
    assert not app.exception
    assert said(app) == [say("error.own_batch", got="1")]
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
    assert (now.chosen.config.steps, now.chosen.config.seed) == (77, 5)
    assert now.run is not before.run
    control("steps").set_value(-1)
    app.button[0].click().run()
    assert not app.exception
    assert len(app.error) == 1
    assert training(app).run is now.run


def test_the_page_is_short(opened: Any) -> None:
    assert len(Path(PAGE).read_text(encoding="utf-8").splitlines()) < 12


def link(app: AppTest) -> dict[str, Any]:
    (found,) = (part for part in app.get("bidi_component") if part.key == "msviz.train")
    sent: dict[str, Any] = json.loads(found.proto.json)["link"]
    return sent


def test_a_link_opens_the_same_run(opened: Any) -> None:
    app = opened(query={"run": "rings~seed~5~versus~binomial", "rate": "0.01", "beta": "70"})
    now = training(app).chosen
    assert (now.setup, now.config.seed, now.config.learning_rate, now.other) == ("rings", 5, 0.01, METHODS["binomial"])
    assert now.config.method == METHODS["authors"].replace(beta=70.0)
    assert dict(parse_qsl(link(app)["query"][1:])) == {
        "beta": "70",
        "pair": "4-6",
        "run": "rings~seed~5~versus~binomial",
    }
    assert (link(app)["rate"], link(app)["now"]) == (0.001, 0.01)


def test_a_link_to_a_setup_begins_with_its_loss_unless_it_names_another(opened: Any) -> None:
    app = opened(query={"run": "npair"})
    assert training(app).chosen.config.method == Method("npair")
    assert "loss=npair" in link(app)["query"]
    app = opened(query={"run": "npair", "loss": "multi_similarity"})
    assert training(app).chosen.config.method == METHODS["authors"]
    assert "loss=multi_similarity" in link(app)["query"]


@pytest.mark.parametrize("run", ["nothing", "rings~classes_per_batch~4"])
def test_a_link_whose_run_cannot_be_begun_opens_the_first_one_and_says_so(opened: Any, run: str) -> None:
    app = opened(query={"run": run}, fault=True)
    assert training(app).chosen.setup == "glyphs"
    assert [sentence[: len("The link trains")] for sentence in said(app)] == ["The link trains"]
    ready(app)


def test_a_name_from_a_link_is_no_markup(opened: Any) -> None:
    app = opened(query={"run": "![x](//e.org/p) <b> ~~q~~"}, fault=True)
    (shown,) = (error.value for error in app.error)
    assert r"\!\[x\]\(\/\/e\.org\/p\) \<b\> \~\~q\~\~" in shown


def test_what_does_not_fit_the_data_is_refused_and_the_run_before_stays(opened: Any) -> None:
    app = opened()
    clean(app.selectbox[0].set_value("iris").run())
    before = training(app)
    next(it for it in app.number_input if it.key.startswith("msviz.train.run.classes_per_batch.")).set_value(30)
    app.button[0].click().run()
    assert not app.exception
    assert len(app.error) == 1
    assert training(app) is before


def test_my_files_are_asked_for_before_anything_is_chosen(opened: Any) -> None:
    app = opened()
    before = training(app)
    clean(app.selectbox[0].set_value("send").run())
    assert training(app) is before
    assert app.selectbox[0].value == "glyphs"
    assert [it.allowed_type for it in app.file_uploader] == [[".npz", ".zip"], []]


def files_page() -> None:
    """AppTest reruns the whole script, never a dialog alone: so here the script is the dialog."""
    from msviz.ui.train_files import files_menu

    files_menu()


def send(content: bytes, name: str) -> AppTest:
    app = AppTest.from_function(files_page, default_timeout=60)
    app.session_state["msviz.desk"] = desk()
    clean(app.run())
    app.file_uploader[0].set_value((name, content, "application/octet-stream"))
    app.button[0].click().run()
    assert not app.exception
    return app


def test_features_of_ones_own_become_a_run_that_no_link_holds(opened: Any) -> None:
    content, rng = io.BytesIO(), np.random.default_rng(0)
    np.savez(content, x=rng.normal(size=(90, 16)), labels=np.repeat(["ant", "bee", "cat"], 30))
    sent = send(content.getvalue(), "resnet.npz")
    assert not sent.error
    now = training(sent)
    assert (now.chosen.setup, now.chosen.config.classes_per_batch, now.chosen.config.model) == ("files", 3, "mlp")
    app = opened(training=now)
    assert app.selectbox[0].value == "files"
    assert (link(app)["query"], link(app)["refused"]) == (None, say("train.link.files"))
    ready(app).run.step()
    assert now.run.engine is not None
    assert now.run.engine.data.names == ("ant", "bee", "cat")
    clean(app.selectbox[1].set_value("binomial").run())  # the files stay for the next run of them
    assert ready(app).chosen.data is now.chosen.data


def test_files_that_cannot_be_read_are_refused_in_one_sentence_and_the_run_before_stays() -> None:
    sent = send(b"no archive", "resnet.npz")
    assert said(sent) == [
        say("error.features_file", path="resnet.npz", problem="it is damaged, or another kind of file")
    ]
    assert training(sent).chosen.setup == "glyphs"
