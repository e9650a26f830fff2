"""What a browser sends becomes training data, or one sentence; nothing is looked up on the server."""

import io
import zipfile
from collections.abc import Mapping
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from msviz.core.errors import MsvizError
from msviz.text import say_error
from msviz.training import uploads
from msviz.training.uploads import Upload, read_upload


def png(colour: int | tuple[int, ...] = 0) -> bytes:
    data = io.BytesIO()
    Image.new("L" if isinstance(colour, int) else "RGB", (12, 9), colour).save(data, "png")
    return data.getvalue()


def sent(files: Mapping[str, bytes]) -> list[Upload]:
    return [Upload(name, io.BytesIO(data)) for name, data in files.items()]


def zipped(files: Mapping[str, bytes], name: str = "pets.zip") -> list[Upload]:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return [Upload(name, io.BytesIO(data.getvalue()))]


def npz(**arrays: object) -> bytes:
    data = io.BytesIO()
    np.savez(data, **arrays)  # type: ignore[arg-type]
    return data.getvalue()


def refusal(files: list[Upload]) -> tuple[str, str]:
    with pytest.raises(MsvizError) as error:
        read_upload(files, size=8)
    return error.value.key, say_error(error.value)


PETS = {"pets/dogs/b.png": png(255), "pets/dogs/a.png": png(255), "pets/cats/1.png": png(), "pets/cats/2.PNG": png()}


@pytest.mark.parametrize("root", ["pets/", "", "a/b/pets/", "pets\\"])
def test_a_folder_and_its_zip_give_the_same_classes(root: str) -> None:
    files = {path.replace("pets/", root): data for path, data in PETS.items()}
    for way in (sent(files), zipped(files)):
        data = read_upload(way, size=8)
        assert (data.names, data.labels.tolist(), data.shape) == (("cats", "dogs"), [0, 0, 1, 1], (1, 8, 8))
        np.testing.assert_array_equal(data.inputs[[0, 3], 0], [np.full((8, 8), -2), np.full((8, 8), 2)])


def test_notes_hidden_files_and_what_a_packing_program_adds_are_passed_over() -> None:
    more = {"pets/notes.txt": b"?", "pets/dogs/.a.png": b"?", "__MACOSX/pets/dogs/a.png": b"?", "pets/.git/x.png": b"?"}
    for way in (sent({**PETS, **more}), zipped({**PETS, **more})):
        assert read_upload(way, size=8).n == 4


def test_features_are_read_from_what_was_sent() -> None:
    data = read_upload(sent({"resnet.NPZ": npz(x=np.eye(4), y=["a", "b", "a", "b"])}), size=8)
    assert (data.names, data.labels.tolist(), data.shape) == (("a", "b"), [0, 1, 0, 1], (4,))


@pytest.mark.parametrize("name", ["/etc/passwd.npz", "../../secret.npz", "C:\\secret.npz"])
def test_a_name_is_never_a_place_on_this_machine(name: str) -> None:
    data = read_upload(sent({name: npz(x=np.eye(4), y=[0, 1, 0, 1])}), size=8)
    assert data.n == 4
    assert refusal(sent({name: b"no archive"})) == (
        "error.features_file",
        f"{name} cannot be read as .npz (it is damaged, or another kind of file). "
        "Write it with numpy.savez(path, x=features, labels=labels).",
    )


@pytest.mark.parametrize(
    ("files", "key", "said"),
    [
        ([], "error.upload_nothing", "Choose an .npz"),
        (sent({"x.npz": npz(x=np.eye(4))}), "error.features_arrays", "x.npz must hold"),
        (sent({"pets.zip": b"PK no"}), "error.upload_zip", "pets.zip cannot be read as .zip"),
        (sent({"pets/notes.txt": b""}), "error.upload_empty", "pets holds no image"),
        (zipped({}), "error.upload_empty", "pets.zip holds no image"),
        (zipped({"1.png": png(), "2.png": png()}), "error.upload_folders", "1.png lies in no folder"),
        (zipped({"cats/1.png": png(), "cats/2.png": png()}), "error.one_class", "got only cats"),
        (sent({**PETS, "pets/one/1.png": png()}), "error.single_item", "Class one has a single item"),
        (
            sent({**PETS, "pets/cats/3.png": b"no image"}),
            "error.image",
            "The image pets/cats/3.png cannot be read (it is damaged, or no image)",
        ),
        (zipped({**PETS, "pets/cats/3.png": b""}), "error.image", "pets/cats/3.png cannot be read"),
    ],
)
def test_what_cannot_be_trained_on_is_refused_in_words(files: list[Upload], key: str, said: str) -> None:
    got, sentence = refusal(files)
    assert (got, said in sentence) == (key, True), sentence


def test_more_than_the_limits_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_BYTES", 2**16)
    bomb = zipped({"cats/1.png": bytes(2**17), "cats/2.png": png()})
    assert len(bomb[0].content.read()) < 2**12
    assert refusal(bomb)[0] == "error.data_too_large"
    assert refusal(sent({"x.npz": npz(x=np.zeros((4, 2**13)), y=[0, 1, 0, 1])}))[0] == "error.data_too_large"
    monkeypatch.setattr(uploads, "MAX_IMAGES", 3)
    assert refusal(sent(PETS)) == ("error.upload_many", "At most 3 images are read, got 4. Send fewer of them.")


@settings(max_examples=40)
@given(data=st.data())
def test_a_damaged_zip_is_refused_in_words_or_read_as_images(data: st.DataObject) -> None:
    whole = zipped(PETS)[0].content.read()
    at = data.draw(st.integers(0, len(whole) - 1))
    broken = whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    with suppress(MsvizError):  # any other exception is a traceback on somebody's page
        read_upload(sent({"pets.zip": data.draw(st.sampled_from([broken, whole[:at]]))}), size=8)
