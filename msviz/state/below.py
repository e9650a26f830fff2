"""What single pages show besides, in a link. Similarities: case=1n, row=pair, watch=active,triplet, table1=3.

The N-pair lab: tuplets=triplets, n=3, weigh=triplet, margin=0.2, penalty=0.1, filled=glyphs, mined=glyphs, by=cosine,
examples=1, picks=8, first=3, reached=2, seed=5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from msviz.core.errors import MsvizError
from msviz.state.figure2 import MOST, SLUGS, STEPS, WHOSE, Watched
from msviz.state.npair_lab import CHOICES, NUMBERS, NPairLab
from msviz.state.shown import got
from msviz.state.value import MOST_SEED, Display

_WHOLE: Final = re.compile(r"[0-9]{1,6}")


def below_query(display: Display) -> dict[str, str]:
    """The query parameters of Figure 2, of Table 1's seed, and of the N-pair lab; what is as at first is left out.

    Example:
        >>> below_query(Display(figure2=Watched(whose="pair", methods=()), table1_seed=3))
        {'row': 'pair', 'watch': 'none', 'table1': '3'}
    """
    now, first = _written(display), _written(Display())
    return {name: text for name, text in now.items() if text != first[name]}


def _written(display: Display) -> dict[str, str]:
    watched = display.figure2
    return {
        "case": SLUGS[watched.case],
        "row": watched.whose,
        "watch": ",".join(watched.methods) or "none",
        "step": str(watched.step),
        "table1": str(display.table1_seed),
        **{name: str(value) for name, value in vars(display.npair).items()},
    }


def below_parts(query: Mapping[str, str]) -> Iterator[Callable[[Display], Display]]:
    """The parts of a link that say it: each makes a display another one, or raises MsvizError error.link_*.

    Args:
        query: query parameters, from anybody.
    """
    for part in (_case, _row, _watch, _step):
        yield partial(_figure2, part, query)
    yield lambda display: display.replace(table1_seed=_table1(query))
    for name in vars(NPairLab()):
        if name in query:
            yield partial(_npair, name, query[name])


def _figure2(
    part: Callable[[Mapping[str, str], Watched], Watched], query: Mapping[str, str], display: Display
) -> Display:
    return display.replace(figure2=part(query, display.figure2))


def _case(query: Mapping[str, str], watched: Watched) -> Watched:
    text = query.get("case", SLUGS[watched.case])
    for case, slug in SLUGS.items():
        if text == slug:
            return watched.replace(case=case)
    plain = "The link asks for case {got} of Figure 2, but there are only {known}. Shown is case {shown}."
    known, shown = ", ".join(SLUGS.values()), SLUGS[watched.case]
    raise MsvizError("error.link_case", plain, got=got(text), known=known, shown=shown)


def _row(query: Mapping[str, str], watched: Watched) -> Watched:
    text = query.get("row", watched.whose)
    for whose in WHOSE:
        if text == whose:
            return watched.replace(whose=whose)
    plain = "The link asks for the row {got} under Figure 2, but there are only {known}. Shown is the example."
    raise MsvizError("error.link_row", plain, got=got(text), known=", ".join(WHOSE))


def _watch(query: Mapping[str, str], watched: Watched) -> Watched:
    text = query.get("watch")
    if text is None:
        return watched
    try:
        return watched.replace(methods=() if text == "none" else tuple(text.split(",")))
    except ValueError as error:
        plain = (
            "The link watches {got} under Figure 2, but expected are at most {limit} different methods such as "
            "active,triplet. The usual ones are shown instead."
        )
        raise MsvizError("error.link_watch", plain, got=got(text), limit=MOST) from error


def _step(query: Mapping[str, str], watched: Watched) -> Watched:
    text = query.get("step", "0")
    if _WHOLE.fullmatch(text) and int(text) < STEPS:
        return watched.replace(step=int(text))
    plain = "The link puts Figure 2 at position {got}, but expected is a whole number from 0 to {last}. It stands at 0."
    raise MsvizError("error.link_step", plain, got=got(text), last=STEPS - 1)


def _table1(query: Mapping[str, str]) -> int:
    text = query.get("table1", "0")
    if _WHOLE.fullmatch(text):
        return int(text)
    plain = "The link measures Table 1 with seed {got}, but expected is a whole number from 0 to {most}. The seed is 0."
    raise MsvizError("error.link_table1", plain, got=got(text), most=str(MOST_SEED))


def _npair(name: str, text: str, display: Display) -> Display:
    try:
        return display.replace(npair=display.npair.replace(**{name: float(text) if name in NUMBERS else text}))
    except ValueError as error:  # MsvizError among them
        expected = NUMBERS[name].bounds if name in NUMBERS else ", ".join(CHOICES[name])
        plain = "The link sets {name} of the N-pair lab to {got}, but expected is {expected}. It stays {shown}."
        values = {"got": got(text), "expected": expected, "shown": str(getattr(display.npair, name))}
        raise MsvizError("error.link_npair", plain, name=name, **values) from error
