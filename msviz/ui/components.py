"""Registers our browser components: plain js and css files in `assets/`, joined here; no build step.

All scripts are joined into one module, so a function of marks.js can be called in board.js as it is.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import streamlit as st

from msviz.figures.theme import css_variables

ASSETS: Final = Path(__file__).parent / "assets"
COMPONENTS: Final = ("bench", "strip", "figure2", "picture", "train")
_CODE: Final = (
    *("marks", "flow", "preview", "copylink", "actions", "tools", "paths", "circle", "sphere", "hand", "pushes"),
    *("arcs", "board"),
    *("axes", "matrix", "snapshot", "export", "equation", "inspector", "line", "lines", "reasons", "pairline", "npair"),
    *("readouts", "compare", "loop", "bench", "sliders", "strip", "figure2", "picture", "transport", "curves", "train"),
    "code",
)


def code() -> None:
    """Send the browser all our scripts and styles: the router calls this once a page, outside the fragments."""
    _code()(key="msviz.code")


@cache
def component(name: str) -> Any:
    """The mounting command of a component, one of COMPONENTS. It carries a stub; `code` brings what it runs."""
    stub = _read("stub.js").replace("NAME", name)
    return st.components.v2.component(f"msviz_{name}", html=f'<div class="{name}"></div>', js=stub)


@cache
def _code() -> Any:
    sheets = {name: "\n".join([css_variables(f".{name}"), *map(_read, _sheets(name))]) for name in COMPONENTS}
    scripts = "\n".join(_read(f"{part}.js") for part in _CODE)
    return st.components.v2.component("msviz_code", js=f"const SHEETS = {json.dumps(sheets)};\n{scripts}")


def _sheets(name: str) -> list[str]:
    """The style sheets of a component: its own, then those of single pages, such as bench_compare.css."""
    return [f"{name}.css", *sorted(path.name for path in ASSETS.glob(f"{name}_*.css"))]


def _read(file: str) -> str:
    return (ASSETS / file).read_text(encoding="utf-8")


def pack(head: Mapping[str, Any], *arrays: np.ndarray) -> bytes:
    """A header and arrays as one message: [u32 length][json, padded to 8 bytes][array bytes ...], little-endian.

    Args:
        head: anything JSON can hold.
        arrays: their bytes follow in this order; the header says how to read them.

    Example:
        >>> pack({"m": 1}, np.zeros(2, dtype=np.uint8))
        b'\\x0c\\x00\\x00\\x00{"m":1}     \\x00\\x00'
    """
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-(len(text) + 4) % 8)
    return struct.pack("<I", len(text)) + text + b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
