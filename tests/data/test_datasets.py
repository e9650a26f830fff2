"""Samples of scikit-learn's digits."""

import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from msviz.core.errors import MsvizError
from msviz.core.methods import METHODS, evaluate
from msviz.core.pairs import label_pairs
from msviz.core.similarity import similarity
from msviz.data import GRID, Batch, batch_title, digit_images, digits_batch
from msviz.text import msg, say

CASES: list[dict[str, Any]] = [
    {"classes": (3, 8, 9), "per_class": 8, "seed": 0},
    {"classes": (0, 1, 2, 3), "per_class": 20, "seed": 1, "method": "lda"},
    {"classes": (4,), "per_class": 3, "seed": 2},
    {"classes": range(10), "per_class": 2, "seed": 3, "space": "pixels"},
]


@pytest.mark.parametrize("case", CASES)
def test_a_batch_has_k_different_images_of_each_class(case: dict[str, Any]) -> None:
    batch = digits_batch(**case)
    assert Counter(batch.labels) == dict.fromkeys(case["classes"], case["per_class"])
    assert batch.digits is not None
    assert len(set(batch.digits)) == batch.m
    target = load_digits(return_X_y=True)[1]
    assert target[list(batch.digits)].tolist() == list(batch.labels)


def test_the_seed_decides_the_sample() -> None:
    first, again, other = (digits_batch((3, 8, 9), 8, seed) for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_the_projection_is_fitted_on_all_images_so_that_an_image_has_one_place() -> None:
    small, large = digits_batch((3, 8, 9), 20, 0), digits_batch((9, 8, 3, 3), 150, 1)
    assert small.digits is not None
    assert large.digits is not None
    common = set(small.digits) & set(large.digits)
    assert common
    for image in common:
        assert np.array_equal(small.board[small.digits.index(image)], large.board[large.digits.index(image)])


@pytest.mark.parametrize("method", ["pca", "lda"])
def test_on_the_sphere_a_batch_has_three_coordinates_and_can_be_edited(method: str) -> None:
    batch = digits_batch((0, 1, 2, 3), 50, 0, method=method, space="sphere")  # type: ignore[arg-type]
    assert batch.board.shape == (200, 3)
    assert batch.editable
    assert np.linalg.norm(batch.board, axis=1) == pytest.approx(1, abs=GRID)
    assert np.linalg.svd(batch.board)[1].min() > 3  # the third component is a direction of its own


@pytest.mark.parametrize("method", ["pca", "lda"])
def test_on_the_circle_every_point_has_length_one_up_to_the_grid(method: str) -> None:
    batch = digits_batch((0, 1, 2), 50, 0, method=method)  # type: ignore[arg-type]
    assert batch.editable
    assert np.linalg.norm(batch.board, axis=1) == pytest.approx(1, abs=GRID)


def test_pixels_are_the_data_exactly_and_the_board_only_pictures_them() -> None:
    batch = digits_batch((3, 8, 9), 8, 0, space="pixels")
    pixels = load_digits(return_X_y=True)[0]
    assert np.array_equal(batch.x, pixels[list(batch.digits or ())])
    assert not batch.editable
    assert np.linalg.norm(batch.board, axis=1).max() <= 1 + GRID


def test_images_are_grey_values_over_the_whole_range() -> None:
    images = digit_images()
    assert (images.shape, images.dtype, int(images.min()), int(images.max())) == ((1797, 8, 8), np.uint8, 0, 255)
    assert np.array_equal(images[0] > 0, load_digits().images[0] > 0)
    assert not images.flags.writeable


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"classes": ()}, "error.digits_classes"),
        ({"classes": (3, 10)}, "error.digits_classes"),
        ({"per_class": 0}, "error.digits_per_class"),
        ({"per_class": 2.5}, "error.digits_per_class"),
        ({"classes": (3, 8), "per_class": 175}, "error.digits_per_class"),
        ({"classes": range(10), "per_class": 52}, "error.too_many_points"),
        ({"seed": -1}, "error.digits_seed"),
        ({"seed": 0.5}, "error.digits_seed"),
        ({"seed": True}, "error.digits_seed"),
        ({"classes": (3, 8), "method": "lda"}, "error.digits_lda"),
        ({"method": "tsne"}, "error.digits_option"),
        ({"classes": (3, 8, 9), "method": "lda", "space": "sphere"}, "error.digits_lda"),
        ({"space": "torus"}, "error.digits_option"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(change: dict[str, Any], key: str) -> None:
    with pytest.raises(MsvizError) as caught:
        digits_batch(**{"classes": (3, 8, 9), "per_class": 8, "seed": 0, **change})
    assert caught.value.key == key


def test_too_many_of_a_class_says_how_many_there_are() -> None:
    with pytest.raises(MsvizError, match="174 of digit 8"):
        digits_batch((3, 8), 175, 0)


def _kept_share(batch: Batch) -> float:
    pairs = label_pairs(batch.labels)
    mined = evaluate(similarity(torch.tensor(batch.x)), pairs, METHODS["authors"]).mined
    return int(mined.pos.sum()) / int(pairs.pos.sum())


@pytest.mark.parametrize("classes", [(3, 8), (0, 1, 2), (3, 8, 9), (0, 1, 2, 3)])
def test_pca_leaves_something_to_mine(classes: tuple[int, ...]) -> None:
    shares = [_kept_share(digits_batch(classes, 8, seed)) for seed in range(10)]
    assert 0.2 < np.mean(shares) < 0.8


@pytest.mark.parametrize("classes", [(0, 1, 2), (3, 8, 9), (1, 4, 7)])
def test_lda_of_three_classes_leaves_almost_nothing(classes: tuple[int, ...]) -> None:
    shares = [_kept_share(digits_batch(classes, 8, seed, method="lda")) for seed in range(10)]
    assert np.mean(shares) < 0.15


def test_a_sample_is_called_by_how_it_was_drawn() -> None:
    batch = digits_batch((9, 3, 8), 8, 4)
    assert batch_title(batch) == msg("source.digits", classes="3, 8, 9", per_class=8, seed=4)
    assert say(batch_title(batch)) == "digits 3, 8, 9, 8 of each, seed 4"


def test_nobody_waits_for_scikit_learn_who_does_not_ask_for_digits() -> None:
    code = "import sys, msviz.data, msviz.state; msviz.state.default_state(); print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
