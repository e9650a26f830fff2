"""The visitor's own files: features as .npz, or images in a folder. They are read once, and forgotten with the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from msviz.core.losses.spec import param_infos
from msviz.text import say
from msviz.training.files import Folder
from msviz.training.uploads import MAX_BYTES, MAX_IMAGES, Upload, read_upload
from msviz.ui.page import refuse
from msviz.ui.setups import FILES, Chosen, files_setup
from msviz.ui.training import begin, training

SIZES: Final = {info.name: info for info in param_infos(Folder)}["size"]


@st.dialog(say("train.files"), width="large")
def files_menu() -> None:
    """Send files and train on them; what cannot be read is refused here, and the run before stays."""
    limits = {"sent": st.get_option("server.maxUploadSize"), "unpacked": MAX_BYTES // 2**20, "images": MAX_IMAGES}
    st.markdown(say("train.files.text", **limits))
    one, folder = st.tabs([say("train.files.one"), say("train.files.folder")])
    with one:
        _form("one", type=["npz", "zip"])
    with folder:
        _form("folder", accept_multiple_files="directory")


def _form(name: str, **how: Any) -> None:
    with st.form(f"msviz.train.files.{name}", border=False):
        found = st.file_uploader(say(f"train.files.{name}.help"), key=f"msviz.train.files.{name}.sent", **how)
        size = st.number_input(
            say("train.files.size"),
            min_value=int(SIZES.low),
            max_value=int(SIZES.high),
            value=int(SIZES.default),
            step=int(SIZES.step),
            key=f"msviz.train.files.{name}.size",
        )
        if st.form_submit_button(say("train.files.begin"), type="primary"):
            _train(found if isinstance(found, list) else [found] if found else [], int(size))


def _train(sent: Sequence[Any], size: int) -> None:
    def make() -> Chosen:
        data = read_upload([Upload(file.name, file) for file in sent], size)
        name = sent[0].name.replace("\\", "/").split("/")[0]
        return Chosen(FILES, files_setup(data, name), training().chosen.other, data=data)

    refused = begin(make)
    if refused is not None:
        refuse([refused])
        return
    _forget(sent)
    st.rerun()


def _forget(sent: Sequence[Any]) -> None:
    """Streamlit keeps what was sent as long as the session lives; a hundred megabytes are read once."""
    context = get_script_run_ctx()
    manager = None if context is None else context.uploaded_file_mgr
    if context is not None and isinstance(manager, MemoryUploadedFileManager):
        for file in sent:
            manager.remove_file(context.session_id, file.file_id)
