"""Methods: what names them, what they refuse, what an evaluation holds."""

import copy
import dataclasses
import math
import pickle

import pytest
import torch

from msviz import ABLATION, LOSSES, METHODS, Method, MsvizError, evaluate, label_pairs
from tests.core.batches import one_anchor, random_batch


def test_a_method_is_a_loss_its_parameters_and_a_margin():
    method = Method("multi_similarity", alpha=3, epsilon=0.2)
    assert method.loss is LOSSES["multi_similarity"]
    assert method.name == "multi_similarity"
    assert method.params == LOSSES["multi_similarity"].params(alpha=3)
    assert method.epsilon == 0.2
    assert Method("triplet").epsilon is None


def test_equal_methods_are_one_key():
    assert len({Method("triplet", lam=0.2), Method("triplet").replace(lam=0.2), Method("triplet")}) == 2
    assert Method("triplet", epsilon=0) != Method("triplet")
    assert Method("binomial") != Method("multi_similarity")


@pytest.mark.parametrize("slug", METHODS)
def test_repr_pickle_and_copy_bring_a_method_back(slug):
    method = METHODS[slug]
    assert eval(repr(method), {"Method": Method}) == method
    assert pickle.loads(pickle.dumps(method)) == method
    assert copy.deepcopy(method) == method


def test_a_method_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Method("triplet").epsilon = 0.1


def test_replace_changes_parameters_and_margin_and_nothing_else():
    method = METHODS["authors"].replace(beta=80, epsilon=None)
    assert method == Method("multi_similarity", alpha=2, beta=80, lam=0.5)
    assert METHODS["authors"].params.beta == 40


@pytest.mark.parametrize(
    ("make", "key", "words"),
    [
        (
            lambda: Method("tripel"),
            "error.loss_unknown",
            "there is no loss named 'tripel'; choose one of multi_similarity",
        ),
        (lambda: Method(""), "error.loss_unknown", "there is no loss named ''"),
        (
            lambda: Method("triplet", beta=3),
            "error.parameter_unknown",
            "triplet has no parameter beta; it has lam, epsilon",
        ),
        (lambda: Method("linear", lam=0), "error.parameter_unknown", "linear has no parameter lam; it has epsilon"),
        (lambda: Method("triplet").replace(margin=1), "error.parameter_unknown", "triplet has no parameter margin"),
        (lambda: Method("triplet", lam=-1), "error.parameter_range", "lam must be >= 0 and <= 2, got -1"),
        (lambda: Method("triplet", epsilon=-1), "error.epsilon", "epsilon must be >= 0 and finite, or None"),
        (lambda: Method("triplet").replace(epsilon=math.inf), "error.epsilon", "got inf"),
    ],
)
def test_a_wrong_method_is_refused_in_words(make, key, words):
    with pytest.raises(MsvizError) as error:
        make()
    assert error.value.key == key
    assert words in str(error.value)


def test_errors_survive_a_process_border():
    with pytest.raises(MsvizError) as error:
        Method("triplet", lam=-1)
    back = pickle.loads(pickle.dumps(error.value))
    assert (str(back), back.key, back.values) == (str(error.value), error.value.key, error.value.values)


@pytest.mark.parametrize(
    ("slug", "loss", "epsilon"),
    [
        ("binomial", "binomial", None),
        ("lifted_star", "lifted_star", None),
        ("ms_mining", "linear", 0.1),
        ("binlifted", "binlifted", None),
        ("ms_weighting", "multi_similarity", None),
        ("binomial_mining", "binomial", 0.1),
        ("lifted_star_mining", "lifted_star", 0.1),
        ("ms", "multi_similarity", 0.1),
    ],
)
def test_rows_of_the_ablation_are_methods(slug, loss, epsilon):
    assert METHODS[slug] == Method(loss, epsilon=epsilon)


def test_the_ablation_has_its_eight_rows_in_the_order_of_the_methods():
    assert [*ABLATION] == [*METHODS][3:]
    assert sorted(ABLATION.values(), key=len) == ["S", "N", "P", "SN", "SN", "SP", "NP", "SPN"]


@pytest.mark.parametrize("slug", ABLATION)
def test_a_row_of_the_ablation_looks_at_what_its_equation_names_and_at_p_when_mined(slug):
    method = METHODS[slug]
    equation = method.loss.equation(*one_anchor([0.5], [0.6, 0.4]), method.params, 0, 1)
    terms = (*equation.factor, *equation.numerator, *equation.denominator)
    mining = {"P"} if method.epsilon is not None else set()
    assert {term.role for term in terms} - {""} | mining == {*ABLATION[slug]}


def test_three_settings_of_the_same_loss():
    settings = {slug: METHODS[slug] for slug in ("paper", "authors", "pml")}
    got = {s: (m.params.alpha, m.params.beta, m.params.lam, m.epsilon) for s, m in settings.items()}
    assert got == {"paper": (2, 50, 1, 0.1), "authors": (2, 40, 0.5, 0.1), "pml": (2, 50, 0.5, 0.1)}


def test_the_batch_loss_is_the_mean_over_all_anchors_mined_or_not():
    sim, pairs = random_batch(0)  # its first anchor has no positives: nothing is mined there
    got = evaluate(sim, pairs, METHODS["authors"])
    assert got.per_anchor[0] == 0
    assert got.value == pytest.approx(got.per_anchor.sum().item() / len(sim))


def test_weights_are_the_absolute_gradient_and_live_on_mined_pairs():
    sim, pairs = random_batch(1)
    got = evaluate(sim, pairs, METHODS["authors"])
    assert torch.equal(got.weights, got.gradient.abs())
    assert not got.weights[~(got.mined.pos | got.mined.neg)].any()
    assert not got.violations.any()


def test_a_gradient_against_the_assumption_is_a_violation(monkeypatch):
    wrong = dataclasses.replace(LOSSES["linear"], pair_gradient=lambda sim, pairs, p: 1.0 * pairs.pos - 1.0 * pairs.neg)
    monkeypatch.setitem(LOSSES, "linear", wrong)
    sim, pairs = one_anchor([0.5], [0.5])
    assert evaluate(sim, pairs, Method("linear")).violations.all()


def test_the_value_can_be_differentiated_and_the_gradient_is_plain():
    sim, pairs = random_batch(2)
    leaf = sim.requires_grad_()
    got = evaluate(leaf, pairs, METHODS["authors"])
    got.value.backward()
    torch.testing.assert_close(leaf.grad * len(sim), got.gradient, atol=1e-12, rtol=0)
    assert not got.gradient.requires_grad


def test_similarities_that_do_not_fit_the_pairs_are_refused():
    for epsilon in (None, 0.1):
        with pytest.raises(MsvizError, match="sim must be of the same shape as its pairs"):
            evaluate(torch.zeros(2, 2), label_pairs([0, 0, 1]), Method("triplet", epsilon=epsilon))
