"""The run in a link: it opens as it was, and what is damaged falls back to the default with one sentence."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msviz.core.losses.spec import param_infos
from msviz.core.methods import METHODS
from msviz.data import PRESETS
from msviz.text import say_error
from msviz.training.config import FIELDS, Choice
from msviz.training.sources import Glyphs
from msviz.ui.setups import FIRST, OWN, SETUPS, chosen_setup
from msviz.ui.train_link import first_rate, read_run, run_query
from tests.training.runs import batches

BATCH = PRESETS["overlapping"].make()


def read(**query: str) -> Any:
    found = read_run(query, BATCH)
    assert found is not None
    return found


@pytest.mark.parametrize("setup", [*SETUPS, OWN])
def test_every_setup_comes_back(setup: str) -> None:
    chosen = replace(chosen_setup(setup, BATCH), other=METHODS["binomial"])
    again, errors = read(**run_query(chosen, BATCH))
    assert (again, errors) == (chosen, ())


def test_the_first_setup_needs_no_link() -> None:
    assert run_query(chosen_setup(FIRST, BATCH), BATCH) == {}
    assert read_run({"beta": "80"}, BATCH) is None


@given(st.data())
def test_every_setting_comes_back(data: st.DataObject) -> None:
    chosen = chosen_setup(FIRST, BATCH)
    run: dict[str, Any] = {
        name: data.draw(
            st.sampled_from(field.options) if isinstance(field, Choice) else st.floats(field.low, field.high)
        )
        for name, field in FIELDS.items()
        if name not in ("model", "split", "device")
    }
    own = {info.name: data.draw(st.floats(info.low, info.high)) for info in param_infos(Glyphs)}

    def whole(values: dict[str, Any], fields: Any) -> dict[str, Any]:
        return {name: int(it) if getattr(fields[name], "whole", False) else it or 1e-9 for name, it in values.items()}

    changed = replace(
        chosen.config,
        data=Glyphs(**whole(own, {info.name: info for info in param_infos(Glyphs)})),
        **whole(run, FIELDS) | data.draw(batches()),
    )
    wanted = replace(chosen, config=changed)
    again, errors = read(**{"run": FIRST, **run_query(wanted, BATCH), "rate": repr(changed.learning_rate)})
    assert (again.config, errors) == (changed, ())


def test_the_device_stays_with_the_machine() -> None:
    chosen = chosen_setup("rings", BATCH)
    assert run_query(replace(chosen, config=replace(chosen.config, device="cpu")), BATCH) == {"run": "rings"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "files",
        "features~path~/etc/passwd",
        "glyphs~data.path~/etc/passwd",
        "glyphs~data.kind~folder",
        "glyphs~seed",
        "glyphs~seed~x",
        "glyphs~seed~0.5",
        "glyphs~seed~nan",
        "glyphs~steps~1e999",
        "glyphs~per_class~-3",
        "glyphs~model~__import__",
        "glyphs~method~triplet",
        "glyphs~device~cuda",
        "glyphs~versus~guess",
        "own~data.x~1",
        "rings" + "~seed~5" * 200,
        "<script>alert(1)</script>",
    ],
)
def test_a_damaged_run_falls_back_to_the_first_with_one_sentence(text: str) -> None:
    chosen, errors = read(run=text)
    assert chosen == chosen_setup(FIRST, BATCH)
    (error,) = errors
    assert error.key == "error.link_run"
    assert say_error(error).endswith("Shown instead: glyphs.")
    assert len(say_error(error)) < 300


@pytest.mark.parametrize("rate", ["", "much", "0", "-1", "nan", "1e9"])
def test_a_damaged_rate_leaves_the_run_and_its_own_rate(rate: str) -> None:
    chosen, errors = read(run="own", rate=rate)
    assert chosen == chosen_setup(OWN, BATCH)
    assert [error.key for error in errors] == ["error.link_rate"]
    assert say_error(errors[0]).endswith("It stays 0.01.")
    assert first_rate(chosen, BATCH) == 0.01


@given(st.text(max_size=60), st.text(max_size=20))
def test_no_link_raises(run: str, rate: str) -> None:
    chosen, _ = read(run=run, rate=rate)
    assert chosen.setup in (*SETUPS, OWN)


def test_free_points_need_a_batch_that_can_be_trained() -> None:
    found = read_run({"run": "own"}, PRESETS["one_point"].make())
    assert found is not None
    assert found[0].setup == FIRST
    assert [error.key for error in found[1]] == ["error.link_run"]
