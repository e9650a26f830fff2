"""The ablation on the command line: see --help."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import signal
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from joblib import effective_n_jobs

from msviz.core.errors import MsvizError
from msviz.core.methods import ABLATION
from msviz.training.ablation.plan import PLANS, Plan, run_ablation
from msviz.training.ablation.report import Comparison, Report, Row, reports
from msviz.training.cells import Outcome
from msviz.training.command_line import BAD_INPUT, DONE, INTERRUPTED
from msviz.training.options import Parser
from msviz.training.progress import duration
from msviz.training.results_file import read_results

_ABOUT: Final = """The paper's ablation (arXiv 1904.06627) on glyphs of classes that training never saw.

  python -m msviz.training.ablation small                  authors' values, 3 seeds: a minute on 2 cores
  python -m msviz.training.ablation full                   tuned, then 12 fresh seeds: 25 minutes on 2 cores
  python -m msviz.training.ablation report FILE            what a results file says, also before its run has ended"""
_ENDS: Final = """Every finished run is in the results file at once; what was stopped goes on with the same command.
Ends with 0 when done, 2 for bad input or a dead worker, 130 when stopped (Ctrl-C, SIGTERM)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for; what goes wrong is one sentence on stderr.

    Args:
        arguments: without the program's name; None = those of this process.

    Returns:
        The exit code: 0 done, 2 bad input or a dead worker, 130 stopped by a signal.

    Example:
        >>> main(["report", "nowhere.jsonl"])
        2
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning  # one sentence, without the place in our code
            asked = _parser().parse_args(given)
            if asked.plan == "report":
                path = Path(asked.file)
            else:
                path = _run(asked, shlex.join(["python", "-m", "msviz.training.ablation", *given]))
        results = read_results(path)
        for report in reports(results):
            print("\n".join(_lines(report)))
        for made in results.made:
            print(f"made by: {made['command']}; commit {made['commit']}; {made['machine']}; torch {made['torch']}")
    except MsvizError as problem:
        _say(str(problem))
        return BAD_INPUT
    except KeyboardInterrupt:
        _say("stopped; what had ended is kept, the same command goes on from there")
        return INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, before)
    return DONE


def _parser() -> argparse.ArgumentParser:
    looks: dict[str, Any] = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    parser = Parser(prog="python -m msviz.training.ablation", description=_ABOUT, epilog=_ENDS, **looks)
    plans = parser.add_subparsers(dest="plan", required=True, metavar="small | full | report")
    for name, plan in PLANS.items():
        about = f"{plan.test_seeds} test seeds, {plan.candidates} settings of each method"
        of_plan = plans.add_parser(name, help=about, description=about, **looks)
        names = [start.name for start in plan.starts]
        of_plan.add_argument("--start", choices=names, help="only from there (default: both)")
        of_plan.add_argument("--results", metavar="FILE", help=f"default: ablation-{name}.jsonl")
        of_plan.add_argument("--jobs", type=int, default=-1, metavar="N", help="runs at a time (default: one a core)")
    plans.add_parser("report", help="what a results file says", **looks).add_argument("file", metavar="FILE")
    return parser


def _run(asked: argparse.Namespace, command: str) -> Path:
    plan: Plan = PLANS[asked.plan]
    if asked.start:
        plan = dataclasses.replace(plan, starts=tuple(start for start in plan.starts if start.name == asked.start))
    path = Path(asked.results or f"ablation-{plan.name}.jsonl")
    known = set(read_results(path).outcomes) if path.exists() else set()
    total = len(plan.tuning_cells()) + len(plan.starts) * plan.test_seeds * len(ABLATION)
    if known:
        _say(f"{len(known)} of {total} runs had ended before")
    spent: list[float] = []
    for at, outcome in enumerate(run_ablation(plan, path, asked.jobs, command), 1):
        spent.append(outcome.seconds)
        if outcome.key not in known:
            left = (total - at) * sum(spent) / len(spent) / effective_n_jobs(asked.jobs)
            _say(f"{at} of {total}: {outcome.key}, {_came(outcome)}, {duration(left)} left")
    return path


def _came(outcome: Outcome) -> str:
    return outcome.problem or f"Recall@1 {outcome.metrics['test_recall_1']:.1%}"


def _lines(report: Report) -> list[str]:
    start = report.start
    before = f" after {start.pretrain_steps} of pre-training" if start.pretrain_steps else ""
    title = f"{start.name}: {start.steps} steps{before}, {report.finished} of {report.expected} runs"
    table = [("row", "uses", "Recall@1", "95 % interval", "paper, Cars-196", "settings"), *map(_row, report.rows)]
    width = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    rows = ["  ".join(word.ljust(wide) for word, wide in zip(line, width, strict=True)).rstrip() for line in table]
    said = [f"{claim}: {answer}" for claim, answer in report.claims.items()]
    return [title, *rows, *map(_comparison, report.comparisons), f"claims: {', '.join(said)}", ""]


def _row(row: Row) -> tuple[str, ...]:
    settings = f"{row.method}, learning rate {row.learning_rate:g}"
    recall, interval = "–", "–"
    if row.mean is not None:
        recall, interval = f"{row.mean.mean:.1%}", f"{row.mean.low:.1%} to {row.mean.high:.1%}"
    return (row.name, row.uses, recall, interval, f"{row.paper:.1f}%", settings)


def _comparison(one: Comparison) -> str:
    mean, low, high = (100 * value for value in (one.difference.mean, one.difference.low, one.difference.high))
    measured = f"{mean:+.1f} ({low:+.1f} to {high:+.1f}) points, adjusted p {one.adjusted:.2g}: {one.verdict}"
    return f"{one.better} - {one.other}: {measured}; the paper: {one.paper:+.1f}, {one.agreement}"


def _show_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    _say(f"warning: {message}")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
