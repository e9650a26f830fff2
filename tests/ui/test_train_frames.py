"""What the address of a run answers: pictures with the step's own numbers, curves, commands, and refusals."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import torch

from msviz.core.errors import MsvizError
from msviz.core.methods import METHODS, Method
from msviz.core.scheme import compared
from msviz.text import say, say_error
from msviz.training.config import TrainConfig
from msviz.training.sources import Blobs, Glyphs, Points
from msviz.ui import train_pictures
from msviz.ui.engines import Engine
from msviz.ui.runs import Run
from msviz.ui.train_eye import Eye
from msviz.ui.train_frames import answer
from msviz.ui.train_pictures import kept
from msviz.ui.train_scales import rounded_up
from tests.ui.parcels import Message, unpack

CONFIG = TrainConfig(
    data=Blobs(), model="mlp", dimensions=3, classes_per_batch=3, per_class=4, steps=30, evaluate_every=10
)


@dataclass
class Visitor:
    """Somebody who asks as assets/train.js does."""

    run: Run
    board: str = "probe"
    looks: dict[str, Any] | None = None

    def ask(self, *do: dict[str, Any], want: int | None = None, **more: Any) -> tuple[dict[str, Any], list[Message]]:
        asked = {"run": self.run.token, "do": do, "want": want, "board": self.board, "looks": self.looks or {}, **more}
        return parts(answer(json.dumps(asked).encode()))


def parts(data: bytes) -> tuple[dict[str, Any], list[Message]]:
    (size,) = struct.unpack_from("<I", data)
    head, at = json.loads(data[4 : 4 + size]), 4 + size
    messages = []
    for length in head.get("sizes", []):
        messages.append(unpack(data[at : at + length]))
        at += length
    assert at == len(data)
    return head, messages


@pytest.fixture
def visitors() -> Iterator[list[Visitor]]:
    made: list[Visitor] = []
    yield made
    for visitor in made:
        visitor.run.close()


def visit(visitors: list[Visitor], other: str | None = None, **changes: Any) -> Visitor:
    config = TrainConfig.from_json({**CONFIG.as_json(), **changes})
    visitor = Visitor(Run(lambda: Engine(config, None if other is None else METHODS[other])))
    visitors.append(visitor)
    wait(visitor, "paused")
    return visitor


def wait(visitor: Visitor, doing: str) -> None:
    end = time.monotonic() + 20
    while visitor.ask()[0]["doing"] != doing:
        assert time.monotonic() < end, f"never {doing}"
        time.sleep(0.01)


def test_the_first_answer_shows_the_untrained_network(visitors: list[Visitor]) -> None:
    head, (board, pairs) = visit(visitors).ask()
    assert (head["step"], head["total"], head["shown"], head["losses"]) == (0, 30, 0, [])
    assert board.head["dim"] == 3
    assert not board.head["board"]["editable"]
    assert len(pairs.head["ids"]) == 12
    assert [panel["key"] for panel in pairs.head["panels"]] == ["S", "w"]


def test_the_heatmap_of_a_step_is_the_one_that_made_it(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    for _ in range(5):
        visitor.ask({"kind": "step"})
    head, (board, pairs) = visitor.ask(want=3)
    (shot,) = visitor.run.recording.at(3)  # type: ignore[misc]
    assert head["shown"] == 3
    order = pairs.head["order"]
    expected = shot.evaluation.gradient.numpy()[np.ix_(order, order)]
    np.testing.assert_array_equal(pairs.gradient, expected.astype(np.float32))
    assert shot.probe_x is not None
    unit = shot.probe_x / np.linalg.norm(shot.probe_x, axis=1, keepdims=True)
    np.testing.assert_allclose(np.reshape(board.head["places"], (-1, 3)), unit, atol=2**-14)
    assert head["figures"]["loss"] == [shot.loss]


def test_played_to_the_end_the_curves_are_those_of_a_bare_loop(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    visitor.ask({"kind": "speed", "to": "fast"}, {"kind": "play"})
    wait(visitor, "stopped")
    head, _ = visitor.ask(era=visitor.run.era, curve=0)
    bare = Engine(CONFIG)
    assert [losses for (losses,) in head["losses"]][:30] == [bare.step(probe=False)[0].loss for _ in range(30)]
    assert [step for step, _ in head["recalls"]] == [0, 10, 20, 30]
    assert len(head["mined"]) == 31
    assert head["stop"].startswith("All steps")
    assert (head["step"], head["total"]) == (30, 30)
    assert head["shown"] == 30


def test_only_what_is_new_is_sent(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    first, _ = visitor.ask({"kind": "step"}, {"kind": "step"})
    again, messages = visitor.ask(era=first["era"], curve=1, have=first["have"])
    assert messages == []
    assert (again["begins"], len(again["losses"])) == (1, 1)
    assert again["figures"] == first["figures"]
    _, messages = visitor.ask(have=first["have"], want=0)
    assert len(messages) == 2


def test_after_a_rewind_the_curves_begin_anew(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    before, _ = visitor.ask({"kind": "step"}, {"kind": "step"})
    head, _ = visitor.ask({"kind": "rewind"}, era=before["era"], curve=2)
    assert (head["begins"], head["losses"], head["step"]) == (0, [], 0)
    assert head["era"] != before["era"]


def test_the_board_shows_the_batch_on_request_with_the_same_numbers_as_the_heatmap(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    visitor.board = "batch"
    _, (board, pairs) = visitor.ask()
    assert board.head["items"] == pairs.head["items"]
    np.testing.assert_array_equal(board.gradient, pairs.gradient)


SCHEMES: dict[str, dict[str, Any]] = {
    "npair": {
        **{"pairing": "npair", "per_class": 2, "similarity": "dot", "norm_penalty": 0.03, "mine_classes": 4},
        "method": {"loss": "npair"},
    },
    "triplets": {"pairing": "triplets", "per_class": 3, "method": {"loss": "triplet"}},
    "loop": {"negatives": "loop", "dimensions": 8},
}


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("board", ["probe", "batch"])
def test_matrices_and_edges_are_those_of_the_runs_scheme(visitors: list[Visitor], name: str, board: str) -> None:
    visitor = visit(visitors, data={"kind": "blobs", "classes": 16}, **SCHEMES[name])
    visitor.board = board
    for _ in range(3):
        visitor.ask({"kind": "step"})
    head, (shown, pairs) = visitor.ask(want=1)
    (shot,) = visitor.run.recording.at(1)  # type: ignore[misc]
    rows = compared(torch.tensor(shot.x, dtype=torch.float64), torch.tensor(shot.labels), shot.scheme)
    order = pairs.head["order"]
    expected = shot.evaluation.gradient.numpy()[np.ix_(order, order)]
    np.testing.assert_allclose(pairs.gradient, expected.astype(np.float32), rtol=1e-5, atol=1e-12)
    anchors = [order.index(at) for at in rows.anchors.tolist()]
    np.testing.assert_allclose(pairs.sim[anchors], rows.sim.numpy()[:, order].astype(np.float32), rtol=1e-6, atol=1e-7)
    assert not np.delete(pairs.gradient, anchors, axis=0).any()
    assert head["figures"]["loss"] == [shot.loss]
    assert head["figures"]["mined"] == [1.0 if name != "loop" else shot.mined_share]
    everybody = say("train.board.hint.everybody")
    assert (everybody in shown.head["board"]["hint"]) == (board == "probe" and name != "loop")
    assert any(any(force) for force in np.reshape(shown.head["forces"], (-1, shown.head["dim"])))


def test_dot_products_are_said_and_shown_as_far_as_they_reach(visitors: list[Visitor]) -> None:
    visitor = visit(visitors, similarity="dot")
    _, (board, pairs) = visitor.ask()
    (shot,) = visitor.run.latest
    products = shot.x.astype(np.float64) @ shot.x.T.astype(np.float64)
    most = np.abs(products - np.diag(np.diag(products))).max()
    panel = pairs.head["panels"][0]
    assert (panel["low"], panel["high"]) == pytest.approx((-max(1, most), max(1, most)))
    assert panel["note"] == say("panel.S.note.dot")
    assert board.head["board"]["hint"] == say("train.board.hint.dot")


@pytest.mark.parametrize(
    "changes",
    [
        {"negatives": "loop", "classes_per_batch": 5, "per_class": 103},
        {"similarity": "dot", "norm_penalty": 0.1, "classes_per_batch": 5, "per_class": 103},
        {"pairing": "tuplets", "classes_per_batch": 23, "per_class": 24},
    ],
)
def test_a_batch_that_cannot_be_drawn_under_its_scheme_is_refused_in_one_sentence(changes: dict[str, Any]) -> None:
    size = changes["classes_per_batch"] * changes["per_class"]
    with pytest.raises(MsvizError, match=f"at most 512 items a batch can be shown, got {size}") as refused:
        Engine(replace(CONFIG, data=Blobs(classes=32, per_class=500), **changes))
    assert str(size) in say_error(refused.value)


def test_a_selected_pair_is_explained_with_its_numbers(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    visitor.looks = {"pairs": [{"kind": "select", "anchor": 0, "other": 5}, {"kind": "remove", "target": 0}]}
    _, (_, pairs) = visitor.ask()
    assert pairs.head["selection"] == {"anchor": 0, "other": 5}
    assert pairs.head["inspector"]["title"].startswith("Why does pair 0→5 weigh")
    assert len(pairs.head["ids"]) == 12  # what would change the batch is not done


def test_a_slider_in_hand_weighs_the_batch_anew_and_marks_the_curve(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    before, (_, one) = visitor.ask({"kind": "step"})
    head, (_, two) = visitor.ask({"kind": "param", "target": "beta", "value": 80.0}, have=before["have"])
    assert before["changes"] == []
    assert head["changes"] == [[1, "β 40 → 80"]]
    assert one.head["items"] == two.head["items"]
    assert not np.array_equal(one.gradient, two.gradient)


def test_many_dimensions_are_a_shadow_and_t_sne_on_request(visitors: list[Visitor]) -> None:
    visitor = visit(visitors, dimensions=16)
    head, (shadow, _) = visitor.ask()
    assert head["many"]
    assert shadow.head["dim"] == 2
    assert "16" in shadow.head["board"]["hint"]
    visitor.board = "tsne"
    _, (by_neighbours, _) = visitor.ask()
    assert by_neighbours.head["places"] != shadow.head["places"]
    assert by_neighbours.head["board"]["hint"].startswith("t-SNE of 16 dimensions")


def test_a_duel_shows_both_from_the_same_start_and_where_they_part(visitors: list[Visitor]) -> None:
    visitor = visit(visitors, other="binomial")
    head, (board_a, pairs_a, board_b, pairs_b) = visitor.ask({"kind": "step"}, want=0)
    assert board_a.head["places"] == board_b.head["places"]
    np.testing.assert_array_equal(pairs_a.sim, pairs_b.sim)
    assert not np.array_equal(pairs_a.gradient, pairs_b.gradient)
    assert head["divergence"]["step"] == 0
    assert len(head["figures"]["loss"]) == 2
    assert all(len(losses) == 2 for losses in head["losses"])


def looks(visitor: Visitor, steps: Iterable[int]) -> dict[int, tuple[Any, ...]]:
    """What a visitor sees who looks at these steps, in this order: colours, arrows, places."""
    seen = {}
    for step in steps:
        _, (board, pairs) = visitor.ask(want=step)
        seen[step] = (pairs.scale, board.head["forces"], board.head["edges"], board.head["places"])
    return seen


@pytest.mark.parametrize("speed", ["normal", "fast"])
def test_a_step_looks_the_same_whatever_was_looked_at_before(visitors: list[Visitor], speed: str) -> None:
    visitor, another = visit(visitors), visit(visitors)
    for one in (visitor, another):
        one.run.speed = speed
        for _ in range(20):
            one.run.step()
            one.run._awaited = True  # the same steps have the probe in both
    assert looks(visitor, range(20)) == looks(another, reversed(range(20)))


def test_colours_have_one_scale_for_the_run_and_reach_farther_in_a_heavier_step(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    for _ in range(12):
        visitor.run.step()
    heaviest = [visitor.run.recording.at(step)[0].weights.largest for step in range(12)]  # type: ignore[index]
    usual = float(np.median(heaviest[::3]))  # 30 steps, a dozen marks: every third one
    scales = [scale for scale, *_ in looks(visitor, range(12)).values()]
    assert scales == [rounded_up(max(usual, weight)) for weight in heaviest]
    assert "one scale for the run" in visitor.ask()[1][1].head["panels"][1]["note"]


def test_a_method_that_was_changed_on_the_way_has_a_scale_of_its_own(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    visitor.ask({"kind": "step"})
    before = visitor.ask(want=0)[1][1].scale
    visitor.run.set(method=Method("triplet"))
    visitor.ask({"kind": "step"})
    assert visitor.ask(want=0)[1][1].scale == before


def test_the_board_says_of_which_step_it_is_where_the_probe_was_not_embedded(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    visitor.run.speed = "fast"
    for _ in range(3):
        visitor.run.step()  # which embeds the probe
    with visitor.run._between_steps():
        visitor.run._awaited = False
        visitor.run._step()
    head, (board, _) = visitor.ask(want=3)
    assert (head["shown"], head["board_step"]) == (3, 2)
    assert board.head["board"]["title"].endswith(", as they were at step 2")
    _, (board, _) = visitor.ask(want=2)
    assert "step" not in board.head["board"]["title"]


def test_a_step_becomes_a_batch_that_can_be_edited(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    visitor.ask({"kind": "step"}, {"kind": "step"})
    batch = kept(visitor.run, 1, batch=True, name="rings")
    assert batch is not None
    assert (batch.m, batch.editable, batch.source.note) == (12, True, {"setup": "rings", "step": 1})


def test_what_is_refused_is_one_sentence_and_the_run_lives(visitors: list[Visitor]) -> None:
    visitor = visit(visitors)
    head, _ = visitor.ask({"kind": "rate", "to": -1})
    assert head["refused"] == "learning rate must be > 0 and <= 1000, got −1."
    assert visitor.ask({"kind": "step"})[0]["step"] == 1


def test_a_run_that_explodes_ends_and_its_last_good_step_stays(visitors: list[Visitor]) -> None:
    rng = np.random.default_rng(0)
    huge = tuple(map(tuple, (1e30 * rng.normal(size=(24, 8))).tolist()))  # embeddings beyond the largest float32
    data = Points(huge, tuple(k // 8 for k in range(24)), ("a", "b", "c"))
    config = replace(CONFIG, data=data, learning_rate=100.0, evaluate_every=0, steps=1000)
    visitor = Visitor(Run(lambda: Engine(config)))
    visitors.append(visitor)
    wait(visitor, "paused")
    visitor.ask({"kind": "speed", "to": "fast"}, {"kind": "play"})
    wait(visitor, "stopped")
    head, _ = visitor.ask()
    assert head["stop"] == say("stop.not_finite")
    assert head["error"] == ""
    assert None not in head["figures"]["loss"]
    assert visitor.ask({"kind": "rewind"})[0]["doing"] == "paused"


def test_pictures_of_items_are_sent_on_request(visitors: list[Visitor]) -> None:
    visitor = Visitor(Run(lambda: Engine(replace(CONFIG, data=Glyphs(characters=3, per_class=8), model="cnn"))))
    visitors.append(visitor)
    wait(visitor, "paused")
    assert visitor.run.engine is not None
    thumbnails = visitor.run.engine.data.thumbnails
    assert thumbnails is not None
    asked = {"run": visitor.run.token, "pictures": [5, 0]}
    assert answer(json.dumps(asked).encode()) == thumbnails[[5, 0]].tobytes()
    with pytest.raises(ValueError, match="expected"):
        answer(json.dumps({**asked, "pictures": [24]}).encode())
    assert answer(json.dumps({"run": visit(visitors).run.token, "pictures": [0]}).encode()) == b""


def test_nobody_elses_run_is_answered_and_a_closed_one_is_gone(visitors: list[Visitor]) -> None:
    assert parts(answer(b'{"run": "guessed"}')) == ({"gone": True}, [])
    visitor = visit(visitors)
    assert len(visitor.run.token) >= 24
    visitor.ask({"kind": "close"})
    assert visitor.ask()[0] == {"gone": True}


def test_a_run_that_is_closed_while_its_picture_is_drawn_is_gone(
    visitors: list[Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = visit(visitors)
    with monkeypatch.context() as patched:
        patched.setattr(train_pictures, "placed", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            visitor.ask()  # of a run that is there a fault is a fault
    monkeypatch.setattr(Eye, "of", lambda run, frame: run.close() or Eye(run, len(frame)))
    assert visitor.ask()[0] == {"gone": True}


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"[]",
        b'{"do": []}',
        b'{"run": 5}',
        *(
            json.dumps({"run": "TOKEN", **more}).encode()
            for more in (
                {"do": [{"kind": "explode"}]},
                {"do": [{"kind": "rate", "to": "much"}]},
                {"do": [{"kind": "param", "target": 5, "value": None}]},
                {"do": ["play"]},
                {"do": [{"kind": "step"}] * 51},
                {"want": "soon"},
                {"curve": -1},
                {"pictures": ["a"]},
                {"looks": [1]},
                {"looks": {"board": ["select"]}},
            )
        ),
    ],
)
def test_a_malformed_request_is_refused_in_one_sentence(visitors: list[Visitor], wrong: bytes) -> None:
    visitor = visit(visitors)
    if wrong == b'{"run": 5}':
        assert parts(answer(wrong))[0] == {"gone": True}
        return
    with pytest.raises(ValueError, match="expected"):
        answer(wrong.replace(b"TOKEN", visitor.run.token.encode()))
    assert visitor.ask()[0]["doing"] == "paused"
