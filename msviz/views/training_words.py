"""A run in words and numbers: how long it takes, what was changed on the way, and the figures of a step."""

from __future__ import annotations

import math
from collections.abc import Iterable

from msviz.core.losses.spec import param_infos
from msviz.core.methods import Method
from msviz.text import Message, msg
from msviz.training.trainer import Change
from msviz.views.method_name import loss_title


def left_words(seconds: float | None) -> Message | None:
    """How long it will take, as people say it; None where nobody can tell.

    Args:
        seconds: that are left.

    Example:
        >>> left_words(42.3), left_words(150).values
        (Message(key='train.left.seconds', values={'count': 43}), {'count': 3})
    """
    if seconds is None or not math.isfinite(seconds):
        return None
    return (
        msg("train.left.seconds", count=math.ceil(seconds))
        if seconds < 100
        else msg("train.left.minutes", count=math.ceil(seconds / 60))
    )


def change_marks(changes: Iterable[Change], method: Method, near: int) -> list[tuple[int, Message]]:
    """What was changed during a run, each with its step: not before its first step, and a slider's way is one change.

    Args:
        changes: in order.
        method: the one of now, whose letters are used.
        near: changes of one name that lie at most so many steps apart are one.

    Example:
        >>> way = [Change(10, "beta", 40.0, 50.0), Change(11, "beta", 50.0, 60.0), Change(90, "epsilon", 0.1, None)]
        >>> [(step, mark.key) for step, mark in change_marks(way, Method("multi_similarity"), near=5)]
        [(10, 'train.change'), (90, 'train.change')]
    """
    merged: list[Change] = []
    for change in changes:
        before = next((it for it in reversed(merged) if it.name == change.name), None)
        if before is not None and change.step - before.step <= near:
            merged[merged.index(before)] = Change(before.step, change.name, before.old, change.new)
        else:
            merged.append(change)
    letters = {"epsilon": "ε", "learning_rate": "learning rate"} | {
        it.name: it.letter for it in param_infos(method.params)
    }
    return [(it.step, _mark(it, letters.get(it.name, it.name))) for it in merged if it.old != it.new and it.step]


def _mark(change: Change, letter: str) -> Message:
    if change.name == "loss":
        return msg("train.change.loss", new=loss_title(str(change.new)))
    old, new = ("–" if value is None else value for value in (change.old, change.new))
    return msg("train.change", letter=letter, old=old, new=new)
