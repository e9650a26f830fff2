"""A visitor's own items, sent by the browser: an .npz with features, a folder of images, or that folder as a .zip.

Only content is read: what a file is called names its class, and never a place on this machine.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence
from functools import partial
from typing import BinaryIO, Final, NamedTuple

from msviz.core.errors import MsvizError
from msviz.training.features_file import read_features
from msviz.training.file_checks import check_size
from msviz.training.image_files import ImageFile, is_image, read_images
from msviz.training.training_set import TrainingSet

MAX_BYTES: Final = 2**28  # of one array, and of all images as numbers: many visitors share the memory
MAX_IMAGES: Final = 20_000


class Upload(NamedTuple):
    """A file that was sent.

    Args:
        name: what the browser calls it: its name, or its path within the folder that was sent.
        content: what it holds.
    """

    name: str
    content: BinaryIO


def read_upload(files: Sequence[Upload], size: int) -> TrainingSet:
    """The items of what was sent: one .npz, one .zip, or the files of a folder.

    Args:
        files: all that was sent.
        size: pixels of an image across and down.

    Raises:
        MsvizError: error.upload_nothing, error.upload_zip, error.upload_empty, error.upload_folders, error.upload_many;
            those of `Features` for an .npz and of `Folder` for images.

    Example:
        >>> read_upload([Upload("cat.png", io.BytesIO())], size=32)
        Traceback (most recent call last):
        msviz.core.errors.MsvizError: cat.png lies in no folder, but images need one subfolder a class; ...
    """
    if not files:
        raise MsvizError("error.upload_nothing", "nothing was sent; choose an .npz, a .zip or a folder of images")
    first = files[0]
    if len(files) == 1 and first.name.lower().endswith(".npz"):
        return read_features(first.content, first.name, MAX_BYTES)
    if len(files) == 1 and first.name.lower().endswith(".zip"):
        return _zipped(first, size)
    return _in_folders(
        (ImageFile(file.name, partial(_again, file.content)) for file in files), size, _parts(first.name)[0]
    )


def _again(content: BinaryIO) -> BinaryIO:
    content.seek(0)
    return io.BytesIO(content.read())  # a copy: who reads an image closes it


def _zipped(file: Upload, size: int) -> TrainingSet:
    try:
        archive = zipfile.ZipFile(file.content)
    except (zipfile.BadZipFile, ValueError, EOFError, OSError) as error:
        plain = "{path} cannot be read as .zip; pack the folder of images again"
        raise MsvizError("error.upload_zip", plain, path=file.name) from error
    with archive:
        found = [info for info in archive.infolist() if not info.is_dir()]
        check_size(
            file.name, sum(info.file_size for info in found), MAX_BYTES
        )  # a bomb says how large it is, or breaks
        return _in_folders(
            (ImageFile(info.filename, partial(_member, archive, info)) for info in found), size, file.name
        )


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> BinaryIO:
    return io.BytesIO(archive.read(info))


def _in_folders(files: Iterable[ImageFile], size: int, path: str) -> TrainingSet:
    """Images by the folder in which each lies; hidden ones, and those of a program that packs, are passed over."""
    images = [file for file in files if is_image(file.path) and not _is_hidden(file.path)]
    if len(images) > MAX_IMAGES:
        plain = "at most {limit} images are read, got {got}; send fewer of them"
        raise MsvizError("error.upload_many", plain, limit=MAX_IMAGES, got=len(images))
    if not images:
        plain = "{path} holds no image; send a folder with one subfolder of images a class"
        raise MsvizError("error.upload_empty", plain, path=path)
    classes: dict[str, list[ImageFile]] = {}
    for image in sorted(images, key=lambda file: file.path):
        *_, folder, _ = ["", *_parts(image.path)]
        if not folder:
            plain = "{path} lies in no folder, but images need one subfolder a class; send the folder that holds those"
            raise MsvizError("error.upload_folders", plain, path=image.path)
        classes.setdefault(folder[:80], []).append(image)
    return read_images(dict(sorted(classes.items())), size, path, MAX_BYTES)


def _parts(path: str) -> list[str]:
    return [part for part in path.replace("\\", "/").split("/") if part]


def _is_hidden(path: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in _parts(path))
