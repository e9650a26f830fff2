"""A trained network for the tests of the limits, trained once a process."""

from functools import cache

import numpy as np

from msviz.training.limits import Checkpoint, checkpoint


@cache
def network() -> Checkpoint:
    """A small network after 300 steps on glyphs."""
    return checkpoint(steps=300, seed=0)


def circle(*classes: tuple[float, ...]) -> Checkpoint:
    """Points on the unit circle by their angles in degrees, class by class."""
    angle = np.radians([angle for of_class in classes for angle in of_class])
    labels = np.repeat(np.arange(len(classes)), [len(of_class) for of_class in classes])
    return Checkpoint(np.stack([np.cos(angle), np.sin(angle)], axis=1), labels)
