"""Figure 2's three cases are as true as they are worded, and the checker notices where they are not."""

import math

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from msviz import LOSSES, METHODS, CasePath, Method, MsvizError, evaluate, figure2, label_pairs, mine, similarity
from msviz.core.figure2 import Case, _holds, default_anchor
from msviz.core.three_similarities import three_similarities
from tests.core.batches import one_anchor

MS = METHODS["authors"]
HELD = [Case.WHOLE_ROW, Case.OTHER_NEGATIVES, Case.LEAST_POSITIVE]


def on_default(case: str, j: int = 2, method: Method = MS, steps: int = 21) -> CasePath:
    return figure2(case, method, *default_anchor(), i=0, j=j, steps=steps)


@st.composite
def anchors(draw):
    """Continuous similarities from a seed: no ties, which rounding would decide."""
    rng = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    pos, neg = draw(st.integers(1, 5)), draw(st.integers(2, 8))
    low = draw(st.sampled_from([-1.0, 0.0, 0.6]))
    row = (low + (0.99 - low) * torch.rand(pos + neg, generator=rng, dtype=torch.float64)).tolist()
    return *one_anchor(row[:pos], row[pos:]), pos + draw(st.integers(0, neg - 1))


methods = st.builds(
    Method,
    st.just("multi_similarity"),
    alpha=st.floats(0.5, 10),
    beta=st.floats(1, 200),
    lam=st.floats(-1, 1),
    epsilon=st.one_of(st.none(), st.floats(0, 0.5)),
)


@pytest.mark.parametrize("case", HELD)
@given(anchors(), methods, st.integers(2, 30))
@settings(max_examples=150)
def test_multi_similarity_does_what_the_sentences_say(case, anchor, method, steps):
    sim, pairs, j = anchor
    path = figure2(case, method, sim, pairs, 0, j, steps)
    assert path.all_hold, {name: held.tolist() for name, held in path.holds.items()}


@given(anchors(), st.sampled_from(Case), st.integers(2, 9))
@settings(max_examples=60)
def test_every_number_of_a_path_is_what_the_core_says_of_that_row(anchor, case, steps):
    sim, pairs, j = anchor
    path = figure2(case, MS, sim, pairs, 0, j, steps)
    assert torch.equal(path.sim[0], sim[0])
    assert path.sim.max() <= 1 + 1e-12
    for t in range(steps):
        row, found = path.sim[t : t + 1], evaluate(path.sim[t : t + 1], pairs, MS)
        three = three_similarities(row, pairs, 2, 40)
        assert float(path.weight[t]) == pytest.approx(float(found.weights[0, j]))
        assert bool(path.kept[t]) == bool(mine(row, pairs, 0.1).neg[0, j])
        for got, right in ((path.s, three.s), (path.p, three.p), (path.n, three.n)):
            assert float(got[t]) == pytest.approx(float(right[0, j]))


def test_case_1_the_pair_gains_weight_and_an_easy_one_stays_at_zero():
    path = on_default("1", steps=19)  # to 1 - .82 = .18, in hundredths
    assert path.shift.tolist() == pytest.approx([k / 100 for k in range(19)])
    assert path.s[-1] == pytest.approx(0.80)
    assert path.p.tolist() == pytest.approx([-0.03] * 19)
    assert path.weight[0] == pytest.approx(0.991837, abs=1e-6)
    assert path.weight[10] == pytest.approx(1 / (math.exp(40 * (0.5 - 0.72)) + 1))
    easy = on_default("1", j=3)
    assert not easy.kept.any()
    assert not easy.weight.any()
    assert easy.all_hold


def test_case_2_a_rival_takes_weight_from_the_moment_it_is_mined():
    path = on_default("2", steps=36)  # .30 rises to 1, in steps of .02
    assert path.sim[:, 3].tolist() == pytest.approx([0.30 + 0.02 * k for k in range(36)])
    assert (path.sim[:, :3] == path.sim[0, :3]).all()
    alone, level = 1 / (math.exp(-4.8) + 1), 1 / (math.exp(-4.8) + 1 + 1)
    assert path.weight[:13].tolist() == pytest.approx([alone] * 13)  # up to .54, below .65 - .1
    assert path.weight[16] == pytest.approx(level)  # the rival at .62, too
    assert (path.weight[13:].diff() < 0).all()
    assert (path.n.diff() < 0).all()


def test_case_3_the_pair_drops_to_zero_when_mining_lets_it_go():
    path = on_default("3", steps=36)  # .65 rises to 1, in hundredths, and takes .82 along
    assert path.p.tolist() == pytest.approx([-0.03 - k / 100 for k in range(36)])
    assert path.sim[20, :2].tolist() == pytest.approx([0.85, 0.85])
    assert path.kept.int().tolist() == [1] * 7 + [int(0.62 > 0.65 + 0.07 - 0.1)] + [0] * 28
    assert path.weight[:7].tolist() == pytest.approx([0.991837] * 7, abs=1e-6)
    assert not path.weight[8:].any()


def test_case_3_the_weight_rises_when_a_rival_leaves():
    # Positive .65 + t; the rival at .58 is let go at t = .03, the pair at .62 at t = .07.
    path = figure2("3", MS, *one_anchor([0.65], [0.62, 0.58]), i=0, j=1, steps=36)
    with_rival, alone = 1 / (math.exp(-4.8) + 1 + math.exp(-1.6)), 1 / (math.exp(-4.8) + 1)
    assert path.weight[:3].tolist() == pytest.approx([with_rival] * 3)
    assert path.weight[4:7].tolist() == pytest.approx([alone] * 3)
    assert path.all_hold


def test_negatives_alone_can_lower_a_weight_when_a_rival_enters_mining():
    # Limit .9 - .1 = .8: the pair at .81 is mined, the rival at .79 enters at t = .01.
    path = figure2("1, negatives only", MS, *one_anchor([0.9], [0.81, 0.79]), i=0, j=1, steps=20)
    assert path.weight[0] == pytest.approx(1 / (math.exp(40 * (0.5 - 0.81)) + 1))
    assert path.weight[2] == pytest.approx(1 / (1 + math.exp(-0.8)), abs=1e-4)
    assert path.holds["weight"].logical_not().nonzero().flatten().tolist() in ([1], [2])  # a tie on paper at t = .01
    assert all(path.holds[name].all() for name in ("S", "P", "N"))
    assert figure2("1", MS, *one_anchor([0.9], [0.81, 0.79]), i=0, j=1, steps=20).all_hold


def test_such_exceptions_are_rare_among_random_points_on_the_circle():
    rng = torch.Generator().manual_seed(0)
    fell = of = 0
    for _ in range(100):
        sim = similarity(torch.randn(32, 2, generator=rng, dtype=torch.float64))
        pairs = label_pairs([k // 4 for k in range(32)])
        before = evaluate(sim, pairs, MS).weights
        after = evaluate(sim + 0.1 * pairs.neg.double(), pairs, MS).weights
        fell += int(((after < before - 1e-9) & pairs.neg).sum())
        of += int(pairs.neg.sum())
    assert 0.001 < fell / of < 0.004  # about .2 %


def test_most_paths_with_negatives_alone_hold_too():
    rng = torch.Generator().manual_seed(0)
    exceptions = []
    for _ in range(300):
        row = (2 * torch.rand(9, generator=rng, dtype=torch.float64) - 1).tolist()
        path = figure2(Case.NEGATIVES_ONLY, MS, *one_anchor(row[:1], row[1:]), i=0, j=1)
        assert all(path.holds[name].all() for name in ("S", "P", "N"))
        if not path.all_hold:
            exceptions.append(path)
    assert 0 < len(exceptions) < 10
    for path in exceptions:
        for t in path.holds["weight"].logical_not().nonzero().flatten().tolist():
            entered = path.mined[t] & ~path.mined[t - 1] & path.pairs.neg[0]
            assert path.kept[t - 1]
            assert entered.any()  # a rival, for the pair was there before


@pytest.mark.parametrize(
    ("loss", "case", "broken"),
    [
        (Method("binomial"), "2", "weight"),  # blind to rivals
        (Method("contrastive"), "2", "weight"),
        (Method("npair"), "3", "weight"),  # the positive stands in its exponent
        (Method("triplet"), "3", "weight"),  # counts positives within the margin
    ],
    ids=repr,
)
def test_the_checker_notices_losses_that_do_otherwise(loss, case, broken):
    path = figure2(case, loss, *one_anchor([0.8, 0.3], [0.62, 0.4]), i=0, j=2)
    assert not path.all_hold
    assert [name for name, held in path.holds.items() if not held.all()] == [broken]


@pytest.mark.parametrize(
    ("case", "what", "at", "value", "broken"),
    [
        ("1", "s", 3, 0.5, "S"),  # it must rise
        ("1", "p", 3, 0.0, "P"),  # it must stay
        ("1", "n", 3, 0.5, "N"),
        ("1", "weight", 3, 0.9, "weight"),
        ("2", "s", 3, 0.5, "S"),
        ("2", "p", 3, 0.0, "P"),
        ("2", "n", 3, 1.1, "N"),  # it must not rise
        ("2", "weight", 3, 1.0, "weight"),
        ("3", "s", 3, 0.5, "S"),
        ("3", "p", 3, -0.03, "P"),  # it must fall
        ("3", "n", 3, 0.5, "N"),
        ("3", "weight", 3, 0.995, "weight"),  # the last step in which it is mined, and no rival left: it must stay
        ("3", "weight", 9, 0.1, "weight"),  # let go: it must be 0
    ],
)
def test_the_checker_notices_one_number_that_is_not_as_it_must_be(case, what, at, value, broken):
    path = on_default(case)
    three, weights = three_similarities(path.sim, path.pairs, 2, 40), path.weights.clone()
    (weights if what == "weight" else getattr(three, what))[at, 2] = value
    held = _holds(path.case, three, weights, path.mined, path.pairs.neg[:1], 2)
    assert not held[broken].all()
    assert held[broken][:at].all()
    assert all(steps.all() for name, steps in held.items() if name != broken)


def test_in_case_2_the_rivals_gain_something_so_that_the_claim_is_put_to_the_test():
    path = on_default("2", method=METHODS["ms_weighting"])
    gains = path.weights[:, 3].diff() > 1e-12
    assert gains.sum() >= 10
    assert (path.weight.diff()[gains] < 0).all()


@pytest.mark.parametrize("case", Case)
@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_has_a_path_and_the_pair_is_judged_in_every_step(name, case):
    path = on_default(case, method=Method(name, epsilon=0.1), steps=5)
    assert path.weights.isfinite().all()
    assert set(path.holds) == {"S", "P", "N", "weight"}
    assert all(held.shape == (5,) and held[0] for held in path.holds.values())
    assert all(path.holds[name].all() for name in "SPN")  # the similarities are the anchor's, not the loss's


def test_a_histogram_judges_every_step_as_a_batch_of_its_own():
    path = on_default("3", method=Method("histogram"), steps=4)
    for t in range(4):
        alone = evaluate(path.sim[t : t + 1], default_anchor()[1], Method("histogram"))
        assert torch.equal(alone.weights[0], path.weights[t])


def test_the_anchor_may_be_any_row_of_a_batch_and_its_own_point_stays():
    sim = similarity(torch.randn(6, 3, generator=torch.Generator().manual_seed(5), dtype=torch.float64))
    pairs = label_pairs([0, 0, 1, 1, 2, 2])
    path = figure2("1", MS, sim, pairs, i=3, j=4)
    assert torch.equal(path.sim[0], sim[3])
    assert (path.sim[:, 3] == sim[3, 3]).all()
    assert path.column == 4
    assert path.all_hold


@given(st.floats(-1, 0.99))
@example(1 - 1e-7)
def test_a_path_ends_where_the_nearest_of_the_movers_is_at_one(s):
    path = figure2("2", MS, *one_anchor([0.5], [0.2, s]), i=0, j=1)
    assert path.sim[-1, 2] == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "words", "key"),
    [
        ({"case": "4"}, "case must be one of '1', '1, negatives only', '2', '3', got '4'", "error.parameter_range"),
        ({"steps": 1}, "steps must be a whole number >= 2, got 1", "error.parameter_range"),
        ({"steps": 2.5}, "steps must be a whole number >= 2, got 2.5", "error.parameter_range"),
        ({"j": 0}, "(i, j) must be a negative pair, got (0, 0)", "error.shape"),
        ({"j": 4}, "(i, j) must be a negative pair, got (0, 4)", "error.shape"),
        ({"i": -1}, "(i, j) must be a negative pair, got (-1, 2)", "error.shape"),
        ({"sim": torch.ones(1, 3)}, "sim must be of the same shape as its pairs, [1, 4], got shape [1, 3]",
         "error.shape"),
        ({"sim": torch.ones(1, 4)}, "sim must be below 1 where it moves in case 1, got 1", "error.shape"),
    ],
)  # fmt: skip
def test_what_is_no_case_of_figure_2_is_refused_in_words(change, words, key):
    sim, pairs = default_anchor()
    with pytest.raises(MsvizError) as error:
        figure2(**{"case": "1", "method": MS, "sim": sim, "pairs": pairs, "i": 0, "j": 2, **change})
    assert str(error.value) == words
    assert error.value.key == key


def test_where_nobody_is_there_to_move_there_is_no_case():
    for case, pos in (("2", [0.5]), ("3", [])):
        with pytest.raises(MsvizError, match=f"pairs must be of an anchor that has somebody to move in case {case}"):
            figure2(case, MS, *one_anchor(pos, [0.3]), i=0, j=len(pos))
