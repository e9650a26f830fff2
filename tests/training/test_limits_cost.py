"""Limits: what m^2 pairs cost. Times are measured and never asserted; memory is the system's."""

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from msviz import METHODS, Method, MsvizError
from msviz.training.limits import CostPoint, CostSettings, cost
from msviz.training.limits.measure import WAYS, gaussian_batch, peak_memory

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a peak")
MIB = 2**20
SMALL = CostSettings(largest=2048, dimensions=16, rounds=1)


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[str]]:
    """The processes that a test starts."""
    found = []

    class Recorded(subprocess.Popen):
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **options)
            found.append(self)

    monkeypatch.setattr(subprocess, "Popen", Recorded)
    return found


@pytest.fixture(scope="module")
def points() -> dict[tuple[str, int], CostPoint]:
    return {(point.way, point.m): point for point in cost(SMALL)}


def test_every_way_is_measured_at_every_size(points: dict[tuple[str, int], CostPoint]) -> None:
    assert list(points) == [(way, m) for m in (256, 512, 1024, 2048) for way in WAYS]
    assert all(point.seconds > 0 for point in points.values())


@linux
def test_memory_grows_with_the_square_of_m_in_the_dense_way_alone(points: dict[tuple[str, int], CostPoint]) -> None:
    memory = {of: point.memory or 0 for of, point in points.items()}
    matrix = 4 * 2048**2  # bytes of float32
    assert memory["products", 2048] > matrix
    assert memory["dense", 2048] > 4 * matrix
    # Four times m: 4 would be in proportion, 16 is the square, of which freed memory that lingers takes its share.
    assert memory["dense", 2048] > 6 * memory["dense", 512]
    assert memory["blocked", 2048] < memory["dense", 2048] / 4
    assert memory["blocked", 2048] < 4 * memory["blocked", 512]


@linux
def test_peak_memory_counts_what_was_held_and_given_back() -> None:
    peak_memory(lambda: torch.ones(1024))
    held = peak_memory(lambda: torch.ones(8 * MIB))  # 32 MiB, which nobody keeps
    assert held is not None
    assert 31 * MIB < held < 36 * MIB
    assert (peak_memory(lambda: None) or 0) < MIB


@pytest.mark.parametrize("method", [METHODS["authors"], Method("supcon")])
def test_the_dense_and_the_blocked_way_compute_the_same_gradient(method: Method) -> None:
    (one, labels), (other, _) = gaussian_batch(100, 16), gaussian_batch(100, 16)
    WAYS["dense"](one, labels, method)
    WAYS["blocked"](other, labels, method)
    assert one.grad is not None
    assert other.grad is not None
    torch.testing.assert_close(one.grad / 100, other.grad)  # the sum over anchors, and their mean


def test_who_stops_listening_ends_the_child(children: list[subprocess.Popen[str]]) -> None:
    measured = cost(SMALL)
    assert next(measured).m == 256
    assert children[0].poll() is None
    measured.close()
    assert children[0].returncode == -signal.SIGKILL


def test_a_child_that_cannot_begin_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys.modules[cost.__module__], "_ROOT", tmp_path)
    with pytest.raises(MsvizError, match="No module named 'msviz'") as raised:
        next(cost(SMALL))
    assert raised.value.key == "error.measuring"


@linux
def test_a_batch_that_finds_no_memory_ends_the_run_with_a_sentence(children: list[subprocess.Popen[str]]) -> None:
    measured = cost(SMALL)
    assert next(measured).way == "products"
    limit = _address_space(children[0].pid) + 100 * MIB
    resource.prlimit(children[0].pid, resource.RLIMIT_AS, (limit, limit))
    with pytest.raises(MsvizError, match=r"measuring ended early \(\w+, m = \d+\)") as raised:
        list(measured)
    assert raised.value.key == "error.measuring"


def test_sizes_double_up_to_the_largest() -> None:
    assert CostSettings().sizes == (256, 512, 1024, 2048, 4096)
    with pytest.raises(MsvizError, match="largest must be >= 256 and <= 8192, got 100"):
        CostSettings(largest=100)


def _address_space(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[0]) * resource.getpagesize()
