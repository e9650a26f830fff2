"""How long a drag takes to show: python -m tests.benchmarks.interaction [--moves 320] [--batch sixty_four] [--runs 3]

Drags a point in headless Chromium at 60 Hz, on the Playground and on Compare, which shows six methods' heatmaps and the
difference of two. For every single pointermove, those that the browser
merged into one event too, it measures from the event's own timestamp to the end of the frame that shows that move or a
later one. In the same run, in turn with it, the same drag on the floor: a Streamlit page of one component that gets as
many bytes back, but computes nothing and draws nothing (floor.py). The ratio says what is ours; the floor, what
Streamlit takes on this machine at this moment. At the end the numbers on the page are compared with the core's: if they
differ, it fails.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import platform
import sys
from dataclasses import dataclass
from statistics import median, quantiles
from urllib.parse import parse_qsl, urlsplit

from playwright.async_api import Page, async_playwright

from msviz.state import State, decode
from msviz.text import number
from msviz.ui.compare import figures
from msviz.views.compare import compared
from msviz.views.readouts import readouts
from msviz.views.scene import scene
from tests.benchmarks import floor
from tests.chromium import FLAGS, chromium_or_skip
from tests.server import running_app

# Every raw move gets the number of the event it was merged into; every frame the number that it shows.
RECORD = """
window.moves = []; window.frames = []; let raw = [];
addEventListener('pointermove', event => {
  const merged = event.getCoalescedEvents?.() ?? [];
  raw = (merged.length ? merged : [event]).map(one => one.timeStamp);
}, true);
addEventListener('msviz:move', event => { for (const at of raw) moves.push([event.detail.seq, at]); raw = []; });
addEventListener('msviz:shown', event => {
  const after = new MessageChannel();  // its message comes when the frame is done
  after.port1.onmessage = () => frames.push([event.detail.seq, performance.now()]);
  after.port2.postMessage(0);
});
"""
AT_REST = """() => [...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.bench'))
  .find(Boolean)?.dataset.waiting === '0'"""


READY = '.bench[data-ready="1"]'
METHODS_SHOWN = 6  # what a first visitor compares


@dataclass(frozen=True)
class Result:
    """Latencies of one drag, milliseconds, one a raw move; and how often the picture was brought up to date."""

    latencies: list[float]
    updates_per_second: float

    def __str__(self) -> str:
        p95 = quantiles(self.latencies, n=20)[-1]
        counted = f"{len(self.latencies)} moves, {self.updates_per_second:.0f} updates/s"
        return f"median {median(self.latencies):5.0f} ms   p95 {p95:5.0f} ms   ({counted})"


async def drag(page: Page, moves: int) -> Result:
    """Press on the first marked point and move it at 60 Hz; the page must already be recording."""
    held = page.locator("[data-drag], .point[data-id='5'] .mark").first
    box = await held.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    devtools = await page.context.new_cdp_session(page)
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.evaluate("moves.length = frames.length = 0")
    loop = asyncio.get_running_loop()
    start, sent = loop.time(), []
    for k in range(moves):  # not one after the other's answer: a hand does not wait for the page
        at = {"x": x - 90 * math.sin(k / 25) - 0.2 * k, "y": y + 60 * math.sin(k / 18)}
        event = {"type": "mouseMoved", "button": "left", "buttons": 1, **at}
        sent.append(asyncio.ensure_future(devtools.send("Input.dispatchMouseEvent", event)))
        await asyncio.sleep(max(0.0, start + (k + 1) / 60 - loop.time()))
    await asyncio.gather(*sent)
    took = loop.time() - start
    await page.wait_for_function("frames.length && frames.at(-1)[0] >= moves.at(-1)[0]", timeout=30_000)
    recorded, frames = await page.evaluate("[moves, frames]")
    await page.mouse.up()
    shown = [min(when for upto, when in frames if upto >= seq and when >= at) - at for seq, at in recorded]
    return Result(shown, len(frames) / took)


async def state_of(page: Page) -> State:
    """The state that the page's own link holds, once the page is at rest."""
    await page.wait_for_function(AT_REST)
    await page.get_by_role("button", name="Copy link").click()
    await page.get_by_text("Link copied.").wait_for()
    link = await page.evaluate("navigator.clipboard.readText()")
    state, errors = decode(dict(parse_qsl(urlsplit(link).query)))
    assert not errors
    return state


async def playground_agrees(page: Page) -> bool:
    """Whether the loss and the counts on the page are those that the core computes of the page's own link."""
    expected = readouts(scene(await state_of(page)))
    shown = await page.locator(".readouts dd").all_inner_texts()
    wanted = [number(expected.loss, 4), f"{number(expected.kept_positives)} + {number(expected.kept_negatives)}"]
    print(f"numbers on the page: {shown[:2]}, of the core: {wanted}")
    return shown[:2] == wanted


async def compare_agrees(page: Page) -> bool:
    """Whether the figures under every method's heatmap are those that the core computes of the page's own link."""
    now = scene(await state_of(page))
    wanted = [figures(now, method) for method in compared(now)]
    boxes = await page.locator(".matrix .figures").all()
    shown = [(await box.inner_text()).split("\n") for box in boxes]
    shown = [[line for line in lines if line.strip()] for lines in shown]
    print(f"figures of {len(shown)} methods on the page; the first: {shown[0]}, of the core: {wanted[0]}")
    return len(shown) == METHODS_SHOWN and shown == wanted


async def measure(moves: int, batch: str, runs: int) -> bool:
    agree = True
    with running_app() as app, running_app(script="tests/benchmarks/floor.py") as bare:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium_or_skip(), args=list(FLAGS))
            context = await browser.new_context(viewport={"width": 1440, "height": 900})
            await context.grant_permissions(["clipboard-read", "clipboard-write"])
            await context.add_init_script(RECORD)
            for run in range(runs):
                results = []
                for name, address, ready, agrees in (
                    ("floor", bare, "[data-drag]", None),
                    ("Playground", f"{app}/?batch={batch}", READY, playground_agrees),
                    ("Compare", f"{app}/compare?batch={batch}", READY, compare_agrees),
                ):
                    page = await context.new_page()
                    await page.goto(address)
                    await page.wait_for_selector(ready, timeout=60_000)
                    await page.wait_for_timeout(2500)  # the first run's own work is not a drag
                    result = await drag(page, moves)
                    results.append(median(result.latencies))
                    ratio = "" if name == "floor" else f"   {results[-1] / results[0]:.2f} x floor"
                    print(f"run {run + 1}  {name:10s}  {result}{ratio}", flush=True)
                    if agrees is not None:
                        agree = await agrees(page) and agree
                    await page.close()
            await browser.close()
    return agree


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=320)
    parser.add_argument("--batch", default="sixty_four", help="a preset's slug")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    print(f"{machine}; the floor answers {floor.BYTES} bytes")
    sys.exit(
        0 if asyncio.run(measure(args.moves, args.batch, args.runs)) else "the page does not show the core's numbers"
    )


if __name__ == "__main__":
    main()
