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
    from msviz.core.arcs import LoopCase as LoopCase
    from msviz.core.class_mining import ClassMining as ClassMining
    from msviz.core.class_mining import ClassStep as ClassStep
    from msviz.core.class_mining import mine_classes as mine_classes
    from msviz.core.criterion import PairLoss as PairLoss
    from msviz.core.distributed import DistributedPairLoss as DistributedPairLoss
    from msviz.core.errors import MsvizError as MsvizError
    from msviz.core.errors import ZeroRowWarning as ZeroRowWarning
    from msviz.core.figure2 import CasePath as CasePath
    from msviz.core.figure2 import figure2 as figure2
    from msviz.core.forces import forces as forces
    from msviz.core.forces import pair_forces as pair_forces
    from msviz.core.gpw import SignCheck as SignCheck
    from msviz.core.gpw import autograd_gradient as autograd_gradient
    from msviz.core.gpw import proof as proof
    from msviz.core.gpw import sign_check as sign_check
    from msviz.core.loop import AntipodalWarning as AntipodalWarning
    from msviz.core.loop import ClosestPoints as ClosestPoints
    from msviz.core.loop import closest_points as closest_points
    from msviz.core.losses import LOSSES as LOSSES
    from msviz.core.methods import ABLATION as ABLATION
    from msviz.core.methods import METHODS as METHODS
    from msviz.core.methods import Evaluation as Evaluation
    from msviz.core.methods import Method as Method
    from msviz.core.methods import evaluate as evaluate
    from msviz.core.npair import Pairing as Pairing
    from msviz.core.npair import Tuplets as Tuplets
    from msviz.core.npair import l2_penalty as l2_penalty
    from msviz.core.npair import tuplets as tuplets
    from msviz.core.pairs import Pairs as Pairs
    from msviz.core.pairs import label_pairs as label_pairs
    from msviz.core.pairs import mine as mine
    from msviz.core.partition import PartitionCurve as PartitionCurve
    from msviz.core.partition import partition_curve as partition_curve
    from msviz.core.probe import Probe as Probe
    from msviz.core.probe import probe as probe
    from msviz.core.reasons import Reason as Reason
    from msviz.core.reasons import Reasons as Reasons
    from msviz.core.reasons import reasons as reasons
    from msviz.core.scheme import Scheme as Scheme
    from msviz.core.scheme import SchemeLoss as SchemeLoss
    from msviz.core.scheme import evaluate_scheme as evaluate_scheme
    from msviz.core.similarity import similarity as similarity
    from msviz.core.similarity import zero_rows as zero_rows
    from msviz.core.table1 import FOOTNOTES as FOOTNOTES
    from msviz.core.table1 import TABLE1 as TABLE1
    from msviz.core.table1 import TABLE1_METHODS as TABLE1_METHODS
    from msviz.core.three_similarities import Similarities as Similarities
    from msviz.core.three_similarities import three_similarities as three_similarities

_HOMES = {
    "ABLATION": "msviz.core.methods",
    "FOOTNOTES": "msviz.core.table1",
    "LOSSES": "msviz.core.losses",
    "METHODS": "msviz.core.methods",
    "TABLE1": "msviz.core.table1",
    "TABLE1_METHODS": "msviz.core.table1",
    "AntipodalWarning": "msviz.core.loop",
    "CasePath": "msviz.core.figure2",
    "ClassMining": "msviz.core.class_mining",
    "ClassStep": "msviz.core.class_mining",
    "ClosestPoints": "msviz.core.loop",
    "DistributedPairLoss": "msviz.core.distributed",
    "Evaluation": "msviz.core.methods",
    "LoopCase": "msviz.core.arcs",
    "Method": "msviz.core.methods",
    "MsvizError": "msviz.core.errors",
    "PairLoss": "msviz.core.criterion",
    "Pairing": "msviz.core.npair",
    "Pairs": "msviz.core.pairs",
    "PartitionCurve": "msviz.core.partition",
    "Tuplets": "msviz.core.npair",
    "ZeroRowWarning": "msviz.core.errors",
    "Probe": "msviz.core.probe",
    "Reason": "msviz.core.reasons",
    "Reasons": "msviz.core.reasons",
    "Scheme": "msviz.core.scheme",
    "SchemeLoss": "msviz.core.scheme",
    "SignCheck": "msviz.core.gpw",
    "Similarities": "msviz.core.three_similarities",
    "autograd_gradient": "msviz.core.gpw",
    "closest_points": "msviz.core.loop",
    "evaluate": "msviz.core.methods",
    "evaluate_scheme": "msviz.core.scheme",
    "figure2": "msviz.core.figure2",
    "forces": "msviz.core.forces",
    "l2_penalty": "msviz.core.npair",
    "label_pairs": "msviz.core.pairs",
    "mine": "msviz.core.pairs",
    "mine_classes": "msviz.core.class_mining",
    "pair_forces": "msviz.core.forces",
    "partition_curve": "msviz.core.partition",
    "probe": "msviz.core.probe",
    "proof": "msviz.core.gpw",
    "reasons": "msviz.core.reasons",
    "sign_check": "msviz.core.gpw",
    "similarity": "msviz.core.similarity",
    "three_similarities": "msviz.core.three_similarities",
    "tuplets": "msviz.core.npair",
    "zero_rows": "msviz.core.similarity",
}

__all__ = [
    "ABLATION",
    "FOOTNOTES",
    "LOSSES",
    "METHODS",
    "TABLE1",
    "TABLE1_METHODS",
    "AntipodalWarning",
    "CasePath",
    "ClassMining",
    "ClassStep",
    "ClosestPoints",
    "DistributedPairLoss",
    "Evaluation",
    "LoopCase",
    "Method",
    "MsvizError",
    "PairLoss",
    "Pairing",
    "Pairs",
    "PartitionCurve",
    "Probe",
    "Reason",
    "Reasons",
    "Scheme",
    "SchemeLoss",
    "SignCheck",
    "Similarities",
    "Tuplets",
    "ZeroRowWarning",
    "autograd_gradient",
    "closest_points",
    "evaluate",
    "evaluate_scheme",
    "figure2",
    "forces",
    "l2_penalty",
    "label_pairs",
    "mine",
    "mine_classes",
    "pair_forces",
    "partition_curve",
    "probe",
    "proof",
    "reasons",
    "sign_check",
    "similarity",
    "three_similarities",
    "tuplets",
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
