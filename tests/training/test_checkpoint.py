"""Checkpoints: a killed run goes on with identical numbers, and no bad file or full disk costs what is there."""

import dataclasses
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from msviz import METHODS, MsvizError
from msviz.training.checkpoint import data_hash, load_checkpoint, save_checkpoint
from msviz.training.config import TrainConfig
from msviz.training.loop import CheckpointWarning, train
from msviz.training.sources import Blobs
from msviz.training.stopping import Stop
from msviz.training.trainer import Trainer
from msviz.training.training_set import TrainingSet
from tests.training.runs import clusters, curve, numbers, small, trainer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "one.msviz"


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file may grow beyond some bytes: writing fails as on a full disk, whoever runs the tests."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# Going on


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_a_run_goes_on_from_its_file_with_identical_numbers(path: Path, optimiser: str) -> None:
    run = trainer(optimiser=optimiser, patience=50)
    curve(run, 7)
    run.set(method=METHODS["binomial"], learning_rate=0.02)
    save_checkpoint(run, path)
    went_on = curve(run, 20)
    resumed = load_checkpoint(path, data=clusters())
    assert resumed.config == run.config
    assert resumed.changes == run.changes
    assert curve(resumed, 20) == went_on


@contextmanager
def without_schemes() -> Iterator[None]:
    """Files are written as they were before a batch could be compared otherwise."""
    whole = TrainConfig.as_json
    younger = ("pairing", "mine_classes", "negatives", "similarity", "norm_penalty")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TrainConfig, "as_json", lambda self: {k: v for k, v in whole(self).items() if k not in younger})
        yield


def test_a_file_from_before_a_setting_was_there_goes_on_as_a_run_with_its_default(path: Path) -> None:
    run = trainer()
    curve(run, 5)
    with without_schemes():
        save_checkpoint(run, path)
    assert curve(load_checkpoint(path, small(), clusters()), 5) == curve(run, 5)
    assert fails(path, small(negatives="loop")).startswith(
        "the checkpoint PATH is of another run: negatives was 'batch' and is now 'loop'"
    )


def test_a_run_that_was_killed_gives_the_numbers_of_one_that_was_not(path: Path) -> None:
    whole = [numbers(snapshot) for snapshot in train(small(), clusters())]
    killed = train(small(), clusters(), checkpoint=path, checkpoint_every=10)
    before = [numbers(next(killed)) for _ in range(26)]
    killed.close()
    after = [numbers(snapshot) for snapshot in train(small(), clusters(), checkpoint=path, resume=True)]
    assert [*before[:20], *after] == whole


def test_the_data_of_a_checkpoint_are_loaded_as_its_config_says(path: Path) -> None:
    run = Trainer(small(data=Blobs()))
    save_checkpoint(run, path)
    assert curve(load_checkpoint(path), 3) == curve(run, 3)


def test_a_run_that_has_ended_may_go_on_for_longer(path: Path) -> None:
    *_, last = train(small(steps=10), clusters(), checkpoint=path)
    assert (last.step, last.stop) == (10, Stop.STEPS)
    assert load_checkpoint(path, data=clusters()).stop is Stop.STEPS
    longer = [numbers(snapshot) for snapshot in train(small(), clusters(), checkpoint=path, resume=True)]
    whole = [numbers(snapshot) for snapshot in train(small(), clusters())]
    assert longer == whole[10:]


def test_the_loop_ends_with_the_final_weights_measured_and_the_reason() -> None:
    snapshots = list(train(small(steps=12, evaluate_every=0), clusters()))
    assert [snapshot.step for snapshot in snapshots] == list(range(13))
    assert [snapshot.stop for snapshot in snapshots] == [None] * 12 + [Stop.STEPS]
    assert [snapshot.retrieval is None for snapshot in snapshots] == [True] * 12 + [False]
    *_, last = train(small(target_recall=0.01), clusters())
    assert (last.step, last.stop) == (0, Stop.TARGET)


# What is already there stays


def test_a_full_disk_ends_no_run_and_leaves_the_earlier_checkpoint(path: Path) -> None:
    run = train(small(), clusters(), checkpoint=path, checkpoint_every=3)
    next(run)
    earlier = path.read_bytes()
    with full_disk(1000), pytest.warns(CheckpointWarning, match=r"cannot be written: File too large; .* make room"):
        snapshots = [next(run) for _ in range(8)]
    assert [snapshot.step for snapshot in snapshots] == list(range(1, 9))
    assert path.read_bytes() == earlier
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert load_checkpoint(path, data=clusters()).step_count == 0
    *_, last = run
    assert load_checkpoint(path, data=clusters()).step_count == last.step == 40


def test_at_the_end_a_full_disk_is_an_error_after_the_last_snapshot(path: Path) -> None:
    run = train(small(steps=4), clusters(), checkpoint=path)
    came = [next(run) for _ in range(4)]
    with full_disk(1000):
        came.append(next(run))
        with pytest.raises(MsvizError, match="cannot be written"):
            next(run)
    assert came[-1].stop is Stop.STEPS
    assert load_checkpoint(path, data=clusters()).step_count == 0


def test_where_no_checkpoint_can_be_written_no_run_begins(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(MsvizError, match=r"file/one.msviz cannot be written: .*; choose another place, or make room"):
        next(train(small(), clusters(), checkpoint=tmp_path / "file" / "one.msviz"))


def test_a_run_that_is_there_is_not_overwritten_by_a_new_one(path: Path) -> None:
    list(train(small(steps=3), clusters(), checkpoint=path))
    before = path.read_bytes()
    with pytest.raises(MsvizError, match=r"there is a run in .* already; resume it"):
        next(train(small(), clusters(), checkpoint=path))
    assert path.read_bytes() == before


def test_a_run_whose_numbers_became_infinite_does_not_replace_its_checkpoint(path: Path) -> None:
    config = small(learning_rate=100, evaluate_every=0)
    *_, last = train(config, clusters(scale=1e30), checkpoint=path)
    assert last.stop is Stop.NOT_FINITE
    assert load_checkpoint(path, data=clusters(scale=1e30)).step().step == 0


# What cannot be gone on from


def fails(path: Path, config: TrainConfig | None = None, data: TrainingSet | None = None) -> str:
    with pytest.raises(MsvizError) as caught:
        load_checkpoint(path, config, data or clusters())
    return str(caught.value).replace(str(path), "PATH")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"per_class": 4}, "per_class was 3 and is now 4"),
        ({"seed": 1, "width": 32}, "width was 16 and is now 32"),
        ({"model": "linear"}, "model was 'mlp' and is now 'linear'"),
        (
            {"method": METHODS["authors"].replace(beta=50)},
            "method was {'loss': 'multi_similarity', 'alpha': 2.0, 'beta': 40",
        ),
        ({"data": Blobs()}, "data was {'kind': 'glyphs'"),
    ],
)
def test_a_checkpoint_of_another_run_names_the_first_setting_that_differs(
    path: Path, changes: dict[str, Any], sentence: str
) -> None:
    save_checkpoint(trainer(), path)
    came = fails(path, small(**changes))
    assert came.startswith(f"the checkpoint PATH is of another run: {sentence}")
    assert came.endswith("; set it back, or begin anew")


def test_a_checkpoint_of_other_data_is_refused(path: Path) -> None:
    save_checkpoint(trainer(), path)
    assert "was made with other data" in fails(path, data=clusters(seed=1))
    relabelled = dataclasses.replace(clusters(), labels=clusters().labels[::-1].copy())
    assert "was made with other data" in fails(path, data=relabelled)


def test_inputs_labels_and_shape_decide_the_hash_of_data() -> None:
    data = clusters()
    as_image = TrainingSet(data.inputs.reshape(-1, 1, 2, 3).copy(), data.labels, data.names)
    renamed = dataclasses.replace(data, names=tuple("abcdefghijkl"))
    assert data_hash(clusters()) == data_hash(data) == data_hash(renamed)
    assert len({data_hash(data), data_hash(as_image), data_hash(clusters(seed=1))}) == 3


@pytest.mark.parametrize("damage", ["cut", "one bit", "empty", "text", "other header"])
def test_a_damaged_checkpoint_is_refused(path: Path, damage: str) -> None:
    save_checkpoint(trainer(), path)
    content = bytearray(path.read_bytes())
    if damage == "one bit":
        content[len(content) // 2] ^= 1
    damaged = {
        "cut": content[: len(content) // 2],
        "empty": b"",
        "text": b"my notes\n",
        "other header": b"msviz checkpoint x y\n",
    }.get(damage, bytes(content))
    path.write_bytes(damaged)
    assert fails(path).startswith("the checkpoint PATH is damaged, or no checkpoint of msviz")


def test_a_checkpoint_of_a_later_version_is_refused(path: Path) -> None:
    body = b"whatever the future holds"
    path.parent.mkdir()
    path.write_bytes(f"msviz checkpoint 2 {hashlib.sha256(body).hexdigest()}\n".encode() + body)
    assert fails(path) == "the checkpoint PATH is of version 2, this msviz reads up to 1; use a newer msviz"


def test_a_file_that_is_not_there_is_named(path: Path) -> None:
    assert fails(path) == "the checkpoint PATH cannot be read: No such file or directory; check its name"
    with pytest.raises(MsvizError, match="cannot be read"):
        next(train(small(), clusters(), checkpoint=path, resume=True))


def test_a_checkpoint_runs_no_code_of_whoever_made_it(path: Path) -> None:
    save_checkpoint(trainer(), path)
    body = path.read_bytes().partition(b"\n")[2]
    (path.parent / "body").write_bytes(body)
    kept = torch.load(path.parent / "body", weights_only=True)  # refuses whatever is no tensor, number or text
    assert set(kept) == {"config", "data", "trainer"}
