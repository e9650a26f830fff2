"""Loads and runs everything slow once, before the first visitor comes."""

from __future__ import annotations

import gc
import os


def warm_up() -> None:
    """Import torch and scikit-learn, draw one picture, make a step; then freeze all of it out of the garbage collector.

    One thread for torch: matrices of a class are small, and many visitors share the cores.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import torch

    torch.set_num_threads(1)
    from msviz.data.datasets import digits_batch
    from msviz.ui.engines import Engine
    from msviz.ui.frames import frame
    from msviz.ui.setups import FIRST, SETUPS

    frame(b'{"query": "", "events": []}')
    digits_batch([3, 8, 9], per_class=2, seed=0)
    Engine(SETUPS[FIRST]()).step(probe=True)  # torch's optimisers and scikit-learn's clusters take seconds to load
    gc.collect()
    gc.freeze()
