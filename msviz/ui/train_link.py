"""What is trained, in a link: run=glyphs~seed~5~data.hardness~0.8~versus~binomial, and rate=0.01.

A setup and what differs from it, by name. The method is the state's (`msviz.state.link`), and the points of free ones
are its batch. The learning rate has a parameter of its own, as it changes while a run plays. Files are in no link, and
neither is the device: it belongs to the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from msviz.core.errors import MsvizError
from msviz.core.losses.spec import ParamInfo, param_infos
from msviz.core.methods import METHODS
from msviz.data import Batch
from msviz.state.shown import got
from msviz.training.config import FIELDS, Choice, TrainConfig
from msviz.training.sources import source_from_json, source_to_json
from msviz.ui.setups import FIRST, OWN, SETUPS, Chosen, chosen_setup

_LONGEST: Final = 1000  # characters
_VERSUS: Final = "versus"


def run_query(chosen: Chosen, batch: Batch) -> dict[str, str]:
    """The query parameter of a run, without its learning rate; none for the first setup as it is.

    Args:
        chosen: what is trained; not the visitor's files.
        batch: the current one.

    Example:
        >>> from msviz.data import PRESETS
        >>> batch = PRESETS["overlapping"].make()
        >>> rings = chosen_setup("rings", batch)
        >>> run_query(replace(rings, config=replace(rings.config, seed=5), other=METHODS["binomial"]), batch)
        {'run': 'rings~seed~5~versus~binomial'}
    """
    first = chosen_setup(chosen.setup, batch).config
    parts = [chosen.setup]
    for name in _fields(first):
        value = _value(chosen.config, name)
        if value != _value(first, name):
            parts += [name, str(value)]
    slug = next((slug for slug, method in METHODS.items() if method == chosen.other), None)
    if slug is not None:
        parts += [_VERSUS, slug]
    return {} if parts == [FIRST] else {"run": "~".join(parts)}


def first_rate(chosen: Chosen, batch: Batch) -> float:
    """The learning rate that a link of this run need not name.

    Args:
        chosen: what is trained; not the visitor's files.
        batch: the current one.
    """
    return chosen_setup(chosen.setup, batch).config.learning_rate


def read_run(query: Mapping[str, str], batch: Batch) -> tuple[Chosen, tuple[MsvizError, ...]] | None:
    """What a link trains; None when it says nothing of it. Never raises.

    Args:
        query: query parameters, from anybody.
        batch: the link's.

    Returns:
        What is trained, and one error (error.link_run, error.link_rate) for each part that fell back to the default.
    """
    if not {"run", "rate"} & set(query):
        return None
    errors: list[MsvizError] = []
    try:
        chosen = _chosen(query.get("run", FIRST), batch)
    except (ValueError, TypeError):  # MsvizError among them
        errors.append(unreadable(query.get("run", "")))
        chosen = chosen_setup(FIRST, batch)
    try:
        rate = float(query.get("rate", chosen.config.learning_rate))
        chosen = replace(chosen, config=replace(chosen.config, learning_rate=rate))
    except ValueError:
        plain = "The link sets the learning rate to {got}, but it must be a number > 0 and ≤ 1000. It stays {shown}."
        shown = chosen.config.learning_rate
        errors.append(MsvizError("error.link_rate", plain, got=got(query["rate"]), shown=shown))
    return chosen, tuple(errors)


def unreadable(text: str) -> MsvizError:
    """The error for a run that cannot be read, or not be begun.

    Args:
        text: the link's.
    """
    plain = (
        "The link trains {got}, but expected is one of {known}, with settings that fit together such as "
        "{shown}~seed~5. Shown instead: {shown}."
    )
    known = ", ".join([*SETUPS, OWN])
    return MsvizError("error.link_run", plain, got=got(text), known=known, shown=FIRST)


def _chosen(text: str, batch: Batch) -> Chosen:
    setup, *rest = text.split("~")
    if len(text) > _LONGEST or setup not in (*SETUPS, OWN):
        raise ValueError
    given = dict(zip(rest[::2], rest[1::2], strict=True))
    chosen = chosen_setup(setup, batch)
    other = given.pop(_VERSUS, None)
    if other is not None and other not in METHODS:
        raise ValueError
    fields = _fields(chosen.config)
    if not set(given) <= set(fields):
        raise ValueError
    values: dict[str, Any] = {
        name: text if isinstance(fields[name], Choice) else float(text) for name, text in given.items()
    }
    own = {name.removeprefix("data."): value for name, value in values.items() if name.startswith("data.")}
    data = source_from_json({**source_to_json(chosen.config.data), **own}) if own else chosen.config.data
    run = {name: value for name, value in values.items() if not name.startswith("data.")}
    config = replace(chosen.config, data=data, **run)
    return replace(chosen, config=config, other=None if other is None else METHODS[other])


def _fields(config: TrainConfig) -> dict[str, ParamInfo | Choice]:
    """Every setting that a link holds, by its name there."""
    data = {f"data.{info.name}": info for info in param_infos(type(config.data))}
    return {**data, **{name: field for name, field in FIELDS.items() if name not in ("learning_rate", "device")}}


def _value(config: TrainConfig, name: str) -> Any:
    return getattr(config.data, name[5:]) if name.startswith("data.") else getattr(config, name)
