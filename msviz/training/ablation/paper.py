"""What the paper's ablation says: its eight rows, its numbers, and the claims that are read from them."""

from __future__ import annotations

from typing import Final

PAPER: Final = {
    "binomial": 71.9,
    "lifted_star": 69.7,
    "ms_mining": 67.0,
    "binlifted": 70.4,
    "ms_weighting": 73.2,
    "binomial_mining": 74.6,
    "lifted_star_mining": 72.2,
    "ms": 77.3,
}
"""The paper's Recall@1 in percent, on Cars-196 with 64 dimensions: a row of `msviz.ABLATION` -> its number.

Source: arXiv 1904.06627, section 4 (ablation study). These are the paper's numbers, not ours.
"""

CLAIMS: Final = {
    "mining": (("binomial_mining", "binomial"), ("lifted_star_mining", "lifted_star"), ("ms", "ms_weighting")),
    "weighting": (
        ("binlifted", "binomial"),
        ("binlifted", "lifted_star"),
        ("ms_weighting", "binomial"),
        ("ms_weighting", "lifted_star"),
    ),
    "all": (("ms", "ms_weighting"), ("ms", "binomial_mining"), ("ms", "lifted_star_mining")),
}
"""A claim -> the comparisons that bear on it; the first of each pair is said to be the better one.

"mining": P helps. "weighting": S and N together beat each alone. "all": all three beat any two.
"""
