"""Limits: the fewer classes and items a batch holds, the more often mining finds almost nothing in it."""

import dataclasses

import pytest

from msviz import MsvizError
from msviz.core.losses.spec import param_infos
from msviz.training.limits import CompositionPoint, CompositionSettings, composition
from tests.training.networks import circle, network

WHOLE = CompositionSettings(draws=3, classes=(2,), members=(2,), epsilon=0)


def curve(**changes: object) -> dict[tuple[int, int], CompositionPoint]:
    settings = dataclasses.replace(CompositionSettings(draws=100), **changes)
    return {(point.classes_per_batch, point.per_class): point for point in composition(settings, network())}


def test_shares_by_hand() -> None:
    # Without a margin: 0 and 180 keep nothing, cos 30 < cos 20 and cos 160 < cos 150; 20 and 30 keep the other.
    batch = circle((0, 20), (30, 180))
    assert list(composition(WHOLE, batch)) == [CompositionPoint(2, 2, thin=0, kept=0.5)]
    assert next(composition(dataclasses.replace(WHOLE, few=0.6), batch)).thin == 1
    assert next(composition(dataclasses.replace(WHOLE, few=0.5), batch)).thin == 0, "not fewer than half"


def test_thin_steps_become_rare_as_the_batch_grows() -> None:
    points = curve(classes=(2, 4, 8, 16), members=(2, 5))
    for members in (2, 5):
        thin = [points[classes, members].thin for classes in (2, 4, 8, 16)]
        kept = [points[classes, members].kept for classes in (2, 4, 8, 16)]
        assert thin == sorted(thin, reverse=True)
        assert kept == sorted(kept)
        assert thin[0] > thin[-1] + 0.3


def test_items_of_each_class_help_and_at_one_batch_size_classes_help_more() -> None:
    points = curve(classes=(2, 4), members=(2, 5, 10))
    assert points[4, 2].thin > points[4, 5].thin + 0.1 > points[4, 10].thin + 0.1
    assert points[2, 10].batch_size == points[4, 5].batch_size == 20
    assert points[2, 10].thin > points[4, 5].thin + 0.1


def test_a_larger_margin_keeps_more() -> None:
    narrow, wide = (curve(epsilon=epsilon, classes=(4,), members=(5,))[4, 5] for epsilon in (0.0, 0.3))
    assert wide.kept > narrow.kept + 0.1
    assert wide.thin < narrow.thin


def test_the_seed_decides_the_points() -> None:
    settings = CompositionSettings(draws=20, classes=(4,), members=(2,))
    again = list(composition(settings, network()))
    assert list(composition(settings, network())) == again
    assert list(composition(dataclasses.replace(settings, seed=1), network())) != again


@pytest.mark.parametrize(
    ("changes", "key"),
    [({"classes": (2, 60)}, "error.too_few_classes"), ({"members": (2, 50)}, "error.too_few_items")],
)
def test_a_batch_that_cannot_be_drawn_is_refused_before_any_is(changes: dict[str, object], key: str) -> None:
    with pytest.raises(MsvizError) as raised:
        next(composition(dataclasses.replace(CompositionSettings(draws=1), **changes), network()))
    assert raised.value.key == key


def test_settings_have_controls_and_ranges() -> None:
    assert [info.name for info in param_infos(CompositionSettings)] == ["steps", "draws", "epsilon", "few", "seed"]
    with pytest.raises(MsvizError, match="few must be >= 0 and <= 1, got 2"):
        CompositionSettings(few=2)
