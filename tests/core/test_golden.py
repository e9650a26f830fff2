"""Values, gradients and weights of every loss against numbers computed elsewhere, with and without mining."""

import json
from pathlib import Path

import pytest
import torch

from msviz import LOSSES, Method, evaluate, label_pairs

CASES = json.loads((Path(__file__).parents[1] / "golden" / "losses.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_loss_agrees_with_the_golden_file(case, loss):
    sim = torch.tensor(case["similarity"], dtype=torch.float64)
    pairs = label_pairs(case["labels"])
    expected = [e for e in case["expected"] if e["loss"] == loss]
    for e in expected:
        got = evaluate(sim, pairs, Method(loss, epsilon=e["epsilon"], **e["params"]))
        where = f"{e['params']}, epsilon {e['epsilon']}"
        assert got.value.item() == pytest.approx(e["value"], abs=1e-9), where
        if e["weights"] is None:  # a kink: there is no one gradient
            continue
        for name in ("gradient", "weights"):
            right = torch.tensor(e[name], dtype=torch.float64)
            torch.testing.assert_close(getattr(got, name), right, atol=1e-9, rtol=0, msg=lambda m, w=where: f"{w}: {m}")


def test_golden_file_has_cases_for_the_losses_of_the_paper():
    known = {e["loss"] for case in CASES for e in case["expected"]}
    assert {"contrastive", "triplet", "lifted", "lifted_star", "binomial", "multi_similarity", "linear"} <= known & {
        *LOSSES
    }
