"""Under the N-pair bench: batches to draw, the denominator's curve, lengths, and class mining by brute force."""

import itertools
import math

import numpy as np
import pytest

from msviz.core.class_mining import ClassStep
from msviz.core.errors import MsvizError
from msviz.data import PRESETS
from msviz.state import State, decode, default_state, encode
from msviz.state.npair_lab import BUILDS, NPairLab
from msviz.text import say
from msviz.views.npair_batch import OFFERED, tuplet_batch, with_tuplet_batch
from msviz.views.npair_data import pool
from msviz.views.npair_mining import MiningView, Triplet, _words, candidates, mining_csv, mining_view
from msviz.views.npair_norms import norms_csv, norms_curve
from msviz.views.npair_partition import partition_csv, partition_view
from msviz.views.npair_tables import tuplets_view
from tests.views.scenes import circle, keys
from tests.views.test_npair_tables import TWO, seen, view_of

# ---- batches ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", OFFERED)
def test_a_drawn_batch_has_enough_for_every_build_and_something_to_see(n: int) -> None:
    state = default_state().with_batch(tuplet_batch(n, seed=1))
    assert all(tuplets_view(seen(state, tuplets=build)) is not None for build in BUILDS)
    view = view_of(state)
    assert view.loss("triplet").value > 0  # some hinge is open
    assert np.nanmax(view.sim) <= 1 + 1e-4


def test_equal_seeds_draw_equal_points_and_a_link_brings_them_back() -> None:
    assert tuplet_batch(4, 7) == tuplet_batch(4, 7)
    assert tuplet_batch(4, 7) != tuplet_batch(4, 8)
    state = with_tuplet_batch(default_state(), 4)
    assert decode(encode(state)) == (state, ())


def test_asked_again_other_points_are_drawn_and_all_classes_take_part() -> None:
    some = default_state().with_display(default_state().display.replace(npair=NPairLab(n=2)))
    once = with_tuplet_batch(some.select(4, 6), 5)
    assert once.display.npair.n == 0
    assert once.display.selection is None  # the numbers of its points mean others now
    assert once.batch.classes == (0, 1, 2, 3, 4)
    again = with_tuplet_batch(once, 5)
    assert (once.batch.source.note["seed"], again.batch.source.note["seed"]) == (1, 2)
    assert with_tuplet_batch(again, 3).batch.source.note["seed"] == 1


@pytest.mark.parametrize("n", [0, 1, 7, -3])
def test_other_numbers_of_classes_are_not_offered(n: int) -> None:
    with pytest.raises(ValueError, match="2, 3, 4, 5, 6, 8 classes"):
        tuplet_batch(n, seed=0)


# ---- the denominator -------------------------------------------------------------------------------------------------


def test_the_batchs_curve_goes_from_single_negatives_to_the_loss_of_the_bench() -> None:
    now = seen(default_state())
    view, table = partition_view(now, "batch"), tuplets_view(now)
    assert table is not None
    own = table.sim.diagonal()[:, None]
    excess = (table.sim - own)[~np.eye(3, dtype=bool)]
    assert view.curve.n.tolist() == [2, 3]
    assert view.curve.mean[0] == pytest.approx(np.log1p(np.exp(excess)).mean())
    assert view.curve.mean[1] == view.curve.full == pytest.approx(table.loss("npair").value)
    assert keys(view.summary) == ["page.npair.fill.all", "page.npair.fill.enough"]


@pytest.mark.parametrize("name", ["digits", "glyphs"])
def test_images_fill_the_denominator_below_jensens_bound(name: str) -> None:
    curve = partition_view(seen(default_state()), name).curve  # type: ignore[arg-type]
    assert curve.n[-1] == len(pool(name).names)
    assert np.all(np.diff(curve.mean) > 0)
    assert np.all(curve.low <= curve.mean)
    assert np.all(curve.mean <= np.minimum(curve.high, curve.bound) + 1e-12)
    assert curve.mean[-1] == pytest.approx(curve.full)
    assert len(partition_csv(curve).splitlines()) == len(curve.n) + 1


def test_n_of_the_bench_is_marked_where_the_data_have_so_many_classes() -> None:
    assert partition_view(seen(default_state(), n=2), "digits").chosen == 2
    many = circle(range(0, 360, 15), [k // 2 for k in range(24)])
    view = partition_view(seen(many), "digits")  # 12 classes on the bench
    assert view.chosen is None
    assert keys(view.summary) == ["page.npair.fill.enough"]


def test_a_batch_without_pairs_has_no_curve_of_its_own() -> None:
    now = seen(State(PRESETS["singleton"].make(), default_state().method))
    assert partition_view(now, "digits").curve.full > 0
    with pytest.raises(MsvizError) as caught:
        partition_view(now, "batch")
    assert caught.value.key == "error.tuplets_members"


# ---- lengths ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
def test_loss_and_penalty_against_length(build: str) -> None:
    now = seen(default_state(), tuplets=build)
    curve, table = norms_curve(now, 0.05), tuplets_view(now)
    assert curve is not None
    assert table is not None
    assert curve.r[curve.now] == 1
    assert curve.loss[0] == pytest.approx(math.log(1 + table.negatives))  # points of length 0 are all alike
    assert curve.loss[curve.now] == pytest.approx(table.loss("npair").value, abs=1e-4)
    assert curve.penalty == pytest.approx(0.05 * curve.r**2 * table.norm)
    excess = table.sim - table.sim.diagonal()[:, None]
    inside = np.where((table.meets >= 0) & ~np.eye(3, dtype=bool), np.exp(4 * excess), 0.0).sum(1)
    assert curve.loss[int((curve.r == 2).argmax())] == pytest.approx(np.log1p(inside).mean(), abs=1e-3)
    assert curve.best == int((curve.loss + curve.penalty).argmin())
    assert curve.floor == pytest.approx(math.log(1 + table.negatives * math.exp(-2)))
    assert len(norms_csv(curve).splitlines()) == len(curve.r) + 1


def test_no_normalised_batch_comes_below_the_floor_and_the_best_one_reaches_it() -> None:
    apart = circle([0, 0, 180, 180], [0, 0, 1, 1])
    curve = norms_curve(seen(apart), 0.0)
    assert curve is not None
    assert curve.loss[curve.now] == pytest.approx(curve.floor, abs=1e-6)
    assert keys(curve.summary) == ["page.npair.norms.floor.one", "page.npair.norms.below", "page.npair.norms.end_free"]


@pytest.mark.parametrize(
    ("angles", "strength", "said"),
    [
        ([0, 60, 90, 180], 0.05, ["violated", "best"]),  # anchor 2 is closer to 1 than to 3
        ([0, 10, 20, 31], 0.05, ["slow", "nothing"]),  # violated by so little that r = 4 is not too long
        ([0, 20, 45, 65], 0.0, ["slow", "end_free"]),
        ([0, 20, 45, 65], 0.0001, ["slow", "end"]),
        ([0, 60, 90, 180], 0.0, ["violated", "best_free"]),
        ([0, 90, 90, 0], 0.01, ["useless"]),  # each anchor lies on its negative
        ([30, 30, 30, 30], 0.0, ["useless"]),  # all alike: length changes nothing
        ([0, 10, 170, 180], 0.05, ["below", "best"]),
    ],
)
def test_what_is_said_of_lengths(angles: list[float], strength: float, said: list[str]) -> None:
    curve = norms_curve(seen(circle(angles, [0, 0, 1, 1])), strength)
    assert curve is not None
    assert keys(curve.summary)[1:] == [f"page.npair.norms.{it}" for it in said]


def test_a_violated_anchor_among_easy_ones_brings_the_loss_up_again() -> None:
    angles = [0, 30, -60, -10, 150, 150, 210, 210]  # anchor 0: its positive at 30 degrees, a negative at 10
    curve = norms_curve(seen(circle(angles, [0, 0, 1, 1, 2, 2, 3, 3])), 0.0)
    assert curve is not None
    said = curve.summary[1]
    assert said.key == "page.npair.norms.between"
    inside = (curve.r >= float(said.values["r"])) & (curve.r <= float(said.values["until"]))
    assert inside.tolist() == (curve.loss < curve.floor).tolist()
    assert not inside[-1]


def test_of_equal_costs_the_shortest_is_the_least() -> None:
    curve = norms_curve(seen(circle([30] * 6, [0, 0, 1, 1, 2, 2])), 0.0)
    assert curve is not None
    assert curve.best == 0


def test_where_norms_count_already_the_curve_starts_from_them() -> None:
    state = TWO.with_normalize(False)
    far = state.with_batch(state.batch.moved(0, (2, 0), on_circle=False))
    curve = norms_curve(seen(far), 0.1)
    assert curve is not None
    assert curve.loss[curve.now] == pytest.approx(view_of(far).loss("npair").value)
    assert curve.penalty[curve.now] == pytest.approx(0.1 * (4 + 1 + 1 + 1) / 4, abs=1e-4)


def test_nothing_is_made_longer_where_no_tuplets_are_built() -> None:
    assert norms_curve(seen(State(PRESETS["one_class"].make(), default_state().method)), 0.1) is None


# ---- class mining ----------------------------------------------------------------------------------------------------


def _violation(view: MiningView, q: int, c: int, cosine: bool) -> float:
    """The worst triplet of two classes, by trying all of them."""
    x = view.pool.x[np.arange(view.count)[:, None], view.picks]
    x = x / np.linalg.norm(x, axis=2, keepdims=True) if cosine else x
    found = []
    for own, other in ((q, c), (c, q)):
        for a, n in itertools.product(range(x.shape[1]), repeat=2):
            if x.shape[1] == 1:
                found.append(float(x[own, a] @ x[other, n]))
            else:
                found.append(float(x[own, a] @ x[other, n] - x[own, a] @ x[own, 1 - a]))
    return max(found)


@pytest.mark.parametrize("by", ["dot", "cosine"])
@pytest.mark.parametrize("examples", [1, 2])
@pytest.mark.parametrize("mined", ["digits", "glyphs"])
def test_every_choice_is_the_worst_of_all_triplets(by: str, examples: int, mined: str) -> None:
    view = mining_view(NPairLab(mined=mined, by=by, examples=examples, picks=5, reached=4, seed=3))  # type: ignore[arg-type]
    chosen = [view.chosen[0]]
    for step, triplet in zip(view.mined.steps, view.triplets, strict=True):
        left = [c for c in range(view.count) if c not in chosen]
        worst = {c: max(_violation(view, q, c, by == "cosine") for q in chosen) for c in left}
        assert step.violations[left] == pytest.approx([worst[c] for c in left])
        assert np.isnan(step.violations[chosen]).all()
        assert int(step.chosen) == max(worst, key=lambda c: worst[c])
        gap = triplet.s_an - (triplet.s_ap or 0.0)
        assert gap == pytest.approx(step.violation)
        assert int(step.chosen) in (triplet.anchor[0], triplet.negative[0])
        assert (triplet.positive is None) == (examples == 1)
        chosen.append(int(step.chosen))
    assert tuple(chosen) == view.chosen
    assert len(view.words) == 5
    keys(view.words)


def test_as_many_choices_are_shown_as_were_asked_for() -> None:
    whole = mining_view(NPairLab(reached=39, picks=6))
    assert (whole.reached, whole.last) == (5, 5)
    for reached in range(6):
        view = mining_view(NPairLab(reached=reached, picks=6))
        assert view.chosen == whole.chosen[: reached + 1]
        assert (view.step is None) == (reached == 0)


def test_the_start_is_the_class_asked_for_or_a_random_one() -> None:
    assert mining_view(NPairLab(first=7)).chosen[0] == 7
    assert keys(mining_view(NPairLab(first=7)).words)[0] == "page.npair.mine.start.chosen"
    random = {mining_view(NPairLab(seed=seed)).chosen[0] for seed in range(12)}
    assert len(random) > 4
    assert keys(mining_view(NPairLab()).words)[0] == "page.npair.mine.start.random"
    assert mining_view(NPairLab(first=39)).chosen == mining_view(NPairLab()).chosen  # digits have no 40th class


def test_of_fewer_classes_than_wanted_all_are_taken() -> None:
    view = mining_view(NPairLab(picks=40, reached=39))
    assert sorted(view.chosen) == list(range(10))
    assert len(mining_csv(view).splitlines()) == 1 + 9 * 10
    assert len(candidates("glyphs")) == 40


def test_a_tie_is_said_to_be_left_to_chance() -> None:
    names = tuple("abc")
    step = ClassStep("1", 0.2, ("1", "2"), np.array([np.nan, 0.2, 0.2]), anchor=0, negative=2, positive=1)
    with_positive = Triplet((0, 0), (1, 0), (0, 1), 0.5, 0.3)
    alone = Triplet((0, 0), (1, 0), None, 0.5, None)
    assert say(_words(1, step, with_positive, names)).startswith("Step 1: 2 classes violate alike, and chance decides")
    assert say(_words(1, step, alone, names)).startswith("Step 1: 2 classes are equally similar, and chance decides")


def test_a_choice_that_violates_nothing_is_said_to_be_the_closest_to_it() -> None:
    step = ClassStep("1", -0.1, ("1",), np.array([np.nan, -0.1]), anchor=0, negative=2, positive=1)
    said = say(_words(2, step, Triplet((0, 0), (1, 0), (0, 1), -0.3, -0.2), ("a", "b")))
    assert "−0.30 − (−0.20) ≈ −0.10" in said
    assert "no triplet is violated" in said


def test_images_of_a_class_are_their_classs() -> None:
    digits = pool("digits")
    assert digits.images.shape == (10, 174, 8, 8)
    assert digits.x.mean((0, 1)) == pytest.approx(np.zeros(64), abs=1e-9)
    assert np.linalg.norm(digits.x, axis=2).mean() == pytest.approx(1)
    assert pool("glyphs").images.shape == (80, 8, 24, 24)
