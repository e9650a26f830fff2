"""The sphere: turned and edited by pointer and by keys; what it shows are the core's numbers, and the camera stays."""

import math
import re
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from msviz.core.methods import METHODS
from msviz.data import Batch
from msviz.state import Display, State, encode
from tests.browser.playground import READY, Playground
from tests.browser.test_gestures import assert_page_shows_the_cores_numbers
from tests.browser.test_keyboard import tab_to

BATCH = "?batch=sphere_overlapping"


@pytest.fixture
def sphere(page: Page, address: str) -> Playground:
    """The Playground with the overlapping classes on a sphere."""
    return Playground(page, address).open(BATCH)


def _pixel(sphere: Playground, x: float, y: float) -> tuple[float, float]:
    """The pixel of a place on the ball's picture, from -1 to 1 inside."""
    return sphere.place(math.degrees(math.atan2(y, x)), math.hypot(x, y))


def _seen(sphere: Playground, id: int) -> tuple[float, float]:
    """Where a point is seen."""
    ring = sphere.point(id).locator(".ring")
    x, y = ring.evaluate("ring => [ring.cx.baseVal.value, -ring.cy.baseVal.value]")
    return x, y


def _pull(sphere: Playground, start: tuple[float, float], end: tuple[float, float], drop: bool = True) -> None:
    """Press at one place of the picture and drag to another one."""
    sphere.page.mouse.move(*_pixel(sphere, *start))
    sphere.page.mouse.down()
    for t in np.linspace(0, 1, 9)[1:]:
        sphere.page.mouse.move(*_pixel(sphere, *(a + t * (b - a) for a, b in zip(start, end, strict=True))))
    if drop:
        sphere.page.mouse.up()
    sphere.settle()


def _depth(state: State, id: int) -> float:
    """How far in front of the ball's centre a point lies, seen by the state's camera."""
    yaw, pitch = np.radians(state.display.camera)
    front = [np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)]
    return float(state.batch.board[state.batch.index(id)] @ front)


def test_dragging_a_point_over_the_surface_shows_the_cores_numbers(sphere: Playground) -> None:
    assert_page_shows_the_cores_numbers(sphere)
    loss = sphere.readouts()[0]
    _pull(sphere, _seen(sphere, 5), (0.2, 0.7))
    assert _seen(sphere, 5) == pytest.approx((0.2, 0.7), abs=0.01)
    assert sphere.readouts()[0] != loss
    expect(sphere.change()).to_contain_text("Point 5: 6°, 8° → ")
    expect(sphere.page.locator(".ghosts path")).to_have_count(1)
    assert_page_shows_the_cores_numbers(sphere)
    assert _depth(sphere.state(), 5) > 0
    sphere.page.get_by_role("button", name="Undo").click()
    sphere.settle()
    assert sphere.readouts()[0] == loss


def test_past_the_rim_a_point_goes_round_to_the_far_side_and_looks_it(sphere: Playground) -> None:
    size = "mark => mark.getBBox().width"
    near = sphere.point(7).locator("path").evaluate(size)
    _pull(sphere, _seen(sphere, 7), (1.15, -0.1))
    assert _depth(sphere.state(), 7) == pytest.approx(-math.sqrt(1 - (2 - math.hypot(1.15, 0.1)) ** 2), abs=0.01)
    expect(sphere.point(7)).to_have_class("point far")
    far = sphere.page.locator(".backs path").nth(7)
    assert far.evaluate(size) < 0.8 * near
    assert float(far.evaluate("mark => getComputedStyle(mark).fillOpacity")) < 0.5


def test_turning_asks_nobody_until_it_ends_and_the_camera_survives(sphere: Playground) -> None:
    bench, mark = sphere.page.locator(".bench"), sphere.point(6).locator("path")
    before = mark.get_attribute("d")
    seq, waiting = bench.get_attribute("data-seq"), bench.get_attribute("data-waiting")
    _pull(sphere, (0, 0.75), (-0.8, 0.6), drop=False)
    assert mark.get_attribute("d") not in (before, "")
    assert (bench.get_attribute("data-seq"), bench.get_attribute("data-waiting")) == (seq, waiting)
    sphere.page.mouse.up()
    sphere.settle()
    camera = sphere.state().display.camera
    assert camera == pytest.approx((30 + math.degrees(0.8), 20 + math.degrees(0.15)), abs=2)
    assert sphere.page.get_by_role("button", name="Undo").get_attribute("aria-disabled") == "true"  # no step

    _pull(sphere, _seen(sphere, 5), (0.1, 0.5))
    assert sphere.state().display.camera == camera
    sphere.page.get_by_role("link", name="Weights").click()
    expect(sphere.page.locator(".grid.weights")).to_be_visible()
    sphere.settle()
    assert _seen(sphere, 5) == pytest.approx((0.1, 0.5), abs=0.02)
    sphere.page.reload()
    sphere.page.wait_for_selector(READY, timeout=60_000)
    sphere.settle()
    assert _seen(sphere, 5) == pytest.approx((0.1, 0.5), abs=0.02)
    assert sphere.state().display.camera == camera


def test_a_click_on_the_surface_adds_a_point_of_the_active_class(sphere: Playground) -> None:
    sphere.page.get_by_role("radio", name="C").click()
    sphere.page.mouse.click(*_pixel(sphere, -0.3, 0.75))
    sphere.settle()
    expect(sphere.change()).to_contain_text("Point 15 added to class C")
    assert _seen(sphere, 15) == pytest.approx((-0.3, 0.75), abs=0.01)
    assert _depth(sphere.state(), 15) > 0
    sphere.page.mouse.click(*_pixel(sphere, 0.85, 0.85))  # beside the ball
    sphere.settle()
    expect(sphere.page.locator(".point")).to_have_count(16)


def test_keys_turn_the_sphere_and_move_add_relabel_and_delete_points(sphere: Playground) -> None:
    tab_to(sphere, ".plot")
    sphere.press("ArrowLeft", "ArrowUp", "Shift+ArrowRight")
    assert sphere.state().display.camera == (30 + 5 - 30, 20 - 5)
    sphere.open(BATCH)
    tab_to(sphere, ".point")
    expect(sphere.point(0)).to_be_focused()
    x, y = _seen(sphere, 0)
    sphere.press("Shift+ArrowRight")
    right, height = _seen(sphere, 0)
    assert right > x + 0.03
    assert height == pytest.approx(y, abs=1e-3)
    sphere.press("Shift+ArrowUp")
    assert _seen(sphere, 0)[0] == pytest.approx(right, abs=1e-3)
    assert _seen(sphere, 0)[1] > height + 0.05
    step = _moved_degrees(sphere, lambda: sphere.press("ArrowUp"))
    assert step == pytest.approx(1, abs=0.7)  # one degree; more where the view is slanted
    sphere.press("2")
    expect(sphere.change()).to_contain_text("Point 0: class A → B")
    sphere.press("a")
    expect(sphere.change()).to_contain_text("Point 15 added to class A")
    sphere.press("Home", "Delete")
    expect(sphere.change()).to_contain_text("Point 0 removed")


def _moved_degrees(sphere: Playground, act: Callable[[], None]) -> float:
    before = sphere.state().batch.board[0]
    sphere.page.locator('.point[data-id="0"]').focus()
    act()
    after = sphere.state().batch.board[0]
    sphere.page.locator('.point[data-id="0"]').focus()
    return math.degrees(math.acos(min(1.0, before @ after / np.linalg.norm(before) / np.linalg.norm(after))))


def test_where_a_near_and_a_far_point_coincide_the_near_one_is_taken(page: Page, address: str) -> None:
    depth = math.sqrt(1 - 0.3**2 - 0.4**2)  # seen from longitude 0, latitude 0: y to the right, z up
    places = [[-depth, 0.3, 0.4], [depth, 0.3, 0.4], [depth, -0.3, 0.4], [-depth, -0.3, 0.4]]
    state = State(Batch.of(places, [0, 1, 1, 0]), METHODS["authors"], Display(camera=(0, 0)))
    sphere = Playground(page, address).open(f"?{urlencode(encode(state))}")
    for x, near in ((0.3, 1), (-0.3, 2)):
        sphere.press("Escape")
        sphere.page.mouse.click(*_pixel(sphere, x, 0.4))
        sphere.settle()
        expect(sphere.point(near)).to_have_attribute("aria-pressed", "true")
        expect(sphere.page.locator(".point")).to_have_count(4)


def test_a_link_brings_the_camera(page: Page, address: str) -> None:
    playground = Playground(page, address).open(f"{BATCH}&camera=-60,90")
    assert playground.state().display.camera == (-60, 90)
    expect(playground.page.locator(".plot")).to_have_attribute(
        "aria-label", re.compile("^Sphere with 15 points; arrow")
    )


def test_a_finger_turns_the_ball_and_scrolls_beside_it(chromium: Browser, address: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    sphere = Playground(page, address).open(BATCH)
    page.locator(".plot").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('[data-testid=\"stMain\"]').scrollBy(0, 200)")
    page.wait_for_timeout(300)
    scrolled = "document.querySelector('[data-testid=\"stMain\"]').scrollTop"
    start = page.evaluate(scrolled)
    _swipe(sphere, (0, 0.75), (0.4, 0.5))
    assert page.evaluate(scrolled) == start
    camera = _camera(page)
    assert camera == pytest.approx((30 - math.degrees(0.4), 20 + math.degrees(0.25)), abs=4)
    _swipe(sphere, (-1.05, -0.9), (-1.05, 0))
    assert page.evaluate(scrolled) > start + 30
    assert _camera(page) == camera
    context.close()


def _camera(page: Page) -> tuple[int, ...]:
    """From where the address says that the sphere is seen."""
    return tuple(map(int, dict(parse_qsl(urlsplit(page.url).query))["camera"].split(",")))


def _swipe(sphere: Playground, start: tuple[float, float], end: tuple[float, float]) -> None:
    fingers = sphere.page.context.new_cdp_session(sphere.page)
    places = [_pixel(sphere, *(a + t * (b - a) for a, b in zip(start, end, strict=True))) for t in np.linspace(0, 1, 9)]
    for k, (x, y) in enumerate(places):
        kind = "touchMove" if k else "touchStart"
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    sphere.page.wait_for_timeout(500)
    sphere.settle()
