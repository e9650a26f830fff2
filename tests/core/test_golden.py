"""Values, gradients and weights of every loss against numbers computed elsewhere, with and without mining."""

import json
from pathlib import Path

import pytest
import torch

from msviz import LOSSES, Method, evaluate, label_pairs

CASES = json.loads((Path(__file__).parents[1] / "golden" / "losses.json").read_text(encoding="utf-8"))["cases"]
# Relative. Entries below 1e-3 may be off by 1e-12: the file's own numbers lost their digits there, as 1 - .9999 does.
CLOSE = {"rtol": 1e-9, "atol": 1e-12}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_loss_agrees_with_the_golden_file(case, loss):
    sim = torch.tensor(case["similarity"], dtype=torch.float64)
    pairs = label_pairs(case["labels"])
    for e in (e for e in case["expected"] if e["loss"] == loss):
        got = evaluate(sim, pairs, Method(loss, epsilon=e["epsilon"], **e["params"]))
        for name in ("value", "gradient", "weights"):
            if e[name] is None:  # a kink: there is no one gradient
                continue
            right = torch.tensor(e[name], dtype=torch.float64)
            where = f"{name} with {e['params']}, epsilon {e['epsilon']}"
            torch.testing.assert_close(getattr(got, name), right, **CLOSE, msg=lambda m, w=where: f"{w}: {m}")


def test_golden_file_has_every_loss_and_every_loss_is_in_the_golden_file():
    losses = [e["loss"] for case in CASES for e in case["expected"]]
    assert {*losses} == {*LOSSES}
    assert len(losses) == 1352
