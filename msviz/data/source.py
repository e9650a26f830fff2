"""Where a batch came from: a plain record that travels with it, also in a link."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

Kind = Literal["preset", "digits", "training", "link", "hand"]
MAX_NAME = 80  # characters; a name may come from a link
MAX_NOTE = 2000  # characters of JSON


@dataclass(frozen=True)
class Source:
    """Where a batch came from.

    Args:
        kind: "preset", "digits", "training" (a step of a run), "link" (a link that did not say) or "hand" (built
            point by point).
        name: the preset's slug, or the data set's name; at most 80 characters.
        note: details as JSON values: how a sample was drawn; ``{"edited": True}`` once a point was changed.
            Tuples become lists and keys text, as JSON has it, so that a source survives a link unchanged.

    Raises:
        ValueError: unknown kind, name or note too long, or a note that is not JSON.

    Example:
        >>> Source("preset", "overlapping").changed().edited
        True
    """

    kind: Kind
    name: str
    note: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, got {self.kind!r}")
        if len(self.name) > MAX_NAME:
            raise ValueError(f"name must be at most {MAX_NAME} characters, got {len(self.name)}")
        try:
            text = json.dumps(self.note, allow_nan=False)  # nan != nan: such a note would never equal itself
            json.dumps([self.name, self.note], ensure_ascii=False).encode()  # half of a surrogate pair is no text
        except TypeError as error:
            raise ValueError(f"note must be JSON, got {error}") from error
        if len(text) > MAX_NOTE:
            raise ValueError(f"note must be at most {MAX_NOTE} characters of JSON, got {len(text)}")
        object.__setattr__(self, "note", dict(json.loads(text)))

    @property
    def edited(self) -> bool:
        """Whether a point was moved, added, removed or relabelled since the batch was made."""
        return self.note.get("edited") is True

    def changed(self) -> Source:
        """The same source, marked as edited."""
        return self if self.edited else replace(self, note={**self.note, "edited": True})
