"""A loss is one file: dropping it in registers it. Everything public says what it is for. `import msviz` is light."""

import ast
import importlib
import inspect
import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import msviz
from msviz import LOSSES
from msviz.core.losses.spec import param_infos

PACKAGE = Path(msviz.__file__).parent

NEW_LOSS = '''
"""Half of everything: a loss for this test. Source: none."""

from dataclasses import dataclass

from msviz.core.losses.spec import Equation, LossSpec, Term, check, param
from msviz.core.masked import masked_sum


@dataclass(frozen=True)
class Params:
    half: float = param("h", 0.5, 0, 1, "How much of everything.")

    def __post_init__(self) -> None:
        check(self)


def per_anchor(sim, pairs, p):
    return p.half * (masked_sum(sim, pairs.neg) - masked_sum(sim, pairs.pos))


def pair_gradient(sim, pairs, p):
    return p.half * (pairs.neg.to(sim.dtype) - pairs.pos.to(sim.dtype))


def equation(sim, pairs, p, i, j):
    return Equation(numerator=(Term("h", p.half),))


LOSS = LossSpec(
    name="half_linear",
    title="Half",
    cite="none",
    params=Params,
    examples=(Params(),),
    per_anchor=per_anchor,
    pair_gradient=pair_gradient,
    equation=equation,
)
'''


def python(code: str, folder: Path = PACKAGE.parent) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)


@pytest.fixture
def copy(tmp_path):
    """A copy of the package and of the core's tests."""
    only_bytes = shutil.ignore_patterns("__pycache__")
    root = PACKAGE.parent
    for folder in ("msviz", "tests/core"):
        shutil.copytree(root / folder, tmp_path / folder, ignore=only_bytes)
    for file in ("pyproject.toml", "tests/__init__.py", "tests/conftest.py"):
        shutil.copy(root / file, tmp_path / file)
    return tmp_path


@pytest.fixture
def copy_with_a_new_loss(copy):
    (copy / "msviz" / "core" / "losses" / "half_linear.py").write_text(NEW_LOSS, encoding="utf-8")
    return copy


def test_a_new_file_is_a_new_loss(copy_with_a_new_loss):
    done = python(
        "import msviz, torch\n"
        "from msviz.core.gpw import proof\n"
        "from msviz.core.losses.spec import param_infos\n"
        "loss = msviz.LOSSES['half_linear']\n"
        "print([(i.letter, i.default, i.low, i.high, i.help) for i in param_infos(loss.params)])\n"
        "method = msviz.Method('half_linear', half=0.25, epsilon=0.1)\n"
        "print(proof(torch.eye(3), msviz.label_pairs([0, 0, 1]), method))\n"
        "print(next(iter(msviz.LOSSES)), len(msviz.LOSSES))",
        copy_with_a_new_loss,
    )
    assert done.stdout.splitlines() == [
        "[('h', 0.5, 0, 1, 'How much of everything.')]",
        "0.0",
        f"multi_similarity {len(LOSSES) + 1}",
    ], done.stderr


def test_a_new_loss_is_in_the_menu_and_has_its_slider(copy_with_a_new_loss):
    done = python(
        "import json\n"
        "from msviz import Method\n"
        "from msviz.state import History, default_state\n"
        "from msviz.ui.desk import Desk\n"
        "from msviz.ui.strip import message\n"
        "data = message(Desk(History(default_state().with_method(Method('half_linear', half=0.25)))))\n"
        "print(json.dumps([data['losses'], data['params']]))",
        copy_with_a_new_loss,
    )
    assert done.returncode == 0, done.stderr
    menu, (slider, epsilon) = json.loads(done.stdout)
    assert {"name": "half_linear", "title": "Half"} in menu
    assert epsilon["name"] == "epsilon"
    wanted = {"name": "half", "letter": "h", "low": 0, "high": 1, "value": 0.25, "help": "How much of everything."}
    assert {key: slider[key] for key in wanted} == wanted


def test_the_contract_tests_take_in_a_new_loss_and_find_its_mistakes(copy_with_a_new_loss):
    wrong = NEW_LOSS.replace("half_linear", "half_wrong").replace("return p.half * (pairs.neg", "return (pairs.neg")
    (copy_with_a_new_loss / "msviz" / "core" / "losses" / "half_wrong.py").write_text(wrong, encoding="utf-8")
    some = "(half_linear or half_wrong) and (closed_form or blocks or half_precision)"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "tests/core/test_contract.py",
        "-k",
        some,
        "-rpf",
        "-p",
        "no:cacheprovider",
    ]
    out = subprocess.run(command, cwd=copy_with_a_new_loss, capture_output=True, text=True).stdout
    assert "PASSED tests/core/test_contract.py::test_closed_form_is_the_gradient_of_the_loss[half_linear-0-None]" in out
    assert "FAILED tests/core/test_contract.py::test_closed_form_is_the_gradient_of_the_loss[half_wrong-0-None]" in out
    assert (
        "PASSED tests/core/test_contract.py::test_blocks_of_rows_give_the_same_as_the_whole[half_linear-0-0.1]" in out
    )


def test_a_file_without_a_record_says_what_is_missing(copy):
    (copy / "msviz" / "core" / "losses" / "unfinished.py").write_text("", encoding="utf-8")
    done = python("import msviz; msviz.LOSSES", copy)
    assert "losses/unfinished.py must end in LOSS = LossSpec(name='unfinished', ...)" in done.stderr


def test_multi_similarity_leads_the_menu_and_the_rest_is_alphabetical():
    first, *rest = LOSSES
    assert first == "multi_similarity"
    assert rest == sorted(rest)


def test_import_is_light_and_shows_all_names():
    done = python(
        "import sys, msviz\n"
        "assert 'torch' not in sys.modules and 'numpy' not in sys.modules\n"
        "assert set(msviz.__all__) <= set(dir(msviz))\n"
        "assert all(getattr(msviz, name) is not None for name in msviz.__all__)\n"
        "assert 'torch' in sys.modules"
    )
    assert done.returncode == 0, done.stderr


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'msviz' has no attribute 'simularity'"):
        msviz.simularity  # noqa: B018


def docstring_of(name: str) -> str:
    """The docstring of a public name; for a table the text that stands below it in its file."""
    value = getattr(msviz, name)
    if inspect.isclass(value) or inspect.isroutine(value):
        return (value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__) or ""
    body = ast.parse(inspect.getsource(importlib.import_module(msviz._HOMES[name]))).body
    for statement, below in itertools.pairwise(body):
        target = statement.target if isinstance(statement, ast.AnnAssign) else None
        if isinstance(target, ast.Name) and target.id == name and isinstance(below, ast.Expr):
            return str(ast.literal_eval(below.value))
    return ""


@pytest.mark.parametrize("name", msviz.__all__)
def test_every_public_name_says_what_it_is_for(name):
    assert len(docstring_of(name)) > 40


@pytest.mark.parametrize("name", [n for n in msviz.__all__ if inspect.isroutine(getattr(msviz, n))])
def test_every_parameter_of_a_public_function_is_explained(name):
    function = getattr(msviz, name)
    for parameter in inspect.signature(function).parameters:
        assert f"        {parameter}: " in function.__doc__, parameter
    assert ">>>" in function.__doc__


@pytest.mark.parametrize("name", ["Pairs", "Evaluation"])
def test_every_field_of_a_public_record_is_explained(name):
    record = getattr(msviz, name)
    for field in record.__dataclass_fields__:
        assert f"        {field}: " in record.__doc__, field


def lesson(loss):
    """The functions of a loss that a student reads."""
    batch = loss.whole_batch
    value = [loss.per_anchor] if loss.separable else [batch.collect, batch.value, batch.gradient]
    return [*value, loss.pair_gradient, loss.equation]


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_every_loss_explains_itself_its_parameters_and_its_source(loss):
    module = inspect.getmodule(loss.pair_gradient)
    assert ("L_i = " if loss.separable else "L = ") in module.__doc__
    assert "w_i" in module.__doc__
    assert "Source: " in module.__doc__
    assert loss.title
    assert loss.cite
    assert loss.params.__doc__
    assert not loss.params.__doc__.startswith("Params(")  # what a dataclass writes when nobody does
    for function in lesson(loss):
        assert function.__doc__
    for info in param_infos(loss.params):
        assert info.letter
        assert len(info.help) > 10
        assert info.name in loss.params.__doc__


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_the_source_that_pages_show_is_the_lesson_itself(loss):
    for function in lesson(loss):
        assert inspect.getsource(function).startswith(f"def {function.__name__}(")
        assert inspect.getmodule(function).__name__ == f"msviz.core.losses.{loss.name}"
