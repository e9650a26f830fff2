"""The batch: labelled points, their embeddings x, and the board that pictures them.

Board positions always lie on a grid of 2^-14, the one that a link stores (int16). Everything is evaluated from grid
values, so that a link restores the same numbers to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from jaxtyping import Float64
from numpy.typing import ArrayLike

from msviz.core.errors import MsvizError
from msviz.data.grid import GRID, snap
from msviz.data.source import Source

MAX_POINTS: Final = 4096
MAX_LABEL: Final = 255
MAX_ID: Final = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Batch:
    """Up to 4096 labelled points. Made with `Batch.of`; every operation returns a new batch.

    Args:
        ids: one stable number a point, unique, never given again within a batch (see next_id).
        labels: the class of each point, 0..255.
        board: [m, 2] (or [m, 3]) positions on the grid, read-only; on the circle up to the grid's step.
        x: [m, d] the embeddings, read-only. The very same array as `board` when d <= 3; otherwise `board` is a
            projection of it and cannot be edited.
        digits: for each point the index of its image among scikit-learn's 1797 digits, -1 = placed by hand; None for
            batches that hold no digits.
        source: where the batch came from.
        next_id: the id that the next added point gets; above every id ever used.
        names: what the classes are called, label 0 first; None = by letters. Equality ignores them.
    """

    ids: tuple[int, ...]
    labels: tuple[int, ...]
    board: Float64[np.ndarray, "m k"]
    x: Float64[np.ndarray, "m d"]
    digits: tuple[int, ...] | None
    source: Source
    next_id: int
    names: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls,
        board: ArrayLike,
        labels: Iterable[int],
        *,
        ids: Sequence[int] | None = None,
        x: ArrayLike | None = None,
        digits: Iterable[int] | None = None,
        source: Source | None = None,
        next_id: int | None = None,
        names: Iterable[str] | None = None,
    ) -> Batch:
        """Make a batch: snaps the board to the grid, numbers the points, checks everything.

        Args:
            board: [m, 2] or [m, 3], finite; an empty list is an empty 2-D batch.
            labels: m whole numbers, 0..255.
            ids: m different whole numbers >= 0; 0, 1, 2, ... by default.
            x: [m, d] embeddings with d > 3, finite; the board itself by default.
            digits: m indices of digit images, -1 = none.
            source: `Source("hand", "")` by default.
            next_id: above every id; the largest id + 1 by default.
            names: what the classes are called, label 0 first.

        Raises:
            MsvizError: error.too_many_points (m > 4096), error.label_range, error.batch_shape (lengths or shapes that
                do not fit, ids that repeat, positions that are not finite).

        Example:
            >>> batch = Batch.of([[1, 0], [0, 1]], [0, 1])
            >>> batch.m, batch.classes, batch.editable, batch.class_name(1)
            (2, (0, 1), True, 'B')
        """
        labels = tuple(labels)
        places = _finite(board, "board")
        places = _frozen(places.reshape(0, 2) if places.ndim == 1 and places.size == 0 else snap(places))
        ids = tuple(range(len(labels))) if ids is None else tuple(map(int, ids))
        return cls(
            ids=ids,
            labels=tuple(_label(label) for label in labels),
            board=places,
            x=places if x is None else _frozen(_finite(x, "x")),
            digits=None if digits is None else tuple(map(int, digits)),
            source=Source("hand", "") if source is None else source,
            next_id=max(ids, default=-1) + 1 if next_id is None else int(next_id),
            names=None if names is None else tuple(names),
        )

    def __post_init__(self) -> None:
        m = len(self.ids)
        if max(m, len(self.board)) > MAX_POINTS:
            plain = "A batch holds at most {limit} points, got {got}. Remove some, or choose fewer classes or images."
            raise MsvizError("error.too_many_points", plain, limit=MAX_POINTS, got=max(m, len(self.board)))
        _need(self.board.ndim == 2 and self.board.shape[1] in (2, 3), "board", "[m, 2] or [m, 3]", self.board.shape)
        _need(self.x is self.board or (self.x.ndim == 2 and self.x.shape[1] > 3), "x", "[m, d], d > 3", self.x.shape)
        for name, column in (("labels", self.labels), ("board", self.board), ("x", self.x), ("digits", self.digits)):
            _need(column is None or len(column) == m, name, f"{m} rows", 0 if column is None else len(column))
        _need(len(set(self.ids)) == m, "ids", "different numbers", self.ids)
        _need(all(0 <= i < self.next_id for i in self.ids), "ids", f"0 <= id < next_id = {self.next_id}", self.ids)
        _need(0 <= self.next_id <= MAX_ID, "next_id", f"0 to {MAX_ID}", self.next_id)
        _need(all(-1 <= d < 1797 for d in self.digits or ()), "digits", "indices from -1 to 1796", self.digits)
        _need(
            not (self.board.flags.writeable or self.x.flags.writeable), "arrays", "read-only arrays", "writeable ones"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Batch):
            return NotImplemented
        return self is other or (
            (self.ids, self.labels, self.digits, self.source, self.next_id)
            == (other.ids, other.labels, other.digits, other.source, other.next_id)
            and np.array_equal(self.board, other.board)
            and np.array_equal(self.x, other.x)
        )

    def __hash__(self) -> int:
        return hash((self.ids, self.labels, self.board.tobytes()))

    @property
    def m(self) -> int:
        """The number of points."""
        return len(self.ids)

    @property
    def editable(self) -> bool:
        """Whether the board is the embeddings themselves (d <= 3), so that points can be moved and added."""
        return self.x is self.board

    @property
    def classes(self) -> tuple[int, ...]:
        """The labels that occur, sorted."""
        return tuple(sorted(set(self.labels)))

    @property
    def planar(self) -> bool:
        """Whether its points can leave the circle: two dimensions that can be edited."""
        return self.editable and self.board.shape[1] == 2

    def class_name(self, label: int) -> str:
        """How a class is called: by its name, the digit itself among digits, otherwise A to Z, then AA, AB, ..."""
        if self.names is not None and label < len(self.names):
            return self.names[label]
        if self.digits is not None:
            return str(label)
        return ("" if label < 26 else chr(64 + label // 26)) + chr(65 + label % 26)

    def index(self, id: int) -> int:
        """The row of a point in board, x, labels and every matrix; MsvizError error.no_such_point if it is gone."""
        try:
            return self.ids.index(id)
        except ValueError:
            plain = "There is no point {id} in this batch. It may have been deleted: choose another one."
            raise MsvizError("error.no_such_point", plain, id=id) from None

    def moved(self, id: int, xy: ArrayLike, on_circle: bool = True) -> Batch:
        """The batch with one point elsewhere.

        Args:
            id: the point.
            xy: its new place, [2] (or [3] on a sphere), finite.
            on_circle: bring it to length 1 first; the centre has no direction, there the point keeps its old place.

        Raises:
            MsvizError: error.no_such_point, error.not_editable, error.position.

        Example:
            >>> Batch.of([[1, 0]], [0]).moved(0, [0, 7]).board.tolist()
            [[0.0, 1.0]]
        """
        row = self.index(id)
        place = self._place(xy, on_circle)
        if place is None:
            return self
        board = self.board.copy()
        board[row] = place
        return self._edited(board=board)

    def added(self, xy: ArrayLike, label: int, on_circle: bool = True) -> Batch:
        """The batch with one more point, last, with the id `next_id`.

        Raises:
            MsvizError: error.not_editable, error.position, error.at_centre (on_circle, and no direction),
                error.label_range, error.too_many_points.
        """
        place = self._place(xy, on_circle)
        if place is None:
            plain = "The centre of the circle has no direction. Choose a place away from it."
            raise MsvizError("error.at_centre", plain)
        return self._edited(
            ids=(*self.ids, self.next_id),
            labels=(*self.labels, _label(label)),
            board=np.concatenate([self.board, place[None]]),
            digits=None if self.digits is None else (*self.digits, -1),
            next_id=self.next_id + 1,
        )

    def on_circle(self) -> Batch:
        """The batch with every point brought to length 1; one at the centre has no direction and stays there.

        Example:
            >>> Batch.of([[0, 1.5], [0, 0]], [0, 0]).on_circle().board.tolist()
            [[0.0, 1.0], [0.0, 0.0]]
        """
        length = np.linalg.norm(self.board, axis=1, keepdims=True)
        off = ((np.abs(length - 1) > GRID) & (length > 0)).ravel()  # the others are there, up to the grid's rounding
        if not (self.editable and off.any()):
            return self
        board = self.board.copy()
        board[off] = snap(board[off] / length[off])
        return self._edited(board=board)

    def removed(self, id: int) -> Batch:
        """The batch without one point; its id is not given again. MsvizError error.no_such_point if it is gone."""
        row = self.index(id)
        return self._edited(
            ids=_without(self.ids, row),
            labels=_without(self.labels, row),
            board=np.delete(self.board, row, axis=0),
            x=None if self.editable else np.delete(self.x, row, axis=0),
            digits=None if self.digits is None else _without(self.digits, row),
        )

    def relabelled(self, id: int, label: int) -> Batch:
        """The batch with one point in another class, 0..255. MsvizError error.no_such_point, error.label_range."""
        row = self.index(id)
        return self._edited(labels=(*self.labels[:row], _label(label), *self.labels[row + 1 :]))

    def _place(self, xy: ArrayLike, on_circle: bool) -> Float64[np.ndarray, " k"] | None:
        """Where a point given as xy comes to lie; None at the centre of the circle."""
        if not self.editable:
            plain = "These points are a picture of {d} dimensions and cannot be moved or added to. Choose a 2-D batch."
            raise MsvizError("error.not_editable", plain, d=self.x.shape[1])
        k = self.board.shape[1]
        place = np.asarray(xy, dtype=np.float64)
        if place.shape != (k,) or not np.isfinite(place).all():
            plain = "A position is {k} finite numbers, got {got}."
            raise MsvizError("error.position", plain, k=k, got=str(xy)[:40])
        if not on_circle:
            return snap(place)
        largest = np.abs(place).max()
        if largest < GRID / 2:  # rounds to the centre
            return None
        place = place / largest  # first: 1e200 squared would overflow
        return snap(place / np.linalg.norm(place))

    def _edited(self, **changes: Any) -> Batch:
        if "board" in changes:
            changes["board"] = _frozen(changes["board"])
            x = changes.get("x")
            changes["x"] = changes["board"] if x is None else _frozen(x)
        return replace(self, source=self.source.changed(), **changes)


def _need(holds: bool, name: str, expected: str, got: object) -> None:
    if not holds:
        plain = "This batch does not fit together: {name} should be {expected}, got {got}."
        raise MsvizError("error.batch_shape", plain, name=name, expected=expected, got=str(got)[:60])


def _finite(values: ArrayLike, name: str) -> Float64[np.ndarray, "*shape"]:
    array = np.array(values, dtype=np.float64)
    _need(bool(np.isfinite(array).all()), name, "finite numbers", "nan or infinity")
    return array


def _frozen(array: Float64[np.ndarray, "*shape"]) -> Float64[np.ndarray, "*shape"]:
    array.flags.writeable = False
    return array


def _label(label: object) -> int:
    # The isinstance comes first: True and 1.5 are no classes, and nan cannot even be compared.
    if isinstance(label, (int, np.integer)) and not isinstance(label, bool) and 0 <= label <= MAX_LABEL:
        return int(label)
    plain = "A class is a whole number from 0 to {high}, got {got}."
    raise MsvizError("error.label_range", plain, high=MAX_LABEL, got=label)


def _without(values: tuple[int, ...], row: int) -> tuple[int, ...]:
    return values[:row] + values[row + 1 :]
