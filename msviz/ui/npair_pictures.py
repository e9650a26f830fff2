"""The images of class mining as html: the classes chosen so far, and the worst triplet of the last choice."""

from __future__ import annotations

import html
from typing import Any, Final

from msviz.text import number, say
from msviz.views.npair_data import png
from msviz.views.npair_mining import MiningView, Triplet

_STYLE: Final = """<style>
.msviz-mined { font-size: .9375rem; }
.msviz-mined :is(h4, p) { margin: .2rem 0; font-size: 1rem; font-weight: 600; padding: 0; }
.msviz-mined figure { margin: 0; text-align: center; font-size: .875rem; }
.msviz-mined img { image-rendering: pixelated; display: block; border: 1px solid #7d7f88; background: #fff; }
.msviz-mined .worst { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin-bottom: .8rem; }
.msviz-mined .worst img { width: 5rem; height: 5rem; }
.msviz-mined .worst figcaption b { display: block; }
.msviz-mined .between { font-variant-numeric: tabular-nums; text-align: center; white-space: nowrap; }
.msviz-mined ol { list-style: none; display: flex; flex-wrap: wrap; gap: .5rem; margin: .2rem 0 .8rem; padding: 0; }
.msviz-mined ol img { width: 2.6rem; height: 2.6rem; }
.msviz-mined ol .pair { display: flex; gap: 2px; justify-content: center; margin-bottom: 4px; }
.msviz-mined ol .last { outline: 3px solid currentColor; outline-offset: 2px; }
.msviz-mined .log { display: block; } .msviz-mined .log li { margin: .15rem 0; }
</style>"""


def mining_html(view: MiningView, words: list[str]) -> str:
    """The pictures of what is shown; every word in them is escaped.

    Args:
        view: the choices.
        words: a sentence for the start and each choice shown.
    """
    worst = _worst(view, view.triplets[-1]) if view.triplets else ""
    classes = "".join(_class(view, at, place) for at, place in enumerate(view.chosen))
    log = "".join(f"<li>{html.escape(line)}</li>" for line in words)
    return (
        f"{_STYLE}<div class='msviz-mined'>{worst}"
        f"<p>{_say('page.npair.mine.chosen', count=len(view.chosen), n=view.last + 1)}</p><ol>{classes}</ol>"
        f"<p>{_say('page.npair.mine.log')}</p><ol class='log'>{log}</ol></div>"
    )


def _worst(view: MiningView, triplet: Triplet) -> str:
    parts = [_figure(view, "anchor", triplet.anchor), _between("an", triplet.s_an)]
    parts.append(_figure(view, "negative", triplet.negative))
    if triplet.positive is not None and triplet.s_ap is not None:
        parts = [_figure(view, "positive", triplet.positive), _between("ap", triplet.s_ap), *parts]
    title = _say("page.npair.mine.worst" if triplet.positive else "page.npair.mine.closest")
    return f"<p>{title}</p><div class='worst'>{''.join(parts)}</div>"


def _figure(view: MiningView, role: str, place: tuple[int, int]) -> str:
    of_class, image = place
    name, word = html.escape(view.pool.names[of_class]), _say(f"page.npair.mine.{role}")
    source = png(view.pool.images[of_class, image])
    return f"<figure><img src='{source}' alt='{word}, {name}'><figcaption><b>{word}</b> {name}</figcaption></figure>"


def _between(pair: str, value: float) -> str:
    return f"<span class='between'>S<sub>{pair}</sub><br>{number(value)}</span>"


def _class(view: MiningView, at: int, of_class: int) -> str:
    name = html.escape(view.pool.names[of_class])
    images = "".join(
        f"<img src='{png(view.pool.images[of_class, image])}' alt='{_say('page.npair.mine.example', name=name)}'>"
        for image in view.picks[of_class].tolist()
    )
    last = " last" if at and at == len(view.chosen) - 1 else ""
    word = _say("page.npair.mine.nth", step=at, name=name) if at else _say("page.npair.mine.zeroth", name=name)
    return f"<li><figure><span class='pair{last}'>{images}</span><figcaption>{word}</figcaption></figure></li>"


def _say(key: str, **values: Any) -> str:
    return html.escape(say(key, **values))
