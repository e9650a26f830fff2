"""The N-pair lab through Streamlit's AppTest: it runs for every batch and choice, and its buttons do what they say."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from msviz.core.npair import Pairing, embeddings
from msviz.data import PRESETS, digits_batch
from msviz.state import State, default_state
from msviz.state.npair_lab import BUILDS, CHOICES, WEIGHS, NPairLab
from msviz.ui.desk import Desk
from msviz.ui.layouts import LAYOUTS
from msviz.ui.npair_lab import npair_data, npair_seen
from msviz.views.npair_batch import OFFERED, tuplet_batch
from msviz.views.npair_tables import tuplets_view
from msviz.views.scene import scene
from tests.ui.pages import bench_of, clean, open_page
from tests.ui.parcels import desk, event


def _with(state: State, **chosen: Any) -> State:
    return state.with_display(state.display.replace(npair=state.display.npair.replace(**chosen)))


def _app(start: Desk) -> AppTest:
    return open_page("npair", start)


def _data(state: State) -> dict[str, Any]:
    return npair_data(desk(state), scene(*npair_seen(state)))


def _lab(app: AppTest) -> NPairLab:
    found: Desk = app.session_state["msviz.desk"]
    return found.state.display.npair


def _words(app: AppTest) -> str:
    return " ".join([*(part.value for part in app.markdown), *(part.proto.body for part in app.get("html"))])


# ---- what is sent ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("n", [0, 2])
def test_the_first_batch_is_built_at_once_and_its_embeddings_are_counted(build: Pairing, n: int) -> None:
    data = _data(_with(default_state(), tuplets=build, n=n))
    assert not data["refused"]
    assert data["part"] == f"{embeddings(build, n or 3)} of the 14 points take part."
    cards = data["choices"]["tuplets"]
    assert [card["value"] for card in cards if card["chosen"]] == [build]
    for card in cards:
        assert card["count"].endswith(f"= {embeddings(card['value'], n or 3)} embeddings")
    assert max(card["share"] for card in cards) == 1


def test_n_runs_from_two_to_all_classes_and_holds_what_a_link_chose() -> None:
    def offered(state: State) -> list[tuple[int, str]]:
        return [(it["value"], it["name"]) for it in _data(state)["choices"]["n"]]

    assert offered(default_state()) == [(2, "2"), (0, "all 3")]
    assert [value for value, _ in offered(_with(default_state(), n=7))] == [2, 7, 0]
    ten = State(digits_batch(range(10), 2, 0), default_state().method)
    assert [value for value, _ in offered(ten)] == [2, 3, 4, 5, 6, 7, 8, 9, 0]


def test_tables_are_the_views_row_by_row() -> None:
    state = _with(default_state(), tuplets="triplets")
    view, sent = tuplets_view(scene(*npair_seen(state))), _data(state)["tables"]
    assert view is not None
    assert sent["meets"] == [None if it < 0 else it for it in view.meets.ravel().tolist()]
    for table, one in zip(view.losses, sent["losses"], strict=True):
        assert one["name"] == table.method.name
        there = [it for it in one["gradient"] if it is not None]
        assert there == pytest.approx(table.gradient[view.meets >= 0].tolist(), abs=1e-5)
        assert one["value"] == f"{table.value:.3f}"


def test_the_penalty_is_off_with_a_reason_while_embeddings_are_normalised() -> None:
    state = _with(default_state(), penalty=0.3)
    data, flat = _data(state), _data(state.with_normalize(False))
    assert [param["value"] for param in data["params"]] == [0.1, None]
    assert "Normalised" in data["why_normal"]
    assert [param["value"] for param in flat["params"]] == [0.1, 0.3]
    assert flat["why_normal"] == ""
    assert "penalty adds 0.3" in flat["words"][-1]
    sphere = State(PRESETS["sphere_overlapping"].make(), default_state().method)
    assert "plane" in _data(sphere)["why_normal"]


def test_the_penalty_pulls_the_points_that_take_part_towards_the_middle() -> None:
    state = default_state().with_normalize(False)
    light, heavy = (scene(*npair_seen(_with(state, penalty=it))) for it in (0.0, 0.6))
    used, x = tuplets_view(light), state.batch.x
    assert used is not None
    rows = [state.batch.index(it) for it in used.used]
    assert heavy.forces[rows] - light.forces[rows] == pytest.approx(-2 * 0.6 * x[rows] / 6)
    rest = [row for row in range(14) if row not in rows]
    assert np.all(heavy.forces[rest] == 0)


def test_the_board_knows_anchors_positives_and_who_takes_part() -> None:
    head = bench_of(_app(desk()), "npair").head
    assert head["tuplets"] == {"anchors": [0, 5, 10], "positives": [1, 6, 11], "used": [0, 1, 5, 6, 10, 11]}
    assert {frozenset(edge[:2]) for edge in head["edges"]["rows"]} == {
        frozenset(pair) for a in (0, 5, 10) for pair in ((a, 1), (a, 6), (a, 11))
    }
    assert bench_of(open_page("playground", desk()), "playground").head["tuplets"] is None


# ---- events ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", OFFERED)
def test_new_points_are_one_step_and_can_be_taken_back(n: int) -> None:
    start = desk(_with(default_state(), n=2))
    drawn = start.apply("b", [event(1, "tuplet_points", classes=n)])
    assert drawn.errors == ()
    assert drawn.state.batch == tuplet_batch(n, 1)
    assert not _data(drawn.state)["refused"]
    assert drawn.apply("b", [event(2, "undo")]).state.batch == start.state.batch


def test_other_new_points_are_refused_and_change_nothing() -> None:
    start = desk()
    for wrong in (7, "many", None):
        refused = start.apply("b", [event(1, "tuplet_points", classes=wrong)])
        assert [error.key for error in refused.errors] == ["error.event"]
        assert refused.state == start.state


def test_a_slider_of_the_lab_is_no_step() -> None:
    start = desk()
    moved = start.apply("b", [event(k, "npair", "b1.1", target="margin", value=k / 10) for k in range(1, 6)])
    assert moved.state.display.npair.margin == 0.5
    assert not moved.history.can_undo


# ---- the page --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", PRESETS)
def test_every_preset_opens_and_has_tables_or_a_reason(slug: str) -> None:
    sent = bench_of(_app(desk(State(PRESETS[slug].make(), default_state().method))), "npair")
    more = sent.head["more"]
    assert (more["tables"] is None) == more["refused"]
    assert more["words"]
    assert sent.head["parts"] == list(LAYOUTS["npair"].parts)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in CHOICES.items() for value in values])
def test_every_choice_of_a_link_opens(name: str, value: str) -> None:
    _app(desk(_with(default_state(), **{name: value})))


@pytest.mark.parametrize("weigh", WEIGHS)
def test_the_chosen_loss_moves_the_points(weigh: str) -> None:
    head = bench_of(_app(desk(_with(default_state(), weigh=weigh))), "npair").head
    now = scene(*npair_seen(_with(default_state(), weigh=weigh)))
    assert head["method"] == weigh
    longest = np.linalg.norm(now.forces, axis=1).max()
    assert head["forces"] == pytest.approx((now.forces / longest).ravel().tolist(), abs=1e-3)


def test_a_batch_without_pairs_is_told_so_below_too() -> None:
    lonely = State(PRESETS["singleton"].make(), default_state().method)
    app = _app(desk(_with(lonely, filled="batch")))
    assert "class C has 1" in _words(app)
    assert "nothing to make longer" in _words(app)


def test_class_mining_goes_forward_and_back_and_the_link_remembers() -> None:
    app = _app(desk())
    assert "Choice 1 of 5" in _words(app)
    clean(app.button(key="msviz.npair.next").click().run())
    assert _lab(app).reached == 2
    assert "Step 2" in _words(app)
    clean(app.button(key="msviz.npair.all").click().run())
    assert "Choice 5 of 5" in _words(app)
    assert app.button(key="msviz.npair.next").disabled
    clean(app.button(key="msviz.npair.back").click().run())
    assert _lab(app).reached == 4
    clean(app.button(key="msviz.npair.seed").click().run())
    assert (_lab(app).seed, _lab(app).reached) == (1, 4)
    link = bench_of(app, "npair").head["link"]["query"]
    assert "reached=4" in link
    assert "seed=1" in link


def test_settings_of_class_mining_change_what_is_mined() -> None:
    app = _app(desk())
    for name, value in (("examples", 1), ("picks", 9), ("first", 4)):
        clean(app.selectbox(key=f"msviz.npair.{name}").select(value).run())
        assert getattr(_lab(app), name) == value
    assert "Start: 4, as asked" in _words(app)
    assert "of 8, seed 0" in _words(app)
    assert "S<sub>ap</sub>" not in _words(app)  # one example a class: there is no positive


def test_a_start_that_the_data_do_not_have_is_a_random_one() -> None:
    app = _app(desk(_with(default_state(), first=39, picks=40)))
    assert app.selectbox(key="msviz.npair.first").value == -1
    assert app.selectbox(key="msviz.npair.picks").value == 10


def test_every_picture_has_words_for_it() -> None:
    app = _app(desk())
    charts = app.get("plotly_chart")
    assert len(charts) == 3
    images = [part.proto.body for part in app.get("html") if "msviz-mined" in part.proto.body]
    (body,) = images
    assert body.count("<img") == body.count("alt='")
