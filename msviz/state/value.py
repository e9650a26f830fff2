"""One frozen value holds everything that a visitor can change."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

from msviz.core.errors import MsvizError
from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, Batch
from msviz.data.presets import DEFAULT_PRESET
from msviz.state.figure2 import Watched
from msviz.state.npair_lab import NPairLab

MAX_OTHERS: Final = 11  # with the active method twelve: more heatmaps nobody can compare
DEFAULT_OTHERS: Final[tuple[Method, ...]] = (
    Method("contrastive"),
    Method("triplet"),
    Method("binomial"),
    Method("lifted_star"),
    METHODS["ms_weighting"],
)


@dataclass(frozen=True)
class Selection:
    """What is picked: an anchor, or an ordered pair of points.

    Args:
        anchor: id of the anchor i.
        other: id of the other point j, or None. A point with itself is no pair: then other becomes None.

    Example:
        >>> Selection(4, 4)
        Selection(anchor=4, other=None)
    """

    anchor: int
    other: int | None = None

    def __post_init__(self) -> None:
        if self.other == self.anchor:
            object.__setattr__(self, "other", None)

    def lies_in(self, batch: Batch) -> bool:
        """Whether both ends exist in a batch."""
        return self.anchor in batch.ids and (self.other is None or self.other in batch.ids)


Shares = Literal["share", "raw", "own", "log"]
SHARES: Final[tuple[Shares, ...]] = get_args(Shares)
MOST_SEED: Final = 999_999  # of Table 1's random anchors


@dataclass(frozen=True)
class Display:
    """What is shown of it; not part of the history.

    Args:
        edges: draw the mined pairs on the board.
        forces: draw the step of every point.
        selection: the picked anchor or pair, or None.
        shares: how compared methods are drawn: "share" of each method's total weight on one scale, "raw" weights on one
            scale, each on its "own" scale, or shares on one "log" scale.
        versus: the two compared methods whose difference is drawn, counted from 1 = the active one.
        zoom: ids (anchor, other) of a pair in the block of a large batch that is shown cell by cell; None = all blocks.
        camera: the longitude and latitude of the sphere that face the visitor, whole degrees, -180..179 and -90..90.
        per_pair: on the Weights page an arrow for each pair of the anchor, beside the sum of them all.
        figure2: what is watched under Figure 2.
        table1_seed: of the random anchors on which Table 1 is measured, 0..999999.
        npair: what is chosen in the N-pair lab.

    Raises:
        ValueError: a camera or a seed outside its range.
    """

    edges: bool = True
    forces: bool = True
    selection: Selection | None = None
    shares: Shares = "share"
    versus: tuple[int, int] = (1, 2)
    zoom: tuple[int, int] | None = None
    camera: tuple[int, int] = (30, 20)
    per_pair: bool = False
    figure2: Watched = field(default_factory=Watched)
    table1_seed: int = 0
    npair: NPairLab = field(default_factory=NPairLab)

    def __post_init__(self) -> None:
        yaw, pitch = self.camera
        if not (-180 <= yaw < 180 and -90 <= pitch <= 90):
            raise ValueError(f"camera must be a longitude of -180..179 and a latitude of -90..90, got {yaw}, {pitch}")
        if not 0 <= self.table1_seed <= MOST_SEED:
            raise ValueError(f"table1_seed must be 0..{MOST_SEED}, got {self.table1_seed}")

    def replace(self, **changes: Any) -> Display:
        """A copy with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True)
class State:
    """Everything: the batch, the active method, those it is compared with, the display.

    A selection whose point is gone is dropped, and so are a zoom and a difference of methods that are not there.
    Norms count only on a plane: with another batch they are normalised again.

    Args:
        batch: the points.
        method: the active one: a loss, its parameters, and a mining margin or none.
        display: what is shown.
        others: the methods that the active one is compared with, at most 11.
        normalize: similarities are cosines; False: dot products, so that the norms of the points count.

    Raises:
        MsvizError: error.too_many_methods.

    Example:
        >>> state = default_state().select(4, 6)
        >>> state.with_batch(state.batch.removed(6)).display.selection is None
        True
    """

    batch: Batch
    method: Method
    display: Display = field(default_factory=Display)
    others: tuple[Method, ...] = DEFAULT_OTHERS
    normalize: bool = True

    def __post_init__(self) -> None:
        if len(self.others) > MAX_OTHERS:
            plain = "At most {limit} methods can be compared at a time. Remove one first."
            raise MsvizError("error.too_many_methods", plain, limit=MAX_OTHERS + 1)
        if not (self.normalize or self.batch.planar):
            object.__setattr__(self, "normalize", True)
        selection = self.display.selection
        if selection is not None and not selection.lies_in(self.batch):
            object.__setattr__(self, "display", self.display.replace(selection=None))
        zoom = self.display.zoom
        if zoom is not None and not set(zoom) <= set(self.batch.ids):
            object.__setattr__(self, "display", self.display.replace(zoom=None))
        one, two = self.display.versus
        if one == two or not {one, two} <= set(range(1, 2 + len(self.others))):
            object.__setattr__(self, "display", self.display.replace(versus=Display().versus))

    def with_batch(self, batch: Batch) -> State:
        """The same method and display on another batch; the selection goes when one of its points is gone."""
        return replace(self, batch=batch)

    def with_method(self, method: Method) -> State:
        """The same batch and display under another method."""
        return replace(self, method=method)

    def with_others(self, others: tuple[Method, ...]) -> State:
        """The same compared with other methods."""
        return replace(self, others=others)

    def with_normalize(self, normalize: bool) -> State:
        """The same with norms that count (False) or not (True): then points that left the circle come back to it.

        Raises:
            MsvizError: error.not_planar: norms can count only where points can leave the circle.

        Example:
            >>> flat = default_state().with_normalize(False)
            >>> far = flat.with_batch(flat.batch.moved(0, (1.5, 0), on_circle=False))
            >>> far.with_normalize(True).batch.board[0].tolist()
            [1.0, 0.0]
        """
        if not (normalize or self.batch.planar):
            plain = "Norms can count only for points on a plane that can be moved. Choose a batch on the circle."
            raise MsvizError("error.not_planar", plain)
        return replace(self, normalize=normalize, batch=self.batch.on_circle() if normalize else self.batch)

    def with_display(self, display: Display) -> State:
        """The same batch and method, shown otherwise."""
        return replace(self, display=display)

    def select(self, anchor: int | None, other: int | None = None) -> State:
        """The same with another selection; anchor None = nothing selected. A point that does not exist: nothing."""
        selection = None if anchor is None else Selection(anchor, other)
        return self.with_display(self.display.replace(selection=selection))

    def same_work(self, other: State) -> bool:
        """Whether batch and methods are equal, and whether norms count, whatever is shown."""
        one, two = ((it.method, it.others, it.normalize, it.batch) for it in (self, other))
        return one == two


def default_state() -> State:
    """What a first visitor sees: the overlapping classes under the authors' MS loss with mining, nothing selected."""
    return State(PRESETS[DEFAULT_PRESET].make(), METHODS["authors"])
