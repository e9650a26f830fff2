"""Keyboard only, the matrices included, with what a screen reader would hear."""

import pytest
from playwright.sync_api import expect

from tests.browser.playground import Playground


def tab_to(playground: Playground, selector: str) -> None:
    """Press Tab until an element matching the selector has the focus."""
    inside = """selector => { let e = document.activeElement;
      while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement; return Boolean(e?.matches(selector)); }"""
    for _ in range(60):
        if playground.page.evaluate(inside, selector):
            return
        playground.page.keyboard.press("Tab")
    pytest.fail(f"Tab never reaches {selector}")


def test_the_links_to_pages_show_where_the_keyboard_stands(playground: Playground) -> None:
    tab_to(playground, "a[href$='/mining']")
    focused = playground.page.locator("a[href$='/mining']")
    expect(focused).to_have_css("outline-style", "solid")
    expect(focused).to_have_css("outline-width", "3px")


def test_the_board_is_one_tab_stop_and_arrows_move_a_point(playground: Playground) -> None:
    tab_to(playground, ".point")
    expect(playground.point(0)).to_be_focused()
    playground.press("PageDown", "PageDown")
    expect(playground.point(2)).to_be_focused()
    start = playground.angle(2)
    playground.press("ArrowUp")
    assert playground.angle(2) == pytest.approx(start + 1, abs=0.02)
    playground.press("Shift+ArrowDown")
    assert playground.angle(2) == pytest.approx(start - 9, abs=0.02)
    expect(playground.point(2)).to_have_attribute("aria-label", "Point 2, class A, at 26 degrees")
    playground.page.keyboard.press("Tab")
    expect(playground.page.locator(".board .save button").first).to_be_focused()
    playground.page.keyboard.press("Tab")
    expect(playground.page.locator(".matrix.S canvas")).to_be_focused()


def test_keys_add_relabel_select_and_delete(playground: Playground) -> None:
    tab_to(playground, ".point")
    playground.press("2")
    expect(playground.change()).to_contain_text("Point 0: class A → B")
    playground.press("a")
    expect(playground.change()).to_contain_text("Point 14 added to class A")
    playground.press("Home", "Escape", "Enter", "PageDown", "Enter")
    expect(playground.inspector()).to_contain_text("Why does pair 0→1 weigh")
    playground.press("Delete")
    expect(playground.change()).to_contain_text("Point 1 removed")
    expect(playground.point(2)).to_be_focused()  # the focus goes on to the next one
    expect(playground.inspector()).not_to_contain_text("0→1")


def test_undo_and_redo_have_keys(playground: Playground) -> None:
    tab_to(playground, ".point")
    before = playground.readouts()
    playground.press("Delete")
    after = playground.readouts()
    playground.press("Control+z")
    assert playground.readouts() == before
    playground.press("Control+Shift+z")
    assert playground.readouts() == after


def test_a_held_arrow_key_is_one_step_of_undo(playground: Playground) -> None:
    tab_to(playground, ".point")
    start = playground.angle(0)
    for _ in range(5):
        playground.page.keyboard.down("ArrowUp")
    playground.page.keyboard.up("ArrowUp")
    playground.settle()
    assert playground.angle(0) == pytest.approx(start + 5, abs=0.02)
    playground.press("Control+z")
    assert playground.angle(0) == pytest.approx(start, abs=0.001)


def test_a_matrix_is_one_tab_stop_and_speaks_every_cell(playground: Playground) -> None:
    tab_to(playground, ".matrix.w canvas")
    expect(playground.page.locator(".matrix.w canvas")).to_have_attribute(
        "aria-label",
        "w · how much each pair weighs, 14 by 14. Arrow keys move the cell, Enter selects the pair, Escape clears.",
    )
    playground.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    expect(playground.spoken()).to_have_text(
        "0 → 5, negative (class A, B): S 0.643, weight 0.997. Kept: 0.64 > 0.24 − 0.10 (0 → 4)."
    )
    playground.press("ArrowRight")
    expect(playground.spoken()).to_contain_text("Dropped: 0.05 ≤ 0.24 − 0.10 (0 → 4).")
    playground.press("ArrowLeft", "Enter")
    expect(playground.inspector()).to_contain_text("Why does pair 0→5 weigh 0.997?")
    playground.press("Escape")
    expect(playground.inspector()).to_contain_text("Why does a pair weigh what it weighs?")


def test_the_change_line_and_the_refusals_are_announced(playground: Playground) -> None:
    expect(playground.change()).to_have_attribute("role", "status")
    expect(playground.page.locator(".bench > .spoken")).to_have_attribute("aria-live", "polite")


def test_a_slider_moves_by_one_step_of_its_parameter(playground: Playground) -> None:
    tab_to(playground, "input[type=range]")  # alpha is the first
    playground.press("ArrowRight")
    expect(playground.field("α")).to_have_value("2.1")
    tab_to(playground, "#slider-epsilon")
    playground.press("ArrowRight")
    expect(playground.field("ε")).to_have_value("0.11")
    expect(playground.change()).to_contain_text("ε 0.1 → 0.11")
