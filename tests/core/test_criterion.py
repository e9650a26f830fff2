"""PairLoss against the whole matrix and autograd, block by block, for every loss; and all that a criterion meets.

What is right is `evaluate` on all similarities at once, differentiated by autograd: no blocks, no closed form, no
shortcut for multi-similarity.
"""

import copy
import dataclasses
import pickle
import warnings
from unittest import mock

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from msviz import LOSSES, METHODS, Method, MsvizError, PairLoss, ZeroRowWarning, evaluate, label_pairs, similarity
from msviz.core import blocks
from msviz.core.errors import MsvizTypeError
from msviz.core.fused import multi_similarity_rows
from msviz.core.losses import multi_similarity
from msviz.core.losses.spec import param_infos
from msviz.core.pairs import compare, mine
from tests.core.batches import on_circle

EXAMPLES = [
    pytest.param(Method(name, **{info.name: getattr(p, info.name) for info in param_infos(p)}), id=f"{name}-{k}")
    for name, loss in LOSSES.items()
    for k, p in enumerate(loss.examples)
]
every_example = pytest.mark.parametrize("method", EXAMPLES)
every_loss = pytest.mark.parametrize("name", LOSSES)
with_and_without_mining = pytest.mark.parametrize("epsilon", [None, 0.1])

FUSED, READABLE = 2.0, 0.0  # values of blocks._FEW that force multi-similarity's one or other form


def batch(seed, m=24, d=4, dtype=torch.float64):
    """Random points of any length, classes of up to 3 (few enough for the fused form) and a class of one."""
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(m, d, generator=rng, dtype=torch.float64)
    labels = (torch.arange(m) + 2) // 3
    order = torch.randperm(m, generator=rng)
    return x.to(dtype), labels[order]


def derived(value, *inputs):
    """Value and gradients, 0 for an input that does not matter."""
    return value.detach(), *torch.autograd.grad(value, inputs, allow_unused=True, materialize_grads=True)


def dense(method, x, labels, ref=None, ref_labels=None, self_columns=None, normalize=True, wanted=None):
    """Value and gradients by the whole matrix and autograd."""
    pairs = label_pairs(labels, ref_labels, self_columns)
    return derived(evaluate(similarity(x, ref, normalize), pairs, method).value, *(wanted or [x]))


def assert_same(got, right, tolerance=1e-12):
    for a, b in zip(got, right, strict=True):
        assert a.dtype == b.dtype
        torch.testing.assert_close(a, b, atol=tolerance * max(1, b.abs().max().item()) if b.numel() else 0, rtol=0)


# The same as the whole matrix


@pytest.mark.parametrize("normalize", [True, False])
@with_and_without_mining
@every_example
def test_blocks_of_any_size_are_the_whole_matrix(method, epsilon, normalize):
    method = method.replace(epsilon=epsilon)
    x, labels = batch(1)
    x.requires_grad_()
    right = dense(method, x, labels, normalize=normalize)
    assert right[1].any()
    for block_rows in (1, 7, None, 100):
        assert_same(derived(PairLoss(method, normalize, block_rows)(x, labels), x), right)


@pytest.mark.parametrize("wanted", [["x"], ["ref"], ["x", "ref"]], ids="+".join)
@with_and_without_mining
@every_loss
def test_a_memory_bank_is_the_whole_matrix_with_its_own_gradient(name, epsilon, wanted):
    method = Method(name, epsilon=epsilon)
    bank, classes = batch(2, m=40)
    columns = torch.tensor([3, -1, 0, 39, 17, -1, 8])
    x = bank[columns] + 0.1
    labels = torch.where(columns < 0, 5, classes[columns])
    tensors = {"x": x, "ref": bank}
    for key in wanted:
        tensors[key].requires_grad_()
    leaves = [tensors[key] for key in wanted]
    right = dense(method, x, labels, bank, classes, columns, wanted=leaves)
    assert all(gradient.any() for gradient in right[1:])
    for block_rows in (3, None):
        loss = PairLoss(method, block_rows=block_rows)(x, labels, bank, classes, columns)
        assert_same(derived(loss, *leaves), right)


def test_without_self_columns_an_anchor_in_the_bank_is_one_of_its_positives():
    x, labels = on_circle(0, 60), [0, 1]
    got = PairLoss(Method("linear"))(x, labels, x, labels)
    assert got.item() == pytest.approx(0.5 - 1)  # one negative at cos 60, and itself


@pytest.mark.parametrize("kind", [torch.int32, torch.int16, torch.uint8])
@pytest.mark.parametrize("epsilon", [None, 0.1])
def test_labels_and_bank_labels_may_be_whole_numbers_of_two_sizes(kind, epsilon):
    method = Method("multi_similarity", epsilon=epsilon)
    x, labels = batch(3)
    x.requires_grad_()
    right = dense(method, x, labels, x, labels)
    assert_same(derived(PairLoss(method)(x, labels.to(kind), x, labels), x), right)
    assert_same(derived(PairLoss(method)(x, labels, x, labels.to(kind)), x), right)


def test_bank_and_embeddings_may_differ_in_type():
    x, labels = batch(4, dtype=torch.float32)
    bank = batch(5)[0].requires_grad_()
    x.requires_grad_()
    value, for_x, for_bank = derived(PairLoss("ms")(x, labels, bank, labels), x, bank)
    assert (value.dtype, for_x.dtype, for_bank.dtype) == (torch.float64, torch.float32, torch.float64)
    wide = x.detach().double().requires_grad_()
    right = dense(METHODS["ms"], wide, labels, bank, labels, wanted=[wide, bank])
    assert_same([value, for_bank], [right[0], right[2]])
    torch.testing.assert_close(for_x, right[1].float(), atol=1e-8, rtol=1e-6)


@pytest.mark.parametrize("name", ["ms_weighting", "authors", "lifted_star_mining", "binlifted"])
def test_finite_differences_agree(name):
    x, labels = batch(6, m=7)
    assert torch.autograd.gradcheck(lambda x: PairLoss(name, block_rows=3)(x, labels), x.requires_grad_())


def test_finite_differences_agree_for_a_memory_bank():
    (x, labels), (bank, classes) = batch(7, m=5), batch(8, m=9)
    inputs = x.requires_grad_(), bank.requires_grad_()
    assert torch.autograd.gradcheck(lambda x, bank: PairLoss("ms_weighting")(x, labels, bank, classes), inputs)


def test_the_gradient_follows_a_factor_before_backward():
    x, labels = batch(9)
    x.requires_grad_()
    (once,), (thrice,) = (torch.autograd.grad(k * PairLoss("ms")(x, labels), x) for k in (1, 3))
    torch.testing.assert_close(thrice, 3 * once, atol=0, rtol=1e-15)


@every_loss
def test_duplicates_stay_positives(name):
    method = Method(name)
    x = on_circle(0, 0, 40, 21, 62, 62).requires_grad_()
    labels = [0, 0, 0, 1, 1, 1]
    right = dense(method, x, labels)
    assert_same(derived(PairLoss(method)(x, labels), x), right)


# Multi-similarity's fused form

hundredths = st.integers(-100, 100).map(lambda k: k / 100)
tolerances = st.sampled_from([(torch.float64, 1e-12), (torch.float32, 1e-4)])


@st.composite
def ms_methods(draw):
    sharp = st.floats(1e-2, 200)
    epsilon = draw(st.none() | st.sampled_from([0.0, 0.1, 0.35]) | st.floats(0, 2))
    return Method("multi_similarity", alpha=draw(sharp), beta=draw(sharp), lam=draw(st.floats(-1, 1)), epsilon=epsilon)


@st.composite
def comparisons(draw):
    """Anchors and references of few classes, some without the other side; some anchors among the references."""
    refs = draw(st.lists(st.integers(0, 3), min_size=1, max_size=9))
    columns = draw(st.lists(st.integers(-1, len(refs) - 1), min_size=1, max_size=6))
    # Mostly an anchor has the class that stands in its own column; what is wrong there does not matter, either.
    labels = [refs[c] if c >= 0 and draw(st.integers(0, 3)) else draw(st.integers(0, 4)) for c in columns]
    return labels, refs, torch.tensor(columns)


@given(data=st.data(), method=ms_methods(), compared=comparisons(), types=tolerances)
def test_the_fused_form_is_mining_and_then_multi_similarity(data, method, compared, types):
    dtype, tolerance = types
    comparison = compare(*compared)
    n, m = len(comparison.anchors), len(comparison.refs)
    assume(comparison.by_class.most > 0)  # without any positive it is not asked
    # In hundredths, so that ties are common: between pairs, and at the very bounds of mining.
    rows = data.draw(st.lists(st.lists(hundredths, min_size=m, max_size=m), min_size=n, max_size=n))
    sim = torch.tensor(rows, dtype=torch.float64).to(dtype)
    first = data.draw(st.integers(0, n - 1))
    block = slice(first, n)
    mined = mine(sim[block], comparison.pairs(block), method.epsilon)
    right = multi_similarity.per_anchor(sim[block], mined, method.params)
    right_gradient = multi_similarity.pair_gradient(sim[block], mined, method.params)

    without = multi_similarity_rows(
        sim[block].clone(), comparison, block, method.params, method.epsilon, gradient=False
    )
    gradient = sim[block].clone()
    value = multi_similarity_rows(gradient, comparison, block, method.params, method.epsilon, gradient=True)
    assert torch.equal(value, without)
    assert_same([value, gradient], [right, right_gradient], tolerance)
    assert not gradient[~(mined.pos | mined.neg)].any()


@pytest.mark.filterwarnings("ignore::msviz.core.errors.ZeroRowWarning")
@given(data=st.data(), method=ms_methods(), compared=comparisons(), types=tolerances, block_rows=st.integers(1, 7))
def test_both_forms_give_a_criterion_the_same_value_and_gradients(data, method, compared, types, block_rows):
    dtype, tolerance = types
    labels, refs, columns = compared
    # Eight directions and the zero vector: duplicates, ties and rows without direction.
    points = torch.cat([on_circle(*range(0, 360, 45)), torch.zeros(1, 2, dtype=torch.float64)]).to(dtype)
    place = st.integers(0, 8)
    x = points[data.draw(st.lists(place, min_size=len(labels), max_size=len(labels)))].requires_grad_()
    bank = points[data.draw(st.lists(place, min_size=len(refs), max_size=len(refs)))].requires_grad_()
    found = []
    for few in (FUSED, READABLE):
        with mock.patch.object(blocks, "_FEW", few):
            loss = PairLoss(method, block_rows=block_rows)(x, labels, bank, refs, columns)
            found.append(derived(loss, x, bank))
    assert all(tensor.isfinite().all() for tensor in found[0])
    assert_same(found[0], found[1], tolerance)


@pytest.mark.parametrize("few", [FUSED, READABLE])
def test_both_forms_are_the_one_that_is_asked_for(few):
    x, labels = batch(10)
    with (
        mock.patch.object(blocks, "_FEW", few),
        mock.patch.object(blocks, "mine", side_effect=ArithmeticError("readable")),
    ):
        if few == FUSED:
            assert PairLoss("ms")(x, labels) > 0
        else:
            with pytest.raises(ArithmeticError, match="readable"):
                PairLoss("ms")(x, labels)


@pytest.mark.parametrize("beta", [100, 200])
def test_the_fused_form_survives_a_large_beta_on_low_similarities_in_float32(beta):
    # One anchor against far negatives and its far positive: e^{beta S} itself would be 0, e^{-beta S} infinite.
    x, bank = on_circle(0, dtype=torch.float32).requires_grad_(), on_circle(150, 170, 175, dtype=torch.float32)
    method = Method("multi_similarity", alpha=beta, beta=beta, lam=-0.9)
    with mock.patch.object(blocks, "_FEW", FUSED):
        value, gradient = derived(PairLoss(method)(x, [0], bank, [0, 1, 1]), x)
    wide = x.detach().double().requires_grad_()
    right = dense(method, wide, [0], bank.double(), [0, 1, 1])
    assert_same([value.double(), gradient.double()], right, 1e-5)


# Nothing to compare


@with_and_without_mining
@every_loss
@pytest.mark.parametrize("m", [0, 1])
def test_no_pair_is_a_loss_of_zero_that_can_go_backward(m, name, epsilon):
    x = torch.ones(m, 3, requires_grad=True)
    loss = PairLoss(Method(name, epsilon=epsilon))(x, ["a"] * m)
    loss.backward()
    assert loss == 0
    assert x.grad.shape == (m, 3)
    assert not x.grad.any()


@every_loss
def test_an_empty_bank_is_a_loss_of_zero(name):
    x = torch.ones(4, 3, requires_grad=True)
    loss = PairLoss(Method(name, epsilon=0.1))(x, [0, 0, 1, 2], torch.ones(0, 3), [])
    loss.backward()
    assert loss == 0
    assert not x.grad.any()


@with_and_without_mining
@every_loss
def test_a_bank_of_other_classes_only_is_the_whole_matrix(name, epsilon):
    method = Method(name, epsilon=epsilon)
    (x, labels), (bank, _) = batch(11), batch(12, m=16)
    x.requires_grad_()
    elsewhere = [100] * 16
    right = dense(method, x, labels, bank, elsewhere)
    assert_same(derived(PairLoss(method)(x, labels, bank, elsewhere), x), right)


@every_loss
def test_a_zero_row_is_reported_and_gets_no_gradient(name):
    x = on_circle(0, 40, 80, 120)
    x[2] = 0
    x.requires_grad_()
    method = Method(name)
    with pytest.warns(ZeroRowWarning, match="1 of the 4 rows of embeddings are zero vectors"):
        loss = PairLoss(method)(x, [0, 0, 1, 1])
    loss.backward()
    assert not x.grad[2].any()
    assert x.grad.isfinite().all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ZeroRowWarning)
        assert_same([loss, x.grad], dense(method, x, [0, 0, 1, 1]))


def test_zero_rows_of_a_bank_are_reported_too():
    with pytest.warns(ZeroRowWarning, match="2 of the 3 rows of ref_emb are zero vectors"):
        PairLoss("ms")(on_circle(0), [0], torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), [0, 1, 0])


def test_bare_dot_products_do_not_mind_a_zero_row():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PairLoss("ms", normalize=False)(torch.zeros(2, 2), [0, 1])


# Precision


@pytest.mark.parametrize("narrow", [torch.float16, torch.bfloat16])
@every_loss
def test_half_precision_is_computed_in_float32(name, narrow):
    x, labels = batch(13, dtype=narrow)
    x.requires_grad_()
    value, gradient = derived(PairLoss(Method(name, epsilon=0.1))(x, labels), x)
    wide = x.detach().float().requires_grad_()
    right, wide_gradient = derived(PairLoss(Method(name, epsilon=0.1))(wide, labels), wide)
    assert value.dtype == torch.float32
    assert torch.equal(value, right)
    assert gradient.dtype == narrow
    assert torch.equal(gradient, wide_gradient.to(narrow))


def test_a_loss_scaler_saves_gradients_that_float16_cannot_hold():
    # Positives at one place pull nobody; the negative is so far that its weight is e^{50 (.14 - .5)}.
    x = on_circle(0, 0, 82).half().requires_grad_()
    wide = x.detach().float().requires_grad_()
    criterion, labels = PairLoss(Method("multi_similarity", beta=50)), [0, 0, 1]
    _, right = derived(criterion(wide, labels), wide)
    assert right.any()
    assert not right.half().any()  # without the factor all is lost
    (scaled,) = torch.autograd.grad(criterion(x, labels) * 2**16, x)
    torch.testing.assert_close(scaled.float() / 2**16, right, rtol=2**-10, atol=1e-12)


@every_loss
def test_autocast_outside_changes_nothing(name):
    x, labels = batch(14, dtype=torch.float32)
    x.requires_grad_()
    criterion = PairLoss(Method(name, epsilon=0.1))
    right = derived(criterion(x, labels), x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = criterion(x, labels)
    assert all(torch.equal(a, b) for a, b in zip(derived(loss, x), right, strict=True))


# Gradients only where they are wanted


@pytest.fixture
def no_gradients(monkeypatch):
    """Every loss refuses to compute a gradient."""

    def refuse(*args, **kwargs):
        raise AssertionError("nobody asked for a gradient")

    def only_values(fused):
        return lambda *args, gradient: refuse() if gradient else fused(*args, gradient=False)

    for name, loss in [*LOSSES.items()]:
        whole = loss.whole_batch and dataclasses.replace(loss.whole_batch, gradient=refuse)
        fused = loss.fused and only_values(loss.fused)
        changed = dataclasses.replace(loss, pair_gradient=refuse, whole_batch=whole, fused=fused)
        monkeypatch.setitem(LOSSES, name, changed)


@pytest.mark.parametrize("few", [FUSED, READABLE])
@every_loss
def test_without_gradients_none_are_computed(name, few, no_gradients):
    x, labels = batch(15)
    right = evaluate_value(name, x, labels)
    with mock.patch.object(blocks, "_FEW", few):
        unasked = PairLoss(Method(name))(x, labels)
        with torch.no_grad():
            switched_off = PairLoss(Method(name))(x.clone().requires_grad_(), labels)
        with pytest.raises(AssertionError, match="nobody asked"):
            PairLoss(Method(name))(x.clone().requires_grad_(), labels)
    for loss in (unasked, switched_off):
        assert not loss.requires_grad
        assert_same([loss], [right])


def evaluate_value(name, x, labels):
    loss, pairs = LOSSES[name], label_pairs(labels)
    total = loss.total(similarity(x), pairs, loss.params())
    return total / len(x) if loss.separable else total


def test_it_cannot_be_differentiated_twice():
    x, labels = batch(16)
    loss = PairLoss("ms")(x.requires_grad_(), labels)
    with pytest.raises(RuntimeError, match="PairLoss can be differentiated once"):
        torch.autograd.grad(loss, x, create_graph=True)


# Bad input

nan, huge = torch.tensor([[1.0, 0.0], [torch.nan, 0.0]]), torch.tensor([[1e30, 0.0], [1e30, 0.0]])
two = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
one_hot = torch.tensor([[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("options", "given_to_it", "key", "words"),
    [
        ({}, (two, [0]), "error.labels_count", "labels must hold one class id for each of the 2 embeddings, got 1"),
        (
            {},
            (two, [0, 1], two, [0, 1, 1]),
            "error.labels_count",
            "ref_labels must hold one class id for each of the 2 embeddings, got 3",
        ),
        (
            {},
            (nan, [0, 1]),
            "error.not_finite",
            "embeddings must be finite, got nan in row 1, column 0; repair or remove that row",
        ),
        (
            {},
            (two, [0, 1], two / 0, [0, 1]),
            "error.not_finite",
            "ref_emb must be finite, got inf in row 0, column 0; repair or remove that row",
        ),
        (
            {},
            (two, one_hot),
            "error.labels_shape",
            "labels must be a flat list with one class id per point, got shape [2, 2]; "
            "pass class ids, for one-hot rows argmax(1)",
        ),
        (
            {},
            (two, [0, 1], two),
            "error.ref_labels",
            "ref_emb and ref_labels belong together, got ref_emb alone; pass both",
        ),
        (
            {},
            (two, [0, 1], None, [0, 1]),
            "error.ref_labels",
            "ref_emb and ref_labels belong together, got ref_labels alone; pass both",
        ),
        (
            {},
            (two, [0, 1], torch.ones(2, 3), [0, 1]),
            "error.shape",
            "ref_emb must be a matrix with 2 columns, like what it is compared with, got 3 columns",
        ),
        (
            {},
            (two[0], [0, 1]),
            "error.shape",
            "embeddings must be a matrix, one row per embedding and at least one column, got shape [2]",
        ),
        (
            {},
            (two, [0, 1], None, None, torch.tensor([0, 2])),
            "error.self_columns",
            "self_columns must be a tensor of 2 whole numbers between 0 and 1 (-1 = absent), got [0, 2]",
        ),
        (
            {"normalize": False},
            (huge, [0, 1]),
            "error.overflow",
            "the similarities are too large for torch.float32; normalise the embeddings or scale them down",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(options, given_to_it, key, words):
    with pytest.raises(ValueError, match=r"got|normalise") as error:
        PairLoss("ms", **options)(*given_to_it)
    assert isinstance(error.value, MsvizError)
    assert str(error.value) == words
    assert error.value.key == key


@pytest.mark.parametrize(
    ("x", "labels", "words"),
    [
        ([[1.0, 0.0]], [0], "embeddings must be a tensor of real numbers, got list"),
        (two * 1j, [0, 1], "embeddings must be a tensor of real numbers, got a tensor of torch.complex64"),
        (two, [0, "0"], "labels must be all of one kind, got whole numbers (0) and text ('0'); convert them first"),
    ],
)
def test_the_wrong_kind_is_a_type_error_too(x, labels, words):
    with pytest.raises(TypeError) as error:
        PairLoss("ms")(x, labels)
    assert isinstance(error.value, MsvizTypeError)
    assert str(error.value) == words


@pytest.mark.parametrize("block_rows", [0, -3, 2.5, True, "7"])
def test_block_rows_is_a_whole_number_from_one(block_rows):
    with pytest.raises(MsvizError) as error:
        PairLoss("ms", block_rows=block_rows)
    assert str(error.value) == f"block_rows must be a whole number >= 1, or None, got {block_rows!r}"
    assert error.value.key == "error.block_rows"


def test_an_unknown_method_is_told_the_known_ones():
    with pytest.raises(MsvizError) as error:
        PairLoss("multisim")
    assert error.value.key == "error.method_unknown"
    assert str(error.value).startswith("there is no method named 'multisim'; pass a Method or one of paper, authors,")


@pytest.mark.parametrize("name", [*LOSSES])
@with_and_without_mining
def test_no_loss_lets_infinite_dot_products_pass(name, epsilon):
    with pytest.raises(MsvizError) as error:
        PairLoss(Method(name, epsilon=epsilon), normalize=False)(huge, [0, 1])
    assert error.value.key == "error.overflow"


def test_large_bare_dot_products_are_fine_in_float64():
    assert PairLoss("ms", normalize=False)(huge.double(), [0, 1]).isfinite()


# A module among modules


def test_it_can_be_saved_copied_and_printed():
    criterion = PairLoss(Method("triplet", lam=0.2), normalize=False, block_rows=5)
    x, labels = batch(17)
    right = criterion(x, labels)
    for other in (copy.deepcopy(criterion), pickle.loads(pickle.dumps(criterion))):
        assert torch.equal(other(x, labels), right)
    assert not criterion.state_dict()
    assert repr(criterion) == "PairLoss(Method('triplet', lam=0.2, epsilon=None), normalize=False, block_rows=5)"


@pytest.mark.parametrize("name", METHODS)
def test_a_model_learns_with_it(name):
    torch.manual_seed(0)
    x, labels = batch(18, d=6, dtype=torch.float32)
    x += 2 * torch.nn.functional.one_hot(labels % 6, 6)
    model = torch.nn.Sequential(torch.nn.Linear(6, 4), PairLossHead(name))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    history = []
    for _ in range(30):
        loss = model[1](model[0](x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    assert history[-1] < history[0] - 1e-3


class PairLossHead(torch.nn.Module):
    """A criterion as a part of a larger module."""

    def __init__(self, name):
        super().__init__()
        self.criterion = PairLoss(name)

    def forward(self, x, labels):
        return self.criterion(x, labels)


# Elsewhere than on the processor


def devices():
    return [
        "cpu",
        *(["cuda"] if torch.cuda.is_available() else []),
        *(["mps"] if torch.backends.mps.is_available() else []),
    ]


@pytest.mark.parametrize("device", devices())
@pytest.mark.parametrize("as_text", [False, True], ids=["numbers", "text"])
@with_and_without_mining
@every_loss
def test_every_device_gives_the_same(name, epsilon, as_text, device):
    method = Method(name, epsilon=epsilon)
    x, labels = batch(19, dtype=torch.float32)
    x.requires_grad_()
    right = dense(method, x, labels)
    moved = x.detach().to(device).requires_grad_()
    given_labels = [f"class {k}" for k in labels.tolist()] if as_text else labels.to(device)
    value, gradient = derived(PairLoss(method, block_rows=5)(moved, given_labels), moved)
    assert value.device.type == gradient.device.type == device
    assert_same([value.cpu(), gradient.cpu()], right, 2e-5)


# Memory


class Largest(TorchDispatchMode):
    """The number of entries of the largest tensor that any operation gives back."""

    def __init__(self):
        super().__init__()
        self.entries = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, torch.Tensor):
                self.entries = max(self.entries, tensor.untyped_storage().nbytes() // tensor.element_size())
        return result


@pytest.mark.parametrize("few", [FUSED, READABLE])
@with_and_without_mining
@every_loss
def test_no_tensor_has_the_size_of_the_whole_matrix(name, epsilon, few):
    m, d, block_rows = 240, 3, 8
    x, _ = batch(20, m=m, d=d)
    labels = torch.arange(m) // 4
    x.requires_grad_()
    with mock.patch.object(blocks, "_FEW", few), Largest() as largest:
        PairLoss(Method(name, epsilon=epsilon), block_rows=block_rows)(x, labels).backward()
    assert largest.entries <= 4 * block_rows * m + 2 * m * d < m * m / 6


def test_the_measure_of_memory_sees_the_whole_matrix_where_it_is_made():
    x, labels = batch(21, m=50)
    with Largest() as largest:
        dense(METHODS["ms"], x.requires_grad_(), labels)
    assert largest.entries >= 50 * 50
