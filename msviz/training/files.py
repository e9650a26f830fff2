"""Items from files: features that any backbone wrote (.npz), and a folder of images with one subfolder a class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, NoReturn

from msviz.core.errors import MsvizError, out_of_range
from msviz.core.losses.spec import check, param
from msviz.training.features_file import read_features
from msviz.training.image_files import ImageFile, is_image, read_images
from msviz.training.training_set import TrainingSet

MAX_BYTES: Final = 2**30  # of one array in a file, and of the images of a folder when they are numbers


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
        return read_features(Path(self.path).expanduser(), self.path, MAX_BYTES)


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
        return read_images(_image_files(self.path), self.size, self.path, MAX_BYTES)


def _check_path(path: object) -> None:
    if not isinstance(path, str) or not path or "\0" in path:
        raise out_of_range("path", "the name of a file or folder", path)


def _image_files(path: str) -> dict[str, list[ImageFile]]:
    try:
        classes = [folder for folder in _visible(Path(path).expanduser()) if folder.is_dir()]
        found = {folder.name: [_file(f) for f in _visible(folder) if is_image(f.name)] for folder in classes}
    except OSError as error:
        _no_folder(path, error.strerror or str(error))
    if not found:
        _no_folder(path, "it has no subfolders")
    for name, files in found.items():
        if not files:
            plain = "the subfolder {name} of {path} holds no image; add some, or remove it"
            raise MsvizError("error.folder_class", plain, name=name, path=path)
    return found


def _file(path: Path) -> ImageFile:
    return ImageFile(str(path), lambda: path.open("rb"))


def _visible(folder: Path) -> Iterator[Path]:
    return (inside for inside in sorted(folder.iterdir()) if not inside.name.startswith("."))


def _no_folder(path: str, problem: str) -> NoReturn:
    raise MsvizError(
        "error.folder",
        "{path} cannot be read as a folder ({problem}); name a folder with one subfolder of images a class",
        path=path,
        problem=problem,
    )
