"""Runs that compare otherwise than everybody with everybody by cosines: their loss, gradient and batches."""

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from msviz import METHODS, Method, closest_points
from msviz.core.class_mining import mine_classes
from msviz.core.scheme import SchemeLoss
from msviz.training.sampler import PKSampler
from msviz.training.stopping import Stop
from msviz.training.trainer import Trainer
from tests.training.runs import clusters, curve, numbers, small, trainer

NPAIR: dict[str, Any] = {"pairing": "npair", "per_class": 2, "method": Method("npair")}
DOT: dict[str, Any] = {"similarity": "dot", "norm_penalty": 0.05}
MINED: dict[str, Any] = {**NPAIR, **DOT, "mine_classes": 6}
SCHEMES: dict[str, dict[str, Any]] = {
    "npair": {**NPAIR, **DOT},
    "tuplets": {"pairing": "tuplets", "per_class": 5, "method": Method("npair_ovo")},
    "triplets": {"pairing": "triplets", "method": Method("triplet", lam=0.5)},
    "dot": {**DOT, "method": Method("binomial", beta=2.0)},
    "loop": {"negatives": "loop", "method": METHODS["authors"].replace(epsilon=None)},
    "loop triplet": {"negatives": "loop", "method": Method("triplet", lam=0.5)},
    "mined": MINED,
}
EXACT: dict[str, Any] = {"precision": "float64", "device": "cpu", "evaluate_every": 0}


def loss_by_hand(name: str, x: np.ndarray, labels: np.ndarray, config: Any) -> float:
    """The loss of a batch in loops over its points, for the schemes that the paper of N-pair and that of LoOp have."""
    first = [int(np.flatnonzero(labels == label)[0]) for label in dict.fromkeys(labels.tolist())]
    if name == "npair":
        rows = [np.exp([x[i] @ x[n + 1] - x[i] @ x[i + 1] for n in first if n != i]).sum() for i in first]
        return float(np.log1p(rows).mean() + config.norm_penalty * (x**2).sum(1).mean())
    unit = torch.from_numpy(x / np.linalg.norm(x, axis=1, keepdims=True))
    each = config.per_class
    partner = [i + 1 if (i + 1) % each else i + 1 - each for i in range(len(x))]
    sim = (unit @ unit.T).numpy()
    for i, j in product(range(len(x)), repeat=2):
        if labels[i] != labels[j]:
            sim[i, j] = float(closest_points(unit[i], unit[partner[i]], unit[j], unit[partner[j]]).similarity)
    p, losses = config.method.params, []
    for i in range(len(x)):
        pos = sim[i, (labels == labels[i]) & (np.arange(len(x)) != i)]
        neg = sim[i, labels != labels[i]]
        pull = np.log1p(np.exp(-p.alpha * (pos - p.lam)).sum()) / p.alpha
        losses.append(pull + np.log1p(np.exp(p.beta * (neg - p.lam)).sum()) / p.beta)
    return float(np.mean(losses))


@pytest.mark.parametrize("name", ["npair", "loop"])
def test_the_loss_of_a_step_is_that_of_loops_over_its_points_and_so_is_its_slope(name: str) -> None:
    config = small(**EXACT, **SCHEMES[name], model="points", optimiser="sgd", dimensions=6, learning_rate=1e-3)
    run = Trainer(config, clusters())
    before = run.embed(np.arange(run.data.n))
    shot = run.step()
    moved = (before - run.embed(np.arange(run.data.n)))[shot.rows] / config.learning_rate  # the first step of sgd
    assert shot.loss == pytest.approx(loss_by_hand(name, shot.x, shot.labels, config), abs=1e-10)
    assert shot.gradient_norm == pytest.approx(np.linalg.norm(moved), rel=1e-9)
    rng, h = np.random.default_rng(0), 1e-6
    for _ in range(5):
        way = rng.normal(size=shot.x.shape)
        up, down = (loss_by_hand(name, shot.x + sign * h * way, shot.labels, config) for sign in (1, -1))
        assert (moved * way).sum() == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("name", SCHEMES)
def test_what_a_snapshot_shows_is_what_was_minimised(name: str) -> None:
    config = small(**EXACT, **SCHEMES[name])
    run = Trainer(config, clusters())
    losses = []
    for _ in range(5):
        shot = run.step()
        x, labels = torch.from_numpy(shot.x), torch.from_numpy(shot.labels)
        assert shot.loss == pytest.approx(float(SchemeLoss(config.method, config.scheme)(x, labels)), abs=1e-12)
        cost = config.norm_penalty * float((x**2).sum(1).mean())
        assert shot.loss == pytest.approx(float(shot.evaluation.value) + cost, abs=1e-12)
        losses.append(shot.loss)
    assert np.ptp(losses) > 1e-3


def test_rows_of_points_that_are_no_anchors_are_empty_and_count_for_no_share() -> None:
    shot = Trainer(small(**EXACT, **SCHEMES["npair"]), clusters()).step()
    weights = shot.evaluation.weights
    assert (weights[0::2] > 0).sum(1).tolist() == [4] * 4  # an anchor: its positive, and three negatives
    assert not weights[1::2].any()
    assert shot.mined_share == 1
    assert shot.weights.mean == pytest.approx(float(weights.sum()) / 16)


@pytest.mark.parametrize("name", SCHEMES)
def test_rewind_resume_and_looking_give_the_same_numbers(name: str) -> None:
    run, other = trainer(**SCHEMES[name]), trainer(**SCHEMES[name])
    first = curve(run, 4)
    state, looked = run.state_dict(), numbers(run.look())
    assert looked == numbers(run.look())
    went_on = curve(run, 4)
    assert looked[0] == went_on[0][0]
    assert looked[4] == went_on[0][4]  # the rows
    other.load_state_dict(state)
    assert curve(other, 4) == went_on
    run.rewind()
    assert curve(run, 8) == first + went_on


def test_the_classes_of_a_batch_are_those_that_the_core_mines_under_the_weights_of_now() -> None:
    config = small(**MINED)
    run = Trainer(config, clusters())
    sampler = PKSampler(run.data.labels, run.split.train, 4, 2, config.seed, candidates=6)
    seen = set()
    for _ in range(6):

        def mined(examples: np.ndarray, rng: np.random.Generator) -> Any:
            labels = run.data.labels[examples]
            found = mine_classes(torch.from_numpy(run.embed(examples)), labels, 4, rng).chosen
            return [labels[::2].tolist().index(label) for label in found]

        expected = sampler.draw(mined)
        shot = run.step()
        assert shot.rows.tolist() == expected.tolist()
        seen.add(tuple(shot.labels[::2]))
    assert len(seen) > 1


def test_mined_batches_depend_on_the_weights() -> None:
    run, other = trainer(**MINED), trainer(**MINED)
    for _ in range(3):
        run.step()
        other.step()
    other.set(learning_rate=1.0)
    apart = [(run.step().rows.tolist(), other.step().rows.tolist()) for _ in range(8)]
    assert apart[0][0] == apart[0][1]  # drawn before the weights part
    assert any(one != two for one, two in apart)


def test_dot_products_that_become_too_large_end_the_run_as_any_infinite_number_does() -> None:
    run = Trainer(small(similarity="dot", learning_rate=1000, evaluate_every=0, steps=200), clusters(scale=1e10))
    while run.stop is None:
        run.step()
    assert run.stop is Stop.NOT_FINITE


def test_a_penalty_keeps_norms_small() -> None:
    def length(penalty: float) -> float:
        run = trainer(**NPAIR, similarity="dot", norm_penalty=penalty)
        for _ in range(30):
            run.step()
        return float(np.linalg.norm(run.embed(run.split.train), axis=1).mean())

    assert length(0.5) < length(0.05) < length(0.0)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU with CUDA")
@pytest.mark.parametrize("name", SCHEMES)
def test_on_a_gpu_float64_gives_the_curve_of_the_cpu(name: str) -> None:
    gpu, cpu = (trainer(**{**EXACT, "device": device}, **SCHEMES[name]) for device in ("cuda", "cpu"))
    for _ in range(10):
        assert gpu.step().loss == pytest.approx(cpu.step().loss, rel=1e-9)
