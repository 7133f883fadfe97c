"""What the gold templates say of event probabilities, as tables and findings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from howsure.figures.calibration import curve_figure
from howsure.show.numbers import UNDEFINED, p_in_words, p_text
from howsure.show.table import Table
from howsure.stats.estimate import Estimate
from howsure_papers.events.gold import Coverage, Judged
from howsure_papers.replicates import verdict
from howsure_papers.reproduction import Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ByRule = Mapping[str, Sequence[Judged]]
MOST_WRONG = 0.05
QUESTIONS = {"by": "an attack by people of the country", "at": "an attack in the country"}


def gold_table(found: ByRule) -> Table:
    """Calibration, precision and recall."""
    headers = (
        "rule and gold label", "pairs", "gold pairs", "of these reachable", "calibration error", "p (calibrated)",
        "expected", "of these right", "precision", "recall", "recall of reachable",
    )  # fmt: skip
    rows = [
        [
            f"{rule}, {one.label}", f"{one.pairs:,}", f"{one.gold:,}", f"{one.reachable:,}",
            str(one.curve.error), p_text(one.curve.p_value), f"{one.expected:.1f}",
            f"{one.expected_right:.1f}", _percent(one.precision), f"{100 * one.recall:.1f} %",
            f"{100 * one.recall_of_reachable:.1f} %",
        ]
        for rule, all_labels in found.items()
        for one in all_labels
    ]  # fmt: skip
    return Table(headers, rows, headers[:1], caption="muc4: probabilities of (report, country) against gold templates")


def coverage_table(found: ByRule) -> Table:
    """How often the interval of a count holds the gold count."""
    headers = (
        "rule and gold label", "gold counts of", "cells (country, month)", "within the interval", "gold above it",
        "gold below it",
    )  # fmt: skip
    rows = [
        [f"{rule}, {one.label}", which, *_covered(coverage)]
        for rule, all_labels in found.items()
        for one in all_labels
        for which, coverage in (("all reports", one.coverage), ("reports with an agent", one.coverage_of_reachable))
    ]
    return Table(headers, rows, headers[:2], caption="muc4: 95 % intervals of counts against gold counts")


def gold_findings(found: ByRule) -> tuple[Finding, ...]:
    """The question that the paper leaves open, and what it says of doubtful documents."""
    findings = []
    for rule, all_labels in found.items():
        for one in all_labels:
            where = f"MUC-4, {rule}, {QUESTIONS[one.label]}"
            findings += [
                Finding(
                    "section 6, open", "are the probabilities of events calibrated?",
                    f"calibration error {one.curve.error}, {p_in_words(one.curve.p_value)}; "
                    f"precision {_percent(one.precision)}, recall {100 * one.recall:.1f} %", _calibrated(one), where,
                ),
                Finding(
                    "section 6, open", "do the intervals contain the true counts?",
                    f"{100 * one.coverage.share:.0f} % of {one.coverage.cells} cells, "
                    f"{100 * one.coverage_of_reachable.share:.0f} % of {one.coverage_of_reachable.cells} if only the "
                    "reports with an agent are counted", one.coverage_of_reachable.share >= 1 - MOST_WRONG, where,
                ),
                Finding(
                    "section 6, error analysis", "the more uncertain a prediction, the more likely it is wrong",
                    f"wrong with p in [.2, .8] {_percent(one.wrong_unsure)}, otherwise "
                    f"{_percent(one.wrong_sure)}", _more(one.wrong_unsure, one.wrong_sure), where,
                ),
            ]  # fmt: skip
    return tuple(findings)


def gold_figure(found: ByRule) -> Figure:
    """A calibration curve for each rule and label, in a panel of its own."""
    return curve_figure([one.curve for all_labels in found.values() for one in all_labels], panels=True)


def _covered(coverage: Coverage) -> list[str]:
    share = f"{coverage.inside:,} ({100 * coverage.share:.0f} %)"
    return [f"{coverage.cells:,}", share, f"{coverage.below:,}", f"{coverage.above:,}"]


def _percent(one: Estimate) -> str:
    if one.value != one.value:
        return UNDEFINED
    interval = "" if one.low is None or one.high is None else f" [{100 * one.low:.0f}, {100 * one.high:.0f}]"
    return f"{100 * one.value:.0f}{interval} %"


def _calibrated(one: Judged) -> bool | None:
    return False if one.curve.p_value < MOST_WRONG else None


def _more(one: Estimate, other: Estimate) -> bool | None:
    """Whether a share is greater than another; None where the difference is not decided (Newcombe 1998, method 10)."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return None
    gap = one.value - other.value
    low = gap - math.hypot(one.value - one.low, other.high - other.value)
    high = gap + math.hypot(one.high - one.value, other.value - other.low)
    return verdict(Estimate(gap, low, high, one.level, "Newcombe", one.n + other.n))
