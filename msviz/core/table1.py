"""The paper's Table 1 as data: which similarities each loss considers for a negative pair, and what to add to it.

`msviz.probe` measures the same. It finds every tick of the paper, and a few more: those are the footnotes.

Source: arXiv 1904.06627, Table 1.
"""

from dataclasses import dataclass
from typing import Final

from msviz.core.methods import METHODS, Method

TABLE1: Final[dict[str, str]] = {
    "contrastive": "S",
    "binomial": "S",
    "triplet": "P",
    "histogram": "P",
    "npair": "N",
    "lifted": "N",
    "nca": "PN",
    "binlifted": "SN",
    "multi_similarity": "SPN",
}
"""The paper's Table 1: loss -> the similarities that it ticks, for a negative pair; `TABLE1_METHODS` are its rows."""

TABLE1_METHODS: Final[dict[str, Method]] = {
    **{loss: Method(loss) for loss in TABLE1},
    "multi_similarity": METHODS["ms"],  # its P is mining
}
"""The methods that Table 1 speaks of: each loss with its default parameters, multi-similarity with mining."""


@dataclass(frozen=True)
class Footnote:
    """Where the measurement says more than the paper's table, and why that is right.

    Attributes:
        key: its name, for a text in another language.
        extra: the ticks that it adds.
        sentence: the reason, in plain English.
    """

    key: str
    extra: str
    sentence: str


_HINGE = Footnote(
    "hinge",
    "P",
    "Its hinge closes in rare anchors with few pairs, |P||N| < e^(2 - lam); where the positives open or close it, the "
    "weight moves.",
)

FOOTNOTES: Final[dict[str, Footnote]] = {
    "npair": Footnote("exponent", "P", "Its exponent S_n - S_p holds the positive's similarity, so it measures P too."),
    "histogram": Footnote(
        "bins",
        "S",
        "A row that moves alone leaves the batch's histograms behind, so it measures S too; the whole batch may move "
        "by whole bin widths without any change.",
    ),
    "lifted": _HINGE,
    "binlifted": _HINGE,
    "binomial_mining": Footnote(
        "counts", "N", "It divides by |N|, which counts mined pairs: a rival that enters or leaves changes it."
    ),
}
"""Method -> where the probe honestly measures more than the paper's table (or its ablation) says."""
