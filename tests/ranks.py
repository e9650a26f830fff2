"""Processes that work together, each a rank of a gloo group, and what each of them found."""

import multiprocessing
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS = 120  # a slow machine needs 20; a rank that waits for the others for ever must not take the tests with it


def in_ranks(work: Callable[[int, int, str], None], world: int, folder: Path) -> list[Any]:
    """What `work(rank, world, folder)` has pickled into the folder, in a file by its rank's number; rank by rank."""
    # A fork server imports torch once for all of them.
    fork = "forkserver" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if fork else "spawn")
    context.set_forkserver_preload(["torch.distributed._functional_collectives", "torch.nn.parallel"])
    processes = [context.Process(target=work, args=(rank, world, str(folder))) for rank in range(world)]
    for process in processes:
        process.start()
    until = time.monotonic() + SECONDS
    for process in processes:
        process.join(max(0, until - time.monotonic()))
    waiting = [process for process in processes if process.is_alive()]
    for process in waiting:
        process.kill()
    assert not waiting, "some ranks wait for the others"
    assert [process.exitcode for process in processes] == [0] * world
    return [pickle.loads((folder / str(rank)).read_bytes()) for rank in range(world)]
