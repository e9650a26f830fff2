"""The paper's ablation, run again on unseen glyphs: `python -m msviz.training.ablation --help`.

Does using S, P and N together beat any two, two beat one, mining none? The plan says what is run, the report what came
of it: differences between runs of the same seed, with intervals, and "undecided" where they do not tell.
"""

from msviz.training.ablation.paper import CLAIMS, PAPER
from msviz.training.ablation.plan import PLANS, Plan, Start, run_ablation
from msviz.training.ablation.report import Comparison, Report, Row, reports

__all__ = ["CLAIMS", "PAPER", "PLANS", "Comparison", "Plan", "Report", "Row", "Start", "reports", "run_ablation"]
