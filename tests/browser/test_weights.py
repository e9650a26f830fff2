"""The Weights page in a browser: a cell opens its equation and both pictures; the selection goes along."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from msviz.views.pushes import pushes_view
from tests.browser.conftest import watched
from tests.browser.playground import Playground
from tests.browser.test_keyboard import tab_to

CHARTS = ".js-plotly-plot"


@pytest.fixture
def weights(page: Page, address: str) -> Playground:
    return Playground(page, address).open("?pair=none", "/weights")


def test_a_cell_opens_its_equation_and_both_pictures(weights: Playground) -> None:
    expect(weights.page.get_by_text("Choose a pair")).to_be_visible()
    weights.click_cell("w", 4, 6)
    expect(weights.inspector().locator("h2")).to_have_text("Why does pair 4→6 weigh 0.947?")
    expect(weights.inspector().locator(".role-result")).to_have_text("0.947")
    expect(weights.page.get_by_text("What if only the similarity of 4→6 were different?")).to_be_visible()
    expect(weights.page.locator(CHARTS)).to_have_count(5, timeout=60_000)
    expect(weights.page.locator(".matrix.w .foot")).to_contain_text("closed form = autograd")


def test_the_pictures_follow_a_gesture_when_it_has_ended(weights: Playground) -> None:
    weights.click_cell("w", 4, 6)
    expect(weights.page.get_by_text("Above S = 0.142 it counts.")).to_be_visible()
    weights.field("ε").fill("0.2")
    weights.press("Enter")
    expect(weights.page.get_by_text("Above S = 0.042 it counts.")).to_be_visible()


def test_the_keyboard_alone_finds_a_pair_and_its_pictures(weights: Playground) -> None:
    tab_to(weights, ".matrix.w canvas")
    weights.press(*["ArrowDown"] * 4, *["ArrowRight"] * 6, "Enter")
    expect(weights.inspector().locator("h2")).to_contain_text("4→6")
    expect(weights.page.locator(CHARTS)).to_have_count(5, timeout=60_000)


def test_the_selection_survives_a_change_of_the_page(weights: Playground) -> None:
    weights.click_cell("w", 4, 6)
    weights.page.get_by_role("link", name="Playground").click()
    expect(weights.page.locator(".grid.playground")).to_be_visible(timeout=60_000)
    weights.settle()
    expect(weights.inspector().locator("h2")).to_contain_text("4→6")


@pytest.mark.parametrize("path", ["/similarities", "/mining", "/weights", "/compare"])
def test_the_link_of_every_page_restores_page_and_state(
    page: Page, context: BrowserContext, address: str, path: str
) -> None:
    query = "?beta=63.5&epsilon=0.2&vs=triplet~lam~0.2,linear&batch=sphere_overlapping&pair=4-6&shares=raw&hide=forces"
    one = Playground(page, address).open(query, path)
    link = urlsplit(one.copied_link())
    assert link.path == path
    faults: list[str] = []
    again = Playground(watched(context, faults), address).open(f"?{link.query}", link.path)
    assert again.state() == one.state()
    assert again.state().method.params.beta == 63.5
    assert faults == []


@pytest.mark.parametrize("path", ["/similarities", "/mining", "/weights", "/compare"])
def test_a_hostile_link_gives_defaults_and_sentences_on_every_page(page: Page, address: str, path: str) -> None:
    query = (
        "?loss=%3Cscript%3Ealert(1)%3C/script%3E&points=AAAA&pair=9999-1&vs=%00&shares=all&hide=everything&epsilon=-1"
    )
    shown = Playground(page, address).open(query, path)
    expect(shown.change()).to_contain_text("The link asks for the loss <script>")
    expect(shown.change()).to_contain_text("The points in this link are damaged")
    assert shown.computed().m == 14


def test_forces_per_pair_draw_an_arrow_for_each_pair_and_go_into_the_link(weights: Playground) -> None:
    weights.page.get_by_label("forces per pair").check()
    weights.settle()
    expect(weights.page.get_by_text("Select a point")).to_be_visible()
    weights.click_point(4)
    view = pushes_view(weights.computed())
    assert view is not None
    drawn = [text for text in weights.page.locator(".pushes .name").all_text_contents() if text]
    assert drawn == ["sum", *(str(push.other) for push in view.pushes if push.other is not None)]
    assert weights.state().display.per_pair
