"""Parameters: their ranges in words, checked once; equations: finite in every corner."""

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
import pytest

from msviz import LOSSES, MsvizError
from msviz.core.losses.spec import ONE, Equation, Term, check, exp, param, param_infos

every_parameter = pytest.mark.parametrize(
    ("loss", "info"),
    [
        pytest.param(loss, info, id=f"{name}-{info.name}")
        for name, loss in LOSSES.items()
        for info in param_infos(loss.params)
    ],
)


@dataclass(frozen=True)
class Counted:
    bins: int = param("R", 20, 2, 200, "Number of bins.", whole=True, step=1)

    def __post_init__(self):
        check(self)


def message_of(make, **values):
    with pytest.raises(MsvizError) as error:
        make(**values)
    assert error.value.key == "error.parameter_range"
    return str(error.value)


def test_the_range_is_said_in_words():
    params = LOSSES["multi_similarity"].params
    assert message_of(params, beta=-3) == "beta must be > 0 and <= 200, got -3"
    assert message_of(params, lam=1.5) == "lam must be >= -1 and <= 1, got 1.5"
    assert message_of(params, beta=math.nan) == "beta must be a finite number, got nan"
    assert message_of(params, beta="40") == "beta must be a finite number, got '40'"
    assert message_of(params, beta=None) == "beta must be a finite number, got None"
    assert message_of(params, beta=True) == "beta must be a finite number, got True"
    assert message_of(Counted, bins=2.5) == "bins must be a whole number, got 2.5"
    assert message_of(Counted, bins=1) == "bins must be >= 2 and <= 200, got 1"


def test_an_error_carries_what_a_page_needs_to_word_it():
    with pytest.raises(MsvizError) as error:
        LOSSES["multi_similarity"].params(beta=-3)
    got = error.value.values
    assert (got["name"], got["letter"], got["low"], got["high"], got["got"]) == ("beta", "β", 0, 200, -3)
    assert got["bounds"] == "> 0 and <= 200"


@every_parameter
def test_every_range_is_kept_at_both_ends(loss, info):
    loss.params(**{info.name: info.high})
    message_of(loss.params, **{info.name: info.high + 1})
    message_of(loss.params, **{info.name: info.low - 1})
    message_of(loss.params, **{info.name: math.inf})
    if info.low_open:
        message_of(loss.params, **{info.name: info.low})
    else:
        loss.params(**{info.name: info.low})


TABLE = [  # of all losses; linear, npair and npair_ovo have no parameters
    ("contrastive", "lam", 0.5, -1, 1, False),
    ("triplet", "lam", 0.1, 0, 2, False),
    ("lifted", "lam", 0.5, -2, 2, False),
    ("lifted_star", "alpha", 2, 0, 200, True),
    ("lifted_star", "beta", 40, 0, 200, True),
    ("binomial", "alpha", 2, 0, 200, True),
    ("binomial", "beta", 40, 0, 200, True),
    ("binomial", "lam", 0.5, -1, 1, False),
    ("nca", "scale", 1, 0, 200, True),
    ("histogram", "bins", 20, 2, 200, False),
    ("binlifted", "alpha", 2, 0, 200, True),
    ("binlifted", "beta", 40, 0, 200, True),
    ("binlifted", "lam", 0.5, -1, 1, False),
    ("multi_similarity", "alpha", 2, 0, 200, True),
    ("multi_similarity", "beta", 40, 0, 200, True),
    ("multi_similarity", "lam", 0.5, -1, 1, False),
    ("supcon", "tau", 0.1, 0.01, 10, False),
]


@pytest.mark.parametrize(("loss", "name", "default", "low", "high", "low_open"), TABLE)
def test_defaults_and_ranges_are_those_of_the_table(loss, name, default, low, high, low_open):
    info = next(info for info in param_infos(LOSSES[loss].params) if info.name == name)
    assert (info.default, info.low, info.high, info.low_open) == (default, low, high, low_open)


def test_the_table_knows_every_parameter():
    assert {(loss, name) for loss, name, *_ in TABLE} == {
        (name, info.name) for name, loss in LOSSES.items() for info in param_infos(loss.params)
    }


def test_bins_are_counted_in_whole_numbers():
    (info,) = param_infos(LOSSES["histogram"].params)
    assert (info.whole, info.step) == (True, 1)
    assert repr(LOSSES["histogram"].params(bins=7.0)) == "Params(bins=7)"
    assert message_of(LOSSES["histogram"].params, bins=2.5) == "bins must be a whole number, got 2.5"


def test_parameters_become_plain_numbers():
    p = LOSSES["multi_similarity"].params(alpha=np.float32(3), beta=50)
    assert repr(p) == "Params(alpha=3.0, beta=50.0, lam=0.5)"
    assert repr(Counted(bins=7.0)) == "Counted(bins=7)"


def test_parameters_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        LOSSES["triplet"].params().lam = 0.3


def test_infos_of_an_instance_are_those_of_its_class():
    params = LOSSES["multi_similarity"].params
    assert param_infos(params(beta=7)) == param_infos(params)


def test_equation_multiplies_factors_and_divides_sums():
    two, three = Term("2", 2.0), Term("3", 3.0)
    assert Equation(factor=(two, three), numerator=(ONE, two), denominator=(two,)).value == 9
    assert Equation().value == 1


def test_equation_is_zero_where_its_denominator_is_beyond_floats():
    assert Equation(numerator=(ONE,), denominator=(Term("e^{β}", exp(1e4), "S"), ONE)).value == 0
    assert exp(-1e4) == 0
