"""Glyphs: the characters, their distortions, and how hard they are."""

import hashlib
import inspect
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msviz.core.errors import MsvizError
from msviz.data import glyphs
from msviz.data.glyphs import GLYPHS, MOST, SIDE, glyph_images, glyph_masks

HARDNESSES = (0, 0.25, 0.5, 0.75, 1)


def recall_of_pixels(hardness: float) -> float:
    """Recall@1 by cosine among 20 characters with 40 images each, around the middle grey; the mean of four draws."""
    recalls = []
    for seed in range(4):
        drawn = np.random.default_rng(seed).permutation(len(GLYPHS))[:20]
        x = glyph_images(drawn.tolist(), 40, hardness, seed=0).reshape(800, -1) / 255 - 0.5
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        sim = x @ x.T
        np.fill_diagonal(sim, -2)
        recalls.append((sim.argmax(axis=1) // 40 == np.arange(800) // 40).mean())
    return float(np.mean(recalls))


def ink(images: np.ndarray) -> np.ndarray:
    """How far the pixels are above the paper of their image, 0..255."""
    return images - np.median(images, axis=(1, 2), keepdims=True)


def test_there_are_eighty_different_characters_and_no_small_letter_that_is_its_capital_reduced() -> None:
    assert len(GLYPHS) == len(set(GLYPHS)) == 80
    assert not set("cosvwxz0l|") & set(GLYPHS)


def test_the_font_is_the_one_that_everything_was_measured_with() -> None:
    bits = np.packbits(glyph_masks() >= 0.5)
    assert (
        hashlib.sha256(bits.tobytes()).hexdigest() == "ec2362ac7a53757ef13b46010dc5928cd5c1d6879e6bd472d3ebf1caff9ef8f9"
    ), (
        "Pillow's built-in font or its renderer draws other glyphs now. Look at glyph_masks(); if they are fine, "
        "measure the table in msviz/data/glyphs.py again, note in CHANGELOG.md that runs on glyphs give other numbers, "
        "and put the new hash here."
    )


def test_every_character_stands_whole_in_the_middle_of_its_mask() -> None:
    for character, mask in zip(GLYPHS, glyph_masks(), strict=True):
        for axis in (0, 1):
            drawn = np.flatnonzero(mask.max(axis=axis) > 0.5)
            assert len(drawn), character
            assert drawn.min() > 2, character
            assert drawn.max() < 93, character
            assert abs(drawn.min() + drawn.max() - 95) < 4, f"{character} is off by half a pixel of an image"


def test_masks_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        glyph_masks()[0] = 0


seeds = st.integers(0, 2**31 - 1)
characters = st.lists(st.integers(0, 79), min_size=1, max_size=4)


@settings(max_examples=30)
@given(characters, st.integers(1, 5), st.integers(1, 5), st.floats(0, 1), seeds)
def test_an_image_depends_on_character_place_hardness_and_seed_alone(
    chosen: list[int], few: int, more: int, hardness: float, seed: int
) -> None:
    images = glyph_images(chosen, few, hardness, seed).reshape(len(chosen), few, SIDE, SIDE)
    for character, block in zip(chosen, images, strict=True):
        alone = glyph_images([character], few + more, hardness, seed)
        np.testing.assert_array_equal(block, alone[:few])


def test_another_seed_another_character_or_another_place_is_another_image() -> None:
    images = glyph_images([3, 4], 2, 0.5, seed=0)
    other = glyph_images([3], 2, 0.5, seed=1)
    assert len({image.tobytes() for image in [*images, *other]}) == 6


def test_without_hardness_all_images_of_a_character_are_its_mask_reduced() -> None:
    images = glyph_images([10, 33], 3, 0, seed=7)
    assert (images == images[[0, 0, 0, 3, 3, 3]]).all()
    for image, mask in zip(images[::3], glyph_masks()[[10, 33]], strict=True):
        reduced = mask.reshape(SIDE, 4, SIDE, 4).mean(axis=(1, 3))
        assert np.corrcoef(image.ravel(), reduced.ravel())[0, 1] > 0.99


@pytest.mark.parametrize("hardness", [0.3, 1])
def test_an_image_changes_little_when_the_hardness_does(hardness: float) -> None:
    near, far = (glyph_images(range(20), 2, h, 0).astype(float) for h in (hardness, hardness - 0.01))
    assert np.abs(near - far).mean() < 3


def test_a_stroke_turns_by_up_to_26_degrees_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = dict.fromkeys(MOST, 0.0) | {"turn": MOST["turn"]}
    monkeypatch.setattr(glyphs, "MOST", alone)
    monkeypatch.setattr(glyphs, "NOISE", 0.0)
    weight = ink(glyph_images([GLYPHS.index("I")], 200, 1, seed=0)).clip(0)
    y, x = np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2
    moments = [(weight * product).sum(axis=(1, 2)) for product in (x * x, y * y, x * y)]
    angles = np.degrees(np.arctan2(2 * moments[2], moments[1] - moments[0]) / 2)
    assert 25 < angles.max() < 27
    assert -27 < angles.min() < -25
    assert abs(angles.mean()) < 4


def test_harder_images_are_harder_to_find_by_their_pixels() -> None:
    recalls = [recall_of_pixels(hardness) for hardness in HARDNESSES]
    assert recalls == sorted(recalls, reverse=True)
    assert recalls[0] == 1
    assert 0.40 < recalls[2] < 0.58, "the target at medium hardness: something is left to learn, and it can be learned"
    said = re.search(r"pixels +([\d. ]+)$", inspect.getdoc(glyphs) or "", re.MULTILINE)
    assert said
    assert recalls == pytest.approx([float(number) for number in said[1].split()], abs=0.06)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"characters": []}, "characters must be places in GLYPHS"),
        ({"characters": [80]}, "characters must be places in GLYPHS"),
        ({"characters": [-1]}, "characters must be places in GLYPHS"),
        ({"per_class": 0}, "per_class must be a whole number >= 1, got 0"),
        ({"hardness": 1.5}, "hardness must be a number from 0 to 1, got 1.5"),
        ({"hardness": float("nan")}, "hardness must be a number from 0 to 1, got nan"),
        ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
    ],
)
def test_what_cannot_be_drawn_is_said(wrong: dict, said: str) -> None:
    with pytest.raises(MsvizError, match=re.escape(said)):
        glyph_images(**{"characters": [0], "per_class": 1, "hardness": 0.5, "seed": 0} | wrong)
