"""What a comparison says, in sentences."""

from __future__ import annotations

import math

from howsure.show.numbers import interval, p_in_words
from howsure.significance.results import Comparison, Difference
from howsure.stats.multiplicity import ADJUSTED

ALPHA = 0.05


def verdicts(result: Comparison) -> list[str]:
    """One sentence a model: the metrics in which it is better or worse, and those without a detected difference.

    >>> from howsure.significance import compare
    >>> y = [0, 1] * 20
    >>> verdicts(compare(y, [0, 0] * 20, {"large": y}, baseline_name="base", metrics="accuracy", rng=0))
    ['large is better than base in accuracy by +0.5000 [+0.3432, +0.6568] (p < 0.0001).']
    """
    said = []
    for model in dict.fromkeys(row.model for row in result):
        rows = [row for row in result if row.model == model]
        parts = []
        for side in ("better", "worse"):
            found = [_finding(row) for row in rows if row.p_adjusted <= ALPHA and _side(row) == side]
            parts += [f"is {side} than {rows[0].baseline} in {', in '.join(found)}"] if found else []
        unseen = [row.metric for row in rows if row.p_adjusted > ALPHA]
        undefined = [row.metric for row in rows if math.isnan(row.p_adjusted)]
        if unseen:
            parts.append(f"no difference is detected in {', '.join(unseen)}")
        if undefined:
            parts.append(f"cannot be compared in {', '.join(undefined)}, undefined or infinite for one of the two")
        colon = "" if parts[0].startswith("is") else ":"
        said.append(f"{model}{colon} {'; '.join(parts)}.")
    return said


def how(result: Comparison) -> list[str]:
    """What was drawn, and for how many questions p was adjusted, in sentences."""
    recipe = result.recipe
    drawn = {
        "permutation": "swapped by coin flips",
        "bootstrap": "drawn with replacement",
        "mcnemar": "counted where only one system is right (mid-p McNemar)",
        "boostsa": f"drawn in sub-samples of {recipe['sample_size']} (BooStSa's rule)",
    }[recipe["method"]]
    exact = " p is exact." if all(row.exact for row in result) else ""
    said = [f"{str(recipe['resampled']).capitalize()} were {drawn}.{exact}"]
    if "items" in recipe:
        said.append(f"The items of the runs were {recipe['items']}; to be sure, say which is which: ids=[...].")
    if recipe["adjust"] is not None and len(result) > 1:
        said.append(f"p is adjusted for {len(result)} comparisons ({ADJUSTED[recipe['adjust']]}).")
    lost = max((row.undefined_resamples for row in result), default=0)
    if lost:
        said.append(f"In up to {lost:,} of {recipe['n_resamples']:,} resamples a metric was undefined.")
    return [*said, *(f"Note: {note}" for note in result.notes)]


def _finding(row: Difference) -> str:
    """By how much a model is better or worse; where not both the sign and the word say so, in words alone."""
    told = f"({p_in_words(row.p_adjusted)})"
    if row.higher_is_better and row.difference > 0:
        ends = "" if math.isnan(row.low) else f" {interval(row.low, row.high, sign=True)}"
        return f"{row.metric} by {row.difference:+.4f}{ends} {told}"
    side, sign = ("higher", 1.0) if row.difference > 0 else ("lower", -1.0)
    low, high = sorted((sign * row.low, sign * row.high))  # of the amount
    ends = "" if math.isnan(row.low) else f" {interval(low, high)}"
    return f"{row.metric}, {side} by {abs(row.difference):.4f}{ends} {told}"


def _side(row: Difference) -> str:
    return "better" if (row.difference > 0) == row.higher_is_better else "worse"
