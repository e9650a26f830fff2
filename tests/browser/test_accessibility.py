"""axe-core finds nothing serious in what is ours, on any page, in the light and in the dark."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from msviz.ui.router import EXPLORE, LABS, TRAIN
from tests.browser.playground import Playground

WITHOUT_BENCH = {"ablation", "limits"}
SERIOUS = {"serious", "critical"}
# What axe finds in Streamlit's own elements, by its rule and a part of the selector that it names.
STREAMLITS = {
    ("nested-interactive", "stPlotlyChart"),
    ("scrollable-region-focusable", "stMain"),
    ("aria-allowed-attr", "stTopNav"),
}


def serious(page: Page) -> list[str]:
    """Rule and selector of every serious finding that is not Streamlit's own."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {selector}: {node['failureSummary'].splitlines()[-1].strip()}"
        for rule in found
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
        for selector in [str(node["target"])]
        if not any(rule["id"] == known and part in selector for known, part in STREAMLITS)
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [*EXPLORE, *TRAIN, *LABS])
def test_axe_finds_nothing_serious_in_our_content(page: Page, address: str, name: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    if name in WITHOUT_BENCH:
        page.goto(f"{address}/{name}")
        again = re.compile("^(Run|Run again|Go on|Stop)$")  # another test may have begun a run, which is everybody's
        expect(page.get_by_role("button", name=again)).to_be_visible(timeout=60_000)
    else:
        Playground(page, address).open("?pair=4-6", f"/{name}")
    assert serious(page) == []


def test_axe_would_find_a_picture_without_a_name(page: Page, address: str) -> None:
    Playground(page, address).open()
    page.locator(".bench svg[role=img]").first.evaluate("picture => picture.removeAttribute('aria-label')")
    assert any("svg-img-alt" in line for line in serious(page))
