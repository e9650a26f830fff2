"""Similarities: S, P and N of every pair, Figure 2's three cases, and Table 1 measured anew."""

from msviz.ui.bench import bench
from msviz.ui.page import heading
from msviz.ui.similarities import below
from msviz.ui.strip import strip
from msviz.ui.table1 import table

heading("similarities")
strip("similarities")
bench("similarities")
below()
table()
