"""A short torch script that rebuilds the batch, asks the core, and asserts the numbers that the page shows."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from msviz.data import GRID
from msviz.data.datasets import digit_pixels
from msviz.text import Message, msg, number
from msviz.views.csv_text import csv_text
from msviz.views.readouts import readouts
from msviz.views.scene import Scene

MOST_LINES: Final = 30
LARGEST_TABLE: Final = 512  # points: a larger batch has millions of pairs
WIDTH: Final = 110  # characters a line of numbers


@dataclass(frozen=True)
class Script:
    """What can be taken away as code.

    Args:
        text: the script; None where there is none.
        why_not: the reason then.
    """

    text: str | None
    why_not: Message | None = None


def script(scene: Scene) -> Script:
    """The script of a scene: at most 30 lines, exact positions, and an assertion for each number that is shown.

    The numbers are the batch's loss and the weight of the selected pair, or of the heaviest pair when none is selected.

    Args:
        scene: the evaluated state.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> made = script(scene(default_state().select(4, 6)))
        >>> made.text.splitlines()[-3]
        'assert abs(found.value.item() - 1.0857...) <= 1e-09, found.value'
    """
    if scene.m == 0:
        return Script(None, msg("menu.take.empty"))
    if scene.refused is not None:
        return Script(None, msg("menu.take.tuplets"))
    batch, method = scene.state.batch, scene.state.method
    lines = [
        f"# {number(scene.m)} points under {method.name}; run it in the folder of msviz (README: how to install).",
        "import torch",
        *_imports(scene),
        "",
        "import msviz",
        "",
        *_embeddings(scene),
        *_list("labels", batch.labels),
        *([] if batch.ids == tuple(range(scene.m)) else _list("ids", batch.ids)),
        f"method = msviz.{method!r}",
        *_evaluated(scene),
        "print(found.value.item(), found.weights)",
        *_assertions(scene),
    ]
    if len(lines) > MOST_LINES:
        return Script(None, msg("menu.take.large", m=scene.m, lines=MOST_LINES))
    return Script("\n".join(lines) + "\n")


def _imports(scene: Scene) -> list[str]:
    return ["from sklearn.datasets import load_digits"] if _pixels(scene) else []


def _pixels(scene: Scene) -> bool:
    """Whether the embeddings are the pixels of scikit-learn's digits: then their places in it say everything."""
    batch = scene.state.batch
    if batch.editable or batch.digits is None or min(batch.digits, default=-1) < 0:
        return False
    return np.array_equal(batch.x, digit_pixels(batch.digits))


def _embeddings(scene: Scene) -> list[str]:
    batch = scene.state.batch
    if batch.editable:  # whole steps of the board's grid: no digit is lost
        steps = np.rint(batch.x / GRID).astype(int).tolist()
        return [*_list("steps", steps), "x = torch.tensor(steps, dtype=torch.float64) * 2.0**-14  # the board's grid"]
    if _pixels(scene):
        assert batch.digits is not None
        return [*_list("images", batch.digits), "x = torch.tensor(load_digits().data[images])"]
    return [*_list("rows", batch.x.tolist()), "x = torch.tensor(rows, dtype=torch.float64)"]


def _list(name: str, values: Sequence[object]) -> list[str]:
    """`name = [...]`, broken into lines; blocks of equal values as `[0] * 16 + [1] * 16` where that is shorter."""
    text = repr(list(values))
    blocks = " + ".join(f"[{value!r}] * {len(list(run))}" for value, run in groupby(values))
    shortest = blocks if len(blocks) < min(len(text), WIDTH) else text  # a sum would need parentheses to be broken
    line = f"{name} = {shortest}"
    return textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _evaluated(scene: Scene) -> list[str]:
    if scene.rows is not None:
        return [f"found = msviz.evaluate_scheme(x, labels, method, msviz.{scene.scheme!r})"]
    normalize = "" if scene.scheme.normalize else ", normalize=False"
    return [
        f"sim = msviz.similarity(x{normalize})",
        "found = msviz.evaluate(sim, msviz.label_pairs(labels), method)",
    ]


def _assertions(scene: Scene) -> list[str]:
    ids, selection = scene.state.batch.ids, scene.state.display.selection
    value = float(scene.evaluation.value)
    lines = [f"assert abs(found.value.item() - {value!r}) <= {_tolerance(value)}, found.value"]
    pair = (selection.anchor, selection.other) if selection and selection.other is not None else None
    pair = pair or readouts(scene).heaviest
    if pair is None:
        return [*lines, "assert not found.weights.any()"]
    i, j = (ids.index(id) for id in pair)
    weight = float(scene.weights[i, j])
    named = ids == tuple(range(scene.m))
    where = f"{i}, {j}" if named else f"ids.index({pair[0]}), ids.index({pair[1]})"
    return [
        *lines,
        f"weight = found.weights[{where}].item()  # pair {pair[0]}→{pair[1]}",
        f"assert abs(weight - {weight!r}) <= {_tolerance(weight)}, weight",
    ]


def _tolerance(value: float) -> str:
    """A billionth of the value, and a billionth for small ones: machines add in different orders."""
    return repr(float(f"{1e-9 * max(1.0, abs(value)):.0e}"))


def pairs_csv(scene: Scene) -> str:
    """Every pair that meets as a row: ids, classes, kind, S, signed weight (pull below 0, push above), if it counts.

    Args:
        scene: the evaluated state.
    """
    head = ("anchor", "other", "anchor_class", "other_class", "kind", "S", "signed_weight", "kept")
    return csv_text(head, _pair_rows(scene))


def _pair_rows(scene: Scene) -> Iterator[tuple[object, ...]]:
    batch = scene.state.batch
    names = [batch.class_name(label) for label in batch.labels]
    positive, negative, kept = scene.pairs.pos.tolist(), scene.pairs.neg.tolist(), scene.kept.tolist()
    sim, gradient = scene.sim.tolist(), scene.evaluation.gradient.tolist()
    for i, anchor in enumerate(batch.ids):
        for j, other in enumerate(batch.ids):
            if positive[i][j] or negative[i][j]:
                kind = "positive" if positive[i][j] else "negative"
                yield anchor, other, names[i], names[j], kind, repr(sim[i][j]), repr(gradient[i][j]), int(kept[i][j])


def numbers_npz(scene: Scene) -> bytes:
    """The batch and its matrices as one file for `numpy.load`; of more than 512 points without matrices.

    Args:
        scene: the evaluated state.

    Example:
        >>> from msviz.state import default_state
        >>> from msviz.views.scene import scene
        >>> sorted(np.load(io.BytesIO(numbers_npz(scene(default_state())))))
        ['ids', 'kept', 'labels', 'loss', 'method', 'positive', 'signed_weights', 'sim', 'x']
    """
    batch = scene.state.batch
    found: dict[str, ArrayLike] = {
        "x": batch.x,
        "labels": batch.labels,
        "ids": batch.ids,
        "loss": float(scene.evaluation.value) if scene.m else 0.0,
        "method": repr(scene.state.method),
    }
    if scene.m <= LARGEST_TABLE:
        found["sim"], found["signed_weights"] = scene.sim.numpy(), scene.evaluation.gradient.numpy()
        found["positive"], found["kept"] = scene.pairs.pos.numpy(), scene.kept.numpy()
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **found)
    return file.getvalue()
