"""What is shown, in a link: hide=edges,forces, pair=4-6, shares=log, diff=1-3, zoom=4-6, camera=30,20, forces=pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msviz.core.errors import MsvizError
from msviz.core.methods import Method
from msviz.data import Batch
from msviz.state.value import SHARES, Display, Selection

_PAIR: Final = re.compile(r"([0-9]{1,10})(?:-([0-9]{1,10}))?")
_CAMERA: Final = re.compile(r"(-?[0-9]{1,3}),(-?[0-9]{1,2})")
_SHOWN: Final = ("edges", "forces")  # the switches of Display, by the names that `hide` uses


def display_query(display: Display) -> dict[str, str]:
    """The query parameters of what is shown; what is as at first is left out.

    Example:
        >>> display_query(Display(forces=False, shares="log", versus=(1, 3)))
        {'shares': 'log', 'diff': '1-3', 'hide': 'forces'}
    """
    query, first = {}, Display()
    if display.selection is not None:
        anchor, other = display.selection.anchor, display.selection.other
        query["pair"] = f"{anchor}" if other is None else f"{anchor}-{other}"
    if display.shares != first.shares:
        query["shares"] = display.shares
    if display.versus != first.versus:
        query["diff"] = "{}-{}".format(*display.versus)
    if display.zoom is not None:
        query["zoom"] = "{}-{}".format(*display.zoom)
    if display.camera != first.camera:
        query["camera"] = "{},{}".format(*display.camera)
    if display.per_pair:
        query["forces"] = "pairs"
    hidden = [name for name in _SHOWN if not getattr(display, name)]
    return {**query, "hide": ",".join(hidden)} if hidden else query


def display_parts(
    query: Mapping[str, str], batch: Batch, others: tuple[Method, ...]
) -> Iterator[Callable[[Display], Display]]:
    """The parts of a link that say what is shown: each makes a display another one, or raises MsvizError error.link_*.

    Args:
        query: query parameters, from anybody.
        batch: the link's batch, where pairs are looked up.
        others: the link's compared methods, where the two of a difference are.
    """
    yield lambda display: display.replace(selection=_selection(query, batch))
    yield lambda display: _shares(query, display)
    yield lambda display: display.replace(versus=_versus(query, 1 + len(others)))
    yield lambda display: display.replace(zoom=_zoom(query, batch))
    yield lambda display: _hidden(query, display)
    yield lambda display: _camera(query, display)
    yield lambda display: display.replace(per_pair=_per_pair(query))


def _selection(query: Mapping[str, str], batch: Batch) -> Selection | None:
    text = query.get("pair")
    if text is None or text == "none":
        return None
    match = _PAIR.fullmatch(text)
    selection = None if match is None else Selection(int(match[1]), None if match[2] is None else int(match[2]))
    if selection is None or not selection.lies_in(batch):
        plain = (
            "The link selects the pair {got}, but expected are points of this batch, such as 4-6. Nothing is selected."
        )
        raise MsvizError("error.link_pair", plain, got=got(text))
    return selection


def _shares(query: Mapping[str, str], display: Display) -> Display:
    text = query.get("shares", display.shares)
    for known in SHARES:
        if text == known:
            return display.replace(shares=known)
    plain = "The link draws weights as {got}, but there are only {known}. Shown are shares."
    raise MsvizError("error.link_shares", plain, got=got(text), known=", ".join(SHARES))


def _versus(query: Mapping[str, str], count: int) -> tuple[int, int]:
    text = query.get("diff")
    if text is None:
        return Display().versus
    match = _PAIR.fullmatch(text)
    one, two = (int(match[1]), int(match[2] or 0)) if match else (0, 0)
    if one == two or not (1 <= one <= count and 1 <= two <= count):
        plain = "The link asks for the difference {got}, but expected are two of its {count} methods, such as 1-2."
        raise MsvizError("error.link_diff", plain, got=got(text), count=count)
    return one, two


def _zoom(query: Mapping[str, str], batch: Batch) -> tuple[int, int] | None:
    text = query.get("zoom")
    if text is None:
        return None
    match = _PAIR.fullmatch(text)
    zoom = (int(match[1]), int(match[2])) if match and match[2] else None
    if zoom is None or not set(zoom) <= set(batch.ids):
        plain = "The link shows the cells around the pair {got}, but there is none in this batch. All of it is shown."
        raise MsvizError("error.link_zoom", plain, got=got(text))
    return zoom


def _hidden(query: Mapping[str, str], display: Display) -> Display:
    names = [name for name in query.get("hide", "").split(",") if name]
    if not set(names) <= set(_SHOWN):
        plain = "The link hides {got}, but only {known} can be hidden. Nothing is hidden."
        raise MsvizError("error.link_hide", plain, got=got(query["hide"]), known=" and ".join(_SHOWN))
    return display.replace(edges="edges" not in names, forces="forces" not in names)


def _per_pair(query: Mapping[str, str]) -> bool:
    text = query.get("forces", "sum")
    if text not in ("sum", "pairs"):
        plain = "The link draws forces as {got}, but there are only sum and pairs. Shown is the sum."
        raise MsvizError("error.link_forces", plain, got=got(text))
    return text == "pairs"


def _camera(query: Mapping[str, str], display: Display) -> Display:
    text = query.get("camera")
    if text is None:
        return display
    match = _CAMERA.fullmatch(text)
    try:
        return display.replace(camera=(int(match[1]), int(match[2]))) if match else _no_camera(text)
    except ValueError:
        return _no_camera(text)


def _no_camera(text: str) -> Display:
    plain = "The link looks at the sphere from {got}, but expected are degrees such as 30,20. Shown is the usual view."
    raise MsvizError("error.link_camera", plain, got=got(text))


def got(text: str) -> str:
    """What came, for a sentence: short, and on one line."""
    shown = " ".join(text.split())
    return shown if len(shown) <= 40 else shown[:39] + "…"
