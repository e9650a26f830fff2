"""Hand-made batches, each built to show one thing. Angles are degrees on the circle, counter-clockwise from the right;
on the sphere longitude and latitude.

What a preset's text (catalogue key ``preset.<slug>.text``) says will happen is checked in tests/data by doing it. The
numbers beside the presets hold for the method "authors": multi_similarity, alpha 2, beta 40, lambda .5, epsilon .1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Final

import numpy as np

from msviz.data.batch import Batch
from msviz.data.source import Source


@dataclass(frozen=True)
class Preset:
    """One hand-made batch.

    Args:
        slug: its name in links and in `PRESETS`.
        angles: one a point, degrees.
        labels: one a point, 0 = A.
        latitudes: for a batch on the sphere one a point, degrees; its angles are longitudes. None on the circle.
        pair: ids (anchor, other) that its text speaks of, selected when it is chosen; None where it names none.

    Example:
        >>> PRESETS["overlapping"].make().m
        14
    """

    slug: str
    angles: tuple[float, ...] = field(repr=False)
    labels: tuple[int, ...] = field(repr=False)
    pair: tuple[int, int] | None = None
    latitudes: tuple[float, ...] | None = field(default=None, repr=False)

    @property
    def title_key(self) -> str:
        """Catalogue key of the name in the menu."""
        return f"preset.{self.slug}.title"

    @property
    def text_key(self) -> str:
        """Catalogue key of what there is to see and to do."""
        return f"preset.{self.slug}.text"

    def make(self) -> Batch:
        """The batch; the same object each time (batches never change)."""
        return _make(self)


@cache
def _make(preset: Preset) -> Batch:
    angle = np.radians(preset.angles)
    board = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if preset.latitudes is not None:
        latitude = np.radians(preset.latitudes)[:, None]
        board = np.hstack([board * np.cos(latitude), np.sin(latitude)])
    return Batch.of(board, preset.labels, source=Source("preset", preset.slug))


def _preset(slug: str, pair: tuple[int, int] | None = None, **classes: tuple[float, ...]) -> Preset:
    """A preset from its classes: A=(angles of class A), B=(...)."""
    angles = tuple(angle for of_class in classes.values() for angle in of_class)
    labels = tuple(ord(name) - ord("A") for name, of_class in classes.items() for _ in of_class)
    return Preset(slug, angles, labels, pair)


def _around(centres: tuple[float, ...], per_class: int, spread: float, seed: int) -> dict[str, tuple[float, ...]]:
    rng = np.random.RandomState(seed)  # its stream is frozen for good, default_rng's is not: links name this preset
    return {
        chr(65 + label): tuple(np.sort(rng.normal(centre, spread, per_class)).round(1).tolist())
        for label, centre in enumerate(centres)
    }


def _sphere(slug: str, pair: tuple[int, int] | None = None, **classes: tuple[tuple[float, float], ...]) -> Preset:
    """A preset on the sphere: A=((longitude, latitude), ...), B=(...)."""
    points = [point for of_class in classes.values() for point in of_class]
    labels = tuple(ord(name) - ord("A") for name, of_class in classes.items() for _ in of_class)
    longitudes, latitudes = zip(*points, strict=True)
    return Preset(slug, longitudes, labels, pair, latitudes)


def _caps(
    centres: tuple[tuple[float, float], ...], per_class: int, spread: float, seed: int
) -> dict[str, tuple[tuple[float, float], ...]]:
    """Points around centres (longitude, latitude) on the sphere: a normal deviate in space, brought to length 1."""
    rng = np.random.RandomState(seed)
    found = {}
    for label, (longitude, latitude) in enumerate(np.radians(centres)):
        centre = [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
        x, y, z = (rng.normal(0, spread, (per_class, 3)) + centre).T
        angles = np.degrees([np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))]).round(1).T
        found[chr(65 + label)] = tuple((float(east), float(north)) for east, north in angles)
    return found


_ALL = (
    # Three classes of 5, 5 and 4. 42 of 52 positive and 37 of 130 negative pairs are mined. Point 5 (B) lies among the
    # As, point 4 (A) reaches towards the Bs, and point 9 (B) has strayed into the middle of C.
    _preset("overlapping", (4, 6), A=(8, 22, 35, 47, 84), B=(58, 95, 112, 128, 196), C=(185, 204, 228, 246)),
    # The least similar positives have S = .79, the most similar negatives -.79: no pair comes within epsilon.
    _preset("two_clean", A=(20, 32, 45, 58), B=(200, 212, 225, 238)),
    # Figure 2, case 1. Dragging anchor 0 from 0 to 60 degrees raises every S_0j by 2 sin(30) sin(angle_j - 30), the
    # whole row by .98 to 1. On a circle only two directions have the same rise, here 110 and 130: P of pair 0-2 comes
    # back to where it was exactly, N nearly, as its rival stands at 120.
    _preset("figure2_s", (0, 2), A=(0, 130), B=(110, 120)),
    # Figure 2, case 2. Pair 0-2 has S = .87. Its rival 3 is not even mined at first (S = .17 against .5 - .1).
    _preset("figure2_n", (0, 2), A=(0, -60), B=(30, 80, 100)),
    # Figure 2, case 3. Pair 0-3 has S = .72, its rival 4 S = .67: dragging positive 2 nearer drops first 4, then 3.
    # On opposite sides, as two points four degrees apart cannot be told apart.
    _preset("figure2_p", (0, 3), A=(0, 15, -85), B=(44, -48)),
    # Two classes, both narrower than the gap between them, but point 4, in the middle of A, says B.
    _preset("wrong_label", A=(20, 34, 52, 66), B=(43, 165, 180, 195, 210)),
    # Point 8 has no partner: as an anchor it keeps nothing, as a negative it is the only one that is mined.
    _preset("singleton", A=(5, 20, 35, 60), B=(150, 165, 180, 200), C=(105,)),
    _preset("empty"),
    _preset("one_point", A=(90,)),
    _preset("one_class", A=(15, 40, 80, 110, 150)),
    _preset("sixty_four", None, **_around((45, 135, 225, 315), per_class=16, spread=22, seed=64)),
    # Along the equator A, then C, then B; point 5 (B) lies among the As. The Cs, between it and the other Bs, reach
    # from 28 degrees south to 14 north: on a circle it would have to go through them, here there is a way round.
    _sphere(
        "sphere_overlapping",
        (5, 3),
        A=((-30, 8), (-18, -14), (-8, 16), (2, -6), (12, 30)),
        B=((6, 8), (78, 10), (88, -12), (96, 22), (108, 2)),
        C=((38, -10), (44, 14), (52, -2), (48, -28), (62, 12)),
    ),
    _sphere("sphere_sixty_four", None, **_caps(((0, 25), (90, -25), (180, 25), (270, -25)), 16, spread=0.35, seed=1)),
)

PRESETS: Final = MappingProxyType({preset.slug: preset for preset in _ALL})
DEFAULT_PRESET: Final = "overlapping"
