"""Calibration curves as text and tables, and their verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from howsure.calibration.scores import MULTICLASS, base_rate_words, score_columns, score_words
from howsure.inputs.numbers_and_names import count_equal_first, equal_values_text, highest_first, shortened
from howsure.inputs.pairs import CLASS_WISE
from howsure.result import Estimate
from howsure.show.table import (
    COUNT,
    FRAME,
    HIGHER,
    LOWER,
    NUMBER,
    P_VALUE,
    POINT,
    UNDEFINED,
    WORDS,
    Column,
    Table,
    figures_text,
    number,
    p_in_words,
    with_ends,
)

if TYPE_CHECKING:
    from howsure.calibration.corp import CorpCurve
    from howsure.calibration.results import CalibrationCurve


# The verdict on a calibration curve: the kind of miscalibration, and where it occurs.

OVERCONFIDENT, UNDERCONFIDENT, BOTH = "overconfident", "underconfident", "over- and underconfident"
TOO_HIGH, TOO_LOW, TOO_LOW_AND_HIGH = "too high", "too low", "too low and too high"
HIGHER_LEVEL = "a higher level"  # the positive label of a cut point of ordered levels
OF_A_CLASS = {OVERCONFIDENT: TOO_HIGH, UNDERCONFIDENT: TOO_LOW, BOTH: TOO_LOW_AND_HIGH}
NONE_SEEN, TOO_LITTLE, NOT_LOCATED = "none detected", "too little data", "not located"
UNKNOWN_SIZE = "of unknown size"
MAX_INFORMATIVE_ERROR = 0.1  # an interval from 0 to more than this is uninformative
MIN_REGION_SHARE = 0.25  # smallest ratio of the second region's contribution to the first's at which both are reported
CHANCE = 3.0  # standard deviations by which the number of bins that miss the diagonal may exceed its expectation
DECIMALS = range(2, 7)
MAX_NAMED = 4  # most groups of one kind that the answer names
KINDS_IN_WORDS = {
    TOO_HIGH: "probabilities too high",
    TOO_LOW: "probabilities too low",
    TOO_LOW_AND_HIGH: "some probabilities too low, others too high",
    NONE_SEEN: "no miscalibration detected",
    NOT_LOCATED: "miscalibrated, but no bin shows where",
    UNKNOWN_SIZE: "miscalibrated by an unknown amount",
}


@dataclass(frozen=True, slots=True)
class Region:
    """Neighbouring bins on one side of the diagonal: predictions above `start` up to `end`.

    kind: "overconfident" (below the diagonal) or "underconfident" (above it); for one class, "too high" or "too low".
    says, happens: the mean prediction and the label frequency of the region's n pairs. size: its contribution to the
    mean absolute gap.
    """

    kind: str
    start: float
    end: float
    says: float
    happens: float
    n: int
    size: float

    def __str__(self) -> str:
        says, happens = rounded(self.says, self.happens)
        return f"{self.kind} {self._where()}: mean prediction {says}, observed frequency {happens} (n = {self.n:,})"

    def _where(self) -> str:
        if self.start <= 0.0 and self.end >= 1.0:
            return "everywhere"
        (start,), (end,) = rounded(self.start), rounded(self.end)
        if self.end >= 1.0:
            return f"above {start}"
        if self.start <= 0.0:
            return f"below {end}"
        return f"between {start} and {end}" if start != end else f"at {end}"


def kind_named(name: str, *curves: CalibrationCurve | CorpCurve) -> str:
    """Return the name of a kind of miscalibration; for classes and ordered levels, from `OF_A_CLASS`."""
    of_classes = all(curve.reduction == CLASS_WISE or curve.positive == HIGHER_LEVEL for curve in curves)
    return OF_A_CLASS.get(name, name) if of_classes else name


def rounded(*values: float) -> list[str]:
    """Format values with two to six decimals, as many as distinguish them from each other and from 0 and 1.

    >>> rounded(0.5, 0.93), rounded(0.998, 0.9991)
    (['0.50', '0.93'], ['0.998', '0.999'])
    """
    texts: list[str] = []
    for decimals in DECIMALS:
        texts = [f"{value:.{decimals}f}" for value in values]
        ends = any(0.0 < value < 1.0 and float(text) in (0.0, 1.0) for value, text in zip(values, texts, strict=True))
        if not ends and len(set(texts)) == len(set(values)):
            break
    return texts


def regions(curve: CalibrationCurve) -> list[Region]:
    """Return the regions where the curve differs from the diagonal, the largest first.

    A region begins and ends with bins whose interval excludes the mean prediction; all bins between them are on the
    same side of the diagonal, significantly or not.

    >>> from howsure import calibration_curve
    >>> curve = calibration_curve([0] * 50 + [1] * 50 + [0] * 50, [0.02] * 50 + [0.8] * 100, bin_size=50)
    >>> [str(region) for region in regions(curve)]
    ['overconfident above 0.02: mean prediction 0.80, observed frequency 0.50 (n = 100)']
    """
    bins = curve.bins
    side = np.sign(bins.frequency - bins.mean_prob)
    runs: list[list[int]] = []
    for i in np.flatnonzero(_bin_sides(curve)).tolist():
        if runs and bool((side[runs[-1][0] : i] == side[i]).all()):
            runs[-1][1] = i
        else:
            runs.append([i, i])
    return sorted((_region(curve, *run) for run in runs), key=lambda region: -region.size)


def verdict(curve: CalibrationCurve, p: float | None = None) -> str:
    """State the kind of miscalibration and where it occurs, in one sentence. p: the p-value (default: the curve's).

    Where the curve is below the diagonal (events occur less often than predicted), a model is overconfident; where it
    is above, underconfident (Nguyen & O'Connor 2015). Probabilities of a single class, which need not be the model's
    answer, are called too high or too low instead. Whether there is any is decided by p; where and how, by the
    intervals of the debiased error and of the bins.
    """
    return _judge(curve, curve.p_value if p is None else p)[1]


def calibration_answer(curves: Sequence[CalibrationCurve], p_values: Sequence[float]) -> str:
    """Return the first line of output: the smallest calibration error, and the verdict of each curve."""
    if len(curves) == 1:
        curve = curves[0]
        of = "" if curve.name is None else f" of {curve.name}"
        return f"Calibration error{of} {curve.error}; {verdict(curve, p_values[0])}."
    kinds = [kind(curve, p) for curve, p in zip(curves, p_values, strict=True)]
    if set(kinds) == {TOO_LITTLE}:
        return f"Too little data for a verdict in any of {len(curves):,} groups."
    groups = verdicts_by_kind([(str(curve.name), curve_kind) for curve, curve_kind in zip(curves, kinds, strict=True)])
    measured = [curve for curve in curves if math.isfinite(curve.error.value)]
    first, *others = sorted(measured, key=lambda curve: highest_first(-curve.error.value, curve.name))
    if not others:
        return f"Only {first.name} has enough data for a calibration error, {first.error}; {groups}."
    among = "" if len(measured) == len(curves) else f"Of the {len(measured):,} groups with enough data, "
    equal = min(  # errors that are cut off at 0 are equal if their intervals are
        count_equal_first([curve.error.value for curve in (first, *others)]),
        count_equal_first([curve.error.high or 0.0 for curve in (first, *others)]),
    )
    overlapping = [curve for curve in others if _overlap(first.error, curve.error)]
    if overlapping == others and equal < len(measured):
        errors = [f"{curve.error} ({curve.name})" for curve in (first, others[-1])]
        start = f"{among}calibration" if among else "Calibration"
        return f"{start} errors range from {' to '.join(errors)}, and the intervals overlap; {groups}."
    smallest = f"{among}{first.name} has the smallest calibration error, {first.error}"
    if equal > 1:
        same, value = [str(curve.name) for curve in (first, *others[: equal - 1])], f"{first.error.value:.4f}"
        what = "equal calibration errors"
        smallest = among + equal_values_text(same, value, extreme="smallest", of_all=len(measured), what=what)
    if rivals := [curve for curve in overlapping if curve in others[equal - 1 :]]:
        names = shortened([str(curve.name) for curve in rivals], limit=MAX_NAMED)
        smallest += f", but its interval overlaps with {'that' if len(rivals) == 1 else 'those'} of {names}"
    return f"{smallest}; {groups}."


def verdicts_by_kind(kinds: Sequence[tuple[str, str]]) -> str:
    """List the groups of each kind of verdict.

    >>> verdicts_by_kind([("NN", "overconfident"), ("VB", "overconfident"), ("IN", "none detected")])
    'overconfident: NN, VB; no miscalibration detected: IN'
    """
    names_by_kind: dict[str, list[str]] = {}
    for name, verdict_kind in kinds:
        names_by_kind.setdefault(verdict_kind, []).append(name)
    return "; ".join(
        f"{KINDS_IN_WORDS.get(verdict_kind, verdict_kind)}: {shortened(names, limit=MAX_NAMED)}"
        for verdict_kind, names in names_by_kind.items()
    )


def _overlap(smaller: Estimate, larger: Estimate) -> bool:
    return smaller.high is not None and larger.low is not None and larger.low <= smaller.high


def kind(curve: CalibrationCurve, p: float | None = None) -> str:
    """Return the verdict in one to three words; p as in `verdict`.

    Possible verdicts: "overconfident", "underconfident", "over- and underconfident" (of a class: "too high", "too low",
    "too low and too high"); "none detected"; "too little data"; "of unknown size" (p rejects calibration, although the
    intervals alone show no miscalibration or too little data); "not located" (the error is above 0, but no bin differs
    significantly from the diagonal).
    """
    return _judge(curve, curve.p_value if p is None else p)[0]


def _bin_sides(curve: CalibrationCurve) -> np.typing.NDArray[np.int64]:
    """Return 1 for each bin significantly above the diagonal, -1 for each significantly below it, otherwise 0."""
    bins = curve.bins
    has_width = bins.high > bins.low  # normal intervals at frequencies of 0 and 1 have no width
    above, below = has_width & (bins.low > bins.mean_prob), has_width & (bins.high < bins.mean_prob)
    return above.astype(np.int64) - below.astype(np.int64)


def _region(curve: CalibrationCurve, first: int, last: int) -> Region:
    bins, run = curve.bins, slice(first, last + 1)
    weight = bins.weight[run]
    says, happens = (float(np.average(column[run], weights=weight)) for column in (bins.mean_prob, bins.frequency))
    return Region(
        kind=kind_named(OVERCONFIDENT if happens < says else UNDERCONFIDENT, curve),
        start=float(bins.upper[first - 1]) if first else 0.0,
        end=float(bins.upper[last]) if last + 1 < len(bins) else 1.0,
        says=says,
        happens=happens,
        n=int(bins.count[run].sum()),
        size=float(weight @ np.abs(bins.frequency - bins.mean_prob)[run] / bins.weight.sum()),
    )


def _judge(curve: CalibrationCurve, p: float) -> tuple[str, str]:
    error = curve.error
    if math.isnan(error.value) or error.low is None or error.high is None:
        if curve.recipe.get("weighted") and not curve.recipe.get("clustered") and curve.bins.count.max() > 1:
            return TOO_LITTLE, f"too little data: a few pairs have most of the weight (n = {curve.n:,})"
        pairs = "pairs of two clusters" if curve.recipe.get("clustered") else "two pairs"
        return TOO_LITTLE, f"too little data: no bin has {pairs} (n = {curve.n:,})"
    regions_ = regions(curve)
    missing = int(np.count_nonzero(_bin_sides(curve)))
    if error.low <= 0.0:
        little = error.high > MAX_INFORMATIVE_ERROR
        if (little or missing <= _missing_by_chance(len(curve.bins), error.level)) and p < 1 - error.level:
            return UNKNOWN_SIZE, _unknown_size_verdict(curve, error.high, p)
        if little:
            return (
                TOO_LITTLE,
                f"too little data: the error may be anything from 0 to {error.high:.2f} (n = {curve.n:,})",
            )
        if missing <= _missing_by_chance(len(curve.bins), error.level):
            return NONE_SEEN, _nothing_detected(len(curve.bins) - missing, len(curve.bins))
    if p > 1 - error.level:
        return NONE_SEEN, _not_significant(curve, p)
    if not regions_:
        return _on_the_whole(curve)
    main_regions = [region for region in regions_[:2] if region.size >= MIN_REGION_SHARE * regions_[0].size]
    kinds = {region.kind for region in main_regions}
    sentence = "; ".join(str(region) for region in sorted(main_regions, key=lambda region: region.start))
    caution = "; the error may be close to 0, which its interval reaches" if error.low <= 0.0 else ""
    return (kinds.pop() if len(kinds) == 1 else kind_named(BOTH, curve)), sentence + caution


def _missing_by_chance(bins: int, level: float) -> float:
    expected = (1 - level) * bins
    return max(1.0, expected + CHANCE * math.sqrt(expected * level))


def _unknown_size_verdict(curve: CalibrationCurve, high: float, p: float) -> str:
    (most,) = rounded(high)
    return (
        f"a test rejects calibration ({p_in_words(p)}), but the data do not show how large the error is: anything from "
        f"0 to {most} (n = {curve.n:,})"
    )


def _nothing_detected(agreeing: int, bins: int) -> str:
    agree = "its one bin agrees" if bins == 1 else f"{agreeing:,} of {bins:,} bins agree"
    return f"no miscalibration detected: the error's interval reaches 0 and {agree} with the diagonal"


def _not_significant(curve: CalibrationCurve, p: float) -> str:
    after = "" if p == curve.p_value else " after adjustment"
    though = (
        "some bins differ from the diagonal"
        if not curve.error.low
        else "the unadjusted interval of the error excludes 0"
    )
    return f"no miscalibration detected{after} ({p_in_words(p)}), although {though}"


def _on_the_whole(curve: CalibrationCurve) -> tuple[str, str]:
    """Return the verdict if the error is above 0, but no bin differs significantly from the diagonal."""
    mean_prob = float(np.average(curve.bins.mean_prob, weights=curve.bins.weight))
    gap = mean_prob - curve.base_rate
    if abs(gap) < curve.error.value / 2:
        return NOT_LOCATED, "miscalibrated, but no single bin shows where: larger bins might"
    name = kind_named(OVERCONFIDENT if gap > 0 else UNDERCONFIDENT, curve)
    says, happens = rounded(mean_prob, curve.base_rate)
    return (
        name,
        f"{name} on the whole: mean prediction {says}, observed frequency {happens} (n = {curve.n:,}); no single bin "
        "shows it",
    )


# Calibration curves as a short text, as a table, and their recipes.


def summary(curve: CalibrationCurve | CorpCurve, head: str, rows: Sequence[tuple[str, str]], verdict_text: str) -> str:
    """Format the figures of a curve as aligned lines, followed by the verdict, the notes and the recipe."""
    lines = [*figures_text(rows).splitlines(), verdict_text, *curve.footnotes(), f"recipe: {recipe_line(curve)}"]
    return "\n  ".join([head + (f" of {curve.name}" if curve.name is not None else ""), *lines])


def figures_in_words(curve: CalibrationCurve) -> list[tuple[str, str]]:
    """Return the name and text of each figure of a curve, for the summary of a single curve."""
    bins = f"{len(curve.bins):,} bin" + ("s" if len(curve.bins) > 1 else "")
    return [
        ("error", with_method(curve.error)),
        ("calibrated?", p_in_words(curve.p_value) + _test_name(curve)),
        ("Algorithm 1", with_method(curve.algorithm1_error)),
        ("ECE", f"{curve.ece} (largest gap {curve.max_error})"),
        ("pairs", f"{curve.n:,} in {bins}"),
        (base_rate_words([curve]), f"{curve.base_rate:.4f}"),
        (score_words("brier", curve.reduction), str(curve.brier)),
        (score_words("log_loss", curve.reduction), str(curve.log_loss)),
        *_multiclass_score_rows(curve),
    ]


def _multiclass_score_rows(curve: CalibrationCurve) -> list[tuple[str, str]]:
    """Return the multi-class scores; [] if the class probabilities are not known."""
    if curve.multiclass is None:
        return []
    brier, log_loss = curve.multiclass.brier, curve.multiclass.log_loss
    return [
        (score_words("brier", MULTICLASS), f"{number(brier)} (sum over the classes)"),
        (
            score_words("log_loss", MULTICLASS),
            number(log_loss) if math.isfinite(log_loss) else "infinite (a label had the probability 0)",
        ),
    ]


def _test_name(curve: CalibrationCurve) -> str:
    """Name the test that gave the p-value, if the user chose one."""
    return f" ({curve.recipe['test']} test)" if "test" in curve.recipe else ""


def with_method(estimate: Estimate) -> str:
    """Format a value with its interval and the method and level of both."""
    if math.isnan(estimate.value) or estimate.low is None:
        return f"{estimate}"
    return f"{estimate} ({estimate.method}, {100 * estimate.level:g}% interval)"


def recipe_line(curve: CalibrationCurve | CorpCurve) -> str:
    """Format the recipe in one line."""
    return ", ".join(f"{name}={value}" for name, value in curve.recipe.items())


def recipe_rows(curves: Sequence[CalibrationCurve] | Sequence[CorpCurve]) -> list[tuple[str, str]]:
    """Return the entries of the curves' recipes; an integer that differs between curves is shown as a range."""
    keys = list(dict.fromkeys(key for curve in curves for key in curve.recipe))
    return [(key, _common_value([curve.recipe.get(key) for curve in curves])) for key in keys]


def _common_value(values: Sequence[object]) -> str:
    whole = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    if len(whole) == len(values):
        return " to ".join(dict.fromkeys((f"{min(whole):,}", f"{max(whole):,}")))
    distinct = dict.fromkeys(_plain_value(value) for value in values)
    return ("differs: " if len(distinct) > 1 else "") + shortened(distinct)


def _plain_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return UNDEFINED if value is None else str(value)


def curve_columns(curves: Sequence[CalibrationCurve], p_values: Sequence[float], *, adjusted: str = "") -> list[Column]:
    """Return the columns of a table with one row per curve; `adjusted` describes in the legend how p is adjusted."""
    level, rate = f"{100 * curves[0].error.level:g}%", base_rate_words(curves)
    shown, each = score_columns(curves), score_columns(curves, each=True)
    scores = [
        Column(_frame_name(name), NUMBER, name, LOWER, LEGENDS.get(name, ""), values=scores_of_curves, detail=True)
        for name, scores_of_curves in shown
    ]
    names = {name for name, _ in shown}
    hidden = [
        Column(_frame_name(name), NUMBER, only=FRAME, values=scores_of_curves)
        for name, scores_of_curves in each
        if name not in names
    ]
    kinds = [kind(curve, p) for curve, p in zip(curves, p_values, strict=True)]
    open_ended = any(
        curve.error.low == 0.0 and p < 1 - curve.error.level for curve, p in zip(curves, p_values, strict=True)
    )
    unknown = "; if low is 0 and p is small: miscalibrated, by an unknown amount" if open_ended else ""
    return [
        Column("group", WORDS, get=lambda curve: curve.name or "all"),
        Column("n", COUNT),
        Column("base_rate", NUMBER, rate, HIGHER if rate == "accuracy" else ""),
        *with_ends(
            Column("error", NUMBER, better=LOWER, legend=LEGENDS["error"]),
            of_ends=f"with high, the {level} interval of the error{unknown}",
        ),
        Column(
            "algorithm1_error",
            NUMBER,
            "Algorithm 1",
            LOWER,
            LEGENDS["Algorithm 1"],
            lambda curve: curve.algorithm1_error.value,
            detail=True,
        ),
        Column("ece", POINT, "ECE", LOWER, LEGENDS["ECE"], detail=True),
        *scores,
        *hidden,
        Column(
            "p_value",
            P_VALUE,
            "adjusted p" if adjusted else "p",
            "",
            f"probability of such a curve if predictions are calibrated{f', {adjusted}' if adjusted else ''}",
            values=p_values,
        ),
        Column("miscalibration", WORDS, values=kinds),
    ]


LEGENDS = {
    "error": "root mean squared gap between probabilities and frequencies, corrected for noise",
    "Algorithm 1": "the same gap with its noise",
    "ECE": "mean absolute gap of the bins",
    f"{MULTICLASS} Brier": "sum over the classes",
}


def _frame_name(heading: str) -> str:
    """Convert a heading to a column name of data frames.

    >>> _frame_name("top-label log loss")
    'top_label_log_loss'
    """
    return heading.lower().replace(" ", "_").replace("-", "_")


MAX_PARTS = 20  # bins or steps in a table
BINS = {"predicted": "mean_prob", "observed": "frequency", "low": "low", "high": "high"}
STEPS = {"from": "lower", "to": "upper", "observed": "frequency", "low": "low", "high": "high"}


def parts_table(curve: CalibrationCurve | CorpCurve) -> Table:
    """Return a table of a curve's bins or steps; if there are more than `MAX_PARTS`, of an equally spaced selection."""
    parts, name, named = (curve.steps, "step", STEPS) if hasattr(curve, "steps") else (curve.bins, "bin", BINS)
    columns = [getattr(parts, column) for column in named.values()]
    shown = np.unique(np.linspace(0, len(parts) - 1, min(len(parts), MAX_PARTS)).round().astype(int))
    rows = [[f"{i + 1}", f"{parts.count[i]:,}", *(number(column[i]) for column in columns)] for i in shown]
    return Table((name if len(shown) == len(parts) else f"{name} of {len(parts)}", "n", *named), rows)
