"""Results of one's own on the Ablation page: the small run here, and a file that is sent."""

from __future__ import annotations

from typing import Final

import streamlit as st

from msviz.text import say
from msviz.training.progress import duration
from msviz.ui import session
from msviz.ui.ablation_files import MAX_BYTES, SENT, SHOWN, receive, refused
from msviz.ui.ablation_run import shared_ablation
from msviz.ui.page import refuse

WATCHED: Final = "msviz.ablation.watched"  # whether the visitor waits for the run
_AWAITED: Final = "msviz.ablation.awaited"  # whether its first numbers will be shown by themselves


def watch() -> bool:
    """Keep the run going while the visitor waits for it; whether that is so."""
    shared = shared_ablation()
    if session.widget(WATCHED):
        shared.watch()
        if shared.run is None or not shared.run.goes_on:
            session.keep(WATCHED, False)
    if session.widget(_AWAITED) and shared.done:  # the first numbers of what was begun here
        session.keep(_AWAITED, False)
        session.keep(SHOWN, "small")
    return bool(session.widget(WATCHED))


def run_here() -> None:
    """Begin the small run, see how far it is, stop looking."""
    shared, watched = shared_ablation(), bool(session.widget(WATCHED))
    run = shared.run
    st.subheader(say("ablation.run"), anchor=False)
    st.markdown(say("ablation.run.text", runs=shared.total, seeds=shared.plan.test_seeds))
    if run is not None and run.error is not None:
        refuse([run.error])
    if run is not None and run.doing == "done":
        st.success(say("ablation.run.done", runs=shared.done))
    elif run is not None and watched:
        left = "" if shared.seconds_left is None else say("ablation.run.left", time=duration(shared.seconds_left))
        line = say(f"ablation.run.{run.doing}", place=run.place, done=shared.done, runs=shared.total)
        st.progress(shared.done / shared.total, text=f"{line} {left}")
        st.button(say("ablation.run.stop"), icon=":material/stop:", key="msviz.ablation.stop", on_click=_stop)
    else:
        if shared.done:
            st.markdown(say("ablation.run.kept", done=shared.done, runs=shared.total))
        label = say("ablation.run.again" if shared.done else "ablation.run.begin")
        st.button(label, icon=":material/play_arrow:", key="msviz.ablation.run", type="primary", on_click=_begin)


def _begin() -> None:
    session.keep(WATCHED, True)
    session.keep(_AWAITED, True)
    shared_ablation().begin()


def _stop() -> None:
    session.keep(WATCHED, False)


def send_file() -> None:
    """Send a results file of one's own."""
    st.subheader(say("ablation.send"), anchor=False)
    st.markdown(say("ablation.send.text"))
    st.file_uploader(
        say("ablation.send.file", limit=MAX_BYTES // 2**20),
        type=["jsonl"],
        max_upload_size=MAX_BYTES // 2**20,
        key=SENT,
        on_change=_receive,
    )
    refuse(refused())


def _receive() -> None:
    if receive():
        session.keep(SHOWN, "own")
