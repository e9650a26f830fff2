"""What a visitor's gestures do to the state: events from our components in, a new desk out. No Streamlit here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from msviz.core.errors import MsvizError
from msviz.core.losses import LOSSES
from msviz.core.losses.spec import param_infos
from msviz.core.methods import METHODS, Method
from msviz.data.presets import PRESETS
from msviz.state import Display, History, State, decode, default_state
from msviz.ui.looks import LOOKS
from msviz.views.npair_batch import with_tuplet_batch
from msviz.views.remedy import remedies

DEFAULT_EPSILON: Final = 0.1


@dataclass(frozen=True)
class Desk:
    """One visitor's work: the history, whether a gesture is under way, and what was refused.

    Args:
        history: all states.
        open: a drag or a slider movement is under way: scales stay still until it ends.
        applied: component -> the last event number that was applied (see assets/flow.js).
        errors: what was refused last, all of it when it was a link; a gesture that works clears it.
    """

    history: History = field(default_factory=lambda: History(default_state()))
    open: bool = False
    applied: Mapping[str, int] = field(default_factory=dict)
    errors: tuple[MsvizError, ...] = ()

    @classmethod
    def begin(cls, query: Mapping[str, str]) -> Desk:
        """The desk that a link opens; a preset without a pair in the link gets the one that its text speaks of."""
        state, errors = decode(query)
        preset = PRESETS.get(state.batch.source.name)
        if "pair" not in query and preset is not None and state.batch == preset.make():
            state = state.select(*(preset.pair or (None,)))
        return cls(History(state), errors=errors)

    @property
    def state(self) -> State:
        """The state now."""
        return self.history.present

    def load(self, state: State) -> Desk:
        """Another state as one step of the history, such as a preset's batch."""
        return replace(self, history=self.history.push(state), open=False, errors=())

    def refuse(self, *errors: MsvizError) -> Desk:
        """The same desk with an explanation why nothing happened."""
        return replace(self, errors=errors, open=False)

    def apply(self, component: str, events: Iterable[Mapping[str, Any]]) -> Desk:
        """Apply a parcel of events; those with a number that was applied before are skipped.

        Args:
            component: whose events they are; each component counts its own.
            events: each has `seq`, `kind`, `gesture` (None or a name) and what the kind needs.

        Returns:
            The desk afterwards. An event that is refused leaves the state as it was and says why in `errors`; a parcel
            whose events cannot be put in order is refused as a whole.
        """
        desk = self
        try:
            numbered = sorted(((int(event["seq"]), event) for event in events), key=lambda pair: pair[0])
        except _UNREADABLE:
            return self.refuse(_unreadable("seq"))
        for seq, event in numbered:
            if seq > desk.applied.get(component, 0):
                desk = replace(desk._one(event), applied={**desk.applied, component: seq})
        return desk

    def _one(self, event: Mapping[str, Any]) -> Desk:
        kind = str(event.get("kind"))
        if kind == "drop":
            return replace(self, open=False)
        if kind in ("undo", "redo"):
            step = self.history.undo() if kind == "undo" else self.history.redo()
            return replace(self, history=step, open=False, errors=())
        try:
            state = _GESTURES[kind](self.state, event)
        except MsvizError as error:
            return self.refuse(error)
        except _UNREADABLE:
            return self.refuse(_unreadable(kind))
        if kind in LOOKS:  # neither a step nor a gesture
            return replace(self, history=self.history.show(state.display))
        gesture = event.get("gesture")
        return replace(self, history=self.history.push(state, gesture), open=gesture is not None, errors=())


_UNREADABLE: Final = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


def _unreadable(got: str) -> MsvizError:
    plain = "The page sent something that could not be read ({got}). Nothing was changed: please try again."
    return MsvizError("error.event", plain, got=got[:40])


def _move(state: State, event: Mapping[str, Any]) -> State:
    return state.with_batch(state.batch.moved(int(event["target"]), _place(state, event), state.normalize))


def _add(state: State, event: Mapping[str, Any]) -> State:
    return state.with_batch(state.batch.added(_place(state, event), int(event["label"]), state.normalize))


def _place(state: State, event: Mapping[str, Any]) -> tuple[float, ...]:
    """x and y, on a sphere z too."""
    return tuple(float(event[axis]) for axis in "xyz"[: state.batch.board.shape[1]])


def _remove(state: State, event: Mapping[str, Any]) -> State:
    return state.with_batch(state.batch.removed(int(event["target"])))


def _label(state: State, event: Mapping[str, Any]) -> State:
    return state.with_batch(state.batch.relabelled(int(event["target"]), int(event["label"])))


def _flat(state: State, event: Mapping[str, Any]) -> State:
    """Norms count, or all points come back to the circle."""
    return state.with_normalize(not event["on"])


def _compare(state: State, event: Mapping[str, Any]) -> State:
    """One more method: a named one, or the active method as it stands."""
    slug = event["slug"]
    return state.with_others((*state.others, state.method if slug is None else _named(str(slug))))


def _named(name: str) -> Method:
    return METHODS[name] if name in METHODS else Method(name)


def _uncompare(state: State, event: Mapping[str, Any]) -> State:
    at = int(event["target"])
    one, two = (number - (number > at + 2) for number in state.display.versus)
    versus = Display().versus if at + 2 in state.display.versus else (one, two)
    return state.with_display(state.display.replace(versus=versus)).with_others(_without(state.others, at))


def _activate(state: State, event: Mapping[str, Any]) -> State:
    """Another of the compared methods becomes the active one; the two change places."""
    at = int(event["target"])
    if at < 0:
        raise ValueError
    new = state.others[at]
    swapped = {1: at + 2, at + 2: 1}
    one, two = (swapped.get(number, number) for number in state.display.versus)
    state = state.with_display(state.display.replace(versus=(one, two)))
    return state.with_others((*state.others[:at], state.method, *state.others[at + 1 :])).with_method(new)


def _without(methods: tuple[Method, ...], at: int) -> tuple[Method, ...]:
    if not 0 <= at < len(methods):
        raise ValueError
    return methods[:at] + methods[at + 1 :]


def _loss(state: State, event: Mapping[str, Any]) -> State:
    return state.with_method(with_loss(state.method, str(event["name"])))


def _preset(state: State, event: Mapping[str, Any]) -> State:
    return state.with_method(METHODS[str(event["slug"])])


def _param(state: State, event: Mapping[str, Any]) -> State:
    name, value = str(event["target"]), event["value"]
    if value is None:
        letters = {"epsilon": "ε", **{info.name: info.letter for info in param_infos(state.method.params)}}
        plain = "{name} needs a number. It stays as it was."
        raise MsvizError("error.not_a_number", plain, name=letters.get(name, name))
    return state.with_method(state.method.replace(**{name: value}))


def _mine(state: State, event: Mapping[str, Any]) -> State:
    return state.with_method(state.method.replace(epsilon=DEFAULT_EPSILON if event["on"] else None))


def _remedy(state: State, event: Mapping[str, Any]) -> State:
    """What the button beside the reason offers: worked out anew, as the batch may have changed since."""
    offered, at = remedies(state), int(event["target"])
    if at < 0:
        raise ValueError
    return offered[at].state if at < len(offered) else state


def _tuplet_points(state: State, event: Mapping[str, Any]) -> State:
    """Points of the N-pair lab: enough of so many classes for every kind of tuplets."""
    return with_tuplet_batch(state, int(event["classes"]))


_GESTURES: Final[Mapping[str, Callable[[State, Mapping[str, Any]], State]]] = {
    **LOOKS,
    "move": _move,
    "add": _add,
    "remove": _remove,
    "label": _label,
    "flat": _flat,
    "compare": _compare,
    "uncompare": _uncompare,
    "activate": _activate,
    "loss": _loss,
    "preset": _preset,
    "param": _param,
    "mine": _mine,
    "remedy": _remedy,
    "tuplet_points": _tuplet_points,
}


def with_loss(method: Method, name: str) -> Method:
    """A method with another loss: mining stays, and so does every parameter that means the same in both losses.

    Args:
        method: the method now.
        name: the other loss.

    Raises:
        MsvizError: error.loss_unknown.

    Example:
        >>> with_loss(Method("binomial", alpha=3.0, epsilon=0.1), "multi_similarity").params.alpha
        3.0
    """
    if name not in LOSSES:
        return Method(name)  # says which losses there are
    mine = {(info.name, info.low, info.high, info.default) for info in param_infos(method.params)}
    shared = {
        info.name: getattr(method.params, info.name)
        for info in param_infos(LOSSES[name].params)
        if (info.name, info.low, info.high, info.default) in mine
    }
    return Method(name, epsilon=method.epsilon, **shared)
