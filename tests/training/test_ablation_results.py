"""The results that ship: the whole plan, of one commit."""

import json
from pathlib import Path

from msviz.training import read_results
from msviz.training.ablation import PLANS, reports

ROOT = Path(__file__).resolve().parents[2]


def test_results_that_ship_are_of_the_full_plan() -> None:
    path = ROOT / "msviz" / "training" / "results" / "ablation.jsonl"
    results = read_results(path)
    assert results.what == json.loads(json.dumps(PLANS["full"].as_json()))
    assert all(report.finished == report.expected for report in reports(results))
    assert all(made["commit"] and "dirty" not in made["commit"] for made in results.made)
