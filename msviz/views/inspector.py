"""Why does this pair weigh that much? What mining compared, and the weight's equation with its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from msviz.core.losses.spec import Equation
from msviz.core.reasons import Reasons
from msviz.state import Selection
from msviz.text import Message, msg, number
from msviz.views.scene import Scene

LITTLE: Final = 0.01  # a term below one percent of its sum hardly counts


@dataclass(frozen=True)
class InspectorView:
    """The answer for the selected pair, anchor, or nothing.

    Args:
        title: the question, or what to do first.
        lines: the answer, a sentence each.
        equation: the weight's equation; None without a pair, or when mining dropped it.
        name: the left side of the equation in its tiny notation.
        legend: role -> what its terms stand for, in the equation's order.
    """

    title: Message
    lines: tuple[Message, ...]
    equation: Equation | None = None
    name: str = ""
    legend: tuple[tuple[str, Message], ...] = ()


def inspector_view(scene: Scene) -> InspectorView:
    """The inspector of a scene's selection.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> inspector_view(scene(default_state().select(4, 6))).title.key
        'inspector.pair'
    """
    selection = scene.state.display.selection
    if selection is None:
        return InspectorView(msg("inspector.nothing"), (msg("inspector.nothing.how"),))
    if selection.other is None:
        return _anchor(scene, selection.anchor)
    return _pair(scene, selection)


def _anchor(scene: Scene, anchor: int) -> InspectorView:
    row = scene.state.batch.index(anchor)
    mined, pairs = scene.evaluation.mined, scene.pairs
    counts = msg(
        "inspector.anchor.kept",
        positives=int(mined.pos[row].sum()),
        all_positives=int(pairs.pos[row].sum()),
        negatives=int(mined.neg[row].sum()),
        all_negatives=int(pairs.neg[row].sum()),
    )
    gradient, per_anchor = scene.evaluation.gradient[row], scene.evaluation.per_anchor
    pull, push = -float(gradient[pairs.pos[row]].sum()), float(gradient[pairs.neg[row]].sum())
    if per_anchor is None:  # a loss of the whole batch
        total = msg("inspector.anchor.total.batch", pull=pull, push=push)
    else:
        total = msg("inspector.anchor.total", pull=pull, push=push, loss=float(per_anchor[row]))
    name = scene.state.batch.class_name(scene.state.batch.labels[row])
    return InspectorView(
        msg("inspector.anchor", anchor=anchor, name=name), (counts, total, msg("inspector.anchor.how"))
    )


def _pair(scene: Scene, selection: Selection) -> InspectorView:
    batch, method = scene.state.batch, scene.state.method
    assert selection.other is not None
    i, j = batch.index(selection.anchor), batch.index(selection.other)
    positive = bool(scene.pairs.pos[i, j])
    kept = bool(scene.kept[i, j])
    ends = {"anchor": selection.anchor, "other": selection.other}
    against = bool(scene.evaluation.violations[i, j])
    side = "positive" if positive else "negative"
    kind = msg(
        f"inspector.{side}.against" if against else f"inspector.{side}",
        a=batch.class_name(batch.labels[i]),
        b=batch.class_name(batch.labels[j]),
        s=float(scene.sim[i, j]),
    )
    lines = [kind, mining_verdict(scene, i, j)]
    title = msg("inspector.pair", **ends, w=float(scene.weights[i, j]))
    if not kept:
        return InspectorView(title, (*lines, msg("inspector.dropped_weighs_nothing")))
    equation = method.loss.equation(scene.sim, scene.evaluation.mined, method.params, i, j)
    if against:
        lines.append(msg("inspector.violation"))
    return InspectorView(
        title=title,
        lines=tuple(lines),
        equation=equation,
        name=f"w^{{{'+' if positive else '−'}}}_{{ij}}",
        legend=_legend(equation),
    )


def _legend(equation: Equation) -> tuple[tuple[str, Message], ...]:
    terms = (*equation.factor, *equation.numerator, *equation.denominator)
    roles = dict.fromkeys(term.role for term in terms if term.role)
    below = sum(term.value for term in equation.denominator)

    def share(role: str) -> float | None:
        if len({term.role for term in equation.denominator}) < 2 or below == 0:
            return None
        return sum(term.value for term in equation.denominator if term.role == role) / below

    def words(role: str) -> Message:
        part = share(role)
        if part is None:
            return msg(f"inspector.role.{role}")
        key = "little" if part < LITTLE else "most" if part > 1 - LITTLE else "share"
        return msg(f"inspector.role.{role}.{key}", share=part)

    return tuple((role, words(role)) for role in roles)


def mining_verdict(scene: Scene, i: int, j: int, known: Reasons | None = None) -> Message:
    """What mining decided of the pair (i, j) of batch rows, with the two numbers it compared and the rival.

    Args:
        scene: the evaluated state.
        i, j: rows of the batch, the anchor's and the other's.
        known: the scene's reasons of i, for those who ask for many pairs of it.

    Numbers get as many digits as it takes to see which one is larger.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> mining_verdict(scene(default_state()), 4, 6).key
        'mining.negative.kept'
    """
    epsilon, batch = scene.state.method.epsilon, scene.state.batch
    if epsilon is None:
        return msg("mining.off")
    reason = (scene.reasons_of(i) if known is None else known).pair(0, j)
    if reason.rival_at is None or reason.rival is None or reason.limit is None:
        return msg("mining.no_negative" if reason.positive else "mining.no_positive", anchor=batch.ids[i])
    digits = digits_that_show(reason.compared, reason.limit)
    return msg(
        f"mining.{'positive' if reason.positive else 'negative'}.{'kept' if reason.kept else 'dropped'}",
        s=number(reason.compared, digits),
        rival=number(reason.rival, digits),
        epsilon=number(epsilon, None),
        limit=number(reason.limit, digits),
        anchor=batch.ids[i],
        at=batch.ids[reason.rival_at],
    )


def digits_that_show(one: float, two: float) -> int:
    """Two decimals, or as many as it takes to see that two numbers differ; two for equal ones.

    Example:
        >>> digits_that_show(0.5, 0.6), digits_that_show(0.5, 0.5004)
        (2, 4)
    """
    return next((digits for digits in range(2, 18) if number(one, digits) != number(two, digits)), 2)
