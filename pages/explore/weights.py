"""Weights: How much a pair weighs, why, and how that changes with its similarity and with every parameter."""

from msviz.ui.bench import bench
from msviz.ui.page import heading
from msviz.ui.strip import strip
from msviz.ui.weights import below

heading("weights")
strip("weights")
bench("weights")
below()
