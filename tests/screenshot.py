"""Make the picture in README.md: python -m tests.screenshot [file]"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.chromium import find_chromium, launch
from tests.server import ROOT, running_app

PICTURE = ROOT / "tests" / "pictures" / "playground.png"


def take(picture: Path) -> None:
    """Write the playground, in light colours and at 1440 x 900, to `picture`: the first batch, with a pair chosen."""
    path = find_chromium()
    if path is None:
        raise SystemExit("no Chromium here: install it first (Debian: apt-get install -y chromium)")
    with running_app() as address, sync_playwright() as playwright:
        browser = launch(playwright, path)
        page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light", reduced_motion="reduce")
        page.goto(f"{address}/?pair=4-6")
        page.wait_for_selector('[data-testid="stAppViewContainer"]', timeout=60_000)
        page.wait_for_selector('.bench[data-ready="1"]', timeout=60_000)
        # The first run has ended when the running man is gone; fonts come last.
        page.wait_for_selector('[data-testid="stStatusWidget"]', state="detached", timeout=60_000)
        page.evaluate("document.fonts.ready")
        picture.parent.mkdir(exist_ok=True)
        page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
