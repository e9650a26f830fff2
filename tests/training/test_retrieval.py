"""Recall@k, MAP@R and NMI: by hand, by brute force, and as pytorch-metric-learning has them."""

import warnings
from importlib import import_module

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pytorch_metric_learning.distances import CosineSimilarity
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from pytorch_metric_learning.utils.inference import CustomKNN
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import normalized_mutual_info_score

from msviz.core.errors import MsvizError
from msviz.text import say_error
from msviz.training.retrieval import Retrieval, retrieval

module = import_module("msviz.training.retrieval")  # the package has a function of that name


def by_brute_force(x: np.ndarray, labels: np.ndarray) -> tuple[dict[int, float], float]:
    """The definitions, query by query."""
    length = np.linalg.norm(x, axis=1, keepdims=True)
    unit = x / np.where(length > 0, length, 1)
    found: dict[int, list[bool]] = {1: [], 2: [], 4: [], 8: []}
    precisions = []
    for query in range(len(x)):
        others = [at for at in range(len(x)) if at != query]
        wanted = sum(labels[at] == labels[query] for at in others)
        if wanted == 0:
            continue
        ranked = sorted(others, key=lambda at: (-float(unit[query] @ unit[at]), at))
        right = [labels[at] == labels[query] for at in ranked]
        for k, hits in found.items():
            hits.append(any(right[:k]))
        precisions.append(sum(sum(right[: i + 1]) / (i + 1) for i in range(wanted) if right[i]) / wanted)
    return {k: float(np.mean(hits)) for k, hits in found.items()}, float(np.mean(precisions))


def random_batch(seed: int, n: int = 60, classes: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """Classes that overlap, of unequal size, some of one item; embeddings of any length."""
    rng = np.random.default_rng(seed)
    labels = np.append(rng.permutation(np.resize(np.append(range(classes), [0, 0, 1]), n)), [97, 98])
    centres = rng.normal(size=(99, 5))
    return (centres[labels] + rng.normal(size=(n + 2, 5)) * 1.5).astype(np.float32), labels


@pytest.mark.parametrize("seed", range(4))
def test_the_same_as_by_brute_force(seed: int) -> None:
    x, labels = random_batch(seed)
    found = retrieval(x, labels)
    recall, map_at_r = by_brute_force(x.astype(np.float64), labels)
    assert found.recall == pytest.approx(recall)
    assert found.map_at_r == pytest.approx(map_at_r)
    assert 0 < found.map_at_r < found.recall[1] < found.recall[2] < found.recall[4] < found.recall[8] < 1
    assert (found.queries, found.alone) == (60, 2)


@pytest.mark.parametrize("seed", range(4))
def test_the_same_as_pytorch_metric_learning(seed: int) -> None:
    x, labels = random_batch(seed)
    theirs = AccuracyCalculator(
        include=("precision_at_1", "mean_average_precision_at_r"),
        k="max_bin_count",
        knn_func=CustomKNN(CosineSimilarity()),
        device=torch.device("cpu"),
    ).get_accuracy(torch.from_numpy(x), torch.from_numpy(labels))
    found = retrieval(x, labels)
    assert found.recall[1] == pytest.approx(theirs["precision_at_1"])
    assert found.map_at_r == pytest.approx(theirs["mean_average_precision_at_r"], abs=1e-6)


def test_a_line_of_five_points_by_hand() -> None:
    # Angles 0 10 25 45 70 degrees, classes A B A B A. Order seen from each: 0: B A B A, 10: A A B A, 25: B B A A,
    # 45: A A B A (20 < 25 < 35), 70: B A B A.
    angle = np.radians([0, 10, 25, 45, 70])
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    found = retrieval(x, np.array([0, 1, 0, 1, 0]))
    assert found.recall == pytest.approx({1: 0, 2: 2 / 5, 4: 1, 8: 1})
    # R = 2 for A, 1 for B. Within R only 0 and 70 find one, at rank 2, precision 1/2: 1/4 each.
    assert found.map_at_r == pytest.approx((1 / 4 + 1 / 4) / 5)


def test_classes_that_are_apart_are_found_and_clustered_without_a_fault() -> None:
    x = np.eye(4)[np.repeat(range(4), 5)] + np.random.default_rng(0).normal(size=(20, 4)) * 0.01
    assert retrieval(x, np.repeat(range(4), 5)) == Retrieval(dict.fromkeys((1, 2, 4, 8), 1.0), 1.0, 1.0, 20, 0)


AXES = np.concatenate([np.eye(2), -np.eye(2), np.zeros((1, 2))])  # similarities of exactly 1, 0 and -1: ties all over


@given(st.lists(st.tuples(st.sampled_from(range(5)), st.sampled_from(range(3))), min_size=2, max_size=25))
def test_among_equals_the_earlier_item_comes_first_and_the_query_never(items: list[tuple[int, int]]) -> None:
    places, labels = np.array(items).T
    if max(np.bincount(labels)) == 1:
        return
    found = retrieval(AXES[places], labels)
    recall, map_at_r = by_brute_force(AXES[places], labels)
    assert found.recall == pytest.approx(recall)
    assert found.map_at_r == pytest.approx(map_at_r)


@given(arrays(np.float32, (1, 12), elements=st.floats(-1, 1, width=32)))
def test_whole_numbers_have_the_order_of_the_similarities(sim: np.ndarray) -> None:
    order = module._order(torch.from_numpy(sim))[0]
    assert order.argsort(descending=True).tolist() == np.argsort(-sim[0], kind="stable").tolist()


def test_rows_are_compared_in_blocks_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    x, labels = random_batch(0)
    whole = retrieval(x, labels)
    monkeypatch.setattr(module, "_CELLS", 7 * len(x))
    parts = retrieval(x, labels)
    assert parts.recall == whole.recall
    assert parts.map_at_r == pytest.approx(whole.map_at_r, abs=1e-12)


def test_only_the_direction_of_an_embedding_counts() -> None:
    x, labels = random_batch(1)
    longer = x * np.random.default_rng(0).uniform(0.1, 1e6, (len(x), 1)).astype(np.float32)
    assert retrieval(longer, labels).recall == retrieval(x, labels).recall


def test_nmi_is_scikit_learns_of_its_own_clusters() -> None:
    pixels, target = load_digits(n_class=4, return_X_y=True)
    unit = pixels / np.linalg.norm(pixels, axis=1, keepdims=True)
    clusters = KMeans(4, n_init=10, random_state=5).fit_predict(unit)
    assert retrieval(pixels, target).nmi == pytest.approx(normalized_mutual_info_score(target, clusters), abs=0.01)


def test_embeddings_in_one_place_are_measured_without_complaint() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = retrieval(np.ones((12, 3), np.float32), np.repeat(range(3), 4))
    assert found.nmi == 0
    assert found.recall[8] == pytest.approx(8 / 12)  # the first eight of twelve equals: both classes that they hold


def test_on_digits_raw_pixels_find_classes_never_trained_on() -> None:
    pixels, target = load_digits(return_X_y=True)
    unseen = np.isin(target, [1, 2, 4, 7])
    assert retrieval(pixels[unseen], target[unseen]).recall[1] >= 0.99


@pytest.mark.parametrize(
    ("x", "labels", "key", "words"),
    [
        (np.eye(3), [0, 1, 2], "error.retrieval_alone", "two items of one class, got 3 items of 3 classes"),
        ([[1.0, 0.0], [np.nan, 1.0]], [0, 0], "error.not_finite", "must be finite, got – in row 1, column 0"),
    ],
)
def test_what_cannot_be_measured_is_said_in_one_sentence(x, labels, key: str, words: str) -> None:
    with pytest.raises(MsvizError) as refused:
        retrieval(np.array(x), np.array(labels))
    assert refused.value.key == key
    assert words in say_error(refused.value)
