"""Scores with their labels: what a map is fitted to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.errors import InputError, at_row, parameter
from howsure.inputs.checks import check_clusters, check_codes, check_labels, check_weights
from howsure.inputs.classes import class_positions
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.inputs.pairs_from import pairs_from
from howsure.recalibration.scores import Classes, Rows, Scores, binary_of, scores_from


@dataclass(frozen=True, slots=True)
class Labelled:
    """Scores (n rows), and the label of each, 0 or 1, or the column of its class; perhaps weights, groups, clusters.

    `classes` are the names of the columns, () where the score is the probability of label 1, `positive`.
    """

    scores: Scores
    labels: Integers
    weights: Floats | None = None
    groups: Integers | None = None
    group_names: tuple[str, ...] = ()
    clusters: Integers | None = None
    classes: tuple[str, ...] = ()
    positive: str | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def is_binary(self) -> bool:
        """Whether each row has one probability, that of label 1."""
        return not self.classes

    @property
    def k(self) -> int:
        """The number of classes."""
        return len(self.classes) or 2

    @property
    def weight(self) -> Floats:
        """The weight of each row; 1 without any."""
        return np.ones(len(self)) if self.weights is None else self.weights

    def only(self, rows: Rows) -> Labelled:
        """Those of some rows, with the names of all groups."""
        parts: dict[str, Any] = {
            name: None if held is None else held[rows]
            for name, held in (("weights", self.weights), ("groups", self.groups), ("clusters", self.clusters))
        }
        return replace(self, scores=self.scores.only(rows), labels=self.labels[rows], **parts)

    def label_names(self) -> tuple[str, ...]:
        """What each label means."""
        return self.classes or ("0", "1")


def of_label(probabilities: Floats, labels: Integers) -> Floats:
    """The probability (n,) of each row's label, of probabilities of label 1 (n,) or of classes (n, K)."""
    if probabilities.ndim == 1:
        return np.where(labels == 1, probabilities, 1.0 - probabilities)
    return np.asarray(probabilities[np.arange(len(labels)), labels])


def labelled_from(
    y_true: Any,
    y_prob: Any = None,
    *,
    logits: Any = None,
    groups: Any = None,
    clusters: Any = None,
    sample_weight: Any = None,
    classes: Sequence[object] | None = None,
    pos_label: Any = None,
    floor: float | None = None,
) -> Labelled:
    """Check everything once. `Pairs` may stand in the place of y_true and y_prob.

    Raises InputError naming the parameter, the row and the value that violated a rule.
    """
    if isinstance(y_true, Pairs):
        pairs = pairs_from(y_true, y_prob, sample_weight=sample_weight, groups=groups, clusters=clusters)
        if logits is not None:
            raise InputError("logits must not be given with Pairs that hold probabilities; leave logits out.")
        return labelled_pairs(pairs, floor=floor)
    names = None if classes is None else [str(one) for one in classes]
    scores, found = scores_from(y_prob, logits, floor=floor, classes=names)
    n = len(scores)
    beside: dict[str, Any] = {
        "weights": None if sample_weight is None else check_weights(sample_weight, n=n),
        "clusters": None if clusters is None else check_clusters(clusters, n=n),
    }
    if groups is not None:
        beside["groups"], beside["group_names"] = check_codes(groups, n=n, name="groups", groups=True)
    if isinstance(scores, Classes):
        if pos_label is not None:
            raise InputError(
                f"{parameter('pos_label')} is for one probability per row; with several classes, leave "
                f"{parameter('pos_label')} out."
            )
        codes, texts = check_codes(y_true, n=n, name="y_true")
        known = found if names is not None or found != tuple(map(str, range(scores.k))) else None
        positions, found = class_positions(texts, known, scores.k, name="y_true", option="classes=[...]")
        return Labelled(scores, positions[codes], classes=found, **beside)
    if names is not None:
        raise InputError("classes is for several probabilities per row; there is one, so leave classes out.")
    labels = check_labels(y_true, pos_label=pos_label)
    if len(labels) != n:
        raise InputError(
            f"{parameter('y_true')} must have as many rows as the scores; it has {len(labels):,}, they have {n:,}."
        )
    positive = None if pos_label is None else str(pos_label)
    return Labelled(scores, labels.astype(np.int64), positive=positive, **beside)


def labelled_pairs(pairs: Pairs, *, floor: float | None = None) -> Labelled:
    """Checked pairs as scores of label 1."""
    return Labelled(
        binary_of(pairs.probabilities, floor=floor),
        pairs.labels.astype(np.int64),
        pairs.weights,
        pairs.groups,
        pairs.group_names,
        pairs.clusters,
        positive=pairs.positive,
    )


@contextmanager
def rows_of_all(rows: Integers, *, before: str = "", behind: str = "") -> Iterator[None]:
    """An error in this block numbers its rows as `rows` does, the part's rows among all; with words around it.

    >>> import numpy as np
    >>> with rows_of_all(np.array([4, 7]), before="group 'b': "):
    ...     raise InputError(f"{at_row(1)} is wrong.")
    Traceback (most recent call last):
    howsure.errors.InputError: group 'b': row 7 is wrong. (Rows are counted from 0.)
    """
    try:
        yield
    except InputError as error:
        among_all = error.at(lambda row: at_row(int(rows[row]))).message
        raise InputError(f"{before}{among_all}{behind}") from error
