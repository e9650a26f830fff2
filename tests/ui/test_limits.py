"""The Limits page through Streamlit's AppTest: every limit runs, keeps its results, and never shows an exception."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from msviz.text import say
from msviz.ui.limit_runs import Measuring
from msviz.views.limits import LIMITS
from tests.ui.pages import ROUTER, clean

PAGE = ROUTER.parents[2] / "pages" / "train" / "limits.py"
# Settings with which a limit is measured within a second or two.
QUICK: dict[str, dict[str, float]] = {
    "composition": {"steps": 2, "draws": 2},
    "cost": {"largest": 512, "rounds": 1},
    "noise": {"steps": 2, "draws": 1},
    "recall": {"steps": 1},
    "scale": {"steps": 2},
    "sign": {"classes": 3, "per_class": 3},
}


def opened(name: str = "composition", **settings: Any) -> AppTest:
    app = AppTest.from_file(str(ROUTER), default_timeout=60)
    app.run()
    return choose(clean(app.switch_page(str(PAGE)).run()), name, **{**QUICK[name], **settings})


def choose(app: AppTest, name: str, **settings: Any) -> AppTest:
    app.button_group[0].set_value(name).run()
    for field, value in settings.items():
        app.number_input(key=f"msviz.limits.{name}.{field}").set_value(value)
    return clean(app.run())


def run_of(app: AppTest, name: str) -> Measuring:
    found: Measuring = app.session_state["msviz.limits.runs"][name]
    return found


def press_run(app: AppTest) -> AppTest:
    return app.button(key="msviz.limits.run").click().run()


def until(app: AppTest, holds: Callable[[], bool]) -> AppTest:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)
        app.run()
    return app.run()


def measured(app: AppTest, name: str) -> AppTest:
    press_run(app)
    return until(app, lambda: not run_of(app, name).goes_on)


def texts(app: AppTest) -> str:
    return "\n".join(str(it.value) for it in [*app.markdown, *app.caption, *app.subheader])


def alts(app: AppTest) -> list[str]:
    return [chart.proto.alt for chart in app.get("plotly_chart")]


@pytest.mark.parametrize("name", LIMITS)
def test_every_limit_asks_is_measured_and_says_what_it_showed(name: str) -> None:
    app = opened(name)
    assert say(f"limits.question.{name}") in texts(app)
    assert say("limits.shown") not in texts(app)
    clean(measured(app, name))
    assert run_of(app, name).doing == "done"
    assert say("limits.shown") in texts(app)
    assert say(f"limits.paper.{name}") in texts(app)
    assert f"{LIMITS[name].count(run_of(app, name).settings)} points, measured in" in texts(app)
    assert app.button(key="msviz.limits.run").label == say("limits.again")


def test_before_the_first_run_the_page_says_how_much_will_be_measured() -> None:
    app = opened("cost")
    assert "Measures 6 points; about 2 s on a laptop. The largest dense batch holds about 8 MB." in texts(app)
    app.number_input(key="msviz.limits.cost.largest").set_value(8192).run()
    assert "Measures 18 points; about 26 s on a laptop. The largest dense batch holds about 2,000 MB." in texts(app)


def test_results_stay_while_another_limit_is_looked_at() -> None:
    app = measured(opened("scale"), "scale")
    before, shown = run_of(app, "scale"), alts(app)
    choose(app, "sign")
    assert say("limits.shown") not in texts(app)
    choose(app, "scale")
    assert run_of(app, "scale") is before
    assert alts(app) == shown
    assert app.number_input(key="msviz.limits.scale.steps").value == QUICK["scale"]["steps"]


def test_results_and_settings_stay_while_another_page_is_looked_at() -> None:
    app = measured(opened("scale"), "scale")
    shown = alts(app)
    app.switch_page(str(PAGE.with_name("train.py"))).run()
    clean(app.switch_page(str(PAGE)).run())
    choose(app, "scale")
    assert alts(app) == shown
    assert app.number_input(key="msviz.limits.scale.steps").value == QUICK["scale"]["steps"]


def test_other_settings_are_told_from_those_of_the_run_that_is_drawn() -> None:
    app = measured(opened("sign"), "sign")
    assert say("limits.other") not in texts(app)
    app.number_input(key="msviz.limits.sign.classes").set_value(4).run()
    assert say("limits.other") in texts(app)
    measured(app, "sign")
    assert run_of(app, "sign").settings.classes == 4
    assert say("limits.other") not in texts(app)


def test_stop_keeps_what_is_measured_and_the_next_run_begins_anew() -> None:
    app = press_run(opened("recall", repeats=20))
    first = run_of(app, "recall")
    until(app, lambda: len(first.points) >= 2)
    app.button(key="msviz.limits.stop").click().run()
    assert first.doing == "stopped"
    assert "what is measured stays" in texts(app)
    clean(app)
    app.number_input(key="msviz.limits.recall.repeats").set_value(1)
    measured(app, "recall")
    assert run_of(app, "recall") is not first
    assert run_of(app, "recall").doing == "done"


def test_an_impossible_batch_is_one_sentence_and_the_page_goes_on() -> None:
    app = measured(opened("scale", per_class=500), "scale")
    assert not app.exception
    (error,) = app.error
    assert "500" in error.value
    assert run_of(app, "scale").points == []
    app.number_input(key="msviz.limits.scale.per_class").set_value(5)
    clean(measured(app, "scale"))
    assert run_of(app, "scale").doing == "done"


def test_findings_of_the_sign_check_link_to_the_playground() -> None:
    app = measured(opened("sign"), "sign")
    (table,) = [it.value for it in app.markdown if it.value.startswith("| ")]
    assert "](./?loss=supcon&" in table
    assert "| two clean classes |" in table


def test_a_link_names_the_limit_and_one_that_is_unknown_is_the_first() -> None:
    for asked, shown in (("Length", "scale"), ("<script>", "composition")):
        app = AppTest.from_file(str(ROUTER), default_timeout=60)
        app.query_params["limit"] = asked
        app.run()
        clean(app.switch_page(str(PAGE)).run())
        assert app.button_group[0].value == shown
