"""What a batch is called, and what there is to see in it, as messages."""

from __future__ import annotations

from msviz.data.batch import Batch
from msviz.data.presets import PRESETS
from msviz.text import Message, msg


def batch_title(batch: Batch) -> Message:
    """The name of where a batch came from: a preset's title, how it was drawn, a link, or "your points".

    Whether it was changed since is `batch.source.edited`. A link may claim anything, so nothing here trusts it.

    Example:
        >>> batch_title(PRESETS["empty"].make()).key
        'preset.empty.title'
    """
    source = batch.source
    if source.kind == "preset" and source.name in PRESETS:
        return msg(PRESETS[source.name].title_key)
    if source.kind == "digits":
        classes, per_class, seed = (source.note.get(name) for name in ("classes", "per_class", "seed"))
        if isinstance(classes, list) and isinstance(per_class, int) and isinstance(seed, int):
            return msg("source.digits", classes=", ".join(map(str, classes)), per_class=per_class, seed=seed)
    if source.name == "tuplets" and isinstance(source.note.get("seed"), int):
        return msg("source.tuplets", seed=source.note["seed"])
    if source.name == "loop":
        return msg("source.loop")
    if source.kind == "training" and isinstance(source.note.get("step"), int):
        return msg("source.training", step=source.note["step"])
    return msg("source.hand" if source.kind == "hand" else "source.link")


def batch_about(batch: Batch) -> Message | None:
    """What there is to see and to do in a batch: a preset's text, how digits came to the board; None otherwise.

    Example:
        >>> batch_about(PRESETS["singleton"].make()).key
        'preset.singleton.text'
    """
    source = batch.source
    if source.kind == "preset" and source.name in PRESETS:
        return msg(PRESETS[source.name].text_key)
    method, space = source.note.get("method"), source.note.get("space")
    if source.kind == "digits" and method in ("pca", "lda") and space in ("circle", "sphere", "pixels"):
        return msg(f"source.digits.{method}.{space}")
    return None
