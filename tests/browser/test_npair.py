"""The N-pair lab in a browser: points are dragged, tuplets and N chosen by keyboard, tables read, classes mined."""

import math
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from msviz.core.npair import Pairing
from msviz.state.npair_lab import NPairLab
from msviz.text import number, say
from msviz.ui.npair_lab import npair_seen
from msviz.views.npair_mining import mining_view
from msviz.views.npair_tables import TupletsView, tuplets_view
from msviz.views.scene import scene
from tests.browser.playground import READY, Playground
from tests.browser.test_keyboard import tab_to


class Lab(Playground):
    """The open lab."""

    def view(self) -> TupletsView:
        """What the core computes of the page's own link."""
        found = tuplets_view(scene(*npair_seen(self.state())))
        assert found is not None
        return found

    def cells(self, name: str) -> list[list[str]]:
        rows = self.page.locator(f".of-{name} tbody tr").all()
        return [row.locator("td").all_inner_texts() for row in rows]

    def td(self, name: str, i: int, j: int) -> Locator:
        return self.page.locator(f".of-{name} tbody tr").nth(i).locator("td").nth(j)

    def values(self) -> list[str]:
        return self.page.locator(".npair-tables strong").all_inner_texts()[1:]

    def agrees(self) -> None:
        """Every number in the tables is the core's."""
        view = self.view()
        assert self.values() == [number(table.value, 3) for table in view.losses]
        for name, table in {"S": view.sim, **{it.method.name: it.gradient for it in view.losses}}.items():
            for texts, row in zip(self.cells(name), table.tolist(), strict=True):
                for text, value in zip(texts, row, strict=True):
                    assert _reads(text, value), (name, text, value)


def _reads(text: str, value: float) -> bool:
    if math.isnan(value) or text == "○":
        return text == "" or value == 0
    digit = 0.1 if abs(value) >= 0.995 else 0.01
    return abs(float(text.replace("−", "-")) - value) <= digit / 2 + 1e-5


@pytest.fixture
def lab(page: Page, address: str) -> Lab:
    return Lab(page, address).open("", "/npair")  # type: ignore[return-value]


def test_a_drag_changes_numbers_while_it_lasts_and_ends_on_the_cores(lab: Lab) -> None:
    before, cells = lab.values(), lab.cells("npair")
    lab.drag(6, to=lab.angle(6) + 60, drop=False)
    held = lab.cells("npair")
    assert held != cells
    lab.page.mouse.up()
    lab.settle()
    assert lab.values() != before
    lab.agrees()
    lab.press("Control+z")
    assert (lab.values(), lab.cells("npair")) == (before, cells)


def test_arrow_keys_move_an_anchor_and_the_tables_follow(lab: Lab) -> None:
    before = lab.cells("S")
    tab_to(lab, ".point")
    expect(lab.point(0)).to_have_attribute("aria-label", re.compile("ringed: an anchor$"))
    lab.press("Shift+ArrowUp")
    assert lab.cells("S") != before
    lab.agrees()


def test_a_point_that_takes_no_part_moves_nothing_in_the_tables(lab: Lab) -> None:
    before = lab.cells("npair")
    expect(lab.point(3)).to_have_class("point idle")
    lab.drag(3, to=lab.angle(3) + 90)
    assert lab.cells("npair") == before
    expect(lab.page.locator("td.changed")).to_have_count(0)


def test_what_a_gesture_changed_has_a_corner_in_the_table_of_the_loss_that_acts(lab: Lab) -> None:
    expect(lab.page.locator("td.changed")).to_have_count(0)
    before = lab.view().loss("npair").gradient
    lab.drag(0, to=lab.angle(0) - 40)  # an anchor: nobody else meets it
    changed = abs(lab.view().loss("npair").gradient - before) > 5e-4
    assert changed.tolist() == [[True] * 3, [False] * 3, [False] * 3]
    for i in range(3):
        expect(lab.page.locator(".of-npair tbody tr").nth(i).locator(".changed")).to_have_count(3 * (i == 0))
    expect(lab.page.locator("td.changed")).to_have_count(3)
    expect(lab.page.locator(".npair-tables .legend")).to_contain_text("corner: changed last")


def test_tuplets_n_and_loss_are_chosen_by_keyboard(lab: Lab) -> None:
    tab_to(lab, ".card")
    expect(lab.page.locator(".card[aria-checked=true] .count")).to_have_text("2 × 3 = 6 embeddings")
    lab.press("ArrowRight")  # from the last to the first
    expect(lab.page.locator(".card[aria-checked=true] .count")).to_have_text("3 × 3 = 9 embeddings")
    expect(lab.page.locator(".card[aria-checked=true]")).to_be_focused()
    expect(lab.page.locator(".part-words")).to_have_text("9 of the 14 points take part.")
    assert lab.state().display.npair.tuplets is Pairing.TRIPLETS
    lab.agrees()
    tab_to(lab, ".n .chip")
    lab.press("ArrowLeft")
    expect(lab.page.locator(".card[aria-checked=true] .count")).to_have_text("3 × 2 = 6 embeddings")
    assert len(lab.cells("S")) == 2
    tab_to(lab, ".weigh .chip")
    lab.press("ArrowRight", "ArrowRight")
    expect(lab.page.locator(".grid-of.moves")).to_have_class(re.compile("of-triplet"))
    chosen = lab.state().display.npair
    assert (chosen.n, chosen.weigh) == (2, "triplet")
    lab.agrees()


def test_the_margin_is_felt_while_its_slider_moves(lab: Lab) -> None:
    page, before = lab.page, lab.values()
    slider = page.get_by_role("slider", name="triplet margin")
    slider.focus()
    page.keyboard.down("Shift")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.keyboard.up("Shift")
    lab.settle()
    assert lab.values()[:2] == before[:2]
    assert lab.values()[2] != before[2]
    slider.blur()
    lab.settle()
    assert lab.state().display.npair.margin == pytest.approx(0.6)
    lab.agrees()
    expect(page.get_by_role("button", name="Undo")).to_have_attribute("aria-disabled", "true")


def test_a_table_is_one_tab_stop_whose_arrows_name_the_pairs(lab: Lab) -> None:
    page = lab.page
    tab_to(lab, ".of-npair td")
    page.keyboard.press("ArrowDown")
    expect(lab.td("npair", 1, 0)).to_be_focused()
    expect(lab.spoken()).to_have_text(re.compile(r"5 → 1, negative .*N-pair-mc.* pushes by 0\.4"))
    expect(lab.td("triplet", 1, 0)).to_have_class(re.compile("lit"))
    expect(lab.edge(5, 1)).to_have_class(re.compile("lit"))
    page.keyboard.press("Enter")
    lab.settle()
    selection = lab.state().display.selection
    assert selection is not None
    assert (selection.anchor, selection.other) == (5, 1)
    expect(lab.td("S", 1, 0)).to_have_class(re.compile("chosen"))
    tab_to(lab, ".of-npair_ovo td")


def test_hovering_a_cell_lights_its_two_points(lab: Lab) -> None:
    lab.td("S", 2, 1).hover()
    expect(lab.page.locator(".point.lit")).to_have_count(2)
    expect(lab.page.locator(".tip")).to_contain_text("10 → 6")


def test_norms_count_and_the_penalty_wakes_up(lab: Lab) -> None:
    page = lab.page
    expect(page.get_by_role("slider", name="norm penalty")).to_be_disabled()
    page.get_by_role("checkbox", name="let norms count").click()
    lab.settle()
    expect(page.get_by_role("slider", name="norm penalty")).to_be_enabled()
    expect(page.locator(".told")).to_contain_text("the penalty adds 0.05 × mean |x|²")
    assert not lab.state().normalize
    lab.agrees()


def test_a_batch_that_is_too_small_says_so_and_one_click_draws_another(page: Page, address: str) -> None:
    lab = Lab(page, address)
    lab.open("?batch=singleton", "/npair")
    expect(page.locator(".told.refused")).to_contain_text("class C has 1")
    expect(page.locator(".tables")).to_be_hidden()
    page.get_by_role("button", name="Draw a batch that has enough").click()
    lab.settle()
    expect(page.locator(".board h2")).to_contain_text("12 points, 3 classes · points for tuplets")
    lab.agrees()
    page.get_by_role("button", name="New points: 8 classes").click()
    lab.settle()
    assert len(lab.cells("triplet")) == 8
    lab.press("Control+z", "Control+z")
    expect(page.locator(".told.refused")).to_be_visible()


def test_class_mining_goes_on_step_by_step_and_the_copied_link_brings_it_back(lab: Lab) -> None:
    page = lab.page
    page.get_by_role("button", name="Next step").click()
    expect(page.get_by_text("Choice 2 of 5, seed 0")).to_be_visible()
    expect(page.locator(".msviz-mined .pair")).to_have_count(3)
    page.get_by_role("button", name="New seed").click()
    expect(page.get_by_text("Choice 2 of 5, seed 1")).to_be_visible()
    words = [say(line) for line in mining_view(NPairLab(reached=2, seed=1)).words]
    expect(page.locator(".msviz-mined .log li")).to_have_text(words)
    page.goto(lab.copied_link())
    page.wait_for_selector(READY, timeout=60_000)
    expect(page.get_by_text("Choice 2 of 5, seed 1")).to_be_visible()
    expect(page.locator(".msviz-mined .log li")).to_have_text(words)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_of_the_tables_holds_their_numbers(lab: Lab, scheme: str) -> None:
    page = lab.page
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.locator(".npair-tables .save .opener").click()
    with page.expect_download() as download:
        page.locator(".npair-tables .save button", has_text="SVG").click()
    text = download.value.path().read_text(encoding="utf-8")
    for value in lab.values():
        assert value in text
    page.locator(".npair-tables .save .opener").click()
    with page.expect_download() as download:
        page.locator(".npair-tables .save button", has_text="CSV").click()
    rows = download.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert len(rows) == 1 + 9
    assert rows[0].startswith("anchor,anchor_class,other,other_class,kind,S,npair_gradient")
