"""The command line: flags, a file and defaults; logs that a killed run goes on with; one sentence for what is wrong."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from torch.distributed.run import get_args_parser

from msviz import METHODS, Method, MsvizError
from msviz.training import command_line
from msviz.training.config import FIELDS, TrainConfig
from msviz.training.logs import Log
from msviz.training.loop import train
from msviz.training.options import _parser, read_order
from msviz.training.progress import Progress
from msviz.training.snapshot import Snapshot
from msviz.training.sources import Blobs, Glyphs
from tests.training.runs import clusters, small, trainer

ROOT = Path(__file__).resolve().parents[2]
SMALL = [
    *(
        "--data",
        "blobs",
        "--data.classes",
        "12",
        "--data.per-class",
        "10",
        "--data.noise",
        "1",
        "--model",
        "mlp",
        "--width",
        "16",
    ),
    *("--dimensions", "5", "--learning-rate", "0.01", "--classes-per-batch", "4", "--per-class", "3"),
    *("--steps", "40", "--evaluate-every", "8", "--device", "cpu", "--log-every", "1"),
]
# A process that does what `python -m msviz.training` does until step 27.
UNTIL_STEP_27 = """
import os, signal, sys
from msviz.training.command_line import main
from msviz.training.trainer import Trainer
step = Trainer.step
def breaks(self, **options):
    if self.step_count == 27 and os.environ.get("RANK", "1") == "1":
        {what}
    return step(self, **options)
Trainer.step = breaks
sys.exit(main())
"""


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def without_config(path: Path) -> list[str]:
    return path.read_text().splitlines()[1:]


# What is asked for


def test_flags_override_the_file_and_the_file_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps(TrainConfig(data=Blobs(classes=9), method=Method("triplet"), steps=7, seed=5).as_json()))
    flags = ["--config", str(file), "--steps", "1e3", "--data.noise", "0.25", "--lam", "0.4", "--model", "linear"]
    expected = TrainConfig(
        data=Blobs(classes=9, noise=0.25), method=Method("triplet", lam=0.4), steps=1000, seed=5, model="linear"
    )
    assert read_order(flags).config == expected
    assert read_order([]).config == TrainConfig()


def test_another_kind_of_data_or_method_begins_with_its_own_defaults(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"data": {"kind": "blobs", "classes": 9}, "method": "paper"}))
    config = read_order(["--config", str(file), "--data", "glyphs", "--method", "ms_weighting", "--beta", "7"]).config
    assert config.data == Glyphs()
    assert config.method == METHODS["ms_weighting"].replace(beta=7)
    assert read_order(["--method", "paper", "--epsilon", "none"]).config.method.epsilon is None


def test_a_printed_config_is_the_config_of_another_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = [*SMALL, "--method", "binomial", "--alpha", "3"]
    assert command_line.main([*flags, "--print-config"]) == 0
    file = tmp_path / "printed.json"
    file.write_text(capsys.readouterr().out)
    assert read_order(["--config", str(file)]).config == read_order(flags).config


def test_every_setting_has_a_flag_that_torchrun_passes_on() -> None:
    flags = [flag for action in _parser()._actions for flag in action.option_strings]
    assert {f"--{name.replace('_', '-')}" for name in FIELDS} <= set(flags)
    for flag in flags:  # a flag that begins several of torchrun's own is refused by it
        asked = get_args_parser().parse_args(["--nproc-per-node", "2", "-m", "msviz.training", flag, "1"])
        assert asked.training_script_args == [flag, "1"]


def test_help_tells_ranges_and_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command_line.main(["--help"])
    assert ended.value.code == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Dimensions of an embedding; 2 or 3 are drawn as they are. (>= 2 and <= 512; default: 64)" in told


# What it does


def test_logs_hold_the_run_that_train_makes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = tmp_path / "logs" / "run.csv", tmp_path / "logs" / "run.jsonl"
    assert command_line.main([*SMALL, "--log-file", str(logs[0]), "--log-file", str(logs[1])]) == 0
    config = read_order(SMALL).config
    snapshots = list(train(config))
    first, *found, test = rows(logs[1])
    assert TrainConfig.from_json(first["config"]) == config
    assert [(row["step"], row["loss"]) for row in found] == [(shot.step, shot.loss) for shot in snapshots]
    assert [row["step"] for row in found if "recall_1" in row] == [0, 8, 16, 24, 32, 40]
    assert found[-1]["stop"] == "steps"
    assert found[-1]["nmi"] == snapshots[-1].retrieval.nmi
    in_csv = list(csv.DictReader(io.StringIO(logs[0].read_text())))
    assert [float(row["mined_share"]) for row in in_csv] == [shot.mined_share for shot in snapshots]
    assert [row["recall_1"] for row in in_csv[:2]] == [str(found[0]["recall_1"]), ""]
    printed = capsys.readouterr()
    assert f"test\t{test['test']['recall_1']:.4f}\t" in printed.out
    assert "ended after 40 steps: all steps are done" in printed.err


def test_rows_are_written_every_so_many_steps_and_wherever_something_is_measured(tmp_path: Path) -> None:
    log = tmp_path / "run.csv"
    assert command_line.main([*SMALL, "--log-every", "15", "--evaluate-every", "20", "--log-file", str(log)]) == 0
    assert [line.split(",")[0] for line in without_config(log)] == ["0", "15", "20", "30", "40"]


def test_a_run_whose_numbers_become_infinite_fails_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = clusters(scale=1e30)
    points = {"kind": "points", "x": data.inputs.tolist(), "labels": data.labels.tolist(), "names": data.names}
    file = tmp_path / "run.json"
    file.write_text(json.dumps(small(learning_rate=100).as_json() | {"data": points}))
    log = tmp_path / "run.jsonl"
    assert command_line.main(["--config", str(file), "--log-file", str(log)]) == 1
    assert rows(log)[-1]["stop"] == "not_finite"
    assert "numbers became infinite; try a smaller learning rate" in capsys.readouterr().err


# Stopped, killed, resumed


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a run that nobody disturbed."""
    log = tmp_path_factory.mktemp("whole") / "run.jsonl"
    assert command_line.main([*SMALL, "--log-file", str(log)]) == 0
    return log


def kept(folder: Path, every: int = 5) -> list[str]:
    log, checkpoint = str(folder / "run.jsonl"), str(folder / "run.msviz")
    return [*SMALL, "--log-file", log, "--checkpoint", checkpoint, "--checkpoint-every", str(every)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_saves_says_how_to_go_on_and_does(
    number: int, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row, handler = Log.row, signal.getsignal(number)

    def stopped(log: Log, snapshot: Snapshot) -> None:
        row(log, snapshot)
        if snapshot.step == 12:
            os.kill(os.getpid(), number)

    with monkeypatch.context() as patched:
        patched.setattr(Log, "row", stopped)
        assert command_line.main(kept(tmp_path, every=0)) == 130
    assert "stopped after 13 of 40 steps; the same command with --resume goes on" in capsys.readouterr().err
    assert signal.getsignal(number) == handler
    assert rows(tmp_path / "run.jsonl")[-1]["step"] == 12
    assert command_line.main([*kept(tmp_path, every=0), "--resume"]) == 0
    assert (tmp_path / "run.jsonl").read_text() == whole.read_text()


def test_a_killed_run_that_goes_on_has_the_log_of_one_that_was_not(whole: Path, tmp_path: Path) -> None:
    script = UNTIL_STEP_27.format(what="os.kill(os.getpid(), signal.SIGKILL)")
    killed = subprocess.run([sys.executable, "-c", script, *kept(tmp_path)], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    log = tmp_path / "run.jsonl"
    assert rows(log)[-1]["step"] == 26  # beyond the last checkpoint, of step 25
    with log.open("a") as file:
        file.write('{"step": 2')  # half of a row
    assert command_line.main([*kept(tmp_path), "--resume"]) == 0
    assert log.read_text() == whole.read_text()
    assert command_line.main([*kept(tmp_path), "--resume"]) == 0  # once more after the end
    assert log.read_text() == whole.read_text()


def test_a_run_goes_on_for_longer_without_saying_all_of_it_again(tmp_path: Path, whole: Path) -> None:
    assert command_line.main([*kept(tmp_path), "--steps", "16"]) == 0
    files = ["--log-file", str(tmp_path / "run.jsonl"), "--checkpoint", str(tmp_path / "run.msviz")]
    assert command_line.main(["--resume", "--steps", "40", "--log-every", "1", *files]) == 0
    assert (tmp_path / "run.jsonl").read_text() == whole.read_text()


def test_torchrun_follows_the_curve_of_one_process_also_after_one_of_its_processes_failed(tmp_path: Path) -> None:
    exact = [*kept(tmp_path), "--precision", "float64"]
    alone = tmp_path / "alone.jsonl"
    assert command_line.main([*SMALL, "--precision", "float64", "--log-file", str(alone)]) == 0
    script = tmp_path / "breaks.py"
    script.write_text(UNTIL_STEP_27.format(what='raise RuntimeError("out of memory")'))
    failed = torchrun([str(script), *exact])
    assert failed.returncode != 0
    told = [line for line in failed.stderr.splitlines() if "failed, and the run with it" in line]
    assert told == ["process 1 of 2 failed, and the run with it: RuntimeError: out of memory"]
    assert "Traceback" not in failed.stderr.partition("elastic")[0]

    done = torchrun(["-m", "msviz.training", *exact, "--resume"])
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("ended after 40 steps") == done.stdout.count("validation") == 1
    one, two = rows(alone)[1:-1], rows(tmp_path / "run.jsonl")[1:-1]
    assert [row["step"] for row in two] == list(range(41))
    assert len({row["loss"] for row in one}) > 30  # there is a curve to follow
    for expected, found in zip(one, two, strict=True):
        assert found["loss"] == pytest.approx(expected["loss"], rel=0, abs=1e-9)
        assert found["gradient_norm"] == pytest.approx(expected["gradient_norm"], rel=0, abs=1e-9)


def torchrun(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


# What is wrong


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--steps", "many"], "steps must be a finite number, got 'many'"),
        (["--steps", "0"], "steps must be >= 1"),
        (["--stepz", "3"], "unrecognized arguments: --stepz 3; see --help"),
        (["--model", "gpt"], "invalid choice: 'gpt'"),
        (["--method", "tripled"], "method must be one of paper, authors"),
        (["--method", "triplet", "--alpha", "3"], "triplet has no parameter alpha; it has lam, epsilon"),
        (["--config", "nowhere.json"], "the config nowhere.json cannot be read: No such file or directory"),
        (["--resume"], "--resume needs the file to go on from"),
        (["--resume", "--checkpoint", "nowhere.msviz"], "the checkpoint nowhere.msviz cannot be read"),
        (["--log-file", "run.txt"], "a log must be named .csv or .jsonl, got 'run.txt'"),
        (["--log-file", "/dev/null/run.csv"], "the log /dev/null/run.csv cannot be written: "),
        (["--checkpoint", "/dev/null/run.msviz"], "the checkpoint /dev/null/run.msviz cannot be written"),
        (["--log-every", "0"], "--log-every must be a whole number >= 1, got '0'"),
        (["--classes-per-batch", "300"], "a batch of 300 x 3 = 900 items is larger than"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_code_2(
    flags: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line.main([*SMALL, *flags]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("content", ["", "[1, 2]", "{not json", '{"speed": 3}', '{"data": 3}', "\udcff"])
def test_a_config_file_that_holds_none_is_named(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.json"
    file.write_bytes(content.encode(errors="surrogateescape"))
    assert command_line.main(["--config", str(file), "--steps", "1"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", ["run.csv", "run.jsonl"])
@pytest.mark.parametrize("content", ["", "my notes\n", "[1]\n", "7\n"])
def test_a_file_that_is_no_log_of_this_run_stays_as_it_is(name: str, content: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(content)
    for resumed_at in (None, 3):
        with pytest.raises(MsvizError, match="choose another name"):
            Log(file, TrainConfig(), resumed_at)
    assert file.read_text() == content


# Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_one_line_that_moves_and_ends_full() -> None:
    stream = Terminal()
    progress = Progress(total=4, stream=stream)
    for snapshot in train(read_order([*SMALL, "--steps", "4"]).config):
        progress.at(snapshot)
    progress.end()
    assert stream.getvalue().count("\n") == 1
    last = stream.getvalue().split("\r")[-1]
    assert last.startswith(f"[{'#' * 24}] step 4 of 4, loss ")


def test_a_file_gets_a_line_for_every_measurement() -> None:
    stream, run = io.StringIO(), trainer()
    progress = Progress(total=40, stream=stream)
    for _ in range(12):
        progress.at(run.step())
    lines = stream.getvalue().splitlines()
    assert [line.split(",")[0] for line in lines] == ["step 0 of 40", "step 5 of 40", "step 10 of 40"]
    assert all("Recall@1" in line for line in lines)
    assert "left" in lines[-1]
