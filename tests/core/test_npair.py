"""Tuplets: who is in them, what they cost against hand formulas and another library, and what lengths cost."""

import math

import pytest
import torch
from pytorch_metric_learning.distances import DotProductSimilarity
from pytorch_metric_learning.losses import NPairsLoss

from msviz import Method, MsvizError, Pairing, PairLoss, evaluate, l2_penalty, label_pairs, similarity, tuplets
from msviz.core.npair import embeddings, members

KINDS = [Pairing.TRIPLETS, Pairing.TUPLETS, Pairing.NPAIR]
NPAIR, OVO = Method("npair"), Method("npair_ovo")


def batch(seed, n, per_class, dim=3):
    """n classes of that many points each, in random order."""
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(n * per_class, dim, generator=rng, dtype=torch.float64)
    return x, torch.arange(n).repeat(per_class)[torch.randperm(n * per_class, generator=rng)]


@pytest.mark.parametrize("n", [2, 3, 7])
def test_the_kinds_take_3n_n_times_n_plus_1_and_2n_embeddings(n):
    assert [embeddings(kind, n) for kind in KINDS] == [3 * n, n * (n + 1), 2 * n]
    for kind in KINDS:
        _, labels = batch(0, n, members(kind, n) + 1)  # one more than needed stays out
        found = tuplets(labels, kind)
        assert len(found.used) == embeddings(kind, n)
        assert labels[found.used].bincount().tolist() == [members(kind, n)] * n


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_a_positive_is_of_the_anchors_class_and_the_negatives_are_of_different_others(kind, seed):
    n = 2 + seed
    _, labels = batch(seed, n, n + 1)
    found = tuplets(labels, kind)
    assert labels[found.anchors].tolist() == list(dict.fromkeys(labels.tolist()))
    assert (labels[found.anchors] == labels[found.positives]).all()
    assert (found.anchors != found.positives).all()
    assert found.negatives.shape == (n, 1 if kind == Pairing.TRIPLETS else n - 1)
    for own, of_tuplet in zip(labels[found.anchors].tolist(), labels[found.negatives].tolist(), strict=True):
        assert len({own, *of_tuplet}) == 1 + len(of_tuplet)


def test_a_point_is_in_one_tuplet_only_unless_pairs_are_shared():
    _, labels = batch(1, 5, 6)
    for kind in (Pairing.TRIPLETS, Pairing.TUPLETS):
        found = tuplets(labels, kind)
        rows = torch.cat([found.anchors[:, None], found.positives[:, None], found.negatives], 1).flatten().tolist()
        assert len(rows) == len(set(rows))
    shared = tuplets(labels, Pairing.NPAIR)
    assert {*shared.negatives.flatten().tolist()} == {*shared.positives.tolist()}


def test_tuplets_by_hand():
    labels = ["a", "b", "c"] * 4  # rows 0 3 6 9, 1 4 7 10, 2 5 8 11
    found = tuplets(labels, "tuplets")
    assert found.anchors.tolist() == [0, 1, 2]
    assert found.positives.tolist() == [3, 4, 5]
    assert found.negatives.tolist() == [[7, 8], [6, 11], [9, 10]]
    assert tuplets(labels, "triplets").negatives.tolist() == [[7], [8], [6]]
    assert tuplets(labels, "npair").negatives.tolist() == [[4, 5], [3, 5], [3, 4]]
    assert tuplets(labels, "npair", classes=2).negatives.tolist() == [[4], [3]]


def test_pairs_of_no_tuplet_are_neither():
    found = tuplets([5, 5, 5, 8, 8, 8], "npair")
    assert found.pairs.pos.nonzero().tolist() == [[0, 1], [1, 4]]
    assert found.pairs.neg.nonzero().tolist() == [[0, 4], [1, 1]]
    assert found.pairs.pos.shape == (2, 6)


def excesses(x, found):
    """S_n - S_p of every tuplet, from the points themselves."""
    a, p, n = x[found.anchors], x[found.positives], x[found.negatives]
    return torch.einsum("ad,akd->ak", a, n) - (a * p).sum(1)[:, None]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_losses_on_the_rows_of_the_anchors_are_the_formulas(kind, seed):
    x, labels = batch(seed, 4, 5)
    found = tuplets(labels, kind)
    sim = similarity(x[found.anchors], x, normalize=False)
    z = excesses(x, found)
    expected = {NPAIR: (1 + z.exp().sum(1)).log(), OVO: (1 + z.exp()).log().sum(1)}
    for method, values in expected.items():
        assert evaluate(sim, found.pairs, method).per_anchor == pytest.approx(values, rel=1e-12)
    share = z.exp() / (1 + z.exp().sum(1, keepdim=True))
    gradient = evaluate(sim, found.pairs, NPAIR).gradient
    assert gradient.gather(1, found.negatives) == pytest.approx(share, rel=1e-12)
    assert gradient.gather(1, found.positives[:, None]) == pytest.approx(-share.sum(1, keepdim=True), rel=1e-12)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("method", [NPAIR, OVO], ids=lambda method: method.name)
def test_n_pairs_are_a_batch_of_anchors_against_a_bank_of_positives(method, normalize):
    x, labels = batch(3, 5, 2)
    x.requires_grad_()
    found = tuplets(labels, Pairing.NPAIR)
    ours = evaluate(similarity(x[found.anchors], x, normalize), found.pairs, method).value
    classes = labels[found.anchors]
    bank = PairLoss(method, normalize)(x[found.anchors], classes, ref_emb=x[found.positives], ref_labels=classes)
    assert ours.item() == pytest.approx(bank.item(), rel=1e-12)
    (of_ours,), (of_bank,) = torch.autograd.grad(ours, x), torch.autograd.grad(bank, x)
    assert of_ours == pytest.approx(of_bank, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_n_pairs_are_those_of_pytorch_metric_learning(seed):
    x, labels = batch(seed, 4, 3)
    x.requires_grad_()
    found = tuplets(labels, Pairing.NPAIR)
    ours = evaluate(similarity(x[found.anchors], x, normalize=False), found.pairs, NPAIR).value
    theirs = NPairsLoss(distance=DotProductSimilarity(normalize_embeddings=False))(x, labels)
    assert ours.item() == pytest.approx(theirs.item(), rel=1e-9)
    (of_ours,), (of_theirs,) = torch.autograd.grad(ours, x), torch.autograd.grad(theirs, x)
    assert of_ours == pytest.approx(of_theirs, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_with_two_classes_mc_is_ovo_is_a_soft_triplet(kind):
    x, labels = batch(4, 2, 3)
    found = tuplets(labels, kind)
    sim, z = similarity(x[found.anchors], x, normalize=False), excesses(x, found)[:, 0]
    assert (z != 0).all()
    for method in (NPAIR, OVO):
        got = evaluate(sim, found.pairs, method)
        assert got.per_anchor == pytest.approx(torch.logaddexp(torch.zeros(()).double(), z), rel=1e-12)
        assert got.weights.gather(1, found.negatives)[:, 0] == pytest.approx(z.sigmoid(), rel=1e-12)


def test_scaled_up_a_soft_triplet_becomes_the_triplet_without_a_margin():
    x, labels = batch(5, 2, 2)
    found = tuplets(labels, Pairing.NPAIR)
    sim = similarity(x[found.anchors], x)
    hard = evaluate(sim, found.pairs, Method("triplet", lam=0))
    for scale in (1, 10, 1000):
        soft = evaluate(scale * sim, found.pairs, NPAIR)
        gap = soft.per_anchor / scale - hard.per_anchor
        assert (gap >= 0).all()
        assert (gap <= math.log(2) / scale).all()  # log(1 + e^{s z}) / s, at most log 2 / s above [z]+
    assert gap.max() < 1e-3
    assert soft.weights == pytest.approx(hard.weights, abs=1e-12)  # sigma(s z) has become 0 or 1


def test_the_gradient_of_the_masks_reaches_the_tuplets_only():
    x, labels = batch(6, 3, 5)
    x.requires_grad_()
    found = tuplets(labels, Pairing.TUPLETS)
    evaluate(similarity(x[found.anchors], x), found.pairs, NPAIR).value.backward()
    moved = x.grad.abs().sum(1).nonzero().flatten()
    assert moved.tolist() == found.used.tolist()


def test_everybody_with_everybody_has_many_more_pairs():
    labels = [0, 0, 1, 1]
    everybody = label_pairs(labels)
    assert (everybody.pos | everybody.neg).sum() == 12
    pairs = tuplets(labels, "npair").pairs
    assert (pairs.pos | pairs.neg).sum() == 4


@pytest.mark.parametrize(
    ("kind", "labels", "classes", "need", "got"),
    [
        ("npair", [7, 7, 9], None, 2, 1),
        ("triplets", [7, 7, 7, 9, 9], None, 3, 2),
        ("tuplets", [7, 9, 5] * 3, 3, 4, 3),
    ],
)
def test_a_class_with_too_few_points_is_named(kind, labels, classes, need, got):
    with pytest.raises(MsvizError) as error:
        tuplets(labels, kind, classes)
    name = "7" if kind == "tuplets" else "9"
    assert error.value.key == "error.tuplets_members"
    assert f"take {need} points of each, but class {name} has {got}; add points" in str(error.value)


def test_a_class_beyond_the_first_n_may_have_too_few():
    assert len(tuplets([0, 1, 0, 1, 2], "npair", classes=2).anchors) == 2


@pytest.mark.parametrize(("labels", "classes", "need"), [([], None, 2), ([1, 1], None, 2), ([1, 1, 2, 2], 3, 3)])
def test_too_few_classes_are_an_error(labels, classes, need):
    with pytest.raises(MsvizError, match=f"tuplets of {need} classes need points of as many, got") as error:
        tuplets(labels, "npair", classes)
    assert error.value.key == "error.tuplets_classes"
    assert error.value.values == {"need": need, "got": len(set(labels))}


@pytest.mark.parametrize("n", [1, 2.5, True, "3", math.nan])
def test_a_number_of_classes_is_whole_and_at_least_2(n):
    for call in (lambda: members("npair", n), lambda: tuplets([0, 0, 1, 1], "npair", n)):
        with pytest.raises(MsvizError, match="must be a whole number >= 2, got") as error:
            call()
        assert error.value.key == "error.parameter_range"


@pytest.mark.parametrize("pairing", ["all", Pairing.ALL, "pairs", None], ids=repr)
def test_only_three_kinds_are_tuplets(pairing):
    for call in (lambda: members(pairing, 3), lambda: tuplets([0, 0, 1, 1], pairing)):
        with pytest.raises(MsvizError, match="pairing must be one of 'triplets', 'tuplets', 'npair', got"):
            call()


def test_the_penalty_is_the_mean_of_squared_lengths():
    x = torch.tensor([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]], requires_grad=True)
    penalty = l2_penalty(x, strength=0.6)
    assert penalty.item() == pytest.approx(0.6 * 26 / 3)
    penalty.backward()
    assert x.grad == pytest.approx(2 * 0.6 * x.detach() / 3)
    assert l2_penalty(x, strength=0) == 0
    assert l2_penalty(torch.ones(0, 2), strength=1) == 0
    assert l2_penalty(torch.full((1, 2), 300.0).half(), strength=1).item() == 180_000  # inf in float16


@pytest.mark.parametrize("strength", [-0.1, math.inf, math.nan, "1", True])
def test_the_strength_of_the_penalty_is_at_least_0(strength):
    with pytest.raises(MsvizError, match="strength must be >= 0 and finite, got") as error:
        l2_penalty(torch.ones(1, 1), strength)
    assert error.value.key == "error.parameter_range"
