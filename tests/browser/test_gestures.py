"""Pointer: what is dragged, clicked and added shows the core's numbers everywhere."""

import pytest
from playwright.sync_api import expect

from msviz.figures.theme import LIGHT
from msviz.text import number
from msviz.views.matrices import matrix_view
from msviz.views.readouts import readouts
from tests.browser.playground import Playground


def rgb(code: str) -> tuple[int, ...]:
    return tuple(int(code[at : at + 2], 16) for at in (1, 3, 5))


def weight_color(gradient: float, scale: float) -> tuple[int, ...]:
    """A signed weight's colour: from the background to blue (pulls) or vermilion (pushes)."""
    share, end = min(1.0, abs(gradient) / scale), LIGHT.pull if gradient < 0 else LIGHT.push
    return tuple(round(a + share * (b - a)) for a, b in zip(rgb(LIGHT.paper), rgb(end), strict=True))


def assert_page_shows_the_cores_numbers(playground: Playground) -> None:
    computed = playground.computed()
    numbers, matrices = readouts(computed), matrix_view(computed)
    shown = playground.readouts()
    assert shown[0] == number(numbers.loss, 4)
    assert shown[1] == f"{numbers.kept_positives} + {numbers.kept_negatives}"
    scale = float(computed.weights.max()) or 1.0
    kept = [(i, j) for i in range(computed.m) for j in range(computed.m) if matrices.decision[i, j] in (1, 3)]
    assert kept
    for i, j in kept[:: max(1, len(kept) // 25)]:
        expected = weight_color(float(matrices.gradient[i, j]), scale)
        assert playground.color("w", i, j) == pytest.approx(expected, abs=3), (i, j)


def test_dragging_a_point_changes_heatmap_edge_and_numbers_to_the_cores_values(playground: Playground) -> None:
    assert_page_shows_the_cores_numbers(playground)
    loss, cell = playground.readouts()[0], playground.color("w", 0, 5)
    edge = playground.edge(3, 5).get_attribute("stroke-width")
    playground.drag(5, to=100)
    assert playground.angle(5) == pytest.approx(100, abs=0.7)
    assert playground.readouts()[0] != loss
    assert playground.color("w", 0, 5) != cell
    assert playground.edge(3, 5).count() == 0 or playground.edge(3, 5).get_attribute("stroke-width") != edge
    expect(playground.change()).to_contain_text("Point 5: 58° → ")
    assert_page_shows_the_cores_numbers(playground)


def test_numbers_follow_while_the_point_is_still_in_hand(playground: Playground) -> None:
    loss = playground.readouts()[0]
    playground.drag(5, to=100, drop=False)
    assert playground.readouts()[0] != loss
    held = playground.readouts()
    playground.page.mouse.up()
    playground.settle()
    assert playground.readouts() == held  # letting go changes no number


def test_a_drag_leaves_a_ghost_and_is_one_step_of_undo(playground: Playground) -> None:
    before = playground.readouts()
    playground.drag(5, to=100)
    expect(playground.page.locator(".ghosts path")).to_have_count(1)
    playground.page.get_by_role("button", name="Undo").click()
    playground.settle()
    assert playground.readouts() == before
    assert playground.angle(5) == pytest.approx(58, abs=0.01)
    playground.page.get_by_role("button", name="Redo").click()
    playground.settle()
    assert playground.readouts() != before


def test_a_click_on_the_circle_adds_a_point_of_the_active_class(playground: Playground) -> None:
    playground.page.get_by_role("radio", name="C").click()
    playground.page.mouse.click(*playground.place(300, radius=0.9))
    playground.settle()
    assert playground.angle(14) == pytest.approx(-60, abs=1)
    expect(playground.change()).to_contain_text("Point 14 added to class C")
    expect(playground.point(14)).to_have_attribute("aria-label", "Point 14, class C, at 300 degrees")
    assert_page_shows_the_cores_numbers(playground)


def test_a_new_class_stays_until_its_first_point_is_there(playground: Playground) -> None:
    playground.page.get_by_role("button", name="+ class").click()
    playground.drag(0, to=12)  # something else in between
    playground.page.mouse.click(*playground.place(300, radius=0.9))
    playground.settle()
    expect(playground.change()).to_contain_text("Point 14 added to class D")


def test_two_clicks_on_points_explain_their_pair(playground: Playground) -> None:
    playground.page.keyboard.press("Escape")
    playground.click_point(9)
    expect(playground.inspector()).to_contain_text("Anchor 9, class B")
    playground.click_point(11)
    expect(playground.inspector()).to_contain_text("Why does pair 9→11 weigh")
    expect(playground.inspector()).to_contain_text("Kept by mining: S = ")
    expect(playground.point(9).locator(".ring")).to_have_class("ring anchor")
    expect(playground.point(11).locator(".ring")).to_have_class("ring other")


def test_a_click_on_an_edge_explains_its_pair_and_adds_no_point(playground: Playground) -> None:
    middle = """path => { const half = path.getPointAtLength(path.getTotalLength() / 2);
      const at = half.matrixTransform(path.getScreenCTM()); return [at.x, at.y]; }"""
    x, y = playground.edge(9, 5).evaluate(middle)
    playground.page.mouse.click(x, y)
    playground.settle()
    expect(playground.inspector()).to_contain_text("Why does pair 5→9 weigh")
    expect(playground.page.locator(".point")).to_have_count(14)


def test_a_cell_explains_the_same_pair_with_the_cores_equation(playground: Playground) -> None:
    playground.click_cell("S", 4, 6)
    computed = playground.computed()
    weight = number(float(computed.weights[4, 6]), 3)
    expect(playground.inspector().locator("h2")).to_have_text(f"Why does pair 4→6 weigh {weight}?")
    expect(playground.inspector().locator("math").last).to_have_text(f"={weight}")
    playground.click_cell("w", 0, 9)
    expect(playground.inspector()).to_contain_text("Dropped by mining: S = −0.99 ≤ 0.24 − 0.1 = 0.14")


def test_hovering_a_cell_lights_its_points_without_asking_python(playground: Playground) -> None:
    seq = playground.page.locator(".bench").get_attribute("data-seq")
    playground.page.mouse.move(*playground.cell("w", 0, 5))
    expect(playground.point(0)).to_have_class("point lit")
    expect(playground.point(5)).to_have_class("point lit")
    expect(playground.page.locator(".bench > .tip")).to_contain_text("0 → 5, negative (class A, B): S 0.643")
    assert playground.page.locator(".bench").get_attribute("data-seq") == seq


def test_dragging_rebuilds_nothing_under_the_pointer(playground: Playground) -> None:
    mark = "e => { e.dataset.mark = 'same'; }"
    kept = ['.point[data-id="5"]', ".matrix.w canvas", ".strip select", ".strip .row input[type=range]"]
    for selector in kept:
        playground.page.locator(selector).first.evaluate(mark)
    playground.drag(5, to=100)
    for selector in kept:
        expect(playground.page.locator(selector).first).to_have_attribute("data-mark", "same")


def test_a_drag_is_shown_without_a_run_of_the_page_until_it_ends(playground: Playground) -> None:
    asked: list[str] = []
    playground.page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    playground.page.evaluate(
        "() => { const send = WebSocket.prototype.send; window.runs = 0;"
        " WebSocket.prototype.send = function (data) { window.runs += 1; return send.call(this, data); }; }"
    )
    playground.drag(5, to=100, drop=False)
    assert asked.count("frame") > 2
    assert playground.page.evaluate("window.runs") == 0
    playground.page.mouse.up()
    playground.settle()
    assert playground.page.evaluate("window.runs") == 1


def test_where_frames_cannot_be_asked_for_the_session_shows_every_move(playground: Playground) -> None:
    playground.page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('no such address')); }")
    loss = playground.readouts()[0]
    playground.drag(5, to=100, drop=False)
    held = playground.readouts()
    assert held[0] != loss
    playground.page.mouse.up()
    playground.settle()
    assert playground.readouts() == held
    assert_page_shows_the_cores_numbers(playground)
    playground.page.get_by_role("button", name="Undo").click()
    playground.settle()
    assert playground.readouts()[0] == loss


def test_a_drag_right_after_another_begins_where_that_one_ended(playground: Playground) -> None:
    for id, to in ((5, 100), (9, 150)):  # the second begins before the session has answered the first
        start = playground.angle(id)
        playground.page.mouse.move(*playground.place(start))
        playground.page.mouse.down()
        for step in range(1, 7):
            playground.page.mouse.move(*playground.place(start + (to - start) * step / 6))
        playground.page.mouse.up()
    playground.settle()
    assert playground.angle(5) == pytest.approx(100, abs=0.7)
    assert playground.angle(9) == pytest.approx(150, abs=0.7)
    assert_page_shows_the_cores_numbers(playground)


def test_escape_puts_a_dragged_point_back(playground: Playground) -> None:
    before, start = playground.readouts(), playground.angle(5)
    playground.drag(5, to=100, drop=False)
    assert playground.readouts() != before
    playground.press("Escape")
    playground.page.mouse.up()
    playground.settle()
    assert playground.angle(5) == start
    assert playground.readouts() == before
    expect(playground.page.get_by_role("button", name="Undo")).to_have_attribute("aria-disabled", "true")


def test_reloading_the_page_brings_everything_back(playground: Playground) -> None:
    playground.drag(5, to=100)
    playground.field("β").fill("80")
    playground.press("Enter")
    before = playground.readouts()
    playground.page.reload()
    playground.page.wait_for_selector('.bench[data-ready="1"]')
    playground.settle()
    assert playground.readouts() == before
    expect(playground.field("β")).to_have_value("80")
