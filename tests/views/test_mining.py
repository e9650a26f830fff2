"""One anchor's reasons in words and numbers, all of them as CSV, and which anchors are drawn as lines."""

import csv
import io

import numpy as np
import pytest

from msviz.core.methods import METHODS, Method
from msviz.core.pairs import mine
from msviz.data import PRESETS, Batch
from msviz.state import State, default_state
from msviz.text import say
from msviz.views.matrices import class_order
from msviz.views.mining import CSV_COLUMNS, lines_view, reasons_csv, reasons_view
from msviz.views.scene import scene
from tests.views.scenes import MS, keys, on_circle, reference


def test_the_reference_anchor_says_what_it_compared_with_whom() -> None:
    # Positives 1 (.82), 2 (.65), negatives 3 (.62), 4 (.30), epsilon .1: .65 and .62 are mined (formulas).
    view = reasons_view(reference(select=(0, None)))
    assert [(row.other, row.positive, row.kept) for row in view.rows] == [
        *((1, True, False), (2, True, True), (3, False, True), (4, False, False))
    ]
    assert [say(row.why) for row in view.rows] == [
        "dropped: 0.82 ≥ 0.62 + 0.1 (0→3)",
        "kept: 0.65 < 0.62 + 0.1 (0→3)",
        "kept: 0.62 > 0.65 − 0.1 (0→2)",
        "dropped: 0.30 ≤ 0.65 − 0.1 (0→2)",
    ]
    assert [row.s for row in view.rows] == pytest.approx([0.82, 0.65, 0.62, 0.30])
    assert [row.w for row in view.rows] == pytest.approx([0, 0.425557, 0.991837, 0], abs=1e-6)
    assert say(view.title) == "Anchor 0 keeps 1 of 2 positives, 1 of 2 negatives"
    assert say(view.hint) == (
        "Negatives are compared with the least similar positive, 2 (S = 0.65), "
        "positives with the most similar negative, 3 (S = 0.62)."
    )


def test_the_most_similar_pairs_come_first_and_equal_ones_by_id() -> None:
    view = reasons_view(on_circle([0, 40, -40, 90, 10], [0, 0, 1, 1, 1], select=(0, None)))
    assert [row.other for row in view.rows] == [4, 1, 2, 3]


def test_without_mining_every_pair_counts() -> None:
    view = reasons_view(reference(Method("multi_similarity"), select=(0, 3)))
    assert {row.why.key for row in view.rows} == {"mining.short.off"}
    assert all(row.kept for row in view.rows)
    assert say(view.hint) == "Mining is off: every pair counts."


@pytest.mark.parametrize(
    ("labels", "key"), [([0, 0, 0], "no_negative"), ([0, 1, 2], "no_positive"), ([0, 1, 1], "no_positive")]
)
def test_an_anchor_without_one_kind_drops_all_and_says_which_kind_it_lacks(labels: list[int], key: str) -> None:
    view = reasons_view(on_circle([0, 20, 40], labels, select=(0, None)))
    assert {row.why.key for row in view.rows} == {f"mining.short.{key}"}
    assert view.hint.key == f"mining.{key}"
    assert say(view.hint).startswith("Dropped: anchor 0 has no")


def test_with_nothing_selected_it_says_what_to_do() -> None:
    view = reasons_view(scene(default_state()))
    assert (view.anchor, view.rows) == (None, ())
    assert keys([view.title, view.hint]) == ["mining.reasons.nothing", "mining.reasons.how"]


def test_one_point_has_no_pairs_to_list() -> None:
    view = reasons_view(on_circle([10], [0], select=(0, None)))
    assert view.rows == ()
    assert say(view.title) == "Anchor 0 keeps 0 of 0 positives, 0 of 0 negatives"


def test_the_csv_holds_every_pair_with_the_numbers_that_decide() -> None:
    now = scene(default_state())
    rows = list(csv.DictReader(io.StringIO(reasons_csv(now))))
    assert len(rows) == 14 * 13
    assert list(rows[0]) == list(CSV_COLUMNS)
    mined = mine(now.sim, now.pairs, 0.1)
    for row in rows:
        i, j = int(row["anchor"]), int(row["other"])  # ids are rows here
        s, limit = float(row["s"]), float(row["limit"])
        assert s == now.sim[i, j]
        assert float(row["rival_s"]) == now.sim[i, int(row["rival"])]
        positive = row["kind"] == "positive"
        assert positive == bool(now.pairs.pos[i, j])
        assert bool(int(row["kept"])) == (s < limit if positive else s > limit) == bool((mined.pos | mined.neg)[i, j])
        assert float(row["weight"]) == now.weights[i, j]


def test_the_csv_leaves_empty_what_was_not_compared() -> None:
    rows = list(csv.DictReader(io.StringIO(reasons_csv(on_circle([0, 20], [0, 0])))))
    assert [(row["rival"], row["limit"], row["epsilon"], row["kept"]) for row in rows] == [("", "", "0.1", "0")] * 2
    rows = list(csv.DictReader(io.StringIO(reasons_csv(on_circle([0, 20], [0, 0], Method("linear"))))))
    assert [(row["rival"], row["epsilon"], row["kept"]) for row in rows] == [("", "", "1")] * 2
    assert reasons_csv(scene(State(PRESETS["empty"].make(), MS))).splitlines() == [",".join(CSV_COLUMNS)]


def _many(m: int) -> State:
    turn = np.linspace(0, 6, m)
    return State(
        Batch.of(np.stack([np.cos(turn), np.sin(turn)], axis=1), [k % 4 for k in range(m)]), METHODS["authors"]
    )


def test_up_to_64_anchors_are_all_drawn() -> None:
    view = lines_view(scene(_many(64).select(60)))
    assert (view.first, view.count, view.note, view.sent) == (0, 64, None, {})


def test_of_more_those_around_the_selected_anchor_are_drawn_and_a_sentence_says_so() -> None:
    now = scene(_many(100).select(50))
    view, rank = lines_view(now), class_order(now).index(50)
    assert (view.count, view.first) == (64, rank - 32 if 32 <= rank <= 68 else min(max(rank - 32, 0), 36))
    assert view.first <= rank < view.first + 64
    assert view.note is not None
    assert say(view.note).startswith("64 of 100 anchors: those around anchor 50")
    unselected = lines_view(scene(_many(100)))
    assert (unselected.first, unselected.note and unselected.note.key) == (0, "mining.lines.first")


@pytest.mark.parametrize("anchor", [0, 1, 199])
def test_a_large_batch_brings_the_numbers_of_its_lines(anchor: int) -> None:
    now = scene(_many(200).select(anchor))
    view, order = lines_view(now), class_order(now)
    assert list(view.sent) == list(range(view.first, view.first + view.count))
    rank = order.index(anchor)
    sim, decided = view.sent[rank]
    assert sim == pytest.approx(now.sim[anchor, list(order)].tolist(), abs=5e-5)
    assert decided[rank] == 0
    kept = {order[k] for k, code in enumerate(decided) if code in (1, 3)}
    assert kept == set(np.flatnonzero(now.kept[anchor].numpy()).tolist())


def test_of_hundreds_of_pairs_those_nearest_to_their_gate_are_listed_and_the_selected_one() -> None:
    now = scene(_many(300).select(7, 100))
    view = reasons_view(now)
    assert len(view.rows) in (200, 201)
    assert 100 in {row.other for row in view.rows}
    assert view.some is not None
    assert say(view.some).startswith(f"Listed are the {len(view.rows)} of 299 pairs")
    known = now.reasons_of(7)
    away = (known.compared[0] - known.limit[0]).abs()
    listed = {row.other for row in view.rows} - {100}
    assert max(float(away[j]) for j in listed) <= min(float(away[j]) for j in set(range(300)) - listed - {7, 100})
    assert [row.s for row in view.rows] == sorted((row.s for row in view.rows), reverse=True)


def test_of_thousands_of_points_the_csv_holds_the_selected_anchor() -> None:
    rows = list(csv.DictReader(io.StringIO(reasons_csv(scene(_many(520).select(3))))))
    assert (len(rows), {row["anchor"] for row in rows}) == (519, {"3"})
    assert len(reasons_csv(scene(_many(520))).splitlines()) == 1
