"""Mining: Every anchor as a number line, the band of epsilon, and the reason for every pair."""

from msviz.ui.bench import bench
from msviz.ui.mining import below
from msviz.ui.page import heading
from msviz.ui.strip import strip

heading("mining")
strip("mining")
bench("mining")
below()
