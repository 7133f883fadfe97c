"""Corrected counts: from scores of all units and labels of a few hundred to the number whose label is 1."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from howsure import __version__
from howsure.counts.cell_counts import count_cells, count_total, fit_cells
from howsure.counts.diagnostics import diagnostics_of, drift_of, is_far, levels_of, notes_of, notes_on_cells, too_unlike
from howsure.counts.further_labels import Drawn, within_extremes
from howsure.counts.label_sample import LabelSample
from howsure.counts.proxy import fit_proxy
from howsure.counts.readers import read_twice, with_errors
from howsure.counts.results import CountEstimates, total_errors
from howsure.counts.units import read_features, read_units
from howsure.errors import GIVEN, InputError, parameter
from howsure.inputs.checks import check_probabilities
from howsure.inputs.frames import Source, columns_from, is_frame, no_frame
from howsure.inputs.numbers_and_names import check_level, unknown_name
from howsure.inputs.pairs import Floats
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.stats.logistic import sigmoid
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe

METHODS = ("auto", "hierarchical", "exact", "difference", "labels", "raw")


def estimate_counts(
    y_true: ArrayLike | Mapping[int, object] | str,
    y_prob: ArrayLike | str,
    *,
    groups: ArrayLike | IntoFrame | Mapping[str, ArrayLike] | str | None = None,
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
    """How many units have label 1, per group and in all, from scores of all units and labels of a drawn sample.

    y_prob (N,): any model's score of each unit, in [0, 1]; it need not be calibrated. y_true (N,): 0, 1, or missing
    (None, NaN, "") where nobody has read the unit; or a mapping of rows, from 0, to labels. With
    pos_label, a label is 1 where it is that value, and may have one other. groups: a column (N,),
    several, a mapping of names to columns or a data frame, such as actor and period; counts are per combination, and
    totals per domain (all columns but the last). features: columns of numbers (N,) that may tell labels apart, in the
    same forms. The draw of the labels is `strata` (N,), within which units were drawn at random, or `inclusion` (N,),
    the chance of each unit with a label; with both, either may be missing elsewhere, or be a mapping of rows; without
    either, units were drawn at random from all. Better, it is the `sample` itself, or a list of samples that were drawn
    one after the other: then drawn units without a label are known, and the intervals hold whatever their labels are.
    clusters (N,): what was drawn together, such as the document of
    (document, actor) pairs. With `data` (a data frame) all of these name its columns. share: tables and figures show
    shares of the units instead of counts.

    Readers err. `second` (N,) is what another reader said of some of the labelled units, chosen at random and read on
    its own; `settled` (N,) the label that a third reading gave where the two differ. Then estimates and intervals are
    of the labels that are true, not of those that are read, as long as readers err alike, each on their own, in all
    groups. Without `settled`, flips="alike" assumes that both labels are misread as often; without either, the
    intervals hold whichever is misread.

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
    if data is not None:
        y_prob, y_true, second, settled, groups, features, strata, inclusion, clusters = _columns(
            data, y_prob, y_true, second, settled, groups, features, strata, inclusion, clusters
        )
    given: dict[str, Any] = {
        "groups": groups,
        "clusters": clusters,
        "pos_label": pos_label,
        "method": method,
        "level": level,
        "share": share,
        "rng": rng,
    }
    n = len(check_probabilities(y_prob))
    given["features"] = read_features(features, n=n)
    readings = None
    if second is not None:
        readings = read_twice(y_true, second, settled, flips, n=n, pos_label=pos_label)
        if method == "raw":
            raise InputError(f"{parameter('method', 'raw')} uses no label; leave out {parameter('second', GIVEN)}.")
    elif settled is not None or flips is not None:
        alone = "flips" if settled is None else "settled"
        raise InputError(f"{parameter(alone, GIVEN)} needs {parameter('second', GIVEN)}, what was read twice.")
    found = _of_drawn(y_true, y_prob, sample, strata, inclusion, given, n)
    return found if readings is None else with_errors(found, readings, generator_from(rng))


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
        "design": units.design,
        "units": len(units),
        "labelled": len(units.labelled),
        "groups": list(units.cells.columns),
        "features": list(features),
        "seed": seed_in_recipe(rng),
        "howsure": __version__,
    }
    notes = (*notes_of(units, method), *notes_on_cells(units, rows, apart))
    by_labels, shares = [row.method == "labels" for row in domains], [row.share for row in domains]
    errors = None if method == "raw" else total_errors(units, sigmoid(proxy.of_labelled), by_labels, shares)
    found = CountEstimates(
        keys=units.cells.columns,
        rows=rows,
        domains=tuple(domains),
        total=total,
        diagnostics=checks,
        notes=notes,
        laws=fitted.laws,
        errors=errors,
        in_shares=share,
        recipe=recipe,
    )
    return found.certain_only() if method != "raw" and is_far(units) else found


def _columns(data: Any, *named: Any) -> list[Any]:
    """What the parameters name in a data frame: a column, or several by name; arrays are taken as they are."""
    if not is_frame(data):
        raise no_frame(data)
    columns: Callable[[list[str]], Sequence[Any]] = partial(columns_from, data)
    if isinstance(data, Source):  # labels are there where somebody read
        names = [name for one in named if one is not None for name in ([one] if isinstance(one, str) else one)]
        read = dict(
            zip(names, data.columns(names, optional=[one for one in named[1:4] if one is not None]), strict=True)
        )
        columns = lambda asked: tuple(read[name] for name in asked)  # noqa: E731
    held: list[Any] = []
    for one in named:
        if one is None:
            held.append(None)
        elif isinstance(one, str):
            held.append(columns([one])[0])
        elif hasattr(one, "__array__") and len(one) == len(data):
            held.append(one)
        else:
            held.append(dict(zip(one, columns(list(one)), strict=True)))
    return held
