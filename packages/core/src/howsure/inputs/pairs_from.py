"""Make checked `Pairs` from arrays, columns of a frame or of files, `Probabilities`, or other `Pairs`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import check_distinct, check_row_order
from howsure.inputs.checks import (
    GIVEN_PREFIX,
    Coded,
    Column,
    as_column,
    check_clusters,
    check_codes,
    check_labels,
    check_numbers,
    check_probabilities,
    check_same_length,
    check_weights,
)
from howsure.inputs.classes import distributions, pairs_from_classes
from howsure.inputs.frames import Source, frame_columns, named_columns
from howsure.inputs.numbers_and_names import notes_on_percentages
from howsure.inputs.pairs import (
    LOGITS,
    PROB,
    PROBS,
    PROBS_COLUMN,
    ROUNDING,
    SCALE_RULES,
    TOP_LABEL,
    VERBALISED,
    Floats,
    Pairs,
    Probabilities,
)
from howsure.inputs.repeated_items import frame_clusters, note_on_models_of_frame
from howsure.inputs.right_answers import (
    check_own_confidence,
    confidences_by_prediction,
    refuse_positive,
    right_in_columns,
)

PARTS = {"sample_weight": "weights", "groups": "groups", "clusters": "clusters"}  # attributes of Pairs, by parameter


def pairs_from(
    y_true: Any,
    y_prob: Any = None,
    *,
    data: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    clusters: Any = None,
    pos_label: Any = None,
    prob_name: str = "y_prob",
    models_as: str = "groups",
    other: Sequence[str] = (),
) -> Pairs:
    """Check the input of a calibration function and return it as `Pairs`.

    With `data` (a data frame of any library that narwhals supports, or files by `howsure.read`), the other arguments
    are names of its columns. `y_prob` may be `Probabilities`: several classes, logits or stated confidences.
    models_as: the parameter that would tell models apart; a note suggests it if `data` has a column of models that no
    parameter and none of the `other` columns names. `y_true` may be `Pairs`; then `y_prob` must be left out, and
    weights, groups and clusters may be passed only if the pairs have none.

    >>> pairs = pairs_from([0, 1], [0.2, 0.9], clusters=["a", "b"])
    >>> pairs_from(pairs, sample_weight=[1, 2]).weights
    array([1., 2.])
    >>> pairs_from(pairs, clusters=[0, 0])
    Traceback (most recent call last):
    howsure.errors.InputError: clusters must not be given with Pairs that have clusters; leave clusters out.

    Raises InputError, which names the parameter, row and value, for an invalid input.
    """
    if isinstance(y_true, Pairs):
        other_roles = {"sample_weight": sample_weight, "groups": groups, "clusters": clusters}
        _refuse_with_pairs(y_true, {prob_name: y_prob, "data": data, "pos_label": pos_label, **other_roles})
        return _joined(y_true, other_roles)
    roles = {
        "y_true": y_true,
        prob_name: y_prob,
        "sample_weight": sample_weight,
        "groups": groups,
        "clusters": clusters,
    }
    check_distinct({"y_true": y_true, prob_name: y_prob})
    check_row_order(roles)
    if isinstance(data, Source):
        with data.predictions(
            y_true,
            y_prob,
            groups=groups,
            clusters=clusters,
            sample_weight=sample_weight,
            pos_label=pos_label,
            find_items=True,
        ) as predictions:
            return predictions.pairs()
    notes: tuple[str, ...] = ()
    answers = y_prob.prediction if isinstance(y_prob, Probabilities) else None
    if answers is not None:
        refuse_positive(pos_label)
        roles["prediction"] = answers
    if data is not None:
        columns = y_prob.columns if isinstance(y_prob, Probabilities) else (y_prob,)
        with_role = [y_true, *columns, groups, clusters, sample_weight, *([] if answers is None else [answers])]
        if clusters is None:
            roles["clusters"], notes = frame_clusters(data, [groups], with_role)
        notes += note_on_models_of_frame(data, models_as, [*with_role, *other])
    if isinstance(y_prob, Probabilities) and y_prob.way != PROB:
        pairs = _read_form(roles, y_prob, data, pos_label=pos_label, prob_name=prob_name)
        return replace(pairs, notes=(*notes, *pairs.notes))
    if isinstance(y_prob, Probabilities):
        y_prob.refuse_classes()
        roles[prob_name] = y_prob.values
    roles, names_in_messages = named_columns(data, **roles)
    y_true, y_prob, sample_weight, groups, clusters, *predicted = roles.values()
    _refuse_classes(y_prob, prob_name)
    if answers is None:
        labels = check_labels(y_true, pos_label=pos_label, name=names_in_messages["y_true"])
    else:
        labels, answer_codes, answer_notes = right_in_columns(y_true, predicted[0], names_in_messages)
        notes += tuple(answer_notes)
    n, y_prob = len(labels), as_column(y_prob, name=names_in_messages[prob_name])
    notes += notes_on_percentages({names_in_messages[prob_name]: y_prob})
    codes, names = (
        (None, ()) if groups is None else check_codes(groups, n=n, name=names_in_messages["groups"], groups=True)
    )
    probabilities = check_probabilities(y_prob, name=names_in_messages[prob_name], n=n, prefix=GIVEN_PREFIX)
    if answers is not None:
        parts = confidences_by_prediction(answer_codes, probabilities)
        shown = {"name": names_in_messages[prob_name], "prediction": names_in_messages["prediction"]}
        notes += tuple(check_own_confidence(parts, **shown))
    return Pairs(
        labels,
        probabilities,
        None if sample_weight is None else check_weights(sample_weight, n=n, name=names_in_messages["sample_weight"]),
        codes,
        names,
        None if clusters is None else check_clusters(clusters, n=n, name=names_in_messages["clusters"]),
        reduction=None if answers is None else TOP_LABEL,
        positive=None if pos_label is None else str(pos_label),
        notes=notes if codes is None else (*notes, *Coded(codes, names).spellings_note("groups")),
    )


def _read_form(roles: dict[str, Any], spec: Probabilities, data: Any, *, pos_label: Any, prob_name: str) -> Pairs:
    """Make pairs from `Probabilities` in any form except "prob". roles: the other parameters, as arrays or columns."""
    del roles[prob_name]
    columns: list[Any] = [spec.values]
    if data is not None:
        named = {f"{prob_name}[{place}]": name for place, name in enumerate(spec.columns)}
        columns_found = frame_columns(data, **roles, **named)  # roles: also the predictions, if there are any
        roles, columns = dict(zip(roles, columns_found, strict=False)), columns_found[len(roles) :]
        classes = spec.columns if spec.classes is None and len(columns) > 1 else spec.classes
        spec = replace(spec, classes=classes)
    spec = replace(spec, prediction=roles.pop("prediction", None))
    pairs = _pairs_of_given(roles.pop("y_true"), spec, columns, pos_label=pos_label, **roles)
    named = {prob_name: spec.values} if data is None else dict(zip(spec.columns, columns, strict=False))
    return replace(pairs, notes=notes_on_percentages(named)) if spec.way == PROBS else pairs


def _pairs_of_given(
    y_true: Any, spec: Probabilities, columns: Sequence[Any], *, groups: Any, pos_label: Any, **other_roles: Any
) -> Pairs:
    """Make pairs from `columns`: one array (n,) or (n, K), or an array (n,) for each class.

    Raises InputError, which names the row and value, for an invalid input.
    """
    matrix_ = (
        np.column_stack([np.asarray(column) for column in columns]) if len(columns) > 1 else array_of_given(columns[0])
    )
    if matrix_.ndim == 1:
        single = Probabilities(PROB, single_probabilities(spec, matrix_), prediction=spec.prediction)
        return pairs_from(y_true, single, groups=groups, pos_label=pos_label, **other_roles)
    spec.refuse_prediction()
    spec.refuse_roles(pos_label=pos_label, groups=groups)
    matrix = classes_of_given(spec, matrix_)
    pairs = pairs_from_classes(y_true, matrix, reduce=spec.reduce or TOP_LABEL, classes=spec.classes, **other_roles)
    if groups is None:
        return pairs
    codes, names = check_codes(groups, n=len(pairs), name="groups", groups=True)
    return replace(pairs, groups=codes, group_names=names)


def _refuse_with_pairs(pairs: Pairs, roles_given: dict[str, Any]) -> None:
    """Raise InputError for an argument that the pairs already have."""
    for name, value in roles_given.items():
        has_part = name not in PARTS or getattr(pairs, PARTS[name]) is not None
        if value is not None and has_part:
            what = f"have {PARTS[name]}" if name in PARTS else "contain labels (0 or 1) and their probabilities"
            raise InputError(f"{name} must not be given with Pairs that {what}; leave {name} out.")


def _joined(pairs: Pairs, other_roles: dict[str, Any]) -> Pairs:
    """Check `Pairs` like arrays, and add the weights, groups and clusters that were passed separately."""
    parts = {"labels": pairs.labels, "probabilities": pairs.probabilities, "weights": pairs.weights}
    check_row_order({**parts, "pairs.groups": pairs.groups, "pairs.clusters": pairs.clusters, **other_roles})
    n = check_same_length(labels=pairs.labels, probabilities=pairs.probabilities)
    labels = check_labels(pairs.labels, name="labels")
    q = check_probabilities(pairs.probabilities, name="probabilities", n=n)
    weights = pairs.weights if other_roles["sample_weight"] is None else other_roles["sample_weight"]
    clusters = pairs.clusters if other_roles["clusters"] is None else other_roles["clusters"]
    groups, names = pairs.groups, pairs.group_names
    if other_roles["groups"] is not None:
        groups, names = check_codes(other_roles["groups"], n=n, name="groups", groups=True)
    elif groups is not None and (len(groups) != n or groups.min() < 0 or groups.max() >= len(names)):
        raise InputError(
            "groups of Pairs must be {n:,} indices in `group_names`, from 0 to {n_names}.", n=n, n_names=len(names) - 1
        )
    return Pairs(
        labels,
        q,
        None if weights is None else check_weights(weights, n=n),
        groups,
        names,
        None if clusters is None else check_clusters(clusters, n=n),
        pairs.reduction,
        pairs.class_scores,
        pairs.positive,
        pairs.notes,
    )


def _refuse_classes(y_prob: Any, name: str) -> None:
    """Raise InputError for probabilities of three or more classes.

    This check comes first; otherwise the labels would be refused for having more than two values.
    """
    shape = tuple(getattr(y_prob, "shape", ()))
    if isinstance(y_prob, (list, tuple)) and y_prob and isinstance(y_prob[0], (list, tuple, np.ndarray)):
        shape = (len(y_prob), len(y_prob[0]))
    if len(shape) == 2 and shape[1] > 2:
        raise InputError(
            "{name} must have one dimension; its shape is {shape!r}, one column per class. Make pairs of a probability "
            "and a label with howsure.pairs_from_classes(`y_true`, {name}), and give these instead.",
            name=name,
            shape=shape,
        )


# Convert the forms of `Probabilities` to probabilities.


def array_of_given(values: Any) -> Column:
    """Convert values to an array; a column of lists of equal length becomes a matrix (n, K)."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.fromiter(values, dtype=object, count=len(values))
    if array.dtype.kind == "O" and array.ndim == 1 and len(array) and isinstance(array[0], (list, tuple, np.ndarray)):
        lengths = {len(row) for row in array}
        if len(lengths) > 1:
            raise InputError(
                "{parameter} must contain lists of the same length; their lengths are {lengths}.",
                "y_prob",
                lengths=sorted(lengths)[:3],
            )
        return np.stack([np.asarray(row) for row in array])
    return array


def single_probabilities(spec: Probabilities, column: Column) -> Floats:
    """Return probabilities (n,) from a column of probabilities, logits, log-probabilities or stated confidences."""
    if spec.way == VERBALISED:
        return _stated_confidences(column)
    if spec.scale is None:
        return column
    return unscaled_probabilities(check_scale(column, spec.scale), spec.scale)


def unscaled_probabilities(values: Floats, scale: str) -> Floats:
    """Return probabilities from logits (by the sigmoid) or log-probabilities (by exp, at most 1)."""
    if scale == LOGITS:
        with np.errstate(over="ignore"):  # exp(800) is infinite, and the probability 0
            return np.asarray(1 / (1 + np.exp(-values)))
    return np.minimum(np.exp(values), 1.0)


def check_one_probability(values: Floats, scale: str | None, *, name: str) -> Floats:
    """Check one value per row and convert it from its scale (None: probabilities) to a probability, (n,)."""
    if scale is None:
        return check_probabilities(values, name=name, prefix=GIVEN_PREFIX)
    return unscaled_probabilities(check_scale(values, scale, name=name), scale)


def check_scale(values_: object, scale: str, *, name: str = "y_prob") -> Floats:
    """Check one logit (finite) or log-probability (at most 0, up to rounding) per row and return float64 values."""
    values = check_numbers(values_, name=name)
    on_scale = np.isfinite(values) if scale == LOGITS else values <= ROUNDING
    if not on_scale.all():
        row = int(on_scale.argmin())
        raise InputError(SCALE_RULES[scale], name, value=float(values[row]), row=row)
    return values


def _stated_confidences(texts: Column) -> Floats:
    from howsure.inputs.stated_confidence import stated_confidence

    confidences = [stated_confidence("" if text is None else str(text)) for text in texts]
    row = next((row for row, confidence in enumerate(confidences) if not isinstance(confidence, float)), None)
    if row is not None:
        raise InputError("no_confidence", "y_prob", value=texts[row], row=row, remedy="leave_out_rows")
    return check_probabilities(confidences)


def classes_of_given(spec: Probabilities, column: Column) -> Floats:
    """Return probabilities (n, K) from a matrix of probabilities (not checked here), logits or log-probabilities."""
    if spec.way in (PROBS, PROBS_COLUMN):
        return column
    matrix = np.asarray(column, dtype=np.float64)
    names = tuple(spec.classes) if spec.classes is not None else tuple(str(number) for number in range(matrix.shape[1]))
    return distributions(matrix, names, spec.scale, name="y_prob")
