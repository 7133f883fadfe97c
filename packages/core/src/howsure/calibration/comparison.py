"""`compare_calibration`: the difference in calibration of two models on the same items."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.calibration_errors import debiased_estimate
from howsure.calibration.curve import binned_curve
from howsure.calibration.differences import (
    Units,
    certain_pairs,
    class_differences,
    jackknifed,
    left_one_out,
    losses,
    reach,
    score_difference,
    zero_classes,
)
from howsure.calibration.results import NAMES, CalibrationComparison
from howsure.calibration.scores import BRIER, LOG, right_extremes
from howsure.calibration.squared_error import SquaredError
from howsure.errors import InputError, Parameter
from howsure.inputs.arguments import check_arguments, is_listlike
from howsure.inputs.checks import check_labels, check_probabilities, check_same_length
from howsure.inputs.classes import pairs_from_classes
from howsure.inputs.frames import Source, is_frame, named_columns
from howsure.inputs.numbers_and_names import check_level, notes_on_percentages
from howsure.inputs.pairs import OTHER_PREDICTION, PROBS, TOP_LABEL, Pairs, Probabilities, as_probabilities
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.stats.clusters import few_clusters

WORDS_OF_A_VERDICT = {"correct", "correctness", "grade", "hit", "iscorrect", "right", "wrong"}


def compare_calibration(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    against: ArrayLike | str | Probabilities | Pairs | Source | None = None,
    y_true_against: ArrayLike | str | None = None,
    y_prob_against: str | Sequence[str] | Probabilities | None = None,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    id: str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
    names: Sequence[str] = NAMES,
) -> CalibrationComparison:
    """Compare the calibration of two models, A and B, on the same items, with paired jackknife intervals.

    y_true (n,): labels. y_prob (n,), against (n,): predictions of A and of B for the same rows in the same order. If
    each model has its own labels, such as whether its answer is correct, y_true are the labels of A and y_true_against
    (n,) the labels of B; or y_true are the true answers, and both y_prob and against are
    Probabilities("prob", ..., prediction=...), with the answers of each model. Alternatively,
    `compare_calibration(pairs_a, against=pairs_b)` accepts two `Pairs` with equal weights, groups and clusters; if
    their labels differ, each model has its own labels. The other arguments are those of `calibration_curve`.

    For several classes, y_prob and against (n, K) are class probabilities. y_prob=Probabilities("probs", ...,
    reduce=..., classes=[...]) names the classes in order and selects what is compared: "top-label" (default: each
    model's confidence in its own first choice), "class-wise", or one class. names: the names of A and B.

    `data=howsure.read("a.csv")` with `against=howsure.read("b.csv")` compares two files. Their rows are matched by `id`
    or, without it, by position. y_prob_against and y_true_against name the columns of the second file if its names
    differ. `against` may also name the other model's columns in the same files.

    Each model has its own bins. The difference T_a - T_b of the debiased squared errors is not truncated at zero; its
    standard error is a jackknife that leaves out one row (or cluster) at a time from both models. The interval is
    normal or, with clusters, Student's, with degrees of freedom that depend on the cluster sizes. If labels hardly
    vary, the interval extends at least as far as an exact interval of their frequency. The difference of the errors
    (not squared) follows by the delta method. It is None unless both errors are clearly above zero.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(5000)
    >>> y = rng.random(5000) < q
    >>> result = compare_calibration(y, q**1.5, against=q)
    >>> result.squared_error_difference.low > 0, result.error_difference is None
    (True, True)

    Raises InputError, which names the parameter, row and value, for an invalid input.
    """
    check_arguments(compare_calibration, locals())
    level = check_level(level)
    how: dict[str, Any] = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning, "level": level, "names": names}
    if isinstance(data, Source):
        roles: dict[str, Any] = {"sample_weight": sample_weight, "clusters": clusters, "id": id, "pos_label": pos_label}
        if y_true_against is None and isinstance(y_true, str) and not isinstance(against, Source):
            _refuse_label_of_one(y_true, y_prob, against)
        named: dict[str, Any] = {"y_true": y_true, "y_prob": y_prob, "y_true_against": y_true_against, **roles}
        with data.predictions(y_true, y_prob, pairing=True, find_items=True, models_as="where", **roles) as predictions:
            rows = data.matched(predictions, against, y_prob_against=y_prob_against, **named)
            return replace(compare_pairs(rows.a, rows.b, **how, own_labels=rows.own_labels), inputs=rows.inputs)
    _refuse({"y_prob_against": y_prob_against, "id": id}, "rows that are in one order; both are for files")
    if isinstance(y_true, Pairs) or isinstance(against, Pairs):
        options = {"y_prob": y_prob, "y_true_against": y_true_against, "data": data, "pos_label": pos_label}
        a, b = _two_pairs(y_true, against, options, sample_weight=sample_weight, clusters=clusters)
        return compare_pairs(a, b, **how, own_labels=_own_labels(a, b))
    of_classes = isinstance(y_prob, Probabilities) and y_prob.way == PROBS and data is None
    if of_classes or _are_classes(y_prob):
        spec = y_prob if isinstance(y_prob, Probabilities) else Probabilities(PROBS, y_prob)
        options = {"y_true_against": y_true_against, "data": data, "pos_label": pos_label}
        _refuse(options, "the probabilities of several classes")
        shared: dict[str, Any] = {
            "reduce": spec.reduce or TOP_LABEL,
            "classes": spec.classes,
            "sample_weight": sample_weight,
            "clusters": clusters,
        }
        labels_of_both: Any = y_true
        both: tuple[Any, Any] = spec.values, against.values if isinstance(against, Probabilities) else against
        a, b = (pairs_from_classes(labels_of_both, prob, **shared) for prob in both)
        check_same_length(y_prob=a.labels, against=b.labels)
        return compare_pairs(a, b, **how, own_labels=_own_labels(a, b))
    roles = {"sample_weight": sample_weight, "clusters": clusters, "pos_label": pos_label, "models_as": "where"}
    predicted = [isinstance(part, Probabilities) and part.prediction is not None for part in (y_prob, against)]
    if any(predicted):
        if not all(predicted):
            raise InputError(OTHER_PREDICTION)
        _refuse({"y_true_against": y_true_against}, "the predictions of both models")
        a, b = (pairs_from(y_true, part, data=data, **roles) for part in (y_prob, against))
        check_same_length(y_prob=a.labels, against=b.labels)
        return compare_pairs(a, b, **how, own_labels=True)
    a = pairs_from(y_true, y_prob, data=data, other=[against] if isinstance(against, str) else (), **roles)
    has_own_labels = y_true_against is not None
    options, names_in_messages = named_columns(data, against=against, y_true_against=y_true_against)
    labels, name = options["y_true_against"], names_in_messages["y_true_against"]
    theirs = check_labels(labels, pos_label=pos_label, name=name) if has_own_labels else a.labels
    check_same_length(y_true=a.labels, y_true_against=theirs)
    q = check_probabilities(options["against"], name=names_in_messages["against"], n=len(a))
    a = replace(a, notes=(*a.notes, *notes_on_percentages({names_in_messages["against"]: options["against"]})))
    b = Pairs(theirs, q, a.weights, clusters=a.clusters)
    return compare_pairs(a, b, **how, own_labels=has_own_labels)


def _two_pairs(a: Any, b: Any, arrays: dict[str, Any], **shared: Any) -> tuple[Pairs, Pairs]:
    """Check that two Pairs have the same rows and groups, and return them with the `shared` arguments applied."""
    if not (isinstance(a, Pairs) and isinstance(b, Pairs)):
        raise InputError(
            "y_true and against must both be Pairs, or both arrays. Give the Pairs of A and the Pairs of B."
        )
    _refuse(arrays, "Pairs of A and of B")
    checked = pairs_from(a, **shared), pairs_from(b, **shared)
    check_same_length(pairs_a=checked[0], pairs_b=checked[1])
    if checked[0].group_names != checked[1].group_names:
        raise InputError("the two models must be evaluated on the same rows, but the groups of their Pairs differ.")
    _check_same("group", checked[0].groups, checked[1].groups)
    return checked


def _refuse(arrays: dict[str, Any], what: str) -> None:
    """Raise InputError if one of `arrays` is not None; none of them can be combined with `what`."""
    for name, value in arrays.items():
        if value is not None:
            raise InputError(f"{name} must not be given with {what}; leave {name} out.")


def _refuse_label_of_one(label: str, y_prob: Any, against: Any) -> None:
    """Raise InputError if there is one label column, but its name suggests that it contains the labels of one of the
    models.

    The name is suspicious if it shares words with the columns of only one model (`right_a` with `conf_a` and `conf_b`),
    or if it contains a word such as "correct".
    """
    columns = [
        ",".join(as_probabilities(probabilities).columns)
        for probabilities in (y_prob, against)
        if probabilities is not None
    ]
    if len(columns) < 2:
        return
    words, *others = (set(re.split(r"[\W_]+", name.casefold())) for name in (label, *columns))
    named_after = [bool(words & (others[at] - others[1 - at])) for at in (0, 1)]

    label_parameter, again = Parameter("y_true", label), Parameter("y_true_against", label)
    both = "Is it the label of both? Give it twice: {given} {again}."
    if named_after[0] != named_after[1]:
        first, other = columns if named_after[0] else columns[::-1]
        each = "{given} `y_true_against='COL'`" if named_after[0] else "`y_true='COL'` {again}"
        raise InputError(
            "{given} is named after {first}. Does it say whether that model's own answer is right? Then it does not "
            "apply to {other}: name the label of each, " + each,
            given=label_parameter,
            again=again,
            first=first,
            other=other,
            remedy=both,
        )
    if words & WORDS_OF_A_VERDICT:
        raise InputError(
            "{given} seems to say whether an answer is right, and there are two models. Is it the answer of one of "
            "them? Then name the label of each: `y_true='COL'` `y_true_against='COL'`",
            given=label_parameter,
            again=again,
            remedy=both,
        )


def _are_classes(prob: Any) -> bool:
    """Whether probabilities are a matrix or data frame with a column for each class."""
    if isinstance(prob, (list, tuple)):
        return len(prob) > 0 and is_listlike(prob[0])
    return prob.ndim == 2 if isinstance(prob, np.ndarray) else is_frame(prob)


def _own_labels(a: Pairs, b: Pairs) -> bool:
    """Whether each model has its own labels, such as the correctness of its own answer."""
    return TOP_LABEL in (a.reduction, b.reduction) or not np.array_equal(a.labels, b.labels)


def compare_pairs(
    a: Pairs,
    b: Pairs,
    *,
    bin_size: int | str,
    n_bins: int | None,
    binning: str,
    level: float,
    own_labels: bool = False,
    names: Sequence[str] = NAMES,
) -> CalibrationComparison:
    """Compute `compare_calibration` for checked pairs. own_labels: whether the labels of the two models may differ."""
    if isinstance(names, str) or len(names) != 2 or names[0] == names[1]:
        raise InputError(f"names must be two different names, of model A and model B; they are {names!r}.")
    if not own_labels and not np.array_equal(a.labels, b.labels):
        row = int(np.flatnonzero(a.labels != b.labels)[0])
        raise InputError("the two models must be evaluated on the same rows, but the label of {row} differs", row=row)
    for name, first, other in (("weight", a.weights, b.weights), ("cluster", a.clusters, b.clusters)):
        _check_same(name, first, other)
    a, b = a.with_positive_weight(), b.with_positive_weight()
    units = Units.of(a, b)
    how: dict[str, Any] = {"binning": binning, "bin_size": bin_size, "n_bins": n_bins}
    (squared_a, without_a, gap_a), (squared_b, without_b, gap_b) = (
        left_one_out(pairs, units, **how) for pairs in (a, b)
    )
    n = len(a)
    curve_a, curve_b = (
        binned_curve(pairs, name=name, level=level, **how) for pairs, name in zip((a, b), names, strict=True)
    )
    estimates = [debiased_estimate(squared, n=n, level=level) for squared in (squared_a, squared_b)]
    jackknife: dict[str, Any] = {"level": level, "n": n, "units": units}
    moved = 2 * (gap_b - gap_a)  # change of the squared gap of its bin by one label
    far = _separate_labels_reach(squared_a, squared_b, level) if own_labels else reach(a, b, moved, units, level)
    difference = jackknifed(squared_a.value - squared_b.value, without_a - without_b, reach=far, **jackknife)
    roots = None
    if all(e.low is not None and e.low > 0 for e in estimates):
        roots = jackknifed(
            estimates[0].value - estimates[1].value,
            without_a / (2 * estimates[0].value) - without_b / (2 * estimates[1].value),
            **jackknife,
        )
    brier, log = (score_difference(a, b, units, loss, level, own_labels=own_labels) for loss in (BRIER, LOG))
    brier_of_classes, log_of_classes = class_differences(a, b, units, level) or (None, None)
    recipe = {"howsure": __version__, "n": n, **how, "level": level}
    recipe |= {
        "models": list(names),
        "own_labels": own_labels,
        "clustered": a.clusters is not None,
        "weighted": a.weights is not None,
    }
    few = few_clusters(units.sums(units.weight)) if units.clustered else None
    notes = [*a.notes, *([] if few is None else [few])]
    infinite = [int(np.isinf(losses(pairs, LOG)).sum()) for pairs in (a, b)]
    if any(infinite):
        notes.append(
            f"predictions of exactly 0 or 1 are wrong ({infinite[0]:,} of A, {infinite[1]:,} of B), so the log loss is "
            "infinite, and no difference of log losses is given"
        )
    elif certain := certain_pairs(a) + certain_pairs(b):
        notes.append(f"{right_extremes(certain)}: no difference of log losses is given; compare the Brier scores")
    notes += list(zero_classes(a, b))
    reduction = a.reduction if a.reduction == b.reduction else None
    return CalibrationComparison(
        n=n,
        notes=tuple(notes),
        error_a=estimates[0],
        error_b=estimates[1],
        squared_error_difference=difference,
        error_difference=roots,
        brier_difference=brier,
        log_loss_difference=log,
        multiclass_brier_difference=brier_of_classes,
        multiclass_log_loss_difference=log_of_classes,
        reduction=reduction,
        curves=(curve_a, curve_b),
        recipe=recipe,
    )


def _check_same(name: str, first: Any, other: Any) -> None:
    if (first is None) != (other is None):
        raise InputError(
            f"the two models must be evaluated on the same rows, but only one of them has a {name}. Give both or none."
        )
    differs = np.flatnonzero(first != other) if first is not None else np.empty(0)
    if len(differs):
        raise InputError(
            "the two models must be evaluated on the same rows, but the {name} of {row} differs",
            name=name,
            row=differs[0],
        )


def _separate_labels_reach(a: SquaredError, b: SquaredError, level: float) -> tuple[float, float]:
    """Return how far (down, up) the interval of the difference must reach if each model has its own labels.

    This is the largest change of the difference if a single bin of either model moves to the end of its exact interval.
    """
    (down_a, up_a), (down_b, up_b) = (_one_bin(squared, level) for squared in (a, b))
    return max(down_a, up_b), max(up_a, down_b)


def _one_bin(squared: SquaredError, level: float) -> tuple[float, float]:
    if squared.rare is None:
        return 0.0, 0.0
    low, high = squared.rare.one_bin_nearer(squared.value, level), squared.rare.upper_end(squared.value, level)
    return squared.value - low, high - max(squared.value, 0.0)
