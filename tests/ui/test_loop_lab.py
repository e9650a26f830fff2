"""The LoOp lab runs for every batch and method, through Streamlit's AppTest; it never shows an exception."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from msviz.core.methods import METHODS, Method
from msviz.core.scheme import PLAIN
from msviz.data import PRESETS, Batch, digits_batch
from msviz.state import State, default_state
from msviz.text import say
from msviz.ui.desk import Desk
from msviz.ui.loop_lab import loop_seen
from msviz.views.loop_examples import circle_four, sphere_four
from tests.ui.pages import bench_of, clean, open_page
from tests.ui.parcels import Message, desk


def _app(start: Desk) -> AppTest:
    return open_page("loop", start)


def _bench(app: AppTest) -> Message:
    return bench_of(app, "loop")


def _words(app: AppTest) -> str:
    return " ".join(text.value for text in app.markdown)


def _click(app: AppTest, name: str) -> AppTest:
    return clean(app.button(key=f"msviz.loop.{name}").click().run())


def _state(app: AppTest) -> State:
    found: Desk = app.session_state["msviz.desk"]
    return found.state


@pytest.mark.parametrize("slug", PRESETS)
def test_every_preset_is_shown(slug: str) -> None:
    batch = PRESETS[slug].make()
    app = _app(desk(State(batch, METHODS["authors"])))
    more, two = _bench(app).head["more"], len(batch.classes) > 1
    assert (more["loop"] is not None) == two
    assert bool(more["why"]) != two
    assert len(app.get("plotly_chart")) == (2 if two else 0)


def test_the_first_visit_shows_an_arc_in_each_of_two_classes() -> None:
    more = _bench(_app(desk())).head["more"]["loop"]
    assert more["ids"] == [0, 1, 5, 6]
    assert more["title"] == "Corner a = A, b = 0: p1 stands on x2, p2 on y1."
    assert [row["name"] for row in more["distances"]][:2] == ["p1–p2", "x1–y1 (0–5)"]
    assert "click two points of two classes" in more["pairs"]


def test_a_selected_pair_says_which_arcs() -> None:
    more = _bench(_app(desk(default_state().select(4, 6)))).head["more"]["loop"]
    assert more["ids"] == [4, 0, 6, 7]
    assert "the selected pair" in more["pairs"]


def test_the_panels_say_which_is_which() -> None:
    panels = _bench(_app(desk())).head["panels"]
    assert [panel["title"] for panel in panels] == [
        *("S, plain", "S with LoOp", "w, plain · Multi-similarity", "w with LoOp · Multi-similarity"),
    ]
    assert all(panel["named"] for panel in panels)


def test_four_points_are_one_step_that_can_be_undone() -> None:
    app = _app(desk(default_state().select(4, 6)))
    for name, batch in (("circle", circle_four()), ("sphere", sphere_four())):
        before = _state(app).batch
        _click(app, name)
        assert _state(app).batch == batch
        assert _state(app).display.selection is None
        assert app.session_state["msviz.desk"].history.undo().present.batch == before
        assert _bench(app).head["more"]["loop"]["ids"] == [0, 1, 2, 3]


def test_each_draw_is_another_one_on_the_surface_of_the_batch() -> None:
    app, drawn = _app(desk()), []
    for name, dimensions in (("random", 2), ("random", 2), ("sphere", 3), ("random", 3)):
        _click(app, name)
        drawn.append(_state(app).batch)
        assert drawn[-1].board.shape == (4, dimensions)
    assert drawn[0] != drawn[1]


def test_the_two_losses_are_a_click_away_and_mining_stays() -> None:
    app = _app(desk())
    assert _state(_click(app, "triplet")).method == Method("triplet", epsilon=0.1)
    assert _state(_click(app, "multi_similarity")).method.name == "multi_similarity"


@pytest.mark.parametrize("method", [Method("triplet"), Method("histogram"), Method("supcon"), METHODS["ms_mining"]])
def test_every_kind_of_method_is_shown(method: Method) -> None:
    _app(desk(default_state().with_method(method).select(4, 6)))


def test_below_stand_the_pairs_the_methods_and_the_way_to_training() -> None:
    app = _app(desk())
    words = _words(app)
    assert "On average LoOp's similarity is 0.010 above the plain one. Cells in which it is larger: 16 of 100" in words
    table = next(block.proto.body for block in app.get("html") if "The batch without and with LoOp" in block.proto.body)
    for method in ("Triplet (λ 0.1, ε 0.1), plain", "Triplet (λ 0.1, ε 0.1), LoOp", "ε 0.1), LoOp"):
        assert method in table
    assert "42 + 37" in table
    assert "50 + 68" in table
    assert [link.proto.label for link in app.get("page_link")] == ["Train with LoOp"]
    for chart in app.get("plotly_chart"):
        assert "LoOp's similarity is 0.010 above" in chart.proto.alt


def test_norms_do_not_count_here_and_that_is_said() -> None:
    flat = default_state().with_normalize(False)
    flat = flat.with_batch(flat.batch.moved(0, (1.5, 0), on_circle=False))
    head = _bench(_app(desk(flat))).head
    assert head["places"][:2] == [1, 0]
    assert not head["board"]["flat"]
    assert not head["board"]["planar"]  # no switch for it
    assert say("page.loop.directions") in head["more"]["loop"]["lines"]
    assert head["more"]["loop"]["ids"] == [0, 1, 5, 6]


def test_a_large_batch_has_a_sentence_in_place_of_matrices() -> None:
    batch = Batch.of([[np.cos(k / 90), np.sin(k / 90)] for k in range(520)], [k % 4 for k in range(520)])
    state = State(batch, METHODS["authors"])
    assert loop_seen(state)[1] == PLAIN
    app = _app(desk(state))
    head = _bench(app).head
    assert head["panels"] == []
    assert say("page.loop.large", limit=512) in head["more"]["loop"]["lines"]
    assert say("page.loop.large", limit=512) in _words(app)


def test_a_batch_of_many_dimensions_is_shown() -> None:
    app = _app(desk(State(digits_batch([3, 8], 4, seed=0, space="pixels"), METHODS["authors"]).select(0, 5)))
    assert "64-D" in " ".join(_bench(app).head["more"]["loop"]["lines"])


@pytest.mark.filterwarnings("ignore::msviz.core.loop.AntipodalWarning")
def test_points_opposite_each_other_at_the_centre_or_alone_are_no_error() -> None:
    opposite = Batch.of([[1, 0], [-1, 0], [0, 1], [0.6, 0.8]], [0, 0, 1, 1])
    centre = Batch.of([[0, 0], [1, 0], [0, 1], [-1, 0]], [0, 0, 1, 1])
    alone = Batch.of([[1, 0], [0, 1]], [0, 1])
    for batch, said in ((opposite, "x2 is opposite x1"), (alone, "Point 0 is alone in its class")):
        more = _bench(_app(desk(State(batch, METHODS["authors"])))).head["more"]["loop"]
        assert said in " ".join(more["lines"])
    more = _bench(_app(desk(State(centre, METHODS["authors"])))).head["more"]
    assert more["loop"] is None
    assert "no direction" in more["why"]
