"""The trainer: draw a batch, weigh its pairs, let them move the network, keep what can be seen of it.

The criterion is `msviz.PairLoss`: the weights of a snapshot are those that moved the network.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int64

from msviz.core.class_mining import mine_classes
from msviz.core.errors import MsvizError, out_of_range
from msviz.core.methods import Method
from msviz.training.changes import Change as Change
from msviz.training.changes import changes_between
from msviz.training.config import TrainConfig, method_from_json, method_to_json
from msviz.training.learner import Learner
from msviz.training.probe import probe_rows
from msviz.training.processes import ALONE, Processes
from msviz.training.retrieval import Retrieval, retrieval
from msviz.training.sampler import PKSampler
from msviz.training.snapshot import Snapshot
from msviz.training.speed import Speed
from msviz.training.stopping import Stop, StopRules
from msviz.training.training_set import TrainingSet, split


class Trainer:
    """A run that is made step by step. One thread at a time may use it; many trainers may run side by side.

    Args:
        config: what is trained, and how.
        data: the items; None = those of `config.data`.
        group: the processes that share every batch; the same config, data and calls in each of them.

    Raises:
        MsvizError: of the source, the split, the sampler (too few classes or members), the model, the device. From
            `step` and `look`: error.training_not_finite when there never was a finite embedding.

    Attributes:
        config: what is trained, and how.
        data: the items.
        split: rows for training, validation and test.
        probe: [q] rows of the validation side whose embeddings are followed, in blocks by class.
        step_count: updates made.
        changes: what `set` has changed, in order.
        stop: why the run has ended; None while it goes on.

    Example:
        >>> from msviz.training.sources import Blobs
        >>> trainer = Trainer(TrainConfig(data=Blobs(), model="mlp", steps=30))
        >>> losses = [trainer.step().loss for _ in range(30)]
        >>> losses[-1] < losses[0], trainer.stop
        (True, <Stop.STEPS: 'steps'>)
    """

    def __init__(self, config: TrainConfig, data: TrainingSet | None = None, *, group: Processes = ALONE) -> None:
        self.config, self._group = config, group
        self.data = config.data.load() if data is None else data
        self.split = split(self.data, "none" if config.model == "points" else config.split, config.seed)
        self.probe = probe_rows(self.data.labels, self.split.val, config.probe_size, config.seed)
        labels, names = self.data.labels, self.data.names
        size = config.classes_per_batch, config.per_class
        self._sampler = PKSampler(labels, self.split.train, *size, config.seed, names, config.mine_classes)
        self._learner = Learner(config, self.data, group)
        self.changes: tuple[Change, ...]
        self.stop: Stop | None
        self._last: Snapshot | None  # of the last update: what is left to see when numbers become infinite
        self._begin()

    @property
    def model(self) -> Any:
        """The torch module that is trained."""
        return self._learner.model

    @property
    def method(self) -> Method:
        """The method of the next step (see `set`)."""
        return self._learner.method

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next step (see `set`)."""
        return self._learner.learning_rate

    def step(self, *, probe: bool = True) -> Snapshot:
        """Draw a batch, compute its loss and gradient, update the weights; or end the run and leave them as they are.

        Args:
            probe: embed the probe, too; a step without is quicker.

        Returns:
            What was before the update. Where numbers became infinite: the last snapshot in which they were not.

        Raises:
            MsvizError: error.training_stopped after the end.
        """
        if self.stop is not None:
            raise MsvizError(
                "error.training_stopped",
                "this run ended after {step} steps ({why}); rewind it, or begin another",
                step=self.step_count,
                why=self.stop.value,
            )
        every = self.config.evaluate_every
        drawn = self._sampler.state_dict()
        snapshot = self._snapshot(probe, evaluate=every > 0 and self.step_count % every == 0)
        self.stop = snapshot.stop or self._why_stop(snapshot)
        if self.stop is not None:
            self._sampler.load_state_dict(drawn)
            return dataclasses.replace(snapshot, stop=self.stop)
        self._last = snapshot
        self._update()
        return snapshot

    def look(self, *, probe: bool = True, evaluate: bool = False) -> Snapshot:
        """The next batch under the weights of now, without an update: what the next `step` will return.

        Args:
            probe: embed the probe, too.
            evaluate: measure retrieval on the validation side, too.
        """
        if self.stop is Stop.NOT_FINITE and self._last is not None:
            return dataclasses.replace(self._last, stop=self.stop)
        drawn = self._sampler.state_dict()
        snapshot = self._snapshot(probe, evaluate)
        self._sampler.load_state_dict(drawn)
        return dataclasses.replace(snapshot, stop=snapshot.stop or self.stop)

    def set(self, *, learning_rate: float | None = None, method: Method | None = None) -> None:
        """Change settings from the next step on, without a reset; each that differs goes into `changes`.

        Args:
            learning_rate: > 0 and <= 1000; None = as it is.
            method: loss, parameters and mining margin; None = as they are.

        Raises:
            MsvizError: error.parameter_range.
        """
        before = self.learning_rate, self.method
        if learning_rate is not None:
            checked = dataclasses.replace(self.config, learning_rate=learning_rate).learning_rate
            self._learner.set_learning_rate(checked)
        if method is not None:
            self._learner.set_method(method)
        self.changes += changes_between(self.step_count, before, (self.learning_rate, self.method))

    def evaluate(self, part: str = "val") -> Retrieval:
        """Retrieval under the weights of now.

        Args:
            part: "train", "val" or "test".
        """
        if part not in ("train", "val", "test"):
            raise out_of_range("part", "one of train, val, test", part)
        rows = getattr(self.split, part)
        self._finish_pretraining()  # in every process; what follows is done by the first
        return self._group.from_first(lambda: retrieval(self.embed(rows), self.data.labels[rows]))

    def embed(self, rows: Int64[np.ndarray, " n"]) -> Float[np.ndarray, "n d"]:
        """Embeddings under the weights of now, as the model gives them; float32 or float64.

        Args:
            rows: which items of the data.
        """
        self._finish_pretraining()
        return self._learner.embed(rows)

    def rewind(self) -> None:
        """Back to step 0: the same initial weights (after pre-training), the same batches, the config's settings."""
        self._learner.rewind()
        self._begin()

    def pretraining(self) -> Iterator[float]:
        """The losses of the steps before the run; iterate to the end. Who does not has them made by the first step."""
        if not self._learner.pretrained:
            yield from self._learner.pretraining(self.split.train)
            self._learner.rewind()

    def state_dict(self) -> dict[str, Any]:
        """All that a trainer of the same config and data needs to go on with identical numbers; a copy."""
        return {
            "learner": self._learner.state_dict(),
            "sampler": self._sampler.state_dict(),
            "step": self.step_count,
            "method": method_to_json(self.method),
            "changes": [dataclasses.astuple(change) for change in self.changes],
            "rules": dataclasses.asdict(self._rules),
            "stop": None if self.stop is None else self.stop.value,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where `state_dict` was taken.

        Args:
            state: of a trainer with the same config and data.
        """
        self._begin()
        self._learner.load_state_dict(state["learner"])
        self._learner.set_method(method_from_json(state["method"]))
        self._sampler.load_state_dict(state["sampler"])
        self.step_count = state["step"]
        self.changes = tuple(Change(*change) for change in state["changes"])
        self._rules = StopRules(**state["rules"])
        self.stop = None if state["stop"] in (None, Stop.STEPS.value) else Stop(state["stop"])
        self._stop_after_all_steps()  # the config may ask for more of them now

    def _begin(self) -> None:
        self._sampler.load_state_dict({"drawn": 0})
        self.step_count = 0
        self.changes, self.stop = (), None
        self._rules = StopRules(self.config.patience, self.config.target_recall)
        self._speed = Speed()
        self._last = None

    def _snapshot(self, probe: bool, evaluate: bool) -> Snapshot:
        """The next batch and its gradient; where anything is not finite the last snapshot, with that as its stop."""
        self._finish_pretraining()
        try:
            snapshot = self._measured(probe, evaluate)
            if snapshot.is_finite:
                return snapshot
        except MsvizError as problem:
            if problem.key not in ("error.not_finite", "error.overflow"):
                raise
        if self._last is None:
            raise MsvizError(
                "error.training_not_finite",
                "embeddings are infinite before the first update; look at the data, or pre-train more slowly",
            )
        return dataclasses.replace(self._last, stop=Stop.NOT_FINITE)

    def _measured(self, probe: bool, evaluate: bool) -> Snapshot:
        began = time.perf_counter()
        rows = self._sampler.draw(self._hardest if self.config.mine_classes else None)
        x, loss, norm = self._learner.gradient(rows)
        self._speed.spent(time.perf_counter() - began)
        return Snapshot(
            step=self.step_count,
            loss=loss,
            method=self.method,
            scheme=self.config.scheme,
            learning_rate=self.learning_rate,
            rows=rows,
            x=x,
            labels=self.data.labels[rows],
            probe_x=self.embed(self.probe) if probe and len(self.probe) else None,
            retrieval=self.evaluate() if evaluate else None,
            gradient_norm=norm,
            images_per_second=self._speed.per_second,
        )

    def _hardest(self, examples: Int64[np.ndarray, " e"], rng: np.random.Generator) -> Sequence[int]:
        """Which of the classes of some examples, two of each, are hardest for each other under the weights of now."""

        def mined() -> Sequence[int]:
            x = torch.from_numpy(self._learner.embed(examples))
            n, normalize = self.config.classes_per_batch, self.config.scheme.normalize
            return mine_classes(x, np.arange(len(examples)) // 2, n, rng, normalize=normalize).chosen

        # On a GPU the same weights need not give the same bits in every process: one of them decides.
        return self._group.from_first(mined)

    def _why_stop(self, snapshot: Snapshot) -> Stop | None:
        by_recall = self._rules.evaluated(snapshot.retrieval.recall[1]) if snapshot.retrieval else None
        return by_recall or self._rules.embedded(snapshot.x)

    def _update(self) -> None:
        began = time.perf_counter()
        self._learner.update()
        self._speed.spent(time.perf_counter() - began, items=self.config.batch_size)
        self.step_count += 1
        self._stop_after_all_steps()

    def _stop_after_all_steps(self) -> None:
        if self.stop is None and self.step_count >= self.config.steps:
            self.stop = Stop.STEPS

    def _finish_pretraining(self) -> None:
        for _ in self.pretraining():
            pass
