"""The Similarities page in a real browser: a drag moves the line, keys alone are enough, the pair survives the page."""

import csv
import io
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from msviz.core.figure2 import Case
from msviz.core.methods import METHODS
from msviz.state import Watched
from msviz.views.figure2 import figure2_view
from msviz.views.figure2_anchors import example_anchor
from msviz.views.pairline import pair_line
from tests.browser.conftest import watched
from tests.browser.playground import Playground
from tests.browser.test_keyboard import tab_to

SLIDER = ".figure2 input[type=range]"


def _open(page: Page, address: str, query: str = "?pair=4-6") -> Playground:
    opened = Playground(page, address).open(path="/similarities", query=query)
    page.wait_for_selector('.figure2[data-ready="1"]', timeout=60_000)
    return opened


def _said(playground: Playground, role: str) -> Locator:
    return playground.page.locator(f".said .role-{role} span")


def test_a_drag_moves_the_line_and_its_sentences_while_the_point_is_in_hand(page: Page, address: str) -> None:
    bench = _open(page, address)
    expect(_said(bench, "S")).to_contain_text("S = 0.982")
    bench.drag(6, to=150, drop=False)
    held = _said(bench, "S").inner_text()
    assert "S = 0.982" not in held
    page.mouse.up()
    bench.settle()
    line = pair_line(bench.computed())
    assert line is not None
    expect(_said(bench, "S")).to_contain_text(f"S = {line.s:.3f}".replace("-", "−"))
    expect(_said(bench, "P")).to_contain_text("the least similar positive, 4→0")
    expect(page.locator(".pairline .words text").first).to_have_text(f"S {line.s:.3f}".replace("-", "−"))


def test_with_keys_alone_a_case_is_scrubbed_and_evidence_opened(page: Page, address: str) -> None:
    bench = _open(page, address)
    tab_to(bench, ".matrix.N canvas")
    bench.press("ArrowRight", "Enter")
    expect(page.locator(".pairline h2")).to_contain_text("Pair 0→1")
    slider = page.locator(SLIDER)
    tab_to(bench, SLIDER)
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".figure2 output")).to_have_text("t = 0.070")  # four of forty steps from .30 to 1
    expect(slider).to_have_attribute("aria-valuetext", "t 0.070, S 0.62, P −0.03, N 1.00, " + _first(page) + " 0.992")
    page.keyboard.press("End")
    expect(page.locator(".figure2 output")).to_have_text("t = 0.700")
    expect(page.locator(".figure2 tbody td").first).to_have_text("2.5e−7")
    tab_to(bench, ".msviz-table1 summary")
    page.keyboard.press("Enter")
    expect(page.locator(".msviz-table1 details").first).to_contain_text("The weight moved in 177 of 500 anchors.")


def _first(page: Page) -> str:
    return page.locator(".figure2 tbody th span").first.inner_text()


def test_nothing_plays_by_itself_and_who_wants_less_motion_gets_no_player(page: Page, address: str) -> None:
    _open(page, address)
    play, shown = page.locator(".figure2 .play"), page.locator(".figure2 output")
    expect(shown).to_have_text("t = 0.000")
    play.click()
    expect(shown).to_have_text("t = 0.700", timeout=15_000)
    expect(play).to_have_text("▶ Play")
    page.emulate_media(reduced_motion="reduce")
    expect(play).to_be_hidden()


def test_the_pair_survives_a_change_of_the_page(page: Page, address: str) -> None:
    bench = _open(page, address)
    bench.click_cell("P", 0, 6)
    expect(page.locator(".pairline h2")).to_contain_text("Pair 0→6")
    page.get_by_role("link", name="Playground").click()
    page.wait_for_selector(".inspector")
    bench.settle()
    expect(bench.inspector()).to_contain_text("Why does pair 0→6 weigh")
    page.get_by_role("link", name="Similarities").click()
    page.wait_for_selector(".pairline h2")
    expect(page.locator(".pairline h2")).to_contain_text("Pair 0→6")


def test_figure_2_is_taken_away_with_the_numbers_of_the_core(page: Page, address: str) -> None:
    _open(page, address)
    expected = figure2_view(Case.OTHER_NEGATIVES, example_anchor(), [METHODS["ms"]])
    rows = list(csv.reader(io.StringIO(_saved(page, "csv").removeprefix("\ufeff"))))
    assert rows[0][:6] == ["position", "t", "S", "P", "N", f"weight: {expected.methods[0].name}"]
    assert [float(row[5]) for row in rows[1:]] == pytest.approx(expected.methods[0].weight.values, rel=1e-9)
    picture = ElementTree.fromstring(_saved(page, "svg"))
    texts = list(picture.iter("{http://www.w3.org/2000/svg}text"))
    assert any("must fall" in (text.text or "") for text in texts)
    (name,) = (text for text in texts if text.text == "n2")
    assert "stroke" in name.get("paint-order", "")  # the outline lies under the letters, not over them


def test_what_is_chosen_under_figure_2_comes_back_with_the_link(
    page: Page, context: BrowserContext, address: str
) -> None:
    one = _open(page, address)
    page.locator(".st-key-msviz-figure2-case").get_by_text("1, negatives only").click()
    page.locator(".st-key-msviz-figure2-whose").get_by_text("the selected pair").click()
    expect(page.get_by_text("Anchor 4 of the batch above; the pair is 4→6.")).to_be_visible()
    page.locator(SLIDER).focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(page.locator('.figure2[data-step="39"]')).to_be_visible()
    at = page.locator(".figure2 output").inner_text()
    faults: list[str] = []
    again = _open(watched(context, faults), address, f"?{urlsplit(one.copied_link()).query}")
    assert again.state().display.figure2 == Watched(Case.NEGATIVES_ONLY, "pair", step=39)
    expect(again.page.get_by_text("Anchor 4 of the batch above; the pair is 4→6.")).to_be_visible()
    expect(again.page.locator(".figure2 output")).to_have_text(at)
    assert faults == []


def _saved(page: Page, kind: str) -> str:
    page.locator(".figure2 .save .opener").click()
    with page.expect_download() as download:
        page.locator(f'.figure2 .save [data-kind="{kind}"]').click()
    return Path(download.value.path()).read_text(encoding="utf-8")
