"""How compared methods look where several stand in one chart: a colour, a dash and a marker each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# 3:1 and more against the light and the dark page, and off the pull/push pair.
COLORS: Final = ("#2f8a86", "#9a62c8", "#8a7d1f", "#c2508f", "#5f8a3a", "#7d7f88")
DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "cross", "star", "x", "triangle-down", "pentagon")


@dataclass(frozen=True)
class MethodLook:
    """A colour, a plotly dash and a plotly marker; no two of the first twelve methods share dash and marker."""

    color: str
    dash: str
    symbol: str
    width: float


def method_look(at: int) -> MethodLook:
    """The look of the at-th method; 0 is the active one, which is drawn thicker.

    Example:
        >>> method_look(0).dash, method_look(1).dash
        ('solid', 'dash')
    """
    symbol = SYMBOLS[at % len(SYMBOLS)] + ("-open" if at else "")  # open: what lies below is seen, too
    return MethodLook(COLORS[at % 6], DASHES[at % 6], symbol, 3.5 if at == 0 else 2.0)
