"""Checks of estimated counts: held-out labels, model against design, drift, and the value of the scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from howsure.calibration.calibration_errors import calibration_error
from howsure.counts.cell_counts import FittedCells
from howsure.counts.cell_levels import LEVELS, SCALE_OF_SIMILAR, CellLevels, cell_levels
from howsure.counts.count_laws import count_intervals, count_laws
from howsure.counts.design_totals import MIN_MINORITY, difference_total
from howsure.counts.notes import CountNote
from howsure.counts.population import MIN_EFFECTIVE_ELEMENTS, Units, measure_elements
from howsure.counts.proxy import FOLDS, Proxy, assign_folds, fit_proxy, label_weights
from howsure.counts.results import CountEstimate, Diagnostics
from howsure.inputs.pairs import Bools, Floats
from howsure.result import Estimate
from howsure.stats.logistic import sigmoid
from howsure.stats.proportions import normal_quantile

P_NO_CONTRADICTION = 0.6  # probability that no cell of a domain with equal levels is flagged
DECISION, MIN_DECISIONS = 0.5, 50  # the usual threshold of a label; labels in which agreement is suspicious
MIN_PAIRS = 40  # minimum number of labels for a calibration error
ROUNDING = 1e-9  # tolerance in comparisons of scores
MAX_STANDARD_ERRORS = 4.0  # largest plausible distance of the sum of scores from its estimate from the sample


def compute_diagnostics(
    units: Units,
    features: list[Floats],
    proxy: Proxy,
    fitted: FittedCells,
    rng: np.random.Generator,
    *,
    drift: Floats,
    method: str,
    total: CountEstimate,
    level: float,
) -> Diagnostics:
    coverage, cells = hidden_coverage(units, features, rng, level=level) if fitted.laws else (math.nan, 0)
    return Diagnostics(
        hidden_coverage=coverage,
        hidden_groups=cells,
        drift=tuple(drift.tolist()),
        disagreement=disagreement(units, proxy, fitted, level),
        worth=None if method == "raw" else equivalent_labels(total),
        raw_error=raw_error(units, level),
    )


def fit_levels(units: Units, proxy: Proxy) -> CellLevels:
    """Compute the levels of all cells from all labels, with a prior by which the cells of a domain are similar."""
    return cell_levels(
        proxy.labelled_logits,
        units.labels,
        units.cell_of_labelled,
        len(units.cells.names),
        units.cells.domain,
        label_weights(units),
        scale_of_spreads=SCALE_OF_SIMILAR,
    )


def expected_drift(units: Units, levels: CellLevels) -> Floats:
    """Return for each domain the expected standard deviation of its cells' levels; NaN for a single cell."""
    return np.where(np.bincount(units.cells.domain) > 1, levels.expected_spread, np.nan)


def contradictory_cells(units: Units, levels: CellLevels) -> Bools:
    """Return which cells have labels that contradict the other cells of their domain; pooling would bias these.

    The agreement of such a cell is below e^(-z²/2), where z is the quantile that the largest of k standard normal
    values exceeds with probability 0.4, for a domain of k cells with labels.
    """
    domain = units.cells.domain
    labelled = np.zeros(len(domain), dtype=np.bool_)
    labelled[units.cell_of_labelled] = True
    cells = np.bincount(domain, weights=labelled)
    z = np.array([normal_quantile(P_NO_CONTRADICTION ** (1 / k)) if k > 1 else math.inf for k in cells.tolist()])
    return np.asarray(levels.agreement < np.exp(-z * z / 2)[domain])


def hidden_coverage(
    units: Units, features: list[Floats], rng: np.random.Generator, *, level: float
) -> tuple[float, int]:
    """Return the proportion of intervals that cover the held-out positives of a cell, and the number of intervals.

    There is an interval for each cell and fold.
    """
    folds, code, weight = assign_folds(units, features, rng), units.cell_of_labelled, label_weights(units)
    covered, cells = 0, 0
    for fold in range(FOLDS):
        hidden = np.flatnonzero(folds == fold)
        shown = np.flatnonzero(folds != fold)
        if len(hidden) == 0 or len(shown) == 0:
            continue
        proxy = fit_proxy(units, features, rng, without=hidden)
        logits = proxy.labelled_logits
        levels = cell_levels(
            logits[shown], units.labels[shown], code[shown], len(units.cells.names), units.cells.domain, weight[shown]
        )
        hidden_cells = np.unique(code[hidden])
        members = [hidden[code[hidden] == cell] for cell in hidden_cells.tolist()]
        laws = count_laws(
            [0] * len(members), [[logits[rows]] for rows in members], LEVELS, levels.posterior[hidden_cells, None]
        )
        for rows, (low, high) in zip(members, count_intervals(laws, level), strict=True):
            covered += low <= units.labels[rows].sum() <= high
        cells += len(members)
    return (covered / cells if cells else math.nan), cells


def disagreement(units: Units, proxy: Proxy, fitted: FittedCells, level: float) -> tuple[float, ...]:
    """Return z for each domain: its cells' expected counts minus the total by design, by the standard error."""
    if not fitted.laws:
        return ()
    model = np.array([law.expected for law in fitted.laws])
    z_scores = []
    for domain in range(len(units.cells.domain_names)):
        member = units.cells.domain == domain
        design = difference_total(
            units.draw,
            units.labels,
            sigmoid(proxy.labelled_logits),
            member[units.cell_of_labelled],
            units=int(units.cells.size[member].sum()),
            expected=float(fitted.expected[member].sum()),
            level=level,
        )
        difference = float(model[member].sum()) - design.value
        z_scores.append(difference / math.sqrt(design.variance) if design.variance > 0 else math.nan)
    return tuple(z_scores)


def equivalent_labels(total: CountEstimate) -> int | None:
    """Return the number of labels of a random sample with which the total would be as precise without scores.

    None if it is unknown.

    Half of Wilson's interval, h = z √(n p (1 - p) + z²/4) / (n + z²), is solved for n in an infinite population.
    """
    half = (total.high - total.low) / 2
    if half <= 0 or math.isnan(total.share):
        return None
    z, h, p = normal_quantile(total.level) ** 2, half / total.n, min(max(total.share, 0.0), 1.0)
    linear = z * (p * (1.0 - p) - 2.0 * h * h)
    endless = (linear + math.sqrt(linear * linear + (h * z) ** 2 * (1.0 - 4.0 * h * h))) / (2.0 * h * h)
    return round(endless / (1.0 + endless / total.n))


def raw_error(units: Units, level: float) -> Estimate | None:
    """Return the calibration error of the scores; each labelled unit is weighted by the units that it represents."""
    if len(units.labelled) < MIN_PAIRS or len(np.unique(units.labels)) < 2:
        return None
    weight = units.weight_of_labelled
    clusters = units.draw.element if units.draw.is_clustered else None
    score = units.score[units.labelled]
    return calibration_error(units.labels, score, sample_weight=weight, clusters=clusters, level=level)


def design_notes(units: Units, method: str) -> tuple[CountNote, ...]:
    """Return notes on the sampling design, and on few or atypical labels."""
    if method == "raw":
        return (CountNote("raw"),)
    positives = int(units.labels.sum())
    design = units.design
    notes = []
    if len(units.labelled) < len(units) or not design.is_assumed:
        notes.append(
            CountNote("assumed_design", {"clustered": design.clustered})
            if design.is_assumed
            else CountNote("design", {"design": design})
        )
    decisions = units.score[units.labelled] >= DECISION
    enough = len(units.labelled) >= MIN_DECISIONS and 0 < positives < len(units.labelled)
    if enough and (decisions == (units.labels > 0)).all():
        notes.append(CountNote("labels_of_model", {"n": len(units.labelled)}, needs_estimates=False))
    if units.draw.note is not None:
        notes.append(units.draw.note)
    if method in ("auto", "hierarchical") and len(units.cells.names) > 1:
        notes.append(CountNote("average_coverage"))
    if (few := min(positives, len(units.labels) - positives)) < MIN_MINORITY:
        label = "positive" if positives < MIN_MINORITY else "negative"
        chosen = method in ("difference", "labels")
        notes.append(CountNote("few_labels", {"n": few, "label": label, "chosen": chosen, "few": MIN_MINORITY}))
    if units.draw.is_clustered and method in ("auto", "hierarchical", "exact"):
        notes.append(CountNote("independent_members"))
    element_sizes = measure_elements(units, None)
    if element_sizes.effective < MIN_EFFECTIVE_ELEMENTS:
        notes.append(CountNote("large_clusters", {"largest": element_sizes.largest}))
    if contradicts_design(units):
        notes.append(CountNote("not_as_drawn", needs_estimates=False))
    middle = float(np.median(units.score))
    low = units.score <= middle
    if not low[units.labelled].any():  # the positives that a model misses have low scores
        notes.append(CountNote("low_scores_unlabelled", {"n": int(low.sum()), "score": middle}, needs_estimates=False))
    return tuple(notes)


def cell_notes(units: Units, rows: Sequence[CountEstimate], contradictory: Bools) -> tuple[CountNote, ...]:
    """Return notes on domains that are not pooled because they have `contradictory` cells, and on unlabelled cells."""
    notes = []
    for domain in np.unique(units.cells.domain[contradictory]).tolist():
        members = [
            row for row, row_domain in zip(rows, units.cells.domain.tolist(), strict=True) if row_domain == domain
        ]
        name = members[0].group[:-1]
        unlike = [
            units.cells.names[cell][-1] for cell in np.flatnonzero(contradictory & (units.cells.domain == domain))
        ]
        notes.append(CountNote("unlike_groups", {"domain": name, "unlike": unlike}))
        without = sum(row.labelled == 0 for row in members)
        if without:
            notes.append(CountNote("unlabelled_groups", {"n": without, "domain": name}))
    return tuple(notes)


def contradicts_design(units: Units) -> bool:
    """Return whether the sum of scores, estimated from the sample, is farther from the true sum than by chance."""
    stratum = units.draw.stratum_of_all
    if stratum is None:
        return False
    of_unit, size = units.elements.of_unit, units.draw.size.astype(np.float64)
    score = units.score if of_unit is None else np.bincount(of_unit, weights=units.score)
    mean = np.bincount(stratum, weights=score, minlength=len(size)) / np.maximum(size, 1)
    squares = np.bincount(stratum, weights=(score - mean[stratum]) ** 2, minlength=len(size))
    n = np.bincount(units.draw.stratum, minlength=len(size))
    drawn = np.bincount(units.draw.stratum, units.draw.sum_by_element(units.score[units.labelled]), len(size))
    difference = float((size * (drawn / np.maximum(n, 1) - mean))[n > 0].sum())
    stratum_variances = size * (size - n) * squares / np.maximum(size - 1, 1) / np.maximum(n, 1)
    error = math.sqrt(float(stratum_variances[n > 0].sum()))
    largest = np.zeros(len(size))  # chance may draw one rare large score too many
    np.maximum.at(largest, stratum, np.abs(score - mean[stratum]))
    one_more = float((size / np.maximum(n, 1) * largest)[n > 0].max(initial=0.0))
    rounding = ROUNDING * float(size.sum())
    return error > 0 and abs(difference) > MAX_STANDARD_ERRORS * error + one_more + rounding
