"""Where a run's items come from: what is drawn, what is known, the visitor's own points, and all of them as JSON."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, make_moons

from msviz.core.errors import MsvizError
from msviz.core.losses.spec import param_infos
from msviz.data.glyphs import GLYPHS, glyph_images
from msviz.text import say_error
from msviz.training.sources import (
    SOURCES,
    Blobs,
    Digits,
    Features,
    Folder,
    Glyphs,
    Iris,
    Moons,
    Points,
    Rings,
    Source,
    Wine,
    source_from_json,
    source_to_json,
)

SQUARE = Points(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 0.1)), (0, 0, 1, 1), ("A", "B"))
LOADABLE = [Glyphs(5, 4), Blobs(), Rings(), Moons(), Digits(), Iris(), Wine(), SQUARE]
every_source = pytest.mark.parametrize("source", LOADABLE, ids=lambda source: source.kind)


@every_source
def test_equal_sources_load_equal_finite_items_with_every_class_there(source: Source) -> None:
    data, again = source.load(), source_from_json(source_to_json(source)).load()
    np.testing.assert_array_equal(data.inputs, again.inputs)
    np.testing.assert_array_equal(data.labels, again.labels)
    assert (data.inputs.dtype, data.labels.dtype) == (np.float32, np.int64)
    assert np.isfinite(data.inputs).all()
    assert data.counts.min() >= 2
    assert len(set(data.names)) == data.classes


@every_source
def test_a_source_travels_as_json(source: Source) -> None:
    assert source_from_json(json.loads(json.dumps(source_to_json(source)))) == source


def test_every_kind_of_source_is_known_by_its_name() -> None:
    assert list(SOURCES) == [source.kind for source in SOURCES.values()]
    assert {source.kind for source in LOADABLE} | {"features", "folder"} == set(SOURCES)
    for source in (Features("a.npz"), Folder("images", size=64)):
        assert source_from_json(source_to_json(source)) == source


@pytest.mark.parametrize("source", [Glyphs(), Blobs(), Rings(), Moons(), Folder("images")], ids=lambda it: it.kind)
def test_every_number_of_a_source_is_kept_in_its_range(source: Source) -> None:
    infos = param_infos(source)
    assert infos
    for info in infos:
        for wrong in (info.low - 1, info.high + 1, math.nan, "many", *([info.low + 0.5] if info.whole else [])):
            with pytest.raises(MsvizError) as error:
                source_from_json(source_to_json(source) | {info.name: wrong})
            assert error.value.key == "error.parameter_range"
            assert say_error(error.value).startswith(info.letter)


def test_glyphs_are_the_first_characters_with_their_pictures() -> None:
    data = Glyphs(characters=12, per_class=3, hardness=0.25, seed=4).load()
    assert "".join(data.names) == GLYPHS[:12]
    assert data.thumbnails is not None
    np.testing.assert_array_equal(data.thumbnails, glyph_images(range(12), 3, 0.25, 4))
    np.testing.assert_allclose(data.inputs[:, 0], data.thumbnails / 255 * 4 - 2, atol=1e-6)


def test_tables_are_scikit_learns_with_every_measure_on_one_scale() -> None:
    data, known = Iris().load(), load_iris()
    assert data.labels.tolist() == known.target.tolist()
    np.testing.assert_allclose(data.inputs.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(data.inputs.std(axis=0), 1, atol=1e-5)
    for ours, theirs in zip(data.inputs.T, known.data.T, strict=True):
        assert np.corrcoef(ours, theirs)[0, 1] == pytest.approx(1)


def test_digits_are_scikit_learns_and_no_picture_is_inverted() -> None:
    data, known = Digits().load(), load_digits()
    assert data.labels.tolist() == known.target.tolist()
    np.testing.assert_allclose((data.inputs[:, 0] + 2) * 4, known.images, atol=0.04)  # bytes: 255 = 16


synthetic = st.sampled_from([Blobs, Rings, Moons]).flatmap(
    lambda kind: st.builds(
        kind,
        classes=st.integers(2, 12),
        per_class=st.integers(2, 12),
        dimensions=st.integers(2, 40),
        noise=st.floats(0, 2),
        seed=st.integers(0, 2**31 - 1),
    )
)


@given(synthetic)
def test_drawn_classes_have_the_size_that_was_asked_for(source: Blobs | Rings | Moons) -> None:
    data = source.load()
    assert data.shape == (source.dimensions,)
    assert data.counts.tolist() == [source.per_class] * source.classes


def test_blobs_are_normal_around_centres_that_are_normal() -> None:
    data = Blobs(classes=100, per_class=500, dimensions=8, noise=0.5).load()
    items = data.inputs.reshape(100, 500, 8).astype(float)
    assert (items - items.mean(axis=1, keepdims=True)).std() == pytest.approx(0.5, rel=0.01)
    assert items.mean(axis=1).std() == pytest.approx(1, rel=0.1)


def test_without_noise_rings_are_circles_in_a_plane() -> None:
    data = Rings(classes=3, per_class=300, dimensions=9, noise=0).load()
    x = data.inputs.astype(float)
    assert np.linalg.matrix_rank(x, tol=1e-3) == 2
    u, s, _ = np.linalg.svd(x, full_matrices=False)
    flat = u[:, :2] * s[:2]
    for label in range(3):  # |p|^2 = 2 c.p + (r^2 - |c|^2): the circle through its points, by least squares
        ring = flat[data.labels == label]
        system = np.column_stack([2 * ring, np.ones(len(ring))])
        (*centre, rest), residual, *_ = np.linalg.lstsq(system, (ring**2).sum(axis=1), rcond=None)
        assert np.sqrt(rest + np.square(centre).sum()) == pytest.approx(1 + label, abs=1e-3)
        assert residual[0] < 1e-6


def test_two_moons_are_scikit_learns_up_to_where_the_plane_lies() -> None:
    ours = Moons(per_class=500, dimensions=7, noise=0).load()
    theirs, labels = make_moons(1000, shuffle=False)
    sets = ((ours.inputs, ours.labels), (theirs, labels))
    for one, other in ((0, 0), (0, 1), (1, 1)):  # distances survive turning and moving
        ends = [_nearest_and_farthest(x[y == one], x[y == other]) for x, y in sets]
        assert ends[0] == pytest.approx(ends[1], abs=0.03)


def _nearest_and_farthest(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    distances = np.linalg.norm(a[:, None] - b[None], axis=2)
    return float(distances.min()), float(distances.max())


@given(
    st.integers(1, 5).flatmap(
        lambda d: st.lists(st.lists(st.floats(-1e30, 1e30), min_size=d, max_size=d), min_size=1, max_size=20)
    ),
    st.data(),
)
@settings(max_examples=50)
def test_own_points_are_taken_as_they_are(x: list[list[float]], draw: st.DataObject) -> None:
    labels = draw.draw(st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x)))
    data = Points(x, labels, list("ABCD")).load()
    np.testing.assert_array_equal(data.inputs, np.array(x, np.float32))
    assert data.labels.tolist() == labels


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"x": 3}, "x of your points must be rows of numbers"),
        ({"x": [[0], [0], [0], []]}, "rows of one length"),
        ({"x": [[0], [0], [0], ["1"]]}, "finite numbers of float32, got '1'"),
        ({"x": [[0], [0], [0], [math.inf]]}, "finite numbers of float32, got inf"),
        ({"x": [[0], [0], [0], [1e39]]}, "finite numbers of float32, got 1e+39"),
        ({"x": []}, "1 to 4096 rows, got '0 rows'"),
        ({"x": [[0]] * 4097}, "1 to 4096 rows"),
        ({"labels": [0, 1]}, "one for each of the 4 rows, got 2"),
        ({"labels": [0, 1, 2, 0]}, "whole numbers from 0 to 1, got 2"),
        ({"labels": [0, 1, 0.5, 0]}, "whole numbers from 0 to 1, got 0.5"),
        ({"names": [1, 2]}, "names of your points must be words"),
    ],
)
def test_points_that_are_none_are_refused_in_words(wrong: dict, said: str) -> None:
    with pytest.raises(MsvizError) as error:
        source_from_json(source_to_json(SQUARE) | wrong)
    assert error.value.key == "error.points"
    assert said in say_error(error.value)


@pytest.mark.parametrize(
    ("plain", "key"),
    [
        ({"kind": "cats"}, "error.source_kind"),
        ({"kind": ["glyphs"]}, "error.source_kind"),
        ({}, "error.source_kind"),
        ("glyphs", "error.source_kind"),
        (None, "error.source_kind"),
        ({"kind": "iris", "noise": 1}, "error.source_field"),
        ({"kind": "features"}, "error.source_field"),
        ({"kind": "features", "path": 3}, "error.parameter_range"),
        ({"kind": "folder", "path": ""}, "error.parameter_range"),
    ],
)
def test_json_that_is_no_source_is_refused_in_words(plain: object, key: str) -> None:
    with pytest.raises(MsvizError) as error:
        source_from_json(plain)
    assert error.value.key == key
    assert "got" in say_error(error.value)
