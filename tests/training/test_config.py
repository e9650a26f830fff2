"""What a run is: its ranges, and its way through JSON."""

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msviz import METHODS, Method, MsvizError
from msviz.core.losses.spec import ParamInfo
from msviz.core.npair import Pairing
from msviz.core.scheme import PLAIN, Scheme
from msviz.training.config import FIELDS, Choice, TrainConfig, method_from_json, method_to_json
from msviz.training.sources import Blobs, Glyphs
from tests.training.runs import batches


def values(field: ParamInfo | Choice) -> st.SearchStrategy[Any]:
    if isinstance(field, Choice):
        return st.sampled_from(field.options)
    if field.whole:
        return st.integers(int(field.low), int(field.high))
    return st.floats(field.low, field.high, exclude_min=field.low_open)


@given(
    st.fixed_dictionaries({name: values(field) for name, field in FIELDS.items() if name not in ("model", "split")}),
    batches(),
    st.sampled_from([Glyphs(), Blobs()]),
    st.sampled_from(list(METHODS.values())),
)
def test_a_config_survives_json(chosen: dict[str, Any], batch: dict[str, Any], data: Any, method: Method) -> None:
    config = TrainConfig(data=data, method=method, **chosen | batch)
    assert TrainConfig.from_json(json.loads(json.dumps(config.as_json()))) == config


def test_what_is_left_out_keeps_its_default() -> None:
    assert TrainConfig.from_json({}) == TrainConfig()
    assert TrainConfig.from_json({"steps": 7, "method": "ms"}) == TrainConfig(steps=7, method=METHODS["ms"])


def test_every_field_but_data_and_method_is_in_the_table_and_in_order() -> None:
    assert ["data", "method", *FIELDS] == [field.name for field in dataclasses.fields(TrainConfig)]
    for name, field in FIELDS.items():
        assert getattr(TrainConfig(), name) == field.default
        assert field.help.endswith(".")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"learning_rate": 0}, "learning_rate must be > 0 and <= 1000, got 0"),
        ({"learning_rate": float("inf")}, "learning_rate must be a finite number, got inf"),
        ({"steps": 2.5}, "steps must be a whole number, got 2.5"),
        ({"per_class": 1}, "per_class must be >= 2 and <= 512, got 1"),
        ({"model": "resnet"}, "model must be one of points, linear, mlp, cnn, got 'resnet'"),
        ({"optimiser": ["adam"]}, "optimiser must be one of adam, sgd, got ['adam']"),
        ({"model": "points", "split": "classes"}, "split must be none, for free points know nothing of items that"),
        ({"model": "points", "pretrain_steps": 5}, "pretrain_steps must be 0 for free points, got 5"),
        ({"pairing": "quadruplets"}, "pairing must be one of all, triplets, tuplets, npair, got 'quadruplets'"),
        ({"pairing": "npair"}, "npair of 16 classes take 2 items of each, got 5; set per_class (K) to 2"),
        ({"pairing": "triplets"}, "triplets of 16 classes take 3 items of each, got 5; set per_class (K) to 3"),
        ({"pairing": "tuplets", "classes_per_batch": 5}, "tuplets of 5 classes take 6 items of each, got 5"),
        ({"mine_classes": 15}, "mine_classes must be 0, or at least the 16 classes of a batch, got 15"),
        ({"mine_classes": 513}, "mine_classes must be >= 0 and <= 512, got 513"),
        ({"negatives": "loop", "similarity": "dot"}, "LoOp looks for hard negatives on the sphere; compare by cosines"),
        ({"norm_penalty": 0.1}, "norm_penalty must be 0 with cosines, for which norms do not count, got 0.1"),
        ({"norm_penalty": 2, "similarity": "dot"}, "norm_penalty must be >= 0 and <= 1, got 2"),
    ],
)
def test_a_setting_out_of_its_range_is_named_with_its_range(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MsvizError) as caught:
        TrainConfig(**wrong)
    assert str(caught.value).startswith(sentence)


def test_a_batch_is_compared_as_its_settings_say() -> None:
    assert TrainConfig().scheme == PLAIN
    tuplets = TrainConfig(pairing="npair", per_class=2, similarity="dot", norm_penalty=0.25)
    assert tuplets.scheme == Scheme(pairing=Pairing.NPAIR, normalize=False, penalty=0.25)
    assert TrainConfig(negatives="loop").scheme == Scheme(loop=True)


def test_a_setting_that_does_not_exist_is_named() -> None:
    with pytest.raises(MsvizError, match="a run has no setting 'lr'; it has data, method, model"):
        TrainConfig.from_json({"lr": 1})


def test_alpha_of_0_is_refused_by_the_method() -> None:
    with pytest.raises(MsvizError, match="alpha must be > 0"):
        TrainConfig.from_json({"method": {"loss": "multi_similarity", "alpha": 0}})


@pytest.mark.parametrize("wrong", ["best", 3, None, {}, {"alpha": 2}, {"loss": 4}])
def test_what_is_no_method_is_refused_in_words(wrong: Any) -> None:
    with pytest.raises(MsvizError, match="method must be one of paper, authors"):
        method_from_json(wrong)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_method_survives_json(method: Method) -> None:
    assert method_from_json(json.loads(json.dumps(method_to_json(method)))) == method
