"""Every page of Explore shows a sphere, and a plane whose norms count, through Streamlit's AppTest."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import msviz.ui
from tests.ui.parcels import unpack

ROOT = Path(msviz.ui.__file__).parents[2]
PAGES = sorted(path.stem for path in (ROOT / "pages" / "explore").glob("*.py"))


@pytest.mark.parametrize("query", [{"batch": "sphere_overlapping", "camera": "-90,5"}, {"flat": "1"}])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_every_kind_of_board(page: str, query: dict[str, str]) -> None:
    app = AppTest.from_file(str(ROOT / "msviz" / "ui" / "router.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run().switch_page(str(ROOT / "pages" / "explore" / f"{page}.py")).run()
    assert not app.exception
    (head,) = (unpack(it.proto.bytes).head for it in app.get("bidi_component") if it.key == f"msviz.bench.{page}")
    assert head["dim"] == (3 if "batch" in query else 2)
    assert head["board"]["flat"] == ("flat" in query)
    assert head["board"]["camera"] == ([-90, 5] if "batch" in query else [30, 20])
