"""The mathematics: similarities, pairs, mining, losses, weights. Knows torch and numpy, nothing else.

Start reading at `losses/multi_similarity.py`; `pairs.py` has the mining, `methods.py` puts the two together.
Source: X. Wang et al., CVPR 2019, arXiv 1904.06627.
"""
