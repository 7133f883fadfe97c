"""`regress_predicted`: a regression whose outcome is predicted for every row and labelled for a few."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from howsure import __version__
from howsure.errors import ANY_VALUE, ColumnName, InputError, Parameter
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import AS_READ, Kind, Rows, Source, all_columns, is_frame, not_a_column_name, read_columns
from howsure.inputs.numbers_and_names import check_level, check_scales, counted, shortened, unknown_name
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.inputs.repeated_items import frame_clusters, note_on_models_of_frame
from howsure.notes import marked_note
from howsure.regression.design import RegressionInput, parse_requested
from howsure.regression.moments import LACKING, Fit, cross_fitted, fitted, linear_design, rough_intervals
from howsure.regression.results import PredictedCoefficient, PredictedRegression
from howsure.result import Estimate
from howsure.stats.p_values import kolmogorov_smirnov
from howsure.stats.threads import one_thread

MIN_LABELS, PER_COEFFICIENT = 30, 3  # minimum number of labels in all, and per coefficient
MIN_APART = 10  # minimum number of clusters with labels
MIN_EXPECTED_LABELS = 5  # expected labels in half of the rows, above which the absence of labels is noted
SURELY, PROBABLY = 1e-6, 1e-3  # p of a random draw, below which there is no estimate, or a note
NAIVE, CORRECTED, UNKNOWN = "prediction as label", "design-based", "cannot tell"
ABOUT = {"y_true": "human labels of some rows", "prediction": "what a model predicts for every row"}
SEVERAL = ("covariates", "fixed_effects")
Columns = ArrayLike | IntoFrame | Mapping[str, ArrayLike] | Sequence[str] | str


def regress_predicted(
    y_true: ArrayLike | Mapping[int, object] | str,
    prediction: ArrayLike | str,
    *,
    covariates: Columns | None = None,
    fixed_effects: Columns | None = None,
    treated: ArrayLike | str | None = None,
    after: ArrayLike | str | None = None,
    method: Literal["linear", "logit"] = "linear",
    sample_weight: ArrayLike | str | None = None,
    strata: ArrayLike | str | None = None,
    inclusion: ArrayLike | Mapping[int, float] | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> PredictedRegression:
    """Regress a label that a model predicted for every row, and that humans assigned to a few rows, on covariates.

    The result has two estimates of each coefficient. The naive estimate treats predictions as labels. It is biased if
    the model is wrong more often in some rows than in others, and more rows do not reduce this bias. The corrected
    estimate uses the human labels. It is nearly unbiased for any model, if the labelled rows were drawn at random or
    with known probabilities.

    y_true (n,): human labels, missing in rows without one: 0 and 1, any numbers, or names of classes.
    prediction (n,): what a model predicts for each row: a label, a probability, or a number.
    covariates: columns of numbers, or of names; names are compared with the first name.
    fixed_effects: columns of names whose levels are controlled for but not reported, such as unit and year.
    treated (n,): 1 for units that are treated at some time; with `after`, differences in differences are estimated.
    after (n,): 1 for rows after the change; without `treated`, before and after are compared.
    method: linear: least squares; logit: logistic regression of labels 0 and 1.
    sample_weight (n,): weights of the rows, such as those of a survey.
    strata (n,): strata within which the rows to be labelled were drawn at random.
    inclusion (n,): the probability with which each labelled row was drawn.
    clusters (n,): the cluster of each row, such as its unit; by default the items of a table, if they repeat.
    pos_label: the label that counts as 1; all others count as 0.
    level: level of the intervals.

    The outcome of a row is ỹ = m + (y - m) / π if it was labelled and drawn with probability π, else m. m is the
    expected label: a ridge regression of the labels on the prediction and the covariates predicts it, fitted without
    the row's own fold (of five). Coefficients β solve Σ w x (ỹ - x β) = 0 or, with method="logit", Σ w x (ỹ - σ(x β)) =
    0, where w is the weight and σ the logistic function. Standard errors are CR2 over rows or clusters, with labels
    drawn within strata. Intervals are Student's with Satterthwaite's degrees of freedom, which are few if few clusters
    or labels determine a coefficient. With several classes, each class has its own regression; in linear regressions, a
    covariate's coefficients add up to 0 over the classes. The method of a coefficient is "cannot tell" if there are too
    few labels, too few labelled rows in which the covariate varies, or no finite solution of a logistic regression, or
    if a single cluster determines the coefficient (one treated unit).

    Sources: Egami, Hinck, Stewart & Wei (2023), design-based supervised learning; Robins, Rotnitzky & Zhao (1994);
    Särndal, Swensson & Wretman (1992); Bell & McCaffrey (2002) and Pustejovsky & Tipton (2018), CR2.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> north = rng.random(2000) < 0.5
    >>> truth = (rng.random(2000) < 0.3 + 0.2 * north) * 1.0  # of which people labelled 200
    >>> predicted = np.where(north & (rng.random(2000) < 0.4), 0.0, truth)  # misses many in the north
    >>> people = np.where(np.isin(np.arange(2000), rng.choice(2000, 200, replace=False)), truth, np.nan)
    >>> row = regress_predicted(people, predicted, covariates={"north": north})["north"]
    >>> print(row.naive, row.corrected, sep="; ")
    0.0437 [0.0032, 0.0841]; 0.2247 [0.1420, 0.3073]

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_arguments(regress_predicted, locals())
    level = check_level(level)
    if method not in ("linear", "logit"):
        raise unknown_name("method", str(method), ("linear", "logit"), place="regressions")
    if treated is not None and after is None:
        raise InputError("`treated=...` needs `after=...`, the rows after the change.", "treated")
    roles = {
        "y_true": y_true,
        "prediction": prediction,
        "covariates": covariates,
        "fixed_effects": fixed_effects,
        "treated": treated,
        "after": after,
        "sample_weight": sample_weight,
        "strata": strata,
        "inclusion": inclusion,
        "clusters": clusters,
    }
    column_by_role = {role: column for role, column in roles.items() if column is not None}
    for role, what in ABOUT.items():
        if role not in column_by_role:
            raise InputError("{role} must be given, {what}.", role=Parameter(role, ANY_VALUE), what=what, remedy="look")
    values_by_role, rows = _values_of_roles(column_by_role, data, labels=pos_label is not None)
    if "clusters" in rows.chosen:
        column_by_role["clusters"] = rows.chosen["clusters"]
    with rows.locating_errors():
        name_by_role = {
            role: ColumnName(column, role) if isinstance(column, str) else role
            for role, column in column_by_role.items()
        }
        inputs = parse_requested(values_by_role, name_by_role, method=method, pos_label=pos_label)
        outcomes = {"prediction": inputs.predicted, "y_true": inputs.labels}
        scales = {str(column_by_role[role]): values for role, values in outcomes.items()} if rows.provenance else {}
        check_scales(scales, rows.provenance.get("percentages", ()))
        with one_thread():
            coefficients = _coefficients(inputs, level)
    design = None if after is None else "before and after" if treated is None else "difference in differences"
    recipe: dict[str, Any] = {"howsure": __version__, **(rows.provenance or {"n": inputs.n})}
    if data is not None:
        recipe |= {AS_READ.get(role, role): column for role, column in column_by_role.items() if role not in SEVERAL}
    effects = list(values_by_role.get("fixed_effects", ())) or None
    recipe |= {"covariates": list(values_by_role.get("covariates", ())) or None, "fixed_effects": effects}
    recipe |= {"method": method, "design": design, "sampling": inputs.how, "pos_label": pos_label, "level": level}
    return PredictedRegression(rows=coefficients, notes=(*inputs.notes, *rows.notes), recipe=recipe)


# The input: columns by role.


def _values_of_roles(column_by_role: dict[str, Any], data: Any, *, labels: bool) -> tuple[dict[str, Any], Rows]:
    """Return the value of each role, which is a column, or columns by name; and the rows that locate errors. labels:
    whether outcomes are labels, one of which counts as 1."""
    if data is None:
        return {
            role: _columns_by_name(column, role) if role in SEVERAL else column
            for role, column in column_by_role.items()
        }, Rows({})
    kinds: dict[str, Kind] = {}
    for role, column in column_by_role.items():
        names = _column_names(column) if role in SEVERAL or isinstance(column, str) else []
        if not names or not all(isinstance(name, str) for name in names):
            raise not_a_column_name(role, column)
        partly = role in ("y_true", "inclusion") or (role == "strata" and "inclusion" in column_by_role)
        named = role in ("fixed_effects", "strata", "clusters")
        kind = Kind.GRADE if partly else Kind.NAMES if named else Kind.MEASURE
        if labels and role in ("y_true", "prediction"):
            kind = Kind.OPTIONAL if partly else Kind.VALUES
        for name in names:
            if kinds.setdefault(name, kind) != kind:
                kinds[name] = Kind.VALUES
    clusters = column_by_role.get("clusters")
    regressors = {name for role in SEVERAL for name in _column_names(column_by_role.get(role))}
    repeated, item_notes = (None, ()) if clusters is not None else frame_clusters(data, [], list(kinds), regressors)
    if repeated is not None:
        kinds.setdefault(repeated, Kind.NAMES)
    cells = () if clusters is None else None
    rows = read_columns(data, kinds, clusters=clusters, cells=cells, may_be_items=regressors, pooled="covariates")
    chosen = rows.chosen if repeated is None else {"clusters": repeated}
    model_notes = note_on_models_of_frame(data, "covariates", list(kinds))
    rows = replace(rows, chosen=chosen, notes=(*rows.notes, *item_notes, *model_notes))
    values_by_role: dict[str, Any] = {}
    for role, column in {**column_by_role, **chosen}.items():
        names = [ColumnName(name, role) for name in ([column] if isinstance(column, str) else column)]
        values_by_role[role] = {name: rows[name] for name in names} if role in SEVERAL else rows[names[0]]
    return values_by_role, rows


def _column_names(columns: Any) -> list[Any]:
    """Return the names of a column, or of several columns in a list; [] for any other value."""
    return [columns] if isinstance(columns, str) else list(columns) if isinstance(columns, list | tuple) else []


def _columns_by_name(columns: Any, role: str) -> dict[str, Any]:
    """Return columns by name, from a mapping, a frame, a matrix, a list of columns, or a single column."""
    if is_frame(columns):
        columns = dict(zip(*all_columns(columns), strict=True))
    if isinstance(columns, Mapping):
        return {str(name): column for name, column in columns.items()}
    if isinstance(columns, np.ndarray) and columns.ndim == 2:
        columns = list(columns.T)
    several = isinstance(columns, list | tuple) and len(columns) > 0 and hasattr(columns[0], "__len__")
    if several and not isinstance(columns[0], str | bytes):
        return {f"{role} {place}": column for place, column in enumerate(columns, 1)}
    return {role: columns}


# The result.


def _coefficients(inputs: RegressionInput, level: float) -> tuple[PredictedCoefficient, ...]:
    features = np.hstack([inputs.predicted, inputs.regression.columns])
    labelled, notes, n = inputs.labelled, inputs.notes, inputs.n
    sure = _labels_suffice(inputs)
    rows: list[PredictedCoefficient] = []
    expected = cross_fitted(features, inputs.labels, labelled) if sure else inputs.predicted
    residuals = inputs.labels - expected[labelled.rows]
    outcomes = expected + labelled.spread(n, residuals)
    design = None if inputs.regression.logit else linear_design(inputs.regression)
    for place, outcome in enumerate(inputs.classes):
        of = "" if outcome is None else f"{outcome}: "
        labels = inputs.labels[:, place]
        naive, corrected = fitted(inputs.regression, inputs.predicted[:, place], design=design), None
        if sure and np.ptp(labels) == 0.0:
            notes.append(f"{of}every human label is {labels[0]:g}, so no coefficient can be estimated")
        elif sure:
            is_label = bool(np.isin(labels, (0.0, 1.0)).all())
            corrected = fitted(
                inputs.regression,
                outcomes[:, place],
                design=design,
                labelled=labelled,
                residuals=residuals[:, place],
                is_label=is_label,
            )
            if corrected is None:
                notes.append(
                    marked_note(
                        f"{of}the logistic regression has no finite solution, for example because a column separates "
                        "the labels or too few are 1 or 0: label more rows, or use `method='linear'`"
                    )
                )
        notes.extend(f"{of}{note}" for note in _few_labels_or_clusters(inputs, naive, corrected))
        for k, name in enumerate(inputs.names):
            predicted, predicted_error, _, predicted_degrees = _estimate(naive, k, level, NAIVE, n)
            estimate, error, p, degrees = _estimate(corrected, k, level, CORRECTED, len(labelled.rows))
            rows.append(
                PredictedCoefficient(
                    outcome, name, predicted, predicted_error, predicted_degrees, estimate, error, degrees, p
                )
            )
    return tuple(rows)


def _few_labels_or_clusters(inputs: RegressionInput, naive: Fit | None, corrected: Fit | None) -> list[str]:
    """Return notes on coefficients that depend on few labels, rows or clusters."""
    notes, what = [], "row" if inputs.regression.units is None else "cluster"
    names = np.array(inputs.names, dtype=object)
    lacking = np.full(len(names), "") if corrected is None else corrected.lacking
    for cause, sentence in LACKING.items():
        if (is_lacking := lacking == cause).any():
            notes.append(f"no estimate of {shortened(names[is_lacking].tolist())}, because {sentence}")
    if naive is not None and not naive.has_error.all():
        without = shortened(names[~naive.has_error].tolist())
        notes.append(f"{without} without an interval: part of it depends on a single {what}, and an interval needs two")
    if corrected is not None:
        shown = corrected.has_labels & corrected.has_error
        notes += rough_intervals(names[shown].tolist(), corrected.degrees[shown], f"{what}s and labels")
    return notes


def _estimate(fit: Fit | None, place: int, level: float, method: str, n: int) -> tuple[Estimate, float, float, float]:
    """Return a coefficient with its interval, its standard error, the p-value of "it is 0", and degrees of freedom.

    A corrected coefficient without a standard error is NaN, because a single cluster determines it.
    """
    if fit is None or not fit.has_labels[place] or (method == CORRECTED and not fit.has_error[place]):
        return Estimate(math.nan, None, None, level=level, method=UNKNOWN, n=n), math.nan, math.nan, math.nan
    degrees = float(fit.degrees[place]) if fit.has_error[place] else math.nan
    return *fit.estimate(place, level=level, method=method, n=n), degrees


def _labels_suffice(inputs: RegressionInput) -> bool:
    """Whether there are enough labels, and labelled rows have predictions as expected from the stated sampling design.

    If not, the reasons are added to the notes.
    """
    labelled, notes = inputs.labelled, inputs.notes
    n, fewest = len(labelled.rows), max(MIN_LABELS, PER_COEFFICIENT * len(inputs.names))
    if n < fewest or len(np.unique(labelled.element)) < MIN_APART:
        notes.append(
            f"humans labelled {counted(n, 'row')}, fewer than {fewest}: no estimate"
            if n < fewest
            else f"labels are in fewer than {MIN_APART} clusters: no estimate"
        )
        return False
    smallest = 1.0
    for predictions, name in zip(inputs.predicted.T, inputs.classes, strict=True):
        labelled_predictions, mean = predictions[labelled.rows], float(predictions.mean())
        for in_half, half in ((predictions <= mean, "at most"), (predictions > mean, "above")):
            if in_half.mean() * n >= MIN_EXPECTED_LABELS and not in_half[labelled.rows].any():
                of_class = "" if name is None else f" of {name}"
                notes.append(
                    f"none of the {int(in_half.sum()):,} rows with a prediction{of_class} {half} {mean:.3g} has a "
                    "label, so errors of the model in these rows cannot be corrected"
                )
        if inputs.simple and n < inputs.n:
            rest = np.delete(predictions, labelled.rows)
            smallest = min(smallest, kolmogorov_smirnov(labelled_predictions, rest))
    smallest = min(1.0, smallest * len(inputs.classes))
    if smallest < PROBABLY:
        notes.append(
            marked_note(
                f"predictions of labelled rows differ from those of the rest (p {smallest:.1g}): were they drawn at "
                "random? Say how they were drawn, `strata=...` or `inclusion=...`"
            )
        )
    return smallest >= SURELY
