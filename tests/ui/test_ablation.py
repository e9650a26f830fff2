"""The Ablation page through Streamlit's AppTest: whose results it shows, a run of one's own, and what it refuses."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from msviz.core.errors import MsvizError
from msviz.text import say
from msviz.training import TrainConfig
from msviz.training.ablation import PLANS, Plan, Start, run_ablation
from msviz.training.sources import Blobs
from msviz.ui import ablation_files, ablation_run
from msviz.ui.ablation_run import SharedAblation, shared_ablation
from tests.ui.pages import ROUTER, clean

PAGE = ROUTER.parents[2] / "pages" / "train" / "ablation.py"
TINY = Plan(
    "small",
    (Start("scratch", steps=5), Start("pretrained", steps=3, pretrain_steps=3)),
    candidates=1,
    tuning_seeds=1,
    test_seeds=2,
    config=TrainConfig(
        data=Blobs(classes=20, per_class=10, dimensions=8, noise=1.2),
        **{"model": "linear", "dimensions": 4, "classes_per_batch": 5, "per_class": 3, "evaluate_every": 0},
        **{"device": "cpu", "precision": "float64"},
    ),
)
ALL = 2 * 2 * 8


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A results file of a whole run."""
    path = tmp_path_factory.mktemp("stored") / "ablation.jsonl"
    assert len(list(run_ablation(TINY, path, 1, "made by the test"))) == ALL
    return path.read_bytes()


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[SharedAblation]:
    """A server on which nobody has run anything yet, without a full run, and with a small one that is quick."""
    monkeypatch.setitem(PLANS, "small", TINY)
    monkeypatch.setattr(ablation_files, "SHIPPED", tmp_path / "ablation.jsonl")
    shared_ablation.cache_clear()
    ablation_run._folder.cache_clear()
    yield shared_ablation()
    run = shared_ablation().run
    if run is not None:
        run.stop()
    shared_ablation.cache_clear()


def opened(shipped: bytes | None = None) -> AppTest:
    if shipped is not None:
        ablation_files.SHIPPED.write_bytes(shipped)
    app = AppTest.from_file(str(ROUTER), default_timeout=60)
    app.run()
    return app.switch_page(str(PAGE)).run()


def press(app: AppTest, name: str) -> AppTest:
    return app.button(key=f"msviz.ablation.{name}").click().run()


def until(app: AppTest, holds: Callable[[], bool]) -> AppTest:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)
        app.run()
    return app.run()


def send(app: AppTest, content: bytes, name: str = "mine.jsonl") -> AppTest:
    return app.file_uploader[0].set_value((name, content, "application/json")).run()


def texts(app: AppTest) -> str:
    return "\n".join(str(it.value) for it in [*app.markdown, *app.caption, *app.info, *app.success])


def choices(app: AppTest) -> list[list[str]]:
    return [[option.content for option in group.proto.options] for group in app.button_group]


def with_head(content: bytes, **changes: Any) -> bytes:
    first, rest = content.split(b"\n", 1)
    return json.dumps({**json.loads(first), **changes}).encode() + b"\n" + rest


# What it shows


def test_without_a_full_run_it_says_so_and_shows_the_papers_numbers() -> None:
    app = clean(opened())
    assert say("ablation.none") in texts(app)
    (chart,) = app.get("plotly_chart")
    assert "MS (S P N): here –, paper 77.3" in chart.proto.alt
    assert say("ablation.levels") in texts(app)  # nobody is to compare the two scales


def test_a_full_run_is_shown_with_the_claims_and_what_made_it(stored: bytes) -> None:
    app = clean(opened(stored))
    assert say("ablation.answer.full") in texts(app)
    for claim in ("mining", "weighting", "all"):
        assert say(f"ablation.claim.{claim}") in texts(app)
    assert len(app.get("plotly_chart")) == 2
    assert "made by the test" in app.code[0].value
    assert "Nothing was tuned" in texts(app)


def test_the_two_starts_show_different_numbers(stored: bytes) -> None:
    app = clean(opened(stored))
    before = [chart.proto.alt for chart in app.get("plotly_chart")]
    clean(app.button_group[0].set_value("pretrained").run())
    assert [chart.proto.alt for chart in app.get("plotly_chart")] != before
    assert "Start: 3 steps as a classifier of the training classes, then 3 steps" in texts(app)


def test_a_run_that_has_not_ended_says_how_far_it_is(stored: bytes) -> None:
    lines = stored.splitlines(keepends=True)
    app = clean(opened(b"".join(lines[:4])))
    assert "So far 3 of 16 runs have ended. A comparison needs two seeds of both rows" in texts(app)
    assert len(app.get("plotly_chart")) == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda content: content[40:], "Line 1 of ablation.jsonl is damaged"),
        (lambda content: with_head(content, version=99), "are of version 99, this msviz reads version 1"),
        (lambda content: with_head(content, what={"limit": "noise"}), "not of an ablation"),
    ],
)
def test_a_shipped_file_that_cannot_be_read_is_one_sentence(
    stored: bytes, change: Callable[[bytes], bytes], says: str
) -> None:
    app = opened(change(stored))
    assert not app.exception
    (error,) = app.error
    assert says in error.value.replace("\\", "")
    assert len(app.get("plotly_chart")) == 1  # the paper's numbers


# A run here


def test_a_small_run_shows_its_results_when_it_has_some(server: SharedAblation) -> None:
    app = press(clean(opened()), "run")
    until(app, lambda: server.done == ALL and not server.run.goes_on)  # type: ignore[union-attr]
    clean(app.run())
    assert say("ablation.answer.small") in texts(app)
    assert say("ablation.run.done", runs=ALL) in texts(app)
    assert choices(app) == [["The full run", "The small run here"], ["From scratch", "After pre-training"]]
    assert len(app.get("plotly_chart")) == 2


def test_what_one_visitor_has_run_another_sees(server: SharedAblation) -> None:
    app = press(clean(opened()), "run")
    until(app, lambda: server.done == ALL)
    assert ["The full run", "The small run here"] in choices(clean(opened()))


def test_who_stops_looking_keeps_what_has_ended_and_can_go_on(server: SharedAblation) -> None:
    app = until(press(clean(opened()), "run"), lambda: server.done > 0)
    if server.done < ALL:
        press(app, "stop")
        assert say("ablation.run.again") in [button.label for button in app.button]
        press(app, "run")
    until(app, lambda: server.done == ALL)
    assert not app.error


def test_after_an_error_of_the_machine_another_start_goes_on_with_what_has_ended(
    server: SharedAblation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*given: Any, **more: Any) -> Iterator[Any]:
        for at, outcome in enumerate(run_ablation(*given, **more)):
            if at == 3:
                raise MsvizError("error.sweep_broken", "the worker died", cells="one", problem="killed")
            yield outcome

    monkeypatch.setattr(ablation_run, "run_ablation", breaks)
    app = press(clean(opened()), "run")
    until(app, lambda: server.run is not None and server.run.error is not None)
    (error,) = app.error
    assert "The sweep broke off while one ran: killed" in error.value.replace("\\", "")
    assert "3 of 32 runs have ended and are kept." in texts(app)
    ran = []
    monkeypatch.setattr(ablation_run, "run_ablation", run_ablation)
    monkeypatch.setattr("msviz.training.sweeps._attempt", _counted(ran))
    press(app, "run")
    until(app, lambda: server.done == ALL)
    assert len(ran) == ALL - 3 - 1  # the fourth had been written before the error


def _counted(ran: list[str]) -> Callable[..., Any]:
    from msviz.training.sweeps import _attempt as attempt

    def counting(cell: Any, run: Any) -> Any:
        ran.append(cell.key)
        return attempt(cell, run)

    return counting


def test_it_is_known_how_many_runs_there_are_and_how_long_they_take(tmp_path: Path) -> None:
    shared = SharedAblation(dataclasses.replace(TINY, candidates=3), tmp_path / "r.jsonl")
    assert shared.total == ALL + 2 * 8 * 3
    assert shared.seconds_left is None


# A file of one's own


def test_a_file_that_is_sent_is_shown(stored: bytes) -> None:
    app = clean(send(opened(), stored))
    assert say("ablation.answer.own") in texts(app)
    assert choices(app)[0] == ["The full run", "Your file"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "Line 1 of mine.jsonl is damaged"),
        (b"\xff\xfe" * 50, "Line 1 of mine.jsonl is damaged"),
        (b"[" * 100_000 + b"\n", "Line 1 of mine.jsonl is damaged"),
        (b"x" * (ablation_files.MAX_BYTES + 1), "at most 8 MB are read"),
    ],
)
def test_a_file_that_is_no_results_file_is_refused_and_the_page_stays(stored: bytes, content: bytes, says: str) -> None:
    app = send(opened(stored), content)
    assert not app.exception
    (error,) = app.error
    assert says in error.value.replace("\\", "")
    assert say("ablation.answer.full") in texts(app)


PLAN = TINY.as_json()["ablation"]


@pytest.mark.parametrize(
    "plan",
    [
        {**PLAN, "test_seeds": 10**12},
        {**PLAN, "test_seeds": "2"},
        {**PLAN, "candidates": None},
        {**PLAN, "starts": []},
        {**PLAN, "starts": [PLAN["starts"][0]] * 2},
        {**PLAN, "starts": [{"name": ["scratch"], "steps": 3}]},
        {**PLAN, "starts": [{"name": "scratch", "steps": "many"}]},
    ],
)
def test_a_plan_that_cannot_be_is_refused(stored: bytes, plan: dict[str, Any]) -> None:
    app = send(opened(), with_head(stored, what={"ablation": plan}))
    assert not app.exception
    (error,) = app.error
    assert "These are results of something else" in error.value


def test_what_a_file_says_makes_no_markup(stored: bytes) -> None:
    bad = "![x](http://example.invalid/x.png)"
    made = {"command": bad, "commit": bad, "machine": bad, "torch": bad, "date": bad}
    starts = [{**PLAN["starts"][0], "name": bad}, PLAN["starts"][1]]
    content = with_head(stored, made=made, what={"ablation": {**PLAN, "starts": starts}})
    app = clean(send(opened(), content.replace(b'"scratch/', json.dumps(f"{bad}/")[:-1].encode())))
    assert bad not in texts(app)
    assert bad in app.code[0].value
    assert choices(app)[1] == ["Start 1", "After pre-training"]
    refused = send(opened(), b"", f"{bad}.jsonl")
    assert bad not in refused.error[0].value
