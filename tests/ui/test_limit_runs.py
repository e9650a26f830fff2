"""What is measured behind the Limits page: point by point in a thread, stopped, asleep, queued, and never a crash."""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msviz.core.errors import MsvizError
from msviz.ui.limit_runs import Measuring
from msviz.ui.queue import Queue


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


class Experiment:
    """Yields 0, 1, 2, ..., each when the test allows it."""

    def __init__(self, count: int = 3) -> None:
        self.count = count
        self.allowed = threading.Semaphore(0)
        self.closed = threading.Event()

    def __call__(self, settings: Any) -> Iterator[int]:
        try:
            for point in range(self.count):
                self.allowed.acquire()
                yield point
        finally:
            self.closed.set()

    def allow(self, points: int) -> None:
        for _ in range(points):
            self.allowed.release()


def measuring(experiment: Callable[[Any], Iterator[Any]], queue: Queue | None = None, idle: float = 20) -> Measuring:
    return Measuring(experiment, "settings", queue or Queue(1), idle)


def test_nothing_is_measured_before_somebody_looks() -> None:
    experiment = Experiment()
    run = measuring(experiment)
    experiment.allow(3)
    assert run.doing == "beginning"
    assert run.points == []


def test_points_come_one_by_one_until_it_is_done() -> None:
    experiment = Experiment()
    run = measuring(experiment)
    run.poll()
    experiment.allow(2)
    until(lambda: len(run.points) == 2)
    assert run.doing == "measuring"
    experiment.allow(1)
    until(lambda: run.doing == "done")
    assert run.points == [0, 1, 2]
    assert not run.goes_on


def test_stop_keeps_the_points_and_ends_the_experiment() -> None:
    experiment = Experiment()
    run = measuring(experiment)
    run.poll()
    experiment.allow(1)
    until(lambda: run.points == [0])
    run.stop()
    assert run.doing == "stopped"
    experiment.allow(1)  # the one that is being measured
    assert experiment.closed.wait(20)
    assert run.points == [0, 1]
    run.poll()
    assert run.doing == "stopped"


def test_an_experiment_that_is_stopped_before_its_first_point_never_begins() -> None:
    run = measuring(Experiment())
    run.stop()
    run.poll()
    assert run.doing == "stopped"
    assert run.points == []


def asleep_after_two(experiment: Experiment, line: Queue) -> Measuring:
    """Nobody looks while the second point is measured: then its place in the queue is free."""
    run = measuring(experiment, line, idle=0.2)
    run.poll()
    experiment.allow(1)
    until(lambda: run.points == [0])
    time.sleep(0.4)
    experiment.allow(1)
    ticket = line.join()
    until(lambda: line.place(ticket) == 0)
    line.leave(ticket)
    return run


def test_without_a_look_it_falls_asleep_and_wakes_up_where_it_was() -> None:
    experiment = Experiment()
    run = asleep_after_two(experiment, Queue(1))
    assert run.goes_on
    assert run.points == [0, 1]
    experiment.allow(1)
    run.poll()
    until(lambda: run.doing == "done")
    assert run.points == [0, 1, 2]


def test_one_that_nobody_holds_any_more_ends_what_it_began() -> None:
    experiment = Experiment()
    asleep_after_two(experiment, Queue(1))
    assert experiment.closed.wait(20)


def test_a_second_one_waits_for_its_turn() -> None:
    line, one, two = Queue(1), Experiment(), Experiment()
    first, second = measuring(one, line), measuring(two, line)
    first.poll()
    until(lambda: first._ticket is not None)
    second.poll()
    two.allow(3)
    until(lambda: second.doing == "waiting")
    assert second.place == 1
    one.allow(3)
    until(lambda: second.doing == "done")
    assert second.points == [0, 1, 2]


def test_what_goes_wrong_is_one_sentence_and_the_points_before_stand() -> None:
    def refused(settings: Any) -> Iterator[int]:
        yield 7
        raise MsvizError("error.measuring", "measuring ended early ({got})", got="dense, m = 4096")

    def broken(settings: Any) -> Iterator[int]:
        yield 7
        raise MemoryError("no room")

    found = {}
    for experiment in (refused, broken):
        run = measuring(experiment)
        run.poll()
        until(partial(_over, run))
        assert run.points == [7]
        assert run.error is not None
        found[run.doing] = [*found.get(run.doing, []), run.error.key]
    assert found == {"failed": ["error.measuring", "error.limit_failed"]}


def _over(run: Measuring) -> bool:
    return not run.goes_on
