"""Table 1 as it is shown: every method, the paper's ticks, what was measured, and evidence that can be checked."""

import csv
import io

import pytest
import torch

from msviz.core.losses import LOSSES
from msviz.core.methods import ABLATION, METHODS, Method, evaluate
from msviz.core.pairs import Pairs
from msviz.core.table1 import FOOTNOTES, TABLE1
from msviz.text import say
from msviz.views.table1 import ROWS, Moment, measured, row, table1, table1_csv

ROW = pytest.mark.parametrize("slug", ROWS)


def test_every_loss_and_every_row_of_the_ablation_is_there_once() -> None:
    assert [*ROWS][: len(TABLE1)] == [*TABLE1]
    assert {method.name for method in ROWS.values()} == set(LOSSES)
    assert all(METHODS[slug] in ROWS.values() for slug in ABLATION)
    assert len(set(ROWS.values())) == len(ROWS)


@ROW
def test_what_is_measured_is_the_papers_and_the_rest_has_a_footnote(slug: str) -> None:
    found = row(slug, 0)
    if found.paper is None:
        assert found.source == ""
        return
    extra = {cell.role for cell in found.cells if cell.extra}
    assert set(found.measured) == set(found.paper) | extra
    assert extra <= set(FOOTNOTES[slug].extra if slug in FOOTNOTES else "")
    if slug in FOOTNOTES:
        assert found.footnote is not None
        assert say(found.footnote)


@pytest.mark.parametrize("slug", [slug for slug, method in ROWS.items() if method.loss.separable])
def test_the_evidence_of_a_row_by_row_loss_can_be_checked_with_its_own_numbers(slug: str) -> None:
    method = ROWS[slug]
    for cell in row(slug, 0).cells:
        for moment in (cell.before, cell.after):
            assert _weight(moment, method) == pytest.approx(moment.weight, abs=1e-9)
        assert cell.tick == (abs(cell.after.weight - cell.before.weight) > 1e-9)
        assert cell.tick == (cell.moved > 0)


def _weight(moment: Moment, method: Method) -> float:
    sims = [*moment.positives, moment.pair, *moment.rivals]
    positive = torch.arange(len(sims))[None] < len(moment.positives)
    sim = torch.tensor([sims], dtype=torch.float64)
    return float(evaluate(sim, Pairs(positive, ~positive), method).weights[0, len(moment.positives)])


def test_each_move_moves_what_it_says() -> None:
    s, p, n = row("multi_similarity", 0).cells
    by = round(s.after.pair - s.before.pair, 9)
    assert abs(by) == 0.3
    assert [after - before for before, after in zip(s.before.positives, s.after.positives, strict=True)] == (
        pytest.approx([by] * len(s.before.positives))
    )
    assert (p.after.pair, p.after.rivals) == (p.before.pair, p.before.rivals)
    assert p.after.positives != p.before.positives
    assert (n.after.pair, n.after.positives) == (n.before.pair, n.before.positives)
    assert n.after.rivals != n.before.rivals


def test_the_footnotes_about_the_hinge_and_the_bins_have_evidence_too() -> None:
    lifted = [say(line) for line in row("lifted", 0).cells[1].lines]
    assert "in none of 500 anchors" in lifted[0]
    assert lifted[1].startswith("Among anchors that may have as few as one positive and one negative")
    assert "it in 0 of" not in lifted[1]
    whole = [say(line) for line in row("histogram", 0).cells[0].lines][1]
    assert whole == "When the whole batch moves along, by three whole bins, the weight moves in 0 of 500."


def test_another_seed_draws_other_anchors_and_finds_the_same_ticks() -> None:
    one, other = table1(0), table1(1)
    assert [found.measured for found in one] == [found.measured for found in other]
    assert [found.cells[0].moved for found in one] != [found.cells[0].moved for found in other]


def test_any_method_can_be_measured() -> None:
    cells = measured(Method("contrastive", lam=-1), 0)
    assert "".join(cell.role for cell in cells if cell.tick) == ""  # all similarities are beyond its threshold
    assert not any(cell.extra for cell in cells)


def test_the_table_as_text_has_a_line_for_every_tick_and_every_missing_one() -> None:
    rows = table1(0)
    lines = list(csv.DictReader(io.StringIO(table1_csv(rows))))
    assert len(lines) == 3 * len(rows)
    cells = [(own, cell) for own in rows for cell in own.cells]
    for line, (own, cell) in zip(lines, cells, strict=True):
        assert (line["method"], line["similarity"], line["measured"]) == (own.name, cell.role, str(int(cell.tick)))
        assert line["paper"] == ("" if own.paper is None else str(int(cell.role in own.paper)))
        assert float(line["weight_after"]) == cell.after.weight
        assert (int(line["anchors_moved"]) > 0) == cell.tick
