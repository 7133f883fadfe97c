"""Corrected counts: the number of units with label 1, from scores of all units and labels of a few hundred units."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from howsure import __version__
from howsure.counts.annotation_errors import correct_counts, label_of_row, read_double_labels
from howsure.counts.cell_counts import count_cells, count_total, fit_cells
from howsure.counts.columns import Columns
from howsure.counts.diagnostics import (
    cell_notes,
    compute_diagnostics,
    contradictory_cells,
    contradicts_design,
    design_notes,
    expected_drift,
    fit_levels,
)
from howsure.counts.further_labels import Drawn, bounds_for_unlabelled
from howsure.counts.label_sample import LabelSample
from howsure.counts.label_sheets import sheet_labels
from howsure.counts.population import read_features, read_units
from howsure.counts.proxy import fit_proxy
from howsure.counts.results import CountEstimates, total_errors
from howsure.errors import ANY_VALUE, InputError, parameter
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe, with_seed
from howsure.inputs.checks import check_probabilities
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, counted, unknown_name
from howsure.inputs.pairs import Floats
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.stats.logistic import sigmoid
from howsure.stats.threads import one_thread

METHODS = ("auto", "hierarchical", "exact", "difference", "labels", "raw")


def estimate_counts(
    y_true: ArrayLike | Mapping[int, object] | str | Source | None,
    y_prob: ArrayLike | str,
    *,
    groups: ArrayLike | IntoFrame | Mapping[str, ArrayLike] | str | None = None,
    date: ArrayLike | str | None = None,
    period: str | None = None,
    features: ArrayLike | IntoFrame | Mapping[str, ArrayLike] | str | None = None,
    strata: ArrayLike | Mapping[int, object] | str | None = None,
    inclusion: ArrayLike | Mapping[int, float] | str | None = None,
    clusters: ArrayLike | str | None = None,
    sample: LabelSample | Sequence[LabelSample] | None = None,
    pos_label: Hashable = None,
    method: str = "auto",
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> CountEstimates:
    """Estimate counts per group and in all, with intervals, from scores of all units and labels of a drawn sample.

    y_true (N,): the labels: 1, 0, or empty for units without a label; or `howsure.read` of a sheet that
        `draw_label_sample` wrote, with its labels filled in.
    y_prob (N,): any model's score of each unit, from 0 to 1; it need not be calibrated.
    groups: columns of groups; each combination of their values is counted. The period is the last column.
    date (N,): dates, whose periods divide the units after the groups.
    period: length of the periods of dates: week, month, quarter or year.
    features: numeric columns that may help predict the labels.
    strata (N,): the strata within which labels were drawn at random.
    inclusion (N,): the probability with which each unit with a label was drawn.
    clusters (N,): which units were drawn and labelled together, such as the document of (document, actor) pairs.
    sample: the sample, or a list of samples drawn one after the other; it shows which drawn units have no label.
    pos_label: label value treated as positive (default: 1); labels may have one other value.
    method: method of estimation for groups and totals.
    level: level of the intervals.
    rng: seed of what is drawn at random.

    Missing labels are None, NaN or ""; labels can also be a mapping of rows (from 0) to labels. groups and features
    are a column (N,), several, a mapping of names to columns or a data frame; there is a count per combination of
    groups, and a total per domain (all columns but the last). With `data` (a data frame or files), all of these are
    names of its columns. If strata or inclusion is given, the other may be missing for unlabelled units, or be a
    mapping of rows; without both, units were drawn at random from all. With a sample, intervals allow for any labels
    of drawn units that have none.

    Methods: "hierarchical": P(y = 1) = σ(logit m + θ) with m a cross-fitted ridge logistic regression on the features
    and θ a level for each group, pooled within its domain by a t₃ law; labelled units are known, so the count is exact
    if all are. "exact": a group's own labels alone decide its level (conditional law, no pooling). "difference": Σ m
    plus the weighted mean of y - m, with Wilson's interval (prediction-powered inference in the form of survey
    sampling). "labels": no model. "raw": the sum of scores as if they were calibrated. "auto": hierarchical in groups,
    but labels with Gaffke's bound in a domain with a group whose labels contradict the others (docs/counts.md); in
    domains and in all, difference, or labels where fewer than 20 labels are positive, or negative.

    Coverage at `level` is on average over groups, not in each group. Sources: Angelopoulos et al. (2023);
    Särndal, Swensson & Wretman (1992); Chen & Liu (1997); Keith & O'Connor (2018).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> score = rng.beta(0.3, 1.5, size=2000)
    >>> truth = rng.random(2000) < score**0.5  # the model misses many
    >>> labels = np.where(np.isin(np.arange(2000), rng.choice(2000, 200, replace=False)), truth, np.nan)
    >>> counts = estimate_counts(labels, score, rng=0)
    >>> bool(counts.total.low <= truth.sum() <= counts.total.high), bool(score.sum() < counts.total.low)
    (True, True)

    Raises InputError naming the parameter, the row, the value and what to do.
    """
    arguments = check_arguments(estimate_counts, locals())
    if isinstance(y_true, Source):
        arguments |= {"y_true": None, "labelled": y_true}
    return count_units(**arguments)


def correct_annotation_errors(
    counts: CountEstimates,
    y_true: ArrayLike | Mapping[int, object] | str,
    second: ArrayLike | Mapping[int, object] | str,
    *,
    settled: ArrayLike | Mapping[int, object] | str | None = None,
    flips: Literal["alike"] | None = None,
    pos_label: Hashable = None,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> CountEstimates:
    """Correct counts for annotation errors, with a second coder's labels of a random part of the labelled units.

    counts: the result of `estimate_counts`.
    y_true (N,): the labels that the counts are estimated from.
    second (N,): the labels of a second coder, independent of the first; empty if there is none.
    settled (N,): the final labels of units on which both coders disagree.
    flips: "alike" assumes symmetric errors: coders mislabel units of both labels equally often.
    pos_label: label value treated as positive (default: 1).
    rng: seed of the draws of error rates.

    The corrected counts are those of the true labels if both coders make errors independently, and at the same rates in
    all groups. Without `settled` or flips="alike", the intervals allow for errors in either direction.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000) < 0.3
    >>> first, second = (np.where(rng.random(2000) < 0.05, ~truth, truth) * 1.0 for _ in range(2))
    >>> second[200:] = np.nan
    >>> counts = estimate_counts(first, np.full(2000, 0.3), rng=0)
    >>> corrected = correct_annotation_errors(counts, first, second, flips="alike", rng=0)
    >>> bool(corrected.total.low <= truth.sum() <= corrected.total.high)
    True

    Raises InputError naming the parameter, the row, the value and what to do.
    Source: Dawid & Skene (1979).
    """
    check_arguments(correct_annotation_errors, locals())
    if not isinstance(counts, CountEstimates):
        rule = "{parameter} must be the result of `estimate_counts`; it is {value!r}"
        raise InputError(rule, "counts", value=counts)
    if counts.recipe["method"] == "raw":
        raise InputError("`method='raw'` uses no label; leave out `second=...`.")
    if counts.readings is not None:
        raise InputError("`counts` is already corrected for annotation errors. Pass the result of `estimate_counts`.")
    if second is None:
        raise InputError("`second` must be the labels of a second coder; it is None.")
    columns = Columns.read(data, pos_label=pos_label, y_true=y_true, second=second, settled=settled)
    labels = {role: columns[role] for role in ("y_true", "second", "settled")}
    with columns.rows.locating_errors():
        units = counts.recipe["units"]
        first_labels = label_of_row(labels["y_true"], units, pos_label, "y_true")
        if (len(first_labels), sum(first_labels.values())) != (counts.total.labelled, counts.total.positives):
            raise InputError(
                f"`y_true` must be the labels that the counts were estimated from, {counts.total.positives:,} of "
                f"{counts.total.labelled:,} positive; it has {sum(first_labels.values()):,.0f} of "
                f"{len(first_labels):,}."
            )
        double_labels = read_double_labels(**labels, flips=flips, n=units, pos_label=pos_label)
        assert double_labels is not None
        return correct_counts(counts, double_labels, generator_from(rng))


def count_units(
    y_true: ArrayLike | Mapping[int, object] | str | None,
    y_prob: ArrayLike | str,
    *,
    labelled: Source | None = None,
    groups: ArrayLike | IntoFrame | Mapping[str, ArrayLike] | str | None = None,
    date: ArrayLike | str | None = None,
    date_format: str | None = None,
    period: str | None = None,
    features: ArrayLike | IntoFrame | Mapping[str, ArrayLike] | str | None = None,
    strata: ArrayLike | Mapping[int, object] | str | None = None,
    inclusion: ArrayLike | Mapping[int, float] | str | None = None,
    clusters: ArrayLike | str | None = None,
    sample: LabelSample | Sequence[LabelSample] | None = None,
    pos_label: Hashable = None,
    second: ArrayLike | Mapping[int, object] | str | None = None,
    settled: ArrayLike | Mapping[int, object] | str | None = None,
    flips: Literal["alike"] | None = None,
    method: str = "auto",
    level: float = 0.95,
    share: bool = False,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> CountEstimates:
    """Counts per group and in all, with intervals, from scores of all units and labels of a drawn sample.

    labelled: file written by `howsure counts sample`, with labels filled in, instead of `y_true`.
    date_format: date format, such as %d/%m/%Y (default: ISO 8601, or what else fits if only one does).

    The implementation of `estimate_counts` and `correct_annotation_errors`, whose docstrings explain the parameters,
    and of `howsure counts estimate`.
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS, place="estimated counts")
    level = check_level(level)
    if (labelled is None) == (y_true is None):
        raise InputError("the labels are missing or named twice: pass either `y_true=...` or a filled sheet.")
    drawn: dict[str, Any] = {"strata": strata, "inclusion": inclusion, "sample": sample}
    extra = [parameter(role, ANY_VALUE) for role, value in drawn.items() if value is not None]
    if labelled is not None and extra:
        raise InputError(f"a filled sheet says how units were drawn; leave out {', '.join(extra)}.")
    readings: dict[str, Any] = {"second": second, "settled": settled}
    columns = Columns.read(
        data,
        pos_label=pos_label,
        date=date,
        period=period,
        date_format=date_format,
        y_true=y_true,
        y_prob=y_prob,
        groups=groups,
        features=features,
        strata=strata,
        inclusion=inclusion,
        clusters=clusters,
        **({} if labelled is not None else readings),
    )
    with columns.rows.locating_errors():
        score = check_probabilities(columns["y_prob"])
        n = len(score)
        labels = {"y_true": columns["y_true"], **{role: columns[role] for role in readings}}
        positive = None if pos_label is None else str(pos_label)
        if labelled is not None:
            named = {role: str(column) for role, column in readings.items() if column is not None}
            label_columns, drawn["sample"] = sheet_labels(
                labelled, score, place=columns.rows.place, pos_label=positive, others=tuple(named.values())
            )
            labels |= dict(zip(("y_true", *named), label_columns, strict=True))
            pos_label = None
        options: dict[str, Any] = {
            "groups": columns["groups"],
            "clusters": columns["clusters"],
            "features": read_features(columns["features"], n=n),
            "pos_label": pos_label,
            "method": method,
            "level": level,
            "share": share,
            "rng": rng,
        }
        double_labels = read_double_labels(**labels, flips=flips, n=n, pos_label=pos_label)
        if double_labels is not None and method == "raw":
            raise InputError("`method='raw'` uses no label; leave out `second=...`.")
        counts = _estimate_from_sample(
            labels["y_true"], score, drawn["sample"], columns["strata"], columns["inclusion"], options, n, positive
        )
        counts = counts if double_labels is None else correct_counts(counts, double_labels, generator_from(rng))
    caveats = (*counts.caveats, *columns.notes)
    return replace(counts, caveats=caveats, recipe={**counts.recipe, **columns.rows.provenance})


def _estimate_from_sample(
    y_true: Any,
    y_prob: Any,
    sample: Any,
    strata: Any,
    inclusion: Any,
    options: dict[str, Any],
    n: int,
    positive: str | None,
) -> CountEstimates:
    """The counts from the labels of a sample, allowing for any labels of drawn units that have no label.

    positive: the positive label as it was named, None if labels are 0 and 1.
    """
    if sample is None:
        return _estimate(y_true, y_prob, strata=strata, inclusion=inclusion, **options)
    if strata is not None or inclusion is not None:
        raise InputError("sample says how units were drawn; leave out strata and inclusion.")
    drawn = Drawn.of(sample, n=n, clusters=options["clusters"])
    rows, values, unread = drawn.read(y_true, n=n, pos_label=options["pos_label"])
    if positive not in (None, "1") and len(unread) and values.all():
        raise InputError(
            f"all {len(values):,} labels are {positive!r}, and {counted(len(unread), 'drawn unit')} "
            f"{'has' if len(unread) == 1 else 'have'} none. If an empty label means no, write no there. If nobody "
            "labelled these units, write 1 for the others, and leave out `pos_label=...`."
        )
    options |= {"strata": drawn.strata, "inclusion": drawn.inclusion, "pos_label": None}
    extremes = []
    for label in (0.0, 1.0) if len(unread) else (0.0,):
        filled = dict(zip(rows.tolist(), values.tolist(), strict=True)) | dict.fromkeys(unread.tolist(), label)
        extremes.append(_estimate(filled, y_prob, **options))
    if len(extremes) == 1:
        return extremes[0]
    return bounds_for_unlabelled(*extremes, unread=unread, drawn=len(drawn.inclusion))


@one_thread()
def _estimate(
    y_true: Any,
    y_prob: Any,
    *,
    groups: Any,
    features: dict[str, Floats],
    strata: Any,
    inclusion: Any,
    clusters: Any,
    pos_label: Any,
    method: str,
    level: float,
    share: bool,
    rng: Randomness,
) -> CountEstimates:
    """Return the counts estimated from the labels of all drawn units."""
    units = read_units(
        y_true, y_prob, groups=groups, strata=strata, inclusion=inclusion, clusters=clusters, pos_label=pos_label
    )
    rng = with_seed(rng)
    generator = generator_from(rng)
    proxy = fit_proxy(units, list(features.values()), generator)
    fitted = fit_cells(units, proxy, with_laws=method in ("auto", "hierarchical"))
    levels = fit_levels(units, proxy) if fitted.laws else None
    drift = np.empty(0) if levels is None else expected_drift(units, levels)
    contradictory = np.zeros(len(units.cells.names), dtype=np.bool_)
    if levels is not None and method == "auto":
        contradictory = contradictory_cells(units, levels)
    apart = np.bincount(units.cells.domain, weights=contradictory) > 0
    rows = count_cells(units, proxy, fitted, apart=apart, method=method, level=level)
    members = [None, *range(len(units.cells.domain_names))]
    total, *domains = (
        count_total(units, proxy, fitted, domain=domain, method=method, level=level) for domain in members
    )
    checks = compute_diagnostics(
        units, list(features.values()), proxy, fitted, generator, drift=drift, method=method, total=total, level=level
    )
    recipe = {
        "method": method,
        "level": level,
        "design": str(units.design),
        "units": len(units),
        "labelled": len(units.labelled),
        "groups": list(units.cells.columns),
        "features": list(features),
        "seed": seed_in_recipe(rng),
        "howsure": __version__,
    }
    caveats = (*design_notes(units, method), *cell_notes(units, rows, contradictory))
    by_labels, shares = [row.method == "labels" for row in domains], [row.share for row in domains]
    errors = None if method == "raw" else total_errors(units, sigmoid(proxy.labelled_logits), by_labels, shares)
    counts = CountEstimates(
        keys=units.cells.columns,
        rows=rows,
        domains=tuple(domains),
        total=total,
        diagnostics=checks,
        caveats=caveats,
        laws=fitted.laws,
        errors=errors,
        in_shares=share,
        recipe=recipe,
    )
    return counts.bounds_only() if method != "raw" and contradicts_design(units) else counts
