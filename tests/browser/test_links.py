"""Links: what they restore, how they are copied where there is no clipboard API, deep links, bad links."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import watched
from tests.browser.playground import READY, Playground
from tests.chromium import FLAGS, chromium_or_skip
from tests.server import running_app


def test_a_link_restores_batch_method_and_display_to_the_last_digit(
    playground: Playground, context: BrowserContext, address: str
) -> None:
    playground.drag(5, to=77)
    playground.field("β").fill("63.5")
    playground.press("Enter")
    playground.click_cell("w", 4, 7)
    playground.page.get_by_label("forces", exact=True).uncheck()
    playground.settle()
    link = playground.copied_link()
    faults: list[str] = []
    again = Playground(watched(context, faults), address)
    again.open("?" + urlsplit(link).query)
    assert again.readouts() == playground.readouts()
    assert again.inspector().inner_text() == playground.inspector().inner_text()
    assert again.angle(5) == playground.angle(5)
    expect(again.page.get_by_label("forces", exact=True)).not_to_be_checked()
    assert again.copied_link() == link
    assert faults == []


def test_a_readable_link_sets_one_parameter(page: Page, address: str) -> None:
    playground = Playground(page, address).open("?beta=80")
    expect(playground.field("β")).to_have_value("80")
    expect(playground.field("α")).to_have_value("2")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("?beta=-3", "The link sets β to -3, but it must be a number > 0 and ≤ 200. It stays 40."),
        ("?loss=quadratic", "The link asks for the loss quadratic"),
        ("?points=AAAA", "The points in this link are damaged or incomplete."),
        ("?pair=99-1", "The link selects the pair 99-1"),
    ],
)
def test_a_bad_link_gives_the_defaults_and_one_sentence(page: Page, address: str, query: str, sentence: str) -> None:
    playground = Playground(page, address).open(query)
    expect(playground.change()).to_contain_text(sentence)
    assert playground.readouts()[0] == "1.0858"


@pytest.mark.parametrize("path", ["/", "/playground"])
def test_a_deep_link_as_the_first_visit_to_a_fresh_server_shows_the_page(chromium: Browser, path: str) -> None:
    with running_app() as fresh:
        context = chromium.new_context(viewport={"width": 1440, "height": 900})
        faults: list[str] = []
        page = watched(context, faults)
        page.goto(f"{fresh}{path}?beta=80&batch=singleton")
        page.wait_for_selector(READY, timeout=60_000)
        expect(page.locator('[data-testid="stAppViewContainer"] h1')).to_have_text("Playground")
        expect(page.get_by_role("button", name="Choose a batch")).to_be_visible()
        expect(page.get_by_text("Page not found")).to_have_count(0)
        expect(Playground(page, fresh).field("β")).to_have_value("80")
        assert faults == []
        context.close()


def test_the_link_can_be_copied_on_a_plain_http_address_of_the_local_network(chromium: Browser) -> None:
    # A name that only this browser knows stands for the lecturer's address: plain http, so no clipboard API.
    with running_app("--browser.serverAddress=lecture.test") as address:
        port = urlsplit(address).port
        rules = "--host-resolver-rules=MAP lecture.test 127.0.0.1"
        browser = chromium.browser_type.launch(executable_path=chromium_or_skip(), args=[*FLAGS, rules])
        faults: list[str] = []
        page = watched(browser.new_context(viewport={"width": 1440, "height": 900}), faults)
        playground = Playground(page, f"http://lecture.test:{port}").open()
        assert page.evaluate("isSecureContext") is False
        assert page.evaluate("navigator.clipboard === undefined") is True
        page.get_by_role("button", name="Copy link").click()
        field = page.get_by_label("Link to this state")
        expect(field).to_be_visible()
        expect(field).to_be_focused()
        selected = "e => e.value.slice(e.selectionStart, e.selectionEnd)"
        link = field.evaluate(selected)
        assert link.startswith(f"http://lecture.test:{port}/")
        assert link == field.input_value()
        playground.open("?" + urlsplit(link).query)
        assert playground.readouts()[0] == "1.0858"
        assert faults == []
        browser.close()
