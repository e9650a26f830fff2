"""Small data and short runs for the tests of the trainer."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from msviz.core.npair import Pairing, members
from msviz.training.config import TrainConfig
from msviz.training.snapshot import Snapshot
from msviz.training.trainer import Trainer
from msviz.training.training_set import TrainingSet


def clusters(classes: int = 12, each: int = 10, dimensions: int = 6, seed: int = 0, scale: float = 1.0) -> TrainingSet:
    """Every class around its own centre, near enough to others that there is something to learn."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(classes), each)
    x = rng.normal(size=(classes, dimensions))[labels] + rng.normal(size=(len(labels), dimensions)) * 0.7
    return TrainingSet((x * scale).astype(np.float32), labels, tuple(f"class {c}" for c in range(classes)))


def small(**changes: Any) -> TrainConfig:
    """A run of little work: 4 classes x 3 items through an MLP of width 16, evaluated every 5 steps."""
    settings: dict[str, Any] = {"model": "mlp", "dimensions": 5, "width": 16, "learning_rate": 0.01, "steps": 40}
    settings |= {"classes_per_batch": 4, "per_class": 3, "evaluate_every": 5, "probe_size": 8}
    return TrainConfig(**{**settings, **changes})


def trainer(**changes: Any) -> Trainer:
    """A trainer of `small` on `clusters`."""
    return Trainer(small(**changes), clusters())


@st.composite
def batches(draw: st.DrawFn) -> dict[str, Any]:
    """The settings of a batch that fit together: its size, who meets whom in it, and by which similarity."""
    p, pairing = draw(st.integers(2, 511)), draw(st.sampled_from([kind.value for kind in Pairing]))
    negatives, similarity = draw(st.sampled_from([("batch", "cosine"), ("loop", "cosine"), ("batch", "dot")]))
    return {
        "classes_per_batch": p,
        "per_class": draw(st.integers(2, 512)) if pairing == "all" else members(pairing, p),
        "pairing": pairing,
        "mine_classes": draw(st.just(0) | st.integers(p, 512)),
        "negatives": negatives,
        "similarity": similarity,
        "norm_penalty": draw(st.floats(0, 1)) if similarity == "dot" else 0.0,
    }


def numbers(snapshot: Snapshot) -> tuple[Any, ...]:
    """All of a snapshot but how long it took, so that == is equality to the last bit."""
    probe = None if snapshot.probe_x is None else snapshot.probe_x.tobytes()
    return (
        *(snapshot.step, snapshot.loss, snapshot.method, snapshot.learning_rate, snapshot.rows.tobytes()),
        *(snapshot.x.tobytes(), snapshot.labels.tobytes(), probe, snapshot.retrieval, snapshot.gradient_norm),
        snapshot.stop,
    )


def curve(trainer: Trainer, steps: int = 12) -> list[tuple[Any, ...]]:
    """The numbers of the next steps."""
    return [numbers(trainer.step()) for _ in range(steps)]
