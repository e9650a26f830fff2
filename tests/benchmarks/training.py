"""How fast training is: python -m tests.benchmarks.training [--rounds 9] [--threads 2] [--small]

One table from one run, in ratios of steps a second, since times of another machine say little. What is compared runs in
turn, some steps at a time, with the same number of torch threads; the median round of each side counts, and the last
column gives the quartiles of the rounds' own ratios.

"Same loop": model, start, batches and optimiser are the same, and only the criterion differs. "Plain loop": what users
of pytorch-metric-learning write, with its sampler and torch's DataLoader, against our Trainer as it is, which measures
on the way. "Interface": a run at the speed "fast" while a page asks for its pictures 12 times a second,
against the bare Trainer. With a GPU also its steps against the CPU's; on such a machine all rows but these are measured
on the GPU where our Trainer is a side ("auto"), so set CUDA_VISIBLE_DEVICES= for the comparisons above.
"""

import argparse
import dataclasses
import gc
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import repeat

import torch
from torch import Tensor, nn

from msviz import METHODS, PairLoss
from msviz.training.config import TrainConfig
from msviz.training.models import build_model
from msviz.training.sampler import PKSampler
from msviz.training.sources import Glyphs
from msviz.training.trainer import Trainer

METHOD = METHODS["authors"]
TABLE = "{:<62}{:>7}   {}"
POLLS = 12  # a second
FOREVER = 1_000_000
CONFIGS = {
    "MLP at batch 256": TrainConfig(model="mlp", classes_per_batch=32, per_class=8, steps=FOREVER, evaluate_every=0),
    "CNN at batch 80": TrainConfig(steps=FOREVER, evaluate_every=0),
}
Criterion = Callable[[Tensor, Tensor], Tensor]
Step = Callable[[], object]


def theirs() -> Criterion:
    """pytorch-metric-learning's miner and loss, with our method's parameters."""
    from pytorch_metric_learning.losses import MultiSimilarityLoss
    from pytorch_metric_learning.miners import MultiSimilarityMiner

    p = METHOD.params
    miner = MultiSimilarityMiner(epsilon=METHOD.epsilon)
    loss = MultiSimilarityLoss(alpha=p.alpha, beta=p.beta, base=p.lam)
    return lambda x, labels: loss(x, labels, miner(x, labels))


def same_loop(config: TrainConfig, criterion: Criterion) -> Step:
    """One step of an ordinary loop over our sampler."""
    data, trainer = config.data.load(), Trainer(config)
    model = _model(config)
    optimiser = torch.optim.Adam(model.parameters(), lr=config.learning_rate, fused=True)
    inputs, labels = torch.tensor(data.inputs), torch.tensor(data.labels)
    sampler = PKSampler(
        data.labels, trainer.split.train, config.classes_per_batch, config.per_class, config.seed, data.names
    )

    def step() -> None:
        rows = torch.from_numpy(sampler.draw())
        loss = criterion(model(inputs[rows]), labels[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step


def plain_loop(config: TrainConfig) -> Step:
    """One step of a loop as users of pytorch-metric-learning write it; they, too, want to see the loss."""
    from pytorch_metric_learning.samplers import MPerClassSampler
    from torch.utils.data import DataLoader, TensorDataset

    data, train = config.data.load(), Trainer(config).split.train
    model, criterion = _model(config), theirs()
    optimiser = torch.optim.Adam(model.parameters(), lr=config.learning_rate)
    labels = torch.tensor(data.labels[train])
    sampler = MPerClassSampler(labels, config.per_class, config.batch_size, length_before_new_iter=100_000)
    loader = DataLoader(
        TensorDataset(torch.tensor(data.inputs[train]), labels), batch_size=config.batch_size, sampler=sampler
    )

    def endless() -> Iterator[list[Tensor]]:
        for again in repeat(loader):
            yield from again

    batches = endless()

    def step() -> float:
        inputs, of_batch = next(batches)
        loss = criterion(model(inputs), of_batch)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        return loss.item()

    return step


def only_criterion(config: TrainConfig, criterion: Criterion) -> Step:
    """The loss of one batch and its gradient on the embeddings, without a model."""
    snapshot = Trainer(config).look()
    x, labels = torch.tensor(snapshot.x, requires_grad=True), torch.tensor(snapshot.labels)

    def step() -> None:
        x.grad = None
        criterion(x, labels).backward()

    return step


def bare(config: TrainConfig) -> Step:
    """A step of our Trainer."""
    return partial(Trainer(config).step, probe=False)


def _model(config: TrainConfig) -> nn.Module:
    data = config.data.load()
    return build_model(config.model, data.shape, data.n, config.dimensions, config.width, config.seed)


def in_turn(rounds: int, steps: int, **sides: Step) -> dict[str, list[float]]:
    """Seconds a step of every side, round by round, after one round to warm up."""
    found: dict[str, list[float]] = {name: [] for name in sides}
    gc.disable()  # a collection falls on whoever happens to run
    for _ in range(rounds + 1):
        for name, step in sides.items():
            begun = time.perf_counter()
            for _ in range(steps):
                step()
            found[name].append((time.perf_counter() - begun) / steps)
        gc.collect()
    gc.enable()
    return {name: times[1:] for name, times in found.items()}


def against_theirs(rounds: int, steps: int) -> None:
    """(a) against pytorch-metric-learning."""
    for name, config in CONFIGS.items():
        t = in_turn(
            rounds,
            steps,
            ours=same_loop(config, PairLoss(METHOD)),
            theirs=same_loop(config, theirs()),
            trainer=bare(config),
            plain=plain_loop(config),
            our_criterion=only_criterion(config, PairLoss(METHOD)),
            their_criterion=only_criterion(config, theirs()),
        )
        row(f"{name}, same loop: PairLoss / theirs", t["theirs"], t["ours"])
        row(f"{name}: our Trainer / plain loop with theirs", t["plain"], t["trainer"])
        row(f"{name}: our Trainer / same loop with theirs", t["theirs"], t["trainer"])
        row(f"{name}, the criterion alone: PairLoss / theirs", t["their_criterion"], t["our_criterion"])
        ours, other = median(t["our_criterion"]) / median(t["ours"]), median(t["their_criterion"]) / median(t["theirs"])
        print(f"{'':<4}of a step of the same loop the criterion is {ours:.0%} with PairLoss, {other:.0%} with theirs")
        print(f"{'':<4}our Trainer: {1 / median(t['trainer']):,.0f} steps/s")


def devices(rounds: int, steps: int) -> None:
    """(c) CPU against GPU, where there is one; a wider network has more to gain."""
    if not torch.cuda.is_available():
        print("CPU against GPU: this machine has no GPU with CUDA")
        return
    wide = {"wide MLP at batch 1024": dataclasses.replace(CONFIGS["MLP at batch 256"], width=1024, per_class=32)}
    for name, config in {**CONFIGS, **wide}.items():
        sides = {device: bare(dataclasses.replace(config, device=device)) for device in ("cpu", "cuda")}
        t = in_turn(rounds, steps, **sides)
        row(f"{name}: our Trainer on the GPU / on the CPU", t["cpu"], t["cuda"])
        print(f"{'':<4}steps/s: {1 / median(t['cpu']):,.0f} on the CPU, {1 / median(t['cuda']):,.0f} on the GPU")


def interface(rounds: int, seconds: float) -> None:
    """(b) what it costs that somebody watches."""
    from msviz.ui.setups import SETUPS

    glyphs = SETUPS["glyphs"]()
    for name, config in {"the page's first run": glyphs, "CNN at batch 80": TrainConfig()}.items():
        endless = TrainConfig.from_json({**config.as_json(), "steps": FOREVER})
        t: dict[str, list[float]] = {"bare": [], "watched": []}
        for _ in range(rounds):
            t["bare"].append(seconds_a_step(bare(endless), seconds))
            t["watched"].append(watched(endless, seconds))
        row(f"interface, {name}: watched at 'fast' / bare", t["bare"], t["watched"])


def seconds_a_step(step: Step, seconds: float) -> float:
    """How long a step takes, over some seconds after a few to warm up."""
    for _ in range(10):
        step()
    begun, steps = time.perf_counter(), 0
    while time.perf_counter() - begun < seconds:
        step()
        steps += 1
    return (time.perf_counter() - begun) / steps


def watched(config: TrainConfig, seconds: float) -> float:
    """How long a step takes in a run that a page watches."""
    from msviz.ui.engines import Engine
    from msviz.ui.runs import Run
    from msviz.ui.train_frames import answer

    run = Run(lambda: Engine(config))
    asked = {"run": run.token, "want": None, "points": "probe", "looks": {}, "era": 0, "curve": 0, "have": ""}
    run.speed = "fast"

    def look() -> int:
        reply = answer(json.dumps(asked).encode())
        head = json.loads(reply[4 : 4 + int.from_bytes(reply[:4], "little")])
        asked.update(era=head["era"], curve=head["begins"] + len(head["losses"]), have=head.get("have", ""))
        assert not head["error"], head["error"]
        return int(head["step"])

    try:
        run.poll()
        while run.engine is None or run.latest is None:
            time.sleep(0.01)
        run.play()
        while look() < 10:
            time.sleep(1 / POLLS)
        begun, first = time.perf_counter(), run.status.step
        polls = 0
        while time.perf_counter() - begun < seconds:
            look()
            polls += 1
            time.sleep(max(0.0, begun + polls / POLLS - time.perf_counter()))
        return (time.perf_counter() - begun) / (run.status.step - first)
    finally:
        run.close()


def median(times: list[float]) -> float:
    """The middle one."""
    return statistics.median(times)


def row(what: str, slow: list[float], quick: list[float]) -> None:
    """One line of the table: how many times as many steps a second the second makes."""
    ratios = sorted(one / other for one, other in zip(slow, quick, strict=True))
    low, _, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    print(TABLE.format(what, f"{median(slow) / median(quick):.2f}", f"({low:.2f} to {high:.2f})"), flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="rounds of every comparison")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="torch threads of every side")
    parser.add_argument("--small", action="store_true", help="few steps only: does everything run?")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    print(
        f"torch {torch.__version__}, {args.threads} threads, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    print(f"data: {Glyphs()}; multi-similarity with mining, Adam")
    against_theirs(args.rounds, steps=3 if args.small else 30)
    interface(args.rounds, seconds=0.5 if args.small else 3.0)
    devices(args.rounds, steps=3 if args.small else 30)


if __name__ == "__main__":
    main()
