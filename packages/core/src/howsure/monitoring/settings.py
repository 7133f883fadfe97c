"""Inputs of a monitor: its settings, which are fixed before any data, and dated rows."""

from __future__ import annotations

import datetime
import hashlib
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, quote
from howsure.inputs.arguments import check_row_order
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
from howsure.inputs.date_formats import read_iso
from howsure.inputs.frames import Source, frame_columns
from howsure.inputs.numbers_and_names import check_integer, check_level, is_number, notes_on_percentages, unknown_name
from howsure.inputs.pairs import Floats, Integers, Labels
from howsure.inputs.periods import as_days
from howsure.inputs.repeated_items import repeated_in_frame

# Periods are days, weeks that start on Monday, or months.

Days = npt.NDArray[np.datetime64]
PERIODS = ("day", "week", "month")
MONDAY = np.datetime64("1970-01-05", "D")
DAY = np.timedelta64(1, "D")
ADVICE = "a date such as 2026-11-22 (ISO 8601)"


def as_day(date: str | datetime.date | np.datetime64, *, name: str) -> np.datetime64:
    return _day(date, f"{name} must be {ADVICE}; it is {quote(date)}.")


def _day(value: object, message: str) -> np.datetime64:
    if isinstance(value, str):
        try:
            value = read_iso(value)
        except ValueError:
            raise InputError(message) from None
    if isinstance(value, datetime.datetime):
        value = value.date()
    if isinstance(value, datetime.date | np.datetime64):
        return np.datetime64(str(value)[:10], "D")
    raise InputError(message)


def period_starts(days: Any, *, period: str) -> Any:
    """Return the first day of the period of each day.

    >>> period_starts(np.array(["2026-11-22", "2026-11-23"], "M8[D]"), period="week").astype(str).tolist()
    ['2026-11-16', '2026-11-23']
    """
    if period == "month":
        return days.astype("datetime64[M]").astype("datetime64[D]")
    return days - (days - MONDAY) % np.timedelta64(7, "D") if period == "week" else days


MAX_WAITING = 3_650
LARGEST_TOLERANCE = 0.5


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a monitor, as in `CalibrationMonitor`.

    reference: the last day of the reference period, in ISO 8601; None without a reference period.
    """

    period: str
    tolerance: float
    level: float
    wait: int
    reference: str | None

    @classmethod
    def checked(cls, *, period: str, tolerance: float, level: float, wait: int, reference: Any) -> Self:
        """Return the settings; raise InputError if one is invalid."""
        if period not in PERIODS:
            raise unknown_name("period", str(period), PERIODS, place="a monitor")
        if not is_number(tolerance) or not 0.0 <= tolerance < LARGEST_TOLERANCE:
            raise InputError(
                f"tolerance must be at least 0 and less than {LARGEST_TOLERANCE}; it is {tolerance!r}. Write 0.02 for "
                "two percentage points."
            )
        wait = check_integer(wait, name="wait", least=0, most=MAX_WAITING)
        day = None if reference is None else str(as_day(reference, name="reference"))
        return cls(period, float(tolerance), check_level(level), wait, day)

    @property
    def alpha(self) -> float:
        """The maximum probability that there is ever a false alarm."""
        return 1.0 - self.level

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values for JSON."""
        return asdict(self)


BYTES = 8  # size of a fingerprint
ALL = ""  # the name of the only group, if rows have no groups


@dataclass(frozen=True, slots=True)
class Rows:
    """Labelled rows for a monitor, and the days of rows without a label (unlabelled).

    groups: indices in `names`. clusters: fingerprints of the rows' clusters. notes: how rows were read.
    """

    days: Days
    labels: Labels
    probabilities: Floats
    groups: Integers
    names: tuple[str, ...]
    clusters: Integers | None
    unlabelled: Days
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.days)

    def where(self, chosen: Any) -> Rows:
        clusters = None if self.clusters is None else self.clusters[chosen]
        return Rows(
            self.days[chosen],
            self.labels[chosen],
            self.probabilities[chosen],
            self.groups[chosen],
            self.names,
            clusters,
            self.unlabelled,
            self.notes,
        )


def read_rows(
    dates: Any,
    y_true: Any,
    y_prob: Any,
    *,
    groups: Any = None,
    clusters: Any = None,
    pos_label: Any = None,
    id: Any = None,
    date_format: str | None = None,
    data: Any = None,
) -> Rows:
    """Read rows from arrays, from columns of a frame, or from files."""
    roles: dict[str, Any] = {"groups": groups, "clusters": clusters}
    if not isinstance(data, Source):
        named = {"dates": dates, "y_true": y_true, "y_prob": y_prob, **roles}
        repeated = None
        if data is not None:
            repeated = None if clusters is not None else repeated_in_frame(data, [groups], [*named.values()])
            named = dict(zip(named, frame_columns(data, **named), strict=True))
        notes = () if repeated is None else (repeated.warning(can_switch_off=False),)
        rows = checked_rows(**named, pos_label=pos_label, date_format=date_format)
        return replace(rows, notes=(*rows.notes, *notes))
    roles |= {"id": id, "pos_label": pos_label}
    dated = data.dated(dates, y_true, y_prob, fingerprint=fingerprint, date_format=date_format, **roles)
    pairs = dated.pairs
    codes = np.zeros(len(pairs), dtype=np.int64) if pairs.groups is None else pairs.groups
    names = (ALL,) if pairs.groups is None else pairs.group_names
    return Rows(
        dated.days,
        pairs.labels,
        pairs.probabilities,
        codes,
        names,
        dated.clusters,
        dated.unlabelled,
        (*pairs.notes, *dated.notes),
    )


def checked_rows(
    dates: Any, y_true: Any, y_prob: Any, *, groups: Any, clusters: Any, pos_label: Any, date_format: str | None = None
) -> Rows:
    """Check the rows of arrays, and return them; a label of None or NaN is not yet known."""
    columns = {"dates": dates, "y_true": y_true, "y_prob": y_prob, "groups": groups, "clusters": clusters}
    check_row_order(columns)
    check_same_length(**columns)
    (days, notes), label = as_days(dates, date_format=date_format), as_column(y_true, name="y_true")
    has_label = _labelled(label)
    n = int(has_label.sum())
    if n == 0:
        raise InputError("`y_true` has no label yet, so there is nothing to monitor. Try again when labels are known.")
    probabilities = check_probabilities(y_prob)[has_label]
    notes += notes_on_percentages({"y_prob": y_prob})
    labels = check_labels(label[has_label].tolist(), pos_label=pos_label)
    codes: Integers = np.zeros(n, dtype=np.int64)
    names: tuple[str, ...] = (ALL,)
    if groups is not None:
        codes, names = check_codes(as_column(groups, name="groups")[has_label], n=n, name="groups", groups=True)
        if ALL in names:
            raise InputError("groups must not contain an empty name. Name them, or leave such rows out.")
    cluster_codes = None if clusters is None else fingerprints(as_column(clusters, name="clusters")[has_label], n=n)
    return Rows(days[has_label], labels, probabilities, codes, names, cluster_codes, days[~has_label], notes)


def _labelled(column: Any) -> Any:
    if column.dtype.kind in "fc":
        return ~np.isnan(column)
    if column.dtype.kind in "OUT":
        return np.array([not is_missing(value) for value in column])
    return np.ones(len(column), dtype=np.bool_)


def fingerprints(column: Column, *, n: int) -> Integers:
    """Return the fingerprint of each row's cluster, a hash that identifies the cluster in later updates.

    >>> two = fingerprints(np.array(["doc 7", "doc 1", "doc 7"]), n=3)
    >>> bool(two[0] == two[2]), bool(two[0] == two[1])
    (True, False)
    """
    codes = check_clusters(column, n=n)
    rows, codes = np.unique(codes, return_index=True, return_inverse=True)[1:]
    hashes: Integers = np.array([fingerprint(_text(value)) for value in column[rows].tolist()], dtype=np.int64)
    return hashes[codes]


def fingerprint(name: str) -> int:
    """Return the fingerprint of a name: `md5_number_lower` of DuckDB as a signed number.

    >>> fingerprint("doc 7")
    -6256225945147844607
    """
    digest = hashlib.md5(name.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return int.from_bytes(digest[BYTES:], "little", signed=True)


def _text(value: object) -> str:
    """Return a name as string. 7 and 7.0 give the same string, since numbers in columns with gaps become floats."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
