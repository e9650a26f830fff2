"""The trainer: the same seed, the same run; what is seen moved the network; looking disturbs nothing."""

import dataclasses
import threading
from typing import Any

import numpy as np
import pytest
import torch

from msviz import METHODS, Method, MsvizError, PairLoss, forces, similarity
from msviz.training.changes import Change
from msviz.training.config import TrainConfig
from msviz.training.models import build_model
from msviz.training.retrieval import retrieval
from msviz.training.sampler import PKSampler
from msviz.training.stopping import Stop
from msviz.training.trainer import Trainer
from msviz.training.training_set import TrainingSet
from tests.training.runs import clusters, curve, numbers, small, trainer

# The same numbers


@pytest.mark.parametrize("changes", [{}, {"optimiser": "sgd"}, {"precision": "float64"}, {"precision": "bfloat16"}])
def test_the_same_seed_gives_the_same_run_to_the_last_bit(changes: dict[str, Any]) -> None:
    assert curve(trainer(**changes)) == curve(trainer(**changes))


def test_another_seed_gives_another_run() -> None:
    one, other = trainer(seed=0).look(), trainer(seed=1).look()
    assert one.loss != other.loss
    assert one.rows.tolist() != other.rows.tolist()


def test_the_run_is_the_same_while_others_train_in_other_threads() -> None:
    alone = curve(trainer(), 30)
    found: dict[int, list[tuple[Any, ...]]] = {}

    def run(seed: int) -> None:
        torch.manual_seed(seed)  # somebody else's global seed changes nothing either
        found[seed] = curve(trainer(seed=seed), 30)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == alone
    assert len({tuple(map(str, run)) for run in found.values()}) == 4


def test_a_run_with_changes_on_the_way_equals_the_loop_by_hand() -> None:
    data, config = clusters(), small(evaluate_every=0)
    run = Trainer(config, data)
    model = build_model("mlp", data.shape, data.n, config.dimensions, config.width, config.seed)
    sampler = PKSampler(data.labels, run.split.train, 4, 3, config.seed)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01, fused=True)
    method = config.method
    for step in range(20):
        if step == 8:
            method = METHODS["binomial"]
            optimiser.param_groups[0]["lr"] = 0.003
            run.set(method=method, learning_rate=0.003)
        rows = sampler.draw()
        x = model(torch.tensor(data.inputs[rows]))
        loss = PairLoss(method)(x, data.labels[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        snapshot = run.step()
        assert (snapshot.loss, snapshot.x.tolist()) == (loss.item(), x.tolist())


def test_the_weights_that_a_snapshot_shows_are_those_that_moved_the_points() -> None:
    settings = {"model": "points", "split": "none", "optimiser": "sgd", "precision": "float64"}
    run = trainer(**settings, learning_rate=0.3)
    every = np.arange(run.data.n)
    before = run.embed(every)
    snapshot = run.step()
    moved = (run.embed(every) - before)[snapshot.rows]
    pushed = forces(torch.tensor(snapshot.x), snapshot.evaluation.value_gradient)
    assert np.abs(moved).max() > 0
    np.testing.assert_allclose(moved, 0.3 * pushed.numpy(), rtol=0, atol=1e-15)


# Looking


def test_looking_measuring_and_the_probe_disturb_no_batch() -> None:
    plain, watched = trainer(evaluate_every=0), trainer(evaluate_every=0)
    for _ in range(10):
        watched.look(evaluate=True)
        watched.evaluate("test")
        watched.embed(np.arange(5))
        one, other = plain.step(probe=False), watched.step()
        assert one.probe_x is None
        assert numbers(dataclasses.replace(other, probe_x=None)) == numbers(one)


def test_a_look_is_what_the_next_step_returns() -> None:
    run = trainer(evaluate_every=0)
    for _ in range(3):
        assert numbers(run.look()) == numbers(run.step())


def test_retrieval_is_measured_on_classes_that_training_never_sees() -> None:
    run = trainer()
    snapshot = run.step()
    run.rewind()
    val = run.split.val
    assert run.split.how == "classes"
    assert not set(run.data.labels[val]) & set(run.data.labels[run.split.train])
    assert snapshot.retrieval == retrieval(run.embed(val), run.data.labels[val])
    measured = [run.step().retrieval is not None for _ in range(11)]
    assert [step for step, was in enumerate(measured) if was] == [0, 5, 10]


def test_the_probe_is_a_few_items_of_each_of_some_validation_classes() -> None:
    run = Trainer(small(probe_size=9), clusters())
    labels = run.data.labels[run.probe]
    assert set(run.probe) <= set(run.split.val)
    assert len(set(run.probe)) == 8
    assert sorted(np.unique(labels, return_counts=True)[1]) == [4, 4]
    assert labels.tolist() == sorted(labels)
    assert run.probe.tolist() == Trainer(small(probe_size=9), clusters()).probe.tolist()
    np.testing.assert_array_equal(run.look().probe_x, run.embed(run.probe))
    assert trainer(probe_size=0).look().probe_x is None


def test_a_measurement_of_no_part_is_refused() -> None:
    with pytest.raises(MsvizError, match="part must be one of train, val, test, got 'all'"):
        trainer().evaluate("all")


# Changes, rewind, state


def test_changes_are_noted_one_by_one_with_their_step() -> None:
    run = trainer()
    curve(run, 3)
    run.set(method=run.method.replace(beta=50, epsilon=None), learning_rate=0.5)
    run.set(method=run.method, learning_rate=0.5)  # nothing new
    run.step()
    run.set(method=Method("triplet"))
    assert run.changes == (
        Change(3, "learning_rate", 0.01, 0.5),
        Change(3, "beta", 40.0, 50.0),
        Change(3, "epsilon", 0.1, None),
        Change(4, "loss", "multi_similarity", "triplet"),
    )
    assert (run.method, run.learning_rate) == (Method("triplet"), 0.5)


def test_a_learning_rate_out_of_range_changes_nothing() -> None:
    run = trainer()
    with pytest.raises(MsvizError, match="learning_rate must be > 0"):
        run.set(learning_rate=-1, method=Method("triplet"))
    assert (run.changes, run.method, run.learning_rate) == ((), METHODS["authors"], 0.01)


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_rewind_gives_the_same_curve_whatever_happened_before(optimiser: str) -> None:
    run = trainer(optimiser=optimiser)
    first = curve(run)
    run.set(learning_rate=1, method=Method("triplet"))
    curve(run, 5)
    run.rewind()
    assert (run.step_count, run.changes, run.stop) == (0, (), None)
    assert curve(run) == first


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_another_trainer_goes_on_from_a_state_with_identical_numbers(optimiser: str) -> None:
    run = trainer(optimiser=optimiser, patience=30)
    curve(run, 7)
    run.set(method=METHODS["binomial"], learning_rate=0.02)
    state = run.state_dict()
    went_on = curve(run, 20)  # the state is a copy that this does not touch,
    for _ in range(2):  # nor do those that go on from it
        other = trainer(optimiser=optimiser, patience=30)
        other.load_state_dict(state)
        assert curve(other, 20) == went_on
        assert other.changes == run.changes != ()
    other.rewind()
    run.rewind()
    assert curve(other, 3) == curve(run, 3)


def test_patience_is_counted_on_in_another_trainer() -> None:
    def until_the_end(run: Trainer) -> int:
        while run.stop is None:
            run.step()
        return run.step_count

    settings = {"patience": 3, "learning_rate": 1e-9, "evaluate_every": 2}
    run = trainer(**settings)
    curve(run, 4)
    other = trainer(**settings)
    other.load_state_dict(run.state_dict())
    assert until_the_end(other) == until_the_end(run) == 6


def test_pretraining_is_part_of_the_start() -> None:
    run = trainer(pretrain_steps=30)
    losses = list(run.pretraining())
    assert len(losses) == 30
    assert losses[-1] < losses[0]
    assert list(run.pretraining()) == []
    first = curve(run, 5)
    assert first[0] != numbers(trainer().step())

    broken_off = trainer(pretrain_steps=30)
    next(broken_off.pretraining())
    assert curve(broken_off, 5) == first
    broken_off.rewind()
    assert curve(broken_off, 5) == first

    resumed = trainer(pretrain_steps=30)
    resumed.load_state_dict(run.state_dict())
    resumed.rewind()
    assert curve(resumed, 5) == first


# Ends


def until_the_end(run: Trainer) -> list[Any]:
    snapshots = []
    while run.stop is None:
        snapshots.append(run.step())
    return snapshots


def test_a_run_ends_after_its_steps() -> None:
    run = trainer(steps=7)
    assert [snapshot.stop for snapshot in until_the_end(run)] == [None] * 7
    assert run.stop is Stop.STEPS
    last = run.look(evaluate=True)
    assert (last.step, last.stop) == (7, Stop.STEPS)
    with pytest.raises(MsvizError, match=r"ended after 7 steps \(steps\); rewind it"):
        run.step()
    run.rewind()
    assert run.step().step == 0


def test_a_run_ends_at_its_target_with_the_weights_that_reached_it() -> None:
    run = trainer(target_recall=0.01)
    only = run.step()
    assert (only.stop, run.stop, run.step_count) == (Stop.TARGET, Stop.TARGET, 0)
    assert numbers(run.look(evaluate=True)) == numbers(only)


def test_a_run_ends_when_recall_stops_rising() -> None:
    last = until_the_end(trainer(patience=3, learning_rate=1e-9))[-1]
    assert (last.stop, last.step) == (Stop.PATIENCE, 15)


def test_a_run_ends_when_all_embeddings_are_in_one_place() -> None:
    only_pulls = Method("contrastive", lam=1)  # no negative is above 1, so none is ever pushed
    run = trainer(method=only_pulls, dimensions=2, steps=2000, evaluate_every=0)
    last = until_the_end(run)[-1]
    assert last.stop is Stop.COLLAPSE
    assert last.evaluation.gradient[~np.eye(12, dtype=bool)].max() == 0
    assert similarity(torch.tensor(last.x)).mean() > 0.999


def test_a_run_ends_when_numbers_become_infinite_and_the_last_good_step_stays() -> None:
    # Features nobody scaled and steps far too long: the embeddings grow beyond the largest float32.
    run = Trainer(small(learning_rate=100, evaluate_every=0), clusters(scale=1e30))
    snapshots = until_the_end(run)
    last, before = snapshots[-1], snapshots[-2]
    assert (last.stop, run.stop) == (Stop.NOT_FINITE, Stop.NOT_FINITE)
    assert numbers(dataclasses.replace(last, stop=None)) == numbers(before)
    assert np.isfinite(last.x).all()
    assert numbers(run.look()) == numbers(last)
    run.rewind()
    assert numbers(run.step()) == numbers(snapshots[0])


def test_pretraining_that_explodes_says_so_before_the_first_step() -> None:
    run = Trainer(small(pretrain_steps=20, pretrain_learning_rate=1000), clusters(scale=3e37))
    with pytest.raises(MsvizError, match="infinite before the first update"):
        run.step()


# Models and numbers


def learns(run: Trainer) -> bool:
    losses = [snapshot.loss for snapshot in until_the_end(run)]
    return float(np.mean(losses[-5:])) < 0.9 * float(np.mean(losses[:5]))


@pytest.mark.parametrize(
    ("precision", "of_model", "of_x"),
    [
        ("auto", torch.float32, np.float32),
        ("float64", torch.float64, np.float64),
        ("bfloat16", torch.float32, np.float32),
    ],
)
def test_the_numbers_are_as_precise_as_asked_for(precision: str, of_model: torch.dtype, of_x: type) -> None:
    run = trainer(precision=precision, device="cpu")
    snapshot = run.step()
    assert {weight.dtype for weight in run.model.parameters()} == {of_model}
    assert snapshot.x.dtype == of_x
    assert snapshot.probe_x.dtype == of_x


def test_autocast_rounds_embeddings_to_bfloat16_and_the_run_learns_all_the_same() -> None:
    rounded, exact = trainer(precision="bfloat16"), trainer()
    x = torch.tensor(rounded.look().x)
    assert torch.equal(x.bfloat16().float(), x)
    error = np.abs(x.numpy() - exact.look().x).max()
    assert 0 < error < 0.02 * np.abs(exact.look().x).max()  # bfloat16 has 8 bits: 1/256 a rounding
    assert learns(rounded)


@pytest.mark.parametrize("model", ["points", "linear", "mlp", "cnn"])
def test_every_model_learns(model: str) -> None:
    data = clusters(dimensions=64)
    if model == "cnn":
        data = TrainingSet(data.inputs.reshape(-1, 1, 8, 8).copy(), data.labels, data.names)
    assert learns(Trainer(small(model=model, learning_rate=0.05, evaluate_every=0), data))


def test_free_points_start_where_they_lie_when_they_have_as_many_dimensions() -> None:
    run = trainer(model="points", dimensions=6)
    np.testing.assert_array_equal(run.embed(np.arange(run.data.n)), run.data.inputs)
    assert run.split.how == "none"
    assert trainer(model="points", dimensions=2).look().x.shape == (12, 2)


def test_images_a_second_count_time_in_steps() -> None:
    run = trainer()
    assert run.step().images_per_second == 0
    assert run.step().images_per_second > 0


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU with CUDA")
def test_on_a_gpu_a_run_learns_in_bfloat16_without_being_told() -> None:
    run = trainer()
    first = run.step()
    assert {weight.device.type for weight in run.model.parameters()} == {"cuda"}
    x = torch.tensor(first.x)
    assert torch.equal(x.bfloat16().float(), x)
    assert first.loss == pytest.approx(trainer(device="cpu").look().loss, rel=0.05)
    assert learns(run)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU with CUDA")
def test_on_a_gpu_float64_gives_the_curve_of_the_cpu() -> None:
    gpu, cpu = (trainer(precision="float64", device=device) for device in ("cuda", "cpu"))
    for _ in range(20):
        assert gpu.step().loss == pytest.approx(cpu.step().loss, rel=1e-9)


# What cannot be


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA")
def test_a_device_that_is_not_there_is_refused() -> None:
    with pytest.raises(MsvizError, match="this machine has no cuda for torch; choose auto or cpu"):
        trainer(device="cuda")


@pytest.mark.parametrize(
    ("changes", "each", "sentence"),
    [
        ({"classes_per_batch": 6, "per_class": 11}, 10, "a batch of 6 x 11 = 66 items is larger than the 60"),
        ({"classes_per_batch": 7}, 10, "a batch of 7 classes needs as many to draw from, got 6"),
        ({"classes_per_batch": 2, "per_class": 5}, 4, "a batch takes 5 items of a class, but class class"),
        ({"model": "cnn"}, 10, "a cnn needs images"),
    ],
)
def test_batches_and_models_that_the_data_do_not_allow(changes: dict[str, Any], each: int, sentence: str) -> None:
    with pytest.raises(MsvizError) as caught:
        Trainer(small(**changes), clusters(each=each))
    assert str(caught.value).startswith(sentence)


def test_a_run_without_data_of_its_own_loads_those_of_its_config() -> None:
    run = Trainer(TrainConfig(steps=1, evaluate_every=0, probe_size=0))
    assert run.data.is_image
    assert run.step().x.shape == (80, 64)
