"""What became of a pair, as a number that Python and the browser share."""

from __future__ import annotations

from enum import IntEnum


class Decision(IntEnum):
    """What became of a pair; the browser's matrix.js has the same numbers."""

    SELF = 0
    POSITIVE_KEPT = 1
    POSITIVE_DROPPED = 2
    NEGATIVE_KEPT = 3
    NEGATIVE_DROPPED = 4
