"""`regress_events`: regression of the labels of a store on covariates, such as actor, period or further columns."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from howsure.errors import ColumnName, InputError
from howsure.files.input_files import opened, parsed_json
from howsure.inputs import frames
from howsure.inputs.checks import Coded
from howsure.inputs.numbers_and_names import shortened, unknown_name
from howsure.inputs.parameter_types import IntoFrame
from howsure.inputs.periods import find_period
from howsure.regression.design import check_covariate
from howsure.regression.regress_predicted import regress_predicted
from howsure.regression.results import PredictedCoefficient, PredictedRegression
from howsure.result import Estimate
from howsure_events.labels.answers import settled_labels
from howsure_events.series.labelled_pairs import PairFeatures, labelled_pairs, pair_features
from howsure_events.store.store_queries import Store, chosen_actors, counted_event, query_rows, recorded_settings

ACTOR, PERIOD, DOCUMENT = KEYS = ("actor", "period", "document")
Key = tuple[str, ...]


def regress_events(
    store: Store,
    *,
    covariates: Sequence[str] = (),
    fixed_effects: Sequence[str] = (),
    treated: str | None = None,
    after: str | None = None,
    on: Sequence[str] = (ACTOR, PERIOD),
    period: str = "quarter",
    method: Literal["linear", "logit"] = "linear",
    level: float = 0.95,
    data: frames.Source | IntoFrame | None = None,
) -> PredictedRegression:
    """Regress whether an actor acts in a document on covariates, with the labels and the model's probabilities.

    The rows of the regression are all pairs of a stored document and an actor that coders were asked about. The outcome
    is the coders' label; for unlabelled documents, it is predicted from the model's probability, and the error of these
    predictions is corrected with the labels (`howsure.regress_predicted`). Documents are clusters; their sampling
    design is that of the store. A coefficient of method "linear" is a change in the proportion of documents.

    covariates: names of covariates: actor, period, or columns of `data`.
    fixed_effects: names of further categorical covariates, whose coefficients are not reported.
    treated: a column of `data` that is 1 for treated units. With `after`, differences in differences are estimated.
    after: a column of `data` that is 1 after the treatment.
    on: the key columns that match rows of covariates with the store: any of actor (code or title), period and document.
    period: length of a period; `data` must name periods accordingly, such as "2003-Q1" for quarters.
    method: linear: least squares; logit: logistic regression.
    level: level of the intervals.
    data: a table with the key columns `on` and the other columns named above.

    >>> import howsure_events as events
    >>> with events.example_store() as store:
    ...     regress_events(store, covariates=["actor"])
    Traceback (most recent call last):
    ...
    howsure.errors.InputError: a regression needs labels, but no document of this store was drawn for labelling.

    Raises TooFewLabelsError if a stratum of the draw has fewer than 2 documents with answers; InputError for a store
    without labels, a pair without a row of `data`, a duplicate row, and the errors of `regress_predicted`.
    """
    settled = settled_labels(store)
    if settled is None:
        raise InputError("a regression needs labels, but no document of this store was drawn for labelling.")
    pairs = pair_features(store, settled.actors)
    labels = labelled_pairs(pairs, settled)
    known_columns = _store_columns(store, pairs, period)
    named = [*covariates, *fixed_effects, *(column for column in (treated, after) if column is not None)]
    brought = [name for name in dict.fromkeys(named) if name not in (ACTOR, PERIOD)]
    columns = known_columns | (
        _data_columns(store, known_columns, brought, covariates=covariates, on=on, data=data) if brought else {}
    )
    regression = regress_predicted(
        labels.labels,
        pairs.probability,
        covariates={name: columns[name] for name in covariates} or None,
        fixed_effects={name: columns[name] for name in fixed_effects} or None,
        treated=None if treated is None else columns[treated],
        after=None if after is None else columns[after],
        strata=labels.strata,
        inclusion=labels.inclusion,
        clusters=pairs.document,
        method=method,
        level=level,
    )
    settings = {
        "event": counted_event(store),
        "question": settled.question,
        "asked": list(settled.actors),
        "period": period,
    }
    provenance = {
        "documents": len(pairs.documents),
        "labelled": labels.labelled_documents,
        "joined_strata": list(labels.joined),
    }
    return replace(
        regression,
        recipe={**regression.recipe, **settings, **provenance, "on": list(on), "store": recorded_settings(store)},
    )


def saved_regression(store: Store, path: str | os.PathLike[str]) -> PredictedRegression:
    """Read a regression on the labels of a store that was written as JSON."""
    with opened(path) as file:
        try:
            content = parsed_json(file.read())
            rows = tuple(_coefficient(entry) for entry in content["coefficients"])
            regression = PredictedRegression(
                rows=rows, notes=tuple(map(str, content["notes"])), recipe=dict(content["recipe"])
            )
            regression.text()
            of = regression.recipe["store"]
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise InputError(
                f"{path} must contain a regression of events as JSON, which howsure events regress {store.path} writes."
            ) from error
    if of != json.loads(json.dumps(recorded_settings(store))):
        raise InputError(f"{path} must contain a regression of this store, {store.path}; it is of another store.")
    return regression


def _coefficient(entry: Mapping[str, Any]) -> PredictedCoefficient:
    naive, corrected = (_estimate(**entry[name]) for name in ("naive", "corrected"))
    outcome = None if entry["outcome"] is None else str(entry["outcome"])
    numbers = {
        name: _float(entry.get(name) if name.endswith("degrees") else entry[name])  # older files have no degrees
        for name in ("naive_error", "naive_degrees", "corrected_error", "corrected_degrees", "p_value")
    }
    return PredictedCoefficient(outcome, str(entry["name"]), naive=naive, corrected=corrected, **numbers)


def _estimate(value: Any, low: Any, high: Any, level: Any, method: Any, n: Any) -> Estimate:
    return Estimate(_float(value), _float(low), _float(high), level=float(level), method=str(method), n=int(n))


def _float(value: Any) -> float:
    return math.nan if value is None else float(value)


def _store_columns(store: Store, pairs: PairFeatures, period: str) -> dict[str, Any]:
    """Return the columns of the pairs that the store provides: actor, period and document."""
    days, place = np.unique(pairs.date, return_inverse=True)
    ids = [name for (name,) in query_rows(store, "SELECT id FROM documents ORDER BY document")]
    return {
        ACTOR: pairs.actor_codes,
        PERIOD: np.array([find_period(day.item(), period=period) for day in days], dtype=object)[place],
        DOCUMENT: np.repeat(np.array(ids, dtype=object), len(pairs.actors)),
    }


def _data_columns(
    store: Store,
    columns: Mapping[str, Any],
    names: Sequence[str],
    *,
    covariates: Sequence[str],
    on: Sequence[str],
    data: Any,
) -> dict[str, Any]:
    """Return the named columns of `data`, matched with the pairs by the key columns `on`."""
    if data is None:
        raise InputError(
            f"{shortened(names)} must be columns of data, which is missing; pass data along with the store."
        )
    unknown = next((name for name in on if name not in KEYS), None)
    if unknown is not None or not on:
        raise unknown_name("key", str(unknown), KEYS, place="rows of covariates")
    kinds = dict.fromkeys(names, frames.Kind.MEASURE) | dict.fromkeys(on, frames.Kind.NAMES)
    rows = frames.read_columns(data, kinds)
    with rows.locating_errors():
        for name in covariates:
            if name in names:
                check_covariate(rows[name], ColumnName(name, "covariates"))
    keys = _keys(store, rows, on)
    keys_needed = list(zip(*(columns[name] for name in on), strict=True))
    lacking = next((key for key in keys_needed if key not in keys), None)
    if lacking is not None:
        n, first = len({key for key in keys_needed if key not in keys}), next(iter(keys), ("",) * len(on))
        length = " Periods must have the length `period=...`." if PERIOD in on else ""
        raise InputError(
            f"there must be a row of covariates for each {' and '.join(on)} of the store; {_key_text(on, lacking)} has "
            f"none ({n:,} such). The first row is of {_key_text(on, first)}.{length}"
        )
    at = [keys[key] for key in keys_needed]
    return {name: np.asarray(rows[name])[at] for name in names}


def _keys(store: Store, rows: frames.Rows, on: Sequence[str]) -> dict[Key, int]:
    """Return the row of each key, with actors by their codes; actors that the store does not know keep their names."""
    columns = [_texts(rows[name]) for name in on]
    if ACTOR in on:
        place = on.index(ACTOR)
        codes = {name: _code(store, name) for name in dict.fromkeys(columns[place])}
        columns[place] = [codes[name] for name in columns[place]]
    keys: dict[Key, int] = {}
    for row, key in enumerate(zip(*columns, strict=True)):
        if key in keys:
            raise InputError(
                f"there must be one row of covariates for each {' and '.join(on)}; {rows.place(keys[key])} and "
                f"{rows.place(row)} are both of {_key_text(on, key)}."
            )
        keys[key] = row
    return keys


def _key_text(on: Sequence[str], key: Key) -> str:
    return ", ".join(f"{name} {value!r}" for name, value in zip(on, key, strict=True))


def _texts(column: Any) -> list[str]:
    if isinstance(column, Coded):
        column = np.asarray(column.names, dtype=object)[column.codes]
    return [str(item) for item in np.asarray(column).tolist()]


def _code(store: Store, name: str) -> str:
    try:
        return chosen_actors(store, [name])[0]
    except InputError:
        return name
