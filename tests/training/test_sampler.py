"""P x K batches: what is in one, which come next, and what cannot be drawn from."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from msviz.core.errors import MsvizError
from msviz.text import say_error
from msviz.training.sampler import PKSampler


def shuffled(counts: Sequence[int]) -> np.ndarray:
    """Labels with so many items of each class."""
    return np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))


@st.composite
def samplers(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int, int, int]:
    """Arguments that can be drawn from; the rows are some of the items, in any order."""
    counts = draw(st.lists(st.integers(1, 12), min_size=1, max_size=8))
    labels = shuffled(counts)
    kept = draw(st.sets(st.sampled_from(range(len(counts))), min_size=1))
    rows = np.random.default_rng(1).permutation(np.flatnonzero(np.isin(labels, list(kept))))
    classes = draw(st.integers(1, len(kept)))
    per_class = draw(st.integers(1, min(counts[at] for at in kept)))
    return labels, rows, classes, per_class, draw(st.integers(0, 2**31 - 1))


@given(samplers(), st.integers(0, 50))
def test_a_batch_has_k_different_items_of_each_of_p_classes_in_blocks(arguments, drawn: int) -> None:
    labels, rows, classes, per_class, _ = arguments
    sampler = PKSampler(*arguments)
    sampler.load_state_dict({"drawn": drawn})
    batch = sampler.draw()
    assert len(set(batch)) == len(batch) == classes * per_class
    assert set(batch) <= set(rows)
    blocks = labels[batch].reshape(classes, per_class)
    assert (blocks == blocks[:, :1]).all()
    assert len(set(blocks[:, 0])) == classes


@given(samplers(), st.integers(0, 5), st.integers(1, 5))
def test_a_restored_sampler_goes_on_with_the_same_batches(arguments, before: int, after: int) -> None:
    sampler, restored = PKSampler(*arguments), PKSampler(*arguments)
    for _ in range(before):
        sampler.draw()
    restored.load_state_dict(sampler.state_dict())
    for _ in range(after):
        assert np.array_equal(sampler.draw(), restored.draw())
    assert sampler.state_dict() == restored.state_dict()


@given(samplers(), st.integers(0, 5), st.integers(0, 99))
def test_who_chooses_classes_sees_two_items_of_each_candidate_and_changes_no_item(arguments, drawn, seed) -> None:
    labels, rows, classes, per_class, _ = arguments
    present, counts = np.unique(labels[rows], return_counts=True)
    assume(counts.min() >= 2)
    candidates = int(np.random.default_rng(seed).integers(classes, len(present) + 1))
    shown: list[np.ndarray] = []

    def last(examples: np.ndarray, rng: np.random.Generator) -> list[int]:
        shown.append(labels[examples].reshape(-1, 2))
        assert len(set(examples)) == 2 * candidates
        return list(range(candidates))[-classes:]

    def by_lot(examples: np.ndarray, rng: np.random.Generator) -> list[int]:
        rng.integers(9, size=seed)
        return last(examples, rng)

    batches = []
    for choose in (last, by_lot):
        sampler = PKSampler(*arguments, candidates=candidates)
        sampler.load_state_dict({"drawn": drawn})
        batches.append(sampler.draw(choose))
    assert len(set(shown[0][:, 0])) == candidates
    assert (shown[0] == shown[0][:, :1]).all()
    assert labels[batches[0]].reshape(classes, per_class)[:, 0].tolist() == shown[0][-classes:, 0].tolist()
    assert batches[0].tolist() == batches[1].tolist()


def test_more_candidates_than_classes_are_refused() -> None:
    with pytest.raises(MsvizError, match="class mining draws 5 classes, but there are 4 to draw from; choose at most"):
        PKSampler(shuffled([4] * 4), np.arange(16), 2, 2, 0, candidates=5)


def test_each_class_and_each_item_comes_as_often_as_any_other() -> None:
    labels = shuffled([6] * 5)
    sampler = PKSampler(labels, np.arange(30), classes_per_batch=2, per_class=3, seed=4)
    times = Counter(int(row) for _ in range(2000) for row in sampler.draw())
    # Binomial with n = 2000 and p = 1/5: 400, standard deviation 18; five of these are never seen in 30 counts.
    assert set(times) == set(range(30))
    assert all(310 < count < 490 for count in times.values()), times


def test_batches_differ_from_one_another_and_by_seed() -> None:
    labels = shuffled([10] * 10)
    first, other = (PKSampler(labels, np.arange(100), 4, 3, seed) for seed in (0, 1))
    batches = [tuple(sampler.draw()) for sampler in (first, other) for _ in range(20)]
    assert len(set(batches)) == 40


def test_the_global_generators_are_left_alone() -> None:
    state = np.random.get_state()[1].copy()  # type: ignore[union-attr, index]
    PKSampler(shuffled([4, 4]), np.arange(8), 2, 2, 0).draw()
    assert np.array_equal(state, np.random.get_state()[1])  # type: ignore[index]


@pytest.mark.parametrize(
    ("classes", "per_class", "key", "words"),
    [
        (5, 4, "error.batch_too_large", "5 × 4 = 20 items is larger than the 13"),
        (4, 1, "error.too_few_classes", "4 classes needs as many to draw from, got 3"),
        (2, 4, "error.too_few_items", "4 items of a class, but class owl has 3"),
        (0, 2, "error.parameter_range", "classes_per_batch must be a whole number >= 1, got 0"),
        (2, 1.5, "error.parameter_range", "per_class must be a whole number >= 1, got 1.5"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_one_sentence(classes, per_class, key: str, words: str) -> None:
    labels = shuffled([5, 9, 3, 5])
    rows = np.flatnonzero(labels != 1)
    with pytest.raises(MsvizError) as refused:
        PKSampler(labels, rows, classes, per_class, 0, names=("cat", "dog", "owl", "fox"))
    assert refused.value.key == key
    assert words in say_error(refused.value)
