"""Norms count: points leave the circle and come back; edges say what a pair does and of which kind it is."""

import pytest
from playwright.sync_api import Page, expect

from msviz.core.methods import Method
from msviz.state import default_state
from msviz.text import number, say
from msviz.views.board import board_view, scales
from msviz.views.norms import norms_words
from msviz.views.scene import scene
from tests.browser.playground import Playground
from tests.browser.test_gestures import assert_page_shows_the_cores_numbers


def _switch(playground: Playground) -> None:
    playground.page.get_by_role("checkbox", name="norms count").click()
    playground.settle()


def test_points_leave_the_circle_and_come_back_to_it(playground: Playground) -> None:
    start = playground.readouts()
    _switch(playground)
    assert not playground.state().normalize
    radius = float(playground.page.locator(".plot .circle").get_attribute("r") or 0)
    x, y = playground.place(playground.angle(5))
    playground.page.mouse.move(x, y)
    playground.page.mouse.down()
    far = playground.place(45, radius=1.9)
    for k in range(1, 9):
        playground.page.mouse.move(x + (far[0] - x) * k / 8, y + (far[1] - y) * k / 8)
    playground.page.mouse.up()
    playground.settle()
    state = playground.state()
    assert state.batch.board[5] == pytest.approx([1.9 * 0.7071, 1.9 * 0.7071], abs=0.02)
    assert radius < 1
    assert_page_shows_the_cores_numbers(playground)
    (said,) = norms_words(scene(state))
    expect(playground.page.locator(".norms")).to_have_text(say(said))
    end = number(scene(state).limit, 2)  # S reaches beyond 1, and so do its colours
    expect(playground.page.locator(".matrix.S .legend")).to_contain_text(f"−{end}{end}")
    _switch(playground)
    back = playground.state()
    assert back.normalize
    assert back.batch.board[5] == pytest.approx([0.7071, 0.7071], abs=1e-2)
    expect(playground.page.locator(".norms")).to_be_hidden()
    for _ in range(3):
        playground.page.get_by_role("button", name="Undo").click()
        playground.settle()
    assert playground.readouts() == start
    assert playground.state() == default_state().with_display(playground.state().display)


def test_keys_move_a_point_over_the_plane_and_the_link_brings_it_back(playground: Playground) -> None:
    _switch(playground)
    playground.point(0).focus()
    playground.press("Shift+ArrowRight", "ArrowDown")
    state = playground.state()
    before = default_state().batch.board[0]
    assert state.batch.board[0] == pytest.approx([before[0] + 0.2, before[1] - 0.02], abs=1e-4)
    playground.page.reload()
    playground.open(playground.copied_link().split(playground.address)[1].lstrip("/"))
    assert playground.state() == state


def test_an_edge_is_coloured_by_what_the_pair_does_and_dashed_by_its_kind(page: Page, address: str) -> None:
    state = default_state().with_method(Method("supcon", tau=0.2))
    now = scene(state)
    edges = board_view(now, scales(now)).edges
    pushed = next(edge for edge in reversed(edges) if edge.positive and edge.net > 0)
    pulled = next(edge for edge in reversed(edges) if edge.positive and edge.net < 0)
    playground = Playground(page, address).open("?loss=supcon&tau=0.2&epsilon=none&pair=none")
    expect(playground.edge(pushed.one, pushed.two)).to_have_class("push positive")
    expect(playground.edge(pulled.one, pulled.two)).to_have_class("pull positive")
    assert (playground.edge(pushed.one, pushed.two).get_attribute("d") or "").count("M") == 3  # crossed
    assert (playground.edge(pulled.one, pulled.two).get_attribute("d") or "").count("M") == 1
    expect(page.get_by_text("positive, yet pushed")).to_be_visible()
    expect(page.get_by_text("negative, yet pulled")).to_be_hidden()
