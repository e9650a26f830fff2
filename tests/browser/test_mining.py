"""The Mining page in a browser: lines by pointer and by keyboard, the gates of epsilon, one click to the opposite."""

import pytest
from playwright.sync_api import Locator, Page, expect

from msviz.views.mining import reasons_view
from msviz.views.readouts import readouts
from tests.browser.playground import Playground
from tests.browser.test_keyboard import tab_to


@pytest.fixture
def mining(page: Page, address: str) -> Playground:
    return Playground(page, address).open("?pair=4-6", "/mining")


def row(mining: Playground, nth: int) -> Locator:
    return mining.page.locator(".lines .row").nth(nth)


def gate(mining: Playground, nth: int, kind: str) -> tuple[float, float]:
    """The pixel in the middle of a gate of the nth line."""
    box = row(mining, nth).locator(f".pole.{kind}").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_every_anchor_has_a_line_with_the_cores_counts(mining: Playground) -> None:
    now = mining.computed()
    expect(mining.page.locator(".lines .row")).to_have_count(now.m)
    mined = now.evaluation.mined
    for nth in range(8):  # ids are in class order here
        counted = f"{int(mined.pos[nth].sum())} + {int(mined.neg[nth].sum())}"
        expect(row(mining, nth).locator(".count")).to_have_text(counted)
    expect(mining.page.locator(".reasons h2")).to_have_text("Anchor 4 keeps 4 of 4 positives, 4 of 9 negatives")
    rows = mining.page.locator(".reasons tbody tr")
    expect(rows).to_have_count(len(reasons_view(now).rows))
    expect(rows.first).to_contain_text("kept: 0.98 > 0.24 − 0.1 (4→0)")


def test_dragging_a_gate_moves_epsilon_and_is_one_step(mining: Playground) -> None:
    x, y = gate(mining, 4, "negative")
    mining.page.mouse.move(x, y)
    mining.page.mouse.down()
    for step in range(1, 9):
        mining.page.mouse.move(x - 6 * step, y)
    mining.settle()
    assert gate(mining, 4, "negative")[0] == pytest.approx(x - 48, abs=2)  # it moved while it was held
    assert float(mining.field("ε").input_value()) > 0.25  # and the strip with it
    mining.page.mouse.up()
    mining.settle()
    epsilon = mining.state().method.epsilon
    assert epsilon is not None
    assert epsilon > 0.25
    expect(mining.field("ε")).to_have_value(f"{epsilon:g}")
    expect(mining.change()).to_contain_text(f"ε 0.1 → {epsilon:g}")
    mining.press("Control+z")
    assert mining.state().method.epsilon == 0.1


def test_the_slider_moves_every_band_while_it_is_held(mining: Playground) -> None:
    band = row(mining, 0).locator(".bands .negative")
    before = band.bounding_box()
    box = mining.slider("ε").bounding_box()
    assert before is not None
    assert box is not None
    mining.page.mouse.move(box["x"] + box["width"] * 0.14, box["y"] + box["height"] / 2)
    mining.page.mouse.down()
    for share in (0.2, 0.3, 0.4):
        mining.page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)
    mining.settle()
    held = band.bounding_box()
    assert held is not None
    assert held["width"] > 2 * before["width"]
    mining.page.mouse.up()
    mining.settle()


def test_the_lines_are_one_tab_stop_and_arrows_choose_anchor_and_pair(mining: Playground) -> None:
    now = mining.computed()
    tab_to(mining, ".lines .scroller")
    mining.press("ArrowDown")
    expect(mining.spoken()).to_have_text("Anchor 5, class B: 4 positives and 7 negatives kept.")
    mining.press("ArrowLeft")
    nearest = max((j for j in range(now.m) if j != 5), key=lambda j: float(now.sim[5, j]))
    expect(mining.spoken()).to_contain_text(f"5 → {nearest}, ")
    expect(mining.point(nearest)).to_have_class("point lit")  # hover and keyboard light it on the board, too
    mining.press("Enter")
    expect(mining.page.locator(".reasons h2")).to_contain_text("Anchor 5 keeps")
    expect(mining.page.locator('.reasons [aria-current="true"]')).to_contain_text(f"5→{nearest}")
    tab_to(mining, ".reasons .scroller")  # the table can be scrolled by keys


def test_the_selection_survives_a_change_of_the_page(mining: Playground) -> None:
    mining.page.locator(".reasons tbody tr").nth(2).click()
    mining.settle()
    expect(mining.page.locator('.reasons [aria-current="true"]')).to_contain_text("4→7")
    mining.page.get_by_role("link", name="Playground").click()
    mining.page.wait_for_selector('.bench[data-ready="1"] .inspector')
    mining.settle()
    expect(mining.inspector()).to_contain_text("Why does pair 4→7 weigh")
    expect(mining.page.locator(".line h2")).to_have_text("Anchor 4 on a line")


@pytest.mark.parametrize("path", ["/", "/mining"])
@pytest.mark.parametrize("batch", ["empty", "one_point", "one_class", "two_clean"])
def test_one_click_shows_the_opposite_and_undo_brings_it_back(page: Page, address: str, batch: str, path: str) -> None:
    opened = Playground(page, address).open(f"?batch={batch}", path)
    before = opened.readouts()
    expect(page.locator(".why")).to_be_visible()
    page.locator(".remedies .button").first.click()
    opened.settle()
    expect(page.locator(".why")).to_be_hidden()
    assert readouts(opened.computed()).heaviest is not None
    page.get_by_role("button", name="Undo").click()
    opened.settle()
    expect(page.locator(".why")).to_be_visible()
    assert opened.readouts() == before
