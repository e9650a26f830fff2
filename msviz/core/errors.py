"""Errors that a person can act on: a plain English sentence for the console, a key and values for a translated page."""

from numbers import Real
from typing import Any


class MsvizError(ValueError):
    """Something msviz was given cannot be used; the sentence says what was expected, what came and what to do.

    Args:
        key: the entry of the text catalogue that words this error, such as "error.parameter_range".
        plain: the English sentence, a `str.format` template over `values`.
        values: the numbers and names in the sentence.

    >>> error = MsvizError("error.epsilon", "epsilon must be >= 0, got {got}", got=-1)
    >>> str(error), error.key, error.values
    ('epsilon must be >= 0, got -1', 'error.epsilon', {'got': -1})
    """

    key: str
    values: dict[str, Any]

    def __init__(self, key: str, plain: str, **values: Any) -> None:
        super().__init__(plain.format(**values))
        self.key = key
        self.values = values

    def __reduce__(self) -> tuple[Any, ...]:
        # ValueError would pickle the sentence alone and lose key and values on the way to another process.
        return (_rebuild, (type(self), str(self), self.key, self.values))


class MsvizTypeError(MsvizError, TypeError):
    """An MsvizError about the *kind* of a value (text among numbers): also caught by `except TypeError`."""


class ZeroRowWarning(UserWarning):
    """Some embeddings are zero vectors: they have no direction, similarity 0 to everything and no gradient."""


def shown(got: object) -> Any:
    """What came, as an error's value: a number as itself, anything else as Python writes it ('40' keeps its quotes)."""
    return got if isinstance(got, Real) else repr(got)


def out_of_range(name: str, bounds: str, got: object, letter: str | None = None) -> MsvizError:
    """The error for an argument outside of its range.

    Args:
        name: the argument.
        bounds: its range in words.
        got: what came.
        letter: how pages call it; None = by its name.

    >>> str(out_of_range("steps", "a whole number >= 2", 1))
    'steps must be a whole number >= 2, got 1'
    """
    plain = "{name} must be {bounds}, got {got}"
    return MsvizError("error.parameter_range", plain, name=name, letter=letter or name, bounds=bounds, got=shown(got))


def wrong_shape(name: str, expected: str, got: str) -> MsvizError:
    """The error for tensors whose sizes do not fit.

    Args:
        name: the argument.
        expected: its shape in words.
        got: what came, such as "shape [3, 2]".

    >>> str(wrong_shape("sim", "a square matrix", "shape [3, 2]"))
    'sim must be a square matrix, got shape [3, 2]'
    """
    return MsvizError("error.shape", "{name} must be {expected}, got {got}", name=name, expected=expected, got=got)


def _rebuild(cls: type[MsvizError], text: str, key: str, values: dict[str, Any]) -> MsvizError:
    error = cls(key, "{text}", text=text)
    error.values = values
    return error
