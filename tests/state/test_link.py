"""A link restores a state to the last bit; hand-written links say what they mean."""

from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from msviz.core.errors import MsvizError
from msviz.core.figure2 import Case
from msviz.core.losses import LOSSES
from msviz.core.losses.spec import param_infos
from msviz.core.methods import METHODS, Method, evaluate
from msviz.core.npair import Pairing
from msviz.core.pairs import label_pairs
from msviz.core.similarity import similarity
from msviz.data import PRESETS, Batch, digits_batch
from msviz.state import Display, Selection, State, Watched, decode, default_state, encode
from msviz.state.npair_lab import NPairLab
from msviz.state.packed import LONGEST
from tests.state.strategies import states

RESERVED = {
    *("loss", "epsilon", "batch", "points", "flat", "vs", "pair", "hide", "shares", "diff", "zoom", "camera", "forces"),
    *("case", "row", "watch", "step", "table1", "run", "rate"),
    *("tuplets", "weigh", "n", "margin", "penalty"),
    *("filled", "mined", "by", "examples", "picks", "first", "reached", "seed"),
}


def _length(state: State) -> int:
    return len(urlencode(encode(state)))


@given(states())
def test_a_link_restores_the_state_exactly(state: State) -> None:
    restored, errors = decode(dict(parse_qsl(urlencode(encode(state)))))
    assert errors == ()
    assert restored == state
    assert restored.batch.x.tobytes() == state.batch.x.tobytes()
    assert restored.batch.board.tobytes() == state.batch.board.tobytes()


@settings(max_examples=30)  # follows from the test above; this one says what for
@given(states())
def test_a_restored_state_shows_the_same_numbers(state: State) -> None:
    def gradient(shown: State) -> bytes:
        sim = similarity(torch.tensor(shown.batch.x), normalize=shown.normalize)
        return evaluate(sim, label_pairs(shown.batch.labels), shown.method).gradient.numpy().tobytes()

    assert gradient(decode(encode(state))[0]) == gradient(state)


def test_the_default_state_needs_no_parameters() -> None:
    assert encode(default_state()) == {}
    assert decode({}) == (default_state(), ())


def test_a_partial_link_changes_just_that() -> None:
    start = default_state()
    assert decode({"beta": "80"})[0] == start.with_method(start.method.replace(beta=80))
    assert decode({"epsilon": "none"})[0] == start.with_method(start.method.replace(epsilon=None))
    assert decode({"batch": "two_clean"})[0] == start.with_batch(PRESETS["two_clean"].make())
    assert decode({"pair": "4-6"})[0] == start.select(4, 6)
    assert decode({"flat": "1"})[0] == start.with_normalize(False)
    assert decode({"camera": "-90,5"})[0] == start.with_display(Display(camera=(-90, 5)))
    assert decode({"table1": "3"})[0] == start.with_display(Display(table1_seed=3))
    assert decode({"hide": "forces"})[0] == start.with_display(Display(forces=False))
    assert decode({"loss": "triplet"})[0] == start.with_method(Method("triplet", epsilon=0.1))


def test_norms_that_count_travel_with_points_off_the_circle() -> None:
    flat = default_state().with_normalize(False)
    assert encode(flat) == {"flat": "1"}
    far = flat.with_batch(flat.batch.moved(0, (0.25, -1.5), on_circle=False))
    assert far.batch.board[0].tolist() == [0.25, -1.5]
    assert decode(encode(far)) == (far, ())


def test_links_are_readable_where_people_edit_them() -> None:
    state = State(
        PRESETS["figure2_n"].make(),
        METHODS["paper"].replace(epsilon=None),
        Display(edges=False, forces=False, selection=Selection(0, 2)),
    )
    assert encode(state) == {
        "beta": "50",
        "lam": "1",
        "epsilon": "none",
        "batch": "figure2_n",
        "pair": "0-2",
        "hide": "edges,forces",
    }
    assert encode(default_state().with_method(Method("triplet", lam=0.25, epsilon=0.1))) == {
        "loss": "triplet",
        "lam": "0.25",
    }


def test_what_is_watched_under_figure_2_is_readable() -> None:
    watched = Watched(Case.NEGATIVES_ONLY, "pair", ("triplet", "active"), step=12)
    query = {"case": "1n", "row": "pair", "watch": "triplet,active", "step": "12"}
    assert encode(default_state().with_display(Display(figure2=watched))) == query
    assert decode(query)[0].display.figure2 == watched
    assert decode({"watch": "none"})[0].display.figure2.methods == ()


def test_what_is_chosen_in_the_n_pair_lab_is_readable() -> None:
    lab = NPairLab(Pairing.TRIPLETS, "npair_ovo", n=3, margin=0.2, penalty=0.04)
    query = {"tuplets": "triplets", "weigh": "npair_ovo", "n": "3", "margin": "0.2", "penalty": "0.04"}
    assert encode(default_state().with_display(Display(npair=lab))) == query
    assert decode(query)[0].display.npair == lab


def test_a_preset_travels_by_name_until_it_is_changed() -> None:
    batch = PRESETS["two_clean"].make()
    assert encode(default_state().with_batch(batch)) == {"batch": "two_clean"}
    assert list(encode(default_state().with_batch(batch.relabelled(0, 1)))) == ["points"]


def test_what_was_edited_after_sampling_travels_too() -> None:
    batch = digits_batch((3, 8, 9), 10, 0).added((0, 1), 3).removed(2).relabelled(5, 8).moved(7, (1, 1))
    restored, errors = decode(encode(default_state().with_batch(batch)))
    assert not errors
    assert restored.batch == batch
    assert (restored.batch.digits or ())[-1] == -1
    assert restored.batch.source.edited


def test_ids_that_were_deleted_are_not_given_again_after_a_link() -> None:
    batch = PRESETS["overlapping"].make().removed(13)
    assert decode(encode(default_state().with_batch(batch)))[0].batch.next_id == 14


def test_links_are_short_enough_to_be_sent() -> None:
    rng = np.random.default_rng(0)
    batch = Batch.of(rng.normal(size=(64, 2)), rng.integers(0, 8, 64).tolist())
    full = Batch.of(rng.normal(size=(LONGEST, 3)), rng.integers(0, 256, LONGEST).tolist())
    digits = digits_batch(range(10), 51, 0, space="pixels")
    lengths = {
        name: _length(default_state().with_batch(b)) for name, b in [("64", batch), ("512", full), ("d", digits)]
    }
    assert lengths["64"] < 600, lengths
    assert lengths["512"] < 16_000, lengths
    assert lengths["d"] < 16_000, lengths


def test_embeddings_that_a_link_cannot_carry_say_so() -> None:
    batch = Batch.of([[1, 0], [0, 1]], [0, 1], x=np.eye(2, 5))
    with pytest.raises(MsvizError, match="too much for a link") as caught:
        encode(default_state().with_batch(batch))
    assert caught.value.key == "error.link_batch"


def test_no_loss_has_a_parameter_that_the_link_needs_for_itself() -> None:
    names = {info.name for loss in LOSSES.values() for info in param_infos(loss.params)}
    assert not names & RESERVED


def test_what_means_nothing_here_is_ignored() -> None:
    assert decode({"embed": "true", "utm_source": "mail", "lang": "de"}) == (default_state(), ())


def test_a_link_made_by_the_first_version_still_opens() -> None:
    # Written down once: a change of the format must keep reading these, or raise the version.
    points = encode(default_state().with_batch(_PINNED))["points"]
    assert decode({"points": FIRST})[0].batch == _PINNED
    assert decode({"points": points})[0].batch == _PINNED


_PINNED = replace(Batch.of([[1, 0], [0, 1], [-0.5, 0.25]], [0, 1, 255], ids=[2, 0, 7], digits=[5, -1, 1796]), next_id=9)
FIRST = "eNpjZGRm4GRgYGAG4n____9nB9IMjP9ZGf7_Z2FncAByHgCxA4NAtFJGYl6Kko6Skk51bSwARA4MvQ"


def test_what_classes_are_called_travels_with_the_points() -> None:
    batch = Batch.of([[1, 0], [0, 1], [-1, 0]], [0, 1, 2], names=["ä", "猫 & dog", "~7"])
    state, errors = decode(encode(default_state().with_batch(batch)))
    assert (state.batch, state.batch.names, errors) == (batch, batch.names, ())
    nameless, _ = decode(encode(default_state().with_batch(Batch.of([[1, 0]], [0]))))
    assert nameless.batch.names is None
