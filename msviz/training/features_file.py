"""Features that any backbone wrote: an .npz on the disk, or one that somebody sent."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, NoReturn

import numpy as np
import torch

from msviz.core.criterion import check_count
from msviz.core.errors import MsvizError, MsvizTypeError
from msviz.core.labels import encode_labels, plain_labels
from msviz.core.precision import check_finite
from msviz.training.file_checks import check_classes, check_size
from msviz.training.training_set import TrainingSet


def read_features(file: Path | BinaryIO, path: str, most: int) -> TrainingSet:
    """The features, in the order of the file; classes in the order of their first item.

    Args:
        file: where it lies, or its content.
        path: what it is called.
        most: bytes of one array in it.

    Raises:
        MsvizError: error.features_file, error.features_arrays, error.features_objects, error.data_too_large,
            error.shape, error.embeddings_type, error.not_finite, error.labels_count and those of labels,
            error.one_class, error.single_item.
    """
    x, labels = _arrays(file, path, most)
    if x.ndim != 2 or 0 in x.shape:
        raise MsvizError(
            "error.shape", "{name} must be {expected}, got {got}", name="x", expected="[n, d]", got=list(x.shape)
        )
    if x.dtype.kind not in "fiub":
        plain = "{name} must be a tensor of real numbers, got {got}"
        raise MsvizTypeError("error.embeddings_type", plain, name="x", got=str(x.dtype))
    check_size(path, 4 * x.size, most)
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


def _arrays(file: Path | BinaryIO, path: str, most: int) -> tuple[np.ndarray, np.ndarray]:
    """x and labels; nothing is unpickled, and nothing larger than the limit is unpacked."""
    try:
        found = np.load(file, allow_pickle=False)
    except OSError as error:
        _unreadable(path, error.strerror or "it is damaged")
    except Exception:  # zipfile and numpy fail in many ways on what is no archive, or a damaged one
        _unreadable(path, "it is damaged, or another kind of file")
    if not isinstance(found, np.lib.npyio.NpzFile):
        _unreadable(path, "it is a single array")
    with found as held:
        x, labels = (_named(held, path, names) for names in (("x", "embeddings"), ("labels", "y")))
        return _array(held, path, x, most), _array(held, path, labels, most)


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


def _array(file: np.lib.npyio.NpzFile, path: str, name: str, most: int) -> np.ndarray:
    assert file.zip is not None  # it is open
    check_size(
        path, max(info.file_size for info in file.zip.infolist() if info.filename in (name, f"{name}.npy")), most
    )
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
