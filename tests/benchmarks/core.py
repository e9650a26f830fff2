"""How fast the core is: python -m tests.benchmarks.core [--rounds 5] [--small]

One table from one run, in ratios, since times of another machine say little: what is compared is measured in turn, and
of every side the quickest round counts. Data: float32 unit rows of a Gaussian, about five to a class; method: the
authors' multi-similarity with mining.

The floor is what no row of the table can do without: the three bare matrix products x x^T, G x and G^T x. Peak memory
is what the operating system counts for a child process beyond what it held before the call.
"""

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import torch
from torch import Tensor

from msviz import LOSSES, METHODS, Method, evaluate, label_pairs, similarity
from msviz.training.limits.measure import blocked, peak_memory, products
from msviz.training.limits.measure import gaussian_batch as batch

METHOD = METHODS["authors"]
TABLE = "{:<46}{:>10}   {}"


def ours(x: Tensor, labels: Tensor, method: Method = METHOD) -> None:
    """Forward and backward of PairLoss."""
    blocked(x, labels, method)


def theirs(x: Tensor, labels: Tensor) -> None:
    """Forward and backward of pytorch-metric-learning's miner and loss."""
    from pytorch_metric_learning.losses import MultiSimilarityLoss
    from pytorch_metric_learning.miners import MultiSimilarityMiner

    x.grad = None
    p = METHOD.params
    pairs = MultiSimilarityMiner(epsilon=METHOD.epsilon)(x, labels)
    MultiSimilarityLoss(alpha=p.alpha, beta=p.beta, base=p.lam)(x, labels, pairs).backward()


def in_turn(rounds: int, **sides: Callable[[], Any]) -> dict[str, float]:
    """The quickest of so many rounds of every side, in seconds, after one round to warm up."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds + 1):
        for name, side in sides.items():
            start = perf_counter()
            side()
            times[name].append(perf_counter() - start)
    return {name: min(found[1:]) for name, found in times.items()}


def peak_mib(side: str, m: int, d: int) -> int:
    """Peak memory of one call in a process of its own, MiB beyond what it held before."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.core", "--peak", side, str(m), str(d)],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


def print_peak(side: str, m: int, d: int) -> None:
    """The child's part of `peak_mib` (Linux: it reads /proc)."""
    call = {"ours": ours, "theirs": theirs}[side]
    call(*batch(64, d))  # what is loaded at the first call is not the call's memory
    x, labels = batch(m, d)
    print((peak_memory(partial(call, x, labels)) or 0) // 2**20)


def speed(rounds: int, sizes: list[tuple[int, int]]) -> None:
    """(a) against the floor, and the other losses against multi-similarity."""
    for m, d in sizes:
        x, labels = batch(m, d)
        t = in_turn(rounds, floor=partial(products, x, labels, METHOD), ours=partial(ours, x, labels))
        row(f"PairLoss / floor, m = {m}, d = {d}", t["ours"] / t["floor"])
    x, labels = batch(4096, 128)
    t = in_turn(rounds, ms=partial(ours, x, labels), triplet=partial(ours, x, labels, Method("triplet")))
    row("triplet / multi-similarity, m = 4096, d = 128", t["triplet"] / t["ms"])


def against_theirs(rounds: int, sizes: list[tuple[int, int]]) -> None:
    """(b) against pytorch-metric-learning."""
    for m, d in sizes:
        x, labels = batch(m, d)
        t = in_turn(rounds, ours=partial(ours, x, labels), theirs=partial(theirs, x, labels))
        row(f"pytorch-metric-learning / PairLoss, m = {m}, d = {d}", t["theirs"] / t["ours"])


def memory(sizes: list[tuple[str, int, int]]) -> None:
    """(c) peak memory."""
    for side, m, d in sizes:
        name = {"ours": "PairLoss", "theirs": "pytorch-metric-learning"}[side]
        row(f"peak memory of {name}, m = {m}, d = {d}", peak_mib(side, m, d), "MiB", digits=0)


def small_batch(rounds: int) -> None:
    """(d) what a page computes at every move: evaluate at m = 64."""
    x, labels = batch(64, 128)
    sim, pairs = similarity(x.detach().double()), label_pairs(labels)
    sides = {name: partial(evaluate, sim, pairs, Method(name, epsilon=0.1)) for name in LOSSES}
    t = in_turn(20 * rounds, **sides)
    for name in LOSSES:
        row(f"evaluate at m = 64: {name} / multi_similarity", t[name] / t["multi_similarity"])


def growth(sizes: list[int]) -> None:
    """(e) how time grows with m, at d = 128: twice the batch has four times the pairs."""
    t = {m: in_turn(1, ours=partial(ours, *batch(m, 128)))["ours"] for m in sizes}
    for m in sizes[1:]:
        row(
            f"PairLoss, m = {m} / m = {sizes[0]}, d = 128",
            t[m] / t[sizes[0]],
            f"{(m // sizes[0]) ** 2} x the pairs",
        )


def row(what: str, number: float, note: str = "", digits: int = 2) -> None:
    """One line of the table, as soon as it is known."""
    print(TABLE.format(what, f"{number:.{digits}f}", note), flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of every comparison; the quickest counts")
    parser.add_argument("--small", action="store_true", help="small sizes only: does everything run?")
    parser.add_argument("--peak", nargs=3, metavar=("SIDE", "M", "D"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    torch.set_num_threads(os.cpu_count() or 1)
    if args.peak:
        print_peak(args.peak[0], int(args.peak[1]), int(args.peak[2]))
        return
    print(f"torch {torch.__version__}, {os.cpu_count()} cores, Python {platform.python_version()}, float32")
    widths = (128, 512)
    speed(args.rounds, [(m, d) for m in ((1024,) if args.small else (1024, 4096, 8192)) for d in widths])
    against_theirs(min(args.rounds, 3), [(1024, 128)] if args.small else [(m, d) for m in (1024, 4096) for d in widths])
    largest = 2048 if args.small else 32768
    middle = min(largest, 4096)
    memory([("theirs", middle, 128), ("ours", middle, 128), ("ours", largest, 128)])
    small_batch(args.rounds)
    growth([m for m in (1024, 2048, 4096, 8192, 16384, 32768) if (m >= 2048 or args.small) and m <= largest])


if __name__ == "__main__":
    main()
