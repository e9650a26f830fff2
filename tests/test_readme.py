"""README.md is run, not trusted: its commands, its numbers, its new loss, its links and its map."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from msviz.training import TrainConfig
from msviz.training.command_line import main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_readme_says() -> None:
    example, printed = re.search(r"```python\n(import torch.*?)```\n.*?```text\n(.*?)```", README, re.DOTALL).groups()
    run = subprocess.run([sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == printed


def test_the_training_loop_runs_as_written_and_lowers_its_loss() -> None:
    run = subprocess.run(
        [sys.executable, "-c", _block("python", "PairLoss(")], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_the_new_loss_is_complete_and_its_gradient_is_the_derivative() -> None:
    torch = pytest.importorskip("torch")
    from msviz import label_pairs, similarity

    loss = _module(_block("python", "L_i =")).LOSS
    angles = torch.deg2rad(torch.tensor([0.0, 20.0, 35.0, 50.0, 100.0], dtype=torch.float64))
    sim = similarity(torch.stack([angles.cos(), angles.sin()], dim=1)).requires_grad_()
    pairs = label_pairs([0, 1, 0, 1, 0])
    for p in loss.examples:
        gradient = loss.pair_gradient(sim, pairs, p)
        (derivative,) = torch.autograd.grad(loss.per_anchor(sim, pairs, p).sum(), sim)
        torch.testing.assert_close(gradient, derivative)
        for i, j in (pairs.pos | pairs.neg).nonzero().tolist():
            assert loss.equation(sim.detach(), pairs, p, i, j).value == pytest.approx(
                abs(gradient[i, j].item()), rel=1e-9
            )


def test_there_is_one_line_to_start_and_one_to_test() -> None:
    lines = [line for block in _blocks("bash") for line in block.splitlines() if ".venv" in line]
    assert [line.split(" && ")[-1] for line in lines] == [
        ".venv/bin/streamlit run app.py",
        ".venv/bin/python -m pytest -n 2",
    ]
    # .ci/run finds its line by this ending; a second one would leave open which of them was checked.
    assert len(re.findall(r"-m pytest -n 2$", README, re.MULTILINE)) == 1


def test_the_commands_that_train_are_understood(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for block in _blocks("sh") for line in block.splitlines()]
    assert len(lines) == 2
    for line in lines:
        flags = shlex.split(line.split("-m msviz.training ")[1])
        assert main([*flags, "--print-config"]) == 0
        assert TrainConfig.from_json(json.loads(capsys.readouterr().out)).steps in (400, 800)


def test_what_the_readme_points_to_exists() -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", README)
    files = [target for target in targets if not target.startswith(("http", "#"))]
    assert "tests/pictures/playground.png" in files
    assert not [file for file in files if not (ROOT / file).exists()]
    headings = re.findall(r"^#+ (.*)$", README, re.MULTILINE)
    anchors = {"#" + re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert not [target for target in targets if target.startswith("#") and target not in anchors]


def test_the_map_shows_every_room_and_no_other() -> None:
    section = README.split("## Where things are")[1].split("\n## ")[0]
    entries = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    inside = [path for path in (ROOT / "msviz").iterdir() if path.stem[0] not in "_." and _has_code(path)]
    rooms = {f"msviz/{path.stem}" for path in inside}
    assert {entry for entry in entries if entry.startswith("msviz/")} >= rooms
    assert not [entry for entry in entries if not (ROOT / entry).exists()]


def _has_code(path: Path) -> bool:
    return path.suffix == ".py" or any(path.glob("**/*.py"))


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def _block(language: str, mark: str) -> str:
    (block,) = (block for block in _blocks(language) if mark in block)
    return block


def _module(source: str) -> ModuleType:
    """Load a new file of msviz/core/losses without leaving it there."""
    module = ModuleType("msviz.core.losses.readme_example")
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        exec(compile(source, "README.md", "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    return module
