"""Checkpoints: a run in a file, from which it goes on with identical numbers.

msviz checkpoint <version> <SHA-256 of what follows>\\n
<torch's format: the config, a hash of the data, the trainer's state>
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Final

import torch

from msviz.core.errors import MsvizError, shown
from msviz.training.config import TrainConfig
from msviz.training.processes import ALONE, Processes
from msviz.training.trainer import Trainer
from msviz.training.training_set import TrainingSet

VERSION: Final = 1
_NAME: Final = "msviz checkpoint"
_MAY_DIFFER: Final = ("steps", "device")  # a run may go on for longer, and elsewhere


def save_checkpoint(trainer: Trainer, path: str | Path) -> None:
    """Write a run to a file. Until the new file is complete an older one of this name stays as it is.

    Args:
        trainer: the run.
        path: the file; its folder is made when it is not there.

    Raises:
        MsvizError: error.checkpoint_write where that cannot be done: no permission, no space, no such folder.

    Example:
        >>> from msviz.training.sources import Blobs
        >>> trainer = Trainer(TrainConfig(data=Blobs(), model="linear"))
        >>> before = trainer.step()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_checkpoint(trainer, f"{folder}/run.msviz")
        ...     load_checkpoint(f"{folder}/run.msviz").step_count
        1
    """
    content = io.BytesIO()
    kept = {
        "config": json.dumps(trainer.config.as_json()),
        "data": data_hash(trainer.data),
        "trainer": trainer.state_dict(),
    }
    torch.save(kept, content)
    body = content.getvalue()
    write_whole(Path(path), f"{_NAME} {VERSION} {hashlib.sha256(body).hexdigest()}\n".encode() + body)


def load_checkpoint(
    path: str | Path,
    config: TrainConfig | None = None,
    data: TrainingSet | None = None,
    *,
    group: Processes = ALONE,
) -> Trainer:
    """The run of a file, to go on with.

    Args:
        path: what `save_checkpoint` wrote.
        config: what the run should be; its steps and device may differ. None = as it was saved.
        data: the items; None = loaded as the config says.
        group: the processes that go on together; each reads the file.

    Raises:
        MsvizError: error.checkpoint_read, error.checkpoint_damaged, error.checkpoint_version,
            error.checkpoint_config when it is another run, error.checkpoint_data when it had other data.
    """
    kept = _kept(Path(path))
    saved = json.loads(kept["config"])
    if config is None:
        config = TrainConfig.from_json(saved)
    _check_config(Path(path), saved, config)
    trainer = Trainer(config, data, group=group)
    if data_hash(trainer.data) != kept["data"]:
        raise MsvizError(
            "error.checkpoint_data",
            "the checkpoint {path} was made with other data than there are now; restore them, or begin anew",
            path=str(path),
        )
    trainer.load_state_dict(kept["trainer"])
    return trainer


def saved_config(path: str | Path) -> TrainConfig:
    """The config of a run in a file.

    Args:
        path: what `save_checkpoint` wrote.

    Raises:
        MsvizError: error.checkpoint_read, error.checkpoint_damaged, error.checkpoint_version.
    """
    return TrainConfig.from_json(json.loads(_kept(Path(path))["config"]))


def data_hash(data: TrainingSet) -> str:
    """SHA-256 of inputs and labels, 64 hexadecimal digits.

    Args:
        data: the items.
    """
    found = hashlib.sha256(json.dumps(data.inputs.shape).encode())
    found.update(data.inputs.tobytes())
    found.update(data.labels.tobytes())
    return found.hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in one go: whoever reads it finds the old one or the new one, never a part.

    Args:
        path: the file; its folder is made when it is not there.
        content: its bytes.

    Raises:
        MsvizError: error.checkpoint_write.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as problem:
        raise MsvizError(
            "error.checkpoint_write",
            "the checkpoint {path} cannot be written: {problem}; choose another place, or make room",
            path=str(path),
            problem=problem.strerror or str(problem),
        ) from problem


def _kept(path: Path) -> dict[str, Any]:
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise MsvizError(
            "error.checkpoint_read",
            "the checkpoint {path} cannot be read: {problem}; check its name",
            path=str(path),
            problem=problem.strerror or str(problem),
        ) from problem
    head, _, body = content.partition(b"\n")
    words = head.decode("ascii", "replace").split(" ")
    whole = " ".join(words[:2]) == _NAME and len(words) == 4
    if whole and words[2].isdigit() and int(words[2]) > VERSION:
        raise MsvizError(
            "error.checkpoint_version",
            "the checkpoint {path} is of version {got}, this msviz reads up to {known}; use a newer msviz",
            path=str(path),
            got=int(words[2]),
            known=VERSION,
        )
    if not whole or hashlib.sha256(body).hexdigest() != words[3]:
        raise MsvizError(
            "error.checkpoint_damaged",
            "the checkpoint {path} is damaged, or no checkpoint of msviz; use an earlier one, or begin anew",
            path=str(path),
        )
    kept: dict[str, Any] = torch.load(io.BytesIO(body), map_location="cpu", weights_only=True)
    return kept


def _check_config(path: Path, saved: dict[str, Any], config: TrainConfig) -> None:
    given, first = (json.loads(json.dumps(it.as_json())) for it in (config, TrainConfig()))
    saved = {**first, **saved}  # settings that are younger than the file
    for name in given:
        if name not in _MAY_DIFFER and saved[name] != given[name]:
            raise MsvizError(
                "error.checkpoint_config",
                "the checkpoint {path} is of another run: {name} was {saved} and is now {given}; "
                "set it back, or begin anew",
                path=str(path),
                name=name,
                saved=shown(saved[name]),
                given=shown(given[name]),
            )
