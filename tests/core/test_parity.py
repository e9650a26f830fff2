"""The same numbers as pytorch-metric-learning 2.9.0, wherever both mean the same; and where they do not, who is right.

Theirs takes a distance, a reducer (which mean or sum of the single losses) and margins; how each of its losses becomes
one of ours stands above the pair. All are compared in float64, in value and in gradient on the embeddings, on random
batches away from what theirs gets wrong: see the end of this file.
"""

import pytest
import torch
from pytorch_metric_learning.distances import CosineSimilarity, DotProductSimilarity
from pytorch_metric_learning.losses import (
    ContrastiveLoss,
    GeneralizedLiftedStructureLoss,
    MultiSimilarityLoss,
    NCALoss,
    NPairsLoss,
    SupConLoss,
    TripletMarginLoss,
)
from pytorch_metric_learning.miners import MultiSimilarityMiner
from pytorch_metric_learning.reducers import MeanReducer, SumReducer

from msviz import Method, PairLoss, label_pairs
from tests.core.batches import on_circle

COSINE = {"distance": CosineSimilarity()}
seeds = pytest.mark.parametrize("seed", range(4))
with_and_without_mining = pytest.mark.parametrize("epsilon", [None, 0.1])


def batch(seed, singles):
    """Random embeddings of any length, 3 or 4 classes of 3 to 5 points, and some classes of a single point."""
    rng = torch.Generator().manual_seed(seed)
    sizes = [int(torch.randint(3, 6, (1,), generator=rng)) for _ in range(3 + seed % 2)] + [1] * singles
    labels = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    labels = labels[torch.randperm(len(labels), generator=rng)]
    x = torch.randn(len(labels), 5, generator=rng, dtype=torch.float64) * torch.rand(
        len(labels), 1, generator=rng, dtype=torch.float64
    ).add(0.5)
    return x.requires_grad_(), labels


def assert_same(ours, theirs, x):
    """The same value, and the same gradient on x, which is not zero."""
    torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=0)
    (here,), (there,) = (torch.autograd.grad(value, x) for value in (ours, theirs))
    torch.testing.assert_close(here, there, atol=1e-12, rtol=0)
    assert here.any()


def their_pairs(x, labels, epsilon):
    """What their miner keeps: the same pairs as ours, as lists of indices; None = their loss takes all pairs."""
    return None if epsilon is None else MultiSimilarityMiner(epsilon=epsilon)(x, labels)


# MultiSimilarityLoss(alpha, beta, base) with cosine similarity (its default): base is lam. MeanReducer (its default)
# takes the mean over all anchors, also over those of which nothing is mined. The miner's epsilon is ours.


@with_and_without_mining
@seeds
@pytest.mark.parametrize("p", [{"alpha": 2, "beta": 50, "lam": 0.5}, {"alpha": 7, "beta": 30, "lam": -0.2}])
def test_multi_similarity_is_theirs(p, seed, epsilon):
    x, labels = batch(seed, singles=2)
    ours = PairLoss(Method("multi_similarity", epsilon=epsilon, **p))(x, labels)
    theirs = MultiSimilarityLoss(p["alpha"], p["beta"], p["lam"], reducer=MeanReducer(), **COSINE)
    assert_same(ours, theirs(x, labels, their_pairs(x, labels, epsilon)), x)


def test_their_miner_keeps_the_pairs_that_ours_keeps():
    x, labels = batch(0, singles=2)
    method = Method("linear", epsilon=0.1)
    a1, p, a2, n = MultiSimilarityMiner(epsilon=0.1)(x, labels)
    # The linear loss has weight 1 on exactly the mined pairs: what it adds up is a sum over their lists.
    sim = CosineSimilarity()(x)
    theirs = (sim[a2, n].sum() - sim[a1, p].sum()) / len(x)
    assert len(a1) < label_pairs(labels).pos.sum()
    assert_same(PairLoss(method)(x, labels), theirs, x)


# ContrastiveLoss with similarities: positives [pos_margin - S]_+, with pos_margin = 1 never cut off (S <= 1), so it is
# 1 - S; negatives [S - neg_margin]_+, neg_margin is lam. SumReducer adds up all pairs; ours has no 1 per positive pair
# and divides by the number of anchors.


@with_and_without_mining
@seeds
@pytest.mark.parametrize("lam", [0.5, -0.3])
def test_contrastive_is_theirs(lam, seed, epsilon):
    x, labels = batch(seed, singles=2)
    pairs = their_pairs(x, labels, epsilon)
    positives = label_pairs(labels).pos.sum() if pairs is None else len(pairs[0])
    theirs = ContrastiveLoss(pos_margin=1, neg_margin=lam, reducer=SumReducer(), **COSINE)(x, labels, pairs)
    ours = PairLoss(Method("contrastive", lam=lam, epsilon=epsilon))(x, labels)
    assert_same(ours, (theirs - positives) / len(x), x)


# TripletMarginLoss with similarities: [S_an - S_ap + margin]_+, margin is lam, over all triplets (its default; of mined
# pairs all that share their anchor). SumReducer instead of its mean over the triplets that are not 0; ours divides by
# the number of anchors.


@with_and_without_mining
@seeds
@pytest.mark.parametrize("lam", [0.05, 0.4])
def test_triplet_is_theirs(lam, seed, epsilon):
    x, labels = batch(seed, singles=2)
    theirs = TripletMarginLoss(margin=lam, reducer=SumReducer(), **COSINE)(x, labels, their_pairs(x, labels, epsilon))
    ours = PairLoss(Method("triplet", lam=lam, epsilon=epsilon))(x, labels)
    assert_same(ours, theirs / len(x), x)


# NPairsLoss makes one pair of each class, the first two points, and compares anchor i with the positive of every class
# by cross-entropy. That is the (N+1)-tuplet with a bank of references: the anchors are the first points, the references
# the second ones, one positive each. The mean is over these pairs. Its default is the bare dot product.


@seeds
@pytest.mark.parametrize("normalize", [True, False])
def test_npair_is_theirs(normalize, seed):
    x, labels = batch(seed, singles=0)
    first, second = torch.tensor([(labels == c).nonzero().flatten()[:2].tolist() for c in labels.unique()]).T
    distance = DotProductSimilarity(normalize_embeddings=normalize)
    theirs = NPairsLoss(distance=distance, reducer=MeanReducer())(x, labels)
    ours = PairLoss(Method("npair"), normalize=normalize)(x[first], labels[first], x[second], labels[second])
    assert_same(ours, theirs, x)


# NCALoss with similarities: -log of the softmax over all others, summed over the positives; softmax_scale is our scale.
# Its mean leaves out anchors without positives, so it is SumReducer over the number of anchors.


@seeds
@pytest.mark.parametrize("scale", [1, 16])
def test_nca_is_theirs(scale, seed):
    x, labels = batch(seed, singles=2)
    theirs = NCALoss(softmax_scale=scale, reducer=SumReducer(), **COSINE)(x, labels)
    assert_same(PairLoss(Method("nca", scale=scale))(x, labels), theirs / len(x), x)


# GeneralizedLiftedStructureLoss with similarities: [log sum_p e^{pos_margin - S} + log sum_n e^{S - neg_margin}]_+;
# pos_margin - neg_margin is lam. The mean is over all anchors. No single points: with one side empty theirs keeps the
# other side's term, ours is 0 ("both").


@with_and_without_mining
@seeds
@pytest.mark.parametrize(("pos_margin", "neg_margin"), [(0.5, 0), (0, 1.5)])
def test_generalised_lifted_structure_is_theirs(pos_margin, neg_margin, seed, epsilon):
    x, labels = batch(seed, singles=0)
    loss = GeneralizedLiftedStructureLoss(neg_margin, pos_margin, reducer=MeanReducer(), **COSINE)
    ours = PairLoss(Method("lifted", lam=pos_margin - neg_margin, epsilon=epsilon))(x, labels)
    assert_same(ours, loss(x, labels, their_pairs(x, labels, epsilon)), x)


# SupConLoss: temperature is tau; SumReducer over the number of anchors (its own mean leaves out the zeros).


@with_and_without_mining
@seeds
@pytest.mark.parametrize("tau", [0.1, 1])
def test_supcon_is_theirs(tau, seed, epsilon):
    x, labels = batch(seed, singles=2)
    theirs = SupConLoss(temperature=tau, reducer=SumReducer(), **COSINE)(x, labels, their_pairs(x, labels, epsilon))
    assert_same(PairLoss(Method("supcon", tau=tau, epsilon=epsilon))(x, labels), theirs / len(x), x)


# Where theirs goes wrong. What is right is by hand in test_other_implementations.py; here is what the pinned version
# does with the same input, so that nobody takes the difference for a fault of ours.


def test_theirs_takes_one_pair_on_each_side_for_nothing():
    index = [torch.tensor([k]) for k in (0, 1, 0, 2)]  # (0, 1) is the positive, (0, 2) the negative
    assert MultiSimilarityLoss()(on_circle(0, 30, 50), torch.tensor([0, 1, 2]), index) == 0
    # The only anchor is 0; ours sums it alone, theirs is the mean over 3 points.
    ours = PairLoss(Method("multi_similarity", beta=50))(on_circle(0), [0], on_circle(30, 50), [0, 1])
    assert ours.item() / 3 == pytest.approx(0.113045, abs=5e-7)


def test_theirs_counts_the_point_itself_when_references_are_given():
    x, labels = on_circle(0, 30, 50), torch.tensor([0, 0, 1])
    method = Method("multi_similarity", beta=50)
    assert MultiSimilarityLoss()(x, labels, ref_emb=x, ref_labels=labels.clone()).item() == pytest.approx(
        0.59779, abs=5e-6
    )
    assert PairLoss(method)(x, labels, x, labels, torch.arange(3)).item() == pytest.approx(0.47162, abs=5e-6)


def test_theirs_loses_nca_where_the_positives_are_too_far_for_float32():
    x, labels = on_circle(0, 180, 1, 181, dtype=torch.float32), torch.tensor([0, 0, 1, 1])
    assert NCALoss(softmax_scale=100, **COSINE)(x, labels).isnan()
    assert PairLoss(Method("nca", scale=100))(x, labels).item() == pytest.approx(199.98477, abs=2e-5)


def test_theirs_has_no_nca_without_positives():
    x, labels = on_circle(0, 30, 50, 70), torch.arange(4)
    assert NCALoss(**COSINE)(x, labels).isnan()
    assert PairLoss(Method("nca"))(x, labels) == 0


@pytest.mark.filterwarnings("ignore::msviz.core.errors.ZeroRowWarning")
def test_theirs_sends_a_zero_row_a_gradient_of_a_hundred_billion():
    def gradient(criterion):
        x = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], requires_grad=True)
        criterion(x, torch.tensor([0, 0, 1])).backward()
        return x.grad[0].abs().max().item()

    assert gradient(MultiSimilarityLoss()) > 1e11
    assert gradient(PairLoss("pml")) == 0
