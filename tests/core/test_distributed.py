"""DistributedPairLoss: several processes, each with a part of the batch, against one process that has all of it.

The processes start once for each number of ranks and run every case; the tests compare what they wrote down.
"""

import os
import pickle
import warnings
from datetime import timedelta
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from msviz import LOSSES, METHODS, DistributedPairLoss, Method, MsvizError, PairLoss, evaluate, label_pairs, similarity
from tests.core.batches import on_circle
from tests.ranks import SECONDS, in_ranks

WIDTH = 4
LAYOUTS = {"unequal-2": [5, 8], "empty-2": [13, 0], "unequal-3": [5, 1, 7], "empty-3": [0, 7, 6]}
EXACT = {torch.float32: 1e-6, torch.float64: 1e-12}

METHODS_TESTED = {
    f"{name}-{'mined' if epsilon is not None else 'all'}": Method(name, epsilon=epsilon)
    for name in LOSSES
    for epsilon in (None, 0.1)
}


def whole_batch(dtype):
    """The batch that the ranks share: 13 points, 4 classes, one of them with a single point."""
    rng = torch.Generator().manual_seed(7)
    x = torch.randn(13, WIDTH, generator=rng, dtype=torch.float64).to(dtype)
    return x, ["ant", "bee", "cat", "bee", "ant", "cat", "cat", "dog", "ant", "bee", "cat", "ant", "bee"]


def share(sizes, rank):
    return slice(sum(sizes[:rank]), sum(sizes[: rank + 1]))


# What a rank does. Every function gets (rank, world) and returns what the tests compare.


def loss_and_gradient(method, sizes, dtype, block_rows=None, normalize=True):
    def run(rank, world):
        x, labels = whole_batch(dtype)
        own = x[share(sizes, rank)].requires_grad_()
        loss = DistributedPairLoss(method, normalize, block_rows)(own, labels[share(sizes, rank)])
        loss.backward()
        return loss.detach(), own.grad

    return run


def without_gradients(rank, world):
    x, labels = whole_batch(torch.float64)
    mine = share(LAYOUTS[f"unequal-{world}"], rank)
    with torch.no_grad():
        first = DistributedPairLoss("ms")(x[mine].requires_grad_(), labels[mine])
    second = DistributedPairLoss("ms")(x[mine], labels[mine])
    return [(loss, loss.requires_grad) for loss in (first, second)]


def all_empty(rank, world):
    x = torch.zeros(0, 3, requires_grad=True)
    losses = [DistributedPairLoss(method)(x, []) for method in ("ms", Method("histogram"))]
    sum(losses).backward()
    return losses[0].item(), losses[1].item(), x.grad


def training(rank, world):
    """Three steps of a real loop: SGD on a linear model inside DistributedDataParallel."""
    x, labels = whole_batch(torch.float64)
    mine = share(LAYOUTS[f"empty-{world}"], rank)
    model = DistributedDataParallel(linear_model())
    return steps(model, DistributedPairLoss("authors"), x[mine], labels[mine])


def linear_model():
    torch.manual_seed(3)
    return torch.nn.Linear(WIDTH, 3, dtype=torch.float64)


def steps(model, criterion, x, labels):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    history = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = criterion(model(x), labels)
        loss.backward()
        history.append([loss.detach(), *(p.grad.clone() for p in model.parameters())])
        optimizer.step()
    return history


def half_precision(rank, world):
    x, labels = whole_batch(torch.float16)
    mine = share(LAYOUTS[f"unequal-{world}"], rank)
    own = x[mine].requires_grad_()
    loss = DistributedPairLoss("ms")(own, labels[mine])
    (loss * 2**16).backward()  # as a loss scaler does
    return loss.detach(), own.grad


def in_a_group(rank, world):
    """The first two ranks share a batch; the others are told that they do not belong to it."""
    group = dist.new_group([0, 1])
    x, labels = whole_batch(torch.float64)
    mine = share([5, 8], rank)
    own = x[mine].requires_grad_()
    loss = DistributedPairLoss("ms", group=group)(own, labels[mine])
    loss.backward()
    return loss.detach(), own.grad


def alone_in_a_group(rank, world):
    groups = [dist.new_group([member]) for member in range(world)]
    x, labels = whole_batch(torch.float64)
    own = x.requires_grad_()
    loss = DistributedPairLoss("ms", group=groups[rank])(own, labels)
    loss.backward()
    return loss.detach(), own.grad


def zero_row_on_the_last_rank(rank, world):
    x = on_circle(0, 40, 80)
    if rank == world - 1:
        x[1] = 0
    x.requires_grad_()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        loss = DistributedPairLoss("ms_weighting")(x, [0, 0, 1])
    loss.backward()
    return [str(w.message) for w in warned if w.category.__name__ == "ZeroRowWarning"], x.grad


def refused(x=None, labels=None, method="ms", normalize=True, grad=True, on_rank=1, all_of_it=False):
    """Every rank but one has a good batch; that one has `x`, `labels` and so on; `all_of_it`: all have the method."""

    def run(rank, world):
        wrong = rank == on_rank
        given = x() if wrong and x else on_circle(0, 30, 60)
        if isinstance(given, torch.Tensor) and given.is_floating_point() and (grad or not wrong):
            given.requires_grad_()
        ids = labels if wrong and labels is not None else [0, 0, 1]
        criterion = DistributedPairLoss(method if wrong or all_of_it else "ms", normalize)
        return criterion(given, ids).item()

    return run


def with_a_nan():
    x = on_circle(0, 30, 60)
    x[2, 1] = torch.nan
    return x


class NoPickle(str):
    def __reduce__(self):
        raise OSError("not me")


REFUSED = {
    "nan": (
        refused(with_a_nan),
        "error.rank",
        "rank 1: embeddings must be finite, got nan in row 2, column 1; repair or remove that row",
    ),
    "label count": (
        refused(labels=[0, 1]),
        "error.rank",
        "rank 1: labels must hold one class id for each of the 3 embeddings, got 2",
    ),
    "no labels": (refused(labels=5), "error.rank", "rank 1: TypeError(\"'int' object is not iterable\")"),
    "no pickle": (refused(labels=[NoPickle("a")] * 3), "error.rank", "rank 1: OSError('not me')"),
    "no tensor": (
        refused(lambda: [[1.0, 0.0]] * 3),
        "error.rank",
        "rank 1: embeddings must be a tensor of real numbers, got list",
    ),
    "first rank": (
        refused(labels=[0, 0, None], on_rank=0),
        "error.rank",
        "rank 0: every point needs a label, got None; drop the points without one or give them a class",
    ),
    "label kinds": (
        refused(labels=["a", "a", "b"]),
        "error.labels_mixed",
        "labels must be all of one kind, got whole numbers (0) and text ('a'); convert them first",
    ),
    "widths": (
        refused(lambda: torch.ones(3, 5, dtype=torch.float64)),
        "error.ranks_differ",
        "the width of the embeddings must be the same on every rank, got 2 on rank 0 and 5 on rank 1",
    ),
    "types": (
        refused(lambda: on_circle(0, 30, 60).float()),
        "error.ranks_differ",
        "the type of the embeddings must be the same on every rank, "
        "got torch.float64 on rank 0 and torch.float32 on rank 1",
    ),
    "gradients": (
        refused(grad=False),
        "error.ranks_differ",
        "requires_grad must be the same on every rank, got True on rank 0 and False on rank 1",
    ),
    "methods": (
        refused(method=Method("linear")),
        "error.ranks_differ",
        "the method must be the same on every rank, "
        "got Method('multi_similarity', alpha=2.0, beta=40.0, lam=0.5, epsilon=0.1) on rank 0 "
        "and Method('linear', epsilon=None) on rank 1",
    ),
    **{
        f"overflow, {case}": (
            refused(
                lambda length=length: length * on_circle(0, 30, 60), normalize=False, method=method, all_of_it=True
            ),
            "error.overflow",
            "the similarities are too large for torch.float64; normalise the embeddings or scale them down",
        )
        for case, length, method in [
            ("of similarities", 1e200, "ms"),
            ("of similarities without mining", 1e200, "ms_weighting"),
            ("of the loss alone", 0.6e154, Method("lifted_star", alpha=200)),  # S up to 4e307, times alpha
            ("in histogram", 1e200, Method("histogram", epsilon=0.1)),
        ]
    },
}


def cases(world):
    found = {}
    for layout in (f"unequal-{world}", f"empty-{world}"):
        for dtype in EXACT:
            for name, method in METHODS_TESTED.items():
                found[layout, dtype, name] = loss_and_gradient(method, LAYOUTS[layout], dtype)
    for case, (run, _, _) in REFUSED.items():
        found[case] = run
    unequal = LAYOUTS[f"unequal-{world}"]
    found["blocks"] = loss_and_gradient("ms", unequal, torch.float64, block_rows=2)
    found["dot products"] = loss_and_gradient("ms", unequal, torch.float64, normalize=False)
    others = without_gradients, all_empty, training, half_precision, in_a_group, alone_in_a_group
    for run in (*others, zero_row_on_the_last_rank):
        found[run.__name__] = run
    return found


def work(rank, world, folder):
    """A process: all cases, one after the other; what comes out of them goes to a file."""
    torch.set_num_threads(1)
    if os.path.exists("/sys/class/net/lo"):
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"  # this machine only
    dist.init_process_group(
        "gloo",
        init_method=(Path(folder) / "meeting").as_uri(),
        rank=rank,
        world_size=world,
        timeout=timedelta(seconds=SECONDS / 4),
    )
    results = {}
    for case, run in cases(world).items():
        try:
            results[case] = run(rank, world)
        except MsvizError as error:
            results[case] = error
    with open(f"{folder}/{rank}", "wb") as file:
        pickle.dump(results, file)
    dist.destroy_process_group()


@pytest.fixture(scope="module", params=[2, 3], ids=["2 ranks", "3 ranks"])
def ranks(request, tmp_path_factory):
    """What each rank got, by case."""
    world, folder = request.param, tmp_path_factory.mktemp("ranks")
    return in_ranks(work, world, folder)


def dense(method, dtype):
    """Value and gradient by the whole matrix and autograd."""
    x, labels = whole_batch(dtype)
    x.requires_grad_()
    value = evaluate(similarity(x), label_pairs(labels), method).value
    value.backward()
    return value.detach(), x.grad


def in_one_process(method, dtype=torch.float64, **options):
    x, labels = whole_batch(dtype)
    x.requires_grad_()
    loss = PairLoss(method, **options)(x, labels)
    loss.backward()
    return loss.detach(), x.grad


def assert_same(got, right, tolerance):
    assert got.dtype == right.dtype
    torch.testing.assert_close(got, right, atol=tolerance * max(1, right.abs().max().item()), rtol=0)


def assert_shared(ranks, case, right, tolerance):
    """Every rank has the value; averaged over the ranks, as DistributedDataParallel does, they have the gradient."""
    value, gradient = right
    for rank in ranks:
        assert torch.equal(rank[case][0], ranks[0][case][0])
    assert_same(ranks[0][case][0], value, tolerance)
    assert_same(torch.cat([rank[case][1] for rank in ranks]) / len(ranks), gradient, tolerance)


@pytest.mark.parametrize("name", METHODS_TESTED)
@pytest.mark.parametrize("dtype", EXACT)
@pytest.mark.parametrize("layout", ["unequal", "empty"])
def test_the_ranks_together_have_the_loss_and_gradient_of_one_process(ranks, layout, dtype, name):
    right = dense(METHODS_TESTED[name], dtype)
    assert right[1].any()
    assert_shared(ranks, (f"{layout}-{len(ranks)}", dtype, name), right, EXACT[dtype])


def test_blocks_of_rows_do_not_change_the_result(ranks):
    assert_shared(ranks, "blocks", in_one_process("ms"), 1e-12)


def test_bare_dot_products_are_shared_too(ranks):
    assert_shared(ranks, "dot products", in_one_process("ms", normalize=False), 1e-12)


def test_a_model_inside_distributed_data_parallel_learns_what_one_process_learns(ranks):
    right = steps(linear_model(), PairLoss("authors"), *whole_batch(torch.float64))
    assert right[2][0] < right[0][0]
    for rank in ranks:
        for got, expected in zip(rank["training"], right, strict=True):
            for a, b in zip(got, expected, strict=True):
                assert_same(a, b, 1e-12)


def test_without_gradients_the_value_is_the_same(ranks):
    right, _ = in_one_process("ms")
    for rank in ranks:
        for value, requires_grad in rank["without_gradients"]:
            assert_same(value, right, 1e-12)
            assert not requires_grad


def test_half_precision_is_added_up_over_the_ranks_before_it_is_rounded(ranks):
    # 65536 times the gradient, then rounded once: as one process in float32, rounded at the end.
    x, labels = whole_batch(torch.float16)
    x = x.float().requires_grad_()
    loss = PairLoss("ms")(x, labels)
    (loss * 2**16 * len(ranks)).backward()
    got = torch.cat([rank["half_precision"][1] for rank in ranks])
    assert got.dtype == torch.float16
    torch.testing.assert_close(got.float(), x.grad, atol=1e-2, rtol=2**-11 + 1e-5)
    assert_same(ranks[0]["half_precision"][0], loss.detach(), 1e-6)


def test_nothing_on_any_rank_is_a_loss_of_zero(ranks):
    for rank in ranks:
        ms, histogram, gradient = rank["all_empty"]
        assert (ms, histogram, gradient.shape) == (0, 0, (0, 3))


def test_a_zero_row_is_reported_where_it_is_and_gets_no_gradient(ranks):
    *others, last = (rank["zero_row_on_the_last_rank"] for rank in ranks)
    assert not any(words for words, _ in others)
    (words,), gradient = last
    assert words.startswith("1 of the 3 rows of embeddings are zero vectors (rows 1)")
    assert not gradient[1].any()
    assert gradient[0].any()
    assert gradient.isfinite().all()


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_on_one_rank_is_the_same_error_on_all(ranks, case):
    _, key, words = REFUSED[case]
    for rank in ranks:
        error = rank[case]
        assert isinstance(error, MsvizError)
        assert error.key == key
        assert str(error) == words


def test_a_group_is_its_members_only(ranks):
    assert_shared(ranks[:2], "in_a_group", in_one_process("ms"), 1e-12)
    for outside in ranks[2:]:
        assert outside["in_a_group"].key == "error.group"


def test_one_rank_alone_is_pairloss(ranks):
    value, gradient = in_one_process("ms")
    for rank in ranks:
        assert torch.equal(rank["alone_in_a_group"][0], value)
        assert torch.equal(rank["alone_in_a_group"][1], gradient)


@pytest.mark.parametrize("name", METHODS)
def test_without_torch_distributed_it_is_pairloss(name):
    x, labels = whole_batch(torch.float32)
    x.requires_grad_()
    loss = DistributedPairLoss(name)(x, labels)
    loss.backward()
    value, gradient = in_one_process(name, torch.float32)
    assert torch.equal(loss, value)
    assert torch.equal(x.grad, gradient)


def test_without_torch_distributed_errors_are_those_of_pairloss():
    with pytest.raises(MsvizError, match="labels must hold one class id for each of the 2 embeddings, got 1"):
        DistributedPairLoss("ms")(on_circle(0, 1), [0])
    with pytest.raises(MsvizError, match="there is no method named 'mss'"):
        DistributedPairLoss("mss")
    with pytest.raises(MsvizError, match="block_rows must be a whole number >= 1"):
        DistributedPairLoss("ms", block_rows=0)
