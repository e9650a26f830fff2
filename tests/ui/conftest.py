"""A visitor without a browser."""

from collections.abc import Callable

import pytest
import streamlit as st

from msviz.ui import bench, session
from msviz.ui.desk import Desk
from msviz.ui.layouts import LAYOUTS
from tests.ui.parcels import Message, unpack

Show = Callable[[Desk], Message]


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Show:
    """What the browser would be sent for a desk; one call after another is one visitor's session."""
    monkeypatch.setattr(st, "session_state", {})

    def message(desk: Desk) -> Message:
        session.put(desk)
        now, before = session.scenes()
        return unpack(bench.message(desk, now, before, session.scale(now), LAYOUTS["playground"]))

    return message
