"""How numbers are written: digits, decimal sign, minus, very small and very large values, percentages."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.numbers import format_percent, get_decimal_symbol, get_group_symbol, get_minus_sign_symbol

MINUS = "\u2212"  # a hyphen is too short beside digits, and some fonts break a line after it
_SMALL = 1e-4  # below this zeros are hard to count: 4.3e−9
_LARGE = 1e6  # from this a float is written with an exponent; whole numbers are grouped instead
_HUGE = 10**15  # from this whole numbers get one, too: babel cannot group beyond 25 digits
_SIGNIFICANT = 6  # digits=None writes at most so many digits that mean something


@lru_cache(maxsize=32)
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language.replace("-", "_"))
    except (ValueError, UnknownLocaleError):  # a language may come from a link
        return Locale.parse("en")


def _minus(text: str, language: str) -> str:
    return text.replace(get_minus_sign_symbol(_locale(language)), MINUS).replace("-", MINUS)


def number(x: float, digits: int | None = 2, language: str = "en") -> str:
    """Write a number for a reader.

    Whole numbers (int, numpy's too) are grouped and get no decimals. A float gets ``digits`` decimals; a value too
    small for them gets two significant digits instead of a row of zeros, and below 1e-4 or from 1e6 an exponent.

    Args:
        x: the number; nan is written as a dash, infinity as its sign.
        digits: decimals, 0 to 15; None = as many as the number needs, at most six significant (parameters).
        language: a locale name such as "en" or "de"; decides the decimal sign and the grouping.

    Returns:
        The text; a minus is U+2212.

    Example:
        >>> number(0.98), number(40), number(40.0, digits=None), number(4.3e-9), number(.004)
        ('0.98', '40', '40', '4.3e\u22129', '0.004')
    """
    if hasattr(x, "__index__"):  # int, and numpy's whole numbers
        if abs(int(x)) >= _HUGE:
            return _scientific(Decimal(int(x)), 1, language)
        return f"{int(x):,}".translate(_signs(language))
    x = float(x)
    if math.isnan(x):
        return "\u2013"
    if math.isinf(x):
        return "\u221e" if x > 0 else MINUS + "\u221e"
    size = abs(x)
    if size and (size < _SMALL or size >= _LARGE):
        return _scientific(x, 1 if digits is None else max(1, digits - 1), language)
    if digits is None:
        return _decimal(_significant(x, _SIGNIFICANT), 0, 15, language)
    if size and size < 10.0**-digits:
        return _decimal(_significant(x, 2), digits, 15, language)
    return _decimal(x, digits, digits, language)


def percent(x: float, digits: int = 1, language: str = "en") -> str:
    """Write a share as a percentage: 0.042 is 4.2%.

    Args:
        x: the share, 1 = all; nan is written as a dash.
        digits: decimals, 0 to 15; whole percentages drop them.
        language: a locale name; decides whether a space stands before the sign.

    Example:
        >>> percent(0.042), percent(1)
        ('4.2%', '100%')
    """
    if math.isnan(x):
        return "\u2013"
    # As in `_decimal`: babel alone would take longer than a whole frame of a drag has for its words.
    before, after = _percent_signs(language)
    return f"{before}{_decimal(100 * float(x), 0, digits, language)}{after}"


@lru_cache(maxsize=32)
def _percent_signs(language: str) -> tuple[str, str]:
    """What stands before and after a percentage."""
    locale = _locale(language)
    before, after = _minus(str(format_percent(0, locale=locale)), language).split("0")
    return before, after


def _significant(x: float, digits: int) -> float:
    return float(f"{x:.{digits}g}")


def _decimal(x: float, least: int, most: int, language: str) -> str:
    # Not babel's format_decimal: twenty numbers a frame, while a point is dragged, would take it milliseconds.
    text = f"{x:,.{most}f}"
    whole, _, fraction = text.partition(".")
    kept = fraction[:least] + fraction[least:].rstrip("0")
    text = f"{whole}.{kept}" if kept else whole
    if text.strip("-0.,") == "":
        text = text.lstrip("-")  # never "−0.00"
    return text.translate(_signs(language))


@lru_cache(maxsize=32)
def _signs(language: str) -> dict[int, str]:
    """From Python's signs to the language's, as `str.translate` wants it."""
    locale = _locale(language)
    return {ord(","): get_group_symbol(locale), ord("."): get_decimal_symbol(locale), ord("-"): MINUS}


def _scientific(x: float | Decimal, digits: int, language: str) -> str:
    mantissa, exponent = f"{x:.{digits}e}".split("e")
    return f"{_decimal(float(mantissa), digits, digits, language)}e{str(int(exponent)).translate(_signs(language))}"
