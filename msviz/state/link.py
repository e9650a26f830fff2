"""The whole state as query parameters of a link, and back.

Readable where people edit links by hand (loss, its parameters by name, epsilon, batch=<preset>, pair=4-6,
hide=edges,forces, flat=1), packed where they do not (points, see `msviz.state.packed`). What equals the default state
is left out, so that a partial link such as ``?beta=80`` changes just that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from msviz.core.errors import MsvizError
from msviz.core.losses import LOSSES
from msviz.core.losses.spec import ParamInfo, param_infos
from msviz.core.methods import Method
from msviz.data import PRESETS, Batch
from msviz.data.presets import DEFAULT_PRESET
from msviz.state.below import below_parts, below_query
from msviz.state.packed import pack, unpack
from msviz.state.shown import display_parts, display_query, got
from msviz.state.value import DEFAULT_OTHERS, MAX_OTHERS, Display, State, default_state
from msviz.text import number

_T = TypeVar("_T")


def encode(state: State) -> dict[str, str]:
    """The query parameters of a state; `decode` restores it to the last bit.

    Args:
        state: any state.

    Returns:
        Names and values, unescaped; empty for the default state.

    Raises:
        MsvizError: error.link_batch: a link cannot carry these embeddings.

    Example:
        >>> encode(default_state().select(4, 6))
        {'pair': '4-6'}
    """
    return {
        **_method_query(state.method),
        **_others_query(state.others),
        **_batch_query(state.batch),
        **({} if state.normalize else {"flat": "1"}),
        **display_query(state.display),
        **below_query(state.display),
    }


def decode(query: Mapping[str, str]) -> tuple[State, tuple[MsvizError, ...]]:
    """The state that a link asks for. Never raises: a part that cannot be read falls back to its default.

    Args:
        query: query parameters, from anybody; names that mean nothing here are ignored.

    Returns:
        The state, and one error for each part that fell back (keys error.link_*), each a sentence that says what was
        expected, what came, and what is shown instead.

    Example:
        >>> state, errors = decode({"beta": "abc", "alpha": "3"})
        >>> state.method.params.alpha, state.method.params.beta, [error.key for error in errors]
        (3.0, 40.0, ['error.link_parameter'])
    """
    errors: list[MsvizError] = []
    batch = _or_default(errors, lambda: _batch(query), default_state().batch)
    method = _method(query, errors)
    others = _or_default(errors, lambda: _others(query), DEFAULT_OTHERS)
    display = Display()
    for part in (*display_parts(query, batch, others), *below_parts(query)):
        display = _or_default(errors, partial(part, display), display)
    normalize = _or_default(errors, lambda: _normalize(query, batch), True)
    return State(batch, method, display, others, normalize), tuple(errors)


def _or_default(errors: list[MsvizError], read: Callable[[], _T], default: _T) -> _T:
    try:
        return read()
    except MsvizError as error:
        errors.append(error)
        return default


# The method: one name a parameter, read from the loss's own record


def _base(loss: str) -> Method:
    """The method that a link starts from, when it names this loss and nothing else."""
    default = default_state().method
    return default if loss == default.name else Method(loss, epsilon=default.epsilon)


def _method_query(method: Method) -> dict[str, str]:
    base = _base(method.name)
    query = {} if method.name == default_state().method.name else {"loss": method.name}
    for info in param_infos(method.params):
        value = getattr(method.params, info.name)
        if value != getattr(base.params, info.name):
            query[info.name] = _written(value)
    if method.epsilon != base.epsilon:
        query["epsilon"] = "none" if method.epsilon is None else _written(method.epsilon)
    return query


def _method(query: Mapping[str, str], errors: list[MsvizError]) -> Method:
    method = _or_default(errors, lambda: _base(_loss(query)), default_state().method)
    own = {info.name: info for info in param_infos(method.params)}
    known = {info.name for loss in LOSSES.values() for info in param_infos(loss.params)}
    for name in sorted(known & set(query)):
        method = _or_default(errors, partial(_set, method, own.get(name), name, query), method)
    return _or_default(errors, lambda: _mined(method, query), method)


def _loss(query: Mapping[str, str]) -> str:
    default = default_state().method.name
    name = query.get("loss", default)
    if name not in LOSSES:
        plain = "The link asks for the loss {got}, but there are only {known}. Shown instead: {shown}."
        raise MsvizError("error.link_loss", plain, got=got(name), known=", ".join(LOSSES), shown=default)
    return name


def _set(method: Method, info: ParamInfo | None, name: str, query: Mapping[str, str]) -> Method:
    if info is None:
        plain = "The link sets {name} to {got}, but the loss {loss} has no {name}. It was left out."
        raise MsvizError("error.link_parameter_unknown", plain, name=name, got=got(query[name]), loss=method.name)
    try:
        value = float(query[name])
        return method.replace(**{name: int(value) if info.whole and value.is_integer() else value})
    except (ValueError, TypeError) as error:  # no number, or MsvizError: out of range
        plain = "The link sets {name} to {got}, but it must be a number {bounds}. It stays {shown}."
        bounds = f"{'>' if info.low_open else '≥'} {number(info.low, None)} and ≤ {number(info.high, None)}"
        shown = number(getattr(method.params, name), None)
        raise MsvizError(
            "error.link_parameter", plain, name=info.letter, got=got(query[name]), bounds=bounds, shown=shown
        ) from error


def _mined(method: Method, query: Mapping[str, str]) -> Method:
    text = query.get("epsilon")
    if text is None:
        return method
    if text == "none":
        return method.replace(epsilon=None)
    try:
        return method.replace(epsilon=float(text))
    except (ValueError, TypeError) as error:
        plain = (
            "The link sets the mining margin epsilon to {got}, but it must be none or a number ≥ 0. It stays {shown}."
        )
        shown = "none" if method.epsilon is None else number(method.epsilon, None)
        raise MsvizError("error.link_epsilon", plain, got=got(text), shown=shown) from error


# The methods it is compared with: "triplet~lam~0.2,linear~epsilon~0.1"; what a method does not say has its default


def _others_query(others: tuple[Method, ...]) -> dict[str, str]:
    return {} if others == DEFAULT_OTHERS else {"vs": ",".join(map(_short, others)) or "none"}


def _short(method: Method) -> str:
    parts = [method.name]
    for info in param_infos(method.params):
        value = getattr(method.params, info.name)
        if value != info.default:
            parts += [info.name, _written(value)]
    return "~".join(parts if method.epsilon is None else [*parts, "epsilon", _written(method.epsilon)])


def _others(query: Mapping[str, str]) -> tuple[Method, ...]:
    text = query.get("vs")
    if text is None:
        return DEFAULT_OTHERS
    try:
        found = () if text == "none" else tuple(map(_from_short, text.split(",")))
        if len(found) > MAX_OTHERS:
            raise ValueError
    except (ValueError, TypeError) as error:  # MsvizError among them
        plain = (
            "The link compares with {got}, but expected are at most {limit} methods such as triplet~lam~0.2. "
            "The usual ones are shown instead."
        )
        raise MsvizError("error.link_others", plain, got=got(text), limit=MAX_OTHERS) from error
    return found


def _from_short(text: str) -> Method:
    name, *rest = text.split("~")
    values = {key: float(value) for key, value in zip(rest[::2], rest[1::2], strict=True)}
    return Method(name, **values)


# The batch


def _batch_query(batch: Batch) -> dict[str, str]:
    preset = PRESETS.get(batch.source.name)
    if preset is None or preset.make() != batch:
        return {"points": pack(batch)}
    return {} if preset.slug == DEFAULT_PRESET else {"batch": preset.slug}


def _batch(query: Mapping[str, str]) -> Batch:
    if "points" in query:
        return unpack(query["points"])
    slug = query.get("batch", DEFAULT_PRESET)
    if slug not in PRESETS:
        plain = "The link asks for the batch {got}, but there are only {known}. Shown instead: {shown}."
        raise MsvizError("error.link_preset", plain, got=got(slug), known=", ".join(PRESETS), shown=DEFAULT_PRESET)
    return PRESETS[slug].make()


def _normalize(query: Mapping[str, str], batch: Batch) -> bool:
    text = query.get("flat", "0")
    if text == "0" or (text == "1" and batch.planar):
        return text == "0"
    plain = (
        "The link lets norms count (flat={got}), which needs flat=1 and points on a plane that can be moved. "
        "Norms do not count."
    )
    raise MsvizError("error.link_flat", plain, got=got(text))


def _written(value: float) -> str:
    """The shortest text that reads back as the same number; without a plus, which some programs turn into a space."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(float(value)).replace("+", "")
