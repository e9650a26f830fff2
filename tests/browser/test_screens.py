"""Screens: a phone with touch, light and dark, nothing wider than the window."""

import pytest
from playwright.sync_api import Browser, Page, expect

from msviz.figures.theme import DARK, LIGHT
from tests.browser.conftest import watched
from tests.browser.playground import Playground

OVERFLOW = """() => { const m = document.querySelector('[data-testid="stMain"]') ?? document.scrollingElement;
  return Math.max(m.scrollWidth - m.clientWidth, document.scrollingElement.scrollWidth - innerWidth); }"""


@pytest.fixture
def phone(chromium: Browser, address: str) -> Playground:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    faults: list[str] = []
    playground = Playground(watched(context, faults), address).open()
    yield playground
    assert faults == []
    context.close()


def test_a_phone_shows_one_thing_below_the_other(phone: Playground) -> None:
    assert phone.page.evaluate(OVERFLOW) <= 0
    tops = [phone.page.locator(name).bounding_box()["y"] for name in (".board", ".inspector", ".matrix.w", ".matrix.S")]
    assert tops == sorted(tops)


def test_a_finger_drags_a_point_and_a_tap_adds_one(phone: Playground) -> None:
    phone.page.locator(".plot").scroll_into_view_if_needed()
    start = phone.angle(13)
    touch = phone.page.context.new_cdp_session(phone.page)

    def send(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", phone.place(start))
    for step in range(1, 9):
        send("touchMove", phone.place(start + 5 * step))
    send("touchEnd")
    phone.settle()
    assert phone.angle(13) == pytest.approx(start + 40, abs=2)
    phone.page.touchscreen.tap(*phone.place(330, radius=0.8))
    phone.settle()
    assert phone.angle(14) == pytest.approx(-30, abs=3)


def test_fingers_relabel_and_delete_a_point(phone: Playground) -> None:
    phone.page.locator(".plot").scroll_into_view_if_needed()
    phone.page.keyboard.press("Escape")
    phone.page.touchscreen.tap(*phone.place(phone.angle(13)))
    phone.settle()
    phone.page.get_by_role("button", name="make it A").tap()
    phone.settle()
    expect(phone.change()).to_contain_text("Point 13: class C → A")
    phone.page.get_by_role("button", name="delete").tap()
    phone.settle()
    expect(phone.change()).to_contain_text("Point 13 removed")
    expect(phone.page.locator(".point")).to_have_count(13)


def test_a_tap_target_is_large_enough(phone: Playground) -> None:
    for chip in phone.page.locator(".chip:visible, .button:visible").all():
        box = chip.bounding_box()
        assert box is not None
        assert box["height"] >= 32


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1920, 1080), (820, 1180)])
def test_nothing_is_wider_than_the_window(page: Page, address: str, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    Playground(page, address).open("?batch=sixty_four")
    assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize(("wanted", "scheme"), [("light", LIGHT), ("dark", DARK)])
def test_the_page_follows_the_systems_light_or_dark(chromium: Browser, address: str, wanted: str, scheme) -> None:
    context = chromium.new_context(color_scheme=wanted)
    faults: list[str] = []
    playground = Playground(watched(context, faults), address).open()
    expect(playground.page.locator(".bench")).to_have_attribute("data-scheme", wanted)
    blank = playground.color("w", 0, 0)  # the diagonal has the page's colour
    assert blank == tuple(int(scheme.paper[at : at + 2], 16) for at in (1, 3, 5))
    assert faults == []
    context.close()


def test_the_theme_chosen_in_the_menu_reaches_the_canvases_at_once(playground: Playground) -> None:
    playground.page.get_by_test_id("stMainMenuButton").click()
    playground.page.get_by_test_id("stMainMenuItem-theme-Dark").click()
    for name in (".bench", ".strip"):
        expect(playground.page.locator(name)).to_have_attribute("data-scheme", "dark")
    playground.settle()
    assert playground.color("w", 0, 0) == tuple(int(DARK.paper[at : at + 2], 16) for at in (1, 3, 5))
