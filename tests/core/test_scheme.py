"""How a batch is compared: everybody, tuplets, LoOp, dot products, and what the criterion of each learns."""

import pytest
import torch
from torch import Tensor

from msviz.core.criterion import PairLoss
from msviz.core.errors import MsvizError
from msviz.core.methods import METHODS, Method, evaluate
from msviz.core.npair import Pairing
from msviz.core.pairs import label_pairs
from msviz.core.scheme import PLAIN, Scheme, SchemeLoss, compared, evaluate_scheme, evaluate_square
from msviz.core.similarity import similarity

METHODS_TRIED = [Method("npair"), Method("npair_ovo"), Method("triplet"), METHODS["authors"], Method("histogram")]
LABELS = torch.arange(4).repeat_interleave(5)  # enough members for (N+1)-tuplets of four classes


def _points(d: int = 3, seed: int = 0) -> Tensor:
    return torch.randn(len(LABELS), d, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def _value_and_gradient(criterion: torch.nn.Module, x: Tensor, *more: Tensor) -> tuple[Tensor, Tensor]:
    x = x.clone().requires_grad_()
    value = criterion(x, *more)
    value.backward()
    assert x.grad is not None
    return value.detach(), x.grad


def test_the_plain_scheme_compares_everybody_with_everybody() -> None:
    x = _points()
    rows, pairs = compared(x, LABELS, PLAIN), label_pairs(LABELS)
    assert rows.sim.equal(similarity(x))
    assert rows.pairs.pos.equal(pairs.pos)
    assert rows.pairs.neg.equal(pairs.neg)
    assert rows.anchors.tolist() == rows.used.tolist() == list(range(20))


@pytest.mark.parametrize("method", METHODS_TRIED, ids=repr)
def test_under_the_plain_scheme_the_criterion_is_pair_loss(method: Method) -> None:
    for ours, theirs in zip(
        _value_and_gradient(SchemeLoss(method, PLAIN), _points(), LABELS),
        _value_and_gradient(PairLoss(method), _points(), LABELS),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", METHODS_TRIED, ids=repr)
def test_n_pairs_are_the_anchors_against_the_positives_and_nobody_else(method: Method) -> None:
    x = _points().requires_grad_()
    anchors, positives = torch.arange(0, 20, 5), torch.arange(1, 20, 5)
    value = PairLoss(method)(x[anchors], LABELS[anchors], x[positives], LABELS[positives])
    value.backward()
    ours, gradient = _value_and_gradient(SchemeLoss(method, Scheme(pairing=Pairing.NPAIR)), x.detach(), LABELS)
    torch.testing.assert_close(ours, value.detach(), rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(gradient, x.grad, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("pairing", Pairing)
@pytest.mark.parametrize("loop", [False, True], ids=["plain", "loop"])
@pytest.mark.parametrize("method", [Method("npair"), Method("triplet", lam=0.3), METHODS["ms_weighting"]], ids=repr)
def test_the_gradient_is_the_slope_of_the_value(pairing: Pairing, loop: bool, method: Method) -> None:
    criterion, x = SchemeLoss(method, Scheme(pairing=pairing, loop=loop)), _points(seed=3)
    _, gradient = _value_and_gradient(criterion, x, LABELS)
    way = torch.randn(x.shape, dtype=x.dtype, generator=torch.Generator().manual_seed(1))
    step = 1e-6
    slope = (criterion(x + step * way, LABELS) - criterion(x - step * way, LABELS)) / (2 * step)
    torch.testing.assert_close((gradient * way).sum(), slope, rtol=1e-5, atol=1e-8)


def test_loop_changes_the_similarities_of_negatives_alone_and_makes_them_harder() -> None:
    x = _points()
    plain, loop = compared(x, LABELS, PLAIN), compared(x, LABELS, Scheme(loop=True))
    assert loop.sim[~loop.pairs.neg].equal(plain.sim[~loop.pairs.neg])
    gain = (loop.sim - plain.sim)[loop.pairs.neg]
    assert gain.min() > -1e-12
    assert gain.max() > 0.1


def test_where_norms_count_the_penalty_pulls_every_embedding_to_the_origin() -> None:
    x, scheme = _points(), Scheme(pairing=Pairing.NPAIR, classes=3, normalize=False)
    free, gradient = _value_and_gradient(SchemeLoss(Method("npair"), scheme), x, LABELS)
    held, pulled = _value_and_gradient(
        SchemeLoss(Method("npair"), Scheme(pairing=Pairing.NPAIR, classes=3, normalize=False, penalty=0.2)), x, LABELS
    )
    used = [0, 1, 5, 6, 10, 11]  # the pairs of three classes
    torch.testing.assert_close(held - free, 0.2 * x[used].square().sum(1).mean())
    expected = torch.zeros_like(x)
    expected[used] = 2 * 0.2 * x[used] / 6
    torch.testing.assert_close(pulled - gradient, expected)


@pytest.mark.parametrize("pairing", Pairing)
def test_the_square_evaluation_holds_the_rows_of_the_anchors(pairing: Pairing) -> None:
    rows = compared(_points(), LABELS, Scheme(pairing=pairing))
    alone = evaluate(rows.sim, rows.pairs, METHODS["authors"])
    whole = evaluate_square(rows, METHODS["authors"])
    assert whole.value == alone.value
    assert whole.weights[rows.anchors].equal(alone.weights)
    assert whole.value_gradient[rows.anchors].equal(alone.value_gradient)
    others = torch.ones(20, dtype=torch.bool)
    others[rows.anchors] = False
    assert not whole.weights[others].any()
    assert not (whole.mined.pos | whole.mined.neg)[others].any()


def test_a_scheme_is_written_as_it_can_be_read_again() -> None:
    for scheme in (
        PLAIN,
        Scheme("tuplets", classes=3),
        Scheme(loop=True),
        Scheme("npair", normalize=False, penalty=0.1),
    ):
        assert eval(repr(scheme)) == scheme
    assert repr(PLAIN) == "Scheme('all')"


def test_labels_may_be_names_and_there_is_one_for_each_embedding() -> None:
    names = [f"class {label}" for label in LABELS.tolist()]
    by_name = evaluate_scheme(_points(), names, Method("npair"), Scheme("npair"))
    assert by_name.gradient.equal(evaluate_scheme(_points(), LABELS, Method("npair"), Scheme("npair")).gradient)
    assert SchemeLoss(Method("npair"), Scheme("npair"))(_points(), names) == by_name.value
    with pytest.raises(MsvizError) as caught:
        evaluate_scheme(_points(), names[1:], Method("npair"), Scheme("npair"))
    assert caught.value.key == "error.labels_count"


def test_half_precision_is_computed_in_float32_also_under_autocast() -> None:
    criterion, x = SchemeLoss(METHODS["authors"], Scheme(loop=True)), _points().float()
    outside = criterion(x, LABELS)
    with torch.autocast("cpu", torch.bfloat16):
        assert criterion(x, LABELS) == outside
    assert criterion(x.bfloat16(), LABELS).dtype == torch.float32


@pytest.mark.parametrize(
    ("key", "settings"),
    [
        ("error.scheme_loop", {"loop": True, "normalize": False}),
        ("error.parameter_range", {"pairing": "quadruplets"}),
        ("error.parameter_range", {"penalty": -0.1}),
        ("error.parameter_range", {"penalty": float("nan")}),
    ],
)
def test_a_scheme_that_makes_no_sense_is_refused(key: str, settings: dict[str, object]) -> None:
    with pytest.raises(MsvizError) as caught:
        Scheme(**settings)  # type: ignore[arg-type]
    assert caught.value.key == key


def test_dot_products_that_overflow_are_refused() -> None:
    scheme = Scheme(pairing=Pairing.NPAIR, normalize=False)
    with pytest.raises(MsvizError) as caught:
        SchemeLoss(Method("npair"), scheme)(_points().float() * 1e30, LABELS)
    assert caught.value.key == "error.overflow"
