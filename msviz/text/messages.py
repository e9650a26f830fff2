"""Messages and the catalogue that turns them into sentences.

The catalogue is a gettext file (``locales/<language>/LC_MESSAGES/msviz.po``): msgid = key such as "error.label_range",
msgstr = a `str.format` template such as "A class is a whole number from 0 to {high}, got {got}.". A value that is a
number is written by `msviz.text.number`: ``{got}`` as many digits as it needs, ``{s:.2f}`` two decimals, ``{w:.1%}`` a
percentage, so that every number in every sentence looks the same.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from numbers import Real
from pathlib import Path
from typing import Any, Final, Protocol, TypeGuard

from babel.messages.pofile import read_po

from msviz.text.numbers import number, percent

Value = str | int | float
LOCALES: Final = Path(__file__).parent / "locales"
_SPEC = re.compile(r"\.(\d+)([f%])")


@dataclass(frozen=True)
class Message:
    """Something to say, not yet in any language: a catalogue key and the values for its gaps.

    Args:
        key: a key of the catalogue, such as "preset.overlapping.title".
        values: name -> text or number; numbers stay numbers, so that each language writes them its own way.

    Example:
        >>> Message("error.no_such_point", {"id": 3}) == msg("error.no_such_point", id=3)
        True
    """

    key: str
    values: Mapping[str, Value] = field(default_factory=dict)


class _Keyed(Protocol):
    """What `say_error` needs of an error: every MsvizError has it (this package imports nothing of ours)."""

    @property
    def key(self) -> str: ...

    @property
    def values(self) -> Mapping[str, Any]: ...


_MISSING: Final = object()


def msg(key: str, **values: Value) -> Message:
    """Make a `Message`: ``msg("error.no_such_point", id=3)``."""
    return Message(key, values)


def say(message: Message | str, /, *, default: Any = _MISSING, language: str = "en", **values: Any) -> str:
    """Say a message or a key in a language.

    Args:
        message: a `Message`, or a key with its values given by name.
        default: returned as it is when no catalogue has the key (titles of losses that somebody dropped in).
        language: the catalogue to use; a key it lacks is said in English.
        values: the template's values, added to the message's own.

    Raises:
        KeyError: the key is in no catalogue and no default was given, or a value of the template is missing.

    Example:
        >>> say("error.label_range", high=255, got=-3)
        'A class is a whole number from 0 to 255, got \u22123.'
        >>> say("loss.my_new_loss.title", default="my new loss")
        'my new loss'
    """
    key, given = (message, values) if isinstance(message, str) else (message.key, {**message.values, **values})
    template = _templates(language).get(key) or _templates("en").get(key)
    if template is None:
        if default is _MISSING:
            raise KeyError(f"no catalogue has the key {key!r}: add it to {LOCALES.name}/en/LC_MESSAGES/msviz.po")
        return str(default)
    return _Speller(language).vformat(template, (), given)


def say_error(error: _Keyed, language: str = "en") -> str:
    """Say an error that carries a key and values; its own plain text where the catalogue lacks the key.

    Args:
        error: an MsvizError, or anything with ``key`` and ``values``.
        language: the catalogue to use.
    """
    return say(error.key, default=str(error), language=language, **error.values)


def catalogue(prefix: str, language: str = "en") -> dict[str, str]:
    """All templates whose key starts with a prefix, unfilled (for the browser component: prefix "js.").

    Args:
        prefix: the beginning of the keys, with its dot; "" = all of them.
        language: where it lacks a key, the English template stands.

    Example:
        >>> sorted(catalogue("preset.empty."))
        ['preset.empty.text', 'preset.empty.title']
    """
    merged = {**_templates("en"), **_templates(language)}
    return {key: template for key, template in merged.items() if key.startswith(prefix)}


def languages() -> tuple[str, ...]:
    """The languages that have a catalogue, sorted; "en" is always there."""
    return tuple(sorted(path.parent.parent.name for path in LOCALES.glob("*/LC_MESSAGES/msviz.po")))


@lru_cache(maxsize=32)
def _templates(language: str) -> dict[str, str]:
    if language not in languages():  # also: a language from a link is never used as a path
        return {}
    with (LOCALES / language / "LC_MESSAGES" / "msviz.po").open("rb") as file:
        entries = read_po(file, locale=language)
    return {str(e.id): str(e.string) for e in entries if e.id and e.string and not e.fuzzy}


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)  # Real: numpy's numbers too


class _Speller(string.Formatter):
    """`str.format`, except that numbers are written by `number` and `percent`."""

    def __init__(self, language: str) -> None:
        self.language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        if _is_number(value):
            if not format_spec:
                return number(value, None, self.language)
            if match := _SPEC.fullmatch(format_spec):
                write = number if match[2] == "f" else percent
                return write(float(value), int(match[1]), self.language)
        return str(super().format_field(value, format_spec))
