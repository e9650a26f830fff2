"""What the Limits page says and draws is what was measured: hand-made points, and small runs."""

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import pytest
import torch

from msviz.core.gpw import sign_check
from msviz.core.methods import METHODS, Method
from msviz.core.pairs import label_pairs
from msviz.core.similarity import similarity
from msviz.state import decode
from msviz.training.limits import (
    CompositionPoint,
    CompositionSettings,
    CostPoint,
    CostSettings,
    NoisyPairsPoint,
    NoisyPairsSettings,
    NoisyTrainingPoint,
    NoisyTrainingSettings,
    ScalePoint,
    ScaleSettings,
    SignPoint,
    SignSettings,
)
from msviz.views.limits import LIMITS, points_csv, takes
from msviz.views.limits_curves import REFERENCE, panels
from msviz.views.limits_sign import sign_rows
from msviz.views.limits_words import words

SMALL: dict[str, Any] = {
    "composition": CompositionSettings(steps=2, draws=2),
    "cost": CostSettings(largest=512, rounds=1),
    "noise": NoisyPairsSettings(steps=2, draws=1),
    "recall": NoisyTrainingSettings(steps=1, betas=(2, 40)),
    "scale": ScaleSettings(steps=2),
    "sign": SignSettings(classes=3, per_class=3),
}


def said(name: str, points: list[Any]) -> dict[str, Any]:
    return {line.key.removeprefix(f"limits.{name}."): line.values for line in words(name, points)}


@pytest.mark.parametrize("name", LIMITS)
def test_every_limit_yields_as_many_points_as_it_says_and_has_words_and_a_table_for_them(name: str) -> None:
    limit, settings = LIMITS[name], SMALL[name]
    assert type(settings) is limit.settings
    points = list(limit.measure(settings))
    assert takes(limit, settings)[0].values["points"] == len(points)
    assert words(name, points)
    assert points_csv(points).count("\n") == len(points) + 1
    for part in range(len(points)):  # half a run says what it can
        words(name, points[:part])
        assert len(panels(name, settings, points[:part])) == len(panels(name, settings, points))


def test_more_work_takes_longer() -> None:
    for name, more in (
        ("composition", {"draws": 10_000}),
        ("cost", {"largest": 8192}),
        ("noise", {"draws": 10_000}),
        ("recall", {"repeats": 20}),
        ("scale", {"steps": 5000}),
    ):
        limit = LIMITS[name]
        assert limit.seconds(limit.settings(**more)) > 2 * limit.seconds(limit.settings())


def test_minutes_are_said_as_minutes_and_memory_where_it_is_much() -> None:
    recall, cost = LIMITS["recall"], LIMITS["cost"]
    assert takes(recall, NoisyTrainingSettings())[0].key == "limits.takes.seconds"
    assert takes(recall, NoisyTrainingSettings(repeats=20))[0].key == "limits.takes.minutes"
    assert [line.values["mb"] for line in takes(cost, CostSettings(largest=8192))[1:]] == [2000]


@pytest.mark.parametrize(("last", "way"), [(0.1, "falls"), (0.7, "stays"), (0.9, "rises")])
def test_composition_says_which_way_thin_steps_went(last: float, way: str) -> None:
    points = [CompositionPoint(2, 5, thin=0.7, kept=0.1), CompositionPoint(16, 5, thin=last, kept=0.5)]
    assert said("composition", points) == {way: {"k": 5, "first": 0.7, "last": last, "small": 10, "large": 80}}


def test_composition_compares_batches_of_one_size() -> None:
    points = [CompositionPoint(4, 5, 0.3, 0.2), CompositionPoint(2, 10, 0.6, 0.1), CompositionPoint(8, 5, 0.0, 0.4)]
    points.append(CompositionPoint(4, 10, 0.0, 0.4))  # as good as 8 x 5: not counted
    found = said("composition", points)["equal"]
    assert (found["wins"], found["of"], found["size"]) == (1, 1, 20)
    assert (found["p"], found["k"], found["more"]) == (4, 5, 0.3)
    assert (found["q"], found["l"], found["fewer"]) == (2, 10, 0.6)


def test_cost_is_told_from_the_two_largest_batches_that_all_ways_were_measured_at() -> None:
    points = [
        CostPoint(way, m, seconds=1e-9 * slow * m**2, memory=1000 * m)
        for m in (256, 512, 1024)
        for way, slow in (("products", 1), ("blocked", 2), ("dense", 8))
    ][:-1]  # dense at 1024 has not come yet
    pairs, dense, *others = words("cost", points)
    assert pairs.values == {"before": 256, "m": 512, "pairs": 4.0}
    assert (dense.values["slower"], dense.values["more"]) == (4.0, 2.0)
    assert dense.values["ms"] == pytest.approx(8e-6 * 512**2)
    assert len(others) == 2


def test_without_memory_cost_has_a_panel_of_time_and_says_that_memory_is_not_told() -> None:
    points = [CostPoint(way, m, 0.1, None) for m in (256, 512) for way in ("products", "blocked", "dense")]
    assert words("cost", points)[-1].key == "limits.cost.untold"
    time, memory = panels("cost", CostSettings(largest=512), points)
    assert len(time.curves) == 3
    assert memory.curves == ()


def noisy(flipped: float, method: Method, weight: float) -> NoisyPairsPoint:
    return NoisyPairsPoint(flipped, method, 0.04, weight, weight / 4, 3 * weight / 4)


def test_noise_names_who_falls_most_and_least_at_the_most_flips() -> None:
    ms, linear = METHODS["ms"], Method("linear")
    points = [noisy(0.1, linear, 0.9), noisy(0.1, ms, 0.1), noisy(0.3, ms, 0.6), noisy(0.3, linear, 0.04)]
    found = said("noise", points)
    assert (found["most"]["name"], found["most"]["weight"]) == ("Multi-similarity + mining", 0.6)
    assert found["most"]["flipped"] == 0.3
    assert found["negatives"]["share"] == pytest.approx(0.75)
    assert found["least"]["weight"] == 0.04


def test_noise_draws_what_the_wrong_pairs_would_weigh_if_all_weighed_the_same() -> None:
    settings = NoisyPairsSettings()
    points = [noisy(flipped, method, 0.5) for flipped in (0.1, 0.3) for method in settings.methods]
    (panel,) = panels("noise", settings, points)
    assert len(panel.curves) == len(settings.methods) + 1
    assert (panel.curves[-1].look, panel.curves[-1].y) == (REFERENCE, (0.04, 0.04))


def trained(beta: float, seed: int, recall: float, flipped: float = 0.3) -> NoisyTrainingPoint:
    return NoisyTrainingPoint(beta, flipped, seed, recall, 0.4)


def test_recall_of_one_network_is_not_called_a_finding() -> None:
    points = [trained(2, 0, 0.9, 0.0), trained(2, 0, 0.6), trained(160, 0, 0.9, 0.0), trained(160, 0, 0.4)]
    found = said("recall", points)
    assert list(found) == ["falls", "beside", "one"]
    assert (found["falls"]["first"], found["falls"]["last"]) == (0.6, 0.4)


@pytest.mark.parametrize(
    ("last", "way", "sure"),
    [
        ((0.40, 0.41, 0.39), "falls", "decided"),
        ((0.9, 0.3, 0.6), "stays", "undecided"),
        ((0.8, 0.81, 0.8), "rises", "decided"),
    ],
)
def test_recall_of_several_networks_has_an_interval(last: tuple[float, ...], way: str, sure: str) -> None:
    points = [trained(2, seed, 0.6) for seed in range(3)]
    points += [trained(160, seed, recall) for seed, recall in enumerate(last)]
    assert list(said("recall", points)) == [way, sure]


def test_recall_draws_means_over_the_networks() -> None:
    points = [trained(2, 0, 0.6), trained(2, 1, 0.4), trained(40, 0, 0.2)]
    (panel,) = panels("recall", NoisyTrainingSettings(), points)
    assert (panel.curves[0].x, panel.curves[0].y) == ((2, 40), (0.5, 0.2))


def test_scale_names_the_loss_that_changes_most_and_those_that_do_not() -> None:
    def at(constant: float, method: Method, weighing: float) -> ScalePoint:
        return ScalePoint(constant, method, loss=1.0, largest=0.1, kept=1.0, weighing=weighing)

    ms, nca = METHODS["ms"], Method("nca")
    found = said("scale", [at(0.5, ms, 0.9), at(0.5, nca, 1.0), at(2.0, ms, 0.1), at(2.0, nca, 1.0)])
    assert found["most"] == {"low": 0.5, "high": 2.0, "name": "Multi-similarity + mining", "first": 0.9, "last": 0.1}
    assert found["still"]["names"] == "NCA"


def test_sign_says_when_all_checks_hold() -> None:
    holds = SignPoint("couples", Method("triplet"), 0, 0, 0.0, None, 0.0)
    assert said("sign", [holds, holds]) == {"none": {"checks": 2}}
    assert sign_rows([holds]) == ()
    breaks = replace(holds, batch="long", pushed_positives=1, share=0.2, worst=(0, 1), gradient=0.5)
    assert list(said("sign", [holds, breaks])) == ["found", "unit.none"]


def test_a_link_of_the_sign_check_opens_a_batch_on_which_the_pair_goes_the_wrong_way() -> None:
    rows = sign_rows(list(LIMITS["sign"].measure(SMALL["sign"])))
    linked = [row for row in rows if row.query is not None]
    assert linked
    for row in linked:
        assert row.query is not None
        state, errors = decode(dict(parse_qsl(row.query)))
        assert errors == ()
        pairs = label_pairs(list(state.batch.labels))
        found = sign_check(similarity(torch.tensor(state.batch.x)), pairs, state.method)
        selection = state.display.selection
        assert selection is not None
        assert (selection.anchor, selection.other) == tuple(found.where[0].tolist()) == row.worst
        assert float(found.gradient[0]) == pytest.approx(row.gradient)


def test_a_table_names_methods_and_leaves_out_what_is_not_there() -> None:
    points = [SignPoint("couples", Method("triplet", epsilon=0.1), 0, 0, 0.0, None, 0.0)]
    points.append(SignPoint("long", Method("linear"), 2, 1, 0.5, (3, 4), -0.25))
    assert points_csv(points).splitlines()[1:] == [
        'couples,"Triplet (λ 0.1, ε 0.1)",0,0,0.0,,0.0',
        "long,Linear (equal weights),2,1,0.5,3-4,-0.25",
    ]
    assert points_csv([]) == ""
