"""Similarities: S, P and N of every pair, Figure 2's three cases, and Table 1 measured anew."""

from msviz.ui.bench import bench
from msviz.ui.page import heading
from msviz.ui.strip import strip

heading("similarities")
strip("similarities")
bench("similarities")
