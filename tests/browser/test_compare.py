"""The Compare page in a browser: methods come and go, two are told apart, a pair is selected, blocks open."""

import math
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from msviz.core.methods import METHODS, Method
from msviz.data import Batch
from msviz.state import DEFAULT_OTHERS, State, encode
from msviz.ui.compare import figures
from msviz.views.compare import compared, disagreement
from tests.browser.playground import Playground
from tests.browser.test_keyboard import tab_to


@pytest.fixture
def compare(page: Page, address: str) -> Playground:
    return Playground(page, address).open("?pair=4-6", "/compare")


def _agrees(compare: Playground) -> None:
    """The figures under every heatmap are those that the core computes of the page's own link."""
    now = compare.computed()
    for one in compared(now):
        box = compare.page.locator(f".matrix.{one.key} .figures")
        expect(box.locator("p")).to_have_text(figures(now, one))


def test_a_drag_moves_every_heatmap_and_ends_on_the_cores_numbers(compare: Playground) -> None:
    colors = [compare.color(key, 4, 6) for key in ("w", "c1", "c2", "d")]
    compare.drag(4, to=compare.angle(4) - 40, drop=False)
    held = [compare.color(key, 4, 6) for key in ("w", "c1", "c2", "d")]
    assert sum(one != two for one, two in zip(colors, held, strict=True)) >= 3  # while it is held
    compare.page.mouse.up()
    compare.settle()
    _agrees(compare)


def test_a_method_is_added_made_active_and_removed_and_each_is_a_step(compare: Playground) -> None:
    page = compare.page
    page.get_by_label("Method to add").select_option("nca")
    page.get_by_role("button", name="Add", exact=True).click()
    compare.settle()
    expect(compare.change()).to_have_text("Compared with NCA (s 1): now 7 methods.")
    expect(page.locator(".matrix.c5 h2")).to_have_text("7 · NCA")
    page.locator(".matrix.c5").get_by_role("button", name="Make NCA").click()
    compare.settle()
    expect(page.locator(".strip select")).to_have_value("nca")
    expect(page.locator(".matrix.w h2")).to_have_text("1 · NCA")
    page.locator(".matrix.c0").get_by_role("button", name="Remove Contrastive").click()
    compare.settle()
    assert compare.state().others == (*DEFAULT_OTHERS[1:], METHODS["authors"])
    compare.press("Control+z", "Control+z", "Control+z")
    assert (compare.state().others, compare.state().method) == (DEFAULT_OTHERS, METHODS["authors"])
    _agrees(compare)


def test_one_click_selects_the_pair_on_which_two_methods_disagree_everywhere(compare: Playground) -> None:
    page = compare.page
    page.get_by_label("Second method").select_option("4")
    compare.settle()
    assert compare.state().display.versus == (1, 4)
    now = compare.computed()
    methods = compared(now)
    found = disagreement(now.state.batch.ids, methods[0], methods[3])
    assert found is not None
    page.get_by_role("button", name=f"Select pair {found.anchor} → {found.other}").click()
    compare.settle()
    selection = compare.state().display.selection
    assert selection is not None
    assert (selection.anchor, selection.other) == (found.anchor, found.other)
    page.get_by_role("link", name="Playground").click()
    expect(page.locator(".inspector h2")).to_contain_text(f"pair {found.anchor}→{found.other}")


def test_the_switch_says_what_colours_show_and_survives_in_the_link(compare: Playground) -> None:
    page = compare.page
    page.get_by_role("radio", name="% of total, log").click()
    compare.settle()
    expect(page.locator(".matrix.c1 .caption").first).to_contain_text("% of its total, log")
    compare.press("ArrowLeft")
    expect(page.get_by_role("radio", name="raw, each its own scale")).to_have_attribute("aria-checked", "true")
    expect(page.locator(".matrix.c1 .caption").first).to_contain_text("own scale")
    assert compare.state().display.shares == "own"


def test_the_keyboard_alone_adds_a_method_and_walks_a_heatmap(compare: Playground) -> None:
    page = compare.page
    tab_to(compare, ".adder select")
    page.keyboard.press("t")  # "The active method", then Triplet
    compare.press("Tab", "Enter")
    expect(page.locator(".adder b")).to_have_text("7 methods")
    tab_to(compare, ".matrix.c0 canvas")
    compare.press("ArrowRight")
    expect(compare.spoken()).to_contain_text("0 → 1, positive (class A, A): 2 · Contrastive pulls by 1.25%")
    compare.press("Enter")
    selection = compare.state().display.selection
    assert selection is not None
    assert (selection.anchor, selection.other) == (0, 1)


def _large() -> str:
    turn = np.random.RandomState(0).normal(0, 0.4, 160) + np.repeat([0, 2], 80)
    batch = Batch.of([[math.cos(t), math.sin(t)] for t in turn], np.repeat([0, 1], 80).tolist())
    return f"?{urlencode(encode(State(batch, METHODS['authors'], others=(Method('triplet'),))))}"


def test_a_large_batch_shows_blocks_and_a_click_looks_into_one(page: Page, address: str) -> None:
    compare = Playground(page, address).open(_large(), "/compare")
    heading = page.locator(".matrix.c0 .part")
    expect(heading).to_contain_text("Means of blocks of about 8 × 8 pairs.")
    compare.click_cell("c0", 0, 10)
    expect(heading).to_contain_text("One block: 8 of class A × 8 of class B.")
    now = compare.computed()
    assert now.state.display.zoom == (0, 80)
    page.locator(".matrix.w canvas").focus()
    compare.press("ArrowDown", "Enter")
    selection = compare.state().display.selection
    assert selection is not None
    assert (selection.anchor, selection.other) == (1, 80)
    page.locator(".matrix.w canvas").focus()  # "Copy link" had it
    compare.press("Escape")
    expect(heading).to_contain_text("Means of blocks")
    compare.drag(5, to=compare.angle(5) + 20)
    _agrees(compare)
    bench = page.locator(".bench")
    bench.evaluate(
        """bench => new MutationObserver(() => (bench.seen ??= []).push("busy" in bench.dataset))
          .observe(bench, { attributeFilter: ["data-busy"] })"""
    )
    page.get_by_role("button", name="paper", exact=True).click()
    compare.settle()
    seen = bench.evaluate("bench => bench.seen")  # its pictures stand back while the strip waits
    assert (seen[0], seen[-1]) == (True, False)
