"""Colours keep their promises: text and outlines can be read in both themes, and nothing looks like pull or push."""

import itertools
import re
from dataclasses import fields

import pytest

from msviz.figures.theme import (
    CLASS_COLORS,
    CLASS_SHAPES,
    DARK,
    LIGHT,
    Scheme,
    class_look,
    css_variables,
)

SCHEMES = pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
TEXTS = ("ink", "soft", "role_s", "role_p", "role_n", "good", "alarm", "focus")  # also graphics; text asks for more
GRAPHICS = ("ink", "pull", "push", "changed", "focus")
CLEAR = 20  # a distance in CIELAB that nobody overlooks; 2.3 is just noticeable


def _linear(color: str) -> tuple[float, float, float]:
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return red, green, blue


def _luminance(color: str) -> float:
    red, green, blue = _linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    """WCAG 2.2's contrast ratio, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(two)))
    return (high + 0.05) / (low + 0.05)


def distance(one: str, two: str) -> float:
    """The distance of two colours in CIELAB (1976), white point D65."""

    def lab(color: str) -> tuple[float, float, float]:
        r, g, b = _linear(color)
        xyz = (
            (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
            0.2126 * r + 0.7152 * g + 0.0722 * b,
            (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
        )
        x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
        return 116 * y - 16, 500 * (x - y), 200 * (y - z)

    return sum((a - b) ** 2 for a, b in zip(lab(one), lab(two), strict=True)) ** 0.5


def test_the_yardsticks_give_the_known_values() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # WCAG's well-known near miss
    assert distance("#000000", "#ffffff") == pytest.approx(100, abs=0.1)
    assert distance("#ff0000", "#00ff00") == pytest.approx(170.6, abs=0.5)


@SCHEMES
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("ground", ["paper", "panel"])
def test_text_can_be_read(scheme: Scheme, name: str, ground: str) -> None:
    assert contrast(getattr(scheme, name), getattr(scheme, ground)) >= 4.5


@SCHEMES
@pytest.mark.parametrize("name", GRAPHICS)
@pytest.mark.parametrize("ground", ["paper", "panel"])
def test_lines_and_outlines_stand_out(scheme: Scheme, name: str, ground: str) -> None:
    assert contrast(getattr(scheme, name), getattr(scheme, ground)) >= 3


@SCHEMES
@pytest.mark.parametrize("color", CLASS_COLORS)
def test_a_class_mark_stands_out_by_its_fill_or_its_outline(scheme: Scheme, color: str) -> None:
    assert max(contrast(color, scheme.paper), contrast(scheme.ink, scheme.paper)) >= 3
    # and where the outline is what stands out, fill and outline are not one blot
    assert contrast(color, scheme.paper) >= 3 or contrast(color, scheme.ink) >= 3


@SCHEMES
@pytest.mark.parametrize("color", CLASS_COLORS)
@pytest.mark.parametrize("weight", ["pull", "push"])
def test_no_class_looks_like_pull_or_push(scheme: Scheme, color: str, weight: str) -> None:
    assert distance(color, getattr(scheme, weight)) > CLEAR


@SCHEMES
@pytest.mark.parametrize("name", ["s_low", "s_mid", "s_high", "role_s", "role_p", "role_n", "focus", "good"])
@pytest.mark.parametrize("weight", ["pull", "push"])
def test_nothing_else_looks_like_pull_or_push(scheme: Scheme, name: str, weight: str) -> None:
    assert distance(getattr(scheme, name), getattr(scheme, weight)) > CLEAR


@SCHEMES
def test_pull_and_push_are_far_apart_and_the_same_in_both_themes(scheme: Scheme) -> None:
    assert distance(scheme.pull, scheme.push) > 5 * CLEAR
    assert (scheme.pull, scheme.push) == ("#0072b2", "#d55e00")  # Okabe and Ito


@SCHEMES
def test_s_gets_steadily_farther_from_the_page(scheme: Scheme) -> None:
    away = [contrast(color, scheme.paper) for color in (scheme.s_low, scheme.s_mid, scheme.s_high)]
    assert away == sorted(away)
    assert away[0] < 1.2  # S = -1 recedes
    assert away[2] > 4.5


@SCHEMES
def test_the_roles_of_an_equation_can_be_told_apart(scheme: Scheme) -> None:
    for one, two in itertools.combinations((scheme.role_s, scheme.role_p, scheme.role_n), 2):
        assert distance(one, two) > 2 * CLEAR


def test_classes_can_be_told_apart_by_colour_and_by_shape() -> None:
    for one, two in itertools.combinations(CLASS_COLORS, 2):
        assert distance(one, two) > CLEAR
    assert len(set(CLASS_SHAPES)) == len(CLASS_SHAPES) == len(CLASS_COLORS) == 8


def test_the_first_sixty_four_classes_all_look_different() -> None:
    assert len({class_look(label) for label in range(64)}) == 64
    assert len({class_look(label).shape for label in range(8)}) == 8


def test_every_class_has_a_look() -> None:
    for label in range(256):
        look = class_look(label)
        assert 0 <= look.color < 8
        assert look.shape in CLASS_SHAPES


def test_every_colour_is_a_hex_code_that_css_gets_under_its_name() -> None:
    light, dark = css_variables(".x").splitlines()
    assert light.startswith(".x{")
    assert dark.startswith('.x[data-scheme="dark"]{')
    for scheme, rule in ((LIGHT, light), (DARK, dark)):
        for field in fields(Scheme):
            color = getattr(scheme, field.name)
            assert re.fullmatch("#[0-9a-f]{6}", color), field.name
            assert f"--{field.name.replace('_', '-')}:{color};" in rule
    for index, color in enumerate(CLASS_COLORS):
        assert f"--class-{index}:{color};" in light
