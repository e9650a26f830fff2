"""The catalogue is complete, can be parsed, and says what it is asked to say."""

import ast
import re
import string
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import msviz.text
from msviz.core.errors import MsvizError
from msviz.data import PRESETS
from msviz.text import Message, catalogue, languages, msg, say, say_error
from msviz.text.messages import LOCALES

PACKAGE = Path(msviz.text.__file__).parent.parent
ENGLISH = LOCALES / "en" / "LC_MESSAGES" / "msviz.po"


@cache
def _calls(*names: str) -> list[tuple[str, ast.Call]]:
    """Every call in msviz of a function with one of these names, with the place to show when a test fails."""
    return [
        (f"{path.relative_to(PACKAGE.parent)}:{node.lineno}", node)
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    ]


def _keyed(*names: str) -> Iterator[tuple[str, str, ast.Call]]:
    for place, call in _calls(*names):
        if call.args and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str):
            yield place, call.args[0].value, call


def _gaps(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def test_every_template_can_be_parsed_and_names_its_values() -> None:
    for key, template in catalogue("").items():
        assert all(name.isidentifier() for name in _gaps(template)), f"{key}: {template}"


def test_no_key_comes_twice() -> None:
    keys = Counter(re.findall(r'^msgid "(.+)"$', ENGLISH.read_text(encoding="utf-8"), re.MULTILINE))
    assert [key for key, count in keys.items() if count > 1] == []
    assert set(keys) == set(catalogue(""))  # and none is empty or marked as unsure


def test_every_error_that_is_raised_has_a_sentence_that_its_values_fill() -> None:
    sentences = catalogue("error.")
    found = list(_keyed("MsvizError", "MsvizTypeError"))
    assert len(found) > 20
    for place, key, call in found:
        assert key in sentences, f"{place} raises {key}, add it to msviz.po"
        given = {keyword.arg for keyword in call.keywords}
        assert None in given or _gaps(sentences[key]) <= given, f"{place}: {sentences[key]} is filled by {given}"


def test_every_error_names_its_key_in_the_call() -> None:
    for place, call in _calls("MsvizError", "MsvizTypeError"):
        assert call.args, place
        assert isinstance(call.args[0], ast.Constant), f"{place}: this file's test can only read a literal key"


def test_no_error_sentence_is_left_that_nobody_raises() -> None:
    raised = {key for _, key, _ in _keyed("MsvizError", "MsvizTypeError")}
    assert set(catalogue("error.")) <= raised


def test_every_key_that_the_code_says_is_in_the_catalogue() -> None:
    for place, key, call in _keyed("say", "msg", "Message"):
        if not any(keyword.arg == "default" for keyword in call.keywords):
            assert key in catalogue(""), f"{place} says {key}, add it to msviz.po"


def test_every_preset_has_a_title_and_a_text() -> None:
    for preset in PRESETS.values():
        assert say(preset.title_key)
        assert say(preset.text_key)


def test_a_message_is_said_with_its_values() -> None:
    assert msg("error.no_such_point", id=7) == Message("error.no_such_point", {"id": 7})
    assert say(msg("error.no_such_point", id=7)).startswith("There is no point 7 in this batch.")
    assert say(msg("error.no_such_point", id=7), id=8).startswith("There is no point 8 ")


def test_numbers_in_a_sentence_are_written_by_number() -> None:
    assert say("error.label_range", high=255, got=-1.5) == "A class is a whole number from 0 to 255, got −1.5."


def test_a_template_can_ask_for_decimals_and_percentages(monkeypatch: pytest.MonkeyPatch) -> None:
    templates = {"a": "S = {s:.2f}, {share:.1%} of all, {name:>4}|{text}"}
    monkeypatch.setattr("msviz.text.messages._templates", lambda language: templates)
    assert say("a", s=-0.5, share=0.042, name="x", text="{s}") == "S = −0.50, 4.2% of all,    x|{s}"


def test_an_unknown_key_is_an_error_unless_a_default_is_given() -> None:
    with pytest.raises(KeyError, match=r"no\.such\.key"):
        say("no.such.key")
    assert say("loss.dropped_in.title", default="dropped in") == "dropped in"


def test_a_missing_value_is_an_error_and_not_a_gap() -> None:
    with pytest.raises(KeyError):
        say("error.no_such_point")


def test_an_error_is_said_from_the_catalogue_or_else_in_its_own_words() -> None:
    assert say_error(MsvizError("error.no_such_point", "plain {id}", id=3)).startswith("There is no point 3")
    assert (
        say_error(MsvizError("error.of_a_plugin", "beta must be > 0, got {got}", got=-3)) == "beta must be > 0, got -3"
    )


def test_a_prefix_selects_raw_templates() -> None:
    found = catalogue("preset.two_clean.")
    assert list(found) == ["preset.two_clean.title", "preset.two_clean.text"]
    assert catalogue("no.such.prefix.") == {}


def test_a_language_without_a_catalogue_speaks_english_with_its_own_numbers() -> None:
    assert "en" in languages()
    assert say("error.label_range", language="de", high=255, got=-1.5).endswith("got −1,5.")


def test_a_language_is_never_a_path() -> None:
    assert catalogue("error.", language="../en") == catalogue("error.")
