"""Small batches for the tests: points at angles, single anchors, random points from a seed."""

import torch
from torch import Tensor

from msviz.core.pairs import Pairs, label_pairs
from msviz.core.similarity import similarity


def on_circle(*degrees: float, dtype: torch.dtype = torch.float64) -> Tensor:
    """Unit rows at these angles."""
    angles = torch.tensor(degrees, dtype=torch.float64).deg2rad()
    return torch.stack([angles.cos(), angles.sin()], 1).to(dtype)


def one_anchor(pos: list[float], neg: list[float], dtype: torch.dtype = torch.float64) -> tuple[Tensor, Pairs]:
    """One row of similarities: first the positives, then the negatives."""
    sim = torch.tensor([[*pos, *neg]], dtype=dtype)
    is_pos = torch.arange(sim.shape[1])[None] < len(pos)
    return sim, Pairs(pos=is_pos, neg=~is_pos)


def random_batch(seed: int, m: int = 9, classes: int = 3, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Pairs]:
    """m random points on the sphere, with random labels and one class of a single point."""
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(m, 3, generator=rng, dtype=torch.float64)
    labels = torch.randint(classes, (m,), generator=rng)
    labels[0] = classes
    return similarity(x).to(dtype), label_pairs(labels)


def random_rows(seed: int, n: int, m: int) -> tuple[Tensor, Pairs]:
    """n anchors, m references, continuous similarities; every pair is a positive, a negative or ignored."""
    rng = torch.Generator().manual_seed(seed)
    sim = torch.rand(n, m, generator=rng, dtype=torch.float64) * 2 - 1
    kind = torch.randint(3, (n, m), generator=rng)
    return sim, Pairs(pos=kind == 0, neg=kind == 1)
