"""Batches: the menu, real digits with their images, and the smallest boards."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.playground import Playground


def open_menu(playground: Playground) -> None:
    playground.page.get_by_role("button", name="Choose a batch").click()
    expect(playground.page.get_by_role("dialog")).to_be_visible()


def test_a_preset_replaces_the_batch_tells_what_to_look_at_and_can_be_undone(playground: Playground) -> None:
    before = playground.readouts()
    open_menu(playground)
    playground.page.get_by_role("button", name="two clean classes").click()
    expect(playground.change()).to_contain_text("New batch “two clean classes”: 8 points, 2 classes")
    expect(playground.page.get_by_role("dialog")).to_have_count(0)
    playground.settle()
    expect(playground.page.locator(".readouts .why")).to_contain_text("All weights are 0, because nothing is mined.")
    expect(playground.page.locator(".about")).to_contain_text("a batch without hard pairs teaches nothing")
    playground.page.get_by_role("button", name="Undo").click()
    playground.settle()
    assert playground.readouts() == before


def test_digits_are_drawn_to_the_circle_and_show_their_image(playground: Playground) -> None:
    open_menu(playground)
    playground.page.get_by_role("tab", name="Handwritten digits").click()
    playground.page.get_by_role("button", name="Draw").click()
    expect(playground.change()).to_contain_text("24 points, 3 classes")
    playground.settle()
    expect(playground.page.locator(".about")).to_contain_text("projected to the circle by PCA")
    playground.page.mouse.move(*playground.place(playground.angle(3)))
    picture = playground.page.locator(".bench > .tip canvas")
    expect(picture).to_be_visible()
    ink = "c => c.getContext('2d').getImageData(0, 0, 8, 8).data.filter((v, k) => k % 4 === 0 && v > 128).length"
    assert 8 < picture.evaluate(ink) < 48  # a digit: neither blank nor full
    playground.click_cell("S", 0, 1)
    expect(playground.page.locator(".pictures figure")).to_have_count(2)
    state = playground.state()
    assert state.batch.digits is not None
    assert len(state.batch.digits) == 24
    playground.drag(3, to=10)  # real images on the circle can be dragged
    expect(playground.change()).to_contain_text("Point 3: ")


def test_more_images_than_a_class_has_are_refused_and_the_batch_stays(playground: Playground) -> None:
    before = playground.readouts()
    open_menu(playground)
    playground.page.get_by_role("tab", name="Handwritten digits").click()
    playground.page.get_by_label("Images of each class K").fill("500")
    playground.page.get_by_role("button", name="Draw").click()
    dialog = playground.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Images of each class: a whole number from 1 to 174")
    expect(dialog.get_by_label("Images of each class K")).to_have_value("500")  # there to be corrected
    playground.page.keyboard.press("Escape")
    playground.settle()
    assert playground.readouts() == before


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("?batch=empty", "The board is empty, so there is no pair to weigh. Click the circle to add a point"),
        ("?batch=one_point", "One point has no partner"),
        ("?batch=one_class", "every point is in class A, so there is no negative"),
    ],
)
def test_a_board_without_pairs_says_why_and_works(page: Page, address: str, query: str, why: str) -> None:
    playground = Playground(page, address).open(query)
    expect(page.locator(".readouts .why")).to_contain_text(why)
    count = page.locator(".point").count()
    page.mouse.click(*playground.place(200, radius=0.9))
    playground.settle()
    expect(page.locator(".point")).to_have_count(count + 1)


def test_deleting_every_point_leaves_a_working_page(page: Page, address: str) -> None:
    playground = Playground(page, address).open("?batch=one_point")
    page.keyboard.press("Tab")
    playground.point(0).focus()
    playground.press("Delete")
    expect(page.locator(".readouts .why")).to_contain_text("The board is empty")
    expect(page.locator(".plot")).to_be_focused()
    playground.press("a")  # the keyboard can begin anew, too
    expect(page.locator(".point")).to_have_count(1)
    playground.press("Control+z", "Control+z")
    expect(playground.point(0)).to_have_count(1)


def test_pixels_are_shown_as_a_picture_that_cannot_be_dragged(playground: Playground) -> None:
    open_menu(playground)
    playground.page.get_by_role("tab", name="Handwritten digits").click()
    playground.page.get_by_text("the pixels (64-D, the board is only a picture)").click()
    playground.page.get_by_role("button", name="Draw").click()
    expect(playground.page.locator(".board")).to_contain_text("similarities are from 64-D")
    playground.settle()
    before = playground.angle(0)
    playground.drag(0, to=before + 40)
    assert playground.angle(0) == before
