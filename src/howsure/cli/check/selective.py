"""What `howsure check selective` reads, and the evidence in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.check.baseline import Baseline, Entry, MeanSummary
from howsure.check.evidence import BELOW, Rule
from howsure.check.found import Found, rows_read
from howsure.check.limits import named_once
from howsure.check.selective import of_risk, risk_rule
from howsure.cli.calibration.reading import as_called, opened
from howsure.errors import InputError
from howsure.stats.mean_score import BoundedMean


def selective_found(
    *, files: Sequence[str], label: str | None, name: str, max_risk: float | None, min_coverage: float,
    not_worse_than: float | None, baseline: Baseline | None, **reading: Any,
) -> Found:  # fmt: skip
    """The evidence about the risk of the most confident answers.

    Raises InputError if there is nothing to check, or classes are to be judged one by one.
    """
    if max_risk is None and baseline is None:
        raise InputError("nothing to check: name a limit, --max-risk 0.05.")
    if reading.get("reduce") == "class-wise":
        raise InputError("an answer is kept or not; --reduce class-wise does not say whether it is right.")
    named_once(None, None, not_worse_than, baseline=baseline is not None)
    with opened(files, label=label, **reading) as predictions:
        recipe = {"check": name, **as_called(predictions.describe())}
        found = list(of_risk(predictions.pairs(), risk_rule(max_risk or 0.5, min_coverage, name=name), min_coverage))
    entries = []
    for one in found:
        assert isinstance(one.test, BoundedMean)
        entries.append(Entry(name, one.group, MeanSummary.of(one.test, one.n), {"min_coverage": min_coverage}))
    evidence = [] if max_risk is None else found
    if baseline is not None:
        quantity = f"difference of the {risk_rule(0.5, min_coverage).quantity}"
        evidence += baseline.evidence(entries, Rule(name, quantity, BELOW, float(not_worse_than or 0), baseline.name))
    limits = {"max_risk": max_risk, "min_coverage": min_coverage, "not_worse_than": not_worse_than}
    return Found(name, tuple(evidence), recipe | limits, tuple(rows_read(recipe)), tuple(entries))
