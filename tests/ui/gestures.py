"""Random events for Hypothesis: of every kind, sensible and odd, some of them incomplete."""

from typing import Any

from hypothesis import strategies as st

from msviz.core.figure2 import Case
from msviz.core.losses import LOSSES
from msviz.core.methods import METHODS

_NUMBERS = st.floats() | st.integers(-5, 300) | st.floats(-2, 2)
_ODD = st.none() | st.text(max_size=4) | st.lists(st.integers(), max_size=2) | _NUMBERS
_POINTS = st.integers(-1, 70) | _ODD
_CLASSES = st.integers(0, 11) | _ODD
_PARAMS = st.sampled_from(["alpha", "beta", "lam", "epsilon", "name", "loss_name"]) | _ODD
_WHAT: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "move": {"target": _POINTS, "x": _NUMBERS, "y": _NUMBERS, "z": _NUMBERS},
    "add": {"x": _NUMBERS, "y": _NUMBERS, "z": _NUMBERS, "label": _CLASSES},
    "remove": {"target": _POINTS},
    "label": {"target": _POINTS, "label": _CLASSES},
    "select": {"anchor": st.none() | _POINTS, "other": st.none() | _POINTS},
    "camera": {"yaw": st.integers(-400, 400) | _ODD, "pitch": st.integers(-95, 95) | _ODD},
    "flat": {"on": st.booleans()},
    "show": {"edges": st.booleans(), "forces": st.booleans()},
    "loss": {"name": st.sampled_from(list(LOSSES)) | _ODD},
    "preset": {"slug": st.sampled_from(list(METHODS)) | _ODD},
    "param": {"target": _PARAMS, "value": _NUMBERS | _ODD},
    "compare": {"slug": st.none() | st.sampled_from([*METHODS, *LOSSES]) | _ODD},
    "uncompare": {"target": st.integers(-1, 6) | _ODD},
    "activate": {"target": st.integers(-1, 6) | _ODD},
    "shares": {"how": st.sampled_from(["share", "raw", "own", "log"]) | _ODD},
    "versus": {"one": st.integers(-1, 7) | _ODD, "two": st.integers(-1, 7) | _ODD},
    "zoom": {"anchor": st.none() | _POINTS, "other": _POINTS},
    "watch": {
        "case": st.sampled_from(Case) | _ODD,
        "whose": st.sampled_from(["example", "pair", "odd"]) | _ODD,
        "methods": st.lists(st.sampled_from(["active", "triplet", "ms_weighting"]) | _ODD, max_size=3) | _ODD,
        "step": st.integers(-1, 41) | _ODD,
    },
    "measure": {"seed": st.integers(-1, 9) | _ODD},
    "npair": {
        "target": st.sampled_from(["tuplets", "weigh", "n", "margin", "penalty"]) | _ODD,
        "value": st.sampled_from(["triplets", "all", "npair_ovo"]) | _NUMBERS | _ODD,
    },
    "mine": {"on": st.booleans()},
    "remedy": {"target": st.integers(-1, 2) | _ODD},
    "tuplet_points": {"classes": st.sampled_from([2, 3, 8, 1]) | _ODD},
    "drop": {},
    "undo": {},
    "redo": {},
    "dance": {},
}


@st.composite
def events(draw: st.DrawFn) -> dict[str, Any]:
    """An event without its number."""
    kind = draw(st.sampled_from(list(_WHAT)))
    what = {name: draw(values) for name, values in _WHAT[kind].items()}
    if what and draw(st.integers(0, 19)) == 0:
        del what[draw(st.sampled_from(sorted(what)))]
    return {"kind": kind, "gesture": draw(st.none() | st.sampled_from(["b1.1", "b2.2"])), **what}
