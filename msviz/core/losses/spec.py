"""What a loss file hands over: its parameters, its two functions, its equation, and one record that names them."""

import dataclasses
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from jaxtyping import Bool, Float
from torch import Tensor

from msviz.core.errors import MsvizError, shown
from msviz.core.pairs import Pairs
from msviz.core.precision import at_least_float32, is_finite_number

Role = Literal["S", "P", "N", ""]
Scale = Literal["linear", "log"]


@dataclass(frozen=True)
class ParamInfo:
    """One parameter of a loss, as sliders, links and error texts need it.

    Attributes:
        name: the name in code, such as "lam".
        letter: the letter in the paper, such as "λ".
        default: the value when nobody chooses one.
        low, high: the range; `high` belongs to it, `low` too unless `low_open`.
        low_open: True when `low` itself is not allowed.
        scale: how a slider moves, "linear" or "log".
        step: the slider's step.
        whole: True when only whole numbers make sense.
        help: one sentence that says what a larger value does.
    """

    name: str
    letter: str
    default: float
    low: float
    high: float
    low_open: bool
    scale: Scale
    step: float
    whole: bool
    help: str

    @property
    def bounds(self) -> str:
        """The range in words.

        >>> ParamInfo("beta", "β", 40.0, 0.0, 200.0, True, "log", 0.01, False, "sharpness").bounds
        '> 0 and <= 200'
        """
        return f"{'>' if self.low_open else '>='} {self.low:g} and <= {self.high:g}"


@dataclass(frozen=True)
class Term:
    """One summand or factor of an equation, with its number filled in.

    Attributes:
        symbol: how it is written, in plain unicode with `^{...}` and `_{...}`: "e^{β(λ−S_{ij})}".
        value: its value now.
        role: the similarity it carries: "S" the pair itself, "N" its rivals of its own kind, "P" the other kind.
    """

    symbol: str
    value: float
    role: Role = ""


ONE = Term("1", 1.0)


@dataclass(frozen=True)
class Equation:
    """A pair's weight written out: product(factor) * sum(numerator) / sum(denominator).

    Attributes:
        factor: multiplied; may be empty.
        numerator: added; empty = 1.
        denominator: added; empty = 1.

    >>> Equation(numerator=(ONE,), denominator=(ONE, Term("e^{0}", 1.0))).value
    0.5
    """

    factor: tuple[Term, ...] = ()
    numerator: tuple[Term, ...] = ()
    denominator: tuple[Term, ...] = ()

    @property
    def value(self) -> float:
        """The weight w_ij = |dL_i/dS_ij|; with a minus where the gradient's sign contradicts GPW's assumption."""
        product = math.prod(term.value for term in self.factor)
        above = sum(term.value for term in self.numerator or (ONE,))
        below = sum(term.value for term in self.denominator or (ONE,))
        return product * above / below


@dataclass(frozen=True)
class WholeBatch:
    """How a loss that needs the whole batch at once is computed in two passes over blocks of rows.

    Attributes:
        collect: (sim [N, M], pairs, p) -> what these rows add to the batch, a tensor to be summed over all blocks.
        value: (collected, p) -> the batch loss.
        gradient: (collected, sim [N, M], pairs, p) -> d(batch loss)/dS_ij [N, M] of these rows, signed.
    """

    collect: Callable[[Tensor, Pairs, Any], Tensor]
    value: Callable[[Tensor, Any], Tensor]
    gradient: Callable[[Tensor, Tensor, Pairs, Any], Tensor]


@dataclass(frozen=True)
class LossSpec:
    """The record of one loss: what the menu, the sliders, the link, the tests and the pages read.

    Attributes:
        name: the name in code; also the name of its file.
        title: the name people say.
        cite: where it comes from.
        params: the frozen dataclass of its parameters.
        examples: parameter sets worth looking at; the contract tests run over them.
        per_anchor: (sim [N, M], pairs, p) -> L_i [N]; None for a loss that is no sum over anchors.
        pair_gradient: (sim [N, M], pairs, p) -> d total / dS_ij [N, M], signed, in closed form.
        equation: (sim, pairs, p, i, j) -> the weight of pair (i, j), which must be in `pairs`, written out.
        whole_batch: how a loss without `per_anchor` is computed; None for all others.
        fused: (sim [n, M], comparison, rows, p, epsilon, gradient) -> L_i [n]: mining, `per_anchor` and, on request,
            `pair_gradient` in one, fast and overwriting `sim` (see `msviz.core.fused`); None = there is no such thing.
        order: its place in menus; equal places are alphabetical.

    Half precision never enters a loss file: `per_anchor` and `pair_gradient` get at least float32, values stay so, and
    gradients return in the type of `sim`.
    """

    name: str
    title: str
    cite: str
    params: type[Any]
    examples: tuple[Any, ...]
    per_anchor: Callable[[Tensor, Pairs, Any], Tensor] | None
    pair_gradient: Callable[[Tensor, Pairs, Any], Tensor]
    equation: Callable[[Tensor, Pairs, Any, int, int], Equation]
    whole_batch: WholeBatch | None = None
    fused: Callable[..., Tensor] | None = None
    order: int = 100

    def __post_init__(self) -> None:
        if (self.per_anchor is None) == (self.whole_batch is None):
            raise TypeError(f"the loss {self.name} needs either per_anchor or whole_batch")
        if self.per_anchor is not None:
            object.__setattr__(self, "per_anchor", _at_least_float32(self.per_anchor, back=False))
        object.__setattr__(self, "pair_gradient", _at_least_float32(self.pair_gradient, back=True))

    @property
    def separable(self) -> bool:
        """True when the loss is a sum over anchors and L_i depends on row i alone."""
        return self.per_anchor is not None

    def total(self, sim: Float[Tensor, "N M"], pairs: Pairs, p: Any) -> Float[Tensor, ""]:
        """What `pair_gradient` is the gradient of: sum_i L_i, or the batch loss where there is no L_i."""
        if self.per_anchor is not None:
            return self.per_anchor(sim, pairs, p).sum()
        assert self.whole_batch is not None
        return self.whole_batch.value(self.whole_batch.collect(at_least_float32(sim), pairs, p), p)


def param(
    letter: str,
    default: float,
    low: float,
    high: float,
    help: str,
    *,
    low_open: bool = False,
    scale: Scale = "linear",
    step: float = 0.01,
    whole: bool = False,
) -> Any:
    """A field of a loss's `Params`: its default, and beside it what `ParamInfo` says."""
    about = {"letter": letter, "low": low, "high": high, "low_open": low_open, "scale": scale, "step": step}
    return dataclasses.field(default=default, metadata={**about, "whole": whole, "help": help})


def param_infos(params: Any) -> tuple[ParamInfo, ...]:
    """The parameters of a `Params` class, or of one of its instances, in the order of the file.

    Any frozen dataclass may have such fields, made with `param`; its other fields are passed over.
    """
    return tuple(
        ParamInfo(name=field.name, default=cast(float, field.default), **field.metadata)
        for field in dataclasses.fields(params)
        if "letter" in field.metadata
    )


def check(params: Any) -> None:
    """Check every parameter against its range, once, and store it as a plain Python number.

    Raises:
        MsvizError: `error.parameter_range`, such as "beta must be > 0 and <= 200, got -3".
    """
    for info in param_infos(params):
        got = getattr(params, info.name)
        if not is_finite_number(got):
            raise _out_of_range(info, "a finite number", got)
        if info.whole and got != int(got):
            raise _out_of_range(info, "a whole number", got)
        if not info.low <= got <= info.high or (info.low_open and got == info.low):
            raise _out_of_range(info, info.bounds, got)
        object.__setattr__(params, info.name, int(got) if info.whole else float(got) + 0.0)


def exp(x: float) -> float:
    """e^x; inf instead of an error where it is too large, so that 1/e^x is 0 there."""
    return math.exp(x) if x < 709 else math.inf


def row_values(sim: Float[Tensor, "N M"], keep: Bool[Tensor, "N M"], i: int) -> list[float]:
    """The similarities of anchor i's kept pairs, as plain numbers."""
    values: list[float] = sim[i][keep[i]].tolist()
    return values


def _out_of_range(info: ParamInfo, bounds: str, got: Any) -> MsvizError:
    return MsvizError(
        "error.parameter_range",
        "{name} must be {bounds}, got {got}",
        name=info.name,
        letter=info.letter,
        low=info.low,
        high=info.high,
        bounds=bounds,
        got=shown(got),
    )


def _at_least_float32(function: Callable[..., Tensor], back: bool) -> Callable[..., Tensor]:
    @functools.wraps(function)  # keeps the way to the source, which the pages show
    def widened(sim: Tensor, pairs: Pairs, p: Any) -> Tensor:
        result = function(at_least_float32(sim), pairs, p)
        return result.to(sim.dtype) if back and sim.is_floating_point() else result

    return widened
