"""How numbers are written."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msviz.text import number, percent, say


@pytest.mark.parametrize(
    ("x", "digits", "expected"),
    [
        (0.98, 2, "0.98"),
        (-0.5, 2, "−0.50"),
        (1.0, 2, "1.00"),
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (0.947, 3, "0.947"),
        (1.0858, 4, "1.0858"),
        (1234.5, 1, "1,234.5"),
        (2.5, 0, "2"),  # half to even, as everywhere in Python
    ],
)
def test_a_number_has_the_decimals_that_were_asked_for(x: float, digits: int, expected: str) -> None:
    assert number(x, digits) == expected


@pytest.mark.parametrize(
    ("x", "expected"),
    [(0.004, "0.004"), (-0.0043, "−0.0043"), (4.3e-9, "4.3e−9"), (-4.3e-9, "−4.3e−9"), (1.14e26, "1.1e26")],
)
def test_a_small_or_large_number_keeps_its_meaning(x: float, expected: str) -> None:
    assert number(x, 2) == expected


@pytest.mark.parametrize(
    ("x", "expected"), [(40.0, "40"), (0.1, "0.1"), (0.25, "0.25"), (-3.0, "−3"), (0.1 + 0.2, "0.3"), (1e-9, "1.0e−9")]
)
def test_without_digits_a_number_has_as_many_as_it_needs(x: float, expected: str) -> None:
    assert number(x, None) == expected


def test_whole_numbers_are_grouped_and_have_no_decimals() -> None:
    assert (number(40), number(3072), number(-1797)) == ("40", "3,072", "−1,797")


def test_numpy_numbers_are_written_like_pythons() -> None:
    assert (number(np.int64(40)), number(np.float32(0.5)), number(np.float64(-0.5))) == ("40", "0.50", "−0.50")
    assert say("error.label_range", high=np.int64(255), got=np.float32(-0.5)).endswith("to 255, got −0.5.")


def test_an_unknown_language_is_written_as_english() -> None:
    assert number(1234.5, 1, "../xx") == "1,234.5"
    assert percent(0.5, 1, "klingon") == "50%"


def test_what_is_no_number_has_a_sign_of_its_own() -> None:
    assert (number(math.nan), number(math.inf), number(-math.inf)) == ("–", "∞", "−∞")
    assert percent(math.nan) == "–"


def test_a_share_is_written_as_a_percentage() -> None:
    assert [percent(x) for x in (0.042, 1.0, 0.0, 0.97549)] == ["4.2%", "100%", "0%", "97.5%"]
    assert percent(0.97549, 0) == "98%"


def test_another_language_has_its_own_decimal_sign() -> None:
    assert number(-1234.5, 2, "de") == "−1.234,50"
    assert percent(0.042, 1, "de") == "4,2\u00a0%"


@given(st.floats(allow_nan=True, allow_infinity=True), st.none() | st.integers(0, 15))
def test_every_float_can_be_written_without_a_hyphen(x: float, digits: int | None) -> None:
    text = number(x, digits)
    assert text
    assert "-" not in text


@given(st.floats(-1e5, 1e5))
def test_two_decimals_read_back_within_half_a_step(x: float) -> None:
    assert float(number(x).replace("−", "-").replace(",", "")) == pytest.approx(x, abs=0.005 + 1e-9)


def test_whole_numbers_of_any_size_can_be_written() -> None:
    assert number(999_999_999_999_999) == "999,999,999,999,999"
    assert number(10**15) == "1.0e15"
    assert number(-(10**400), digits=None) == "−1.0e400"
