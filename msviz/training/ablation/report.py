"""What an ablation says: every row's Recall@1, the paper's comparisons, and which of them hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from msviz.core.errors import MsvizError
from msviz.core.methods import ABLATION, Method
from msviz.core.precision import is_finite_number
from msviz.training.ablation.paper import CLAIMS, PAPER
from msviz.training.ablation.plan import Start, test_key
from msviz.training.cells import Outcome
from msviz.training.config import method_from_json
from msviz.training.results_file import Results
from msviz.training.statistics import Difference, Verdict, holm, paired, verdict

_MOST: Final = 100_000  # seeds, settings, steps, whatever was measured
_MOST_STARTS: Final = 10


@dataclass(frozen=True)
class Row:
    """A row of the ablation.

    Args:
        name: in `msviz.ABLATION`.
        uses: the similarities that it looks at, such as "SP".
        paper: the paper's Recall@1 on Cars-196 in percent.
        method: with the values that tuning chose.
        learning_rate: likewise.
        values: seed -> what was measured; without the seeds that failed or are still to come.
        mean: of the values, with its 95 % interval; None while there are fewer than two.
        problems: what went wrong, one sentence a seed that failed.
    """

    name: str
    uses: str
    paper: float
    method: Method
    learning_rate: float
    values: Mapping[int, float]
    mean: Difference | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Two rows of the same seeds.

    Args:
        claims: the claims of the paper that it bears on, see `CLAIMS`.
        better: the row that the claim says is the better one.
        other: the row that it is compared with.
        difference: better minus other, over the seeds that both have.
        adjusted: its p value after Holm's correction over all comparisons of the report.
        verdict: "higher", "lower", or "undecided".
        paper: the paper's difference, in percentage points of Recall@1 on Cars-196.
    """

    claims: tuple[str, ...]
    better: str
    other: str
    difference: Difference
    adjusted: float
    verdict: Verdict
    paper: float

    @property
    def agreement(self) -> Literal["agrees", "disagrees", "undecided"]:
        """Whether it goes the way it goes in the paper's table (there BinLifted is below Binomial)."""
        if self.verdict == "undecided":
            return "undecided"
        return "agrees" if (self.verdict == "higher") == (self.paper > 0) else "disagrees"


@dataclass(frozen=True)
class Report:
    """What one start of an ablation says so far.

    Args:
        start: from where networks were trained, and for how long.
        metric: what was measured.
        rows: in the paper's order; without those that have no finished cell.
        comparisons: without those that have fewer than two seeds in common.
        expected: test cells that the whole plan has for this start.
        finished: those that have ended.
    """

    start: Start
    metric: str
    rows: tuple[Row, ...]
    comparisons: tuple[Comparison, ...]
    expected: int
    finished: int

    @property
    def claims(self) -> dict[str, Literal["holds", "fails", "partly", "undecided"]]:
        """A claim -> "holds": all of its comparisons are higher; "fails": one is lower; "partly": some are higher."""
        found: dict[str, Literal["holds", "fails", "partly", "undecided"]] = {}
        for claim, pairs in CLAIMS.items():
            said = [one.verdict for one in self.comparisons if claim in one.claims]
            if len(said) == len(pairs) and set(said) == {"higher"}:
                found[claim] = "holds"
            elif "lower" in said:
                found[claim] = "fails"
            else:
                found[claim] = "partly" if "higher" in said else "undecided"
        return found


def reports(results: Results, metric: str = "test_recall_1") -> list[Report]:
    """What an ablation says, start by start, also before it has ended.

    The intervals are of single comparisons; the verdicts hold for all of a start's together (Holm's correction), so
    that an interval may leave 0 out and its verdict be "undecided" all the same.

    Args:
        results: what `run_ablation` wrote.
        metric: a name of `run_cell`, such as "test_map_at_r".

    Raises:
        MsvizError: error.results_no_ablation for results of something else.
    """
    try:
        plan = results.what["ablation"]
        starts = [Start(**start) for start in plan["starts"]]
        counts = [plan["candidates"], plan["tuning_seeds"], plan["test_seeds"]]
        counts += [count for start in starts for count in (start.steps, start.pretrain_steps)]
        _need(all(isinstance(count, int) and 0 <= count <= _MOST for count in counts))
        names = {start.name for start in starts}
        _need(0 < len(names) == len(starts) <= _MOST_STARTS and all(isinstance(name, str) for name in names))
        return [_report(results, start, range(plan["test_seeds"]), metric) for start in starts]
    except (LookupError, TypeError, ValueError) as problem:
        plain = "these are results of something else, not of an ablation; choose a file that an ablation wrote"
        raise MsvizError("error.results_no_ablation", plain) from problem


def _need(holds: bool) -> None:
    """Files are sent by anybody: what they say is looked at before it is believed."""
    if not holds:
        raise ValueError


def _report(results: Results, start: Start, seeds: Sequence[int], metric: str) -> Report:
    outcomes = {
        row: {seed: results.outcomes[key] for seed in seeds if (key := test_key(start, seed, row)) in results.outcomes}
        for row in ABLATION
    }
    rows = {
        row: _row(row, of_row, results.configs[test_key(start, next(iter(of_row)), row)], metric)
        for row, of_row in outcomes.items()
        if of_row
    }
    return Report(
        start=start,
        metric=metric,
        rows=tuple(rows.values()),
        comparisons=_comparisons(rows),
        expected=len(ABLATION) * len(seeds),
        finished=sum(map(len, outcomes.values())),
    )


def _row(name: str, outcomes: Mapping[int, Outcome], config: Mapping[str, Any], metric: str) -> Row:
    values = {seed: outcome.metrics[metric] for seed, outcome in outcomes.items() if outcome.problem is None}
    _need(is_finite_number(config["learning_rate"]) and all(abs(value) <= _MOST for value in values.values()))
    return Row(
        name=name,
        uses=ABLATION[name],
        paper=PAPER[name],
        method=method_from_json(config["method"]),
        learning_rate=config["learning_rate"],
        values=values,
        mean=paired(list(values.values()), [0.0] * len(values)) if len(values) > 1 else None,
        problems=tuple(outcome.problem for outcome in outcomes.values() if outcome.problem is not None),
    )


def _comparisons(rows: Mapping[str, Row]) -> tuple[Comparison, ...]:
    bears_on: dict[tuple[str, str], tuple[str, ...]] = {}  # ms against ms_weighting is asked once, for two claims
    for claim, pairs in CLAIMS.items():
        for pair in pairs:
            bears_on[pair] = (*bears_on.get(pair, ()), claim)
    found: dict[tuple[str, str], Difference] = {}
    for better, other in bears_on:
        if better in rows and other in rows:
            one, two = rows[better].values, rows[other].values
            both = sorted(one.keys() & two.keys())
            if len(both) > 1:
                found[better, other] = paired([one[seed] for seed in both], [two[seed] for seed in both])
    adjusted = holm([difference.p for difference in found.values()])
    return tuple(
        Comparison(
            claims=bears_on[better, other],
            better=better,
            other=other,
            difference=difference,
            adjusted=p,
            verdict=verdict(difference, p),
            paper=round(PAPER[better] - PAPER[other], 1),
        )
        for ((better, other), difference), p in zip(found.items(), adjusted, strict=True)
    )
