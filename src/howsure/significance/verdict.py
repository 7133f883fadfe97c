"""What a comparison says, in sentences."""

from __future__ import annotations

import math

from howsure.inputs.naming import counted, shortened
from howsure.show.numbers import interval, p_in_words
from howsure.significance.results import ALPHA, Comparison, Difference
from howsure.stats.multiplicity import ADJUSTED

OF_MEANS = {
    "gaffke": "Gaffke's (of scores of 0 and 1 without clusters, McNemar's exact test)",
    "student": "Student's t",
}


def verdicts(result: Comparison) -> list[str]:
    """One sentence a model: the metrics in which it is better or worse, and those without a detected difference.

    >>> from howsure.significance import compare
    >>> y = [0, 1] * 20
    >>> verdicts(compare(y, [0, 0] * 20, {"large": y}, baseline_name="base", metrics="accuracy", rng=0))
    ['large is better than base in accuracy by +0.5000 [+0.3432, +0.6568] (p < 0.0001).']
    """
    if result.best is not None:
        return _of_best(result)
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


def _of_best(result: Comparison) -> list[str]:
    """Which model is the best in the first metric, and which are not found worse."""
    metric = result[0].metric
    rows = [row for row in result if row.metric == metric and row.baseline == result.best]
    said = f"{result.best} is best in {metric}, with {rows[0].baseline_value:.4f}" if rows else f"{result.best} is best"
    tied = result.tied[1:]
    if not tied:
        found = [_finding(row) for row in rows[:1]]
        return [f"{said}; every other is worse, {rows[0].model} in {found[0]}."]
    rest = len(rows) - len(tied)
    worse = f"; {counted(rest, 'other is', 'others are')} worse" if rest else ""
    return [f"{said}; not told apart from it: {shortened(tied)}{worse}."]


def how(result: Comparison) -> list[str]:
    """What was drawn, and for how many questions p was adjusted, in sentences."""
    recipe = result.recipe
    if recipe["method"] in OF_MEANS:
        return [*_of_means(result), *_adjusted(result), *(f"Note: {note}" for note in result.notes)]
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
    said += _adjusted(result)
    lost = max((row.undefined_resamples for row in result), default=0)
    if lost:
        said.append(f"In up to {lost:,} of {recipe['n_resamples']:,} resamples a metric was undefined.")
    return [*said, *(f"Note: {note}" for note in result.notes)]


def _adjusted(result: Comparison) -> list[str]:
    recipe = result.recipe
    if recipe["adjust"] is None or (len(result) == 1 and "family" not in recipe):
        return []
    return [f"p is adjusted for {recipe.get('family', f'{len(result)} comparisons')} ({ADJUSTED[recipe['adjust']]})."]


def _of_means(result: Comparison) -> list[str]:
    recipe, n = result.recipe, result.recipe["n"]
    unit = f"{n:,} items" if recipe["clusters"] is None else f"{n:,} items in {recipe['clusters']:,} clusters"
    runs = ", each the mean of its runs" if recipe["runs"] is not None else ""
    said = [f"Intervals and p are {OF_MEANS[recipe['method']]} of the paired differences of {unit}{runs}."]
    shares = [row.run_share for row in result if not math.isnan(row.run_share)]
    if shares:
        said.append(
            f"Runs account for {min(shares):.0%} to {max(shares):.0%} of the variance of these differences; more runs "
            "would remove only that."
        )
    smallest = [row.detectable_difference for row in result if not math.isnan(row.detectable_difference)]
    if smallest and any(not row.p_adjusted <= ALPHA for row in result):
        ends = dict.fromkeys(f"{one:.4f}" for one in (min(smallest), max(smallest)))
        said.append(f"A single test of these items finds a true difference of {' to '.join(ends)} with a power of .8.")
    return said


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
