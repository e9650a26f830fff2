"""What the visitor trains: kept for the session, begun by a choice or from a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from msviz.core.errors import MsvizError
from msviz.ui import session
from msviz.ui.engines import Engine
from msviz.ui.runs import Run
from msviz.ui.setups import FIRST, SETUPS, Chosen, setup_method
from msviz.ui.train_link import read_run, unreadable

_TRAINING: Final = "msviz.training"
_REFUSED: Final = "msviz.training.refused"


@dataclass(frozen=True)
class Training:
    """What a visitor trains.

    Args:
        chosen: the setup and its settings.
        run: the run of it.
    """

    chosen: Chosen
    run: Run

    @classmethod
    def begin(cls, chosen: Chosen, at_once: bool) -> Training:
        """A run with the visitor's method.

        Args:
            chosen: what is trained.
            at_once: load the data now, so that what cannot be trained is refused here; else the run's thread does it.

        Raises:
            MsvizError: those of `Engine`, at once.
        """
        chosen = replace(chosen, config=replace(chosen.config, method=session.desk().state.method))

        def make() -> Engine:
            return Engine(chosen.config, chosen.other, chosen.data)

        if not at_once:
            return cls(chosen, Run(make))
        return cls(chosen, Run([make()].pop))  # which leaves nothing here when the run is closed


def training() -> Training:
    """What the visitor trains; on the first visit what the link asks for, or the first setup."""
    found: Training | None = session.widget(_TRAINING)
    if found is None:
        found = _of_link(session.query()) or Training.begin(Chosen(FIRST, SETUPS[FIRST]()), at_once=False)
        session.keep(_TRAINING, found)
    return found


def refused() -> tuple[MsvizError, ...]:
    """Why the last choice, or what a link asked for, could not be begun."""
    found: tuple[MsvizError, ...] = session.widget(_REFUSED, ())
    return found


def _of_link(query: Mapping[str, str]) -> Training | None:
    found = read_run(query, session.desk().state.batch)
    if found is None:
        return None
    chosen, errors = found
    session.keep(_REFUSED, errors)
    if "loss" not in query:
        now = session.desk()
        begun = now.state.with_method(setup_method(chosen.setup, now.state.method))
        session.put(replace(now, history=now.history.push(begun)))
    try:
        return Training.begin(chosen, at_once=True)
    except MsvizError:  # such as a batch larger than the data
        session.keep(_REFUSED, (unreadable(query.get("run", "")),))
        return None


def begin(make: Callable[[], Chosen]) -> MsvizError | None:
    """Another run in place of the old one; if it is refused, the old one stays.

    Args:
        make: says what is to be trained.

    Returns:
        Why not; None when it began.
    """
    old = training()
    try:
        new = Training.begin(make(), at_once=True)
    except MsvizError as error:
        return error
    session.keep(_TRAINING, new)
    session.keep(_REFUSED, ())
    old.run.close()
    return None


def choose(make: Callable[[], Chosen]) -> bool:
    """The same, and the page says why it was refused.

    Args:
        make: says what is to be trained.

    Returns:
        Whether it began.
    """
    error = begin(make)
    if error is not None:
        session.keep(_REFUSED, (error,))
    return error is None
