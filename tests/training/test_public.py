"""The public names of msviz.training and its limits: each says what it is for, and a parameter what it may be."""

import dataclasses
import inspect

import pytest

import msviz.training
import msviz.training.limits

PUBLIC = {name: getattr(module, name) for module in (msviz.training, msviz.training.limits) for name in module.__all__}
FUNCTIONS = [name for name, value in PUBLIC.items() if inspect.isroutine(value)]
RECORDS = [name for name, value in PUBLIC.items() if dataclasses.is_dataclass(value)]


@pytest.mark.parametrize("name", [name for name in PUBLIC if not name.replace("_", "").isupper()])
def test_every_public_name_says_what_it_is_for(name: str) -> None:
    value = PUBLIC[name]
    own = value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__
    assert len(own or "") > 40
    assert not own.startswith(f"{name}("), "dataclasses writes such a docstring itself"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_of_a_public_function_is_explained(name: str) -> None:
    function = PUBLIC[name]
    for parameter in inspect.signature(function).parameters:
        assert f"        {parameter}: " in function.__doc__, parameter


@pytest.mark.parametrize("name", RECORDS)
def test_every_field_of_a_public_record_is_explained(name: str) -> None:
    record = PUBLIC[name]
    explained = {part for line in record.__doc__.splitlines() for part in line.split(":")[0].replace(",", " ").split()}
    assert {field.name for field in dataclasses.fields(record) if field.name[0] != "_"} <= explained


@pytest.mark.parametrize("name", ["Trainer", "Duel"])
def test_every_method_of_a_run_is_explained_with_its_parameters(name: str) -> None:
    for of, method in inspect.getmembers(getattr(msviz.training, name), inspect.isfunction):
        if not of.startswith("_"):
            assert len(method.__doc__ or "") > 20, of
            for parameter in list(inspect.signature(method).parameters)[1:]:
                assert f"            {parameter}: " in method.__doc__, f"{of}: {parameter}"
