"""What every loss must keep, whoever writes it: the same tests over all losses and all their examples."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from msviz import LOSSES, Method, Pairs, autograd_gradient, evaluate, label_pairs, similarity
from msviz.core.gpw import proof
from msviz.core.losses.spec import param_infos
from msviz.core.pairs import mine
from tests.core.batches import on_circle, random_batch, random_rows

EXAMPLES = [
    pytest.param(loss, p, id=f"{name}-{k}") for name, loss in LOSSES.items() for k, p in enumerate(loss.examples)
]
every_example = pytest.mark.parametrize(("loss", "p"), EXAMPLES)
every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
with_and_without_mining = pytest.mark.parametrize("epsilon", [None, 0.0, 0.1, 0.3])


def method_of(loss, p, epsilon=None):
    return Method(loss.name, epsilon=epsilon, **{info.name: getattr(p, info.name) for info in param_infos(p)})


def by_autograd(loss, sim, pairs, p):
    leaf = sim.clone().requires_grad_()
    return torch.autograd.grad(loss.total(leaf, pairs, p), leaf)[0]


def values(loss, sim, pairs, p):
    """L_i of every anchor; of a loss of the whole batch its one value."""
    return loss.per_anchor(sim, pairs, p) if loss.separable else loss.total(sim, pairs, p)[None]


def any_parameters(data, loss):
    """Parameters from all over their ranges."""
    return loss.params(**{
        info.name: data.draw(
            st.integers(info.low, info.high)
            if info.whole
            else st.floats(info.low, info.high, exclude_min=info.low_open).filter(lambda v: v == 0 or abs(v) > 1e-3)
        )
        for info in param_infos(loss.params)
    })  # fmt: skip


def corners(params):
    """Parameter sets at the ends of all ranges."""
    infos = param_infos(params)
    ends = [(info.low + 1e-3 if info.low_open else info.low, info.high) for info in infos]
    return [params(**dict(zip((i.name for i in infos), values, strict=True))) for values in itertools.product(*ends)]


@with_and_without_mining
@every_example
def test_closed_form_is_the_gradient_of_the_loss(loss, p, epsilon):
    for seed in range(5):
        sim, pairs = random_batch(seed)
        assert proof(sim, pairs, method_of(loss, p, epsilon)) < 1e-12


@with_and_without_mining
@every_example
def test_equation_gives_the_weight_of_every_mined_pair(loss, p, epsilon):
    sim, pairs = random_batch(3)
    mined = mine(sim, pairs, epsilon)
    gradient = loss.pair_gradient(sim, mined, p)
    toward_gpw = torch.where(mined.neg, gradient, -gradient)  # positive where the sign is what GPW assumes
    found = (mined.pos | mined.neg).nonzero().tolist()
    assert found
    for i, j in found:
        assert loss.equation(sim, mined, p, i, j).value == pytest.approx(toward_gpw[i, j].item(), rel=1e-9, abs=0)


@every_example
def test_equation_is_written_in_unicode_with_braces_only(loss, p):
    sim, pairs = random_batch(3)
    for i, j in (pairs.pos | pairs.neg).nonzero().tolist():
        equation = loss.equation(sim, pairs, p, i, j)
        for term in (*equation.factor, *equation.numerator, *equation.denominator):
            assert term.symbol.count("{") == term.symbol.count("}")
            assert not {"\\", "-", "$"} & {*term.symbol}
            assert term.role in ("S", "P", "N", "")


@every_example
def test_rows_with_an_empty_side_are_finite_in_value_and_gradient(loss, p):
    sim = torch.tensor([[0.3, -0.2, 0.7]] * 3, dtype=torch.float64)
    only_pos, only_neg, nothing = [True, True, False], [False, True, True], [False] * 3
    pairs = Pairs(pos=torch.tensor([only_pos, nothing, nothing]), neg=torch.tensor([nothing, only_neg, nothing]))
    value, gradient = values(loss, sim, pairs, p), loss.pair_gradient(sim, pairs, p)
    assert value.isfinite().all()
    assert gradient.isfinite().all()
    with torch.autograd.set_detect_anomaly(True):  # no NaN on the way either
        torch.testing.assert_close(by_autograd(loss, sim, pairs, p), gradient, atol=1e-12, rtol=0)
    assert not loss.separable or value[2] == 0
    assert not gradient[2].any()


@every_example
def test_empty_batches_have_empty_results(loss, p):
    for n, m in [(0, 0), (0, 3), (2, 0)]:
        nobody = torch.zeros(n, m, dtype=torch.bool)
        got = evaluate(torch.zeros(n, m), Pairs(nobody, nobody), method_of(loss, p, 0.1))
        assert got.value == 0
        assert got.gradient.shape == (n, m)


@every_example
def test_pairs_that_are_ignored_have_no_gradient(loss, p):
    sim, pairs = random_rows(1, n=6, m=12)
    ignored = ~(pairs.pos | pairs.neg)
    assert not loss.pair_gradient(sim, pairs, p)[ignored].any()
    elsewhere = torch.where(ignored, 1.0, sim)
    assert torch.equal(values(loss, elsewhere, pairs, p), values(loss, sim, pairs, p))


@with_and_without_mining
@every_example
def test_blocks_of_rows_give_the_same_as_the_whole(loss, p, epsilon):
    sim, pairs = random_batch(2, m=11)
    whole = evaluate(sim, pairs, method_of(loss, p, epsilon))
    blocks = [(sim[rows], mine(sim[rows], pairs.rows(rows), epsilon)) for rows in torch.arange(11).split(4)]
    if loss.separable:
        value = sum(loss.per_anchor(block, mined, p).sum() for block, mined in blocks) / 11
        gradients = [loss.pair_gradient(block, mined, p) for block, mined in blocks]
    else:
        batch = loss.whole_batch
        collected = sum(batch.collect(block, mined, p) for block, mined in blocks)
        value = batch.value(collected, p)
        gradients = [batch.gradient(collected, block, mined, p) for block, mined in blocks]
    torch.testing.assert_close(value, whole.value, atol=1e-12, rtol=0)
    torch.testing.assert_close(torch.cat(gradients), whole.gradient, atol=1e-12, rtol=0)


@every_example
def test_anchors_compared_with_a_memory_bank_are_rows_of_the_square(loss, p):
    if not loss.separable:
        pytest.skip("looks at the whole batch")
    x, labels = on_circle(0, 13, 37, 71, 100, 140), torch.tensor([0, 0, 1, 1, 0, 1])
    method = method_of(loss, p, 0.1)
    whole = evaluate(similarity(x), label_pairs(labels), method)
    anchors = torch.tensor([4, 1])
    pairs = label_pairs(labels[anchors], labels, self_columns=anchors)
    block = evaluate(similarity(x[anchors], x), pairs, method)
    torch.testing.assert_close(block.gradient, whole.gradient[anchors], atol=1e-12, rtol=0)


@with_and_without_mining
@every_example
def test_the_order_of_the_points_does_not_matter(loss, p, epsilon):
    sim, pairs = random_batch(4)
    order = torch.randperm(len(sim), generator=torch.Generator().manual_seed(0))
    method = method_of(loss, p, epsilon)
    here = evaluate(sim, pairs, method)
    shuffled = Pairs(pairs.pos[order][:, order], pairs.neg[order][:, order])
    there = evaluate(sim[order][:, order], shuffled, method)
    torch.testing.assert_close(there.gradient, here.gradient[order][:, order], atol=1e-12, rtol=0)
    torch.testing.assert_close(there.value, here.value, atol=1e-12, rtol=0)


@pytest.mark.parametrize("narrow", [torch.float16, torch.bfloat16])
@every_example
def test_half_precision_is_computed_in_float32(loss, p, narrow):
    sim, pairs = random_batch(5, dtype=narrow)
    value, gradient = values(loss, sim, pairs, p), loss.pair_gradient(sim, pairs, p)
    assert value.dtype == torch.float32
    assert gradient.dtype == narrow
    assert torch.equal(value, values(loss, sim.float(), pairs, p))
    assert torch.equal(gradient, loss.pair_gradient(sim.float(), pairs, p).to(narrow))

    method = method_of(loss, p, 0.1)
    leaf = sim.clone().requires_grad_()
    got = evaluate(leaf, pairs, method)
    assert (got.value.dtype, got.gradient.dtype, got.weights.dtype) == (torch.float32, narrow, narrow)
    assert autograd_gradient(sim, pairs, method).dtype == narrow
    got.value.backward()
    assert leaf.grad.dtype == narrow


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@every_example
def test_full_precision_keeps_its_type(loss, p, dtype):
    sim, pairs = random_batch(5, dtype=dtype)
    assert values(loss, sim, pairs, p).dtype == dtype
    assert loss.pair_gradient(sim, pairs, p).dtype == dtype


@every_loss
def test_float32_is_finite_and_right_at_the_ends_of_all_ranges(loss):
    rows = [[1.0, 0.9, -0.1, 0.8], [-1.0, -0.9, -0.8, -0.7], [-1.0, 1.0, 1.0, -1.0], [1.0, 1.0, 1.0, 1.0]]
    sim = torch.tensor(rows, dtype=torch.float64)
    sides = torch.tensor([[True, True, False, False]] * 4)
    pairs = Pairs(pos=sides, neg=~sides)
    for p in corners(loss.params):
        value, gradient = values(loss, sim.float(), pairs, p), loss.pair_gradient(sim.float(), pairs, p)
        right = sim.float().double()  # the same similarities
        torch.testing.assert_close(value.double(), values(loss, right, pairs, p), atol=1e-4, rtol=1e-5)
        torch.testing.assert_close(
            gradient.double(),
            loss.pair_gradient(right, pairs, p),
            atol=1e-30,
            rtol=2e-4,
            msg=lambda m, p=p: f"{p}: {m}",
        )
        assert by_autograd(loss, sim.float(), pairs, p).isfinite().all()


@every_loss
def test_loss_goes_down_a_small_step_against_its_gradient(loss):
    p = loss.params()
    sim, pairs = random_batch(6)
    gradient = loss.pair_gradient(sim, pairs, p)
    before, after = (loss.total(s, pairs, p) for s in (sim, sim - 1e-6 * gradient))
    assert gradient.any()
    assert after < before


@every_loss
def test_default_parameters_lie_inside_their_ranges_and_come_first(loss):
    assert loss.examples[0] == loss.params()


@given(data=st.data(), seed=st.integers(0, 2**32), n=st.integers(1, 5), m=st.integers(1, 8))
def test_any_parameters_and_any_masks_agree_with_autograd(data, seed, n, m):
    loss = data.draw(st.sampled_from([*LOSSES.values()]))
    p = any_parameters(data, loss)
    sim, pairs = random_rows(seed, n, m)
    gradient = loss.pair_gradient(sim, pairs, p)
    torch.testing.assert_close(by_autograd(loss, sim, pairs, p), gradient, atol=1e-10, rtol=1e-10)
    assert not gradient[~(pairs.pos | pairs.neg)].any()
    for i, j in (pairs.pos | pairs.neg).nonzero().tolist():
        sign = 1 if pairs.neg[i, j] else -1
        weight = loss.equation(sim, pairs, p, i, j).value
        assert weight == pytest.approx(sign * gradient[i, j].item(), rel=1e-9, abs=1e-300)


@given(data=st.data(), seed=st.integers(0, 2**32), epsilon=st.none() | st.floats(0, 1))
def test_new_names_for_the_classes_and_a_new_order_of_the_points_move_the_answer_and_nothing_else(data, seed, epsilon):
    loss = data.draw(st.sampled_from([*LOSSES.values()]))
    method = method_of(loss, any_parameters(data, loss), epsilon)
    labels = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=9))
    order = data.draw(st.permutations(range(len(labels))))
    names = data.draw(st.permutations(["cat", "dog", "emu", "fox"]))
    rng = torch.Generator().manual_seed(seed)
    sim = torch.rand(len(labels), len(labels), generator=rng, dtype=torch.float64) * 2 - 1
    here = evaluate(sim, label_pairs(labels), method)
    there = evaluate(sim[order][:, order], label_pairs([names[labels[k]] for k in order]), method)
    torch.testing.assert_close(there.value, here.value, atol=1e-10, rtol=1e-10)
    torch.testing.assert_close(there.gradient, here.gradient[order][:, order], atol=1e-10, rtol=1e-10)
    assert torch.equal(there.mined.neg, here.mined.neg[order][:, order])


@pytest.mark.parametrize("name", ["multi_similarity", "binomial"])
@given(seed=st.integers(0, 2**32), lam=st.floats(-1, 1), shifted=st.floats(-1, 1))
def test_all_similarities_and_the_threshold_may_move_together(name, seed, lam, shifted):
    loss = LOSSES[name]
    sim, pairs = random_rows(seed, n=3, m=8)
    here, there = loss.params(lam=lam), loss.params(lam=shifted)
    moved = sim - lam + shifted
    torch.testing.assert_close(
        values(loss, moved, pairs, there), values(loss, sim, pairs, here), atol=1e-11, rtol=1e-11
    )
    torch.testing.assert_close(
        loss.pair_gradient(moved, pairs, there), loss.pair_gradient(sim, pairs, here), atol=1e-11, rtol=1e-11
    )


@given(seed=st.integers(0, 2**32), epsilon=st.floats(0, 2))
def test_mining_keeps_both_sides_of_an_anchor_or_neither(seed, epsilon):
    mined = mine(*random_rows(seed, n=6, m=9), epsilon)
    assert torch.equal(mined.pos.any(1), mined.neg.any(1))


@pytest.mark.parametrize(
    ("name", "sharpest"),
    [
        ("multi_similarity", {"beta": 200}),
        ("lifted_star", {"beta": 200}),
        ("nca", {"scale": 200}),
        ("supcon", {"tau": 0.01}),
    ],
)
@given(seed=st.integers(0, 2**32))
def test_the_sharpest_softmax_leaves_all_to_the_most_similar_negative(name, sharpest, seed):
    sim, pairs = random_rows(seed, n=4, m=9)
    sim = sim.masked_fill(sim > 0.7, 0.7)
    pairs.neg[:, 0], pairs.pos[:, 0], sim[:, 0] = True, False, 0.9  # beyond all others by .2
    pairs.pos[:, 1], pairs.neg[:, 1] = True, False
    neg = LOSSES[name].pair_gradient(sim, pairs, LOSSES[name].params(**sharpest)) * pairs.neg
    share = neg[:, 0] / neg.sum(1)
    torch.testing.assert_close(share, torch.ones(4, dtype=torch.float64), atol=1e-7, rtol=0)


@given(data=st.data(), seed=st.integers(0, 2**32), epsilon=st.none() | st.floats(0, 1))
def test_pairs_that_are_not_mined_weigh_exactly_nothing(data, seed, epsilon):
    loss = data.draw(st.sampled_from([*LOSSES.values()]))
    sim, pairs = random_rows(seed, n=5, m=8)
    got = evaluate(sim, pairs, method_of(loss, any_parameters(data, loss), epsilon))
    assert not got.weights[~(got.mined.pos | got.mined.neg)].any()
    assert got.weights.isfinite().all()
