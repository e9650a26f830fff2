"""What an ablation showed, in sentences that its own numbers make; half a run tells what it can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from statistics import median

from msviz.text import Message, msg, say
from msviz.training.ablation import CLAIMS, PAPER, Comparison, Report
from msviz.views.ablation import comparison_title, row_title


def answer(report: Report) -> tuple[Message, ...]:
    """What agrees with the paper and what does not; that there is nothing yet, where there is nothing.

    Args:
        report: of one start.
    """
    unfinished = report.finished < report.expected
    lines = [msg("ablation.so_far", finished=report.finished, expected=report.expected)] if unfinished else []
    if not report.comparisons:
        return (*lines, msg("ablation.too_few"))
    lines += [_claims(report), _agreement(report.comparisons)]
    against = [it for it in report.comparisons if it.agreement == "disagrees"]
    if against:
        lines.append(msg("ablation.against", names=_names(against)))
    return (*lines, *_order(report), _sharpness(report.comparisons))


def claim_words(report: Report) -> dict[str, Message]:
    """A claim of the paper -> whether it holds here, and in how many of its comparisons.

    Args:
        report: of one start.
    """
    found = {}
    for claim, verdict in report.claims.items():
        said = Counter(it.verdict for it in report.comparisons if claim in it.claims)
        values = {name: said[name] for name in ("higher", "lower", "undecided")}
        missing = len(CLAIMS[claim]) - said.total()
        key = "ablation.claim.missing" if missing else "ablation.claim.said"
        words = {"claim": say(f"ablation.claim.{claim}"), "verdict": say(f"ablation.verdict.{verdict}")}
        found[claim] = msg(key, n=len(CLAIMS[claim]), missing=missing, **words, **values)
    return found


def _claims(report: Report) -> Message:
    """The question of the page first, then what bears on it."""
    asked = sorted(CLAIMS, key=lambda claim: claim != "all")
    said = [say(f"ablation.claim.{claim}") + ": " + say(f"ablation.verdict.{report.claims[claim]}") for claim in asked]
    return msg("ablation.claims", claims="; ".join(said))


def _agreement(comparisons: Iterable[Comparison]) -> Message:
    said = Counter(it.agreement for it in comparisons)
    values = {name: said[name] for name in ("agrees", "disagrees", "undecided")}
    return msg("ablation.agreement", n=said.total(), **values)


def _names(comparisons: Iterable[Comparison]) -> str:
    return ", ".join(comparison_title(it) for it in comparisons)


def _order(report: Report) -> list[Message]:
    means = {row.name: row.mean.mean for row in report.rows if row.mean is not None}
    if len(means) < len(PAPER):
        return []
    best, worst = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
    theirs = max(PAPER, key=PAPER.__getitem__), min(PAPER, key=PAPER.__getitem__)
    key = "ablation.order.same" if (best, worst) == theirs else "ablation.order"
    titles = {"paper_best": row_title(theirs[0]), "paper_worst": row_title(theirs[1])}
    titles |= {"best": row_title(best), "worst": row_title(worst)}
    return [msg(key, most=means[best], least=means[worst], **titles)]


def _sharpness(comparisons: Iterable[Comparison]) -> Message:
    found = [it.difference for it in comparisons]
    half = median(100 * (it.high - it.low) / 2 for it in found)
    return msg("ablation.sharpness", half=half, seeds=max(it.n for it in found))
