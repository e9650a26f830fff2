"""The Similarities page runs for every batch and every choice, through AppTest; it never shows an exception."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from msviz.core.figure2 import Case
from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, Batch
from msviz.state import State, Watched, default_state
from msviz.state.figure2 import AT_FIRST, WHOSE
from msviz.text import say
from msviz.ui.similarities import message
from msviz.ui.table1 import table_html
from msviz.views.figure2 import figure2_view
from msviz.views.figure2_anchors import example_anchor
from msviz.views.table1 import ROWS, table1
from tests.ui.pages import clean, open_page
from tests.ui.parcels import Message, desk, unpack

CHOSEN = "msviz.figure2.methods"


def _app(state: State | None = None, **watched: Any) -> AppTest:
    """The page as a visitor gets it who comes from the Playground, with some choices under Figure 2 already made."""
    state = state or default_state().select(4, 6)
    return open_page("similarities", desk(state.with_display(state.display.replace(figure2=Watched(**watched)))))


def _watched(app: AppTest) -> Watched:
    found: Watched = app.session_state["msviz.desk"].state.display.figure2
    return found


def _parts(app: AppTest) -> dict[str, Any]:
    return {component.key: component.proto for component in app.get("bidi_component")}


def _bench(app: AppTest) -> Message:
    return unpack(_parts(app)["msviz.bench.similarities"].bytes)


def _figure(app: AppTest) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_parts(app)["msviz.figure2"].json)
    return found


def _words(app: AppTest) -> str:
    return "\n".join(text.value for text in (*app.markdown, *app.info, *app.caption))


def test_the_bench_holds_three_matrices_and_the_line_of_the_pair() -> None:
    head = _bench(_app()).head
    assert [panel["key"] for panel in head["panels"]] == ["S", "P", "N"]
    line = head["more"]["pairline"]
    assert (line["anchor"], line["other"], line["positive"], line["rival"]["id"]) == (4, 6, False, 0)
    assert [role for role, _ in line["sentences"]] == ["S", "P", "P", "N"]


def test_the_legends_say_in_words_what_p_and_n_are() -> None:
    notes = {panel["key"]: panel["note"] for panel in _bench(_app()).head["panels"]}
    assert notes["S"] is None
    assert notes["P"].endswith("Mining keeps pairs above −ε = −0.1.")
    assert "β = 40" in notes["N"]
    off = default_state().with_method(Method("triplet"))
    assert {panel["key"]: panel["note"] for panel in _bench(_app(off)).head["panels"]}["P"].endswith("it is off.")


@pytest.mark.parametrize("slug", PRESETS)
def test_every_batch_is_shown(slug: str) -> None:
    preset = PRESETS[slug]
    app = _app(State(preset.make(), METHODS["authors"]).select(*(preset.pair or (None,))), whose="pair")
    assert _bench(app).sim.shape == (len(preset.labels),) * 2
    assert (_bench(app).head["more"]["pairline"] is None) == (preset.pair is None)


def test_where_all_labels_differ_p_is_blank_and_the_page_says_why() -> None:
    batch = Batch.of([[1, 0], [0, 1], [-1, 0]], [0, 1, 2])
    app = _app(State(batch, METHODS["authors"]).select(0, 1), whose="pair", case=Case.LEAST_POSITIVE)
    assert "has no positive to compare with" in _bench(app).head["more"]["pairline"]["sentences"][1][1]
    assert say("figure2.nobody") in _words(app)


@pytest.mark.parametrize("case", Case)
@pytest.mark.parametrize("whose", WHOSE)
def test_every_case_can_be_watched_on_every_anchor(case: Case, whose: str) -> None:
    app = _app(case=case, whose=whose)
    sent = _figure(app)
    assert len(sent["methods"]) == len(AT_FIRST)
    assert {len(one["weights"]) for one in sent["methods"]} == {len(sent["shift"])} == {41}
    assert len(sent["sims"][0]) == len(sent["names"])


def test_the_odd_anchor_shows_its_exception() -> None:
    sent = _figure(_app(case=Case.NEGATIVES_ONLY, whose="odd"))
    assert sent["methods"][0]["worst"] is not None
    assert sent["methods"][0]["verdict"].endswith("a rival enters mining there")


@pytest.mark.parametrize("selection", [(4, 0), (4, None), (None, None)])
def test_without_a_negative_pair_the_page_says_what_to_select(selection: tuple[int | None, int | None]) -> None:
    app = _app(default_state().select(*selection), whose="pair")
    assert say("figure2.choose") in _words(app)
    assert "msviz.figure2" not in _parts(app)


def test_without_a_method_the_page_asks_for_one() -> None:
    assert say("figure2.methods.none") in _words(_app(methods=()))


def test_methods_can_be_chosen_and_the_active_one_follows_the_strip() -> None:
    app = _app(default_state().with_method(Method("triplet", lam=0.3)))
    assert _figure(app)["methods"][0]["name"] == "Triplet (λ 0.3)"
    app.multiselect(key=CHOSEN).select("nca")
    assert len(_figure(clean(app.run()))["methods"]) == len(AT_FIRST) + 1
    assert _watched(app).methods == (*AT_FIRST, "nca")


def test_what_is_chosen_under_figure_2_is_a_part_of_the_link_and_no_step_of_the_history() -> None:
    app = _app(step=7)
    case, _ = app.get("button_group")
    clean(case.set_value(Case.NEGATIVES_ONLY).run())
    assert _watched(app) == Watched(Case.NEGATIVES_ONLY)  # another case begins at the first position
    _, whose = app.get("button_group")
    clean(whose.set_value("odd").run())
    assert _watched(app) == Watched(Case.NEGATIVES_ONLY, "odd")
    assert "&case=1n&row=odd" in _bench(app).head["link"]["query"]
    assert not _bench(app).head["can_undo"]


def test_the_slider_begins_where_the_link_says() -> None:
    assert _figure(_app(step=7))["step"] == 7


def test_exceptions_are_counted_and_the_largest_can_be_shown() -> None:
    app = _app(State(PRESETS["two_clean"].make(), METHODS["ms"]), case=Case.NEGATIVES_ONLY)
    (button,) = (button for button in app.button if button.label == say("figure2.count"))
    clean(button.click().run())
    assert "12 of 32 negative pairs (37.5%; the batch has 32)" in _words(app)
    (button,) = (button for button in app.button if button.label == say("figure2.count.show", anchor=2, other=4))
    clean(button.click().run())
    assert (_watched(app).whose, _bench(app).head["more"]["pairline"]["other"]) == ("pair", 4)
    none = _app(State(PRESETS["figure2_p"].make(), METHODS["ms"]), case=Case.NEGATIVES_ONLY)
    (button,) = (button for button in none.button if button.label == say("figure2.count"))
    assert "None among 12 of 12 negative pairs" in _words(clean(button.click().run()))


def test_the_active_method_is_measured_in_one_sentence() -> None:
    assert "answers to S in 266, P in 38, N in 230 of 500 anchors" in _words(_app())
    assert "answers to nothing" in _words(_app(default_state().with_method(Method("linear"))))


def test_another_seed_measures_the_table_anew() -> None:
    app = _app()
    assert "with seed 0" in _table(app)
    (button,) = (button for button in app.button if button.label == say("table1.again"))
    assert "with seed 1" in _table(clean(button.click().run()))
    assert "table1=1" in _bench(app).head["link"]["query"]


def _table(app: AppTest) -> str:
    (found,) = (str(element.proto.body) for element in app.get("html") if "msviz-table1" in element.proto.body)
    return found


def test_the_table_has_a_row_a_method_with_its_ticks_in_words_and_its_evidence() -> None:
    table = table_html(table1(0), 0)
    rows = re.findall(r"<tr class='rows'.*?</tr>", table)
    assert len(rows) == len(ROWS)
    for row in rows:
        assert len(re.findall(r"<td role='cell' class='tick", row)) == 6
        assert row.count("<details>") == 1
    assert [word for word in re.findall(r"class='hidden'>([^<]*)</span></td>", rows[0])] == ["yes", "no", "no"] * 2
    assert "see the footnote" in rows[3]  # histogram answers to S, too


def test_names_in_the_table_are_escaped() -> None:
    table = table_html((replace(table1(0)[0], name="<img src=x>"),), 0)
    assert "<img" not in table
    assert "&lt;img src=x&gt;" in table


def test_the_slider_stays_while_case_and_anchor_do() -> None:
    one = message(figure2_view(Case.WHOLE_ROW, example_anchor(), [METHODS["ms"]]), "1 example")
    assert one["name"] == "1 example"
    assert json.dumps(one, allow_nan=False)
    assert {mark["shape"] for mark in one["looks"].values()} == {"circle", "triangle"}
