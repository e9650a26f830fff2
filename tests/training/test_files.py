"""Features from an .npz and images from a folder: what is read, and what is said of a file that cannot be."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from msviz.core.errors import MsvizError
from msviz.text import say_error
from msviz.training import files, image_files
from msviz.training.files import Features, Folder
from msviz.training.training_set import TrainingSet

X = np.random.default_rng(0).normal(size=(6, 4))
Y = np.array([5, 5, 9, 9, 5, 9])


def features(folder: Path, **arrays: Any) -> TrainingSet:
    np.savez(folder / "features.npz", **arrays)
    return Features(str(folder / "features.npz")).load()


def refusal(load: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(MsvizError) as error:
        load()
    return error.value.key, say_error(error.value)


@pytest.mark.parametrize("names", [("x", "labels"), ("embeddings", "y"), ("x", "y")])
def test_features_keep_their_order_and_their_similarities(tmp_path: Path, names: tuple[str, str]) -> None:
    data = features(tmp_path, **dict(zip(names, (100 * X, Y), strict=True)), another=np.zeros(3))
    assert (data.labels.tolist(), data.names) == ([0, 0, 1, 1, 0, 1], ("5", "9"))
    np.testing.assert_allclose(data.inputs / data.inputs[0, 0], X / X[0, 0], rtol=1e-5)
    assert np.square(data.inputs).mean() == pytest.approx(1)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint16", "bool"])
def test_features_may_be_numbers_of_any_real_kind(tmp_path: Path, dtype: str) -> None:
    data = features(tmp_path, x=np.eye(4).astype(dtype), labels=["cat", "cat", "dog", "dog"])
    np.testing.assert_allclose(data.inputs, 2 * np.eye(4))
    assert data.names == ("cat", "dog")


def test_features_that_are_all_zero_stay_zero(tmp_path: Path) -> None:
    assert not features(tmp_path, x=np.zeros((6, 4)), labels=Y).inputs.any()


def with_one(value: float) -> np.ndarray:
    x = X.copy()
    x[2, 3] = value
    return x


@pytest.mark.parametrize(
    ("arrays", "key", "said"),
    [
        ({"features": X, "labels": Y}, "error.features_arrays", "got features, labels."),
        ({"x": X}, "error.features_arrays", "got x."),
        ({}, "error.features_arrays", "got nothing."),
        ({"x": X, "y": Y[:5]}, "error.labels_count", "each of the 6 embeddings, got 5"),
        ({"x": X, "y": Y[:, None]}, "error.labels_shape", "shape [6, 1]"),
        ({"x": X, "y": 3}, "error.labels_shape", "shape []"),
        ({"x": X[0], "y": Y}, "error.shape", "x must be [n, d], got [4]"),
        ({"x": X[:0], "y": Y[:0]}, "error.shape", "got [0, 4]"),
        ({"x": X + 1j, "y": Y}, "error.embeddings_type", "got complex128"),
        ({"x": X.astype(str), "y": Y}, "error.embeddings_type", "real numbers"),
        ({"x": with_one(np.nan), "y": Y}, "error.not_finite", "got – in row 2, column 3"),
        ({"x": with_one(1e300), "y": Y}, "error.not_finite", "got ∞ in row 2, column 3"),
        ({"x": X, "y": [1, 1, 1, 2, 2, np.nan]}, "error.labels_missing", "label"),
        ({"x": X, "y": [0.5] * 6}, "error.labels_fraction", "0.5"),
        ({"x": X.astype(object), "y": Y}, "error.features_objects", "x in "),
        ({"x": X, "y": np.array(list("aabbab"), object)}, "error.features_objects", "y in "),
        ({"x": X, "y": [7] * 6}, "error.one_class", "got only 7"),
        ({"x": X, "y": [7, 7, 7, 8, 9, 9]}, "error.single_item", "Class 8 has a single item"),
    ],
)
def test_features_that_cannot_be_trained_on_are_refused_in_words(
    tmp_path: Path, arrays: dict[str, Any], key: str, said: str
) -> None:
    got, sentence = refusal(lambda: features(tmp_path, **arrays))
    assert (got, said in sentence) == (key, True), sentence


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "sprung",)

    trap = np.array([Trap()] * 6, dtype=object)
    assert refusal(lambda: features(tmp_path, x=trap, labels=Y))[0] == "error.features_objects"
    (tmp_path / "bare.npz").write_bytes(trap.dumps())
    assert refusal(Features(str(tmp_path / "bare.npz")).load)[0] == "error.features_file"
    assert not (tmp_path / "sprung").exists()


def test_what_is_no_npz_is_refused_in_words(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", X)
    (tmp_path / "text.npz").write_text("x,y\n1,2\n")
    (tmp_path / "empty.npz").write_bytes(b"")
    for name, said in [
        ("one.npy", "a single array"),
        ("text.npz", "damaged, or another kind of file"),
        ("empty.npz", "damaged, or another kind of file"),
        ("missing.npz", "No such file"),
        (".", "Is a directory"),
    ]:
        key, sentence = refusal(Features(str(tmp_path / name)).load)
        assert (key, said in sentence) == ("error.features_file", True), sentence


@settings(max_examples=60)
@given(data=st.data(), compress=st.booleans())
def test_a_damaged_npz_is_refused_in_words_or_read_as_numbers(
    data: st.DataObject, compress: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("damaged") / "features.npz"
    (np.savez_compressed if compress else np.savez)(file, x=X, labels=Y)
    whole = file.read_bytes()
    if data.draw(st.booleans(), label="cut"):
        file.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    else:
        at = data.draw(st.integers(0, len(whole) - 1))
        file.write_bytes(whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :])
    with suppress(MsvizError):  # any other exception is a traceback on somebody's page
        assert Features(str(file)).load().n == 6


def test_more_than_the_limit_is_not_even_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 2**20)
    np.savez_compressed(tmp_path / "bomb.npz", x=np.zeros((2**9, 2**9)), labels=np.arange(2**9) % 2)
    assert (tmp_path / "bomb.npz").stat().st_size < 10_000
    key, sentence = refusal(Features(str(tmp_path / "bomb.npz")).load)
    assert key == "error.data_too_large"
    assert "needs 2 MB in memory; at most 1 MB are read" in sentence
    narrow = np.zeros((2**10, 2**9), np.uint8)  # half a megabyte in the file, two as float32
    assert refusal(lambda: features(tmp_path, x=narrow, labels=np.arange(2**10) % 2))[0] == "error.data_too_large"


COLOURS = {"blue": (0, 0, 255), "red": (255, 0, 0)}


def image_folder(root: Path, colours: dict[str, Any] = COLOURS, mode: str = "RGB", suffix: str = "png") -> Path:
    for name, colour in colours.items():
        (root / name).mkdir(parents=True)
        for k in range(2):
            image = Image.new("L", (40, 30), colour).convert("P") if mode == "P" else Image.new(mode, (40, 30), colour)
            image.save(root / name / f"{k}.{suffix}")
    return root


def test_a_folder_of_images_is_read_with_its_subfolders_as_classes(tmp_path: Path) -> None:
    image_folder(tmp_path)
    (tmp_path / "red" / "notes.txt").write_text("no image")
    (tmp_path / "red" / ".hidden.png").write_text("no image")
    (tmp_path / ".cache").mkdir()
    data = Folder(str(tmp_path), size=8).load()
    assert (data.names, data.labels.tolist(), data.shape) == (("blue", "red"), [0, 0, 1, 1], (3, 8, 8))
    np.testing.assert_array_equal(data.inputs[0], np.broadcast_to(np.array([-2, -2, 2])[:, None, None], (3, 8, 8)))
    assert data.thumbnails is not None
    assert (data.thumbnails.shape, data.thumbnails[0, 0, 0], data.thumbnails[2, 0, 0]) == ((4, 8, 8), 29, 76)


@pytest.mark.parametrize(
    ("mode", "suffix"), [("L", "png"), ("RGB", "png"), ("L", "jpg"), ("1", "png"), ("I;16", "png"), ("P", "png")]
)
def test_grey_images_have_one_channel_however_they_are_stored(tmp_path: Path, mode: str, suffix: str) -> None:
    white = {"RGB": (255, 255, 255), "I;16": 65535}.get(mode, 255)
    black = (0, 0, 0) if mode == "RGB" else 0
    data = Folder(str(image_folder(tmp_path, {"black": black, "white": white}, mode, suffix)), size=16).load()
    assert data.shape == (1, 16, 16)
    np.testing.assert_allclose(data.inputs[[0, 2], 0, 8, 8], [-2, 2], atol=0.05)


def test_what_is_transparent_is_white_and_the_middle_square_is_kept(tmp_path: Path) -> None:
    root = image_folder(tmp_path, {"clear": (0, 0, 0, 0), "solid": (0, 0, 0, 255)}, "RGBA")
    wide = Image.new("L", (90, 30), 0)
    wide.paste(255, (30, 0, 60, 30))
    wide.save(root / "solid" / "2.png")
    data = Folder(str(root), size=8).load()
    assert data.inputs[:, 0, 4, 4].tolist() == [2, 2, -2, -2, 2]
    assert (data.inputs[4, :, :, 1:-1] == 2).all()  # the outermost columns are interpolated


def test_a_folder_that_is_none_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "bare").mkdir()
    (tmp_path / "hollow" / "cats").mkdir(parents=True)
    image_folder(tmp_path / "one", {"cats": 0}, "L")
    image_folder(tmp_path / "single", {"cats": 0, "dogs": 9}, "L")
    (tmp_path / "single" / "dogs" / "1.png").unlink()
    for name, key, said in [
        ("missing", "error.folder", "No such file"),
        ("file", "error.folder", "Not a directory"),
        ("bare", "error.folder", "it has no subfolders"),
        ("hollow", "error.folder_class", "The subfolder cats of"),
        ("one", "error.one_class", "got only cats"),
        ("single", "error.single_item", "Class dogs has a single item"),
    ]:
        got, sentence = refusal(Folder(str(tmp_path / name)).load)
        assert (got, said in sentence) == (key, True), sentence


def test_an_image_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = image_folder(tmp_path)
    broken = root / "red" / "broken.png"
    whole = (root / "red" / "0.png").read_bytes()
    Image.new("F", (4, 4)).save(root / "float.tiff")
    for content in (b"no image", b"", whole[:50], whole[:-30], (root / "float.tiff").read_bytes()):
        broken.write_bytes(content)
        key, sentence = refusal(Folder(str(root)).load)
        assert (key, str(broken) in sentence) == ("error.image", True), sentence
    broken.unlink()
    monkeypatch.setattr(image_files, "MAX_PIXELS", 40 * 30 - 1)
    assert "blue" in refusal(Folder(str(root)).load)[1]


def test_a_folder_larger_than_the_limit_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image_folder(tmp_path)
    (tmp_path / "red" / "0.png").write_bytes(b"never opened")
    monkeypatch.setattr(files, "MAX_BYTES", 4 * 3 * 128 * 128 * 4 - 1)
    assert refusal(Folder(str(tmp_path), size=128).load)[0] == "error.data_too_large"
