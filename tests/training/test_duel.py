"""A duel: all is the same but the method, and the place where that shows is found."""

import numpy as np
import pytest

from msviz import METHODS, Method, MsvizError
from msviz.training.duel import Duel, divergence
from msviz.training.snapshot import Snapshot
from msviz.training.stopping import Stop
from tests.training.runs import clusters, numbers, small, trainer

MS, BINOMIAL = METHODS["ms"], METHODS["binomial"]


def snapshot(degrees: list[float], labels: list[int], method: Method, step: int = 0) -> Snapshot:
    angles = np.radians(degrees)
    x = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return Snapshot(step, 0.0, method, 0.1, np.arange(len(x)), x, np.array(labels))


def test_each_side_of_a_duel_is_the_run_it_would_be_alone() -> None:
    duel = Duel(small(), BINOMIAL, clusters())
    one, other = trainer(), trainer(method=BINOMIAL)
    for _ in range(12):
        a, b = duel.step()
        assert numbers(a) == numbers(one.step())
        assert numbers(b) == numbers(other.step())
        assert a.rows.tolist() == b.rows.tolist()


def test_a_duel_in_which_each_network_would_choose_its_batches_is_refused() -> None:
    with pytest.raises(MsvizError, match="both runs of a duel get the same batches, but with class mining"):
        Duel(small(mine_classes=6), BINOMIAL, clusters())


def test_a_duel_under_tuplets_parts_at_a_pair_that_was_compared() -> None:
    duel = Duel(small(pairing="npair", per_class=2, method=Method("npair")), Method("npair_ovo"), clusters())
    while duel.divergence is None:
        duel.step()
    assert duel.divergence.pair[0] % 2 == 0  # an anchor: the first of its class


def test_a_method_against_itself_never_parts() -> None:
    duel = Duel(small(method=MS), MS, clusters())
    for _ in range(10):
        a, b = duel.step()
        assert numbers(a) == numbers(b)
    assert duel.divergence is None


def test_the_parting_is_the_pair_whose_share_differs_most_by_hand() -> None:
    # contrastive with lam = 1 gives the two positive pairs a half each; linear every ordered pair a sixth.
    args = [0, 30, 90], [0, 0, 1]
    found = divergence(snapshot(*args, Method("contrastive", lam=1), step=4), snapshot(*args, Method("linear"), step=4))
    assert found is not None
    assert (found.step, found.pair) == (4, (0, 1))
    assert (found.share_a, found.share_b) == pytest.approx((1 / 2, 1 / 6))


def test_a_method_that_weighs_nothing_has_no_shares() -> None:
    args = [0, 10, 90, 100], [0, 0, 1, 1]
    nothing = snapshot(*args, MS)  # every pair is easy: mining keeps none
    found = divergence(nothing, snapshot(*args, MS.replace(epsilon=None)))
    assert found is not None
    assert found.share_a == 0 < found.share_b
    assert divergence(nothing, nothing) is None


def test_methods_part_at_the_first_step_that_tells_them_apart_and_no_later_one() -> None:
    # A margin of 2 drops nothing, for similarities lie between -1 and 1: the methods are one until beta changes.
    duel = Duel(small(method=MS.replace(epsilon=None)), MS.replace(epsilon=2), clusters())
    for _ in range(4):
        duel.step()
    assert duel.divergence is None
    duel.b.set(method=MS.replace(beta=10))
    for _ in range(3):
        duel.step()
    assert duel.divergence is not None
    assert duel.divergence.step == 4


def test_a_side_that_has_ended_waits_for_the_other() -> None:
    duel = Duel(small(target_recall=0.99, steps=30, evaluate_every=1), BINOMIAL, clusters())
    duel.a.stop = Stop.TARGET
    a, b = duel.step()
    assert (a.step, a.stop, b.step, b.stop) == (0, Stop.TARGET, 0, None)
    while not duel.stopped:
        a, b = duel.step()
    assert a.step == 0 < b.step
    with pytest.raises(MsvizError, match="ended after 0 steps"):
        duel.step()


def test_rewind_and_resume_hold_both_sides_and_the_parting() -> None:
    duel = Duel(small(), BINOMIAL, clusters())
    first = [tuple(map(numbers, duel.step())) for _ in range(6)]
    state, parting = duel.state_dict(), duel.divergence
    went_on = [tuple(map(numbers, duel.step())) for _ in range(6)]
    other = Duel(small(), BINOMIAL, clusters())
    other.load_state_dict(state)
    assert other.divergence == parting is not None
    assert [tuple(map(numbers, other.step())) for _ in range(6)] == went_on
    other.rewind()
    assert other.divergence is None
    assert [tuple(map(numbers, other.step())) for _ in range(6)] == first
