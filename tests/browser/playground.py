"""The Playground as a person uses it: what a test does with the page, and what it reads there."""

from __future__ import annotations

import math
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import Locator, Page, expect

from msviz.state import State, decode
from msviz.views.scene import Scene, scene

READY = '.bench[data-ready="1"]'
AT_REST = """() => {
  const roots = [...document.querySelectorAll('*')].filter(e => e.shadowRoot)
    .map(e => e.shadowRoot.querySelector('.bench, .strip')).filter(Boolean);
  const parts = location.pathname.endsWith('/npair') ? 1 : 2;  // the N-pair lab has no strip
  return roots.length === parts && roots.every(root => root.dataset.waiting === '0');
}"""
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Playground:
    """One open page."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address

    def open(self, query: str = "", path: str = "/") -> Playground:
        """Go to the page and wait until the bench is drawn and the server is at rest."""
        self.page.goto(f"{self.address}{path}{query}")
        self.page.wait_for_selector(READY, timeout=60_000)
        expect(self.page.locator('[data-testid="stStatusWidget"]')).to_have_count(0, timeout=60_000)
        self.settle()
        return self

    def settle(self) -> None:
        """Wait until Python has answered everything that was sent, and the page has drawn it."""
        self.page.wait_for_function(AT_REST, timeout=30_000)
        self.page.evaluate(TWO_FRAMES)

    # ---- doing ---------------------------------------------------------------------------------------------------
    def point(self, id: int) -> Locator:
        return self.page.locator(f'.point[data-id="{id}"]')

    def place(self, degrees: float, radius: float = 1.0) -> tuple[float, float]:
        """The pixel where an angle lies on the circle."""
        box = self.page.locator(".plot .circle").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        turn = math.radians(degrees)
        return x + math.cos(turn) * radius * box["width"] / 2, y - math.sin(turn) * radius * box["height"] / 2

    def drag(self, id: int, to: float, steps: int = 12, drop: bool = True) -> None:
        """Drag a point along the circle to an angle in degrees; drop=False keeps it in hand."""
        start = self.angle(id)
        self.page.mouse.move(*self.place(start))
        self.page.mouse.down()
        for step in range(1, steps + 1):
            self.page.mouse.move(*self.place(start + (to - start) * step / steps))
        if drop:
            self.page.mouse.up()
        self.settle()

    def click_point(self, id: int) -> None:
        self.page.mouse.click(*self.place(self.angle(id)))
        self.settle()

    def click_cell(self, kind: str, row: int, column: int) -> None:
        self.page.mouse.click(*self.cell(kind, row, column))
        self.settle()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.settle()

    # ---- reading --------------------------------------------------------------------------------------------------
    def angle(self, id: int) -> float:
        """Where a point stands now, in degrees."""
        x, y = self.point(id).locator(".ring").evaluate("ring => [ring.cx.baseVal.value, -ring.cy.baseVal.value]")
        return math.degrees(math.atan2(y, x))

    def cell(self, kind: str, row: int, column: int) -> tuple[float, float]:
        """The pixel in the middle of a cell of the matrix "S" or "w"."""
        canvas = self.page.locator(f".matrix.{kind} canvas")
        box = canvas.bounding_box()
        assert box is not None
        starts, size = canvas.evaluate("c => [c.msviz.starts, c.msviz.size]")
        return box["x"] + starts[column] + size / 2, box["y"] + starts[row] + size / 2

    def color(self, kind: str, row: int, column: int) -> tuple[int, int, int]:
        """The colour near a corner of a cell, clear of text and glyphs."""
        read = """(c, [i, j]) => { const { starts, size } = c.msviz, r = c.width / c.clientWidth;
          const at = k => Math.floor((starts[k] + size / 7) * r);
          return [...c.getContext('2d').getImageData(at(j), at(i), 1, 1).data]; }"""
        red, green, blue, _ = self.page.locator(f".matrix.{kind} canvas").evaluate(read, [row, column])
        return red, green, blue

    def readouts(self) -> list[str]:
        return self.page.locator(".readouts dd").all_inner_texts()

    def change(self) -> Locator:
        return self.page.locator(".change")

    def spoken(self) -> Locator:
        return self.page.locator(".bench > .spoken")

    def edge(self, one: int, two: int) -> Locator:
        return self.page.locator(f'.edges [data-pair="{one} {two}"], .edges [data-pair="{two} {one}"]')

    def inspector(self) -> Locator:
        return self.page.locator(".inspector")

    def field(self, letter: str) -> Locator:
        """A parameter's number field."""
        return self.page.locator(".strip .row").filter(has_text=letter).locator("input[type=number]")

    def slider(self, letter: str) -> Locator:
        return self.page.locator(".strip .row").filter(has_text=letter).locator("input[type=range]")

    def copied_link(self) -> str:
        """Press "Copy link" and read the clipboard."""
        self.page.get_by_role("button", name="Copy link").click()
        expect(self.page.get_by_text("Link copied.")).to_be_visible()
        link: str = self.page.evaluate("navigator.clipboard.readText()")
        return link

    def state(self) -> State:
        """The state that the page's own link holds."""
        state, errors = decode(dict(parse_qsl(urlsplit(self.copied_link()).query)))
        assert errors == ()
        return state

    def computed(self) -> Scene:
        """What the core computes of that state."""
        return scene(self.state())
