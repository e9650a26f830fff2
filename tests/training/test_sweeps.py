"""Sweeps: every finished cell is kept, whoever dies; a second start goes on; what cannot be run is named first."""

import errno
import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import distributed
import joblib
import pytest

from msviz import METHODS, MsvizError
from msviz.training import Cell, Outcome, ResultsWarning, Trainer, read_results, run_cell, sweep
from msviz.training.sources import Blobs, Points
from tests.training.runs import clusters, small

ROOT = Path(__file__).resolve().parents[2]
DATA = Blobs(classes=12, per_class=10, noise=1)


def cell(key: str, **changes: Any) -> Cell:
    return Cell(key, small(data=DATA, evaluate_every=0, **changes))


CELLS = [cell(f"seed {seed}", seed=seed) for seed in range(8)]
TEN_TIMES = {one.key: {"ten": 10.0 * one.config.seed} for one in CELLS}


def ten_times(one: Cell) -> dict[str, float]:
    return {"ten": 10.0 * one.config.seed}


def dies_once(one: Cell, marker: Path) -> dict[str, float]:
    """Like `ten_times`, but the process that runs seed 3 first is killed."""
    if one.config.seed == 3 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return ten_times(one)


def counted(one: Cell, calls: list[str]) -> dict[str, float]:
    calls.append(one.key)
    return ten_times(one)


def metrics(outcomes: list[Outcome]) -> dict[str, Any]:
    return {outcome.key: outcome.metrics for outcome in outcomes}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# What it does


def test_a_cell_is_the_run_that_a_trainer_makes() -> None:
    one = cell("one", seed=5)
    run = Trainer(one.config)
    while run.stop is None:
        run.step()
    val, test = run.evaluate("val"), run.evaluate("test")
    found = run_cell(one)
    assert found["val_recall_1"] == val.recall[1]
    assert found["test_recall_8"] == test.recall[8]
    assert (found["test_map_at_r"], found["test_nmi"]) == (test.map_at_r, test.nmi)
    assert found["val_recall_1"] != found["test_recall_1"]


def test_cells_share_a_pretrained_start_and_run_as_if_each_had_made_its_own() -> None:
    for changes in ({"method": METHODS["ms"]}, {"method": METHODS["binomial"], "learning_rate": 0.003}):
        one = cell("one", pretrain_steps=15, **changes)
        run = Trainer(one.config)
        while run.stop is None:
            run.step()
        assert run_cell(one)["test_map_at_r"] == run.evaluate("test").map_at_r
    assert run_cell(cell("more", pretrain_steps=16, steps=1)) != run_cell(cell("less", pretrain_steps=15, steps=1))


def test_it_goes_as_parallel_config_says(tmp_path: Path) -> None:
    with joblib.parallel_config("threading", n_jobs=3):
        assert metrics(list(sweep(CELLS, ten_times, tmp_path / "threads.jsonl"))) == TEN_TIMES
    with joblib.parallel_config("multiprocessing", n_jobs=2):  # a pool, as Ray's is: it answers call by call
        assert metrics(list(sweep(CELLS, ten_times, tmp_path / "pool.jsonl"))) == TEN_TIMES
    with joblib.parallel_config("multiprocessing", n_jobs=1):
        assert metrics(list(sweep(CELLS, ten_times, tmp_path / "alone.jsonl"))) == TEN_TIMES
    for name in ("threads", "pool", "alone"):
        assert metrics(list(read_results(tmp_path / f"{name}.jsonl").outcomes.values())) == TEN_TIMES


def test_the_file_says_what_it_is_and_holds_every_cells_config(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "sweep.jsonl"
    list(sweep(CELLS[:2], ten_times, path, what={"limit": "noise"}, command="msviz --this"))
    found = read_results(path)
    assert found.what == {"limit": "noise"}
    assert found.made[0]["command"] == "msviz --this"
    assert set(found.made[0]) == {"command", "commit", "machine", "torch", "date"}
    assert found.configs == {one.key: json.loads(json.dumps(one.config.as_json())) for one in CELLS[:2]}
    assert not found.torn


def test_a_cell_is_in_the_file_before_the_next_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "sweep.jsonl"
    for at, _ in enumerate(sweep(CELLS, ten_times, path), 1):
        assert len(lines(path)) == 1 + at


# A second start


def test_a_second_start_runs_what_is_missing_and_yields_all(tmp_path: Path) -> None:
    path, calls = tmp_path / "sweep.jsonl", []
    list(sweep(CELLS[2:4], ten_times, path))
    assert metrics(list(sweep(CELLS, partial(counted, calls=calls), path))) == TEN_TIMES
    assert calls == [one.key for one in CELLS if one not in CELLS[2:4]]
    content = path.read_bytes()
    assert metrics(list(sweep(CELLS, partial(counted, calls=[]), path))) == TEN_TIMES
    assert path.read_bytes() == content


def test_a_file_from_before_a_setting_was_there_goes_on(tmp_path: Path) -> None:
    path, calls = tmp_path / "sweep.jsonl", []
    list(sweep(CELLS[:2], ten_times, path))
    head, *rest = lines(path)
    del head["config"]["negatives"]
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, *rest)))
    cells = [*CELLS[:2], cell("loop", negatives="loop")]
    assert len(list(sweep(cells, partial(counted, calls=calls), path))) == 3
    assert calls == ["loop"]
    assert [config["negatives"] for config in read_results(path).configs.values()] == ["batch", "batch", "loop"]


def test_a_killed_sweep_goes_on_and_ends_as_one_that_was_not(tmp_path: Path) -> None:
    path, marker = tmp_path / "sweep.jsonl", tmp_path / "killed"
    script = "from tests.training.test_sweeps import *; import sys\n"
    script += "list(sweep(CELLS, partial(dies_once, marker=Path(sys.argv[1])), sys.argv[2]))"
    killed = subprocess.run([sys.executable, "-c", script, str(marker), str(path)], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert list(read_results(path).outcomes) == ["seed 0", "seed 1", "seed 2"]
    calls: list[str] = []
    assert metrics(list(sweep(CELLS, partial(counted, calls=calls), path))) == TEN_TIMES
    assert calls == [one.key for one in CELLS[3:]]


def test_a_torn_last_line_is_dropped_and_said(tmp_path: Path) -> None:
    path = tmp_path / "sweep.jsonl"
    list(sweep(CELLS[:3], ten_times, path))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert read_results(path).torn
    assert path.read_bytes() == whole[:-20]  # who only reads changes nothing
    with pytest.warns(ResultsWarning, match=r"the last line of .*sweep\.jsonl was torn off"):
        list(sweep(CELLS[:3], ten_times, path))
    assert [line["key"] for line in lines(path)[1:]] == [one.key for one in CELLS[:3]]


def test_another_machine_or_command_that_goes_on_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "sweep.jsonl"
    list(sweep(CELLS[:1], ten_times, path, command="first"))
    list(sweep(CELLS[:1], ten_times, path, command="looks only"))
    list(sweep(CELLS[:2], ten_times, path, command="first"))
    list(sweep(CELLS[:3], ten_times, path, command="second"))
    assert [made["command"] for made in read_results(path).made] == ["first", "second"]


def test_a_file_that_another_sweep_writes_is_refused_until_that_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "sweep.jsonl"
    running = sweep(CELLS, ten_times, path)
    next(running)
    with pytest.raises(MsvizError, match="are being written just now; wait until that has ended"):
        next(sweep(CELLS, ten_times, path))
    running.close()
    calls: list[str] = []
    assert metrics(list(sweep(CELLS, partial(counted, calls=calls), path))) == TEN_TIMES
    assert calls == [one.key for one in CELLS[1:]]


# Workers that die


def test_a_dead_worker_breaks_the_sweep_in_one_sentence_and_a_second_start_goes_on(tmp_path: Path) -> None:
    path, run = tmp_path / "sweep.jsonl", partial(dies_once, marker=tmp_path / "killed")
    with pytest.raises(MsvizError, match=r"^the sweep broke off while .*seed 3.* ran: TerminatedWorkerError") as broken:
        list(sweep(CELLS, run, path, n_jobs=2))
    assert broken.value.key == "error.sweep_broken"
    assert "\n" not in str(broken.value)
    assert set(read_results(path).outcomes) < set(TEN_TIMES)
    assert metrics(list(sweep(CELLS, run, path, n_jobs=2))) == TEN_TIMES


def test_a_dask_cluster_serves_and_survives_a_killed_worker(tmp_path: Path) -> None:
    path, marker = tmp_path / "sweep.jsonl", tmp_path / "killed"
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        found = list(sweep(CELLS, partial(dies_once, marker=marker), path))
        trained = list(sweep(CELLS[:2]))
    assert marker.exists()
    assert metrics(found) == metrics(list(read_results(path).outcomes.values())) == TEN_TIMES
    for outcome, one in zip(sorted(trained, key=lambda outcome: outcome.key), CELLS, strict=False):
        assert outcome.metrics["test_map_at_r"] == pytest.approx(run_cell(one)["test_map_at_r"], abs=1e-3)


# Cells that fail


def fails(one: Cell) -> dict[str, float]:
    if one.config.seed == 1:
        raise MsvizError("error.cell_not_finite", "numbers became infinite after {step} steps", step=7)
    if one.config.seed == 2:
        raise MemoryError("no room")
    return {"ten": float("nan") if one.config.seed == 3 else 1.0}


def test_what_would_fail_again_is_kept_and_what_the_machine_did_is_tried_again(tmp_path: Path) -> None:
    path, calls = tmp_path / "sweep.jsonl", []
    problems = {outcome.key: outcome.problem for outcome in sweep(CELLS[:4], fails, path)}
    assert problems == {
        "seed 0": None,
        "seed 1": "numbers became infinite after 7 steps",
        "seed 2": "MemoryError: no room",
        "seed 3": "ten must be a finite number, got nan",
    }
    again = {outcome.key: outcome.problem for outcome in sweep(CELLS[:4], partial(counted, calls=calls), path)}
    assert calls == ["seed 2"]
    assert again == {**problems, "seed 2": None}


def test_a_run_whose_numbers_become_infinite_has_a_problem_and_no_metrics() -> None:
    huge = clusters(scale=1e30)
    data = Points(huge.inputs.tolist(), huge.labels.tolist(), huge.names)
    outcome = next(sweep([Cell("huge", small(data=data, learning_rate=100))]))
    assert outcome.metrics == {}
    assert (outcome.problem or "").startswith("numbers became infinite after ")


def test_an_impossible_cell_is_named_before_anything_runs(tmp_path: Path) -> None:
    path, calls = tmp_path / "sweep.jsonl", []
    cells = [*CELLS, cell("too many", per_class=11), cell("no image", model="cnn")]
    with pytest.raises(MsvizError) as impossible:
        next(sweep(cells, partial(counted, calls=calls), path))
    told = str(impossible.value)
    assert told.startswith("the cell too many cannot be run: a batch takes 11 items of a class, but class")
    with pytest.raises(MsvizError, match="the cell no image cannot be run: a cnn needs images"):
        next(sweep([CELLS[0], cells[-1]], ten_times))
    with pytest.raises(MsvizError, match="two cells of a sweep are named seed 0"):
        next(sweep([CELLS[0], CELLS[0]], ten_times))
    assert calls == []
    assert not path.exists()


# Files that cannot be gone on with


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("good") / "sweep.jsonl"
    list(sweep(CELLS[:2], ten_times, path))
    return path.read_text()


def refused(path: Path, content: str, sentence: str, cells: list[Cell] = CELLS, **options: Any) -> None:
    """The sentence is said, and the file stays as it is."""
    path.write_text(content)
    with pytest.raises(MsvizError) as wrong:
        next(sweep(cells, ten_times, path, **options))
    assert sentence in str(wrong.value)
    assert "\n" not in str(wrong.value)
    assert path.read_text() == content


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: [""], 1),
        (lambda lines: ["my notes"], 1),
        (lambda lines: ["[1]"], 1),
        (lambda lines: ["{}"], 1),
        (lambda lines: [lines[0].replace('"what": {}', '"what": 3'), *lines[1:]], 1),
        (lambda lines: [lines[0], "{" + lines[1], lines[2]], 2),
        (lambda lines: [lines[0], lines[1].replace('"metrics": {"ten": 0.0}', '"metrics": {"ten": NaN}'), lines[2]], 2),
        (lambda lines: [*lines[:2], lines[2].replace('"seconds": 0.0', '"seconds": "long"')], 3),
        (lambda lines: [*lines[:2], lines[2].replace('"problem": null', '"problem": 3')], 3),
        (lambda lines: [*lines, lines[2]], 4),
        (lambda lines: [*lines, "7"], 4),
        (lambda lines: [*lines, '{"made": 3}'], 4),
        (lambda lines: [*lines, "[" * 100_000], 4),
    ],
)
def test_a_damaged_file_is_named_with_its_line_and_left_alone(
    change: Any, line: int, good: str, tmp_path: Path
) -> None:
    content = "".join(f"{one}\n" for one in change(good.splitlines()))
    assert content != good
    path = tmp_path / "sweep.jsonl"
    refused(path, content, f"line {line} of {path} is damaged, or no results of msviz")


def test_bytes_that_are_no_text_are_damage(good: str, tmp_path: Path) -> None:
    path = tmp_path / "sweep.jsonl"
    path.write_bytes(good.encode() + b"\xff\xfe\n")
    with pytest.raises(MsvizError, match=r"line 4 of .* is damaged"):
        read_results(path)


def test_a_file_of_another_version_sweep_or_config_is_refused(good: str, tmp_path: Path) -> None:
    path = tmp_path / "sweep.jsonl"
    refused(path, good.replace('"version": 1', '"version": 2'), "are of version 2, this msviz reads version 1")
    refused(path, good, "are of another sweep, {}; choose another name", what={"limit": "noise"})
    other = [cell("seed 0", seed=0, steps=41)]
    refused(path, good, "hold seed 0 with steps 40, and now it is 41; set it back, or choose another name", other)
    assert len(list(sweep(CELLS[:2], ten_times, path))) == 2


def test_places_that_cannot_be_read_or_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(MsvizError, match=r"the results .*nowhere\.jsonl cannot be read: No such file or directory"):
        read_results(tmp_path / "nowhere.jsonl")
    with pytest.raises(MsvizError, match=r"the results .* cannot be written: "):
        next(sweep(CELLS, ten_times, "/dev/null/sweep.jsonl"))


def test_a_disk_that_fills_up_ends_the_sweep_and_what_is_there_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, fsync = tmp_path / "sweep.jsonl", os.fsync

    def full(file: int) -> None:
        if path.exists() and len(path.read_bytes().splitlines()) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(file)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(MsvizError, match="cannot be written: No space left on device; choose another place"):
            list(sweep(CELLS, ten_times, path))
    assert list(read_results(path).outcomes)[:2] == ["seed 0", "seed 1"]
    assert metrics(list(sweep(CELLS, ten_times, path))) == TEN_TIMES
