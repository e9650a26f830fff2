"""N-pair lab: many negatives at once, what they cost in embeddings, and how their classes are chosen."""

from msviz.ui.bench import bench
from msviz.ui.npair_below import below
from msviz.ui.page import heading

heading("npair")
bench("npair")
below()
