"""Playground: drag a point and see which pairs the loss keeps, how much each weighs, which way each point is pushed."""

from msviz.ui.bench import bench
from msviz.ui.page import heading
from msviz.ui.strip import strip

heading("playground")
strip("playground")
bench("playground")
