"""The strip: loss, presets, sliders that report while they move, number fields, mining; and what is refused."""

from playwright.sync_api import expect

from msviz.core.losses import LOSSES
from msviz.text import number
from tests.browser.playground import Playground


def test_a_slider_changes_the_numbers_while_it_is_held(playground: Playground) -> None:
    loss = playground.readouts()[0]
    box = playground.slider("β").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    playground.page.mouse.move(box["x"] + box["width"] * 0.78, y)
    playground.page.mouse.down()
    for share in (0.7, 0.6, 0.5, 0.4):
        playground.page.mouse.move(box["x"] + box["width"] * share, y)
    playground.settle()
    held, value = playground.readouts()[0], playground.field("β").input_value()
    assert held != loss
    assert float(value) < 40
    playground.page.mouse.up()
    playground.settle()
    assert playground.readouts()[0] == held
    expect(playground.change()).to_contain_text(f"β 40 → {number(float(value), None)}")
    computed = playground.computed()
    assert computed.state.method.params.beta == float(value)
    assert held == number(float(computed.evaluation.value), 4)
    playground.page.get_by_role("button", name="Undo").click()  # the whole movement is one step
    playground.settle()
    expect(playground.field("β")).to_have_value("40")


def test_a_number_field_takes_any_value_in_range(playground: Playground) -> None:
    playground.field("α").fill("3.25")
    playground.press("Enter")
    expect(playground.change()).to_contain_text("α 2 → 3.25")
    assert playground.state().method.params.alpha == 3.25


def test_a_number_out_of_range_is_refused_in_one_sentence_and_nothing_is_lost(playground: Playground) -> None:
    before = playground.readouts()
    playground.field("β").fill("-3")
    playground.press("Enter")
    expect(playground.change()).to_contain_text("must be > 0 and <= 200, got −3")
    expect(playground.field("β")).to_have_value("40")
    assert playground.readouts() == before
    playground.field("ε").fill("")
    playground.press("Enter")
    expect(playground.change()).to_contain_text("ε needs a number")
    expect(playground.field("ε")).to_have_value("0.1")


def test_presets_and_mining_switch_the_method(playground: Playground) -> None:
    playground.page.get_by_role("button", name="paper", exact=True).click()
    playground.settle()
    expect(playground.page.get_by_role("button", name="paper", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(playground.field("λ")).to_have_value("1")
    playground.page.get_by_label("mine pairs").uncheck()
    playground.settle()
    expect(playground.change()).to_contain_text("mining off")
    assert playground.readouts()[1] == "52 + 130"
    expect(playground.field("ε")).to_be_disabled()


def test_every_loss_can_be_chosen_and_brings_its_own_parameters(playground: Playground) -> None:
    for name, loss in LOSSES.items():
        playground.page.get_by_label("Loss", exact=True).select_option(name)
        playground.settle()
        letters = playground.page.locator(".strip .row i").all_inner_texts()
        assert letters[-1] == "ε"
        assert len(letters) == len(loss.params.__dataclass_fields__) + 1
        computed = playground.computed()
        assert computed.state.method.name == name
        assert playground.readouts()[0] == number(float(computed.evaluation.value), 4)


def test_a_parameter_that_two_losses_share_keeps_its_slider(playground: Playground) -> None:
    playground.slider("α").evaluate("e => { e.dataset.mark = 'same'; }")
    playground.page.get_by_label("Loss", exact=True).select_option("binomial")
    playground.settle()
    expect(playground.slider("α")).to_have_attribute("data-mark", "same")
