"""The flags of the command line, made of the tables that page controls are made of, and the config they add up to."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from msviz.core.errors import MsvizError, out_of_range
from msviz.core.losses import LOSSES
from msviz.core.losses.spec import ParamInfo, param_infos
from msviz.core.methods import METHODS, Method
from msviz.training.checkpoint import saved_config
from msviz.training.config import FIELDS, Choice, TrainConfig, method_from_json, method_to_json
from msviz.training.sources import SOURCES, source_to_json

_ABOUT: Final = """Train an embedding with a pair loss and measure retrieval on what it never saw.

  python -m msviz.training                                     unseen glyphs, the authors' multi-similarity
  python -m msviz.training --data glyphs --data.hardness 0.8 --method ms --beta 50 --epsilon none --steps 400
  python -m msviz.training --config run.json --checkpoint run.msviz --checkpoint-every 100 --log-file run.csv
  python -m msviz.training --method npair --pairing npair --per-class 2 --mine-classes 32 --similarity dot
  torchrun --nproc-per-node 2 -m msviz.training --steps 400    the same batches, shared by two processes"""
_ENDS: Final = """A run that was stopped or killed goes on with the same command and --resume, with identical numbers.
Ends with 0 when done, 1 when numbers became infinite, 2 for bad input, 130 when stopped (Ctrl-C, SIGTERM)."""


@dataclasses.dataclass(frozen=True)
class Order:
    """What the command line asks for.

    Args:
        config: the run.
        checkpoint: the file for its state; None = none.
        checkpoint_every: write it after every so many steps, too; 0 = not.
        resume: go on from it.
        logs: files for its log.
        log_every: steps between two rows.
        only_print: print the config as JSON and train nothing.
    """

    config: TrainConfig
    checkpoint: Path | None
    checkpoint_every: int
    resume: bool
    logs: tuple[Path, ...]
    log_every: int
    only_print: bool


def read_order(arguments: Sequence[str]) -> Order:
    """The order of some arguments; what no flag says stands in the config file, the checkpoint or the defaults.

    Args:
        arguments: without the program's name.

    Raises:
        MsvizError: error.command_line, error.config_file, error.resume, and those of `TrainConfig`.

    Example:
        >>> order = read_order(["--model", "mlp", "--method", "triplet", "--lam", "0.2", "--seed", "3"])
        >>> order.config.model, order.config.method, order.config.seed
        ('mlp', Method('triplet', lam=0.2, epsilon=None), 3)
    """
    given = {name: value for name, value in vars(_parser().parse_args(arguments)).items() if value is not None}
    checkpoint, resume = given.get("checkpoint"), given["resume"]
    if resume and checkpoint is None:
        raise MsvizError("error.resume", "--resume needs the file to go on from; add --checkpoint with its name")
    every = {name: _count(f"--{name.replace('_', '-')}", given[name], low) for name, low in _COUNTS.items()}
    return Order(
        config=_config(given, checkpoint if resume else None),
        checkpoint=None if checkpoint is None else Path(checkpoint),
        resume=resume,
        logs=tuple(Path(log) for log in given.get("log_file", ())),
        only_print=given["print_config"],
        **every,
    )


class Parser(argparse.ArgumentParser):
    """argparse, except that what is wrong is an MsvizError."""

    def error(self, message: str) -> NoReturn:
        raise MsvizError("error.command_line", "{problem}; see --help", problem=message)


_COUNTS: Final = {"checkpoint_every": 0, "log_every": 1}


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m msviz.training",
        usage="%(prog)s [--flag VALUE ...]",
        description=_ABOUT,
        epilog=_ENDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    files = parser.add_argument_group("files")
    files.add_argument("--config", metavar="FILE", help="JSON, as --print-config writes it; flags override it")
    files.add_argument("--print-config", action="store_true", help="print the config as JSON and train nothing")
    files.add_argument("--log-file", action="append", metavar="FILE", help=".csv or .jsonl; may be given twice")
    files.add_argument("--log-every", default="10", metavar="N", help="steps between two rows (default: 10)")
    files.add_argument("--checkpoint", metavar="FILE", help="keep the run's state here; written at start and end")
    files.add_argument("--checkpoint-every", default="0", metavar="N", help="and after every N steps")
    files.add_argument("--resume", action="store_true", help="go on from the checkpoint; cuts logs back to it")
    data = parser.add_argument_group("data")
    data.add_argument("--data", choices=[kind for kind in SOURCES if kind != "points"], help="where items come from")
    for name, (info, kinds) in _source_flags().items():
        about = "the file, or the folder" if info is None else f"{info.help} ({info.bounds})"
        _add(data, f"data.{name}", f"{', '.join(kinds)}: {about}")
    method = parser.add_argument_group("method")
    known = [*METHODS, *(loss for loss in LOSSES if loss not in METHODS)]
    method.add_argument("--method", metavar="NAME", help=f"one of {', '.join(known)}")
    for name, losses in _loss_parameters().items():
        _add(method, name, f"parameter of {', '.join(losses)}")
    _add(method, "epsilon", "mining margin, >= 0, or none to mine nothing")
    run = parser.add_argument_group("run")
    for field in FIELDS.values():
        if isinstance(field, Choice):
            about = f"{field.help} (default: {field.default})"
            run.add_argument(_flag(field.name), choices=field.options, help=about)
        else:
            _add(run, field.name, f"{field.help} ({field.bounds}; default: {field.default:g})")
    return parser


def _add(group: Any, name: str, about: str) -> None:
    group.add_argument(_flag(name), dest=name, metavar="X", help=about.replace("%", "%%"))


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _source_flags() -> dict[str, tuple[ParamInfo | None, list[str]]]:
    """The options of all sources: what they are, None for a path, and the sources that have them."""
    flags: dict[str, tuple[ParamInfo | None, list[str]]] = {}
    for kind, source in SOURCES.items():
        infos: dict[str, ParamInfo | None] = {info.name: info for info in param_infos(source)}
        if "path" in source.__annotations__:
            infos["path"] = None
        for name, info in infos.items():
            flags.setdefault(name, (info, []))[1].append(kind)
    return flags


def _loss_parameters() -> dict[str, list[str]]:
    losses: dict[str, list[str]] = {}
    for name, loss in LOSSES.items():
        for info in param_infos(loss.params):
            losses.setdefault(info.name, []).append(name)
    return losses


def _config(given: dict[str, Any], resumed: str | None) -> TrainConfig:
    plain: dict[str, Any] = {}
    if "config" in given:
        plain = _file(Path(given["config"]))
    elif resumed is not None:
        plain = saved_config(resumed).as_json()
    plain |= {name: _value(given[name]) for name in FIELDS if name in given}
    options = {name.removeprefix("data."): _value(text) for name, text in given.items() if name.startswith("data.")}
    if "data" in given or options:
        plain["data"] = _data(plain.get("data"), given.get("data"), options)
    changes = {name: _value(given[name]) for name in (*_loss_parameters(), "epsilon") if name in given}
    if "method" in given or changes:
        method = _method(given["method"]) if "method" in given else method_from_json(plain.get("method", "authors"))
        plain["method"] = method_to_json(method.replace(**changes))
    return TrainConfig.from_json(plain)


def _data(before: Any, kind: str | None, options: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = dict(before) if isinstance(before, dict) else source_to_json(TrainConfig().data)
    if kind is not None and kept.get("kind") != kind:
        kept = {"kind": kind}
    return kept | options


def _method(name: str) -> Method:
    if name not in METHODS and name not in LOSSES:
        raise out_of_range("method", f"one of {', '.join([*METHODS, *LOSSES])}", name)
    return METHODS[name] if name in METHODS else Method(name)


def _file(path: Path) -> dict[str, Any]:
    problem = "it holds no object in braces"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(found, dict):
            return found
    except OSError as error:
        problem = error.strerror or str(error)
    except ValueError as error:
        problem = str(error)
    plain = "the config {path} cannot be read: {problem}; write one with --print-config"
    raise MsvizError("error.config_file", plain, path=str(path), problem=problem)


def _value(text: str) -> Any:
    """A number where it is one; "none" is None; other words stay, for the config says what it expected instead."""
    if text.lower() == "none":
        return None
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def _count(name: str, text: str, low: int) -> int:
    if not text.isdecimal() or int(text) < low:
        raise out_of_range(name, f"a whole number >= {low}", text)
    return int(text)
