"""Links from anybody: each bad part gives its default and one clear sentence, and nothing is ever raised."""

import base64
import json
import struct
import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msviz.data import PRESETS, Batch, digits_batch
from msviz.state import decode, default_state, encode
from msviz.text import say_error

GOOD = encode(default_state().with_batch(PRESETS["overlapping"].make().removed(0)))["points"]


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(data)).rstrip(b"=").decode()


def _points(
    m: int = 2,
    *,
    version: int = 1,
    flags: int = 0,
    next_id: int = 9,
    ids: Sequence[int] | None = None,
    digits: Sequence[int] = (),
    source: object = ("hand", "", {}),
    end: bytes = b"",
) -> str:
    """A link's points, written here by hand from the description of the format."""
    steps = np.diff(range(m) if ids is None else ids, prepend=-1)
    data = struct.pack("<BBHI", version, flags, m, next_id) + steps.astype("<i4").tobytes() + bytes(m)
    data += np.asarray(digits, "<i2").tobytes() + np.full(2 * m, 1 << 13, "<i2").tobytes()
    return _text(data + json.dumps(source).encode() + end)


BAD_POINTS = {
    "nothing": ("", "error.link_points"),
    "no base64": ("<script>alert(1)</script>", "error.link_points"),
    "base64 of no zlib": (base64.urlsafe_b64encode(b"hello, world").decode(), "error.link_points"),
    "letters outside ascii": ("ééé", "error.link_points"),
    "cut off": (GOOD[:-12], "error.link_points"),
    "cut to one letter": (GOOD[:1], "error.link_points"),
    "something after it": (GOOD + "AAAA", "error.link_points"),
    "a zip bomb": (_text(bytes(50_000_000)), "error.link_points"),
    "too short": (_text(b"\x01"), "error.link_points"),
    "no points where some are announced": (_text(struct.pack("<BBHI", 1, 0, 5, 9)), "error.link_points"),
    "a later version": (_points(version=2), "error.link_version"),
    "names that are no texts": (_points(source=("hand", "", {}, [1])), "error.link_points"),
    "names that are no list": (_points(source=("hand", "", {}, 5)), "error.link_points"),
    "names of half letters": (_points(source=("hand", "", {}, ["\ud800"])), "error.link_points"),
    "names without an end": (_points(source=("hand", "", {}, ["a" * 81])), "error.link_points"),
    "more than names": (_points(source=("hand", "", {}, ["a"], ["b"])), "error.link_points"),
    "513 points": (_points(513, next_id=600), "error.link_too_many_points"),
    "65535 points announced": (_text(struct.pack("<BBHI", 1, 0, 65535, 9)), "error.link_too_many_points"),
    "unknown flags": (_points(flags=64), "error.link_points"),
    "pixels without images": (_points(flags=2), "error.link_points"),
    "pixels of a point without image": (_points(flags=3, digits=(5, -1)), "error.link_points"),
    "an image that does not exist": (_points(flags=1, digits=(5, 1797)), "error.link_points"),
    "pixels of an image that does not exist": (_points(flags=3, digits=(5, 1797)), "error.link_points"),
    "one id twice": (_points(ids=(3, 3)), "error.link_points"),
    "a negative id": (_points(ids=(-5, 3)), "error.link_points"),
    "an id above the next one": (_points(ids=(3, 9)), "error.link_points"),
    "a source of the wrong kind": (_points(source=("other", "", {})), "error.link_points"),
    "a source that is a number": (_points(source=5), "error.link_points"),
    "a source whose name is a list": (_points(source=("hand", [], {})), "error.link_points"),
    "a source with a long name": (_points(source=("hand", "x" * 81, {})), "error.link_points"),
    "a source with half a letter": (_points(source=("hand", "\ud800", {})), "error.link_points"),
    "a source with nan": (_points(source=("hand", "", {"x": float("nan")})), "error.link_points"),
    "a source nested very deeply": (_points(end=b"[" * 60_000), "error.link_points"),
    "a source that is no json": (_points(end=b"}"), "error.link_points"),
}


def test_the_points_of_this_file_are_good_before_they_are_spoilt() -> None:
    state, errors = decode({"points": _points()})
    assert not errors
    assert state.batch.board.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert decode({"points": _points(512, next_id=512)})[0].batch.m == 512
    pixels = decode({"points": _points(flags=3, digits=(5, 6))})[0].batch
    assert np.array_equal(pixels.x[0], digits_batch((5,), 182, 0, space="pixels").x[_row_of_image_5()])


def _row_of_image_5() -> int:
    return (digits_batch((5,), 182, 0).digits or ()).index(5)


@pytest.mark.parametrize("what", BAD_POINTS)
def test_bad_points_show_the_default_and_say_why(what: str) -> None:
    text, key = BAD_POINTS[what]
    state, errors = decode({"points": text, "beta": "80"})
    assert state == default_state().with_method(default_state().method.replace(beta=80))
    assert [error.key for error in errors] == [key]


@pytest.mark.parametrize(
    ("query", "key", "sentence"),
    [
        (
            {"beta": "-3"},
            "error.link_parameter",
            "The link sets β to -3, but it must be a number > 0 and ≤ 200. It stays 40.",
        ),
        (
            {"beta": "abc"},
            "error.link_parameter",
            "The link sets β to abc, but it must be a number > 0 and ≤ 200. It stays 40.",
        ),
        ({"beta": "nan"}, "error.link_parameter", None),
        ({"beta": "inf"}, "error.link_parameter", None),
        ({"beta": ""}, "error.link_parameter", None),
        (
            {"lam": "1.01"},
            "error.link_parameter",
            "The link sets λ to 1.01, but it must be a number ≥ −1 and ≤ 1. It stays 0.5.",
        ),
        (
            {"loss": "foo"},
            "error.link_loss",
            None,
        ),
        (
            {"loss": "triplet", "beta": "80"},
            "error.link_parameter_unknown",
            "The link sets beta to 80, but the loss triplet has no beta. It was left out.",
        ),
        (
            {"epsilon": "-1"},
            "error.link_epsilon",
            "The link sets the mining margin ε to -1, but it must be none or a number ≥ 0. It stays 0.1.",
        ),
        ({"epsilon": "inf"}, "error.link_epsilon", None),
        ({"epsilon": "None?"}, "error.link_epsilon", None),
        ({"batch": "foo"}, "error.link_preset", None),
        (
            {"pair": "99-1"},
            "error.link_pair",
            "The link selects the pair 99-1, but expected are points of this batch, such as 4-6. Nothing is selected.",
        ),
        ({"pair": "4-99"}, "error.link_pair", None),
        ({"pair": "4-6-7"}, "error.link_pair", None),
        ({"pair": "-4"}, "error.link_pair", None),
        ({"pair": ""}, "error.link_pair", None),
        ({"pair": "9" * 5000}, "error.link_pair", None),
        ({"diff": "1-7"}, "error.link_diff", None),
        ({"diff": "2-2"}, "error.link_diff", None),
        (
            {"diff": "1"},
            "error.link_diff",
            "The link asks for the difference 1, but expected are two of its 6 methods, such as 1-2. Shown is 1-2.",
        ),
        ({"zoom": "4"}, "error.link_zoom", None),
        ({"zoom": "4-99"}, "error.link_zoom", None),
        (
            {"camera": "180,0"},
            "error.link_camera",
            "The link looks at the sphere from 180,0, but expected are whole degrees, a longitude from −180 to 179 "
            "and a latitude from −90 to 90, such as 30,20. Shown is the usual view.",
        ),
        ({"camera": "0,91"}, "error.link_camera", None),
        ({"camera": "30"}, "error.link_camera", None),
        ({"camera": "1.5,2"}, "error.link_camera", None),
        ({"camera": "nan,0"}, "error.link_camera", None),
        ({"camera": ""}, "error.link_camera", None),
        (
            {"flat": "yes"},
            "error.link_flat",
            "The link lets norms count (flat=yes), which needs flat=1 and points on a plane that can be moved. "
            "Norms do not count here.",
        ),
        ({"flat": ""}, "error.link_flat", None),
        (
            {"case": "4"},
            "error.link_case",
            "The link asks for case 4 of Figure 2, but there are only 1, 1n, 2, 3. Shown is case 2.",
        ),
        ({"case": ""}, "error.link_case", None),
        (
            {"row": "mine"},
            "error.link_row",
            "The link asks for the row mine under Figure 2, but there are only example, pair, odd. "
            "Shown is the example.",
        ),
        (
            {"watch": "active,quadratic"},
            "error.link_watch",
            "The link watches active,quadratic under Figure 2, but expected are at most 6 different methods such as "
            "active,triplet. The usual ones are shown instead.",
        ),
        ({"watch": "active,active"}, "error.link_watch", None),
        ({"watch": "active,triplet,nca,npair,lifted,linear,supcon"}, "error.link_watch", None),
        ({"watch": ""}, "error.link_watch", None),
        (
            {"step": "41"},
            "error.link_step",
            "The link puts Figure 2 at position 41, but expected is a whole number from 0 to 40. It stands at 0.",
        ),
        ({"step": "-1"}, "error.link_step", None),
        ({"step": "9" * 5000}, "error.link_step", None),
        ({"step": "٣"}, "error.link_step", None),
        (
            {"table1": "1e3"},
            "error.link_table1",
            "The link measures Table 1 with seed 1e3, but expected is a whole number from 0 to 999999. The seed is 0.",
        ),
        ({"table1": "1000000"}, "error.link_table1", None),
        (
            {"tuplets": "all"},
            "error.link_npair",
            "The link sets tuplets of the N-pair lab to all, but expected is triplets, tuplets, npair. It stays npair.",
        ),
        ({"weigh": "linear"}, "error.link_npair", None),
        (
            {"n": "65"},
            "error.link_npair",
            "The link sets n of the N-pair lab to 65, but expected is >= 0 and <= 64. It stays 0.",
        ),
        ({"n": "2.5"}, "error.link_npair", None),
        ({"margin": "-1"}, "error.link_npair", None),
        ({"penalty": "nan"}, "error.link_npair", None),
        (
            {"filled": "cars"},
            "error.link_npair",
            "The link sets filled of the N-pair lab to cars, but expected is digits, glyphs, batch. It stays digits.",
        ),
        ({"examples": "3"}, "error.link_npair", None),
        (
            {"hide": "edges,all"},
            "error.link_hide",
            "The link hides edges,all, but only edges and forces can be hidden. Nothing is hidden.",
        ),
    ],
)
def test_one_bad_part_gives_its_default_and_one_sentence(query: dict[str, str], key: str, sentence: str | None) -> None:
    state, errors = decode(query)
    assert [error.key for error in errors] == [key]
    kept = default_state() if "loss" not in query else decode({"loss": query["loss"]})[0]
    assert state == kept
    said = say_error(errors[0])
    assert sentence in (None, said)
    assert said.endswith(".")
    assert len(said) < 300


def test_a_good_part_counts_beside_bad_ones() -> None:
    state, errors = decode({"alpha": "3", "beta": "x", "epsilon": "y", "batch": "z", "pair": "4-6", "hide": "forces"})
    assert state == default_state().select(4, 6).with_display(state.display).with_method(state.method)
    assert (state.method.params.alpha, state.method.params.beta, state.method.epsilon) == (3, 40, 0.1)
    assert (state.display.forces, state.display.edges) == (False, True)
    assert [error.key for error in errors] == ["error.link_preset", "error.link_parameter", "error.link_epsilon"]


@pytest.mark.parametrize("batch", [PRESETS["sphere_overlapping"].make(), digits_batch((3, 8), 2, 0, space="pixels")])
def test_norms_cannot_count_where_points_cannot_leave_the_circle(batch: Batch) -> None:
    query = encode(default_state().with_batch(batch))
    state, errors = decode({**query, "flat": "1"})
    assert state.normalize
    assert state.batch == batch
    assert [error.key for error in errors] == ["error.link_flat"]


def test_what_came_is_quoted_in_short() -> None:
    _, errors = decode({"loss": "x" * 10_000 + "\n"})
    assert len(str(errors[0])) < 300


def test_a_pair_of_a_point_with_itself_selects_the_point() -> None:
    state, errors = decode({"pair": "4-4"})
    assert (state, errors) == (default_state().select(4), ())


def test_a_pair_is_looked_up_in_the_batch_of_the_link() -> None:
    assert decode({"batch": "two_clean", "pair": "7-0"})[0].display.selection is not None
    assert decode({"batch": "one_point", "pair": "4-6"})[1][0].key == "error.link_pair"


NAMES = [
    "loss",
    "alpha",
    "beta",
    "lam",
    "epsilon",
    "batch",
    "points",
    "pair",
    "hide",
    "diff",
    "zoom",
    "vs",
    "camera",
    "flat",
    "case",
    "row",
    "watch",
    "step",
    "table1",
    "tuplets",
    "weigh",
    "n",
    "margin",
    "penalty",
    "filled",
    "mined",
    "by",
    "examples",
    "picks",
    "first",
    "reached",
    "seed",
    "other",
]


@given(st.dictionaries(st.sampled_from(NAMES), st.text(max_size=30) | st.sampled_from(["triplet", "2", "", "4-6"])))
def test_no_query_raises(query: dict[str, str]) -> None:
    state, errors = decode(query)
    assert len(errors) <= len(query)
    assert decode(encode(state)) == (state, ())


@given(st.binary(max_size=400))
def test_no_bytes_raise(data: bytes) -> None:
    for text in (base64.urlsafe_b64encode(data).decode(), _text(data), _text(b"\x01" + data)):
        state, errors = decode({"points": text})
        assert not errors or state == default_state()


@given(st.integers(0, len(GOOD) - 1), st.characters(codec="ascii"))
def test_no_letter_exchanged_raises(at: int, letter: str) -> None:
    state, errors = decode({"points": GOOD[:at] + letter + GOOD[at + 1 :]})
    assert not errors or state == default_state()
