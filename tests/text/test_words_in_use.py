"""No word in the catalogue that nobody says: every key stands in the code, or fits a pattern that does."""

import ast
import re
import string
from functools import cache
from pathlib import Path

import pytest

import msviz.text
from msviz.text import catalogue

ROOT = Path(msviz.text.__file__).parents[2]
PYTHON = [*(ROOT / "msviz").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
SCRIPTS = sorted((ROOT / "msviz" / "ui" / "assets").glob("*.js"))
GROUPS = ("app", "page", "menu", "method", "board", "readout", "zero", "inspector", "mining", "change", "js")
OTHERS = (
    "pairline",
    "figure2",
    "table1",
    "panel",
    "preset",
    "source",
    "digits",
    "error",
    "stop",
    "train",
    "limits",
    "ablation",
)
PART = "[a-z_A-Z0-9]+"  # what a gap of a pattern may stand for: one part of a key


@cache
def _patterns_in_python() -> frozenset[str]:
    """Regular expressions of every string and f-string that begins like a key."""
    found = set()
    for path in PYTHON:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(re.escape(node.value))
            elif isinstance(node, ast.JoinedStr):
                parts = [re.escape(str(p.value)) if isinstance(p, ast.Constant) else PART for p in node.values]
                found.add("".join(parts))
    return frozenset(pattern for pattern in found if re.match(r"[a-z]+[0-9]?\\\.", pattern))


@cache
def _patterns_in_scripts() -> frozenset[str]:
    """The same for the quoted strings and templates of the browser's scripts."""
    found = set()
    for path in SCRIPTS:
        text = path.read_text(encoding="utf-8")
        found.update(re.escape(key) for key in re.findall(r'"(js\.[^"]+)"', text))
        for template in re.findall(r"`(js\.[^`]+)`", text):
            found.add(PART.join(re.escape(piece) for piece in re.split(r"\$\{[^}]*\}", template)))
    return frozenset(found)


def _said(key: str, patterns: frozenset[str]) -> bool:
    return any(re.fullmatch(pattern, key) for pattern in patterns)


@pytest.mark.parametrize("group", [*GROUPS, *OTHERS])
def test_every_key_of_a_group_is_said_somewhere(group: str) -> None:
    patterns = _patterns_in_python() | _patterns_in_scripts()
    keys = catalogue(f"{group}.")
    assert keys
    assert [key for key in keys if not _said(key, patterns)] == []


def test_every_key_belongs_to_a_group() -> None:
    assert {key.split(".")[0] for key in catalogue("")} == {*GROUPS, *OTHERS}


def test_a_key_that_nobody_says_would_be_found() -> None:
    patterns = _patterns_in_python() | _patterns_in_scripts()
    assert not _said("zero.no_such_reason", patterns)
    assert not _said("js.board.no.such.word", patterns)
    assert not _said("inspector.role.S.no_such.case", patterns)


def test_every_word_that_a_script_asks_for_is_there() -> None:
    texts = catalogue("js.")
    for path in SCRIPTS:
        for key in re.findall(r'"(js\.[^"]+)"', path.read_text(encoding="utf-8")):
            assert key in texts, f"{path.name} asks for {key}, add it to msviz.po"


def test_every_pattern_of_a_script_finds_some_words() -> None:
    for pattern in _patterns_in_scripts():
        assert any(re.fullmatch(pattern, key) for key in catalogue("js.")), pattern


def test_words_of_the_browser_have_plain_gaps() -> None:
    # marks.js fills {name} and knows no formats.
    for key, template in catalogue("js.").items():
        for _, name, spec, conversion in string.Formatter().parse(template):
            assert name is None or (name.isidentifier() and not spec and not conversion), key
