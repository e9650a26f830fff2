"""Train: A real network under the method, every step with the weights that made it."""

from msviz.ui.page import heading
from msviz.ui.strip import strip
from msviz.ui.train import choices, stage

heading("train", beside=choices)
strip("train_board")
stage()
