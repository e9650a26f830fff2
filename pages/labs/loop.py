"""LoOp lab: the hardest negative between two pairs, which no batch contains."""

from msviz.ui.bench import bench
from msviz.ui.loop_lab import below, choices
from msviz.ui.page import heading
from msviz.ui.strip import strip

heading("loop")
strip("loop")
choices()
bench("loop")
below()
