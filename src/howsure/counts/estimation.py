"""Corrected counts: from scores of all units and labels of a few hundred to the number whose label is 1."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from howsure import __version__
from howsure.counts.cell_counts import count_cells, count_total, fit_cells
from howsure.counts.columns import Columns
from howsure.counts.diagnostics import diagnostics_of, drift_of, is_far, levels_of, notes_of, notes_on_cells, too_unlike
from howsure.counts.further_labels import Drawn, within_extremes
from howsure.counts.label_sample import LabelSample
from howsure.counts.proxy import fit_proxy
from howsure.counts.readers import read_twice, with_errors
from howsure.counts.results import CountEstimates, total_errors
from howsure.counts.sheets import labels_of_sheet
from howsure.counts.units import read_features, read_units
from howsure.errors import GIVEN, InputError, parameter
from howsure.inputs.checks import check_probabilities
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, unknown_name
from howsure.inputs.pairs import Floats
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.stats.logistic import sigmoid
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe

METHODS = ("auto", "hierarchical", "exact", "difference", "labels", "raw")


def estimate_counts(
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
    """Estimate counts per group and in all, with intervals, from scores of all units and labels of a drawn sample.

    y_true (N,): the labels: 1, 0, or empty if nobody has read the unit.
    y_prob (N,): any model's score of each unit, from 0 to 1; it need not be calibrated.
    labelled: file written by `howsure counts sample`, with labels filled in, instead of `y_true`.
    groups: columns of groups, counted one by one, the period last.
    date (N,): dates, whose periods divide the units after the groups.
    date_format: date format, such as %d/%m/%Y (default: ISO 8601, or what else fits if only one does).
    period: length of the periods of dates: week, month, quarter or year.
    features: numeric columns that may help predict the labels.
    strata (N,): the strata within which labels were drawn at random.
    inclusion (N,): the chance with which each unit with a label was drawn.
    clusters (N,): what was drawn and read together, such as the document of (document, actor) pairs.
    sample: the sample itself, or samples drawn one after the other: drawn units without a label are known then.
    pos_label: label value treated as positive (default: 1); labels may have one other.
    second (N,): a second reader's labels, in the file of the labels; empty if read once.
    settled (N,): the labels that settle what both read differently.
    flips: assume that readers misread both labels as often.
    method: method of estimation for groups and totals.
    level: level of the intervals.
    share: show estimates and intervals as shares of the units.
    rng: seed of what is drawn at random.

    Labels are empty where they are None, NaN or ""; they may be a mapping of rows, from 0, to labels, too.
    groups and features are a column (N,), several, a mapping of names to columns or a data frame; counts are per
    combination of groups, and totals per domain (all columns but the last). With `data` (a data frame or files), all
    of these name its columns. With strata and inclusion, either may be missing elsewhere, or be a mapping of rows;
    without both, units were drawn at random from all. With a sample the intervals hold whatever the labels of drawn
    units without one are.

    Readers err. `second` is read on its own, of some of the labelled units, chosen at random; then estimates and
    intervals are of the labels that are true, not of those that are read, as long as readers err alike, each on their
    own, in all groups. Without `settled`, flips="alike" assumes that both labels are misread as often; without either,
    the intervals hold whichever is misread.

    Methods: "hierarchical": P(y = 1) = σ(logit m + θ) with m a cross-fitted ridge logistic regression on the features
    and θ a level for each group, pooled within its domain by a t₃ law; labelled units are known, so the count is exact
    when all are. "exact": a group's own labels alone decide its level (conditional law, no pooling). "difference": Σ m
    plus the weighted mean of y - m, with Wilson's interval (prediction-powered inference in the form of survey
    sampling). "labels": no model. "raw": the sum of scores as if they were calibrated. "auto": hierarchical in groups,
    but labels with Gaffke's bound in a domain with a group whose labels contradict the others (docs/counts.md); in
    domains and in all, difference, or labels where fewer than 20 labels are positive, or negative.

    What holds at `level` is coverage on average over groups, not of each group. Sources: Angelopoulos et al. (2023);
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
    if method not in METHODS:
        raise unknown_name("method", method, METHODS, place="estimated counts")
    level = check_level(level)
    if (labelled is None) == (y_true is None):
        raise InputError(
            f"say where the labels are: either {parameter('labelled', GIVEN)} or {parameter('y_true', GIVEN)}."
        )
    drawn: dict[str, Any] = {"strata": strata, "inclusion": inclusion, "sample": sample}
    told = [parameter(role, GIVEN) for role, one in drawn.items() if one is not None]
    if labelled is not None and told:
        raise InputError(f"{parameter('labelled', GIVEN)} says how units were drawn; leave out {', '.join(told)}.")
    readings: dict[str, Any] = {"second": second, "settled": settled}
    columns = Columns.read(
        data,
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
    with columns.rows.placed():
        score = check_probabilities(columns["y_prob"])
        n = len(score)
        labels = {"y_true": columns["y_true"], **{role: columns[role] for role in readings}}
        if labelled is not None:
            named = {role: str(one) for role, one in readings.items() if one is not None}
            positive = None if pos_label is None else str(pos_label)
            found, drawn["sample"] = labels_of_sheet(
                labelled, score, place=columns.rows.place, pos_label=positive, others=tuple(named.values())
            )
            labels |= dict(zip(("y_true", *named), found, strict=True))
            pos_label = None
        given: dict[str, Any] = {
            "groups": columns["groups"],
            "clusters": columns["clusters"],
            "features": read_features(columns["features"], n=n),
            "pos_label": pos_label,
            "method": method,
            "level": level,
            "share": share,
            "rng": rng,
        }
        twice = read_twice(**labels, flips=flips, n=n, pos_label=pos_label)
        if twice is not None and method == "raw":
            raise InputError(f"{parameter('method', 'raw')} uses no label; leave out {parameter('second', GIVEN)}.")
        counts = _of_drawn(labels["y_true"], score, drawn["sample"], columns["strata"], columns["inclusion"], given, n)
        counts = counts if twice is None else with_errors(counts, twice, generator_from(rng))
    return replace(counts, recipe={**counts.recipe, **columns.rows.read})


def _of_drawn(
    y_true: Any, y_prob: Any, sample: Any, strata: Any, inclusion: Any, given: dict[str, Any], n: int
) -> CountEstimates:
    """The counts by labels of what was drawn, whatever the labels of units that nobody read."""
    if sample is None:
        return _estimated(y_true, y_prob, strata=strata, inclusion=inclusion, **given)
    if strata is not None or inclusion is not None:
        raise InputError("sample says how units were drawn; leave out strata and inclusion.")
    drawn = Drawn.of(sample, n=n, clusters=given["clusters"])
    known, values, unread = drawn.read(y_true, n=n, pos_label=given["pos_label"])
    given |= {"strata": drawn.strata, "inclusion": drawn.inclusion, "pos_label": None}
    found = []
    for one in (0.0, 1.0) if len(unread) else (0.0,):
        filled = dict(zip(known.tolist(), values.tolist(), strict=True)) | dict.fromkeys(unread.tolist(), one)
        found.append(_estimated(filled, y_prob, **given))
    if len(found) == 1:
        return found[0]
    return within_extremes(*found, unread=unread, drawn=len(drawn.inclusion))


def _estimated(
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
    """The counts by labels of all that was drawn."""
    units = read_units(
        y_true, y_prob, groups=groups, strata=strata, inclusion=inclusion, clusters=clusters, pos_label=pos_label
    )
    generator = generator_from(rng)
    proxy = fit_proxy(units, list(features.values()), generator)
    fitted = fit_cells(units, proxy, with_laws=method in ("auto", "hierarchical"))
    levels = levels_of(units, proxy) if fitted.laws else None
    drift = np.empty(0) if levels is None else drift_of(units, levels)
    apart = np.zeros(len(units.cells.domain_names), dtype=np.bool_)
    if levels is not None and method == "auto":
        apart = too_unlike(units, levels)
    rows = count_cells(units, proxy, fitted, apart=apart, method=method, level=level)
    members = [None, *range(len(units.cells.domain_names))]
    total, *domains = (
        count_total(units, proxy, fitted, domain=domain, method=method, level=level) for domain in members
    )
    checks = diagnostics_of(
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
    caveats = (*notes_of(units, method), *notes_on_cells(units, rows, apart))
    by_labels, shares = [row.method == "labels" for row in domains], [row.share for row in domains]
    errors = None if method == "raw" else total_errors(units, sigmoid(proxy.of_labelled), by_labels, shares)
    found = CountEstimates(
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
    return found.certain_only() if method != "raw" and is_far(units) else found
