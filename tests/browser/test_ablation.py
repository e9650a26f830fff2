"""The Ablation page in a browser: a file that is sent, its start by keyboard, its pictures and tables; a run here."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from msviz.training import read_results
from msviz.training.ablation import reports, run_ablation
from tests.browser.test_accessibility import serious
from tests.ui.test_ablation import TINY

SLOW = 60_000


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sent") / "mine.jsonl"
    list(run_ablation(TINY, path, 1, "made by the test"))
    return path


def opened(page: Page, address: str) -> Page:
    page.goto(f"{address}/ablation")
    expect(page.get_by_text("Upload", exact=True)).to_be_visible(timeout=SLOW)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_file_is_sent_its_start_chosen_by_keyboard_and_all_of_it_saved(
    page: Page, address: str, sent: Path, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    opened(page, address).locator("input[type=file]").set_input_files(sent)
    expect(page.get_by_text("Your file.", exact=True)).to_be_visible(timeout=SLOW)
    page.get_by_role("radio", name="From scratch").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="After pre-training")).to_be_checked(timeout=SLOW)
    chart = page.locator(".st-key-msviz-picture-ablation-rows")
    expect(chart.locator(".js-plotly-plot .errorbar").first).to_be_visible(timeout=SLOW)
    assert serious(page) == []
    found = {}
    for name in ("PNG", "SVG", "CSV"):
        with page.expect_download() as saved:
            chart.get_by_role("button", name=name).click()
        found[name] = saved.value.path().read_bytes()
    assert found["PNG"].startswith(b"\x89PNG")
    assert "Paper: Cars-196" in found["SVG"].decode()
    rows = list(csv.DictReader(io.StringIO(found["CSV"].decode("utf-8-sig"))))
    report = reports(read_results(sent))[1]
    assert {row["start"] for row in rows} == {"pretrained"}
    assert [float(row["test_recall_1"]) for row in rows] == [it for row in report.rows for it in row.values.values()]


def test_a_run_is_begun_stopped_and_can_go_on(page: Page, address: str) -> None:
    opened(page, address).get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("progressbar")).to_be_visible(timeout=SLOW)
    expect(page.get_by_text("A small run.", exact=True)).to_be_visible(
        timeout=SLOW
    )  # its first numbers show themselves
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible(timeout=SLOW)
    expect(page.get_by_text("runs have ended and are kept")).to_be_visible()
