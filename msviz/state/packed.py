"""A batch as a short text: the ``points`` of a link.

The text is base64url (without padding) of zlib of, little-endian:

    version  u8     1
    flags    u8     1 = has digit images, 2 = embeddings are the images' pixels, 4 = the board is a sphere (3-D)
    count    u16    m, at most 512
    next_id  u32
    ids      m i32  each minus the one before (the first plus 1): usually all 1, which zlib makes vanish
    labels   m u8
    digits   m i16  only with flag 1; -1 = placed by hand
    board    k m i16, coordinate by coordinate, in steps of 2^-14
    source   the rest: UTF-8 JSON [kind, name, note], or [kind, name, note, names of the classes]

Positions travel even where they came from a projection, so that another version of scikit-learn restores the same
numbers; pixels are looked up, they are data.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
import zlib
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from msviz.core.errors import MsvizError
from msviz.data import GRID, Batch, Source
from msviz.data.datasets import digit_pixels
from msviz.data.source import MAX_NAME

VERSION: Final = 1
LONGEST: Final = 512  # points; more make addresses that some programs cut off
MAX_BYTES: Final = 1 << 16  # decompressed; 512 points on a sphere with digits and a long note take 16 KB
_HAS_DIGITS, _PIXELS, _SPHERE = 1, 2, 4
_HEADER: Final = struct.Struct("<BBHI")


def pack(batch: Batch) -> str:
    """The batch as text, exactly.

    Raises:
        MsvizError: error.link_batch: more than 512 points, or embeddings that are neither the board nor digit images.
    """
    pixels = not batch.editable
    if batch.m > LONGEST or (pixels and not _are_pixels(batch)):
        plain = "These {m} points with {d} dimensions are too much for a link. Save them as a file instead."
        raise MsvizError("error.link_batch", plain, m=batch.m, d=batch.x.shape[1])
    flags = _HAS_DIGITS * (batch.digits is not None) + _PIXELS * pixels + _SPHERE * (batch.board.shape[1] == 3)
    steps = np.rint(batch.board / GRID)
    words = [batch.source.kind, batch.source.name, batch.source.note, *([] if batch.names is None else [batch.names])]
    parts = [
        _HEADER.pack(VERSION, flags, batch.m, batch.next_id),
        np.diff(np.asarray(batch.ids, dtype=np.int64), prepend=-1).astype("<i4").tobytes(),
        np.asarray(batch.labels, dtype="u1").tobytes(),
        b"" if batch.digits is None else np.asarray(batch.digits, dtype="<i2").tobytes(),
        steps.T.astype("<i2").tobytes(),
        json.dumps(words, separators=(",", ":"), ensure_ascii=False).encode(),
    ]
    return base64.urlsafe_b64encode(zlib.compress(b"".join(parts), 9)).rstrip(b"=").decode()


def unpack(text: str) -> Batch:
    """The batch that `pack` wrote.

    Raises:
        MsvizError: error.link_too_many_points, error.link_version, or error.link_points for every other damage.
    """
    try:
        return _read(_inflated(text))
    except (
        ValueError,
        TypeError,
        LookupError,
        struct.error,
        zlib.error,
        binascii.Error,
        RecursionError,
        OverflowError,
    ) as error:
        if isinstance(error, MsvizError) and error.key.startswith("error.link_"):
            raise
        plain = (
            "The points in this link are damaged or incomplete. Copy the whole link again. Shown instead: the default."
        )
        raise MsvizError("error.link_points", plain) from error


def _are_pixels(batch: Batch) -> bool:
    return batch.digits is not None and min(batch.digits, default=0) >= 0 and _equal_pixels(batch)


def _equal_pixels(batch: Batch) -> bool:
    return np.array_equal(batch.x, digit_pixels(batch.digits or ()).reshape(batch.m, 64))


def _inflated(text: str) -> bytes:
    raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    inflater = zlib.decompressobj()
    data = inflater.decompress(raw, MAX_BYTES)  # a bomb stops here
    if not inflater.eof or inflater.unused_data:
        raise ValueError("too large, cut off, or followed by something else")
    return data


def _read(data: bytes) -> Batch:
    version, flags, m, next_id = _HEADER.unpack_from(data)
    if version != VERSION:
        plain = (
            "This link was made by another version of msviz (format {got}, not {expected}). Shown instead: the default."
        )
        raise MsvizError("error.link_version", plain, got=version, expected=VERSION)
    if m > LONGEST:
        plain = "This link has {got} points, more than the {limit} that a batch can hold. Shown instead: the default."
        raise MsvizError("error.link_too_many_points", plain, got=m, limit=LONGEST)
    if flags > _HAS_DIGITS + _PIXELS + _SPHERE or (flags & _PIXELS and not flags & _HAS_DIGITS):
        raise ValueError("unknown flags")
    reader = _Reader(data, _HEADER.size)
    ids = np.cumsum(reader.take("<i4", m).astype(np.int64)) - 1
    labels = reader.take("u1", m)
    digits = reader.take("<i2", m).tolist() if flags & _HAS_DIGITS else None
    k = 3 if flags & _SPHERE else 2
    board = reader.take("<i2", k * m).reshape(k, m).T * GRID
    kind, name, note, *names = json.loads(data[reader.at :].decode())
    if not isinstance(name, str) or not isinstance(note, dict):
        raise ValueError("a source is [text, text, object]")
    if len(names) > 1 or not all(isinstance(it, str) and len(it) <= MAX_NAME for it in chain(*names)):
        raise ValueError("names are a list of short texts")
    "".join(chain(*names)).encode()  # half of a surrogate pair is no text
    if flags & _PIXELS and min(digits or [0]) < 0:
        raise ValueError("a point without an image has no pixels")
    return Batch.of(
        board,
        labels.tolist(),
        ids=ids.tolist(),
        x=digit_pixels(digits or []).reshape(m, 64) if flags & _PIXELS else None,
        digits=digits,
        source=Source(kind, name, note),
        next_id=next_id,
        names=names[0] if names else None,
    )


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, dtype: DTypeLike, count: int) -> NDArray[np.integer]:
        array = np.frombuffer(self.data, dtype, count, self.at)  # ValueError when the data end too early
        self.at += array.nbytes
        return array
