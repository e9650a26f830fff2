"""How smoothly a sphere turns: python -m tests.benchmarks.rotation [--moves 300] [--batch sphere_sixty_four] [--runs 3]

Drags the background of the Playground's board in headless Chromium at 60 Hz and counts the frames that the browser drew
meanwhile, and how long its own work took in each. Turning is local to the browser: it fails if Python was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from itertools import pairwise
from statistics import median, quantiles

from playwright.async_api import Page, async_playwright

from tests.chromium import FLAGS, chromium_or_skip
from tests.server import running_app

RECORD = """
window.frames = []; window.asked = 0;
const next = (at) => { frames.push(at); requestAnimationFrame(next); };
requestAnimationFrame(next);
const fetched = window.fetch;
window.fetch = (...request) => { asked += 1; return fetched(...request); };
"""


async def turn(page: Page, moves: int) -> tuple[list[float], int]:
    """Milliseconds between frames while the sphere turns, and how often the server was asked."""
    box = await page.locator(".plot .circle").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.97
    devtools = await page.context.new_cdp_session(page)
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.evaluate("frames.length = asked = 0")
    loop = asyncio.get_running_loop()
    start, sent = loop.time(), []
    for k in range(moves):
        at = {"x": x + 180 * math.sin(k / 30), "y": y - 120 + 120 * math.cos(k / 40)}
        event = {"type": "mouseMoved", "button": "left", "buttons": 1, **at}
        sent.append(asyncio.ensure_future(devtools.send("Input.dispatchMouseEvent", event)))
        await asyncio.sleep(max(0.0, start + (k + 1) / 60 - loop.time()))
    await asyncio.gather(*sent)
    frames, asked = await page.evaluate("[frames, asked]")
    await page.mouse.up()
    return [b - a for a, b in pairwise(frames)], asked


async def measure(moves: int, batch: str, runs: int) -> bool:
    local = True
    with running_app() as app:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium_or_skip(), args=list(FLAGS))
            context = await browser.new_context(viewport={"width": 1440, "height": 900})
            await context.add_init_script(RECORD)
            for run in range(runs):
                page = await context.new_page()
                await page.goto(f"{app}/?batch={batch}")
                await page.wait_for_selector('.bench[data-ready="1"]', timeout=60_000)
                await page.wait_for_timeout(2500)
                between, asked = await turn(page, moves)
                late = quantiles(between, n=20)[-1]
                rate = 1000 * len(between) / sum(between)
                print(
                    f"run {run + 1}  median {median(between):.1f} ms  p95 {late:.1f} ms  {rate:.0f} frames/s",
                    flush=True,
                )
                local = local and asked == 0
                await page.close()
            await browser.close()
    return local


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=300)
    parser.add_argument("--batch", default="sphere_sixty_four", help="a preset's slug")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    sys.exit(0 if asyncio.run(measure(args.moves, args.batch, args.runs)) else "turning asked the server")


if __name__ == "__main__":
    main()
