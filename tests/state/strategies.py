"""Random states for Hypothesis: every kind of batch that a link can carry, every loss, any selection."""

import numpy as np
from hypothesis import strategies as st

from msviz.core.figure2 import Case
from msviz.core.losses import LOSSES
from msviz.core.losses.spec import ParamInfo, param_infos
from msviz.core.methods import METHODS, Method
from msviz.data import PRESETS, Batch, Source, digits_batch
from msviz.data.source import Kind
from msviz.state import DEFAULT_OTHERS, MAX_OTHERS, SHARES, Display, Selection, State, Watched
from msviz.state.figure2 import ACTIVE, MOST, STEPS, WATCHABLE, WHOSE
from msviz.state.npair_lab import CHOICES, NUMBERS, NPairLab
from msviz.state.value import MOST_SEED

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_KINDS: st.SearchStrategy[Kind] = st.sampled_from(["preset", "digits", "link", "hand"])
sources = st.builds(
    Source,
    _KINDS,
    st.sampled_from(sorted(PRESETS)) | st.text(st.characters(codec="utf-8"), max_size=80),
    st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), _JSON, max_size=3),
)


@st.composite
def free_batches(draw: st.DrawFn) -> Batch:
    """Points anywhere, on a plane or in space, with any ids in any order."""
    m, k = draw(st.integers(0, 40)), draw(st.sampled_from([2, 3]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    ids = draw(st.lists(st.integers(0, 2**31 - 100), min_size=m, max_size=m, unique=True))
    return Batch.of(
        rng.uniform(-2.5, 2.5, (m, k)),
        rng.integers(0, 256, m).tolist(),
        ids=ids,
        next_id=max(ids, default=-1) + 1 + draw(st.integers(0, 1)),
        digits=draw(st.none() | st.just(rng.integers(-1, 1797, m).tolist())),
        source=draw(sources),
    )


SAMPLES = tuple(
    digits_batch(classes, per_class, seed=per_class, space=space)
    for classes in ((3, 8), (0, 1, 2, 3))
    for per_class in (1, 3, 16)
    for space in ("circle", "sphere", "pixels")
)


@st.composite
def edited(draw: st.DrawFn, batches: st.SearchStrategy[Batch]) -> Batch:
    """A batch after some edits of every kind."""
    batch = draw(batches)
    for _ in range(draw(st.integers(0, 4))):
        acts = ["relabel", "remove"] if batch.m else []
        acts += ["add"] if batch.editable else []
        acts += ["move"] if batch.editable and batch.m else []
        if not acts:
            break
        place = [draw(st.floats(-3, 3)) for _ in range(batch.board.shape[1])]
        act, label, on_circle = draw(st.sampled_from(acts)), draw(st.integers(0, 255)), draw(st.booleans())
        point = draw(st.sampled_from(batch.ids)) if batch.m else 0
        if act == "add":
            batch = batch.added(place, label, on_circle=False)
        elif act == "move":
            batch = batch.moved(point, place, on_circle)
        else:
            batch = batch.relabelled(point, label) if act == "relabel" else batch.removed(point)
    return batch


def _values(info: ParamInfo) -> st.SearchStrategy[float]:
    if info.whole:
        return st.integers(int(info.low), int(info.high))
    return st.floats(info.low, info.high, exclude_min=info.low_open)


@st.composite
def methods(draw: st.DrawFn) -> Method:
    """Any loss with any parameters inside their ranges, mined or not."""
    loss = draw(st.sampled_from(sorted(LOSSES)))
    epsilon = draw(st.none() | st.just(0.1) | st.floats(0, 1e300))
    chosen = {info.name: draw(_values(info)) for info in param_infos(LOSSES[loss].params) if draw(st.booleans())}
    return Method(loss, epsilon=epsilon, **chosen)


watched = st.builds(
    Watched,
    st.sampled_from(Case),
    st.sampled_from(WHOSE),
    st.lists(st.sampled_from([ACTIVE, *WATCHABLE]), max_size=MOST, unique=True).map(tuple),
    st.integers(0, STEPS - 1),
)

labs = st.builds(
    NPairLab,
    **{name: st.sampled_from(choices) for name, choices in CHOICES.items()},
    **{name: _values(info) for name, info in NUMBERS.items()},
)


@st.composite
def states(draw: st.DrawFn) -> State:
    """Any state that a link can carry."""
    presets = st.sampled_from([preset.make() for preset in PRESETS.values()])
    batch = draw(presets | edited(presets) | edited(free_batches()) | edited(st.sampled_from(SAMPLES)))
    method = draw(st.sampled_from(list(METHODS.values())) | methods())
    ids = st.sampled_from(batch.ids) if batch.m else st.just(0)
    selection = draw(st.none() | st.builds(Selection, ids, st.none() | ids))
    others = draw(st.just(DEFAULT_OTHERS) | st.lists(methods(), max_size=MAX_OTHERS).map(tuple))
    versus = draw(st.permutations(range(1, 2 + len(others))).map(lambda order: tuple(order[:2]))) if others else (1, 2)
    zoom = draw(st.none() | st.tuples(ids, ids)) if batch.m else None
    camera = draw(st.just((30, 20)) | st.tuples(st.integers(-180, 179), st.integers(-90, 90)))
    display = Display(
        *(draw(st.booleans()), draw(st.booleans()), selection, draw(st.sampled_from(SHARES)), versus, zoom, camera),
        per_pair=draw(st.booleans()),
        figure2=draw(st.just(Watched()) | watched),
        table1_seed=draw(st.just(0) | st.integers(0, MOST_SEED)),
        npair=draw(st.just(NPairLab()) | labs),
    )
    return State(batch, method, display, others, normalize=not batch.planar or draw(st.booleans()))
