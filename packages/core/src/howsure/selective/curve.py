"""`selective_curve`: the risk of the answers that are kept at every coverage, and single points of the curve.

An answer is kept if its confidence is at least a threshold. Coverage is the proportion of answers that are kept; risk
is the proportion of wrong answers among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from howsure import __version__
from howsure.calibration.engines.pairs_or_sums import read_calibration_input
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, counted
from howsure.inputs.pairs import TOP_LABEL, Bools, Floats, Integers, Labels, Pairs, Probabilities
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Estimate
from howsure.selective.kept_answers import Kept, even_places, interval_name, kept_at, risk_interval
from howsure.selective.ranked_answers import BLOCK, Ranked, estimate_auroc, ranked, risk_areas
from howsure.selective.results import AtAccuracy, AtCoverage, RiskCoverage, SelectiveCurve, SelectiveTable
from howsure.selective.threshold import check_promise, choose_threshold, threshold_tests
from howsure.stats.clusters import MIN_CONTRIBUTORS, effective_contributors, few_clusters, few_contributors
from howsure.stats.proportions import wilson_interval
from howsure.worst_rows import Show, check_worst, is_wrong


def at_coverage(ranks: Ranked, every: Kept, share: float, *, level: float) -> AtCoverage:
    """Return the highest threshold that keeps at least a proportion `share` of the answers, and the accuracy of the
    kept answers.

    The interval (Wilson's, or Gaffke's with clusters) is for the expected accuracy at this threshold. The interval is
    valid although the threshold was chosen: given the lowest kept confidence, the kept answers are still independent.
    """
    position = int(np.searchsorted(every.n, math.ceil(share * every.total - 1e-9)))
    kept = every.select(np.array([min(position, len(every.n) - 1)]))
    low, high = risk_interval(ranks, kept, level)
    n = int(kept.n[0])
    accuracy = Estimate(1 - float(kept.risk[0]), 1 - float(high[0]), 1 - float(low[0]), level, interval_name(ranks), n)
    threshold = float(kept.threshold[0])
    return AtCoverage(share, threshold, n, float(kept.coverage[0]), accuracy, _next_lower(ranks, threshold))


def at_accuracy(ranks: Ranked, every: Kept, accuracy_asked: float, *, level: float) -> AtAccuracy:
    """Return the largest coverage at which the accuracy is at least `accuracy_asked`, with an interval.

    The lower end is the coverage of the threshold that `selective_threshold` guarantees for a risk of 1 -
    accuracy_asked with delta = (1 - level) / 2, or 0 if no threshold is guaranteed. The upper end is the largest
    coverage at which the accuracy's interval contains `accuracy_asked`. Both ends are widened by Wilson's interval of a
    proportion.
    """
    good = _last_place(every, lambda kept: kept.errors <= (1 - accuracy_asked) * kept.n + 1e-9)
    threshold = None if good is None else float(every.threshold[good])
    n = 0 if good is None else int(every.n[good])
    value = n / ranks.total
    candidates = every if ranks.clusters is None else every.select(even_places(ranks))
    possible = _last_place(candidates, lambda kept: risk_interval(ranks, kept, level)[0] <= 1 - accuracy_asked + 1e-12)
    furthest = 0.0
    if possible is not None:  # with clusters, between evaluated positions
        furthest = float(candidates.coverage[min(possible + (ranks.clusters is not None), len(candidates.n) - 1)])
    guaranteed = _promised(ranks, accuracy_asked, level)
    low, high = (
        wilson_interval(np.array([share]), np.array([every.effective_total]), level=level)
        for share in (guaranteed, furthest)
    )
    ends = (float(low[0][0]) if guaranteed else 0.0, float(high[1][0]) if furthest else 0.0)
    coverage = Estimate(value, min(ends[0], value), max(ends[1], value), level, "inverted tests", ranks.total)
    next_lower = None if threshold is None else _next_lower(ranks, threshold)
    return AtAccuracy(accuracy_asked, threshold, n, coverage, next_lower)


def _next_lower(ranks: Ranked, threshold: float) -> float | None:
    """Return the highest confidence below the threshold; None if there is none."""
    below = ranks.confidence[int(np.count_nonzero(ranks.confidence >= threshold)) :]
    return float(below[0]) if len(below) else None


def _last_place(kept: Kept, test: Callable[[Kept], Bools]) -> int | None:
    """Return the last position that passes a test; None if no position does."""
    for start in reversed(range(0, len(kept.n), BLOCK)):
        passed = np.flatnonzero(test(kept.select(slice(start, start + BLOCK))))
        if len(passed):
            return start + int(passed[-1])
    return None


def _promised(ranks: Ranked, accuracy_limit: float, level: float) -> float:
    if accuracy_limit >= 1.0:
        return 0.0
    tests = threshold_tests(ranks, risk=1 - accuracy_limit, delta=(1 - level) / 2)
    passed: Integers = np.flatnonzero(tests.passed)
    return float(tests.kept.coverage[passed[-1]]) if len(passed) else 0.0


COVERAGES = (0.5, 0.8, 0.9)
FEW_VALUES = 20
FEW_OF_A_KIND = 5
MANY_UNLIKELY = 0.25  # proportion of confidences below ½ from which they may be class probabilities
HARDLY = 0.1  # a chosen answer has a lower confidence only if there are more than ten options


def selective_curve(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    coverage: Sequence[float] = COVERAGES,
    accuracy: Sequence[float] = (),
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> SelectiveCurve:
    """The risk–coverage curve of keeping only confident answers, and the AUROC of confidence for correctness.

    y_true (n,): 1 if the model's answer is right, else 0; any two values with `pos_label`. y_prob (n,): the model's
    confidence in that answer. `Pairs` may replace both (`pairs_from_classes` makes them from class probabilities).
    clusters (n,): clusters of answers that may be right or wrong together; intervals are then based on clusters.

    The result contains the curve and these figures. `auroc` is the probability that a right answer has a higher
    confidence than a wrong answer. `aurc` is the area under the risk–coverage curve: the mean over i of the error rate
    among the i most confident answers. `excess_aurc` (E-AURC) is the AURC minus the AURC of a perfect order.
    `at_coverage` is the accuracy of the kept answers at each `coverage`, and `at_accuracy` is the largest coverage at
    which this accuracy reaches each `accuracy`. Answers of equal confidence are kept or rejected together; the AURC is
    then the expectation over random orders of these answers. level: level of all intervals.

    Raises InputError, which names the parameter, row and value, for an invalid input.
    Source: Geifman, Uziel & El-Yaniv (2019) for AURC and E-AURC; DeLong et al. (1988), Obuchowski (1997) for AUROC.

    >>> curve = selective_curve([1, 1, 1, 0, 1, 0], [0.9, 0.8, 0.8, 0.7, 0.6, 0.3], coverage=[0.5])
    >>> curve.auroc.value, round(curve.aurc.value, 4), curve.at_coverage[0].threshold
    (0.875, 0.1306, 0.8)
    """
    check_arguments(selective_curve, locals())
    pairs = pairs_from(y_true, y_prob, data=data, clusters=clusters, pos_label=pos_label)
    return build_selective_curve(pairs, coverage=coverage, accuracy=accuracy, level=level)


def selective_table(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    groups: ArrayLike | str | None = None,
    coverage: Sequence[float] = COVERAGES,
    accuracy: Sequence[float] = (),
    risk: float | None = None,
    delta: float = 0.1,
    dependence: Literal["estimated", "any"] = "estimated",
    clusters: ArrayLike | str | None = None,
    id: str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    worst: int | None = None,
    show: Show = (),
    data: Source | IntoFrame | None = None,
) -> SelectiveTable:
    """Compute the risk–coverage curve, the AUROC and a threshold with guaranteed risk for each group of answers.

    Computes `selective_curve` for every group (models, languages, subjects) and, if `risk` is given, also
    `selective_threshold`. Intervals and guarantees hold for each group separately.

    y_true (n,): whether the answer is right; with classes, the true label.
    y_prob (n,): the model's confidence in its answer.
    groups (n,): groups (model, subject) with a curve each; without them, there is one curve for all answers.
    coverage: proportions of answers to keep; reports the accuracy of the most confident answers.
    accuracy: accuracies to reach; reports the largest coverage with each of them.
    risk: find a threshold for which it is guaranteed that at most this proportion of the kept answers is wrong.
    delta: largest probability that this guarantee is broken.
    dependence: with clusters and a risk, how answers of a cluster depend on each other.
    worst: number of wrong answers to list, those with the largest confidence.
    show: columns to show of the worst rows, such as question,answer; texts are read only for these rows.

    Equally bad rows keep their original order. Without `data`, `show` maps names to arrays. For the other arguments,
    see `selective_curve`.

    >>> table = selective_table([1, 0, 1, 1], [0.9, 0.2, 0.3, 0.6], groups=["a", "a", "b", "b"])
    >>> [(curve.name, curve.n) for curve in table]
    [('a', 2), ('b', 2)]

    Raises InputError, which names the parameter, row and value, for an invalid input.
    """
    check_arguments(selective_table, locals())
    level = check_level(level)
    if risk is not None:
        check_promise(risk, delta, dependence)
    options: dict[str, Any] = {"coverage": checked_shares(coverage, "coverage"), "level": level}
    options["accuracy"] = checked_shares(accuracy, "accuracy")
    roles: dict[str, Any] = {"groups": groups, "clusters": clusters, "id": id, "pos_label": pos_label}
    likelier = isinstance(y_prob, Probabilities) and y_prob.is_confidence
    spec = replace(y_prob, reduce=None) if isinstance(y_prob, Probabilities) and likelier else y_prob
    asked_worst = check_worst(worst, show, data, wrong=is_less_likely if likelier else is_wrong)
    all_parts = read_calibration_input(y_true, spec, data=data, in_memory=True, worst=asked_worst, **roles)
    parts = [
        (name, confidence_pairs(pairs) if likelier else _with_note_on_right(pairs, pos_label))
        for name, pairs in all_parts.by_group
        if isinstance(pairs, Pairs)
    ]
    return SelectiveTable(
        rows=tuple(build_selective_curve(pairs, name=name, **options) for name, pairs in parts),
        thresholds=()
        if risk is None
        else tuple(
            choose_threshold(pairs, risk=risk, delta=delta, dependence=dependence, level=level, name=name)
            for name, pairs in parts
        ),
        recipe={
            "howsure": __version__,
            "n": all_parts.n,
            "groups": len(parts),
            "level": level,
            "clustered": any(pairs.clusters is not None for _, pairs in parts),
            **(all_parts.provenance or all_parts.notes),
            **({"reduce": TOP_LABEL} if likelier else {}),
            **({} if asked_worst is None else asked_worst.recipe),
        },
        worst=all_parts.worst,
    )


def build_selective_curve(
    pairs: Pairs,
    *,
    coverage: Sequence[float] = COVERAGES,
    accuracy: Sequence[float] = (),
    level: float = 0.95,
    name: str | None = None,
) -> SelectiveCurve:
    """The curve of checked pairs: the implementation of `selective_curve`."""
    level = check_level(level)
    coverages, accuracies = checked_shares(coverage, "coverage"), checked_shares(accuracy, "accuracy")
    ranks = ranked(pairs)
    every = kept_at(ranks, slice(None))
    kept = every.select(even_places(ranks))
    low, high = risk_interval(ranks, kept, level)
    auroc = estimate_auroc(ranks, level=level)
    aurc, excess = risk_areas(ranks, auroc, level=level)
    points = RiskCoverage(kept.threshold, kept.n, kept.errors, kept.coverage, kept.risk, low, high)
    accuracy = (float(1 - kept.risk[-1]), float(1 - high[-1]), float(1 - low[-1]))
    return SelectiveCurve(
        auroc=auroc,
        aurc=aurc,
        excess_aurc=excess,
        accuracy=Estimate(*accuracy, level=level, method=interval_name(ranks), n=ranks.total),
        points=points,
        at_coverage=tuple(at_coverage(ranks, every, value, level=level) for value in coverages),
        at_accuracy=tuple(at_accuracy(ranks, every, value, level=level) for value in accuracies),
        n=ranks.total,
        recipe={
            "howsure": __version__,
            "n": ranks.total,
            "distinct_confidences": len(ranks.n),
            "level": level,
            "clusters": None if ranks.clusters is None else ranks.n_clusters,
        },
        notes=(*_note_on_order(auroc), *_notes(ranks), *pairs.notes),
        name=name,
    )


def checked_shares(values: Sequence[float], name: str) -> list[float]:
    """Check that proportions are above 0 and at most 1, and return them."""
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value <= 1.0:
            raise InputError(
                "{parameter} must be greater than 0 and at most 1; it is {value!r}. Write 0.8 for 80%.",
                name,
                value=value,
            )
    return [float(value) for value in values]


def _with_note_on_right(pairs: Pairs, pos_label: Hashable) -> Pairs:
    """Return the pairs. Add a note on what counts as right if `pos_label` was given and many confidences are below
    ½."""
    unlikely = float(np.mean(pairs.probabilities < 0.5))
    if pos_label is None or unlikely < MANY_UNLIKELY:
        return pairs
    note = (
        f"an answer counts as right if its label is {pos_label}, and {unlikely:.0%} of the confidences are below 0.5: "
        f"if these are probabilities of {pos_label}, use the likelier label as the answer (reduce: top-label)"
    )
    return replace(pairs, notes=(*pairs.notes, note))


def confidence_pairs(pairs: Pairs) -> Pairs:
    """Convert probabilities of label 1 to probabilities of the likelier label, and labels to whether this label is
    right.

    At a probability of ½, label 0 counts as the likelier label.
    """
    right = (~is_less_likely(pairs.labels, pairs.probabilities)).view(np.uint8)
    return replace(pairs, labels=right, probabilities=np.maximum(pairs.probabilities, 1 - pairs.probabilities))


def is_less_likely(labels: Labels, probabilities: Floats) -> Bools:
    """Whether the true label is the less likely one."""
    return np.asarray((probabilities > 0.5) != (labels == 1))


def _note_on_order(auroc: Estimate) -> Iterator[str]:
    if auroc.high is not None and auroc.high < 0.5:
        yield (
            "wrong answers have higher confidences than right ones (AUROC below 0.5): check that the label is 1 for a "
            "right answer, not for an error"
        )


def _notes(ranks: Ranked) -> Iterator[str]:
    wrong, n = ranks.wrong, ranks.total
    if wrong in (0, n):
        yield (
            f"every answer is {'right' if wrong == 0 else 'wrong'}: nothing shows whether confidence separates right "
            "from wrong"
        )
    elif min(wrong, n - wrong) < FEW_OF_A_KIND:
        few = counted(wrong, "wrong answer") if wrong < n - wrong else counted(n - wrong, "right answer")
        yield f"there {'is' if few.startswith('1 ') else 'are'} only {few}, on which all figures depend"
    if len(ranks.n) == 1:
        yield "every answer has the same confidence, so the answers cannot be ranked"
    elif len(ranks.n) <= FEW_VALUES:
        largest = int(ranks.n.argmax())
        yield (
            f"only {len(ranks.n)} distinct confidences: coverage changes in steps of up to {ranks.n[largest] / n:.1%} "
            f"(confidence {ranks.confidence[largest]:.4g})"
        )
    under = int(ranks.n[ranks.confidence < HARDLY].sum())
    if under > n / 20:
        yield (
            f"{under / n:.0%} of the confidences are below {HARDLY:g}; if they are the probability p of one of two "
            "classes, use the larger of p and 1 - p as the confidence"
        )
    if ranks.clusters is not None:
        yield from _notes_on_clusters(ranks)


def _notes_on_clusters(ranks: Ranked) -> Iterator[str]:
    assert ranks.clusters is not None
    if few := few_clusters(np.bincount(ranks.clusters)):
        yield few
    kinds = {f"the {word} answers": ranks.by_kind(kind) for kind, word in enumerate(("wrong", "right"))}
    what, counts = min(kinds.items(), key=lambda entry: (effective_contributors(entry[1]), entry[0]))
    if few := few_contributors(counts, what):
        yield few
    if 0.0 < ranks.effective_contributors < MIN_CONTRIBUTORS:
        yield (
            f"AUROC and E-AURC have no interval: {what} count as {ranks.effective_contributors:.1f} clusters of equal "
            f"size, and at least {MIN_CONTRIBUTORS:g} must show how clusters differ"
        )
