"""Rows as a CSV text, with every digit that they bring."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable


def csv_text(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table as text, its names first.

    Example:
        >>> csv_text(("S", "name"), [(0.5, "a, b")])
        'S,name\\n0.5,"a, b"\\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
