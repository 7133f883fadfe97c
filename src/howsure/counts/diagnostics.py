"""What checks estimated counts: hidden labels, the model against the design, drift, and the model's worth."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from howsure.calibration.calibration_errors import calibration_error
from howsure.counts.cell_counts import FittedCells
from howsure.counts.cell_levels import LEVELS, CellLevels, cell_levels
from howsure.counts.count_law import count_law
from howsure.counts.design import FEW, difference_total
from howsure.counts.notes import Note
from howsure.counts.proxy import FOLDS, Proxy, fit_proxy, folds_of, weights_of
from howsure.counts.results import CountEstimate, Diagnostics
from howsure.counts.units import LEAST_ALIKE, Bools, Units, lumps_of
from howsure.inputs.pairs import Floats
from howsure.result import Estimate
from howsure.stats.logistic import sigmoid
from howsure.stats.proportions import normal_quantile

ALIKE = 0.5  # the probability that no cell of a domain seems to contradict the others if they are normal and alike
LEAST_PAIRS = 40  # of a calibration error
ROUNDING = 1e-9  # of scores
FAR = 4.0  # standard errors between the sum of all scores and that by the draw


def diagnostics_of(
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
    """All checks; those of the hierarchical method only where it was used, and no worth of scores taken as they are."""
    coverage, cells = hidden_coverage(units, features, rng, level=level) if fitted.laws else (math.nan, 0)
    return Diagnostics(
        hidden_coverage=coverage,
        hidden_groups=cells,
        drift=tuple(drift.tolist()),
        disagreement=disagreement(units, proxy, fitted, level),
        worth=None if method == "raw" else worth_in_labels(total),
        raw_error=raw_error(units, level),
    )


def levels_of(units: Units, proxy: Proxy) -> CellLevels:
    """The levels of all cells by all labels."""
    n_cells, domain, weight = len(units.cells.names), units.cells.domain, weights_of(units)
    return cell_levels(proxy.of_labelled, units.labels, units.cell_of_labelled, n_cells, domain, weight)


def drift_of(units: Units, levels: CellLevels) -> Floats:
    """Of each domain, the expected standard deviation of the levels of its cells; NaN where there is one cell."""
    return np.where(np.bincount(units.cells.domain) > 1, levels.expected_spread, np.nan)


def too_unlike(units: Units, levels: CellLevels) -> Bools:
    """The domains with a cell whose labels contradict the other cells: pooled levels hold on average, and would draw
    the few cells of an event to the many others.

    Its agreement is below e^(-z²/2), z the normal quantile that the largest of k cells exceeds with probability ½.
    """
    domain = units.cells.domain
    labelled = np.zeros(len(domain), dtype=np.bool_)
    labelled[units.cell_of_labelled] = True
    cells = np.bincount(domain, weights=labelled)
    least = np.ones(len(cells))
    np.minimum.at(least, domain, levels.agreement)
    z = np.array([normal_quantile(ALIKE ** (1 / k)) if k > 1 else math.inf for k in cells.tolist()])
    return np.asarray(least < np.exp(-z * z / 2))


def hidden_coverage(
    units: Units, features: list[Floats], rng: np.random.Generator, *, level: float
) -> tuple[float, int]:
    """Hide the labels of each fold, predict its positives per cell, and see how often the interval holds them."""
    folds, code, weight = folds_of(units, features, rng), units.cell_of_labelled, weights_of(units)
    held, cells = 0, 0
    for fold in range(FOLDS):
        hidden = np.flatnonzero(folds == fold)
        shown = np.flatnonzero(folds != fold)
        if len(hidden) == 0 or len(shown) == 0:
            continue
        proxy = fit_proxy(units, features, rng, without=hidden)
        logits = proxy.of_labelled
        levels = cell_levels(
            logits[shown], units.labels[shown], code[shown], len(units.cells.names), units.cells.domain, weight[shown]
        )
        for cell in np.unique(code[hidden]).tolist():
            places = hidden[code[hidden] == cell]
            law = count_law(0, [logits[places]], LEVELS, [levels.posterior[cell]])
            low, high = law.interval(level)
            held += low <= units.labels[places].sum() <= high
            cells += 1
    return (held / cells if cells else math.nan), cells


def disagreement(units: Units, proxy: Proxy, fitted: FittedCells, level: float) -> tuple[float, ...]:
    """z of each domain: the sum of its cells' expected counts minus the design's total, in standard errors of that."""
    if not fitted.laws:
        return ()
    model = np.array([law.expected for law in fitted.laws])
    found = []
    for domain in range(len(units.cells.domain_names)):
        member = units.cells.domain == domain
        design = difference_total(
            units.draw,
            units.labels,
            sigmoid(proxy.of_labelled),
            member[units.cell_of_labelled],
            units=int(units.cells.size[member].sum()),
            expected=float(fitted.expected[member].sum()),
            level=level,
        )
        far = float(model[member].sum()) - design.value
        found.append(far / math.sqrt(design.variance) if design.variance > 0 else math.nan)
    return tuple(found)


def worth_in_labels(total: CountEstimate) -> int | None:
    """How many labels alone, drawn at random, would give the total this width; None if it has none.

    Half of Wilson's interval, h = z √(n p (1 - p) + z²/4) / (n + z²), is solved for n, that of an endless population.
    """
    half = (total.high - total.low) / 2
    if half <= 0 or math.isnan(total.share):
        return None
    z, h, p = normal_quantile(total.level) ** 2, half / total.n, min(max(total.share, 0.0), 1.0)
    linear = z * (p * (1.0 - p) - 2.0 * h * h)
    endless = (linear + math.sqrt(linear * linear + (h * z) ** 2 * (1.0 - 4.0 * h * h))) / (2.0 * h * h)
    return round(endless / (1.0 + endless / total.n))


def raw_error(units: Units, level: float) -> Estimate | None:
    """The calibration error of the scores on the labelled units, each weighed by how many it stands for."""
    if len(units.labelled) < LEAST_PAIRS or len(np.unique(units.labels)) < 2:
        return None
    weight = units.weight_of_labelled
    clusters = units.draw.element if units.draw.is_clustered else None
    score = units.score[units.labelled]
    return calibration_error(units.labels, score, sample_weight=weight, clusters=clusters, level=level)


def notes_of(units: Units, method: str) -> tuple[Note, ...]:
    """What a reader must know beside the numbers."""
    if method == "raw":
        return (Note("raw"),)
    positives = int(units.labels.sum())
    notes = [Note("design", {"design": units.design})]
    if units.draw.note is not None:
        notes.append(units.draw.note)
    if method in ("auto", "hierarchical") and len(units.cells.names) > 1:
        notes.append(Note("average_coverage"))
    if (few := min(positives, len(units.labels) - positives)) < FEW:
        label = "positive" if positives < FEW else "negative"
        chosen = method in ("difference", "labels")
        notes.append(Note("few_labels", {"n": few, "label": label, "chosen": chosen, "few": FEW}))
    if units.draw.is_clustered and method in ("auto", "hierarchical", "exact"):
        notes.append(Note("independent_members"))
    lumps = lumps_of(units, None)
    if lumps.alike < LEAST_ALIKE:
        notes.append(Note("large_clusters", {"largest": lumps.largest}))
    if is_far(units):
        notes.append(Note("not_as_drawn", needs_estimates=False))
    middle = float(np.median(units.score))
    low = units.score <= middle
    if not low[units.labelled].any():  # a model's misses are among the units of low score
        notes.append(Note("low_scores_unlabelled", {"n": int(low.sum()), "score": middle}, needs_estimates=False))
    return tuple(notes)


def notes_on_cells(units: Units, rows: Sequence[CountEstimate], apart: Bools) -> tuple[Note, ...]:
    """Of domains whose cells borrow nothing from each other, and of their cells without a label."""
    notes = []
    for domain in np.flatnonzero(apart).tolist():
        members = [row for row, of in zip(rows, units.cells.domain.tolist(), strict=True) if of == domain]
        name = members[0].group[:-1]
        notes.append(Note("unlike_groups", {"domain": name}))
        without = sum(row.labelled == 0 for row in members)
        if without:
            notes.append(Note("unlabelled_groups", {"n": without, "domain": name}))
    return tuple(notes)


def is_far(units: Units) -> bool:
    """Whether the sum of the scores that the draw implies is farther from the true one than chance explains."""
    held = units.draw.stratum_of_all
    if held is None:
        return False
    of_unit, size = units.elements.of_unit, units.draw.size.astype(np.float64)
    score = units.score if of_unit is None else np.bincount(of_unit, weights=units.score)
    mean = np.bincount(held, weights=score, minlength=len(size)) / np.maximum(size, 1)
    squares = np.bincount(held, weights=(score - mean[held]) ** 2, minlength=len(size))
    n = np.bincount(units.draw.stratum, minlength=len(size))
    drawn = np.bincount(units.draw.stratum, units.draw.per_drawn(units.score[units.labelled]), len(size))
    off = float((size * (drawn / np.maximum(n, 1) - mean))[n > 0].sum())
    of_stratum = size * (size - n) * squares / np.maximum(size - 1, 1) / np.maximum(n, 1)
    error = math.sqrt(float(of_stratum[n > 0].sum()))
    largest = np.zeros(len(size))  # a rare large score, of which chance may draw one too many
    np.maximum.at(largest, held, np.abs(score - mean[held]))
    one_more = float((size / np.maximum(n, 1) * largest)[n > 0].max(initial=0.0))
    rounding = ROUNDING * float(size.sum())
    return error > 0 and abs(off) > FAR * error + one_more + rounding
