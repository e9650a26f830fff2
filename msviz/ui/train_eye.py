"""How a run is looked at: the same axes and scales for all its steps, so that pictures compare."""

from __future__ import annotations

from dataclasses import replace
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from jaxtyping import Float64

from msviz.core.methods import Method
from msviz.core.npair import Pairing
from msviz.core.scheme import Scheme
from msviz.ui.recording import Frame, step_of
from msviz.ui.runs import Run
from msviz.ui.train_scales import RunScales
from msviz.views.board import Scales
from msviz.views.scene import Scene, scene
from msviz.views.training import EXACT, Axes, snapshot_state


class Eye:
    """What is remembered of a run to draw its steps alike; not the run itself, which is free to go.

    Args:
        run: whose.
        sides: one, or the two of a duel.
    """

    def __init__(self, run: Run, sides: int) -> None:
        self.era = run.era
        self._axes = [Axes(run.recording.grid) for _ in range(sides)]
        self._scales: dict[tuple[str, int], RunScales] = {}

    @classmethod
    def of(cls, run: Run, frame: Frame) -> Eye:
        """A run's own, from its first picture until it is rewound.

        Args:
            run: whose.
            frame: any of its frames.
        """
        eye = _EYES.get(run)
        if eye is None or eye.era != run.era:
            eye = _EYES[run] = cls(run, len(frame))
        return eye

    def axes(self, run: Run, frame: Frame, side: int) -> Float64[np.ndarray, "d 2"] | None:
        """The axes of a step's board; None where it is drawn as it is.

        Args:
            run: whose.
            frame: the step.
            side: 0, or 1 for the second method of a duel.
        """
        if frame[side].x.shape[1] <= EXACT:
            return None

        def points(step: int) -> np.ndarray:
            shot = (run.recording.probed(step) or frame)[side]
            return shot.x if shot.probe_x is None else shot.probe_x

        return self._axes[side].at(step_of(frame), points)

    def scales(self, run: Run, part: str, side: int, now: Scene) -> Scales:
        """What a step's weights and arrows are drawn to.

        Args:
            run: whose.
            part: "probe" or "batch".
            side: 0, or 1 for the second method of a duel.
            now: the step.
        """

        recording, engine = run.recording, run.engine
        assert engine is not None

        def look(step: int) -> Scene:
            found = (recording.probed if part == "probe" else recording.at)(step)
            if found is None:
                return now
            shot = found[side]
            if part == "probe" and shot.probe_x is not None:
                labels = engine.data.labels[engine.probe]
                return _evaluated(shot.probe_x, labels, shot.method, among_all(shot.scheme))
            return _evaluated(shot.x, shot.labels, shot.method, shot.scheme)

        scales = self._scales.setdefault((part, side), RunScales(engine.total))
        return scales.at(now, len(recording.losses), look)


def among_all(scheme: Scheme) -> Scheme:
    """A run's scheme for its probe: that is no batch which was drawn for tuplets, so everybody meets everybody.

    Args:
        scheme: of the run.

    Example:
        >>> among_all(Scheme(pairing=Pairing.NPAIR, normalize=False)).pairing.value
        'all'
    """
    return replace(scheme, pairing=Pairing.ALL)


def _evaluated(x: np.ndarray, labels: np.ndarray, method: Method, scheme: Scheme) -> Scene:
    return scene(snapshot_state(x, labels, method, np.zeros((len(x), 2))), scheme)


_EYES: Final[WeakKeyDictionary[Run, Eye]] = WeakKeyDictionary()
