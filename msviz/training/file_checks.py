"""What items from files must be: small enough for the memory, with pairs of both kinds."""

from __future__ import annotations

from collections.abc import Sequence

from msviz.core.errors import MsvizError


def check_classes(names: Sequence[str], counts: Sequence[int]) -> None:
    """Refuse data without pairs of both kinds: less than two classes, or a class with a single item.

    Args:
        names: the classes' names.
        counts: their numbers of items.

    Raises:
        MsvizError: error.one_class, error.single_item.
    """
    if len(names) < 2:
        plain = "training needs at least two classes, got only {name}; add items of another class"
        raise MsvizError("error.one_class", plain, name=", ".join(names) or "–")
    for name, count in zip(names, counts, strict=True):
        if count < 2:
            plain = "class {name} has a single item, so no positive pair; add another one, or remove the class"
            raise MsvizError("error.single_item", plain, name=name)


def check_size(name: str, got: int, most: int) -> None:
    """Refuse what needs too much memory.

    Args:
        name: what it is called.
        got: bytes that it needs.
        most: bytes that are allowed.

    Raises:
        MsvizError: error.data_too_large.
    """
    if got > most:
        raise MsvizError(
            "error.data_too_large",
            "{path} needs {got:.0f} MB in memory, at most {limit:.0f} MB are read; use fewer or smaller items",
            path=name,
            got=got / 2**20,
            limit=most / 2**20,
        )
