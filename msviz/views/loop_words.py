"""What the LoOp lab says of two pairs, in words: which case, what holds it back, how much harder it is."""

from __future__ import annotations

import math
from typing import Final

from msviz.text import Message, msg
from msviz.views.change import NOTICEABLE
from msviz.views.loop_four import ENDS, FourView

BOUNDS: Final = ("a ≥ 0", "a ≤ A", "b ≥ 0", "b ≤ B")
"""The bounds of the box, in the order of the multipliers."""


def pairs_words(view: FourView, names: tuple[str, str]) -> Message:
    """Which two pairs these are, and how others are chosen.

    Args:
        view: the two pairs.
        names: what their classes are called.
    """
    ids = dict(zip(ENDS, view.ids, strict=True))
    key = "page.loop.pairs.chosen" if view.chosen else "page.loop.pairs.first"
    return msg(key, **ids, one=names[0], two=names[1])


def case_title(view: FourView) -> Message:
    """The region of the box that holds the solution, and where the two points stand."""
    return msg(f"page.loop.case.{view.case.replace('-', '_')}")


def case_words(view: FourView) -> tuple[Message, ...]:
    """What there is to know of this case: arcs that touch, are points or not unique, and what the space allows."""
    said = [msg("page.loop.touching")] if view.touching else []
    for arc, (one, two) in enumerate((("x1", "x2"), ("y1", "y2"))):
        if view.antipodal[arc]:
            said.append(msg("page.loop.antipodal", one=one, two=two))
        elif view.point[arc]:
            alone = view.ids[2 * arc] == view.ids[2 * arc + 1]
            said.append(msg("page.loop.alone" if alone else "page.loop.point", one=one, two=two, id=view.ids[2 * arc]))
    said.append(msg(f"page.loop.space.{min(view.dimensions, 4)}"))
    if view.picture:
        said.append(msg("page.loop.picture", d=view.dimensions))
    return tuple(said)


def multiplier_words(view: FourView) -> Message:
    """What the multipliers say."""
    held = [BOUNDS[k] for k in range(4) if view.multipliers[k] > NOTICEABLE]
    if held:
        return msg("page.loop.held.one" if len(held) == 1 else "page.loop.held.two", bound=held[0], other=held[-1])
    if view.touching:
        return msg("page.loop.held.touching")
    if all(single or opposite for single, opposite in zip(view.point, view.antipodal, strict=True)):
        return msg("page.loop.held.ends")
    return msg("page.loop.held.none" if view.case == "inside" else "page.loop.held.free")


def gain_words(view: FourView) -> tuple[Message, Message]:
    """How much harder p1 and p2 are than the nearest of the four pairs, and than the batch's hardest negative."""
    nearest, hardest = view.nearest, view.hardest
    gain, beyond = view.similarity - nearest.similarity, view.similarity - hardest.similarity
    one = msg(
        "page.loop.gain.four" if gain > NOTICEABLE else "page.loop.gain.four.none",
        one=nearest.one,
        two=nearest.two,
        s=nearest.similarity,
        gain=gain,
    )
    assert hardest.ids is not None
    key = "harder" if beyond > NOTICEABLE else "easier" if beyond < -NOTICEABLE else "same"
    anchor, other = hardest.ids
    return one, msg(f"page.loop.gain.batch.{key}", anchor=anchor, other=other, s=hardest.similarity, by=abs(beyond))


def solution_words(view: FourView) -> Message:
    """The solution in one sentence, for whoever does not see the picture."""
    a, b, of_x, of_y = (math.degrees(angle) for angle in (view.a, view.b, *view.lengths))
    return msg("page.loop.solution", a=a, b=b, of_x=of_x, of_y=of_y, f=-view.similarity)
