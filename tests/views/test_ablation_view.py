"""What an ablation says in words, dots and tables, against numbers that were made by hand."""

import csv
import io

import pytest

from msviz.core.methods import ABLATION, METHODS
from msviz.text import say
from msviz.training import Outcome, Results, TrainConfig
from msviz.training.ablation import PAPER, PLANS, Report, reports
from msviz.views.ablation import comparison_dots, comparisons_csv, row_cells, row_dots, rows_csv
from msviz.views.ablation_words import answer, claim_words

PLAN = PLANS["small"]
# Recall@1 of the seeds 0, 1, 2: mining changes nothing, S and N help, MS mining is last.
LEVELS = {
    **{"binomial": 0.7, "binomial_mining": 0.7, "lifted_star": 0.6, "lifted_star_mining": 0.6, "ms_mining": 0.4},
    **{"binlifted": 0.8, "ms_weighting": 0.8, "ms": 0.8},
}
# Differences of rows are means of -0.001, 0 and 0.001 around those of the levels, or exactly these.
SPREAD = {row: (0.0, 0.001, 0.002) if "mining" in row or row == "ms" else (0.001, 0.001, 0.001) for row in LEVELS}
VALUES = {row: [level + more for more in SPREAD[row]] for row, level in LEVELS.items()}


def report(values: dict[str, list[float]], start: int = 0) -> Report:
    """The report of a results file that holds these, row -> the seeds' Recall@1."""
    outcomes, configs = {}, {}
    for row, of_row in values.items():
        for seed, value in enumerate(of_row):
            key = f"{PLAN.starts[start].name}/test/{seed}/{row}"
            outcomes[key] = Outcome(key, {"test_recall_1": value}, 1.0)
            configs[key] = TrainConfig(method=METHODS[row], seed=seed).as_json()
    return reports(Results(PLAN.as_json(), ({"command": "by hand"},), outcomes, configs))[start]


def said(one: Report) -> str:
    return " ".join(map(say, answer(one)))


def test_without_a_run_the_papers_numbers_stand_alone() -> None:
    assert [(dot.here, dot.paper) for dot in row_dots(None)] == [(None, paper) for paper in PAPER.values()]
    rows = list(csv.DictReader(io.StringIO(rows_csv(None))))
    assert {row["row"]: float(row["paper_cars196_recall_1"]) for row in rows} == {
        row: pytest.approx(paper / 100) for row, paper in PAPER.items()
    }


def test_a_dot_is_the_mean_and_its_interval_in_percent() -> None:
    dots = dict(zip(PAPER, row_dots(report(VALUES)), strict=True))
    mean, low, high = dots["ms"].here or (0, 0, 0)
    # t_2 at 97.5 % is 4.3027; the values .8, .801, .802 spread by .001
    assert (mean, high - mean, mean - low) == pytest.approx(
        (80.1, 4.3027 * 0.1 / 3**0.5, 4.3027 * 0.1 / 3**0.5), abs=1e-4
    )
    assert dots["ms"].paper == 77.3


def test_the_answer_counts_what_agrees_and_names_what_does_not() -> None:
    words = said(report(VALUES))
    # Nine differences. The same way as in the paper: BinLifted above LiftedStruct*, MS weighting above both, MS above
    # both others of two. The other way: BinLifted above Binomial. Undecided: mining against none, three times.
    assert "Of 9 differences between rows of the paper’s table, 5 go the same way here, 1 go the other way" in words
    assert "3 are undecided" in words
    assert words.startswith("S, P and N together beat any two: holds in part; Mining helps (P): undecided; ")
    assert "The other way than in the paper: BinLifted (S N) − Binomial (S)." in words
    assert "MS mining (P) last" in words


def test_first_and_last_as_in_the_paper_are_said_to_be() -> None:
    best = {**VALUES, "ms": [0.9, 0.91, 0.92]}
    assert "As in the paper, MS (S P N) comes first, here with 91%, and MS mining (P) last, with 40.1%." in said(
        report(best)
    )


def test_each_claim_is_counted() -> None:
    words = {claim: say(it) for claim, it in claim_words(report(VALUES)).items()}
    assert (
        words["mining"] == "Mining helps (P): **undecided**. For it: 0 of 3 comparisons; against it: 0; undecided: 3."
    )
    assert words["weighting"].startswith("S and N together beat each alone: **holds**. For it: 4 of 4 comparisons;")
    assert words["all"].startswith("S, P and N together beat any two: **holds in part**. For it: 2 of 3 comparisons;")


def test_what_is_still_to_come_is_said() -> None:
    some = {row: VALUES[row] for row in ("ms", "ms_weighting")}
    one = report(some)
    assert said(one).startswith("So far 6 of 24 runs have ended.")
    assert "still to come: 2." in say(claim_words(one)["mining"])
    assert said(report({"ms": [0.8]})) == (
        "So far 1 of 24 runs have ended. A comparison needs two seeds of both rows: there is nothing to say yet."
    )


def test_the_table_marks_what_a_row_uses_and_leaves_out_what_is_not_known() -> None:
    rows = {row.name: row for row in report({"ms": [0.8, 0.801, 0.802]}).rows}
    assert row_cells("ms", rows["ms"])[1] == ["✓", "✓", "✓", "80.1%", "79.9% to 80.3%", "77.3%"]
    one_seed = report({"ms": [0.8]})
    assert row_cells("ms", one_seed.rows[0])[1] == ["✓", "✓", "✓", "80.0%", "–", "77.3%"]
    assert row_dots(one_seed)[-1].here == (80.0, 80.0, 80.0)
    assert row_cells("ms_mining", None) == ("MS mining (P)", ["", "✓", "", "–", "–", "67.0%"])


def test_tables_hold_every_seed_and_every_comparison_with_all_digits() -> None:
    one = report(VALUES)
    rows = list(csv.DictReader(io.StringIO(rows_csv(one))))
    assert [(row["row"], int(row["seed"]), float(row["test_recall_1"])) for row in rows] == [
        (row, seed, value) for row in ABLATION for seed, value in enumerate(VALUES[row])
    ]
    compared = list(csv.DictReader(io.StringIO(comparisons_csv(one))))
    assert [float(row["difference"]) for row in compared] == [it.difference.mean for it in one.comparisons]
    assert [row["verdict"] for row in compared] == [dot.look for dot in comparison_dots(one)]
