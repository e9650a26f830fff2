"""The thread behind a run: it plays, pauses, sleeps, waits for its turn, survives errors, and leaves nothing."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from msviz.core.errors import MsvizError
from msviz.core.methods import METHODS, Method
from msviz.training.config import TrainConfig
from msviz.training.snapshot import Snapshot
from msviz.training.sources import Blobs
from msviz.training.stopping import Stop
from msviz.ui.engines import Engine
from msviz.ui.queue import Queue
from msviz.ui.recording import AROUND, Recording
from msviz.ui.runs import RUNS, Run

CONFIG = TrainConfig(
    data=Blobs(), model="mlp", dimensions=2, classes_per_batch=3, per_class=4, steps=40, evaluate_every=10
)


def engine(steps: int = 40) -> Engine:
    return Engine(TrainConfig.from_json({**CONFIG.as_json(), "steps": steps}))


@pytest.fixture
def started() -> Iterator[list[Run]]:
    """Runs of a test, ended after it."""
    runs: list[Run] = []
    yield runs
    for run in runs:
        run.close()
    runs.clear()
    until(lambda: threads() == 0)


def ready(run: Run) -> Run:
    run.poll()
    until(lambda: run.latest is not None)
    return run


def until(holds: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def make(runs: list[Run], steps: int = 40, **how: object) -> Run:
    run = Run(lambda: engine(steps), **how)  # type: ignore[arg-type]
    runs.append(run)
    return run


def losses(run: Run) -> list[float]:
    return [loss for (loss,) in run.recording.losses]


def bare(steps: int) -> list[float]:
    """The losses of the same run without a thread."""
    one = engine(max(steps, 40))
    return [one.step(probe=False)[0].loss for _ in range(steps)]


def threads() -> int:
    return sum(thread.name == "msviz-run" for thread in threading.enumerate())


def test_a_run_begins_with_a_picture_and_without_a_step(started: list[Run]) -> None:
    run = ready(make(started))
    assert run.status.doing == "paused"
    assert run.latest is not None
    assert run.latest[0].step == 0
    assert run.recording.losses == []


def test_it_plays_to_the_end_with_the_numbers_of_a_bare_loop(started: list[Run]) -> None:
    run = ready(make(started))
    run.speed = "fast"
    run.play()
    until(lambda: run.status.doing == "stopped")
    assert losses(run)[:40] == bare(40)
    assert run.latest is not None
    assert run.latest[0].step == 40
    assert run.latest[0].stop is Stop.STEPS
    assert [step for step, _ in run.recording.recalls] == [0, 10, 20, 30, 40]
    until(lambda: threads() == 0)


def test_pause_stays_and_one_step_is_one_step(started: list[Run]) -> None:
    run = ready(make(started, steps=4000))
    run.play()
    until(lambda: len(run.recording.losses) > 2)
    run.pause()
    there = len(run.recording.losses)
    time.sleep(0.2)
    assert len(run.recording.losses) == there
    run.step()
    assert len(run.recording.losses) == there + 1
    assert run.latest is not None
    assert run.latest[0].step == there + 1
    assert run.status.doing == "paused"


def test_rewind_gives_the_same_curve(started: list[Run]) -> None:
    run = ready(make(started))
    run.speed = "fast"
    run.play()
    until(lambda: run.status.doing == "stopped")
    first, era = losses(run), run.era
    run.rewind()
    assert (losses(run), run.era) == ([], era + 1)
    run.play()
    until(lambda: run.status.doing == "stopped")
    assert losses(run) == first


def test_nobody_looks_and_it_sleeps_and_goes_on_with_the_same_numbers(started: list[Run]) -> None:
    run = ready(make(started, steps=4000, idle=0.2))
    run.play()
    until(lambda: run.status.doing == "asleep")
    assert threads() == 0
    slept_at = len(run.recording.losses)
    run.poll()
    until(lambda: len(run.recording.losses) > slept_at + 3 or bool(run.poll()))
    run.pause()
    assert losses(run) == bare(len(losses(run)))


def test_a_paused_run_has_no_thread_and_stays_paused_when_somebody_returns(started: list[Run]) -> None:
    run = ready(make(started, idle=0.1))
    until(lambda: threads() == 0)
    run.poll()
    assert threads() == 0
    assert run.status.doing == "paused"


def test_only_so_many_train_at_once_and_the_next_one_says_its_place(started: list[Run]) -> None:
    queue = Queue(limit=2)
    runs = [ready(make(started, steps=100_000, queue=queue)) for _ in range(4)]
    for at, run in enumerate(runs):
        run.play()
        until(lambda at=at, run=run: run.status.doing == ("playing" if at < 2 else "waiting"))  # type: ignore[misc]
    assert [run.status.place for run in runs] == [0, 0, 1, 2]
    assert runs[2].recording.losses == []
    runs[0].pause()
    until(lambda: runs[2].status.doing == "playing" and len(runs[2].recording.losses) > 0)
    assert runs[3].status.place == 1
    runs[3].pause()
    until(lambda: runs[3].status.doing == "paused")


def test_ten_sessions_end_and_nothing_of_them_is_left() -> None:
    queue = Queue(limit=10)
    runs = [ready(Run(lambda: engine(100_000), queue=queue, idle=1.0)) for _ in range(10)]
    for run in runs:
        run.play()

    while not all(len(run.recording.losses) > 3 for run in runs):
        for run in runs:
            run.poll()
        time.sleep(0.01)
    assert threads() == 10
    left = [weakref.ref(thing) for run in runs for thing in (run, run.engine, run.recording)]
    tokens = [run.token for run in runs]
    del runs, run  # as a session does that ends
    until(lambda: threads() == 0)
    gc.collect()
    assert [ref for ref in left if ref() is not None] == []
    assert not set(tokens) & set(RUNS)


def test_a_closed_tab_frees_the_recording_while_the_session_still_holds_the_run(started: list[Run]) -> None:
    run = ready(make(started, steps=100_000))
    run.play()
    until(lambda: len(run.recording.losses) > 3)
    engine_of, token = weakref.ref(run.engine), run.token  # type: ignore[arg-type]
    run.close()
    until(lambda: threads() == 0)
    gc.collect()
    assert engine_of() is None
    assert run.recording.losses == []
    assert token not in RUNS
    run.play()
    run.poll()
    assert threads() == 0


def test_pre_training_says_how_far_it_is_sleeps_unwatched_and_ends_with_the_tab(started: list[Run]) -> None:
    config = TrainConfig.from_json({**CONFIG.as_json(), "pretrain_steps": 100_000})
    run = Run(lambda: Engine(config), idle=0.2)
    started.append(run)
    run.poll()
    until(lambda: run.prepared > 0)
    assert run.status.doing == "preparing"
    until(lambda: threads() == 0)
    there = run.prepared
    run.poll()
    until(lambda: run.prepared > there)  # goes on where it was
    run.close()
    until(lambda: threads() == 0)


def test_after_pre_training_the_run_is_that_of_a_bare_loop(started: list[Run]) -> None:
    config = TrainConfig.from_json({**CONFIG.as_json(), "pretrain_steps": 5})
    run = Run(lambda: Engine(config))
    started.append(run)
    ready(run).step()
    bare_one = Engine(config)
    assert losses(run) == [bare_one.step(probe=False)[0].loss]


class Breaks(Engine):
    """An engine that breaks at its third step."""

    def step(self, probe: bool) -> tuple[Snapshot, ...]:
        if len(self.seen) == 2:
            raise self.error
        self.seen.append(1)
        return super().step(probe)

    seen: list[int]
    error: Exception


@pytest.mark.parametrize(
    ("error", "key"),
    [(MsvizError("error.not_finite", "no"), "error.not_finite"), (MemoryError("full"), "error.run_failed")],
)
def test_an_error_in_the_thread_is_one_sentence_and_rewind_begins_anew(
    started: list[Run], error: Exception, key: str
) -> None:
    broken = Breaks(CONFIG)
    broken.seen, broken.error = [], error
    run = Run(lambda: broken)
    started.append(run)
    ready(run).play()
    until(lambda: run.status.doing == "failed")
    assert run.status.error is not None
    assert run.status.error.key == key
    assert len(run.recording.losses) == 2  # what was recorded stays
    broken.seen = [1, 1, 1]
    run.rewind()
    run.play()
    until(lambda: run.status.doing == "stopped" or len(run.recording.losses) > 5)


def test_what_cannot_be_made_is_one_sentence(started: list[Run]) -> None:
    def refuse() -> Engine:
        raise MsvizError("error.split_classes", "no", need=8, got=2)

    run = Run(refuse)
    started.append(run)
    run.poll()
    until(lambda: run.status.doing == "failed")
    assert run.status.error is not None
    assert run.status.error.key == "error.split_classes"


def test_settings_change_in_the_middle_and_rewind_keeps_them(started: list[Run]) -> None:
    run = ready(make(started, steps=4000))
    run.play()
    until(lambda: len(run.recording.losses) > 2)
    other = METHODS["authors"].replace(beta=80.0)
    run.set(method=other, learning_rate=0.5)
    run.pause()
    run.step()
    assert run.engine is not None
    assert [change.name for change in run.engine.changes] == ["learning_rate", "beta"]
    assert run.latest is not None
    assert run.latest[0].method == other
    run.rewind()
    assert run.latest is not None
    assert (run.latest[0].method, run.latest[0].learning_rate) == (other, 0.5)


def test_a_refused_setting_changes_nothing(started: list[Run]) -> None:
    run = ready(make(started))
    with pytest.raises(MsvizError):
        run.set(learning_rate=-1)
    assert run.engine is not None
    assert run.engine.learning_rate == CONFIG.learning_rate


def test_while_it_rests_a_new_method_weighs_the_batch_that_is_shown(started: list[Run]) -> None:
    run = ready(make(started))
    assert run.latest is not None
    rows = run.latest[0].rows.tolist()
    run.set(method=Method("triplet"))
    assert run.latest[0].method == Method("triplet")
    assert run.latest[0].rows.tolist() == rows


# The recording


def shot(step: int, d: int = 4, recall: bool = False) -> tuple[Snapshot, ...]:
    from msviz.training.retrieval import Retrieval

    measured = Retrieval({1: 0.5, 2: 0.5, 4: 0.5, 8: 0.5}, 0.5, 0.5, 4, 0) if recall else None
    x, labels = np.eye(4, d, dtype=np.float32), np.array([0, 0, 1, 1])
    return (Snapshot(step, 1.0, METHODS["paper"], 1e-3, np.arange(4), x, labels, None, measured),)


def test_within_the_budget_every_step_is_kept_and_then_evenly_fewer() -> None:
    each = AROUND + sum(array.nbytes for array in (shot(0)[0].x, shot(0)[0].rows, shot(0)[0].labels))
    recording = Recording(100, budget=20 * each)
    for step in range(100):
        recording.add(shot(step, recall=step in (7, 50)))
        kept = recording.steps
        assert sum(s not in (7, 50) for s in kept) <= 20
    assert kept[0] == 0
    assert {7, 50} <= set(kept)
    gaps = set(np.diff([s for s in kept if s not in (7, 50)]).tolist())
    assert len(gaps - {2 * max(gaps)}) <= 2
    assert len(recording.losses) == 100  # curves keep every step
    assert recording.at(50) is not None


def test_a_step_between_recorded_ones_shows_the_one_before() -> None:
    recording = Recording(10)
    for step in (0, 1, 2):
        recording.add(shot(step))
    found = recording.at(1)
    assert found is not None
    assert found[0].step == 1
    assert recording.at(99)[0].step == 2  # type: ignore[index]
