"""Compared methods: shares, what the heaviest pairs hold, ranks, and where two methods disagree most; by hand."""

import math

import numpy as np
import pytest

from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS
from msviz.state import State, default_state
from msviz.views.board import Scales, scales
from msviz.views.compare import average_ranks, compared, difference, disagreement, rank_correlation, top_shares
from msviz.views.compare_panels import compare_panels
from msviz.views.compare_table import _anchors, compare_csv, compare_table, table_words
from msviz.views.decision import Decision
from msviz.views.panels import Panel
from msviz.views.scene import Scene, scene
from tests.views.scenes import circle, keys, on_circle

NAN = float("nan")
# A at 0 and 60 degrees, B at 90 and 180. S of the negatives: 0-90 0, 60-90 .87, 0-180 -1, 60-180 -.5.
ANGLES, LABELS = [0, 60, 90, 180], [0, 0, 1, 1]
LINEAR, CONTRASTIVE, TRIPLET = Method("linear"), Method("contrastive"), Method("triplet")
DEAD = Method("contrastive", epsilon=0)  # mines nothing where the classes are apart


def _scene(*methods: Method, shares: str = "share", versus: tuple[int, int] = (1, 2)) -> Scene:
    state = circle(ANGLES, LABELS, methods[0]).with_others(methods[1:])
    return scene(state.with_display(state.display.replace(shares=shares, versus=versus)))


def _panels(now: Scene) -> dict[str, Panel]:
    return {panel.key: panel for panel in compare_panels(now, scales(now))}


def test_linear_gives_every_pair_the_same_share() -> None:
    (one,) = compared(_scene(LINEAR))
    assert (one.number, one.key, one.total, one.kept) == (1, "w", 12, 12)
    assert np.abs(one.shares())[~np.eye(4, dtype=bool)].tolist() == pytest.approx([1 / 12] * 12)
    assert one.shares()[0, 1] < 0 < one.shares()[0, 2]  # signed: positives pull


def test_contrastive_weighs_four_positives_and_the_negatives_above_lambda() -> None:
    _, two = compared(_scene(LINEAR, CONTRASTIVE))
    assert (two.key, two.total) == ("c0", 6)  # 0-1, 2-3 and 1-2, both ways
    assert two.shares()[1, 2] == pytest.approx(1 / 6)
    assert two.shares()[0, 2] == 0


def test_the_same_method_twice_stands_there_twice() -> None:
    assert [one.key for one in compared(_scene(LINEAR, CONTRASTIVE, LINEAR))] == ["w", "c0", "c1"]


def test_the_heaviest_pairs_are_counted_up_to_whole_ones() -> None:
    _, two = compared(_scene(LINEAR, CONTRASTIVE))
    # Of 12 pairs 1 % and 5 % are one pair, 10 % two.
    assert top_shares(two, 12) == pytest.approx((1 / 6, 1 / 6, 2 / 6))
    assert top_shares(two, 12, (0.5, 1.0)) == pytest.approx((1.0, 1.0))


def test_a_total_of_zero_has_no_shares() -> None:
    apart = scene(State(PRESETS["two_clean"].make(), METHODS["authors"], others=(LINEAR,)))
    dead, linear = compared(apart)
    assert (dead.total, dead.kept) == (0, 0)
    assert not dead.shares().any()
    assert all(math.isnan(top) for top in top_shares(dead, apart.m * (apart.m - 1)))
    found = disagreement(apart.state.batch.ids, dead, linear)
    assert found is not None
    assert found.shares == (0, pytest.approx(1 / (apart.m * (apart.m - 1))))
    assert math.isnan(rank_correlation(dead.gradient, dead.gradient, apart.pairs.neg.numpy()))
    assert compare_panels(apart, scales(apart))[0].hint.values["how"] == "total weight 0, so no shares"
    assert "page.compare.table.zero" in keys(table_words(compare_table(apart)))


def test_two_methods_disagree_most_where_their_shares_do() -> None:
    now = _scene(LINEAR, CONTRASTIVE)
    one, two = compared(now)
    apart = difference(one, two)
    assert apart[0, 2] == pytest.approx(1 / 12)  # only linear weighs it
    assert apart[1, 2] == pytest.approx(1 / 12 - 1 / 6)
    found = disagreement(now.state.batch.ids, one, two)
    assert found is not None
    assert (found.one, found.two, found.anchor, found.other) == (1, 2, 0, 1)  # the first of equals
    assert found.shares == pytest.approx((1 / 12, 1 / 6))
    assert disagreement(now.state.batch.ids, one, one) is None


def test_ranks_of_equals_are_their_average() -> None:
    assert average_ranks(np.array([3.0, 1, 3, 3])).tolist() == [3, 1, 3, 3]


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ([1, 2, 3], [10, 20, 30], 1.0),
        ([1, 2, 3], [-10, -20, -30], 1.0),  # weights: signs do not count
        ([1, 2, 3], [3, 2, 1], -1.0),
        ([1, 2, 3, 4], [1, 3, 2, 4], 0.8),  # 1 - 6 (0 + 1 + 1 + 0) / (4 * 15)
        ([0, 0, 1, 2], [0, 0, 2, 1], -1.0),  # what weighs nothing in both is left out
        ([1, 1, 2], [1, 2, 3], math.sqrt(3) / 2),  # ranks 1.5 1.5 3 against 1 2 3
        ([5, 5, 5], [1, 2, 3], NAN),
        ([0, 0, 4], [0, 0, 4], NAN),  # one pair has no order
        ([], [], NAN),
    ],
)
def test_rank_correlation_by_hand(one: list[float], two: list[float], expected: float) -> None:
    a, b = np.array([one], dtype=float), np.array([two], dtype=float)
    assert rank_correlation(a, b, np.ones(a.shape, dtype=bool)) == pytest.approx(expected, nan_ok=True)


def test_only_the_pairs_of_the_kind_count() -> None:
    a, b = np.array([[1.0, 2, 3, 9]]), np.array([[1.0, 2, 3, 0]])
    assert rank_correlation(a, b, np.array([[True, True, True, False]])) == pytest.approx(1)


# ---- pictures ------------------------------------------------------------------------------------------------------


def test_shares_have_one_scale_in_per_cent() -> None:
    panels = _panels(_scene(LINEAR, CONTRASTIVE))
    assert [(panel.kind, panel.times, panel.curve) for panel in panels.values()] == [
        ("w", 100, "linear"),
        ("w", 100, "linear"),
        ("d", 100, "linear"),
    ]
    assert panels["w"].high == panels["c0"].high == pytest.approx(1 / 6)
    assert panels["d"].high == pytest.approx(1 / 12)
    assert panels["c0"].values[1, 2] == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("shares", "how", "ends", "times", "curve", "value"),
    [
        ("raw", "raw weights, one scale", (2, 2), 1, "linear", 1),
        ("own", "raw weights, own scale", (1, 2), 1, "linear", 1),
        ("log", "% of its total, log", (1 / 3, 1 / 3), 100, "log", 1 / 12),
    ],
)
def test_every_way_to_draw_says_so_and_has_its_scale(
    shares: str, how: str, ends: tuple[float, float], times: float, curve: str, value: float
) -> None:
    # Anchor 2: its positive 3 has S = 0; both negatives are nearer than that less .1 (.87 and 0). So triplet's heaviest
    # weighs 2, of 6 in all.
    now = _scene(LINEAR, TRIPLET, shares=shares)
    panels = _panels(now)
    assert (panels["w"].high, panels["c0"].high) == pytest.approx(ends)
    assert (panels["w"].times, panels["w"].curve) == (times, curve)
    assert abs(panels["w"].values[0, 1]) == pytest.approx(value)
    assert {panels[key].hint.values["how"] for key in ("w", "c0")} == {how}


def test_each_panel_has_the_decisions_of_its_own_mining() -> None:
    panels = _panels(_scene(METHODS["ms"], LINEAR))
    mined, free = panels["w"].decision, panels["c0"].decision
    assert mined is not None
    assert free is not None
    assert set(np.unique(free)) == {Decision.SELF, Decision.POSITIVE_KEPT, Decision.NEGATIVE_KEPT}
    assert Decision.NEGATIVE_DROPPED in mined
    either = panels["d"].decision
    assert either is not None
    assert np.array_equal(either, free)  # one of the two keeps it


def test_a_difference_is_of_the_two_that_were_chosen() -> None:
    now = _scene(LINEAR, CONTRASTIVE, TRIPLET, versus=(3, 1))
    one, _, three = compared(now)
    panel = _panels(now)["d"]
    assert panel.values == pytest.approx(difference(three, one).astype(np.float32))
    assert panel.ends is not None
    assert [end.values["number"] for end in panel.ends] == [1, 3]  # the end below 0: the second gives more
    assert panel.title.values == {"one": 3, "two": 1}


def test_one_method_alone_has_no_difference() -> None:
    assert list(_panels(_scene(LINEAR))) == ["w"]


def test_scales_stand_still_in_a_gesture() -> None:
    start = _scene(LINEAR, TRIPLET)
    moved = scene(start.state.with_batch(start.state.batch.moved(1, (0, 1))))
    still = [panel.high for panel in compare_panels(moved, scales(start))]
    assert still == [panel.high for panel in compare_panels(start, scales(start))]
    assert still != [panel.high for panel in compare_panels(moved, scales(moved))]
    assert compare_panels(moved, Scales(1, 1))[0].high == compare_panels(moved, scales(moved))[0].high


@pytest.mark.parametrize("slug", PRESETS)
def test_every_batch_can_be_compared(slug: str) -> None:
    now = scene(default_state().with_batch(PRESETS[slug].make()))
    panels = compare_panels(now, scales(now))
    assert len(panels) == 7
    assert all(panel.high > 0 and panel.values.shape == (now.m, now.m) for panel in panels)
    assert compare_csv(compare_table(now)).count("\n") == 7


# ---- the table -------------------------------------------------------------------------------------------------------


def test_the_table_is_symmetric_and_its_pairs_turn_round() -> None:
    table = compare_table(on_circle(ANGLES, LABELS, LINEAR))
    rows = table.rows
    assert (table.pairs, table.anchors, len(rows)) == (12, 4, 6)
    assert rows[1].negatives[0] == rows[0].negatives[1] or math.isnan(rows[0].negatives[1])
    found, turned = rows[0].apart[1], rows[1].apart[0]
    assert found is not None
    assert turned is not None
    assert (found.anchor, found.other, found.shares) == (turned.anchor, turned.other, turned.shares[::-1])
    assert rows[2].apart[2] is None
    assert rows[3].positives[3] == pytest.approx(1)


def test_the_csv_holds_every_number_in_full() -> None:
    table = compare_table(_scene(LINEAR, CONTRASTIVE))
    head, one, two = (line.split(",") for line in compare_csv(table).splitlines())
    cells = dict(zip(head, two, strict=True))
    assert (cells["number"], cells["total_weight"], cells["pairs"], cells["kept_pairs"]) == ("2", "6.0", "12", "12")
    assert float(cells["top_1%"]) == pytest.approx(1 / 6)
    assert (cells["most_apart_from_1_anchor"], cells["most_apart_from_1_other"]) == ("0", "1")
    assert float(cells["most_apart_from_1_share"]) == pytest.approx(1 / 6)
    assert float(cells["most_apart_from_1_its_share"]) == pytest.approx(1 / 12)
    assert cells["rank_correlation_positives_with_1"] == ""  # all of linear's weights are equal
    assert one[1] == "Linear (equal weights)"


@pytest.mark.parametrize(("m", "anchors"), [(0, 0), (64, 64), (256, 256), (512, 128), (4096, 16)])
def test_a_large_batch_ranks_some_anchors_only(m: int, anchors: int) -> None:
    chosen = _anchors(m)
    assert len(set(chosen.tolist())) == anchors
    assert chosen.max(initial=0) <= max(m - 1, 0)
