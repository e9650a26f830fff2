"""What each page's bench holds: its parts, and the matrices that it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from msviz.core.scheme import Scheme
from msviz.state import State
from msviz.text import msg
from msviz.ui.compare import compare_data
from msviz.ui.desk import Desk
from msviz.ui.loop_lab import loop_data, loop_seen
from msviz.ui.mining import mining_data
from msviz.ui.npair_lab import npair_data, npair_seen
from msviz.ui.pushes import pushes_data
from msviz.ui.similarities import pair_line_data
from msviz.views.board import Scales
from msviz.views.compare_panels import compare_panels
from msviz.views.loop_panels import loop_panels
from msviz.views.panels import Panel, similarity_panel, three_panels, weight_panel
from msviz.views.scene import Scene, as_it_is


@dataclass(frozen=True)
class Layout:
    """The bench of one page.

    Args:
        page: its name, in catalogue keys (page.<name>.title) and as a CSS class.
        parts: what stands on it beside the matrices, by the names of assets/bench.js.
        panels: the matrices of a scene, drawn to a scale.
        more: what else the page's own parts draw; the browser finds it as head.more.
        below: the page has pictures under the bench, in a fragment of their own (session.BELOW).
        rows: some part reads S, w and decisions of any pair while something moves.
        seen: the state as the page evaluates it, and under which scheme; a lab weighs by losses of its own.
    """

    page: str
    parts: tuple[str, ...]
    panels: Callable[[Scene, Scales], tuple[Panel, ...]]
    more: Callable[[Desk, Scene], dict[str, Any]] = lambda desk, now: {}
    below: bool = False
    rows: bool = True
    seen: Callable[[State], tuple[State, Scheme]] = as_it_is


def _made(now: Scene, scale: Scales) -> Panel:
    """The weights that make a step."""
    return replace(weight_panel(now, scale), hint=msg("panel.w.hint.run"), note=msg("panel.w.note.run"))


def _met(now: Scene, scale: Scales) -> Panel:
    """The similarities of a run's batch; a note says when they are not plain cosines."""
    kind = "loop" if now.scheme.loop else "" if now.scheme.normalize else "dot"
    panel = similarity_panel(now, scale)
    return replace(panel, note=msg(f"panel.S.note.{kind}")) if kind else panel


_ALL = (
    Layout(
        "playground",
        ("board", "readouts", "inspector", "line"),
        lambda now, scale: (similarity_panel(now, scale), weight_panel(now, scale)),
    ),
    Layout("similarities", ("board", "pairline"), three_panels, pair_line_data, below=True),
    Layout(
        "mining",
        ("board", "readouts", "lines", "reasons"),
        lambda now, scale: (weight_panel(now, scale),),
        mining_data,
        below=True,
    ),
    Layout(
        "weights",
        ("board", "inspector"),
        lambda now, scale: (replace(weight_panel(now, scale), hint=msg("panel.w.hint.alone")),),
        pushes_data,
        below=True,
    ),
    Layout("compare", ("compare", "board"), compare_panels, compare_data, below=True, rows=False),
    Layout(
        "npair",
        ("npair", "board", "npair_tables"),
        lambda now, scale: (),
        npair_data,
        below=True,
        rows=False,
        seen=npair_seen,
    ),
    Layout(
        "loop",
        ("board", "loopbox", "loopfacts"),
        loop_panels,
        loop_data,
        below=True,
        seen=loop_seen,
    ),
    # A run is shown by two benches: the probe on its board, and the pairs of the step's batch.
    Layout("train_board", ("board",), lambda now, scale: (), rows=False),
    Layout(
        "train_pairs",
        ("inspector",),
        lambda now, scale: (_met(now, scale), _made(now, scale)),
    ),
    Layout("train_duel", ("inspector",), lambda now, scale: (_made(now, scale),)),
)

LAYOUTS: Final = MappingProxyType({layout.page: layout for layout in _ALL})
