"""Hard negative class mining against all triplets, one by one; ties are drawn by seed."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from msviz import MsvizError, ZeroRowWarning, mine_classes, similarity
from tests.core.batches import on_circle

seeds = st.integers(0, 2**32 - 1)


def rng(seed=0):
    return np.random.default_rng(seed)


@st.composite
def examples(draw):
    """Small whole numbers: dot products are exact, and ties are common."""
    classes, each, width = draw(st.integers(2, 6)), draw(st.integers(1, 2)), draw(st.integers(1, 3))
    m = classes * each
    x = [[draw(st.integers(-2, 2)) for _ in range(width)] for _ in range(m)]
    labels = draw(st.permutations([label for label in range(10, 10 + classes) for _ in range(each)]))
    return torch.tensor(x, dtype=torch.float32), labels, draw(st.integers(2, classes))


def triplets(sim, labels, one, other):
    """(S_an - S_ap, a, n, p) of every triplet with its anchor in class `one` and its negative in class `other`."""
    for a in (i for i, label in enumerate(labels) if label == one):
        positives = [i for i, label in enumerate(labels) if label == one and i != a] or [None]
        for n in (i for i, label in enumerate(labels) if label == other):
            for p in positives:
                yield sim[a, n] - (0 if p is None else sim[a, p]), a, n, p


def added(sim, labels, chosen, candidate):
    """Every triplet that the candidate adds to the classes that are chosen."""
    for q in chosen:
        yield from triplets(sim, labels, q, candidate)
        yield from triplets(sim, labels, candidate, q)


@given(examples(), seeds)
@settings(deadline=None, max_examples=150)
def test_every_step_takes_a_class_that_violates_the_most_of_all_triplets(batch, seed):
    x, labels, n = batch
    mined = mine_classes(x, labels, n, rng(seed))
    sim = similarity(x.double(), normalize=False).tolist()
    sim = {(i, j): s for i, row in enumerate(sim) for j, s in enumerate(row)}
    assert mined.classes == tuple(dict.fromkeys(labels))
    assert len({*mined.chosen}) == len(mined.chosen) == n
    assert [step.chosen for step in mined.steps] == [*mined.chosen[1:]]
    for k, step in enumerate(mined.steps, start=1):
        before = mined.chosen[:k]
        expected = {c: max(t[0] for t in added(sim, labels, before, c)) for c in mined.classes if c not in before}
        got = dict(zip(mined.classes, step.violations.tolist(), strict=True))
        assert {c: v for c, v in got.items() if not math.isnan(v)} == expected
        assert step.violation == max(expected.values()) == expected[step.chosen]
        assert step.ties == tuple(c for c in expected if expected[c] == step.violation)
        worst = (step.violation, step.anchor, step.negative, step.positive)
        assert worst in [*added(sim, labels, before, step.chosen)]


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("each", [1, 2])
def test_random_embeddings_against_all_triplets(each, normalize):
    labels = list(range(12)) * each
    x = torch.randn(len(labels), 4, generator=torch.Generator().manual_seed(each)) * 3
    mined = mine_classes(x, labels, 8, rng(), first=5, normalize=normalize)
    sim = similarity(x.double(), normalize=normalize)
    chosen = [5]
    while len(chosen) < 8:
        worst = {c: max(t[0].item() for t in added(sim, labels, chosen, c)) for c in range(12) if c not in chosen}
        chosen.append(max(worst, key=worst.__getitem__))
        assert mined.steps[len(chosen) - 2].violation == pytest.approx(worst[chosen[-1]], rel=1e-12)
        assert len(mined.steps[len(chosen) - 2].ties) == 1
    assert [*mined.chosen] == chosen


def test_the_choice_by_hand():
    # Pairs on the circle, 20 degrees wide; the classes begin at 0, 30, 90 and 180 degrees.
    x = on_circle(0, 20, 30, 50, 90, 110, 180, 200)
    mined = mine_classes(x, list("aabbccdd"), 4, rng(), first="a")
    assert mined.chosen == ("a", "b", "c", "d")
    cos = [math.cos(math.radians(degrees)) for degrees in range(181)]
    assert [step.violation for step in mined.steps] == pytest.approx(
        [cos[10] - cos[20], cos[40] - cos[20], cos[70] - cos[20]]
    )
    first = mined.steps[0]
    assert (first.anchor, first.negative, first.positive) == (1, 2, 0)  # 20 degrees, 30, 0
    assert first.violation > 0 > mined.steps[1].violation  # only a and b violate the constraint
    assert first.violations == pytest.approx(
        [math.nan, cos[10] - cos[20], cos[70] - cos[20], cos[160] - cos[20]], nan_ok=True
    )


def test_with_one_example_a_class_it_is_the_nearest_class():
    mined = mine_classes(on_circle(0, 100, 30, 50), [4, 5, 6, 7], 4, rng(), first=4)
    assert mined.chosen == (4, 6, 7, 5)
    assert [(step.anchor, step.negative, step.positive) for step in mined.steps] == [
        (0, 2, None),
        (2, 3, None),
        (3, 1, None),
    ]


def test_a_candidate_may_be_the_anchor_of_the_worst_triplet():
    # b is wide: seen from b at 40 degrees the point of a at 0 is nearer than b's own at 140. From a, b is far.
    x = on_circle(0, 1, 40, 140)
    step = mine_classes(x, ["a", "a", "b", "b"], 2, rng(), first="a").steps[0]
    assert (step.anchor, step.negative, step.positive) == (2, 1, 3)
    assert step.violation == pytest.approx(math.cos(math.radians(39)) - math.cos(math.radians(100)))


def test_ties_are_drawn_and_both_outcomes_occur():
    x = torch.tensor([[1.0, 0.0], [0.6, 0.8], [0.6, -0.8], [-1.0, 0.0]])
    outcomes = {}
    for seed in range(20):
        mined = mine_classes(x, list("abcd"), 2, rng(seed), first="a")
        assert mined.steps[0].ties == ("b", "c")
        assert mined.chosen == mine_classes(x, list("abcd"), 2, rng(seed), first="a").chosen
        outcomes[mined.chosen] = seed
    assert {*outcomes} == {("a", "b"), ("a", "c")}


def test_a_tie_is_a_tie_in_spite_of_rounding():
    x = torch.tensor([[1.0], [0.1 + 0.2], [0.3], [0.3 - 1e-9]], dtype=torch.float64)  # 0.1 + 0.2 > 0.3 in floats
    assert x[1] > x[2]
    assert mine_classes(x, list("abcd"), 2, rng(), first="a").steps[0].ties == ("b", "c")


def test_the_first_class_is_drawn_by_seed():
    x = on_circle(0, 90, 180)
    firsts = [mine_classes(x, list("abc"), 2, rng(seed)).chosen[0] for seed in range(20)]
    assert {*firsts} == {"a", "b", "c"}


def test_without_normalisation_a_long_class_is_chosen_first():
    x = torch.tensor([[1.0, 0.0], [0.9, 0.1], [5.0, 5.0]])
    assert mine_classes(x, [0, 1, 2], 2, rng(), first=0).chosen == (0, 2)
    assert mine_classes(x, [0, 1, 2], 2, rng(), first=0, normalize=True).chosen == (0, 1)


def test_half_precision_gradients_and_tensors_of_labels_are_fine():
    x = on_circle(0, 30, 100).half().requires_grad_()
    mined = mine_classes(x, torch.tensor([7, 8, 9]), 3, rng(), first=torch.tensor(7))
    assert mined.chosen == (7, 8, 9)


def test_a_zero_row_is_reported_where_directions_count():
    with pytest.warns(ZeroRowWarning):
        mine_classes(torch.tensor([[1.0, 0.0], [0.0, 0.0]]), [0, 1], 2, rng(), normalize=True)


@pytest.mark.parametrize(
    ("labels", "name", "got"), [([0, 0, 0, 1, 1, 1], "0", 3), ([4, 4, 5, 5, 6], "6", 1), ([4, 5, 5, 6], "5", 2)]
)
def test_a_class_with_another_number_of_examples_is_named(labels, name, got):
    with pytest.raises(MsvizError, match=f"class {name} has {got}; choose as many of each") as error:
        mine_classes(torch.ones(len(labels), 2), labels, 2, rng())
    assert error.value.key == "error.class_examples"


@pytest.mark.parametrize("n", [1, 0, 2.5, True, "2"])
def test_the_number_of_chosen_classes_is_at_least_2(n):
    with pytest.raises(MsvizError, match="n must be a whole number >= 2, got") as error:
        mine_classes(on_circle(0, 90, 180), [0, 1, 2], n, rng())
    assert error.value.key == "error.parameter_range"


@pytest.mark.parametrize(("labels", "n"), [([0, 1, 2], 4), ([0, 0], 2), ([], 2)])
def test_no_more_classes_are_chosen_than_there_are(labels, n):
    with pytest.raises(MsvizError, match=f"tuplets of {n} classes need points of as many, got {len(set(labels))}"):
        mine_classes(torch.ones(len(labels), 2), labels, n, rng())


def test_an_unknown_first_class_is_an_error():
    with pytest.raises(MsvizError, match="first must be the label of a class, got 9"):
        mine_classes(on_circle(0, 90), [0, 1], 2, rng(), first=9)


def test_labels_are_one_a_point_and_dot_products_are_finite():
    with pytest.raises(MsvizError, match="one class id for each of the 2 embeddings, got 3"):
        mine_classes(on_circle(0, 90), [0, 1, 2], 2, rng())
    with pytest.raises(MsvizError, match="similarities are too large"):
        mine_classes(torch.full((2, 2), 1e200, dtype=torch.float64), [0, 1], 2, rng())
