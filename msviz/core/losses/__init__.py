"""The losses, one file each. A file in this folder that ends in a `LOSS` record is found; no list is maintained."""

import pkgutil
from importlib import import_module

from msviz.core.losses.spec import LossSpec


def _discover() -> dict[str, LossSpec]:
    found = []
    for module in pkgutil.iter_modules(__path__):
        if module.name == "spec":
            continue
        loss = getattr(import_module(f"{__name__}.{module.name}"), "LOSS", None)
        if not isinstance(loss, LossSpec) or loss.name != module.name:
            raise ImportError(f"losses/{module.name}.py must end in LOSS = LossSpec(name={module.name!r}, ...)")
        found.append(loss)
    return {loss.name: loss for loss in sorted(found, key=lambda loss: (loss.order, loss.name))}


LOSSES: dict[str, LossSpec] = _discover()
"""Every loss by name, in the order of the menus: what each needs, computes and cites stands in its `LossSpec`."""
