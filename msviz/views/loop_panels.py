"""The matrices of the LoOp lab: S and weights as they are, beside those with optimal hard negatives in their place."""

from __future__ import annotations

import numpy as np

from msviz.text import msg
from msviz.views.blocks import Window, window
from msviz.views.board import Scales
from msviz.views.loop_four import plain
from msviz.views.matrices import decisions
from msviz.views.method_name import loss_title
from msviz.views.panels import Panel, largest
from msviz.views.scene import Scene


def loop_panels(scene: Scene, scale: Scales) -> tuple[Panel, ...]:
    """S plain and with LoOp, the active method's weights plain and with LoOp, each kind on one scale.

    Of a batch above 512 points, which is not evaluated with LoOp, none.

    Args:
        scene: the evaluated state.
        scale: from `scales`, of this scene or of the one at the beginning of the gesture.
    """
    if not scene.scheme.loop:
        return ()
    shown, before, name = window(scene.state), plain(scene), loss_title(scene.state.method.name)
    start = scene if scale.start is None else scale.start
    end = largest(*(_weights(it, window(start.state)) for it in (start, plain(start))))
    return (
        *(
            Panel(
                key=key,
                kind="S",
                title=msg(f"panel.loop.{key}.title"),
                hint=msg(f"panel.loop.{key}.hint"),
                values=shown.values(it.sim.numpy()),
                low=-1.0,
                high=1.0,
                named=True,
            )
            for key, it in (("S0", before), ("S", scene))
        ),
        *(
            Panel(
                key=key,
                kind="w",
                title=msg(f"panel.loop.{key}.title", name=name),
                hint=msg(f"panel.loop.{key}.hint"),
                values=shown.values(it.evaluation.gradient.numpy()),
                low=-end,
                high=end,
                decision=shown.decisions(decisions(it)),
                named=True,
            )
            for key, it in (("w0", before), ("w", scene))
        ),
    )


def _weights(scene: Scene, shown: Window) -> np.ndarray:
    """All weights, or the means of those of a large batch, so that blocks compare."""
    gradient = scene.evaluation.gradient.numpy()
    return shown.values(gradient) if shown.means else gradient
