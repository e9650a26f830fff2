"""Ablation: Is using S, P and N together better? The paper's eight rows, trained again."""

from msviz.ui.ablation import ablation
from msviz.ui.page import heading

heading("ablation", beside=lambda: None)
ablation()
