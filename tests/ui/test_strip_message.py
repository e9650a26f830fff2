"""The strip's controls follow from a loss's own record, whichever loss it is."""

import pytest

from msviz.core.losses import LOSSES
from msviz.core.losses.spec import param_infos
from msviz.core.methods import METHODS, Method
from msviz.state import default_state
from msviz.text import catalogue
from msviz.ui import session
from msviz.ui.strip import message
from msviz.views.change import loss_title
from tests.ui.parcels import desk, event


@pytest.mark.parametrize("name", LOSSES)
def test_a_losss_parameters_are_listed_in_its_order_and_epsilon_last(name: str) -> None:
    for example in LOSSES[name].examples:
        data = message(desk(default_state().with_method(Method(name, **vars(example)))))
        infos = param_infos(example)
        assert [row["name"] for row in data["params"]] == [*(info.name for info in infos), "epsilon"]
        for row, info in zip(data["params"], infos, strict=False):
            assert row["value"] == getattr(example, info.name)
            for field in ("letter", "high", "scale", "step", "whole", "bounds"):
                assert row[field] == getattr(info, field)
            assert row["help"]
        assert data["method"]["loss"] == name


@pytest.mark.parametrize("name", LOSSES)
def test_a_logarithmic_slider_starts_above_zero_and_a_linear_one_at_the_bound(name: str) -> None:
    data = message(desk(default_state().with_method(Method(name))))
    for row, info in zip(data["params"], param_infos(LOSSES[name].params), strict=False):
        if info.scale == "log":
            assert 0 < row["low"] == max(info.low, info.high / 2000)
        else:
            assert row["low"] == info.low
        assert row["low"] <= row["value"] <= row["high"]


def test_every_loss_is_in_the_menu_with_the_multi_similarity_loss_first() -> None:
    losses = message(desk())["losses"]
    assert [loss["name"] for loss in losses] == list(LOSSES)
    assert losses[0] == {"name": "multi_similarity", "title": "Multi-similarity"}
    assert all(loss["title"] == loss_title(loss["name"]) for loss in losses)


def test_a_loss_that_somebody_dropped_in_has_the_words_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LOSSES, "my_loss", LOSSES["linear"])
    assert message(desk())["losses"][-1] == {"name": "my_loss", "title": LOSSES["linear"].title}


def test_the_active_preset_is_marked() -> None:
    def active(method: Method) -> list[str]:
        rows = message(desk(default_state().with_method(method)))["presets"]
        return [row["slug"] for row in rows if row["active"]]

    assert active(METHODS["authors"]) == ["authors"]
    assert active(METHODS["paper"]) == ["paper"]
    assert active(METHODS["pml"]) == ["pml"]
    assert active(METHODS["authors"].replace(beta=41)) == []


def test_without_mining_epsilon_is_off_and_shows_where_it_rests() -> None:
    data = message(desk(default_state().with_method(METHODS["ms_weighting"])))
    assert not data["method"]["mined"]
    assert (data["params"][-1]["value"], data["params"][-1]["rest"]) == (None, 0.1)
    assert message(desk())["params"][-1]["value"] == 0.1


def test_the_strip_echoes_its_own_event_number() -> None:
    after = desk().apply(session.STRIP, [event(7, "mine", on=False)])
    after = after.apply(session.BENCH, [event(9, "remove", target=0)])
    assert message(after)["seq"] == 7
    assert message(desk())["seq"] == 0


def test_the_strip_brings_the_words_of_the_browser() -> None:
    assert message(desk())["texts"] == catalogue("js.")
