"""Items from files: features that any backbone wrote (.npz), and a folder of images with one subfolder a class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, NoReturn

import numpy as np
import torch
from jaxtyping import UInt8
from PIL import Image, ImageOps

from msviz.core.criterion import check_count
from msviz.core.errors import MsvizError, MsvizTypeError, out_of_range
from msviz.core.labels import encode_labels, plain_labels
from msviz.core.losses.spec import check, param
from msviz.core.precision import check_finite
from msviz.training.images import scaled
from msviz.training.training_set import TrainingSet

MAX_BYTES: Final = 2**30  # of one array in a file, and of the images of a folder when they are numbers
MAX_PIXELS: Final = 50_000_000  # of one image file


@dataclass(frozen=True)
class Features:
    """Features from any backbone, as `numpy.savez(path, x=features, labels=labels)` writes them.

    Cosine similarities are those of the file: features are only divided by one number, so that their values have a
    root mean square of 1.

    Args:
        path: the .npz file, with x or embeddings [n, d] and labels or y [n]; at most 1 GiB an array.

    Raises:
        MsvizError: error.parameter_range when the path is no text.

    Example:
        >>> Features("no_such_file.npz").load()
        Traceback (most recent call last):
        msviz.core.errors.MsvizError: no_such_file.npz cannot be read as .npz (No such file or directory); ...
    """

    kind: ClassVar[str] = "features"

    path: str

    def __post_init__(self) -> None:
        _check_path(self.path)

    def load(self) -> TrainingSet:
        """The features, in the order of the file; classes in the order of their first item.

        Raises:
            MsvizError: error.features_file, error.features_arrays, error.features_objects, error.data_too_large,
                error.shape, error.embeddings_type, error.not_finite, error.labels_count and those of labels,
                error.one_class, error.single_item.
        """
        x, labels = _arrays(self.path)
        if x.ndim != 2 or 0 in x.shape:
            raise MsvizError(
                "error.shape", "{name} must be {expected}, got {got}", name="x", expected="[n, d]", got=list(x.shape)
            )
        if x.dtype.kind not in "fiub":
            plain = "{name} must be a tensor of real numbers, got {got}"
            raise MsvizTypeError("error.embeddings_type", plain, name="x", got=str(x.dtype))
        _check_size(self.path, 4 * x.size)
        with np.errstate(over="ignore"):  # beyond float32 is infinite, and refused as such
            inputs = torch.from_numpy(x.astype(np.float32))
        check_finite("x", inputs)
        if labels.ndim == 1:  # else encode_labels says what is wrong
            check_count("labels", len(labels), inputs)
        codes = encode_labels(labels).numpy()
        names = tuple(str(name)[:80] for name in dict.fromkeys(plain_labels(labels)))
        check_classes(names, np.bincount(codes).tolist())
        size = float(inputs.double().square().mean().sqrt()) or 1.0
        return TrainingSet((inputs / size).numpy(), codes, names)


@dataclass(frozen=True)
class Folder:
    """A folder of images with one subfolder a class; each is cut to its middle square and made size x size.

    Grey where all of them are grey, else RGB; transparent parts become white. Other files than images, and what begins
    with a dot, are passed over.

    Args:
        path: the folder; its subfolders' names are the classes, in alphabetical order.
        size: pixels of an image across and down, 8..128; all images together at most 1 GiB of numbers.

    Raises:
        MsvizError: error.parameter_range.

    Example:
        >>> Folder("no_such_folder").load()
        Traceback (most recent call last):
        msviz.core.errors.MsvizError: no_such_folder cannot be read as a folder (No such file or directory); ...
    """

    kind: ClassVar[str] = "folder"

    path: str
    size: int = param("size", 32, 8, 128, "Larger: finer detail, and slower steps.", whole=True, step=8)

    def __post_init__(self) -> None:
        _check_path(self.path)
        check(self)

    def load(self) -> TrainingSet:
        """The images, in blocks by class, in alphabetical order.

        Raises:
            MsvizError: error.folder, error.folder_class, error.image, error.data_too_large, error.one_class,
                error.single_item.
        """
        classes = _image_files(self.path)
        counts = [len(files) for files in classes.values()]
        check_classes(tuple(classes), counts)
        _check_size(self.path, 4 * 3 * self.size**2 * sum(counts))
        images = [_image(file, self.size) for files in classes.values() for file in files]
        thumbnails = np.stack([np.asarray(image.convert("L")) for image in images])
        inputs = scaled(_pixels(images, thumbnails))
        return TrainingSet(inputs, np.repeat(np.arange(len(classes)), counts), tuple(classes), thumbnails)


def check_classes(names: Sequence[str], counts: Sequence[int]) -> None:
    """Refuse data without pairs of both kinds: less than two classes, or a class with a single item.

    Args:
        names: the classes' names.
        counts: their numbers of items.

    Raises:
        MsvizError: error.one_class, error.single_item.
    """
    if len(names) < 2:
        plain = "training needs at least two classes, got only {name}; add items of another class"
        raise MsvizError("error.one_class", plain, name=", ".join(names) or "–")
    for name, count in zip(names, counts, strict=True):
        if count < 2:
            plain = "class {name} has a single item, so no positive pair; add another one, or remove the class"
            raise MsvizError("error.single_item", plain, name=name)


def _check_path(path: object) -> None:
    if not isinstance(path, str) or not path or "\0" in path:
        raise out_of_range("path", "the name of a file or folder", path)


def _check_size(path: str, got: int) -> None:
    if got > MAX_BYTES:
        raise MsvizError(
            "error.data_too_large",
            "{path} needs {got:.0f} MB in memory, at most {limit:.0f} MB are read; use fewer or smaller items",
            path=path,
            got=got / 2**20,
            limit=MAX_BYTES / 2**20,
        )


def _arrays(path: str) -> tuple[np.ndarray, np.ndarray]:
    """x and labels; nothing is unpickled, and nothing larger than the limit is unpacked."""
    try:
        found = np.load(Path(path).expanduser(), allow_pickle=False)
    except OSError as error:
        _unreadable(path, error.strerror or "it is damaged")
    except Exception:  # zipfile and numpy fail in many ways on what is no archive, or a damaged one
        _unreadable(path, "it is damaged, or another kind of file")
    if not isinstance(found, np.lib.npyio.NpzFile):
        _unreadable(path, "it is a single array")
    with found as file:
        x, labels = (_named(file, path, names) for names in (("x", "embeddings"), ("labels", "y")))
        return _array(file, path, x), _array(file, path, labels)


def _named(file: np.lib.npyio.NpzFile, path: str, names: tuple[str, str]) -> str:
    for name in names:
        if name in file.files:
            return name
    raise MsvizError(
        "error.features_arrays",
        "{path} must hold x or embeddings [n, d] and labels or y [n], got {got}; rename its arrays",
        path=path,
        got=", ".join(sorted(file.files))[:200] or "nothing",
    )


def _array(file: np.lib.npyio.NpzFile, path: str, name: str) -> np.ndarray:
    assert file.zip is not None  # it is open
    _check_size(path, max(info.file_size for info in file.zip.infolist() if info.filename in (name, f"{name}.npy")))
    try:
        array = file[name]
    except ValueError as error:
        if "allow_pickle" not in str(error):
            _unreadable(path, f"its array {name} is damaged")
        raise MsvizError(
            "error.features_objects",
            "{name} in {path} holds Python objects, which are not opened; save it as numbers or text",
            name=name,
            path=path,
        ) from error
    except Exception:  # zlib, zipfile, EOF, a header that is no Python
        _unreadable(path, f"its array {name} is damaged")
    if not isinstance(array, np.ndarray):  # bytes: a member that is no array
        _unreadable(path, f"{name} is no array")
    return array


def _unreadable(path: str, problem: str) -> NoReturn:
    raise MsvizError(
        "error.features_file",
        "{path} cannot be read as .npz ({problem}); write it with numpy.savez(path, x=features, labels=labels)",
        path=path,
        problem=problem,
    )


def _image_files(path: str) -> dict[str, list[Path]]:
    suffixes = set(Image.registered_extensions())
    try:
        classes = [folder for folder in _visible(Path(path).expanduser()) if folder.is_dir()]
        found = {folder.name: [f for f in _visible(folder) if f.suffix.lower() in suffixes] for folder in classes}
    except OSError as error:
        _no_folder(path, error.strerror or str(error))
    if not found:
        _no_folder(path, "it has no subfolders")
    for name, files in found.items():
        if not files:
            plain = "the subfolder {name} of {path} holds no image; add some, or remove it"
            raise MsvizError("error.folder_class", plain, name=name, path=path)
    return found


def _visible(folder: Path) -> Iterator[Path]:
    return (inside for inside in sorted(folder.iterdir()) if not inside.name.startswith("."))


def _no_folder(path: str, problem: str) -> NoReturn:
    raise MsvizError(
        "error.folder",
        "{path} cannot be read as a folder ({problem}); name a folder with one subfolder of images a class",
        path=path,
        problem=problem,
    )


def _image(file: Path, size: int) -> Image.Image:
    """Its middle square in 8 bits, "L" or "RGB"."""
    try:
        with Image.open(file) as image:
            if image.width * image.height > MAX_PIXELS:
                raise ValueError(f"more than {MAX_PIXELS // 10**6} million pixels")
            image.draft("RGB", (2 * size, 2 * size))  # a JPEG is read in a smaller size at once
            return ImageOps.fit(_eight_bits(ImageOps.exif_transpose(image)), (size, size))
    except Exception as error:  # Pillow's readers fail in many ways on a damaged file
        plain = "the image {path} cannot be read ({problem}); repair or remove it"
        problem = str(error)[:100] or type(error).__name__
        raise MsvizError("error.image", plain, path=str(file), problem=problem) from error


def _eight_bits(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I;16"):
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    if image.mode in ("I", "F"):
        raise ValueError(f"its pixels have 32 bits (mode {image.mode})")
    if image.has_transparency_data:
        seen = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", seen.size, "white"), seen)
    return image.convert("L" if image.mode in ("1", "L") else "RGB")


def _pixels(images: Sequence[Image.Image], grey: UInt8[np.ndarray, "n h w"]) -> UInt8[np.ndarray, "n c h w"]:
    """One channel where every image is grey (a grey one may well be stored as RGB), else three."""
    colour = np.stack([np.asarray(image.convert("RGB")) for image in images]).transpose(0, 3, 1, 2)
    return grey[:, None] if (colour == colour[:, :1]).all() else colour
