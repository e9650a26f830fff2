"""What the bench is sent decodes to the core's own numbers, for every batch and every method."""

import numpy as np
import pytest

from msviz.core.losses import LOSSES
from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, Batch, digit_images, digits_batch
from msviz.state import Display, State, decode, default_state
from msviz.text import catalogue
from msviz.ui import session
from msviz.ui.bench import message
from msviz.ui.layouts import LAYOUTS
from msviz.views.board import scales
from msviz.views.scene import scene
from tests.ui.conftest import Show
from tests.ui.parcels import desk, event, move, unpack

MS = METHODS["authors"]


@pytest.mark.parametrize("slug", PRESETS)
def test_matrices_decode_to_the_cores_numbers_in_class_order(show: Show, slug: str) -> None:
    state = State(PRESETS[slug].make(), MS)
    sent, now = show(desk(state)), scene(state)
    order = np.array(sent.head["order"], dtype=int)
    assert sorted(order.tolist()) == list(range(now.m))
    block = np.ix_(order, order)
    assert np.array_equal(sent.sim, now.sim.numpy()[block].astype(np.float32))
    assert np.array_equal(sent.gradient, now.evaluation.gradient.numpy()[block].astype(np.float32))
    assert np.array_equal(np.isin(sent.decision, [1, 3]), now.kept.numpy()[block])
    assert sent.images.size == 0
    assert sent.head["pictures"] is None


@pytest.mark.parametrize("epsilon", [None, 0.1])
@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_can_be_sent_with_a_pair_selected(show: Show, name: str, epsilon: float | None) -> None:
    state = default_state().with_method(Method(name, epsilon=epsilon)).select(4, 6)
    sent, now = show(desk(state)), scene(state)
    assert sent.head["readouts"][0][0] == f"{float(now.evaluation.value):.4f}".replace("-", "−")
    equation = sent.head["inspector"]["equation"]
    assert (equation is not None) == bool(now.kept[4, 6])
    assert sent.head["epsilon"] == epsilon
    assert "largest difference" in sent.head["proof"]


def test_points_are_sent_as_they_stand(show: Show) -> None:
    batch = PRESETS["singleton"].make()
    head = show(desk(State(batch, MS, Display(edges=False)).select(3, 8))).head
    assert head["ids"] == list(batch.ids)
    assert head["labels"] == list(batch.labels)
    assert (head["dim"], head["limit"]) == (2, 1)
    assert np.array_equal(np.reshape(head["places"], (-1, 2)), batch.board)
    assert head["next_id"] == 9
    assert head["selection"] == {"anchor": 3, "other": 8}
    assert head["show"] == {"edges": False, "forces": True, "per_pair": False}


def test_point_0_can_be_selected(show: Show) -> None:
    assert show(desk(default_state().select(0))).head["selection"] == {"anchor": 0, "other": None}
    assert show(desk()).head["selection"] == {"anchor": None, "other": None}


def test_bounds_carry_ids_and_nothing_where_there_is_no_rival(show: Show) -> None:
    # Class A at 0 and 60 degrees, B alone at 90; the first point is removed, so that ids and rows differ.
    batch = Batch.of([[0, -1], [1, 0], [0.5, 0.75**0.5], [0, 1]], [0, 0, 0, 1]).removed(0)
    bounds = show(desk(State(batch, MS))).head["bounds"]
    assert bounds[0] == [pytest.approx(0.5, abs=1e-4), 2, pytest.approx(0, abs=1e-4), 3]
    assert bounds[2] == [None, -1, pytest.approx(0.75**0.5, abs=1e-4), 2]


def test_images_are_sent_once_each_and_points_placed_by_hand_have_none(show: Show) -> None:
    batch = digits_batch([3, 8], 2, seed=0).added((1, 0), 3)
    sent = show(desk(State(batch, MS)))
    assert batch.digits is not None
    assert sent.head["pictures"][-1] == -1
    images = sent.images.reshape(-1, 8, 8)
    assert len(images) == 4
    for digit, at in zip(batch.digits[:-1], sent.head["pictures"][:-1], strict=True):
        assert np.array_equal(images[at], digit_images()[digit])


def test_scales_stand_still_while_a_gesture_is_open_and_fit_again_afterwards(show: Show) -> None:
    # Triplet weights are counts, so moving a point changes the largest one.
    start = desk(State(PRESETS["overlapping"].make(), Method("triplet")))
    before = show(start).scale
    held = start.apply("b", [move(1, 10, 60, "b1.1")])
    fits = float(scene(held.state).weights.max())
    assert fits != before
    assert show(held).scale == before
    assert show(held.apply("b", [event(2, "drop")])).scale == fits


def test_the_proof_is_silent_while_something_moves(show: Show) -> None:
    held = desk().apply("b", [move(1, 0, 20, "b1.1")])
    assert show(held).head["proof"] == ""
    assert show(held.apply("b", [event(2, "drop")])).head["proof"] != ""
    assert show(desk(State(PRESETS["empty"].make(), MS))).head["proof"] == ""


def test_the_link_restores_the_state_and_waits_for_the_end_of_a_gesture(show: Show) -> None:
    start = desk()
    assert show(start).head["link"] == {"query": "?pair=none", "first": "?pair=4-6", "refused": None}
    held = start.apply("b", [move(1, 0, 20, "b1.1")])
    assert show(held).head["link"]["query"] == "?pair=none"
    dropped = held.apply("b", [event(2, "drop"), event(3, "preset", slug="paper")])
    query = show(dropped).head["link"]["query"]
    assert query.startswith("?")
    pairs = dict(part.split("=", 1) for part in query[1:].split("&"))
    assert decode(pairs) == (dropped.state, ())


def test_a_link_says_which_pair_is_selected_even_when_none_is(show: Show) -> None:
    assert show(desk(default_state().select(4, 6))).head["link"]["query"] == "?pair=4-6"
    assert decode({"pair": "none"}) == (default_state(), ())


def test_a_batch_that_no_link_can_carry_says_so(show: Show) -> None:
    batch = Batch.of([[1, 0], [0, 1]], [0, 1], x=[[1.0, 2, 3, 4], [4.0, 3, 2, 1]])
    link = show(desk(State(batch, MS))).head["link"]
    assert link["query"] is None
    assert link["refused"].startswith("These 2 points with 4 dimensions are too much for a link.")


def test_undo_and_redo_are_offered_when_there_is_something(show: Show) -> None:
    removed = desk().apply("b", [event(1, "remove", target=0)])
    undone = removed.apply("b", [event(2, "undo")])
    offered = [(head["can_undo"], head["can_redo"]) for head in (show(it).head for it in (desk(), removed, undone))]
    assert offered == [(False, False), (True, False), (False, True)]


def test_the_last_point_of_a_class_leaves_a_ghost_that_the_browser_can_draw(show: Show) -> None:
    alone = desk(State(PRESETS["singleton"].make(), MS)).apply("b", [event(1, "remove", target=8)])
    head = show(alone).head
    ((_, _, label),) = head["ghosts"]
    assert label == 2
    assert str(label) in head["looks"]
    assert head["palette"] == [0, 1]
    assert head["next_class"] == 2


def test_an_empty_board_offers_two_classes_and_one_class_another(show: Show) -> None:
    assert show(desk(State(PRESETS["empty"].make(), MS))).head["palette"] == [0, 1]
    assert show(desk(State(PRESETS["one_class"].make(), MS))).head["palette"] == [0, 1]
    assert show(desk(State(Batch.of([[1, 0]], [1]), MS))).head["palette"] == [1, 0]


def test_no_more_classes_than_keys_can_be_opened(show: Show) -> None:
    nine = Batch.of([[1, 0]] * 9, range(9))
    head = show(desk(State(nine, MS))).head
    assert (head["next_class"], head["next_look"]["name"]) == (9, "J")
    ten = show(desk(State(Batch.of([[1, 0]] * 10, range(10)), MS))).head
    assert (ten["next_class"], ten["next_look"]) == (None, None)


def test_changed_cells_are_counted_in_the_order_of_the_matrix(show: Show) -> None:
    # B, A, A: the matrix shows rows 1, 2, 0. Without mining, beta moves the negatives of each anchor.
    batch = Batch.of([[1, 0], [0.5, 0.75**0.5], [0.8, 0.6]], [1, 0, 0])
    start = desk(State(batch, METHODS["ms_weighting"]))
    after = start.apply("c", [event(1, "param", target="beta", value=1)])
    sent = show(after)
    old, new = (scene(it.state).weights.numpy()[np.ix_([1, 2, 0], [1, 2, 0])] for it in (start, after))
    assert sent.head["changed"] == np.flatnonzero(np.abs(new - old) > 5e-4).tolist()
    assert sent.head["changed"]


def test_a_refusal_takes_the_place_of_the_change(show: Show) -> None:
    refused = desk().apply("c", [event(1, "param", target="beta", value=-3)])
    assert show(refused).head["change"] == {"text": "β must be > 0 and <= 200, got −3.", "error": True}


def test_a_gesture_is_told_with_its_effects(show: Show) -> None:
    after = desk().apply("c", [event(1, "param", target="beta", value=80)])
    change = show(after).head["change"]
    assert change["text"].startswith("β 40 → 80: pair ")
    assert not change["error"]
    assert show(desk()).head["change"]["text"].startswith("Start here")


def test_a_gesture_that_did_many_things_names_three(show: Show) -> None:
    parcel = [move(1 + id, id, 10 * id, "b1.1") for id in range(5)]
    assert ", 2 more: " in show(desk().apply("b", parcel)).head["change"]["text"]


def test_readouts_say_what_they_count(show: Show) -> None:
    head = show(desk()).head
    (loss, _), (kept, mined), (_, share), (violations, _) = head["readouts"]
    now = scene(default_state())
    assert loss == f"{float(now.evaluation.value):.4f}"
    assert kept == f"{int(now.evaluation.mined.pos.sum())} + {int(now.evaluation.mined.neg.sum())}"
    assert mined == "mined positives + negatives, of 52 + 130"
    assert share.startswith("of all weight in the heaviest pair, ")
    assert violations == "0"
    assert head["why_zero"] is None
    assert show(desk(State(PRESETS["empty"].make(), MS))).head["why_zero"].startswith("The board is empty")


def test_the_board_says_what_it_shows(show: Show) -> None:
    assert show(desk()).head["board"]["title"].startswith("Board · 14 points, 3 classes · ")
    picture = show(desk(State(digits_batch([3, 8], 2, seed=0, space="pixels"), MS))).head["board"]
    assert not picture["editable"]
    assert "64-D" in picture["hint"]
    crowd = show(desk(State(PRESETS["sixty_four"].make(), METHODS["ms_weighting"]))).head["edges"]
    assert len(crowd["rows"]) == 60
    assert crowd["note"].startswith("60 of 2,016 edges drawn")


def test_the_bench_echoes_its_event_number_and_brings_the_words(show: Show) -> None:
    after = desk().apply(session.BENCH, [event(4, "remove", target=0)])
    head = show(after.apply(session.STRIP, [event(9, "mine", on=False)])).head
    assert head["seq"] == 4
    assert head["texts"] == catalogue("js.")


def test_while_something_moves_the_words_are_not_sent_again(show: Show) -> None:
    held = desk().apply("b", [move(1, 0, 20, "b1.1")])
    assert show(held).head["texts"] is None
    assert show(held.apply("b", [event(2, "drop")])).head["texts"] == catalogue("js.")


def test_the_same_desk_gives_the_same_message_without_a_session(show: Show) -> None:
    held = desk().apply("b", [move(1, 0, 20, "b1.1")])
    start, now = scene(default_state()), scene(held.state)
    one, other = (message(held, now, start, scales(start), LAYOUTS["playground"]) for _ in range(2))
    assert one == other
    assert show(desk()).head["texts"]
    assert show(held).head == unpack(one).head


def test_a_sphere_is_sent_with_three_coordinates_and_its_camera(show: Show) -> None:
    state = default_state().with_batch(PRESETS["sphere_overlapping"].make())
    start = desk(state).apply("b", [event(1, "camera", yaw=-90, pitch=5)])
    after = start.apply("b", [event(2, "move", target=3, x=0, y=0, z=1), event(3, "remove", target=0)])
    head = show(after).head
    board = after.state.batch.board
    assert head["dim"] == 3
    assert np.array_equal(np.reshape(head["places"], (-1, 3)), board)
    assert np.reshape(head["forces"], (-1, 3)).shape == board.shape
    assert head["board"]["camera"] == [-90, 5]
    assert not head["board"]["planar"]
    ((*place, label),) = head["ghosts"]
    assert (place, label) == (state.batch.board[0].tolist(), 0)
    assert show(start).head["link"]["query"] == "?pair=none&batch=sphere_overlapping&camera=-90%2C5"


def test_where_norms_count_the_board_says_so_and_colours_reach_farther(show: Show) -> None:
    flat = desk(default_state().with_normalize(False)).apply("b", [event(1, "move", target=5, x=1.5, y=1.5)])
    sent = show(flat)
    assert sent.head["board"]["flat"]
    assert "Point 5 is the longest, |x| = 2.12" in sent.head["board"]["norms"]
    assert sent.head["limit"] == sent.head["panels"][0]["high"] == np.abs(sent.sim[~np.eye(14, dtype=bool)]).max()
    assert sent.head["change"]["text"].startswith("Point 5: (0.53, 0.85) → (1.50, 1.50): ")
    assert show(desk()).head["board"]["norms"] == ""


def test_an_edge_says_its_kind_and_what_the_pair_does(show: Show) -> None:
    head = show(desk(default_state().with_method(Method("supcon", tau=0.2)))).head
    kinds = {(positive, net) for _, _, _, positive, net in head["edges"]["rows"]}
    assert kinds == {(1, -1), (1, 1), (0, 1)}  # some positives are pushed, no negative is pulled
