"""msviz: see what pair-based metric-learning losses do with a batch.

The names below are the public ones. They load on first use, so `import msviz` stays light: it does not import torch.

>>> import msviz
>>> method = msviz.METHODS["authors"]
>>> method.name, method.epsilon
('multi_similarity', 0.1)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msviz.core.errors import MsvizError as MsvizError
    from msviz.core.gpw import autograd_gradient as autograd_gradient
    from msviz.core.losses import LOSSES as LOSSES
    from msviz.core.methods import ABLATION as ABLATION
    from msviz.core.methods import METHODS as METHODS
    from msviz.core.methods import Evaluation as Evaluation
    from msviz.core.methods import Method as Method
    from msviz.core.methods import evaluate as evaluate
    from msviz.core.pairs import Pairs as Pairs
    from msviz.core.pairs import label_pairs as label_pairs
    from msviz.core.pairs import mine as mine
    from msviz.core.similarity import similarity as similarity
    from msviz.core.similarity import zero_rows as zero_rows

_HOMES = {
    "ABLATION": "msviz.core.methods",
    "LOSSES": "msviz.core.losses",
    "METHODS": "msviz.core.methods",
    "Evaluation": "msviz.core.methods",
    "Method": "msviz.core.methods",
    "MsvizError": "msviz.core.errors",
    "Pairs": "msviz.core.pairs",
    "autograd_gradient": "msviz.core.gpw",
    "evaluate": "msviz.core.methods",
    "label_pairs": "msviz.core.pairs",
    "mine": "msviz.core.pairs",
    "similarity": "msviz.core.similarity",
    "zero_rows": "msviz.core.similarity",
}

__all__ = [
    "ABLATION",
    "LOSSES",
    "METHODS",
    "Evaluation",
    "Method",
    "MsvizError",
    "Pairs",
    "autograd_gradient",
    "evaluate",
    "label_pairs",
    "mine",
    "similarity",
    "zero_rows",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'msviz' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
