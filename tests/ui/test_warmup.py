"""Before the first visitor comes, everything slow has happened."""

import gc
import sys
from collections.abc import Iterator

import pytest

from msviz.ui.warmup import warm_up


@pytest.fixture
def frozen() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("frozen")
def test_warming_up_loads_torch_and_scikit_learn_and_freezes_them() -> None:
    import torch

    before = gc.get_freeze_count()
    warm_up()
    assert torch.get_num_threads() == 1
    assert "sklearn.decomposition" in sys.modules
    assert gc.get_freeze_count() > before


@pytest.mark.usefixtures("frozen")
def test_warming_up_twice_does_no_harm() -> None:
    warm_up()
    warm_up()
