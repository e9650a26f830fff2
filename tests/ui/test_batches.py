"""The menu of batches: a choice is one step of the history; what cannot be drawn leaves everything as it was."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from msviz.core.methods import METHODS
from msviz.data import PRESETS, digits_batch
from msviz.state import default_state
from msviz.text import say
from msviz.ui.desk import Desk
from tests.ui.parcels import desk, event


def _page() -> None:
    """AppTest reruns the whole script, never a dialog alone: so here the script is the dialog."""
    from msviz.ui.batches import batch_menu

    batch_menu()


def _menu(start: Desk | None = None) -> AppTest:
    app = AppTest.from_function(_page, default_timeout=60)
    app.session_state["msviz.desk"] = desk() if start is None else start
    return _clean(app.run())


def _clean(app: AppTest) -> AppTest:
    assert not app.exception
    assert not app.error
    assert not app.warning
    return app


def _desk(app: AppTest) -> Desk:
    found: Desk = app.session_state["msviz.desk"]
    return found


def _draw(**chosen: Any) -> AppTest:
    """Fill the form of the digits, and draw."""
    app = _menu()
    for name, value in chosen.items():
        kind = {"classes": app.button_group, "method": app.radio, "space": app.radio}.get(name, app.number_input)
        kind(key=f"msviz.digits.{name}").set_value(value)
    next(button for button in app.button if button.label == say("digits.sample")).click()
    return app.run()


@pytest.mark.parametrize("slug", PRESETS)
def test_every_preset_can_be_chosen(slug: str) -> None:
    app = _menu()
    app.button(key=f"msviz.preset.{slug}").click()
    found = _desk(_clean(app.run()))
    assert found.state.batch == PRESETS[slug].make()
    selection, pair = found.state.display.selection, PRESETS[slug].pair
    assert (selection and (selection.anchor, selection.other)) == pair
    assert found.history.can_undo == (slug != "overlapping")  # the batch that is there already is no step
    assert found.state.method == METHODS["authors"]


def test_every_preset_says_how_many_points_it_has_and_what_there_is_to_see() -> None:
    app = _menu()
    assert app.button(key="msviz.preset.two_clean").label == "two clean classes (8)"
    texts = {caption.value for caption in app.caption}
    assert {say(preset.text_key) for preset in PRESETS.values()} <= texts


def test_a_choice_keeps_the_method_and_clears_what_was_refused() -> None:
    refused = desk().apply("x", [event(1, "loss", name="triplet"), event(2, "remove", target=99)])
    app = _menu(refused)
    app.button(key="msviz.preset.empty").click()
    found = _desk(_clean(app.run()))
    assert found.errors == ()
    assert found.state.method.name == "triplet"
    assert found.history.undo().present.batch == refused.state.batch


def test_digits_are_drawn_through_the_form() -> None:
    found = _desk(_clean(_draw(classes=[0, 1], per_class=3, seed=7)))
    assert found.state.batch == digits_batch([0, 1], 3, seed=7)
    assert found.state.display.selection is None
    assert len(found.history.past) == 1


def test_the_form_draws_something_worth_seeing_as_it_stands() -> None:
    assert _desk(_clean(_draw())).state.batch == digits_batch([3, 8, 9], 8, seed=0)


def test_digits_can_be_compared_by_their_pixels() -> None:
    found = _desk(_clean(_draw(method="lda", space="pixels", per_class=2)))
    assert found.state.batch == digits_batch([3, 8, 9], 2, seed=0, method="lda", space="pixels")


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"per_class": 500}, "Images of each class: a whole number from 1 to 174 (there are 174 of digit 8), got 500."),
        ({"per_class": 0}, "Images of each class: a whole number from 1 to 174 (there are 174 of digit 8), got 0."),
        ({"classes": []}, "Choose at least one digit from 0 to 9, got none."),
        ({"classes": [3, 8], "method": "lda"}, "LDA gives one dimension less than there are classes"),
        ({"classes": list(range(10)), "per_class": 60}, "A batch holds at most 512 points, got 600."),
        ({"seed": -1}, "The seed is a whole number, 0 or more, got −1."),
    ],
)
def test_digits_that_cannot_be_drawn_keep_the_batch_and_say_why(chosen: dict[str, Any], sentence: str) -> None:
    app = _draw(**chosen)
    (refusal,) = app.error
    assert refusal.value.startswith(sentence)
    assert not app.exception
    assert _desk(app) == desk(default_state())
