"""Where Chromium is, how it is started, and what its absence means."""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)

# No sandbox, because CI is root. The rest keeps the browser from talking to anybody but the server under test.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str | None:
    """Return the path of an installed Chromium or Chrome, or None."""
    found = (shutil.which(name) for name in NAMES)
    installed = (path for path in APPLICATIONS if Path(path).exists())
    return next((path for path in found if path), None) or next(installed, None)


def chromium_or_skip() -> str:
    """Return the path of Chromium. Without one, skip the test, or fail it when CI=true: nobody reads skips there."""
    path = find_chromium()
    if path is not None:
        return path
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail("CI=true and no Chromium: install it (Debian: apt-get install -y chromium)", pytrace=False)
    pytest.skip(f"no Chromium here (looked for {', '.join(NAMES)}): browser tests need one")


def launch(playwright: "Playwright", path: str) -> "Browser":
    """Start the Chromium at `path`, headless."""
    return playwright.chromium.launch(executable_path=path, args=list(FLAGS))
