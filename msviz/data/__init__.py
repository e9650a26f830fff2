"""Batches of points: the hand-made presets and samples of scikit-learn's digits.

scikit-learn is loaded by the functions that need it, so that importing this package stays light.
"""

from msviz.data.batch import MAX_POINTS, Batch
from msviz.data.datasets import digit_images, digits_batch
from msviz.data.grid import GRID, snap
from msviz.data.presets import PRESETS, Preset
from msviz.data.source import Source
from msviz.data.titles import batch_title

__all__ = [
    "GRID",
    "MAX_POINTS",
    "PRESETS",
    "Batch",
    "Preset",
    "Source",
    "batch_title",
    "digit_images",
    "digits_batch",
    "snap",
]
