"""What is taken away: pictures open and hold what is shown, tables hold the core's numbers."""

import csv
import io
import struct
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image, ImageColor
from playwright.sync_api import Download, Locator, Page, expect

from msviz.figures.theme import DARK, LIGHT
from msviz.views.weights_curves import curves_view
from tests.browser.playground import Playground
from tests.browser.test_keyboard import tab_to

SVG = "{http://www.w3.org/2000/svg}"


def _panel(page: Playground, name: str) -> Locator:
    return page.page.locator(f".bench .panel.{name}")


def _save(page: Playground, name: str, kind: str) -> tuple[str, bytes]:
    """The name and the bytes of a panel's file."""
    panel = _panel(page, name)
    panel.locator(".save .opener").click()
    with page.page.expect_download() as started:
        panel.locator(f'.save [data-kind="{kind}"]').click()
    return _read(started.value)


def _read(download: Download) -> tuple[str, bytes]:
    return download.suggested_filename, Path(download.path()).read_bytes()


def _texts(svg: bytes) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{SVG}text"))


def _words(svg: bytes) -> list[str]:
    return [element.text or "" for element in _texts(svg)]


def _rows(table: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.decode("utf-8-sig"))))


@pytest.mark.parametrize("path", ["/", "/similarities", "/mining", "/weights", "/compare"])
def test_every_panel_of_every_page_becomes_a_picture_of_shapes_and_of_pixels(
    page: Page, address: str, path: str
) -> None:
    shown = Playground(page, address).open("?pair=4-6", path)
    panels = [panel for panel in page.locator(".bench .panel:has(> .save)").all() if panel.is_visible()]
    assert len(panels) >= 2
    for panel in panels:
        panel.locator(".save .opener").click()
        with page.expect_download() as started:
            panel.locator('.save [data-kind="svg"]').click()
        name, svg = _read(started.value)
        assert name.startswith(f"msviz-{shown.page.locator('.grid').get_attribute('class').split()[1]}-")
        assert name.endswith("-multi_similarity.svg")
        assert any(element.tag != f"{SVG}title" for element in ElementTree.fromstring(svg))
        box = panel.bounding_box()
        assert box is not None
        panel.locator(".save .opener").click()
        with page.expect_download() as started:
            panel.locator('.save [data-kind="png"]').click()
        _, png = _read(started.value)
        assert png.startswith(b"\x89PNG")
        width, height = struct.unpack(">II", png[16:24])
        assert (width, height) == pytest.approx((2 * box["width"] + 48, 2 * box["height"] + 48), abs=6)


CURVES = ("curves", {"What if only the similarity of 4→6 were different?", "S of 4→6", "Triplet (λ 0.1)"}, "#2f8a86")
STRIPS = ("strips", {"What if a parameter were different? All pairs of anchor 4", "dropped by mining"}, "#d55e00")
KEPT = ("kept", {"Kept pairs against ε", "share of pairs kept", "anchors of class B"}, "#ddaa33")


@pytest.mark.parametrize(
    ("path", "scheme", "ground", "charts"),
    [("/weights", "dark", DARK.paper, [CURVES, STRIPS]), ("/mining", "light", LIGHT.paper, [KEPT])],
)
def test_a_chart_becomes_a_picture_on_the_pages_ground_with_all_its_words(
    page: Page,
    address: str,
    path: str,
    scheme: Literal["light", "dark"],
    ground: str,
    charts: list[tuple[str, set[str], str]],
) -> None:
    page.emulate_media(color_scheme=scheme)
    Playground(page, address).open("?pair=4-6", path)
    for name, words, color in charts:
        frame = page.locator(f".st-key-msviz-picture-{name}")
        expect(frame.locator(".js-plotly-plot .xtick text").last).to_be_visible(timeout=60_000)
        svg, png = (_save_chart(page, f"save-{name}", f'button[data-kind="{kind}"]')[1] for kind in ("svg", "png"))
        assert words <= {"".join(text.itertext()) for text in _texts(svg)}
        picture, box = Image.open(io.BytesIO(png)).convert("RGBA"), frame.bounding_box()
        assert box is not None
        assert picture.size == pytest.approx((2 * box["width"] + 48, 2 * box["height"] + 48), abs=6)
        assert picture.getchannel("A").getextrema() == (255, 255)  # nothing shines through
        assert picture.getpixel((2, 2)) == (*ImageColor.getrgb(ground), 255)
        pixels = {found: count for count, found in picture.getcolors(1 << 24) or []}
        assert pixels.get((*ImageColor.getrgb(color), 255), 0) > 500  # the marks of the chart, not its words alone


def test_a_charts_numbers_are_those_of_the_core(page: Page, address: str) -> None:
    shown = Playground(page, address).open("?pair=4-6", "/weights")
    name, table = _save_chart(page, "csv-curves", "button")
    assert name == "msviz-weights-curves-4-6.csv"
    view = curves_view(shown.computed())
    assert view is not None
    weights = [float(w) for curve in view.curves for w in curve.weight]
    assert [float(row["weight"]) for row in _rows(table)] == pytest.approx(weights, abs=1e-12)


def _save_chart(page: Page, beside: str, button: str) -> tuple[str, bytes]:
    """The name and the bytes of what a button beside a chart's heading saves."""
    with page.expect_download() as started:
        page.locator(f".st-key-msviz-{beside} {button}").click()
    return _read(started.value)


def test_the_matrix_of_weights_holds_the_cores_numbers(playground: Playground) -> None:
    now = playground.computed()
    name, table = _save(playground, "matrix.w", "csv")
    assert name == "msviz-playground-w-multi_similarity.csv"
    rows = _rows(table)
    assert len(rows) == now.m * (now.m - 1)
    for row in rows:
        i, j = int(row["anchor"]), int(row["other"])  # ids are rows here
        assert np.float32(row["w"]) == np.float32(now.evaluation.gradient[i, j])
        assert row["mining"] == ("kept" if now.kept[i, j] else "dropped")
        assert row["kind"] == ("positive" if now.pairs.pos[i, j] else "negative")


def test_the_picture_of_the_matrix_writes_the_cells_as_the_page_does(playground: Playground) -> None:
    words = _words(_save(playground, "matrix.w", "svg")[1])
    assert "+.95" in words
    assert words.count("−.63") == 1
    assert "w · how much each pair weighs" in words


def test_the_board_is_drawn_with_its_points_and_told_with_their_places(playground: Playground) -> None:
    svg = _save(playground, "board", "svg")[1]
    assert {str(id) for id in range(14)} <= set(_words(svg))
    assert b"var(--" not in svg  # every colour is written out
    rows = _rows(_save(playground, "board", "csv")[1])
    board = playground.state().batch.board
    assert [[float(row["x"]), float(row["y"])] for row in rows] == board.tolist()


def test_the_keyboard_saves_too(playground: Playground) -> None:
    tab_to(playground, ".matrix.w .opener")
    playground.press("Enter", "ArrowRight", "ArrowRight")
    with playground.page.expect_download() as started:
        playground.page.keyboard.press("Enter")
    assert started.value.suggested_filename.endswith(".csv")
    expect(_panel(playground, "matrix.w").locator(".opener")).to_be_focused()
    playground.press("Enter", "Escape")
    expect(_panel(playground, "matrix.w").locator(".menu")).to_be_hidden()


def test_the_script_is_shown_and_downloaded(playground: Playground) -> None:
    playground.page.get_by_role("button", name="Take it away").click()
    dialog = playground.page.get_by_role("dialog")
    expect(dialog).to_contain_text("found = msviz.evaluate(sim, msviz.label_pairs(labels), method)")
    with playground.page.expect_download() as started:
        dialog.get_by_role("button", name="Script (.py)").click()
    name, text = _read(started.value)
    assert name == "msviz-multi_similarity-14-points.py"
    assert len(text.decode().splitlines()) <= 30
