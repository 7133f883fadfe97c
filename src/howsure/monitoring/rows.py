"""Rows that enter a monitor: checked once, those without a label set aside."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import InputError, parameter
from howsure.inputs.checks import (
    Column,
    as_column,
    check_clusters,
    check_codes,
    check_labels,
    check_probabilities,
    check_same_length,
    is_missing,
)
from howsure.inputs.pairs import Floats, Integers, Labels
from howsure.monitoring.dates import Days, as_days

BYTES = 8  # of a fingerprint
ALL = ""  # the name of all rows where there are no groups


@dataclass(frozen=True, slots=True)
class Rows:
    """Labelled rows, their groups as positions among `names`, the fingerprints of their clusters, and the days of rows
    without a label."""

    days: Days
    labels: Labels
    probabilities: Floats
    groups: Integers
    names: tuple[str, ...]
    clusters: Integers | None
    unlabelled: Days

    def __len__(self) -> int:
        return len(self.days)

    def where(self, chosen: Any) -> Rows:
        """Some of the labelled rows."""
        clusters = None if self.clusters is None else self.clusters[chosen]
        return Rows(
            self.days[chosen], self.labels[chosen], self.probabilities[chosen], self.groups[chosen], self.names,
            clusters, self.unlabelled,
        )  # fmt: skip


def checked_rows(dates: Any, y_true: Any, y_prob: Any, *, groups: Any, clusters: Any, pos_label: Any) -> Rows:
    """The rows of arrays; a label of None or NaN is one that has not come yet.

    Raises InputError naming the row and the value.
    """
    check_same_length(dates=dates, y_true=y_true, y_prob=y_prob, groups=groups, clusters=clusters)
    days, label = as_days(dates), as_column(y_true, name="y_true")
    here = _labelled(label)
    n = int(here.sum())
    if n == 0:
        raise InputError(f"{parameter('y_true')} holds no label at all: there is nothing to monitor yet.")
    probabilities = check_probabilities(y_prob)[here]
    labels = check_labels(label[here].tolist(), pos_label=pos_label)
    codes: Integers = np.zeros(n, dtype=np.int64)
    names: tuple[str, ...] = (ALL,)
    if groups is not None:
        codes, names = check_codes(as_column(groups, name="groups")[here], n=n, name="groups", groups=True)
        if ALL in names:
            raise InputError("groups must not hold an empty name. Name them, or leave such rows out.")
    found = None if clusters is None else fingerprints(as_column(clusters, name="clusters")[here], n=n)
    return Rows(days[here], labels, probabilities, codes, names, found, days[~here])


def _labelled(column: Any) -> Any:
    if column.dtype.kind in "fc":
        return ~np.isnan(column)
    if column.dtype.kind == "O":
        return np.array([not is_missing(value) for value in column])
    return np.ones(len(column), dtype=np.bool_)


def fingerprints(column: Column, *, n: int) -> Integers:
    """The fingerprint of each row's cluster, by which it is known night after night, whatever rows come with it.

    >>> two = fingerprints(np.array(["doc 7", "doc 1", "doc 7"]), n=3)
    >>> bool(two[0] == two[2]), bool(two[0] == two[1])
    (True, False)

    Raises InputError if a value is missing.
    """
    codes = check_clusters(column, n=n)
    rows, codes = np.unique(codes, return_index=True, return_inverse=True)[1:]
    found: Integers = np.array([fingerprint(_text(value)) for value in column[rows].tolist()], dtype=np.int64)
    return found[codes]


def fingerprint(name: str) -> int:
    """The fingerprint of a name: `md5_number_lower` of DuckDB as a number with a sign.

    >>> fingerprint("doc 7")
    -6256225945147844607
    """
    digest = hashlib.md5(name.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return int.from_bytes(digest[BYTES:], "little", signed=True)


def _text(value: object) -> str:
    """A name as a text: 7 and 7.0 are one, as where a column of numbers is read with gaps or without."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
