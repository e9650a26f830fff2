"""A fresh server and a real Chromium; any console error, exception or foreign request fails the test that caused it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from tests.browser.playground import Playground
from tests.chromium import chromium_or_skip, launch
from tests.server import running_app

# At a deep link Streamlit itself asks for two addresses that are not there.
STREAMLITS_OWN_PROBES = ("/_stcore/health", "/_stcore/host-config")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = chromium_or_skip()
    with sync_playwright() as playwright:
        browser = launch(playwright, path)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with running_app() as address:
        yield address


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    faults: list[str] = []
    page = watched(context, faults)
    yield page
    assert page.locator('[data-testid="stException"]').count() == 0
    assert faults == []


@pytest.fixture
def playground(page: Page, address: str) -> Playground:
    """The Playground, opened without a link."""
    return Playground(page, address).open()


def watched(context: BrowserContext, faults: list[str]) -> Page:
    """A new page that writes down everything that a clean page does not do."""
    page = context.new_page()

    def console(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.location.get("url", "").endswith(STREAMLITS_OWN_PROBES):
            faults.append(f"console: {message.text}")

    hosts: set[str] = set()  # the first request of a page is the visit itself

    def request(request: Request) -> None:
        if request.url.startswith(("data:", "blob:")):
            return
        host = request.url.split("/")[2]
        if request.is_navigation_request():
            hosts.add(host)
        elif host not in hosts:
            faults.append(f"asks {request.url}")

    page.on("console", console)
    page.on("request", request)
    page.on("pageerror", lambda error: faults.append(f"exception: {error}"))
    page.on("websocket", lambda socket: socket.url.split("/")[2] in hosts or faults.append(f"asks {socket.url}"))
    return page
