"""The Train page in a browser: play, pause, scrub, rewind, a change on the way, the duel, a step to the Playground."""

from __future__ import annotations

import json
import re
import urllib.request
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.playground import AT_REST, TWO_FRAMES, Playground
from tests.browser.test_accessibility import serious

READY = '.train[data-ready="1"]'
QUIET = """() => [...document.querySelectorAll('*')].filter(e => e.shadowRoot)
  .map(e => e.shadowRoot.querySelector('.train, .strip')).filter(Boolean).every(root => root.dataset.waiting === '0')"""
STEP = """+[...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.transport .words span'))
  .find(Boolean).textContent.match(/\\d+/)[0]"""
PLACES = "all => all.map(ring => ring.getAttribute('cx'))"


class Train:
    """The open page."""

    def __init__(self, page: Page, address: str, query: str = "") -> None:
        self.page = page
        page.goto(f"{address}/train{query}")
        self.settle()

    def settle(self) -> Train:
        self.page.wait_for_selector(READY, timeout=60_000)
        self.page.wait_for_function(QUIET)
        self.page.evaluate(TWO_FRAMES)
        return self

    def choose(self, setup: str, about: str) -> Train:
        """Another thing to train: the page says what it is, and a new run is ready to play."""
        self.page.get_by_role("combobox", name="What is trained").click()
        self.page.get_by_role("option", name=setup).click()
        expect(self.page.locator(".below .caption")).to_contain_text(about)
        return self.settle()

    def press(self, name: str) -> Train:
        self.page.locator(f".train .{name}").click()
        return self

    def play(self, until: int) -> Train:
        """Play until so many steps are done, and pause."""
        self.press("play")
        self.page.wait_for_function(f"() => {STEP} >= {until}", timeout=60_000)
        self.press("play")
        expect(self.page.locator(".transport .play")).to_have_text("▶ Play")
        return self.settle()

    @property
    def step(self) -> int:
        found: int = self.page.evaluate(f"() => {STEP}")
        return found

    def curve(self, name: str = "loss") -> str:
        found = self.page.locator(f".band.{name} .raw.side0").get_attribute("d")
        assert found is not None
        return found

    def value(self, name: str) -> str:
        return self.page.locator(f".band.{name} b").inner_text()

    def cells(self) -> str:
        """The weights of the heatmap, all digits, as the page saves them."""
        self.page.locator(".matrix.w .opener").first.click()
        with self.page.expect_download() as saved:
            self.page.locator(".matrix.w .menu [data-kind=csv]").first.click()
        return saved.value.path().read_text(encoding="utf-8-sig")

    def places(self) -> list[str | None]:
        return self.page.locator(".train_board .point .ring").evaluate_all(PLACES)

    def seek(self, step: int) -> Train:
        self.page.locator(".scrub input").fill(str(step))
        expect(self.page.locator(".scrub .label")).to_have_text(f"Step {step}")
        return self.settle()


@pytest.fixture
def train(page: Page, address: str) -> Train:
    return Train(page, address)


def test_play_moves_the_points_and_the_scrubber_brings_a_step_back(train: Train) -> None:
    untrained, weights, loss = train.places(), train.cells(), train.value("loss")
    train.play(until=12)
    there, trained = train.step, train.places()
    assert trained != untrained
    train.page.wait_for_timeout(300)
    assert train.step == there  # paused
    train.seek(0)
    assert (train.places(), train.cells(), train.value("loss")) == (untrained, weights, loss)
    train.seek(there)
    assert train.places() == trained


def test_rewind_gives_the_same_curve_and_one_step_is_one_step(train: Train) -> None:
    train.play(until=10)
    train.seek(8)
    loss, weights = train.value("loss"), train.cells()
    train.press("rewind").settle()
    assert train.step == 0
    for _ in range(8):
        train.press("step").settle()
    assert train.step == 8
    assert (train.value("loss"), train.cells()) == (loss, weights)


def test_a_parameter_changed_on_the_way_is_marked_and_takes_effect_at_once(train: Train) -> None:
    train.press("step").settle()
    before = train.cells()
    field = train.page.locator(".strip .row").filter(has_text="β").locator("input[type=number]")
    field.fill("5")
    field.press("Enter")
    expect(train.page.locator(".notes .chip")).to_have_text("Step 1: β 40 → 5")
    train.settle()
    assert train.cells() != before
    assert train.page.locator(".band.loss .change").count() == 1


def test_a_duel_has_two_boards_one_scrubber_and_the_step_where_they_part(train: Train) -> None:
    train.page.get_by_role("combobox", name=re.compile("Compare with")).click()
    train.page.get_by_role("option", name=re.compile("Binomial")).first.click()
    expect(train.page.locator(".side")).to_have_count(2)
    train.settle().play(until=3)
    note = train.page.locator(".notes .chip").first
    expect(note).to_contain_text("The methods part at step 0")
    note.click()
    expect(train.page.locator(".scrub .label")).to_have_text("Step 0")
    train.settle()
    boards = [board.locator(".point .ring").evaluate_all(PLACES) for board in train.page.locator(".train_board").all()]
    assert boards[0] == boards[1]
    one, two = (canvas.evaluate("c => c.toDataURL()") for canvas in train.page.locator(".matrix.w canvas").all())
    assert one != two
    assert re.fullmatch(r"A [\d.]+ +B [\d.]+", train.value("loss"))
    assert serious(train.page) == []


def test_loop_and_n_pair_are_a_choice_each(train: Train) -> None:
    train.choose("LoOp: optimal hard negatives", "the closest points of two arcs").play(until=5)
    expect(train.page.locator(".matrix.S")).to_contain_text("LoOp, the cosine of the closest points of two arcs")
    train.choose("N-pair: hard classes", "16 anchors, each with a positive and 15 negatives").play(until=5)
    expect(train.page.locator(".matrix.S")).to_contain_text("dot products")
    expect(train.page.locator(".strip select").first).to_have_value("npair")
    pairs = [row.split(",") for row in train.cells().splitlines()[1:]]  # those that are compared
    met = Counter(anchor for anchor, *_ in pairs)
    assert (len(met), set(met.values())) == (16, {16})  # an anchor of each class, a positive and 15 negatives


def test_a_step_opens_in_the_playground(train: Train) -> None:
    train.press("step").press("step").settle().seek(1)
    count = len(train.places())
    train.press("keep")
    train.page.wait_for_selector('.bench[data-ready="1"] .readouts', timeout=30_000)
    train.page.wait_for_function(AT_REST)
    expect(train.page.locator(".board h2")).to_contain_text("a training run, step 1")
    batch = Playground(train.page, "").state().batch
    assert (batch.m, batch.editable) == (count, True)


def test_by_keyboard_alone_and_the_board_follows_the_batch(train: Train) -> None:
    assert train.page.evaluate("document.activeElement === document.body")
    train.page.keyboard.press("Space")
    train.page.wait_for_function(f"() => {STEP} >= 3")
    train.page.keyboard.press("Space")
    expect(train.page.locator(".transport .words b")).to_have_text("Paused.")
    train.settle().page.locator(".transport .step").focus()
    there = train.step
    train.page.keyboard.press("Enter")
    train.settle()
    assert train.step == there + 1
    train.page.locator(".scrub input").focus()
    train.page.keyboard.press("ArrowLeft")
    expect(train.page.locator(".scrub .label")).to_have_text(f"Step {there}")
    train.settle().page.locator(".below select").select_option("batch")
    expect(train.page.locator(".board h2")).to_contain_text("this step's batch")


def test_a_link_opens_the_same_run_ready_to_play(page: Page, address: str) -> None:
    train = Train(page, address, "?run=rings~seed~5&beta=70")
    rate = train.page.locator(".transport input")
    rate.fill("0.02")
    rate.press("Enter")
    train.settle()
    for _ in range(3):
        train.press("step").settle()
    curve = train.curve()
    train.page.get_by_role("button", name="Copy link").click()
    copied = train.page.evaluate("() => navigator.clipboard.readText()")
    assert copied == train.page.url  # so a reload begins the same run, too
    again = Train(page, address, copied.partition("/train")[2])
    assert again.step == 0
    for _ in range(3):
        again.press("step").settle()
    assert again.curve() == curve


def test_a_folder_of_ones_own_images_is_trained_on(train: Train, tmp_path: Path) -> None:
    for name, grey in (("ants", 0), ("bees", 255)):
        (tmp_path / "pets" / name).mkdir(parents=True)
        for k in range(8):
            Image.new("L", (16, 16), grey + k * (1 if grey == 0 else -1)).save(tmp_path / "pets" / name / f"{k}.png")
    train.page.get_by_role("combobox", name="What is trained").click()
    train.page.get_by_role("option", name="My own files").click()
    train.page.get_by_role("tab", name="A folder of images").click()
    train.page.locator('[role="dialog"] input[type=file]').last.set_input_files(tmp_path / "pets")
    expect(train.page.get_by_role("dialog").get_by_text("pets/bees/7.png")).to_be_attached()
    train.page.get_by_role("button", name="Train on these").last.click()
    expect(train.page.locator(".below .caption")).to_contain_text("from pets.")
    train.settle().press("step").settle()
    assert train.step == 1
    expect(train.page.locator(".names li")).to_have_text(["ants", "bees"])


def test_somebody_who_comes_back_finds_the_run(train: Train) -> None:
    train.play(until=5)
    there, curve = train.step, train.curve()
    train.page.get_by_role("link", name="Playground").click()
    train.page.wait_for_selector('.bench[data-ready="1"] .readouts')
    train.page.get_by_role("link", name="Train").click()
    train.settle()
    assert (train.step, train.curve()) == (there, curve)


def test_pointing_at_an_item_shows_its_picture(train: Train) -> None:
    train.page.wait_for_timeout(300)  # pictures come when the run rests
    train.page.locator(".train_board .point:not(.far) .ring").first.hover(force=True)
    picture = train.page.locator(".tip:not([hidden]) canvas")
    expect(picture).to_be_visible()
    assert picture.evaluate("c => [c.width, c.height]") == [24, 24]


def test_a_closed_tab_frees_its_run(train: Train, address: str) -> None:
    with train.page.expect_request("**/msviz/run") as asked:
        train.press("play")
    ask = json.dumps({"run": json.loads(asked.value.post_data or "")["run"]}).encode()

    def gone() -> bool:
        with urllib.request.urlopen(f"{address}/msviz/run", ask, timeout=10) as reply:
            return b'"gone":true' in reply.read()

    assert not gone()
    train.page.goto("about:blank")
    for _ in range(50):
        if gone():
            return
        train.page.wait_for_timeout(100)
    pytest.fail("the run is still there")
