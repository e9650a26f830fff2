"""Labels of every kind: never two classes in one, never one class in two."""

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from msviz import MsvizError, label_pairs
from msviz.core.labels import encode_labels


@pytest.mark.parametrize(
    ("labels", "codes"),
    [
        ([3, 1, 3], [0, 1, 0]),
        (["b", "a", "b"], [0, 1, 0]),
        ([True, False, True], [0, 1, 0]),
        ([2**63, 1, 2**64, 2**63], [0, 1, 2, 0]),
        ([-1, 1], [0, 1]),
        ([1.0, 2.0, 1.0], [0, 1, 0]),
        (("x", "y"), [0, 1]),
        ([], []),
        (np.array([5, 5, 6], dtype=np.uint8), [0, 0, 1]),
        (np.array(["a", "b"]), [0, 1]),
        ([np.int64(4), 4, np.uint8(4)], [0, 0, 0]),
        ([np.str_("a"), "a"], [0, 0]),
        (torch.tensor([7, 8, 7]), [0, 1, 0]),
        ([torch.tensor(7), torch.tensor(8)], [0, 1]),
        (pd.Series(["a", "b", "a"]), [0, 1, 0]),
        (pd.Categorical(["a", "b", "a"]), [0, 1, 0]),
        ((label for label in "aba"), [0, 1, 0]),
        (["nan", "None"], [0, 1]),
    ],
)
def test_equal_labels_and_only_they_share_a_code(labels, codes):
    assert encode_labels(labels).tolist() == codes


@pytest.mark.parametrize(
    ("labels", "key", "words"),
    [
        ([1, "1"], "error.labels_mixed", "whole numbers (1) and text ('1')"),
        ([0, False], "error.labels_mixed", "whole numbers (0) and booleans (False)"),
        ([1, 1.0], "error.labels_mixed", "whole numbers (1) and floats (1.0)"),
        ([0.5, 1.0], "error.labels_fraction", "got the fraction 0.5"),
        ([float("inf")], "error.labels_fraction", "inf"),
        (np.array([0.1, 0.2]), "error.labels_fraction", "pass whole numbers"),
        ([b"a"], "error.labels_type", "bytes"),
        ([object], "error.labels_type", "type"),
        ([1 + 0j], "error.labels_type", "complex"),
        ("aab", "error.labels_type", "split it into one label per point"),
    ],
)
def test_labels_of_a_wrong_kind_are_type_errors(labels, key, words):
    with pytest.raises(TypeError) as error:
        encode_labels(labels)
    assert isinstance(error.value, MsvizError)
    assert error.value.key == key
    assert words in str(error.value)


@pytest.mark.parametrize(
    "labels",
    [
        ["a", float("nan")],
        ["a", None],
        [1, np.nan],
        np.array([1.0, np.nan]),
        pd.Series([1, None], dtype="Int64"),
        [pd.NaT],
        np.array(["2020", "NaT"], dtype="datetime64[D]")[1:],
        torch.tensor([0.0, torch.nan]),
    ],
)
def test_missing_labels_are_value_errors(labels):
    with pytest.raises(ValueError, match="every point needs a label") as error:
        encode_labels(labels)
    assert error.value.key == "error.labels_missing"
    assert not isinstance(error.value, TypeError)


@pytest.mark.parametrize(
    "labels",
    [
        np.eye(3),
        torch.eye(3),
        [[0, 1], [1, 0]],
        [(0, 1), (1, 0)],
        torch.tensor([[1], [2]]),
        torch.tensor(3),
        np.array(3),
    ],
)
def test_one_hot_rows_are_told_to_become_class_ids(labels):
    with pytest.raises(ValueError, match="pass class ids") as error:
        encode_labels(labels)
    assert error.value.key == "error.labels_shape"


def test_anchors_and_references_are_encoded_together():
    pairs = label_pairs(["b", "a"], ["a", "b", "c"])
    assert pairs.pos.tolist() == [[False, True, False], [True, False, False]]
    assert pairs.neg.tolist() == [[True, False, True], [False, True, True]]


def test_anchors_and_references_must_be_of_one_kind():
    with pytest.raises(TypeError, match="all of one kind"):
        label_pairs([0, 1], ["0", "1"])
    with pytest.raises(TypeError, match="all of one kind"):
        label_pairs(torch.tensor([True, False]), torch.tensor([1, 0]))


@given(st.lists(st.one_of(st.integers(), st.just(0), st.just(1))))
def test_pairs_of_tensors_lists_and_text_are_the_same(labels):
    small = [label % 1000 for label in labels]
    ways = [label_pairs(small), label_pairs(torch.tensor(small, dtype=torch.int32)), label_pairs([*map(str, small)])]
    for pairs in ways[1:]:
        assert torch.equal(pairs.pos, ways[0].pos)
        assert torch.equal(pairs.neg, ways[0].neg)
