"""Class labels of any kind, turned into codes 0, 1, 2, ... without ever confusing two classes."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from msviz.core.errors import MsvizError, MsvizTypeError


def encode_labels(labels: Iterable[Any]) -> Int[Tensor, " N"]:
    """Codes 0, 1, 2, ... in order of first appearance; two labels share a code exactly when they are equal in Python.

    Equality is decided before any array is built: through one numpy array 1 and "1" become the same text, NaN becomes
    the text "nan", and whole numbers above 2^63 become floats.

    Args:
        labels: N class ids, all of one kind: text, booleans, whole numbers of any size, or floats with whole values. A
            list, tuple, numpy array, tensor or pandas column.

    Raises:
        MsvizTypeError: (a TypeError) `error.labels_mixed` for labels of several kinds, `error.labels_fraction` for a
            float that is not whole, `error.labels_type` for anything else that is not a class id.
        MsvizError: (a ValueError) `error.labels_missing` for None, NaN or NA; `error.labels_shape` for rows, such as
            one-hot vectors, in the place of class ids.

    >>> encode_labels(["cat", "dog", "cat"])
    tensor([0, 1, 0])
    >>> encode_labels([2**64 + 1, 2**64])
    tensor([0, 1])
    """
    plain = plain_labels(labels)
    kinds: dict[str, Any] = {}
    for label in plain if {*map(type, plain)} != {int} else ():  # whole numbers alone need no closer look
        kinds.setdefault(_kind(label), label)
    if len(kinds) > 1:
        (first, one), (second, other), *_ = kinds.items()
        raise MsvizTypeError(
            "error.labels_mixed",
            "labels must be all of one kind, got {first} ({one}) and {second} ({other}); convert them first",
            first=first,
            second=second,
            one=repr(one),
            other=repr(other),
        )
    codes: dict[Any, int] = {}
    return torch.tensor([codes.setdefault(label, len(codes)) for label in plain], dtype=torch.long)


def plain_labels(labels: Iterable[Any]) -> list[Any]:
    """The labels as a list of Python objects: numpy and torch numbers become Python's, nothing else is converted."""
    if isinstance(labels, (str, bytes)):
        raise MsvizTypeError(
            "error.labels_type",
            "labels must be a list of class ids, got {kind} ({got}); split it into one label per point",
            kind=type(labels).__name__,
            got=repr(labels),
        )
    if getattr(labels, "ndim", 1) != 1:
        raise _not_flat(f"shape {list(getattr(labels, 'shape', ()))}")
    tolist = getattr(labels, "tolist", None)
    return [_plain(label) for label in (tolist() if tolist else labels)]


def _plain(label: Any) -> Any:
    if getattr(label, "ndim", 0) == 0 and isinstance(label, (Tensor, np.ndarray, np.generic)):
        return label.item()
    return label


def _kind(label: Any) -> str:
    if (
        label is None
        or type(label).__name__ in ("NAType", "NaTType")
        or (isinstance(label, float) and math.isnan(label))
    ):
        raise MsvizError(
            "error.labels_missing",
            "every point needs a label, got {got}; drop the points without one or give them a class",
            got=repr(label),
        )
    if isinstance(label, (list, tuple, np.ndarray, Tensor)):
        raise _not_flat(f"a row ({label!r})")
    if isinstance(label, bool):
        return "booleans"
    if isinstance(label, int):
        return "whole numbers"
    if isinstance(label, str):
        return "text"
    if isinstance(label, float):
        if label.is_integer():
            return "floats"
        raise MsvizTypeError(
            "error.labels_fraction", "labels must be class ids, got the fraction {got}; pass whole numbers", got=label
        )
    raise MsvizTypeError(
        "error.labels_type",
        "labels must be text, booleans or whole numbers, got {kind} ({got}); convert them to class ids",
        kind=type(label).__name__,
        got=repr(label),
    )


def _not_flat(got: str) -> MsvizError:
    return MsvizError(
        "error.labels_shape",
        "labels must be a flat list with one class id per point, got {got}; pass class ids, for one-hot rows argmax(1)",
        got=got,
    )
