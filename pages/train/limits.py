"""Limits: Where the method is weak, measured on this machine."""

from msviz.ui.limits import limits
from msviz.ui.page import heading

heading("limits", beside=lambda: None)
limits()
