"""Several processes that train together, against one process that draws the same batches.

They start once, on gloo, and run every case; the tests compare what each of them wrote down with what one process gets.
"""

import os
import pickle
from collections.abc import Callable
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist

from msviz import Method, MsvizError
from msviz.training.processes import ALONE, Processes
from msviz.training.snapshot import Snapshot
from msviz.training.stopping import Stop
from msviz.training.trainer import Trainer
from msviz.training.training_set import TrainingSet
from tests.ranks import SECONDS, in_ranks
from tests.training.runs import clusters, numbers, small

EXACT: dict[str, Any] = {"precision": "float64", "device": "cpu"}


def images() -> TrainingSet:
    data = clusters(dimensions=64)
    return TrainingSet(data.inputs.reshape(-1, 1, 8, 8).copy(), data.labels, data.names)


# What a run does: (processes) -> what the tests compare


def twenty_steps(data: Callable[[], TrainingSet], **changes: Any) -> Callable[[Processes], list[Snapshot]]:
    def run(group: Processes) -> list[Snapshot]:
        trainer = Trainer(small(**EXACT, **changes), data(), group=group)
        return [trainer.step() for _ in range(20)]

    return run


def resumed(group: Processes) -> list[Snapshot]:
    run = Trainer(small(**EXACT, pretrain_steps=5), clusters(), group=group)
    before = [run.step() for _ in range(7)]
    other = Trainer(small(**EXACT, pretrain_steps=5), clusters(), group=group)
    other.load_state_dict(run.state_dict())
    return before + [other.step() for _ in range(13)]


def until_the_end(scale: float = 1.0, **changes: Any) -> Callable[[Processes], tuple[int, Stop | None]]:
    def run(group: Processes) -> tuple[int, Stop | None]:
        trainer = Trainer(small(device="cpu", **changes), clusters(scale=scale), group=group)
        while trainer.stop is None:
            trainer.step()
        return trainer.step_count, trainer.stop

    return run


CURVES: dict[str, Callable[[Processes], list[Snapshot]]] = {
    "mlp": twenty_steps(clusters),
    "cnn": twenty_steps(images, model="cnn"),
    "points": twenty_steps(clusters, model="points", optimiser="sgd"),
    "uneven slices": twenty_steps(clusters, classes_per_batch=3, per_class=3),
    "whole-batch loss": twenty_steps(clusters, method=Method("histogram")),
    "resumed": resumed,
    "npair": twenty_steps(
        clusters, pairing="npair", per_class=2, method=Method("npair"), similarity="dot", norm_penalty=0.01
    ),
    "tuplets": twenty_steps(clusters, pairing="tuplets", classes_per_batch=3, per_class=4, method=Method("npair")),
    "mined": twenty_steps(clusters, mine_classes=6, similarity="dot", norm_penalty=0.01),
    "loop": twenty_steps(clusters, negatives="loop", classes_per_batch=3, per_class=3),
}
ENDS: dict[str, Callable[[Processes], tuple[int, Stop | None]]] = {
    "patience": until_the_end(patience=3, learning_rate=1e-9),
    "collapse": until_the_end(method=Method("contrastive", lam=1), dimensions=2, steps=2000, evaluate_every=0),
    "not finite": until_the_end(scale=1e30, learning_rate=100, evaluate_every=0),
    "not finite, mined": until_the_end(
        scale=1e10, learning_rate=1000, evaluate_every=0, similarity="dot", mine_classes=6, steps=200
    ),
}


# The processes


def refused(group: Processes) -> str:
    def refuse() -> None:
        raise MsvizError("error.epsilon", "epsilon must be >= 0, got {got}", got=group.rank)

    try:
        group.from_first(refuse)
    except MsvizError as problem:
        return str(problem)
    return ""


def work(rank: int, world: int, folder: str) -> None:
    torch.set_num_threads(1)
    if Path("/sys/class/net/lo").exists():
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"  # this machine only
    store = dist.FileStore(f"{folder}/store", world)
    store.set_timeout(timedelta(seconds=SECONDS))
    group = Processes(rank, world, store)
    group.join("cpu")
    found = {name: run(group) for name, run in (CURVES | ENDS).items()}
    exchanged = {
        "any": [group.any(False), group.any(rank == 1), group.any(True)],
        "first": group.from_first(lambda: rank),
        "refused": refused(group),
        "together": group.together(torch.full((len(range(5)[group.slice(5)]), 2), float(rank)), 5).tolist(),
        "speaks": [group.speaks(), group.speaks()],
    }
    group.leave()
    Path(folder, str(rank)).write_bytes(pickle.dumps((found, exchanged)))


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What each rank got."""
    return in_ranks(work, 2, tmp_path_factory.mktemp("ranks"))


@pytest.mark.parametrize("name", CURVES)
def test_two_processes_follow_the_curve_of_one_with_the_same_batches(ranks: Any, name: str) -> None:
    alone = CURVES[name](ALONE)
    assert np.ptp([snapshot.loss for snapshot in alone]) > 1e-3  # there is a curve to follow
    for found, _ in ranks:
        assert len(found[name]) == len(alone) == 20
        for one, other in zip(alone, found[name], strict=True):
            assert one.rows.tolist() == other.rows.tolist()
            assert other.loss == pytest.approx(one.loss, rel=0, abs=1e-9)
            assert other.gradient_norm == pytest.approx(one.gradient_norm, rel=0, abs=1e-9)
            np.testing.assert_allclose(other.x, one.x, rtol=0, atol=1e-9)
            np.testing.assert_allclose(other.probe_x, one.probe_x, rtol=0, atol=1e-9)
            assert (other.retrieval is None) == (one.retrieval is None)


@pytest.mark.parametrize("name", ["mlp", "cnn", "resumed", "npair", "mined", "loop"])
def test_all_processes_have_the_same_weights_to_the_last_bit(ranks: Any, name: str) -> None:
    first, second = ([numbers(snapshot) for snapshot in found[name]] for found, _ in ranks)
    assert first == second


@pytest.mark.parametrize("name", ENDS)
def test_all_processes_end_at_the_same_step_for_the_same_reason(ranks: Any, name: str) -> None:
    first, second = (found[name] for found, _ in ranks)
    assert first == second
    assert first[1].value.replace("_", " ") == name.partition(",")[0]


def test_what_processes_tell_each_other(ranks: Any) -> None:
    for _, exchanged in ranks:
        assert exchanged["any"] == [False, True, True]
        assert exchanged["first"] == 0
        assert exchanged["refused"] == "epsilon must be >= 0, got 0"
        assert exchanged["together"] == [[0.0, 0.0]] * 3 + [[1.0, 1.0]] * 2
    assert sorted(answer for _, exchanged in ranks for answer in exchanged["speaks"]) == [False, False, False, True]


# One process


@pytest.mark.parametrize(("n", "count"), [(80, 3), (7, 7), (2, 4), (0, 2)])
def test_slices_share_all_items_in_order_and_evenly(n: int, count: int) -> None:
    slices = [Processes(rank, count).slice(n) for rank in range(count)]
    parts = [list(range(n)[part]) for part in slices]
    assert list(chain(*parts)) == list(range(n))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_more_processes_than_gpus_are_refused_before_they_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    with pytest.raises(MsvizError, match="has 1 GPUs for 2 processes"):
        Processes(0, 2).join("auto")
