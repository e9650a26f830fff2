"""Models: the shapes they take and give, whose random numbers they use, and what must not matter to them."""

import threading
from typing import Any

import numpy as np
import pytest
import torch

from msviz.core.criterion import PairLoss
from msviz.core.errors import MsvizError
from msviz.text import say_error
from msviz.training.models import MODELS, Embedder, build_model
from msviz.training.stopping import StopRules, mean_similarity

NETWORKS = ("linear", "mlp", "cnn")
networks = pytest.mark.parametrize("name", NETWORKS)
models = pytest.mark.parametrize("name", MODELS)


def build(name: str, shape: tuple[int, ...] = (1, 8, 8), dimensions: int = 6, seed: int = 0, **others) -> Embedder:
    return build_model(name, shape, n=30, dimensions=dimensions, width=32, seed=seed, **others)


def weights(model: Embedder) -> torch.Tensor:
    return torch.cat([weight.detach().flatten() for weight in model.parameters()])


def images(n: int, shape: tuple[int, ...] = (1, 8, 8), dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(n, *shape, generator=torch.Generator().manual_seed(7), dtype=dtype)


@networks
@pytest.mark.parametrize("shape", [(1, 8, 8), (1, 24, 24), (3, 32, 32), (3, 65, 20), (1, 1, 1)])
@pytest.mark.parametrize("dimensions", [2, 200])
def test_a_network_takes_images_of_any_size_and_gives_so_many_dimensions(name, shape, dimensions: int) -> None:
    embeddings = build(name, shape, dimensions)(images(4, shape))
    assert embeddings.shape == (4, dimensions)
    assert embeddings.isfinite().all()


@pytest.mark.parametrize("name", ["linear", "mlp"])
def test_features_need_no_image(name: str) -> None:
    assert build(name, (13,))(torch.randn(4, 13)).shape == (4, 6)


@models
def test_the_seed_alone_decides_the_weights_and_no_global_generator(name: str) -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = weights(build(name, seed=3))
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(2)
    assert torch.equal(first, weights(build(name, seed=3)))
    assert not torch.equal(first, weights(build(name, seed=4)))


def test_models_built_in_many_threads_at_once_are_those_built_alone() -> None:
    built: dict[int, torch.Tensor] = {}
    threads = [
        threading.Thread(target=lambda seed=seed: built.update({seed: weights(build("cnn", seed=seed))}))
        for seed in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(torch.equal(built[seed], weights(build("cnn", seed=seed))) for seed in range(8))


@networks
def test_an_embedding_does_not_depend_on_the_batch_it_comes_in(name: str) -> None:
    model, inputs = build(name, dtype=torch.float64), images(9, dtype=torch.float64)
    alone = torch.cat([model(inputs[at : at + 1]) for at in range(9)])
    torch.testing.assert_close(model(inputs), alone, atol=1e-12, rtol=0)
    model.train()
    during = model(inputs)
    model.eval()
    assert torch.equal(during, model(inputs))


@models
def test_weights_have_the_type_that_was_asked_for(name: str) -> None:
    assert {weight.dtype for weight in build(name, dtype=torch.float64).parameters()} == {torch.float64}
    assert {weight.dtype for weight in build(name).parameters()} == {torch.float32}


def test_a_linear_map_is_one() -> None:
    model = build("linear", dtype=torch.float64)
    one, other = images(2, dtype=torch.float64).split(1)
    torch.testing.assert_close(model(2 * one - 3 * other), 2 * model(one) - 3 * model(other))


@networks
def test_an_untrained_network_keeps_items_apart(name: str) -> None:
    shape = (1, 24, 24)
    embeddings = build_model(name, shape, n=1, dimensions=64, width=64, seed=0)(images(80, shape))
    assert mean_similarity(embeddings.detach().numpy()) < 0.9


@networks
def test_only_the_ratios_of_the_weights_count_for_the_direction_of_an_embedding(name: str) -> None:
    model, inputs = build(name, dtype=torch.float64), images(9, dtype=torch.float64)
    before = model(inputs)
    with torch.no_grad():
        for weight in model.parameters():
            weight *= 3
    torch.testing.assert_close(torch.cosine_similarity(model(inputs), before), torch.ones(9, dtype=torch.float64))


@networks
@pytest.mark.parametrize("optimiser", [torch.optim.Adam, torch.optim.SGD])
def test_a_few_steps_lower_the_loss_and_do_not_collapse(name: str, optimiser: Any) -> None:
    labels = torch.arange(60) % 6
    inputs = images(6)[labels] + images(60)
    model, criterion = build(name), PairLoss("authors")
    stepper = optimiser(model.parameters(), 1e-2)
    rules, losses = StopRules(), []
    for _ in range(80):
        x = model(inputs)
        assert rules.embedded(x.detach().numpy()) is None
        loss = criterion(x, labels)
        stepper.zero_grad()
        loss.backward()
        stepper.step()
        losses.append(loss.item())
    assert losses[-1] < 0.8 * losses[0]


@networks
def test_a_wider_network_has_more_weights(name: str) -> None:
    thin, wide = (build_model(name, (1, 8, 8), n=1, dimensions=4, width=width, seed=0) for width in (1, 64))
    assert (len(weights(thin)) < len(weights(wide))) == (name != "linear")


# Free points


def test_free_points_are_called_with_rows_and_only_these_move() -> None:
    model = build("points", dimensions=3)
    assert model.wants_rows
    assert not any(build(name).wants_rows for name in NETWORKS)
    rows = torch.tensor([4, 2])
    model(rows).sum().backward()
    (places,) = model.parameters()
    assert torch.equal(model(rows), places[rows])
    assert places.grad is not None
    assert places.grad.abs().sum(1).nonzero().flatten().tolist() == [2, 4]


def test_free_points_begin_in_random_directions_or_where_they_are_put() -> None:
    assert build("points")(torch.arange(30)).norm(dim=1).tolist() == pytest.approx([1] * 30)
    start = np.random.default_rng(0).normal(size=(30, 6))
    kept = start.copy()
    model = build("points", start=start, dtype=torch.float64)
    assert np.array_equal(model(torch.arange(30)).detach().numpy(), start)
    with torch.no_grad():
        next(model.parameters()).zero_()
    assert np.array_equal(start, kept)  # a copy is trained, not the visitor's batch


# What cannot be built


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        ({"name": "resnet"}, "error.model_unknown", "no model named 'resnet'. Choose one of points, linear, mlp, cnn"),
        ({"name": "cnn", "shape": (13,)}, "error.model_images", "needs images ([channels, height, width] an item)"),
        ({"name": "points", "start": np.zeros((30, 2))}, "error.shape", "start must be [30, 6], got [30, 2]"),
        ({"name": "mlp", "dimensions": 0}, "error.parameter_range", "dimensions must be a whole number >= 1, got 0"),
    ],
)
def test_what_cannot_be_built_is_said_in_one_sentence(change, key: str, words: str) -> None:
    with pytest.raises(MsvizError) as refused:
        build(**change)
    assert refused.value.key == key
    assert words in say_error(refused.value)
