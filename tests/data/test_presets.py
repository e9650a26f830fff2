"""Every preset does what its text says (catalogue, preset.<slug>.text), with the method "authors"."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
import torch

from msviz.core.methods import METHODS, Method, evaluate
from msviz.core.pairs import label_pairs
from msviz.core.similarity import similarity
from msviz.data import GRID, PRESETS, Batch
from msviz.data.presets import DEFAULT_PRESET

AUTHORS = METHODS["authors"]


@dataclass(frozen=True)
class Seen:
    """One negative pair, as Figure 2 looks at it."""

    s: float
    p: float
    n: float
    weight: float
    mined: bool


class Look:
    """What a batch is under a method, as arrays."""

    def __init__(self, batch: Batch, method: Method = AUTHORS) -> None:
        sim, pairs = similarity(torch.tensor(batch.x)), label_pairs(batch.labels)
        found = evaluate(sim, pairs, method)
        self.sim, self.pos, self.neg = sim.numpy(), pairs.pos.numpy(), pairs.neg.numpy()
        self.mined_pos, self.mined_neg = found.mined.pos.numpy(), found.mined.neg.numpy()
        self.weights, self.value = found.weights.numpy(), float(found.value)

    @property
    def mined(self) -> tuple[int, int]:
        return int(self.mined_pos.sum()), int(self.mined_neg.sum())

    def pair(self, i: int, j: int) -> Seen:
        """S, P and N by formulas.md: P = S_ij - min S_ik over positives, N = 1 / sum exp(beta (S_ik - S_ij))."""
        row, s = self.sim[i], self.sim[i, j]
        n = 1 / np.exp(AUTHORS.params.beta * (row[self.neg[i]] - s)).sum()
        return Seen(s, s - row[self.pos[i]].min(), n, self.weights[i, j], bool(self.mined_neg[i, j]))


def _at(degrees: float) -> tuple[float, float]:
    return float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))


def _drag(slug: str, point: int, start: float, end: float, i: int, j: int) -> Iterator[tuple[Look, Seen]]:
    """A preset while one of its points is dragged along the circle, and the pair that is looked at."""
    batch = PRESETS[slug].make()
    assert batch.board[point] == pytest.approx(_at(start), abs=GRID)
    for angle in np.linspace(start, end, 101):
        look = Look(batch.moved(point, _at(angle)))
        yield look, look.pair(i, j)


@pytest.mark.parametrize("slug", PRESETS)
def test_every_preset_has_rows_of_length_one_and_knows_its_name(slug: str) -> None:
    batch = PRESETS[slug].make()
    assert np.linalg.norm(batch.board, axis=1) == pytest.approx(1, abs=GRID)
    assert (batch.source.kind, batch.source.name, batch.source.edited) == ("preset", slug, False)
    assert batch is PRESETS[slug].make()


def test_the_first_batch_is_one_of_them() -> None:
    assert DEFAULT_PRESET in PRESETS


def test_overlapping_mines_some_pairs_and_drops_some() -> None:
    batch = PRESETS["overlapping"].make()
    look = Look(batch)
    assert [batch.labels.count(label) for label in batch.classes] == [5, 5, 4]
    assert look.mined == (42, 37)
    assert (look.pos.sum(), look.neg.sum()) == (52, 130)


def test_overlapping_has_a_b_that_strayed_into_c() -> None:
    batch = PRESETS["overlapping"].make()
    look = Look(batch)
    assert batch.class_name(batch.labels[9]) == "B"
    nearest = np.argsort(-look.sim[9])[1:4]
    assert {batch.class_name(batch.labels[j]) for j in nearest} == {"C"}
    back = Look(batch.moved(9, _at(120)))
    assert back.value < look.value / 1.5
    assert sum(back.mined) < sum(look.mined)


def test_two_clean_mines_nothing_until_mining_is_off_or_a_point_comes_near() -> None:
    batch = PRESETS["two_clean"].make()
    look = Look(batch)
    assert (look.mined, look.value, look.weights.sum()) == ((0, 0), 0, 0)
    assert look.sim[look.pos].min() - look.sim[look.neg].max() > 0.1
    assert Look(batch, AUTHORS.replace(epsilon=None)).value > 0
    assert sum(Look(batch.moved(3, _at(130))).mined) > 0


def test_figure_2_case_1_the_whole_row_rises() -> None:
    path = [seen for _, seen in _drag("figure2_s", 0, 0, 60, 0, 2)]
    first, last = path[0], path[-1]
    assert (round(first.s, 2), round(last.s, 2)) == (-0.34, 0.64)
    assert all(seen.mined for seen in path)
    assert np.all(np.diff([seen.s for seen in path]) > 0)
    assert np.all(np.diff([seen.weight for seen in path]) >= 0)
    assert (round(first.weight, 2), round(last.weight, 2)) == (0, 0.99)
    assert last.p == pytest.approx(first.p, abs=3 * GRID)
    assert last.n == pytest.approx(first.n, abs=0.005)
    assert np.ptp([seen.p for seen in path]) < 0.06  # "nearly stay", against a rise of .98
    assert np.ptp([seen.n for seen in path]) < 0.01
    most = [after.s for before, after in pairwise(path) if before.weight < 0.5 <= after.weight]
    assert most == pytest.approx([0.5], abs=0.02)  # half of the weight is reached where S passes lambda


def test_figure_2_case_1_the_row_rises_together() -> None:
    start, *_, (end, _) = _drag("figure2_s", 0, 0, 60, 0, 2)
    rise = end.sim[0, 1:] - start[0].sim[0, 1:]
    assert rise == pytest.approx(2 * np.sin(np.radians(30)) * np.sin(np.radians([80, 80, 90])), abs=3 * GRID)


def test_figure_2_case_2_the_other_negatives_come_nearer() -> None:
    path = list(_drag("figure2_n", 3, 80, 30, 0, 2))
    seen = [pair for _, pair in path]
    assert np.ptp([pair.s for pair in seen]) == 0
    assert np.ptp([pair.p for pair in seen]) == 0
    assert all(pair.mined for pair in seen)
    assert np.all(np.diff([pair.n for pair in seen]) < 0)
    weights = np.array([pair.weight for pair in seen])
    assert np.all(np.diff(weights) <= 1e-12)  # in floats it may stay
    rival_mined = np.array([look.mined_neg[0, 3] for look, _ in path])
    near = rival_mined & (np.array([look.sim[0, 3] for look, _ in path]) > 0.7)
    assert not rival_mined[0]
    assert np.all(np.diff(weights[near]) < 0)
    assert weights[-1] == pytest.approx(0.5, abs=0.001)
    further = [pair.weight for _, pair in _drag("figure2_n", 3, 80, 20, 0, 2)]
    assert further[-1] < 0.1


def test_figure_2_case_3_the_least_similar_positive_comes_nearer() -> None:
    path = list(_drag("figure2_p", 2, -85, 0, 0, 3))
    seen = [pair for _, pair in path]
    first = path[0][0]
    assert first.pos[0].nonzero()[0][first.sim[0, first.pos[0]].argmin()] == 2
    assert np.ptp([pair.s for pair in seen]) == 0
    assert np.ptp([pair.n for pair in seen]) == 0
    assert np.all(np.diff([pair.p for pair in seen]) <= 0)
    for look, pair in path:
        nearer = look.sim[0, 2]
        rival, mined = bool(look.mined_neg[0, 4]), bool(look.mined_neg[0, 3])
        assert rival == (nearer < look.sim[0, 4] + 0.1)
        assert mined == (nearer < look.sim[0, 3] + 0.1)
        expected = 0 if not mined else seen[0].weight if rival else 1
        assert pair.weight == pytest.approx(expected, abs=1e-3)
    assert (round(first.sim[0, 4] + 0.1, 2), round(first.sim[0, 3] + 0.1, 2)) == (0.77, 0.82)
    assert {(bool(look.mined_neg[0, 4]), bool(look.mined_neg[0, 3])) for look, _ in path} == {
        (True, True),
        (False, True),
        (False, False),
    }
    assert seen[0].weight < 0.95  # so that the rise can be seen


@pytest.mark.parametrize(("slug", "i", "j"), [("figure2_s", 0, 2), ("figure2_n", 0, 2), ("figure2_p", 0, 3)])
def test_the_pair_of_each_figure_2_case_starts_as_a_mined_negative(slug: str, i: int, j: int) -> None:
    assert Look(PRESETS[slug].make()).pair(i, j).mined


def test_one_wrong_label_makes_all_the_work() -> None:
    batch = PRESETS["wrong_label"].make()
    look = Look(batch)
    about_it = look.weights[4].sum() + look.weights[:, 4].sum()
    assert round(about_it / look.weights.sum(), 2) == 0.80
    assert np.all((look.mined_pos | look.mined_neg).any(axis=1))
    assert Look(batch.relabelled(4, 0)).mined == (0, 0)
    assert Look(batch.removed(4)).mined == (0, 0)


def test_a_singleton_keeps_nothing_and_is_the_only_mined_negative() -> None:
    batch = PRESETS["singleton"].make()
    look = Look(batch)
    assert not look.pos[8].any()
    assert not (look.mined_pos[8] | look.mined_neg[8]).any()
    assert set(look.mined_neg.nonzero()[1]) == {8}


@pytest.mark.parametrize("slug", ["empty", "one_point", "one_class"])
def test_without_negatives_nothing_is_mined(slug: str) -> None:
    look = Look(PRESETS[slug].make())
    assert (look.mined, look.value) == ((0, 0), 0)


def test_one_class_pulls_without_mining() -> None:
    look = Look(PRESETS["one_class"].make(), AUTHORS.replace(epsilon=None))
    assert look.weights[look.pos].min() > 0
    assert not look.neg.any()


def test_sixty_four_drops_most_negatives_and_few_of_the_rest_matter() -> None:
    batch = PRESETS["sixty_four"].make()
    look = Look(batch)
    assert [batch.labels.count(label) for label in batch.classes] == [16, 16, 16, 16]
    assert 1 - look.mined[1] / look.neg.sum() == pytest.approx(5 / 6, abs=0.02)
    push = np.sort(look.weights[look.mined_neg])[::-1]
    assert push[: len(push) // 5].sum() > 0.9 * push.sum()


def _over(longitude: float, latitude: float) -> np.ndarray:
    """A place on the sphere."""
    east, north = np.radians([longitude, latitude])
    return np.array([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)])


def _arc(start: np.ndarray, end: np.ndarray) -> list[np.ndarray]:
    """A great circle's arc in 30 steps."""
    angle = np.arccos(start @ end)
    return [(np.sin((1 - t) * angle) * start + np.sin(t * angle) * end) / np.sin(angle) for t in np.linspace(0, 1, 30)]


def test_on_the_sphere_there_is_a_way_round_the_other_class() -> None:
    batch = PRESETS["sphere_overlapping"].make()
    look = Look(batch)
    assert batch.class_name(batch.labels[5]) == "B"
    assert {batch.class_name(batch.labels[j]) for j in np.argsort(-look.sim[5])[1:5]} == {"A"}
    assert round((look.weights[5].sum() + look.weights[:, 5].sum()) / look.weights.sum(), 2) == 0.38
    start, top, end = batch.board[5], _over(49, 75), _over(92, 2)
    through = [Look(batch.moved(5, place)) for place in _arc(start, end)]
    over = [Look(batch.moved(5, place)) for place in _arc(start, top) + _arc(top, end)]
    of_c = np.array(batch.labels) == 2
    assert max(seen.sim[5, of_c].max() for seen in through) == pytest.approx(0.99, abs=0.01)
    assert max(seen.sim[5, of_c].max() for seen in over) < 0.9
    assert (round(look.value, 2), round(over[-1].value, 2)) == (0.97, 0.59)


def test_the_batch_on_a_sphere_drops_most_negatives_and_hides_class_c_at_first() -> None:
    batch = PRESETS["sphere_sixty_four"].make()
    look = Look(batch)
    assert [batch.labels.count(label) for label in batch.classes] == [16, 16, 16, 16]
    assert 1 - look.mined[1] / look.neg.sum() > 0.8
    push = np.sort(look.weights[look.mined_neg])[::-1]
    assert push[: len(push) // 5].sum() > 0.99 * push.sum()
    seen_from = _over(30, 20)  # the first camera
    assert (batch.board[np.array(batch.labels) == 2].mean(axis=0) @ seen_from) < -0.5
