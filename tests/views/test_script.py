"""The scripts that are taken away: at most 30 lines, and every one runs and finds the numbers of the page."""

import csv
import io
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import msviz
from msviz.core.losses import LOSSES
from msviz.core.methods import METHODS, Method
from msviz.core.npair import Pairing
from msviz.core.scheme import Scheme
from msviz.data import PRESETS, Batch
from msviz.data.datasets import digits_batch
from msviz.state import State, default_state
from msviz.views.scene import Scene, scene
from msviz.views.script import MOST_LINES, numbers_npz, pairs_csv, script

ROOT = Path(msviz.__file__).parents[1]
# One process runs all scripts of a test, each in a namespace of its own: torch takes a second to load.
RUN_ALL = """
import sys
for text in sys.stdin.read().split("\\0"):
    try:
        exec(text, {"__name__": "__main__"})
    except BaseException as fault:
        print("FAILED", repr(fault), text, sep="\\n", file=sys.stderr)
        sys.exit(1)
"""


def _script(state: State) -> str:
    text = script(scene(state)).text
    assert text is not None
    assert len(text.splitlines()) <= MOST_LINES
    return text


def _run(texts: Sequence[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "ignore", "-c", RUN_ALL]
    return subprocess.run(command, input="\0".join(texts), env=environment, capture_output=True, text=True, timeout=120)


def _sphere() -> Batch:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 3))
    return Batch.of(points / np.linalg.norm(points, axis=1, keepdims=True), [k % 4 for k in range(20)])


def _edited() -> State:
    """Ids with gaps, so that rows and ids differ."""
    batch = PRESETS["overlapping"].make().removed(2).moved(5, [0.3, 0.9]).added((-0.6, 0.8), 1)
    return State(batch, METHODS["paper"]).select(14, 3)


def test_the_script_of_every_loss_reproduces_its_numbers() -> None:
    states = [default_state().with_method(Method(name, epsilon=it)) for name in LOSSES for it in (None, 0.1)]
    ran = _run([_script(state.select(4, 6)) for state in states])
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.splitlines()) >= len(states)


def test_scripts_of_all_kinds_of_batches_reproduce_their_numbers() -> None:
    authors = METHODS["authors"]
    states = [
        *(State(preset.make(), authors) for slug, preset in PRESETS.items() if slug != "empty"),
        State(_sphere(), authors).select(0, 4),
        State(digits_batch([3, 8, 9], 8, seed=0), authors),
        State(digits_batch([3, 8, 9], 8, seed=0, space="pixels"), authors),
        State(digits_batch(range(10), 6, seed=1, space="pixels"), Method("supcon")),
        State(Batch.of([[1, 0], [0, 0], [0, 1]], [0, 0, 1]), authors),  # a point without a direction
        _edited(),
    ]
    ran = _run([_script(state) for state in states])
    assert ran.returncode == 0, ran.stderr


def test_where_norms_count_the_script_says_so_and_passes() -> None:
    batch = Batch.of([[1, 0], [0.5, 0.1], [0, 1.5], [-0.2, 0.2]], [0, 0, 1, 1])
    state = State(batch, METHODS["authors"], normalize=False)
    text = _script(state)
    assert "normalize=False" in text
    ran = _run([text])
    assert ran.returncode == 0, ran.stderr


def _seen_by_labs() -> list[Scene]:
    """The default batch as the labs see it, under every scheme that they have."""
    state = default_state()
    flat = state.with_normalize(False)
    schemes = [
        Scheme(loop=True),
        *(Scheme(kind) for kind in Pairing if kind != Pairing.ALL),
        Scheme("npair", classes=2),
    ]
    seen = [(state.with_method(method), it) for it in schemes for method in (METHODS["authors"], Method("npair_ovo"))]
    return [scene(*it) for it in [*seen, (flat.with_method(Method("npair")), Scheme("npair", penalty=0.05))]]


def test_the_scripts_of_the_labs_compare_as_the_labs_do() -> None:
    scenes = _seen_by_labs()
    texts = [script(now).text or "" for now in scenes]
    assert all(repr(now.scheme) in text for now, text in zip(scenes, texts, strict=True))
    ran = _run(texts)
    assert ran.returncode == 0, ran.stderr


def test_where_no_tuplets_can_be_built_there_is_no_script() -> None:
    alone = State(PRESETS["singleton"].make(), Method("npair"))
    made = script(scene(alone, Scheme("npair")))
    assert made.text is None
    assert made.why_not is not None
    assert made.why_not.key == "menu.take.tuplets"


def test_of_tuplets_the_table_holds_the_pairs_that_meet() -> None:
    now = scene(default_state().with_method(Method("npair")), Scheme("npair"))
    rows = list(csv.DictReader(io.StringIO(pairs_csv(now))))
    assert [row["kind"] for row in rows].count("positive") == 3  # one a class
    assert [row["kind"] for row in rows].count("negative") == 3 * 2


@pytest.mark.parametrize("number", ["found.value.item() - ", "weight - "])
def test_a_script_with_another_number_fails(number: str) -> None:
    text = _script(default_state().select(4, 6))
    assert number in text
    assert _run([text.replace(number, f"{number}0.001 - ")]).returncode == 1


def test_a_point_on_another_place_is_noticed() -> None:
    text = _script(default_state().select(4, 6))
    first = str(round(default_state().batch.board[4, 0] * 2**14))
    assert first in text
    assert _run([text.replace(first, str(int(first) + 40))]).returncode == 1


def test_the_script_names_the_selected_pair_or_the_heaviest() -> None:
    assert "# pair 4→6" in _script(default_state().select(4, 6))
    assert "# pair " in _script(default_state())
    assert "ids.index(14), ids.index(3)" in _script(_edited())


def test_where_nothing_weighs_anything_the_script_asserts_that() -> None:
    text = _script(State(PRESETS["one_point"].make(), METHODS["authors"]))
    assert text.splitlines()[-1] == "assert not found.weights.any()"


def test_an_empty_board_has_no_script_and_a_large_batch_neither() -> None:
    empty = script(scene(State(PRESETS["empty"].make(), METHODS["authors"])))
    large = script(scene(State(digits_batch(range(10), 51, seed=0, space="pixels"), METHODS["authors"])))
    assert (empty.text, large.text) == (None, None)
    assert empty.why_not is not None
    assert large.why_not is not None
    assert (empty.why_not.key, large.why_not.key) == ("menu.take.empty", "menu.take.large")


def test_sixty_four_points_fit() -> None:
    assert "steps = [" in _script(State(PRESETS["sixty_four"].make(), METHODS["authors"]))


def test_the_table_of_pairs_holds_every_number_to_the_last_digit() -> None:
    now = scene(_edited())
    rows = list(csv.DictReader(io.StringIO(pairs_csv(now))))
    assert len(rows) == now.m * (now.m - 1)
    for row in rows[:: now.m]:
        i, j = (now.state.batch.index(int(row[end])) for end in ("anchor", "other"))
        assert float(row["S"]) == float(now.sim[i, j])
        assert float(row["signed_weight"]) == float(now.evaluation.gradient[i, j])
        assert row["kept"] == str(int(now.kept[i, j]))
        assert row["kind"] == ("positive" if now.pairs.pos[i, j] else "negative")


def test_the_file_of_numbers_holds_the_batch_and_its_matrices() -> None:
    now = scene(_edited())
    file = np.load(io.BytesIO(numbers_npz(now)))
    np.testing.assert_array_equal(file["x"], now.state.batch.x)
    np.testing.assert_array_equal(file["sim"], now.sim.numpy())
    np.testing.assert_array_equal(file["signed_weights"], now.evaluation.gradient.numpy())
    assert file["ids"].tolist() == list(now.state.batch.ids)
    assert math.isclose(float(file["loss"]), float(now.evaluation.value))
    assert str(file["method"]) == repr(METHODS["paper"])
