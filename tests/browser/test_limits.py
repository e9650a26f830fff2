"""The Limits page in a browser: by keyboard, in both themes, stopped, saved, and followed to the Playground."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from msviz.state import decode
from tests.browser.playground import Playground
from tests.browser.test_accessibility import serious

SLOW = 60_000


def opened(page: Page, address: str, limit: str) -> Page:
    page.goto(f"{address}/limits?limit={limit}")
    expect(page.get_by_role("radio", name=limit)).to_be_checked(timeout=SLOW)
    return page


def measured(page: Page) -> Page:
    expect(page.get_by_text("This run shows")).to_be_visible(timeout=SLOW)
    return page


def run(page: Page) -> Page:
    page.get_by_role("button", name="Run", exact=True).click()
    return measured(page)


def focused(page: Page) -> str:
    text: str = page.evaluate("() => document.activeElement.innerText")
    return text


def test_the_keyboard_alone_chooses_a_limit_and_runs_it(page: Page, address: str) -> None:
    opened(page, address, "Small batches")
    page.get_by_role("radio", name="Small batches").focus()
    for key in [*["ArrowRight"] * 5, "Enter"]:  # from the first to the last
        page.keyboard.press(key)
    expect(page.get_by_text("Does every loss push negatives")).to_be_visible(timeout=SLOW)
    for _ in range(30):
        page.keyboard.press("Tab")
        if focused(page).endswith("Run"):
            break
    page.keyboard.press("Enter")
    expect(measured(page).get_by_text(re.compile("checks found pairs that go the wrong way"))).to_be_visible()


@pytest.mark.parametrize(("limit", "scheme"), [("Length", "light"), ("Signs", "dark")])
def test_axe_finds_nothing_serious_in_what_was_measured(page: Page, address: str, limit: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    assert serious(run(opened(page, address, limit))) == []


def test_a_curve_is_saved_as_picture_and_as_table(page: Page, address: str) -> None:
    run(opened(page, address, "Length"))
    starts = {"PNG": b"\x89PNG", "SVG": b"<svg", "CSV": b"\xef\xbb\xbfconstant,method,"}
    for label, start in starts.items():
        with page.expect_download() as saved:
            page.get_by_role("button", name=label).click()
        assert saved.value.path().read_bytes().startswith(start)


def test_a_run_that_is_stopped_keeps_its_points(page: Page, address: str) -> None:
    opened(page, address, "m² pairs")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text(re.compile(r"^[2-9] of 15 points"))).to_be_visible(timeout=SLOW)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text(re.compile(r"^Stopped after \d+ of 15 points"))).to_be_visible(timeout=SLOW)
    expect(page.get_by_role("button", name="Run again")).to_be_visible()
    assert page.locator(".js-plotly-plot .scatterlayer .trace").count() == 6  # three ways, time and memory


def test_a_finding_opens_on_the_playground_beside_the_page(page: Page, address: str) -> None:
    run(opened(page, address, "Signs"))
    with page.context.expect_page() as opened_beside:
        page.get_by_role("link", name=re.compile("3→2")).first.click()
    there = Playground(opened_beside.value, address)
    there.page.wait_for_selector('.bench[data-ready="1"]', timeout=SLOW)
    there.settle()
    wanted, errors = decode(dict(parse_qsl(urlsplit(there.page.url).query)))
    assert errors == ()
    assert there.state().method == wanted.method
    expect(there.inspector().locator("h2")).to_contain_text("3→2")
    expect(page.get_by_text("This run shows")).to_be_visible()  # what was measured is still there
