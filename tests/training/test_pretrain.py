"""Pre-training: it learns to classify, one step when asked, and the same each time."""

import math

import pytest
import torch

from msviz.training.models import MODELS, Embedder, build_model
from msviz.training.pretrain import pretraining

LABELS = torch.arange(40) % 4 * 10  # class numbers as a split leaves them: with gaps
INPUTS = torch.eye(4)[LABELS // 10] * 3 + torch.randn(40, 4, generator=torch.Generator().manual_seed(0))


def model(name: str = "mlp", dimensions: int = 8) -> Embedder:
    return build_model(name, (4,), n=40, dimensions=dimensions, width=16, seed=0)


def run(trained: Embedder, steps: int, **others) -> list[float]:
    inputs = torch.arange(40) if trained.wants_rows else INPUTS
    return list(
        pretraining(trained, inputs, LABELS, steps, **{"learning_rate": 0.03, "batch": 20, "seed": 1, **others})
    )


@pytest.mark.parametrize("name", [name for name in MODELS if name != "cnn"])
def test_from_a_guess_to_a_classifier(name: str) -> None:
    losses = run(model(name), 100)
    assert 0.5 * math.log(4) < losses[0] < 3 * math.log(4)
    assert losses[-1] < 0.25 * math.log(4)


def test_a_step_is_made_when_its_loss_is_asked_for() -> None:
    trained = model()
    before = {key: value.clone() for key, value in trained.state_dict().items()}
    steps = pretraining(trained, INPUTS, LABELS, 3, 0.03, 20, 1)
    assert all(torch.equal(value, before[key]) for key, value in trained.state_dict().items())
    next(steps)
    assert not any(torch.equal(value, before[key]) for key, value in trained.state_dict().items())
    assert len(list(steps)) == 2


def test_the_head_is_thrown_away() -> None:
    trained, plain = model(), model()
    run(trained, 1)
    assert trained.state_dict().keys() == plain.state_dict().keys()


def test_the_same_seed_gives_the_same_model_bit_for_bit() -> None:
    first, again, other = model(), model(), model()
    losses = [run(first, 5), run(again, 5), run(other, 5, seed=2)]
    assert losses[0] == losses[1] != losses[2]
    assert all(torch.equal(value, again.state_dict()[key]) for key, value in first.state_dict().items())


def test_torchs_global_generator_is_left_alone() -> None:
    before = torch.get_rng_state()
    run(model(), 2)
    assert torch.equal(before, torch.get_rng_state())


def test_a_batch_larger_than_the_data_is_all_of_them() -> None:
    assert run(model(), 3, batch=40) == pytest.approx(run(model(), 3, batch=1000), rel=1e-5)


def test_float64_stays_float64() -> None:
    trained = build_model("linear", (4,), n=40, dimensions=2, width=1, seed=0, dtype=torch.float64)
    assert len(list(pretraining(trained, INPUTS.double(), LABELS, 2, 0.03, 20, 0))) == 2


def test_no_steps_change_nothing() -> None:
    trained, plain = model(), model()
    assert run(trained, 0) == []
    assert all(torch.equal(value, plain.state_dict()[key]) for key, value in trained.state_dict().items())
