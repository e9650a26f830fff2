"""What the pictures of the Weights page show, in sentences and as tables."""

from __future__ import annotations

from msviz.text import Message, msg
from msviz.views.csv_text import csv_text
from msviz.views.method_name import method_name
from msviz.views.weights_curves import CurvesView
from msviz.views.weights_sweeps import SweepsView


def curve_words(view: CurvesView) -> tuple[Message, ...]:
    """What happens along the active method's curve: where mining lets go or takes in, and signs that GPW excludes.

    Args:
        view: the curves of the selected pair.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> from msviz.views.weights_curves import curves_view
        >>> [line.key for line in curve_words(curves_view(scene(default_state().select(4, 6))))]
        ['page.weights.curve.mined.negative']
    """
    active = view.curves[0]
    lines = []
    dropped = active.dropped()
    if active.method.epsilon is None:
        lines.append(msg("page.weights.curve.unmined"))
    elif not active.kept.any():
        lines.append(msg("page.weights.curve.never"))
    elif not dropped:
        lines.append(msg("page.weights.curve.always"))
    elif view.positive:
        lines.append(msg("page.weights.curve.mined.positive", at=dropped[-1][0]))
    else:
        lines.append(msg("page.weights.curve.mined.negative", at=dropped[0][1]))
    against = [method_name(curve.method) for curve in view.curves if bool((curve.weight < 0).any())]
    if against:
        lines.append(msg("page.weights.curve.against", methods=", ".join(against)))
    return tuple(lines)


def curves_csv(view: CurvesView) -> str:
    """The curves as a table: a row for every method and similarity, all digits.

    Args:
        view: the curves of the selected pair.
    """
    rows = (
        (view.anchor, view.other, method_name(curve.method), repr(s), repr(w), int(kept))
        for curve in view.curves
        for s, w, kept in zip(curve.s.tolist(), curve.weight.tolist(), curve.kept.tolist(), strict=True)
    )
    return csv_text(("anchor", "other", "method", "S", "weight", "kept"), rows)


def sweeps_csv(view: SweepsView) -> str:
    """The strips as a table: a row for every parameter, value and pair, all digits; pull below 0, push above.

    Args:
        view: the strips of the selected anchor.
    """
    rows = (
        (strip.name, repr(value), view.anchor, other, repr(s), repr(float(gradient)), int(kept))
        for strip in view.strips
        for at, value in enumerate(strip.values.tolist())
        for other, s, gradient, kept in zip(view.others, view.s, strip.gradient[:, at], strip.kept[:, at], strict=True)
    )
    return csv_text(("parameter", "value", "anchor", "other", "S", "signed_weight", "kept"), rows)
