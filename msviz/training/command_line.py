"""A run on the command line, in one process or in several that `torchrun` started: see --help."""

from __future__ import annotations

import json
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from msviz.core.errors import MsvizError
from msviz.training.checkpoint import save_checkpoint
from msviz.training.logs import Log, measured
from msviz.training.loop import begin, steps
from msviz.training.options import Order, read_order
from msviz.training.processes import Processes, from_environment
from msviz.training.progress import Progress
from msviz.training.snapshot import Snapshot
from msviz.training.stopping import Stop
from msviz.training.trainer import Trainer

DONE: Final = 0
FAILED: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
_WHY: Final = {
    Stop.STEPS: "all steps are done",
    Stop.PATIENCE: "Recall@1 has not risen any more",
    Stop.TARGET: "the target Recall@1 is reached",
    Stop.COLLAPSE: "all embeddings lie in one place; try a smaller learning rate, or another method",
    Stop.NOT_FINITE: "numbers became infinite; try a smaller learning rate",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for; what goes wrong is one sentence on stderr.

    Args:
        arguments: without the program's name; None = those of this process.

    Returns:
        The exit code: 0 done, 1 numbers became infinite or a process failed, 2 bad input, 130 stopped by a signal.

    Example:
        >>> main(["--data", "blobs", "--model", "linear", "--steps", "0"])
        2
    """
    group = from_environment()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning  # one sentence, without the place in our code
            order = read_order(sys.argv[1:] if arguments is None else arguments)
            if order.only_print:
                print(json.dumps(order.config.as_json(), indent=2))
                return DONE
            group.join(order.config.device)
            code = _train(order, group)
        group.leave()
    except MsvizError as problem:
        if group.speaks():
            _say(str(problem))
        return BAD_INPUT
    except KeyboardInterrupt:
        if group.speaks():
            _say("stopped before the first step; nothing was changed")
        return INTERRUPTED
    except Exception as problem:
        if group.count == 1:
            raise
        if group.speaks():
            _say(f"process {group.rank} of {group.count} failed, and the run with it: {_first_line(problem)}")
        return FAILED
    return code


def _train(order: Order, group: Processes) -> int:
    config, first = order.config, group.is_first
    trainer = begin(config, checkpoint=order.checkpoint, resume=order.resume, group=group)
    logs = [Log(path, config, trainer.step_count if order.resume else None) for path in order.logs] if first else []
    _pretrain(trainer, first)
    progress = Progress(config.steps, trainer.step_count) if first else None
    path = order.checkpoint if first else None
    with _signals() as asked_to_stop:
        for snapshot in steps(trainer, path, order.checkpoint_every, probe=False):
            if snapshot.stop or snapshot.retrieval or snapshot.step % order.log_every == 0:
                for log in logs:
                    log.row(snapshot)
            if progress is not None:
                progress.at(snapshot)
            if snapshot.stop is None and group.any(asked_to_stop()):
                break
    if progress is not None:
        progress.end()
    if snapshot.stop is None:
        return _interrupted(trainer, order, first)
    return _ended(trainer, snapshot, logs, first)


def _pretrain(trainer: Trainer, first: bool) -> None:
    losses = list(trainer.pretraining())
    if losses and first:
        _say(f"pre-trained for {len(losses)} steps, cross-entropy {losses[0]:.3g} to {losses[-1]:.3g}")


def _interrupted(trainer: Trainer, order: Order, first: bool) -> int:
    if not first:
        return INTERRUPTED
    done = f"stopped after {trainer.step_count} of {order.config.steps} steps"
    if order.checkpoint is None:
        _say(f"{done}; nothing is kept, for there was no --checkpoint")
    else:
        save_checkpoint(trainer, order.checkpoint)
        _say(f"{done}; the same command with --resume goes on from there")
    return INTERRUPTED


def _ended(trainer: Trainer, last: Snapshot, logs: list[Log], first: bool) -> int:
    assert last.stop is not None
    if first:
        _say(f"ended after {trainer.step_count} steps: {_WHY[last.stop]}")
    if last.stop is Stop.NOT_FINITE or last.retrieval is None:
        return FAILED
    test = trainer.evaluate("test")
    for log in logs:
        log.result(test)
    if first:
        print("\t".join(["", *measured(test)]))
        for side, found in (("validation", last.retrieval), ("test", test)):
            print("\t".join([side, *(f"{value:.4f}" for value in measured(found).values())]))
    return DONE


@contextmanager
def _signals() -> Iterator[Callable[[], bool]]:
    """Ctrl-C and SIGTERM wait until the step is done; what is yielded tells whether one has come."""
    came: list[int] = []
    both = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _: came.append(number)) for number in both]
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in zip(both, before, strict=True):
            signal.signal(number, handler)


def _show_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    _say(f"warning: {message}")


def _first_line(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}".partition("\n")[0][:200]


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
