"""Corrected counts: from scores of all units and labels of a few hundred to the number whose label is 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from howsure import __version__
from howsure.counts.count_law import CountLaw, count_law, mixture
from howsure.counts.design import (
    FEW_POSITIVES,
    Bools,
    DesignTotal,
    difference_total,
    hypergeometric_interval,
    labels_total,
)
from howsure.counts.diagnostics import diagnostics_of, notes_of
from howsure.counts.model.cell_levels import LEVELS, cell_levels
from howsure.counts.model.conditional import conditional_estimate, conditional_interval
from howsure.counts.model.proxy import Proxy, fit_proxy
from howsure.counts.results import CountEstimate, CountEstimates
from howsure.counts.units import Units, read_units
from howsure.errors import InputError
from howsure.inputs.checks import check_level
from howsure.inputs.frames import all_columns, columns_from, is_frame
from howsure.inputs.naming import unknown_name
from howsure.inputs.pairs import Floats
from howsure.stats.poisson_binomial import poisson_binomial
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe

METHODS = ("auto", "hierarchical", "exact", "difference", "labels", "raw")
LARGEST = 1e100  # number in a feature, so that its square is finite


def estimate_counts(
    y_prob: Any,
    labels: Any,
    *,
    cells: Any = None,
    features: Any = None,
    strata: Any = None,
    inclusion: Any = None,
    clusters: Any = None,
    method: str = "auto",
    level: float = 0.95,
    rng: Randomness = None,
    data: Any = None,
) -> CountEstimates:
    """How many units have label 1, per cell and in all, from scores of all units and labels of a drawn sample.

    y_prob (N,): any model's score of each unit, in [0, 1]; it need not be calibrated. labels (N,): 0, 1, or missing
    (None, NaN, "") where nobody has read the unit. cells: a column (N,), several, a mapping of names to columns or a
    data frame, such as actor and period; counts are per combination, and totals per domain (all columns but the last).
    features: columns of numbers (N,) that may tell labels apart, in the same forms. The draw of the labels is `strata`
    (N,), within which units were drawn at random, or `inclusion` (N,), the chance of each unit with a label; without
    either, units were drawn at random from all. clusters (N,): what was drawn together, such as the document of
    (document, actor) pairs. With `data` (a data frame) all of these name its columns.

    Methods: "hierarchical": P(y = 1) = σ(logit m + θ) with m a cross-fitted ridge logistic regression on the features
    and θ a level for each cell, pooled within its domain by a t₃ law; labelled units are known, so the count is exact
    when all are. "exact": a cell's own labels alone decide its level (conditional law, no pooling). "difference": Σ m
    plus the weighted mean of y - m, with Wilson's interval (prediction-powered inference in the form of survey
    sampling). "labels": no model. "raw": the sum of scores as if they were calibrated. "auto": hierarchical in cells;
    in domains and in all, difference, or labels where fewer than 20 labels are positive.

    What holds at `level` is coverage on average over cells, not of each cell. Sources: Angelopoulos et al. (2023);
    Särndal, Swensson & Wretman (1992); Chen & Liu (1997); Keith & O'Connor (2018).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> score = rng.beta(0.3, 1.5, size=2000)
    >>> truth = rng.random(2000) < score**0.5  # the model misses many
    >>> labels = np.where(np.isin(np.arange(2000), rng.choice(2000, 200, replace=False)), truth, np.nan)
    >>> counts = estimate_counts(score, labels, rng=0)
    >>> bool(counts.total.low <= truth.sum() <= counts.total.high), bool(score.sum() < counts.total.low)
    (True, True)

    Raises InputError naming the parameter, the row, the value and what to do.
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS, place="estimated counts")
    level = check_level(level)
    if data is not None:
        y_prob, labels, cells, features, strata, inclusion, clusters = _columns(
            data, y_prob, labels, cells, features, strata, inclusion, clusters
        )
    units = read_units(y_prob, labels, cells=cells, strata=strata, inclusion=inclusion, clusters=clusters)
    columns = read_features(features, n=len(units))
    generator = generator_from(rng)
    proxy = fit_proxy(units, list(columns.values()), generator)
    rows, laws = estimate_cells(units, proxy, method=method, level=level)
    members = [None, *range(len(units.cells.domain_names))]
    total, *domains = (_total(units, proxy, domain, method, level) for domain in members)
    checks = diagnostics_of(
        units, list(columns.values()), proxy, laws, generator, method=method, total=total, level=level
    )
    recipe = {
        "method": method,
        "level": level,
        "design": units.design,
        "units": len(units),
        "labelled": len(units.labelled),
        "cells": list(units.cells.columns),
        "features": list(columns),
        "seed": seed_in_recipe(rng),
        "howsure": __version__,
    }
    notes = notes_of(units, method)
    return CountEstimates(units.cells.columns, rows, tuple(domains), total, checks, recipe, notes, laws)


def read_features(features: Any, *, n: int) -> dict[str, Floats]:
    """Columns of numbers by their names: a mapping, a data frame, a list of columns, one column or a matrix (N, K).

    Raises InputError for a column of another length, or with a value that is no finite number.
    """
    if features is None:
        return {}
    if is_frame(features):
        features = dict(zip(*all_columns(features), strict=True))
    if not isinstance(features, (Mapping, Iterable)):
        raise InputError(f"features must be columns of numbers; it is a {type(features).__name__}.")
    if not isinstance(features, Mapping):
        features = list(features.T if isinstance(features, np.ndarray) else features)
        one = len(features) > 0 and np.ndim(features[0]) == 0
        features = {f"feature {k + 1}": v for k, v in enumerate([features] if one else features)}
    held: dict[str, Floats] = {}
    for name, values in features.items():
        try:
            column = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"features[{name!r}] must be a column of numbers.") from None
        if column.shape != (n,):
            raise InputError(f"features[{name!r}] must have {n:,} rows as y_prob has; its shape is {column.shape}.")
        bad = np.flatnonzero(~(np.abs(column) <= LARGEST))
        if len(bad):
            raise InputError(
                f"features[{name!r}] must be finite numbers, at most {LARGEST:g} in size; row {bad[0]} holds "
                f"{float(column[bad[0]])!r}."
            )
        held[str(name)] = column
    return held


def estimate_cells(
    units: Units, proxy: Proxy, *, method: str, level: float
) -> tuple[tuple[CountEstimate, ...], tuple[CountLaw, ...]]:
    """The count of each cell, and, by the hierarchical method, its law."""
    cells, known = units.cells, units.is_labelled
    if method in ("auto", "hierarchical"):
        laws = cell_laws(units, proxy)
        found = [_of_law(law, level, "hierarchical") for law in laws]
    else:
        laws = ()
        found = [_cell(units, proxy, cells.members(code), method, level) for code in range(len(cells.names))]
    y = units.all_labels
    rows = []
    for code, (value, low, high, used) in enumerate(found):
        rows_of = cells.members(code)
        of_cell = rows_of[known[rows_of]]
        row = CountEstimate(
            cells.names[code], len(rows_of), len(of_cell), int(y[of_cell].sum()), value, low, high, level, used
        )
        rows.append(row)
    return tuple(rows), laws


def cell_laws(units: Units, proxy: Proxy) -> tuple[CountLaw, ...]:
    """The law of the count of each cell: its labelled positives are known, the others mixed over levels and draws."""
    cells, known, y = units.cells, units.is_labelled, units.all_labels
    code = cells.code[units.labelled]
    of_draws: list[list[CountLaw]] = [[] for _ in cells.names]
    for logits in proxy.draws:
        levels = cell_levels(logits[units.labelled], units.labels, code, len(cells.names), cells.domain)
        for cell, laws in enumerate(of_draws):
            members = cells.members(cell)
            read = known[members]
            laws.append(count_law(int(y[members[read]].sum()), logits[members[~read]], LEVELS, levels.posterior[cell]))
    return tuple(mixture(laws) for laws in of_draws)


def _of_law(law: CountLaw, level: float, method: str) -> tuple[float, float, float, str]:
    low, high = law.interval(level)
    return law.expected, low, high, method


def _raw(score: Floats, level: float) -> tuple[float, float, float, str]:
    law = poisson_binomial(score)
    low, high = law.interval(level)
    return law.mean, low, high, "raw"


def _cell(
    units: Units, proxy: Proxy, members: np.ndarray[Any, Any], method: str, level: float
) -> tuple[float, float, float, str]:
    if method == "raw":
        return _raw(units.score[members], level)
    if method == "exact":
        read = units.is_labelled[members]
        positives = int(units.all_labels[members[read]].sum())
        labelled, others = proxy.logits[members[read]], proxy.logits[members[~read]]
        if len(labelled) == 0:
            return float("nan"), 0.0, float(len(members)), "exact"
        low, high = conditional_interval(labelled, others, positives, level=level)
        return conditional_estimate(labelled, others, positives), low, high, "exact"
    member = np.zeros(len(units), dtype=np.bool_)
    member[members] = True
    return _by_design(units, proxy, member, method, level)


def _total(units: Units, proxy: Proxy, domain: int | None, method: str, level: float) -> CountEstimate:
    """The count of a domain, or of everything."""
    cells = units.cells
    member = np.ones(len(units), dtype=np.bool_) if domain is None else (cells.domain == domain)[cells.code]
    inside = member[units.labelled]
    positives = int(units.labels[inside].sum())
    if method == "raw":
        value, low, high, used = _raw(units.score[member], level)
    else:
        by_labels = method == "labels" or (method != "difference" and positives < FEW_POSITIVES)
        value, low, high, used = _by_design(units, proxy, member, "labels" if by_labels else "difference", level)
    name = () if domain is None else cells.domain_names[domain]
    return CountEstimate(name, int(member.sum()), int(inside.sum()), positives, value, low, high, level, used)


def _by_design(units: Units, proxy: Proxy, member: Bools, method: str, level: float) -> tuple[float, float, float, str]:
    draw, labelled, labels = units.draw, units.labelled, units.labels
    found: DesignTotal
    if method == "difference":
        found = difference_total(draw, proxy.probabilities, labelled, labels, member, level=level)
    elif draw.is_simple:
        n, size = int(member[labelled].sum()), int(member.sum())
        positives = int(labels[member[labelled]].sum())
        low, high = hypergeometric_interval(size, n, positives, level=level)
        return size * positives / n if n else float("nan"), low, high, "labels"
    else:
        found = labels_total(draw, labelled, labels, member, level=level)
    return found.value, found.low, found.high, method


def _columns(data: Any, *named: Any) -> list[Any]:
    """What the parameters name in a data frame: columns, or mappings of names to columns where they name several."""
    if not is_frame(data):
        raise InputError(f"data must be a data frame, not {type(data).__name__}; pass arrays without data=")
    held: list[Any] = []
    for one in named:
        if one is None:
            held.append(None)
        elif isinstance(one, str):
            held.append(columns_from(data, [one])[0])
        else:
            names = list(one)
            held.append(dict(zip(names, columns_from(data, names), strict=True)))
    return held
