"""The app: `streamlit run app.py`, or `uvicorn app:app`. Loads torch before anybody comes."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from msviz.ui.routes import ROUTES
from msviz.ui.warmup import warm_up


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Warm up in a thread, so that the server answers at once."""
    threading.Thread(target=warm_up, name="warm-up", daemon=True).start()
    yield


app = st.App("msviz/ui/router.py", lifespan=lifespan, routes=ROUTES)
