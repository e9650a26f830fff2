"""The LoOp lab in a browser: dragged, moved by keys, on the circle and on the sphere; what it shows is the core's."""

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from msviz.core.arcs import LoopCase
from msviz.core.scheme import Scheme
from msviz.text import number, say
from msviz.views.loop_four import FourView, four_view
from msviz.views.loop_words import case_title
from msviz.views.scene import Scene, scene
from tests.browser.playground import Playground
from tests.browser.test_keyboard import tab_to


@pytest.fixture
def lab(page: Page, address: str) -> Playground:
    """The lab with the first batch, nothing selected: x1 at 8 degrees, x2 at 22, y1 at 58, y2 at 95."""
    return Playground(page, address).open("?pair=none", "/loop")


def _now(lab: Playground) -> Scene:
    return scene(lab.state(), Scheme(loop=True))


def _computed(lab: Playground) -> FourView:
    view = four_view(_now(lab))
    assert isinstance(view, FourView)
    return view


def _where(lab: Playground) -> Locator:
    return lab.page.locator(".loopbox .where")


def _numbers(lab: Playground, table: int) -> list[str]:
    """The last column of a table of the facts: similarities, or multipliers."""
    return lab.page.locator(".loopfacts .barred").nth(table).locator("tbody td:last-child").all_inner_texts()


def _arcs(lab: Playground) -> dict[str, str]:
    """What is drawn of the arcs."""
    read = "paths => Object.fromEntries(paths.map(path => [path.getAttribute('class'), path.getAttribute('d')]))"
    found: dict[str, str] = lab.page.locator(".arcs path").evaluate_all(read)
    return found


def _place(lab: Playground, selector: str) -> tuple[float, float]:
    """Where the middle of a mark on the board lies, y upward."""
    box = "mark => { const b = mark.getBBox(); return [b.x + b.width / 2, -b.y - b.height / 2]; }"
    x, y = lab.page.locator(selector).evaluate(box)
    return x, y


def _load(lab: Playground, name: str) -> None:
    lab.page.get_by_role("button", name=name).click()
    expect(lab.change()).to_contain_text("4 points")
    lab.settle()


def _shows_the_cores_numbers(lab: Playground) -> FourView:
    view = _computed(lab)
    expect(_where(lab)).to_have_text(say(case_title(view)))
    similarities = [view.similarity, *(pair.similarity for pair in view.pairs)]
    assert _numbers(lab, 0) == [number(s, 3) for s in similarities]
    assert _numbers(lab, 1) == [number(round(m, 3), 3) for m in view.multipliers]
    return view


def test_the_first_visit_shows_two_arcs_and_the_cores_numbers(lab: Playground) -> None:
    view = _shows_the_cores_numbers(lab)
    assert view.ids == (0, 1, 5, 6)
    arcs = _arcs(lab)
    assert all(arcs[f"{arc} band"].startswith("M") for arc in "xy")
    assert arcs["x far"] == arcs["y far"] == ""
    assert _place(lab, ".closest .p1") == pytest.approx(tuple(np.cos(np.radians([22, 68]))), abs=0.01)
    names = lab.page.locator(".closest .names text").all_text_contents()
    assert names == ["x1", "x2 = p1", "y1 = p2", "y2"]


def test_dragging_an_end_over_the_other_arc_shows_at_once_that_they_meet(lab: Playground) -> None:
    expect(_where(lab)).to_have_text("Corner a = A, b = 0: p1 stands on x2, p2 on y1.")
    band = _arcs(lab)["y band"]
    lab.drag(5, 15, drop=False)
    expect(lab.page.locator(".loopbox .lines")).to_contain_text("The arcs meet")
    assert _numbers(lab, 0)[0] == "1.000"
    assert _arcs(lab)["y band"] != band
    expect(lab.page.locator(".boxplot .ridge").last).to_have_attribute("d", re.compile("^M"))
    lab.page.mouse.up()
    lab.settle()
    assert _shows_the_cores_numbers(lab).touching
    lab.page.get_by_role("button", name="Undo").click()
    lab.settle()
    assert _shows_the_cores_numbers(lab).case == LoopCase.X2_Y1


def test_what_is_dragged_changes_matrices_and_the_pairs_below(lab: Playground) -> None:
    before = lab.color("S", 0, 5), lab.color("S0", 0, 5)
    lab.drag(5, 15)
    assert (lab.color("S", 0, 5), lab.color("S0", 0, 5)) != before
    assert lab.color("S", 0, 5) != lab.color("S0", 0, 5)
    view = _computed(lab)
    assert view.similarity > view.nearest.similarity
    expect(lab.page.get_by_text("LoOp's similarity is")).to_be_visible()


def test_keys_move_a_point_and_the_new_solution_is_spoken(lab: Playground) -> None:
    tab_to(lab, ".point")
    lab.press("PageDown", "Shift+ArrowUp")  # point 1 from 22 to 32 degrees
    view = _shows_the_cores_numbers(lab)
    assert view.similarity == pytest.approx(np.cos(np.radians(58 - 32)), abs=1e-3)
    expect(lab.spoken()).to_have_text(re.compile("^Corner a = A, b = 0: .* a = 24.0 of 24.0 degrees"))
    label = lab.page.locator(".boxplot canvas").get_attribute("aria-label")
    assert label is not None
    assert "f = −0.899." in label


def test_two_clicked_points_choose_the_arcs(lab: Playground) -> None:
    lab.click_point(2)
    lab.click_point(13)
    view = _shows_the_cores_numbers(lab)
    assert view.ids == (2, 3, 13, 10)
    expect(lab.page.locator(".loopbox header .caption")).to_contain_text("Arcs 2–3 (A) and 13–10 (C)")


def test_on_the_sphere_an_end_faces_the_middle_of_an_arc_and_the_far_side_is_dotted(lab: Playground) -> None:
    _load(lab, "Four points on the sphere")
    view = _shows_the_cores_numbers(lab)
    assert view.case == LoopCase.Y1
    expect(lab.page.locator(".regions .here")).to_have_count(1)
    assert lab.page.locator(".regions rect").nth(1).get_attribute("class") == "bound here"
    assert _arcs(lab)["x far"] == ""
    tab_to(lab, ".plot")
    lab.press(*["Shift+ArrowLeft"] * 3)  # turned by 90 degrees
    arcs = _arcs(lab)
    assert arcs["x far"].startswith("M")
    assert arcs["x band"].startswith("M")
    tab_to(lab, ".point")
    similarity = _numbers(lab, 0)[0]
    lab.press("Shift+ArrowDown")
    assert _numbers(lab, 0)[0] != similarity
    _shows_the_cores_numbers(lab)


def test_the_darkest_place_of_the_box_is_where_the_mark_stands(lab: Playground) -> None:
    _load(lab, "Four points on the sphere")
    canvas, mark = lab.page.locator(".boxplot canvas"), lab.page.locator(".boxplot .diamond")
    low = canvas.evaluate("canvas => canvas.msviz.low")
    assert low == pytest.approx(-_computed(lab).similarity, abs=2e-3)  # of a grid
    box, at = canvas.bounding_box(), mark.bounding_box()
    assert box is not None
    assert at is not None
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    assert (x - box["x"]) / box["width"] == pytest.approx(_computed(lab).parts[0], abs=0.01)
    assert y == pytest.approx(box["y"] + box["height"], abs=1)
    shade = """(canvas, [x, y]) => canvas.getContext('2d')
      .getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1).data[0]"""
    share = (x - box["x"]) / box["width"]
    near, above, beside = (canvas.evaluate(shade, list(at)) for at in ((share, 0.99), (share, 0.02), (0.02, 0.99)))
    assert near < beside < above  # dark is near


def test_random_draws_and_losses_are_a_click_away(lab: Playground) -> None:
    _load(lab, "Draw four at random")
    first = _shows_the_cores_numbers(lab).similarity
    lab.page.get_by_role("button", name="Draw four at random").click()
    expect(lab.page.locator(".loopfacts .barred tbody td:last-child").first).not_to_have_text(number(first, 3))
    lab.settle()
    _shows_the_cores_numbers(lab)
    lab.page.get_by_role("button", name="Triplet").click()
    expect(lab.page.locator(".matrix.w h2")).to_have_text("w with LoOp · Triplet")
    expect(lab.page.locator(".matrix.w0 h2")).to_have_text("w, plain · Triplet")


def test_a_cell_says_the_number_of_its_own_matrix(lab: Playground) -> None:
    now, tip = _now(lab), lab.page.locator(".tip")
    for key, value in (("S0", scene(lab.state()).sim[0, 5]), ("S", now.sim[0, 5])):
        _hover(lab, key, 0, 5)
        expect(tip).to_contain_text(number(float(value), 2))
    _hover(lab, "w0", 4, 6)
    expect(tip).to_contain_text("w, plain · Multi-similarity pushes by")


def _hover(lab: Playground, key: str, row: int, column: int) -> None:
    canvas = lab.page.locator(f".matrix.{key} canvas")
    starts, size = canvas.evaluate("c => [c.msviz.starts, c.msviz.size]")
    canvas.hover(position={"x": starts[column] + size / 2, "y": starts[row] + size / 2})


def test_box_and_facts_are_taken_away(lab: Playground) -> None:
    view = _computed(lab)
    name, picture = _save(lab, "loopbox", "svg")
    assert name == "msviz-loop-loopbox-multi_similarity.svg"
    drawn = ElementTree.fromstring(picture)
    words = " ".join(text.text or "" for text in drawn.iter("{http://www.w3.org/2000/svg}text"))
    assert "Corner a = A, b = 0" in words
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}image"))) == 1  # the bands
    _, table = _save(lab, "loopbox", "csv")
    values = [float(row["f"]) for row in _rows(table)]
    assert len(values) == 33 * 33
    assert min(values) == pytest.approx(-view.similarity, abs=1e-6)  # in a corner, which is a row
    _, table = _save(lab, "loopfacts", "csv")
    rows = {row["what"]: row for row in _rows(table)}
    assert float(rows["p1–p2"]["similarity"]) == pytest.approx(view.similarity)
    assert float(rows["a ≤ A"]["multiplier"]) == pytest.approx(view.multipliers[1])


def _save(lab: Playground, name: str, kind: str) -> tuple[str, str]:
    panel = lab.page.locator(f".bench .panel.{name}")
    panel.locator(".save .opener").click()
    with lab.page.expect_download() as started:
        panel.locator(f'.save [data-kind="{kind}"]').click()
    return started.value.suggested_filename, Path(started.value.path()).read_text("utf-8-sig")


def _rows(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table)))


def test_without_a_second_class_a_sentence_and_the_buttons_stay(page: Page, address: str) -> None:
    lab = Playground(page, address).open("?batch=one_class", "/loop")
    expect(_where(lab)).to_contain_text("LoOp needs two classes")
    expect(page.locator(".loopfacts")).to_be_hidden()
    expect(page.locator(".arcs")).to_be_hidden()
    _load(lab, "Four points on the circle")
    expect(page.locator(".loopfacts")).to_be_visible()
    assert _shows_the_cores_numbers(lab).touching


def test_no_flat_board_is_offered(lab: Playground) -> None:
    expect(lab.page.get_by_label("norms count")).to_be_hidden()


def test_on_a_phone_nothing_is_wider_than_the_screen(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    lab = Playground(page, address).open("", "/loop")
    wider = "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth; }"
    assert page.evaluate(wider) <= 0
    box = lab.page.locator(".boxplot canvas").bounding_box()
    assert box is not None
    assert box["width"] > 200
