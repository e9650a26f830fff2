"""The colours and marker shapes of every picture, for the light and the dark theme.

Blue pulls and vermilion pushes, and nothing else is blue or vermilion: classes, S and the controls keep off that pair.
Zero weight is the background. Class fills may be pale, since every mark has an outline in the ink colour.
Palettes: Okabe and Ito (pull, push), Paul Tol's "muted" (classes).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

CLASS_COLORS: Final = ("#aa4499", "#ddaa33", "#117733", "#88ccee", "#882255", "#44aa99", "#999933", "#bbbbbb")
GREY: Final = "#7d7f88"  # in charts, which are drawn once for both themes: 3:1 against either page
TRANSPARENT: Final = {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)"}  # a chart on the page's colour
# Under the chart, a line of it from the left:
LEGEND: Final = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left"}
CLASS_SHAPES: Final = ("circle", "triangle", "square", "diamond", "plus", "wedge", "hexagon", "star")


@dataclass(frozen=True)
class Look:
    """How a class looks: an index into CLASS_COLORS and the name of a marker shape."""

    color: int
    shape: str


def class_look(label: int) -> Look:
    """The look of a class, 0..255: eight colours with a shape each, then the same colours with the next shape.

    Example:
        >>> class_look(0), class_look(8)
        (Look(color=0, shape='circle'), Look(color=0, shape='triangle'))
    """
    return Look(label % 8, CLASS_SHAPES[(label + label // 8) % 8])


@dataclass(frozen=True)
class Scheme:
    """One theme's colours, each a six-digit hex code; the field names are the CSS variables (s_low: ``--s-low``)."""

    paper: str  # the page, and weight zero
    ink: str  # outlines and text
    soft: str  # captions, glyphs of blank cells
    line: str  # hairlines
    panel: str  # raised areas
    pale: str  # ground of a dropped pair
    hatch: str  # its dots, and the band of epsilon
    pull: str
    push: str
    s_low: str  # S = -1
    s_mid: str
    s_high: str  # S = 1
    p_low: str  # P far below 0: an easy pair
    p_high: str  # P far above 0: a pair beyond the other kind's hardest
    n_high: str  # N = 1: no rival comes near
    d_low: str  # a difference of two methods: the second gives more
    d_high: str  # the first gives more
    role_s: str  # in equations: similarity S, the pair itself
    role_p: str  # similarity P, the pair against the other kind
    role_n: str  # similarity N, the pair among its own kind
    changed: str  # outline of cells that the last gesture changed
    focus: str  # keyboard focus
    good: str  # the proof line
    alarm: str  # refused input


LIGHT: Final = Scheme(
    paper="#ffffff",
    ink="#1c1f24",
    soft="#5b626d",
    line="#c9ced6",
    panel="#f4f6f8",
    pale="#f1f2f4",
    hatch="#a9b0ba",
    pull="#0072b2",
    push="#d55e00",
    s_low="#f6f5ee",
    s_mid="#a9b3b5",
    s_high="#264653",
    p_low="#8a94a3",
    p_high="#5b2a86",
    n_high="#6b4f00",
    d_low="#1b7837",
    d_high="#762a83",
    role_s="#0f766e",
    role_p="#7b3fa0",
    role_n="#7a5c00",
    changed="#1c1f24",
    focus="#8a2be2",
    good="#1b7a34",
    alarm="#b3261e",
)
DARK: Final = Scheme(
    paper="#0f1218",
    ink="#e8eaed",
    soft="#a3abb8",
    line="#3a414d",
    panel="#171b23",
    pale="#191e27",
    hatch="#5a6473",
    pull="#0072b2",
    push="#d55e00",
    s_low="#161b26",
    s_mid="#45645f",
    s_high="#93d0bd",
    p_low="#5a6473",
    p_high="#c79cf2",
    n_high="#e8b04a",
    d_low="#4fb06a",
    d_high="#c58fd6",
    role_s="#6fd3c7",
    role_p="#cda6f0",
    role_n="#ffa657",
    changed="#e8eaed",
    focus="#c9a2ff",
    good="#6cc986",
    alarm="#ff8a80",
)


def css_variables(selector: str) -> str:
    """CSS that gives an element our colours as variables; ``data-scheme="dark"`` on it switches to the dark ones.

    Args:
        selector: CSS selector of the element, such as ".msviz".

    Example:
        >>> css_variables(".msviz").splitlines()[0][:38]
        '.msviz{--paper:#ffffff;--ink:#1c1f24;-'
    """
    classes = "".join(f"--class-{index}:{color};" for index, color in enumerate(CLASS_COLORS))
    rules = [f"{selector}{{{_variables(LIGHT)}{classes}}}", f'{selector}[data-scheme="dark"]{{{_variables(DARK)}}}']
    return "\n".join(rules)


def _variables(scheme: Scheme) -> str:
    return "".join(f"--{field.name.replace('_', '-')}:{getattr(scheme, field.name)};" for field in fields(scheme))
