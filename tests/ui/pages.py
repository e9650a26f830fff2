"""A page as a visitor gets it who comes from the Playground, without a browser."""

from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

import msviz.ui
from msviz.ui.desk import Desk
from tests.ui.parcels import Message, unpack

ROUTER = Path(msviz.ui.__file__).parent / "router.py"
PAGES = ROUTER.parents[2] / "pages"


def open_page(name: str, start: Desk, **session: Any) -> AppTest:
    """The page of that name with a desk, and values of its widgets by their keys."""
    app = AppTest.from_file(str(ROUTER), default_timeout=60)
    app.session_state["msviz.desk"] = start
    for key, value in session.items():
        app.session_state[key] = value
    app.run()
    (page,) = PAGES.glob(f"*/{name}.py")
    return clean(app.switch_page(str(page)).run())


def clean(app: AppTest) -> AppTest:
    """The same page, on which nothing went wrong."""
    assert not app.exception
    assert not app.error
    assert not app.warning
    return app


def bench_of(app: AppTest, name: str) -> Message:
    """What the page's bench was sent."""
    (found,) = (part for part in app.get("bidi_component") if part.key == f"msviz.bench.{name}")
    return unpack(found.proto.bytes)
