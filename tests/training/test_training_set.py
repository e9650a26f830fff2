"""What a network trains on, and its split into training, validation and test."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msviz.core.errors import MsvizError
from msviz.text import say_error
from msviz.training.training_set import Split, TrainingSet, split


def with_counts(counts: Sequence[int]) -> TrainingSet:
    """So many items of each class, shuffled."""
    labels = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    return TrainingSet(np.zeros((len(labels), 2), np.float32), labels, tuple(f"class {k}" for k in range(len(counts))))


def sides(parts: Split) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return parts.train, parts.val, parts.test


counts = st.lists(st.integers(1, 30), min_size=1, max_size=20)


@given(counts, st.integers(0, 2**31 - 1), st.sampled_from(["auto", "classes", "items"]))
def test_a_split_uses_every_row_once(counts: list[int], seed: int, how: str) -> None:
    data = with_counts(counts)
    if (how == "classes" and len(counts) < 8) or (how == "items" and min(counts) < 8):
        with pytest.raises(MsvizError):
            split(data, how, seed)
        return
    parts = split(data, how, seed)
    if parts.how == "none":
        assert len(counts) < 8
        assert min(counts) < 8
        assert all(side.tolist() == list(range(data.n)) for side in sides(parts))
    else:
        assert sorted(np.concatenate(sides(parts)).tolist()) == list(range(data.n))
        assert all((np.diff(side) > 0).all() for side in sides(parts))


@given(st.lists(st.integers(1, 9), min_size=8, max_size=90), st.integers(0, 2**31 - 1))
def test_by_classes_no_class_is_on_two_sides(counts: list[int], seed: int) -> None:
    data = with_counts(counts)
    classes = [set(data.labels[side].tolist()) for side in sides(split(data, "classes", seed))]
    assert not any(one & other for one, other in combinations(classes, 2))
    shares = [len(of_side) / len(counts) for of_side in classes]
    assert shares == pytest.approx([0.5, 0.25, 0.25], abs=1 / len(counts))
    assert min(map(len, classes)) >= 2


@given(st.lists(st.integers(8, 40), min_size=1, max_size=12), st.integers(0, 2**31 - 1))
def test_by_items_every_class_is_on_every_side_at_least_twice(counts: list[int], seed: int) -> None:
    data = with_counts(counts)
    for side, share in zip(sides(split(data, "items", seed)), (0.5, 0.25, 0.25), strict=True):
        of_class = np.bincount(data.labels[side], minlength=len(counts))
        assert of_class.min() >= 2
        assert np.abs(of_class - share * np.array(counts)).max() < 1


def test_eighty_classes_are_split_as_in_the_paper() -> None:
    data = with_counts([40] * 80)
    parts = split(data, "auto", 0)
    assert parts.how == "classes"
    assert [len(set(data.labels[side].tolist())) for side in sides(parts)] == [40, 20, 20]


def test_the_seed_decides_the_split() -> None:
    data = with_counts([10] * 20)
    first, again, other = (split(data, "classes", seed).train.tolist() for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_a_split_that_the_data_do_not_allow_says_what_to_do() -> None:
    with pytest.raises(MsvizError) as error:
        split(with_counts([9, 9, 9]), "classes", 0)
    assert say_error(error.value).startswith("A split by classes needs at least 8 classes, got 3.")
    with pytest.raises(MsvizError) as error:
        split(with_counts([9, 7, 9]), "items", 0)
    assert "got 7 of class class 1." in say_error(error.value)


@pytest.mark.parametrize(("how", "seed"), [("half", 0), ("auto", -1), ("auto", 0.5), ("auto", True)])
def test_an_unknown_split_or_seed_is_refused(how: str, seed: float) -> None:
    with pytest.raises(MsvizError, match="must be"):
        split(with_counts([9, 9]), how, seed)


ROWS, LABELS = np.zeros((3, 2), np.float32), np.array([0, 1, 1])


@pytest.mark.parametrize(
    ("inputs", "labels", "names", "thumbnails"),
    [
        (ROWS[0], LABELS, "ab", None),
        (ROWS[:0], LABELS[:0], "ab", None),
        (ROWS, LABELS[:2], "ab", None),
        (ROWS, LABELS, "a", None),
        (ROWS, LABELS - 1, "ab", None),
        (ROWS, LABELS, "ab", np.zeros((2, 4, 4), np.uint8)),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(
    inputs: np.ndarray, labels: np.ndarray, names: str, thumbnails: np.ndarray | None
) -> None:
    with pytest.raises(MsvizError) as error:
        TrainingSet(inputs, labels, tuple(names), thumbnails)
    assert error.value.key == "error.shape"


def test_the_arrays_cannot_be_changed() -> None:
    data = with_counts([2, 2])
    with pytest.raises(ValueError, match="read-only"):
        data.inputs[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        data.labels[0] = 1
