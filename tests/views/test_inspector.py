"""The inspector answers why a pair weighs what it weighs, with numbers that show what was compared."""

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from msviz.core.losses import LOSSES
from msviz.core.losses.spec import Equation, Term
from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS
from msviz.state import State, default_state
from msviz.text import catalogue, msg, number, say
from msviz.views.inspector import _legend, digits_that_show, inspector_view, mining_verdict
from msviz.views.scene import scene
from tests.views.scenes import MS, keys, on_circle, one_anchor, reference


def _numbers(text: str) -> list[float]:
    """The numbers after "=" and around the sign of comparison: S and the limit."""
    found = re.search(r"S = (\S+) ([<>≤≥]) .* = (\S+),", text)
    assert found is not None, text
    return [float(found[k].replace("−", "-")) for k in (1, 3)]


def test_with_nothing_selected_it_says_what_to_click() -> None:
    view = inspector_view(scene(default_state()))
    assert (view.title.key, keys(view.lines), view.equation) == (
        "inspector.nothing",
        ["inspector.nothing.how"],
        None,
    )


def test_an_anchor_is_summed_up() -> None:
    view = inspector_view(reference(select=(0, None)))
    assert view.title == msg("inspector.anchor", anchor=0, name="A")
    counts, total, how = view.lines
    assert counts.values == {"positives": 1, "all_positives": 2, "negatives": 1, "all_negatives": 2}
    assert total.values["pull"] == pytest.approx(0.425557, abs=1e-6)
    assert total.values["push"] == pytest.approx(0.991837, abs=1e-6)
    assert total.values["loss"] == pytest.approx(0.277178 + 0.120205, abs=1e-6)
    assert how.key == "inspector.anchor.how"
    assert say(total) == "Its positives pull with 0.426 in all, its negatives push with 0.992. Its loss is 0.3974."


def test_an_anchor_has_no_loss_of_its_own_where_the_batch_has_one() -> None:
    view = inspector_view(reference(Method("histogram"), select=(0, None)))
    assert view.lines[1].key == "inspector.anchor.total.batch"
    assert say(view.lines[1]).startswith("Its positives pull with ")


def test_a_positive_that_is_pushed_lessens_the_pull_of_its_anchor() -> None:
    view = inspector_view(reference(Method("supcon", tau=0.1), select=(0, None)))
    now = reference(Method("supcon", tau=0.1))
    signed = now.evaluation.gradient[0]
    assert signed[1] > 0 > signed[2]  # S = .82 holds more than its half of the softmax: supcon pushes it away
    assert view.lines[1].values["pull"] == pytest.approx(-(signed[1] + signed[2]).item())


def test_a_pair_against_the_assumption_says_so_and_has_a_minus() -> None:
    view = inspector_view(reference(Method("supcon", tau=0.1), select=(0, 1)))
    assert keys(view.lines) == ["inspector.positive.against", "mining.off", "inspector.violation"]
    assert view.equation is not None
    assert view.equation.value < 0


def test_a_kept_negative_shows_what_was_compared_and_its_equation() -> None:
    view = inspector_view(reference(select=(0, 3)))
    assert say(view.title) == "Why does pair 0→3 weigh 0.992?"
    assert say(view.lines[0]) == "A negative pair (class A against B), S = 0.620: the loss pushes it apart."
    assert say(view.lines[1]) == (
        "Kept by mining: S = 0.62 > 0.65 − 0.1 = 0.55, the least similar positive (0→2) less ε."
    )
    assert len(view.lines) == 2
    assert view.equation is not None
    assert view.equation.value == pytest.approx(0.991837, abs=1e-6)
    # 1 / w = e^{40 (.5 - .62)} + e^0
    assert [term.value for term in view.equation.denominator] == pytest.approx([0.0082297, 1], abs=1e-6)
    assert view.name == "w^{−}_{ij}"


def test_a_kept_positive_shows_its_rival() -> None:
    view = inspector_view(reference(select=(0, 2)))
    assert say(view.lines[0]) == "A positive pair (both class A), S = 0.650: the loss pulls it together."
    assert say(view.lines[1]) == (
        "Kept by mining: S = 0.65 < 0.62 + 0.1 = 0.72, the most similar negative (0→3) plus ε."
    )
    assert view.equation is not None
    assert view.equation.value == pytest.approx(0.425557, abs=1e-6)
    assert view.name == "w^{+}_{ij}"


@pytest.mark.parametrize(("other", "sentence"), [
    (1, "Dropped by mining: S = 0.82 ≥ 0.62 + 0.1 = 0.72, the most similar negative (0→3) plus ε."),
    (4, "Dropped by mining: S = 0.30 ≤ 0.65 − 0.1 = 0.55, the least similar positive (0→2) less ε."),
])  # fmt: skip
def test_a_dropped_pair_says_why_and_has_no_equation(other: int, sentence: str) -> None:
    view = inspector_view(reference(select=(0, other)))
    assert say(view.title) == f"Why does pair 0→{other} weigh 0.000?"
    assert say(view.lines[1]) == sentence
    assert view.lines[2].key == "inspector.dropped_weighs_nothing"
    assert (view.equation, view.name, view.legend) == (None, "", ())


def test_without_a_rival_mining_compares_nothing() -> None:
    one_class = inspector_view(on_circle([0, 10], [0, 0], select=(0, 1)))
    assert keys(one_class.lines)[1] == "mining.no_negative"
    singleton = inspector_view(on_circle([0, 10], [0, 1], select=(1, 0)))
    assert singleton.lines[1] == msg("mining.no_positive", anchor=1)


def test_with_mining_off_every_pair_counts() -> None:
    view = inspector_view(reference(MS.replace(epsilon=None), select=(0, 1)))
    assert keys(view.lines)[1:] == ["mining.off"]
    assert view.equation is not None


def test_verdicts_name_points_by_id() -> None:
    state = on_circle([200, 0, 30, 20], [0, 0, 0, 1]).state
    now = scene(state.with_batch(state.batch.removed(0)))
    assert mining_verdict(now, 0, 1).values["anchor"] == 1
    assert mining_verdict(now, 0, 1).values["at"] == 3


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12, -1e-3, -1e-6, -1e-9, -1e-12])
def test_near_a_tie_the_verdict_gets_the_digits_that_show_it(gap: float) -> None:
    # The least similar positive at .65: a negative is kept above .55.
    now = one_anchor([0.82, 0.65], [0.55 + gap, 0.3])
    verdict = mining_verdict(now, 0, 3)
    assert verdict.key == ("mining.negative.kept" if gap > 0 else "mining.negative.dropped")
    s, limit = _numbers(say(verdict))
    assert s > limit if gap > 0 else s < limit


@pytest.mark.parametrize("gap", [1e-3, 1e-9, -1e-3, -1e-9])
def test_near_a_tie_a_positives_verdict_shows_it_too(gap: float) -> None:
    # The most similar negative at .62: a positive is kept below .72.
    verdict = mining_verdict(one_anchor([0.72 + gap, 0.65], [0.62, 0.3]), 0, 1)
    assert verdict.key == ("mining.positive.dropped" if gap > 0 else "mining.positive.kept")
    s, limit = _numbers(say(verdict))
    assert s > limit if gap > 0 else s < limit


def test_an_exact_tie_needs_no_digits() -> None:
    # Duplicates and epsilon 0: S equals the rival's, which is not less, so both kinds are dropped.
    now = on_circle([0, 60, 60], [0, 0, 1], MS.replace(epsilon=0))
    verdict = mining_verdict(now, 0, 1)
    assert verdict.key == "mining.positive.dropped"
    assert say(verdict) == "Dropped by mining: S = 0.50 ≥ 0.50 + 0 = 0.50, the most similar negative (0→2) plus ε."


@given(st.floats(-1, 1), st.floats(-1, 1))
@example(0.1 + 0.2, 0.3)
@example(2.675, 2.674999)
@example(0.0, -1e-9)
def test_written_numbers_differ_when_the_numbers_do(one: float, two: float) -> None:
    assume(abs(one - two) > 1e-15)
    digits = digits_that_show(one, two)
    first, second = (float(number(x, digits).replace("−", "-")) for x in (one, two))
    assert (first < second) == (one < two)


@pytest.mark.parametrize("epsilon", [None, 0.1, 1.5])
@pytest.mark.parametrize("name", LOSSES)
def test_the_equation_of_every_kept_pair_is_its_weight(name: str, epsilon: float | None) -> None:
    for params in LOSSES[name].examples:
        method = Method(name, epsilon=epsilon, **vars(params))
        state = State(PRESETS["singleton"].make(), method)
        now = scene(state)
        for anchor, other in [(0, 1), (3, 8), (8, 3), (4, 3), (4, 7)]:
            view = inspector_view(scene(state.select(anchor, other)))
            assert (view.equation is not None) == bool(now.kept[anchor, other])
            if view.equation is not None:
                weight = float(now.weights[anchor, other])
                sign = -1 if now.evaluation.violations[anchor, other] else 1  # supcon pushes some positives
                assert view.equation.value == pytest.approx(sign * weight, rel=1e-9, abs=1e-300)
            assert keys([view.title, *view.lines, *(words for _, words in view.legend)])


def test_the_legend_says_how_much_each_similarity_counts() -> None:
    # Below .0082297 + 1: S is .8 % of the sum, N the rest.
    legend = inspector_view(reference(select=(0, 3))).legend
    assert [(role, words.key) for role, words in legend] == [
        ("S", "inspector.role.S.little"),
        ("N", "inspector.role.N.most"),
    ]
    # Positive .65: e^{-2 (.5 - .65)} = 1.349859 beside 1.
    shares = dict(inspector_view(reference(select=(0, 2))).legend)
    assert shares["S"].key == "inspector.role.S.share"
    assert shares["S"].values["share"] == pytest.approx(1.349859 / 2.349859, abs=1e-6)
    assert say(shares["N"]).endswith(": 43% of the sum below")


def test_a_single_role_has_no_share() -> None:
    legend = inspector_view(reference(METHODS["lifted_star"], select=(0, 3))).legend
    assert [words.key for _, words in legend] == ["inspector.role.N"]
    assert inspector_view(reference(Method("linear"), select=(0, 3))).legend == ()


def test_roles_outside_the_sum_below_have_no_share() -> None:
    legend = inspector_view(reference(Method("lifted"), select=(0, 3))).legend
    assert [words.key for _, words in legend] == ["inspector.role.P", "inspector.role.N"]


@pytest.mark.parametrize(
    ("itself", "key"),
    [(0.0, "little"), (0.0099, "little"), (0.02, "share"), (98.0, "share"), (101.0, "most")],
)
def test_one_percent_is_little_and_all_but_one_percent_is_most(itself: float, key: str) -> None:
    equation = Equation(denominator=(Term("a", itself, "S"), Term("b", 1.0, "N")))
    assert dict(_legend(equation))["S"].key == f"inspector.role.S.{key}"


def test_a_sum_of_zero_has_no_shares() -> None:
    legend = _legend(Equation(denominator=(Term("a", 0.0, "S"), Term("b", 0.0, "N"))))
    assert [words.key for _, words in legend] == ["inspector.role.S", "inspector.role.N"]


def test_every_role_has_words_for_every_case() -> None:
    expected = {f"inspector.role.{role}{case}" for role in "SPN" for case in ("", ".little", ".most", ".share")}
    assert set(catalogue("inspector.role.")) == expected
