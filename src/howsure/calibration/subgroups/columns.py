"""The columns that groups are made of, as users give them, and the features that they become."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.calibration.subgroups.features import Feature, feature_of
from howsure.errors import GIVEN, InputError, parameter, shown
from howsure.inputs.frames import Source, all_columns, columns_from, is_frame
from howsure.inputs.pairs import NOTHING, Pairs
from howsure.inputs.pairs_from import pairs_from

PREDICTION = "prediction"


def pairs_and_features(
    y_true: Any, y_prob: Any, *, features: Any, data: Any, **roles: Any
) -> tuple[Pairs, Mapping[str, Any]]:
    """The pairs, and the columns that groups are made of, by name: of the same rows."""
    if isinstance(data, Source):
        asked = _names(features)
        if isinstance(y_true, str) and y_true in asked:
            raise InputError(
                f"{parameter('features')} must not name the label: {y_true} is {parameter('y_true')}. Groups are made "
                "of "
                "what is known before it."
            )
        with data.predictions(y_true, y_prob, features=asked, **roles) as read:
            return read.pairs(), read.features(asked)
    columns = columns_by_name(features, data)
    return pairs_from(y_true, y_prob, data=data, **roles), columns


def columns_by_name(features: Any, data: Any) -> dict[str, Any]:
    """The features by name."""
    if features is None:
        raise InputError("features must be a data frame, or a mapping of names to columns; there are none.")
    if data is not None:
        names = _names(features)
        values: Sequence[Any] = columns_from(data, names)
    elif isinstance(features, Mapping):
        names, values = _different(features), list(features.values())
    elif is_frame(features):
        found, values = all_columns(features)
        names = _different(found)
    else:
        raise InputError(
            f"features must be a data frame, or a mapping of names to columns; it is a {type(features).__name__}. "
            "Name the columns: features={'length': ...}."
        )
    return dict(zip(names, values, strict=True))


def _names(features: Any) -> list[str]:
    """The names of columns of `data`."""
    if isinstance(features, str) or not isinstance(features, Sequence):
        raise InputError(
            f"with {parameter('data', GIVEN)}, features must be a list of names of its columns; it is "
            f"{shown(features)}."
        )
    return _different(features)


def _different(features: Iterable[Any]) -> list[str]:
    names = [str(name) for name in features]
    if not names:
        raise InputError("features must hold at least one column; it holds none.")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"features must name each column once; {name} is there {names.count(name)} times.")
    return names


def features_of(given: Pairs, columns: Mapping[str, Any], *, min_rows: int) -> tuple[Pairs, list[Feature]]:
    """The pairs that weigh, and the features of their rows.

    Raises InputError for too few rows, and for a feature that tells every label.
    """
    features = [feature_of(values, name=name, n=len(given), min_rows=min_rows) for name, values in columns.items()]
    pairs, features = _that_weigh(given, features)
    if len(pairs) < 2 * min_rows:
        least = parameter("min_rows", f"{min_rows:,}", quoted=False)
        raise InputError(f"groups of {least} need at least {2 * min_rows:,} rows; there are {len(pairs):,}.")
    for feature in features:
        _refuse_teller(feature, pairs)
    return pairs, features


def predictions_of(pairs: Pairs, columns: Mapping[str, Any], *, min_rows: int, alone: bool = True) -> Feature:
    """The predictions as one more feature, by a name that no column has."""
    name = PREDICTION
    while name in columns:
        name = f"model's {name}"
    feature = feature_of(pairs.probabilities, name=name, n=len(pairs), min_rows=min_rows)
    return replace(feature, alone=alone)


def _that_weigh(given: Pairs, features: list[Feature]) -> tuple[Pairs, list[Feature]]:
    """Pairs and features without the rows of negligible weight."""
    if given.weights is None:
        return given, features
    counts = given.weights > given.weight_unit * NOTHING
    pairs = given.that_weigh()
    if bool(counts.all()):
        return pairs, features
    return pairs, [feature.only(counts) for feature in features]


def _refuse_teller(feature: Feature, pairs: Pairs) -> None:
    """Raise InputError for a feature that knows every label."""
    rows = np.bincount(feature.codes, minlength=feature.cells)
    ones = np.bincount(feature.codes, weights=pairs.labels, minlength=feature.cells)
    if 0 < pairs.labels.sum() < len(pairs) and bool(((ones == 0) | (ones == rows)).all()):
        raise InputError(
            f"features: {feature.name} tells every label: none of its values occurs with both. Is it the label itself, "
            "or made from it? Use what is known before the label is."
        )
