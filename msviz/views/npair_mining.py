"""Hard negative class mining on images, one greedy choice at a time: what each candidate violates, and who is taken."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float64, Int64

from msviz.core.class_mining import ClassMining, ClassStep, mine_classes
from msviz.core.similarity import similarity
from msviz.state.npair_lab import MOST_MINED, NPairLab
from msviz.text import Message, msg, number
from msviz.views.csv_text import csv_text
from msviz.views.npair_data import Pool, pool


@dataclass(frozen=True)
class Triplet:
    """The worst triplet that a class adds: places (class, image) in the pool, and its two similarities.

    Args:
        anchor, negative: places.
        positive: None with one example a class.
        s_an, s_ap: similarities to the anchor; s_ap None where there is no positive.
    """

    anchor: tuple[int, int]
    negative: tuple[int, int]
    positive: tuple[int, int] | None
    s_an: float
    s_ap: float | None


@dataclass(frozen=True, eq=False)
class MiningView:
    """Class mining as far as it is shown.

    Args:
        pool: the images.
        count: C, how many classes are candidates: the first of the pool.
        picks: [C, k] the images of each class that are its examples.
        mined: all choices, shown or not.
        reached: how many greedy choices are shown, 0..N-1.
        triplets: of each shown choice.
        words: a sentence for the start and one for each shown choice.
    """

    pool: Pool
    count: int
    picks: Int64[np.ndarray, "C k"]
    mined: ClassMining
    reached: int
    triplets: tuple[Triplet, ...]
    words: tuple[Message, ...]

    @property
    def last(self) -> int:
        """How many choices there are."""
        return len(self.mined.steps)

    @property
    def step(self) -> ClassStep | None:
        """The choice that is looked at: the last one shown."""
        return self.mined.steps[self.reached - 1] if self.reached else None

    @property
    def chosen(self) -> tuple[int, ...]:
        """The classes chosen so far, in order, as places in the pool."""
        return tuple(map(int, self.mined.chosen[: self.reached + 1]))


def candidates(mined: str) -> tuple[str, ...]:
    """The names of the classes among which hard ones are mined.

    Example:
        >>> candidates("digits")[:3], len(candidates("glyphs"))
        (('0', '1', '2'), 40)
    """
    return pool(mined).names[:MOST_MINED]


def mining_view(lab: NPairLab) -> MiningView:
    """What the lab's choices mine.

    Example:
        >>> view = mining_view(NPairLab(first=3, reached=2))
        >>> view.chosen[0], len(view.words)
        (3, 3)
    """
    return _view(lab.mined, lab.by, lab.examples, lab.picks, lab.first, lab.reached, lab.seed)


@lru_cache(maxsize=64)
def _view(name: str, by: str, examples: int, picks: int, first: int, reached: int, seed: int) -> MiningView:
    images, count = pool(name), len(candidates(name))
    rng = np.random.default_rng([seed, 2])
    drawn = np.stack([rng.choice(images.x.shape[1], examples, replace=False) for _ in range(count)])
    x = torch.from_numpy(images.x[np.arange(count)[:, None], drawn]).flatten(0, 1)
    n, start = min(picks, count), first if 0 <= first < count else None
    labels = np.repeat(np.arange(count), examples).tolist()
    found = mine_classes(x, labels, n, np.random.default_rng(seed), start, normalize=by == "cosine")
    shown = min(reached, len(found.steps))
    sim = similarity(x, normalize=by == "cosine").numpy()
    triplets = tuple(_triplet(step, sim, drawn) for step in found.steps[:shown])
    names = images.names
    key = "page.npair.mine.start.random" if start is None else "page.npair.mine.start.chosen"
    words = [msg(key, name=names[int(found.chosen[0])])]
    words += [_words(at, step, triplets[at - 1], names) for at, step in enumerate(found.steps[:shown], 1)]
    return MiningView(images, count, drawn, found, shown, triplets, tuple(words))


def _triplet(step: ClassStep, sim: Float64[np.ndarray, "m m"], drawn: Int64[np.ndarray, "C k"]) -> Triplet:
    def place(row: int) -> tuple[int, int]:
        of_class, example = divmod(row, drawn.shape[1])
        return of_class, int(drawn[of_class, example])

    positive = step.positive
    return Triplet(
        anchor=place(step.anchor),
        negative=place(step.negative),
        positive=None if positive is None else place(positive),
        s_an=float(sim[step.anchor, step.negative]),
        s_ap=None if positive is None else float(sim[step.anchor, positive]),
    )


def _words(at: int, step: ClassStep, triplet: Triplet, names: tuple[str, ...]) -> Message:
    said: dict[str, str | float] = {
        "step": at,
        "name": names[int(step.chosen)],
        "anchor": names[triplet.anchor[0]],
        "negative": names[triplet.negative[0]],
        "violation": step.violation,
        "s_an": triplet.s_an,
    }
    tied = len(step.ties) > 1
    if triplet.s_ap is None:
        return msg(f"page.npair.mine.one.{'tied' if tied else 'alone'}", ties=len(step.ties), **said)
    how = "tied" if tied else "violated" if step.violation > 0 else "rests"
    s_ap = number(triplet.s_ap)
    said["s_ap"] = s_ap if triplet.s_ap >= 0 else f"({s_ap})"
    return msg(f"page.npair.mine.two.{how}", ties=len(step.ties), **said)


def mining_csv(view: MiningView) -> str:
    """What every candidate violates at every choice; empty once it is chosen."""
    names = view.pool.names
    rows = (
        (at, names[c], "" if np.isnan(violation) else violation, int(c == int(step.chosen)))
        for at, step in enumerate(view.mined.steps, 1)
        for c, violation in enumerate(step.violations.tolist())
    )
    return csv_text(("step", "class", "violation", "chosen"), rows)
