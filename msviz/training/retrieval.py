"""How well embeddings retrieve items of the same class: Recall@k, MAP@R, NMI.

Every item is a query once, all others are ranked by their cosine similarity to it:

    Recall@k = share of the queries that have one of their class among the first k
    MAP@R    = mean over queries of 1/R sum_{i <= R} precision@i * [item i is of the class],  R = others of its class
    NMI      = 2 I(clusters; classes) / (H(clusters) + H(classes)),  clusters by k-means on unit rows, k = classes

Sources: Recall@k, NMI: H. Oh Song et al., CVPR 2016, arXiv 1511.06452; MAP@R: K. Musgrave et al., ECCV 2020,
arXiv 2003.08505.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Float, Int, Int64
from torch import Tensor

from msviz.core.errors import MsvizError
from msviz.core.precision import check_finite

RECALL_AT: Final = (1, 2, 4, 8)
_CELLS: Final = 2**21  # similarities at a time
_STARTS: Final = 4  # k-means from as many beginnings; the best is kept


@dataclass(frozen=True)
class Retrieval:
    """What `retrieval` measured; all values 0..1, higher = better.

    Args:
        recall: k -> Recall@k, for k = 1, 2, 4, 8.
        map_at_r: mean average precision at R.
        nmi: normalised mutual information of k-means clusters and classes.
        queries: items that were asked for; one alone in its class is none, for there is nothing to find.
        alone: items that were no query for that reason; they were still ranked among the others.
    """

    recall: dict[int, float]
    map_at_r: float
    nmi: float
    queries: int
    alone: int


def retrieval(x: Float[np.ndarray, "n d"], labels: Int64[np.ndarray, " n"]) -> Retrieval:
    """Measure retrieval among some embeddings, in float32. Of two equally similar items the earlier one ranks first.

    k-means (scikit-learn, k-means++ from 4 beginnings, random_state 0) gets as many clusters as there are classes, or
    as there are different embeddings, where these are fewer. A row of zeros has similarity 0 to all.

    Args:
        x: [n, d] embeddings of any length; finite.
        labels: [n] their classes.

    Raises:
        MsvizError: error.retrieval_alone when no two items share a class, error.not_finite.

    Example:
        >>> x = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]], np.float32)
        >>> found = retrieval(x, np.array([0, 0, 1, 0]))
        >>> [round(value, 3) for value in found.recall.values()], round(found.map_at_r, 3)
        ([0.333, 1.0, 1.0, 1.0], 0.333)
    """
    check_finite("x", torch.from_numpy(x))
    unit = torch.nn.functional.normalize(torch.from_numpy(x).to(torch.float64)).to(torch.float32)
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    label, others = torch.from_numpy(codes), torch.from_numpy(counts[codes] - 1)
    queries = int((others > 0).sum())
    if queries == 0:
        plain = "retrieval needs two items of one class at least, got {n} items of {classes} classes; add some"
        raise MsvizError("error.retrieval_alone", plain, n=len(x), classes=len(classes))
    hits = dict.fromkeys(RECALL_AT, 0)
    precision = 0.0
    for at, ranked in _ranked(unit, depth=max(*RECALL_AT, int(others.max()))):
        asked = others[at] > 0
        right = (label[ranked] == label[at, None])[asked]
        for k in RECALL_AT:
            hits[k] += int(right[:, :k].any(1).sum())
        precision += float(_average_precision(right, others[at][asked]).sum())
    return Retrieval(
        recall={k: hit / queries for k, hit in hits.items()},
        map_at_r=precision / queries,
        nmi=_nmi(unit.numpy(), codes, len(classes)),
        queries=queries,
        alone=len(x) - queries,
    )


def _ranked(unit: Float[Tensor, "n d"], depth: int) -> Iterator[tuple[Int[Tensor, " b"], Int[Tensor, "b k"]]]:
    """Some rows at a time: their numbers, and for each the `depth` most similar others, best first."""
    n = len(unit)
    size = max(_CELLS // n, 1)
    for first in range(0, n, size):
        at = torch.arange(first, min(first + size, n))
        sim = unit[at] @ unit.T
        sim[torch.arange(len(at)), at] = -torch.inf  # by index: a duplicate of the query may be found
        yield at, _order(sim).topk(min(depth, n - 1), dim=1).indices


def _order(sim: Float[Tensor, "b n"]) -> Int64[Tensor, "b n"]:
    """Whole numbers in the order of the similarities, and among equal ones the earlier column first.

    topk promises no order among equals, and a stable sort of whole rows takes five times as long.
    """
    bits = (sim + 0.0).view(torch.int32).long()  # + 0.0: -0.0 and 0.0 are equal
    ascending = torch.where(bits < 0, -(2**31) - bits, bits)  # the bits of a negative float count downward
    return ascending * 2**32 - torch.arange(sim.shape[1])


def _average_precision(right: Tensor, others: Int[Tensor, " q"]) -> Float[Tensor, " q"]:
    """Of each query the mean, over the R first ranks, of precision where the item is of its class."""
    rank = torch.arange(1, right.shape[1] + 1)
    precision = right.cumsum(1).double() / rank
    return torch.where(right & (rank <= others[:, None]), precision, 0.0).sum(1) / others


def _nmi(unit: Float[np.ndarray, "n d"], codes: Int64[np.ndarray, " n"], classes: int) -> float:
    # Lazily: a second, and only for who measures.
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score

    clusters = min(classes, len(np.unique(unit, axis=0)))
    # float64: threads add up in any order, and there that is too little to move an item to another cluster
    found = KMeans(clusters, n_init=_STARTS, random_state=0).fit_predict(unit.astype(np.float64))
    return float(normalized_mutual_info_score(codes, found))
