"""What a method is called where several stand together: its loss, its parameters in the paper's letters, its mining."""

from __future__ import annotations

from functools import lru_cache

from msviz.core.losses import LOSSES
from msviz.core.losses.spec import param_infos
from msviz.core.methods import Method
from msviz.text import number, say


def method_name(method: Method) -> str:
    """The name of a method, one line.

    Example:
        >>> method_name(Method("triplet", epsilon=0.1))
        'Triplet (λ 0.1, ε 0.1)'
    """
    letters = method_letters(method)
    return f"{loss_title(method.name)} ({letters})" if letters else loss_title(method.name)


@lru_cache(maxsize=256)  # many times in every frame of a drag
def method_letters(method: Method) -> str:
    """A method's parameters and its mining margin in the paper's letters; nothing where it has neither.

    Example:
        >>> method_letters(Method("triplet", epsilon=0.1)), method_letters(Method("linear"))
        ('λ 0.1, ε 0.1', '')
    """
    letters = [
        f"{info.letter} {number(getattr(method.params, info.name), None)}" for info in param_infos(method.params)
    ]
    if method.epsilon is not None:
        letters.append(f"ε {number(method.epsilon, None)}")
    return ", ".join(letters)


def loss_title(name: str) -> str:
    """A loss's name for a reader; the one in its file when the catalogue has none.

    Example:
        >>> loss_title("triplet") == LOSSES["triplet"].title
        True
    """
    return say(f"loss.{name}.title", default=LOSSES[name].title)
