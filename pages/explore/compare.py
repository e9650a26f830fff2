"""Compare: Up to twelve methods on one batch."""

from msviz.ui.bench import bench
from msviz.ui.compare import below
from msviz.ui.page import heading
from msviz.ui.strip import strip

heading("compare")
strip("compare")
bench("compare")
below()
