"""A monitor of calibration, to which dated rows are added period by period. Its state can be saved as text."""

from __future__ import annotations

import base64
import datetime
import math
from collections.abc import Hashable
from typing import Any, Literal, Self

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.files.atomic_write import Place
from howsure.files.serialization import Head, SavedState, load, save
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import part_of, shortened, unknown_name
from howsure.inputs.pairs import Integers, Probabilities
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.monitoring.bets import CellSums
from howsure.monitoring.group import KEPT, Group
from howsure.monitoring.results import (
    MonitorSeries,
    MonitorStatus,
    MonitorUpdate,
    build_series,
    capped_e_value,
    group_status,
)
from howsure.monitoring.settings import ALL, DAY, Days, Rows, Settings, as_day, period_starts, read_rows

# The state of a monitor as JSON.

LIKE = "monitor.json"
HEAD = Head(
    "howsure monitor",
    3,
    ("kind", "schema"),
    "the state of a monitor",
    "this is not the state of a monitor. Name the file that howsure monitor update wrote.",
    "Start a new state file, and add the whole log to it.",
    strict=False,
)
STATE = SavedState(HEAD, "Restore a copy, or start a new state file.")
LITTLE = np.dtype("<i8")


def packed(clusters: Integers) -> str:
    """Encode sorted fingerprints (hashes of cluster names) as a string."""
    return base64.b64encode(clusters.astype(LITTLE).tobytes()).decode()


def unpacked(text: str) -> Integers:
    """Decode fingerprints encoded by `packed`; raise ValueError for other strings."""
    clusters = np.frombuffer(base64.b64decode(text, validate=True), dtype=LITTLE).astype(np.int64)
    if (clusters[1:] <= clusters[:-1]).any():
        raise ValueError("clusters must be sorted and distinct")
    return clusters


# Dated rows are added period by period, each period once, and the alarm can be read at any time.

FIRST_SHARE = 0.75  # part of the false alarm probability that is divided among the groups of the first period
MAX_GROUPS = 200
Date = str | datetime.date | np.datetime64


class CalibrationMonitor:
    """A monitor of a model's calibration over time, to which the predictions and labels of each day are added.

    The null hypothesis is that, given the past, a row with probability q has label 1 with a probability within
    `tolerance` of q. An e-process (bets on other forecasts, fixed before each period; Arnold, Henzi & Ziegel 2023)
    accumulates the evidence against it. There is an alarm when the e-value reaches 1 / (1 - level); with several
    groups, the threshold is higher. If the hypothesis is true, the probability that there is ever an alarm in any group
    is at most 1 - level, however often the status is queried. With a reference period, the hypothesis is that the gap
    between probability and frequency, in each range of q, is the same as in the reference period.

    period: length of a period.
    tolerance: how far the probability of label 1 may be from the predicted probability.
    level: 1 minus the probability that there is ever a false alarm; also the level of the bands.
    wait: number of days after the end of a period at which its rows are used, so that late labels are included.
    reference: the last day of the reference period, which is not tested; later days are compared with it.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.beta(4, 1.5, 10_000)
    >>> days = np.datetime64("2026-01-01") + np.arange(10_000) // 200
    >>> y = rng.random(10_000) < q - 0.08 * (days >= np.datetime64("2026-02-01"))
    >>> monitor = CalibrationMonitor()
    >>> update = monitor.update(days, y, q)
    >>> monitor.status()["all"].since
    '2026-02-01'

    Raises InputError for an invalid setting.
    """

    def __init__(
        self,
        *,
        period: Literal["day", "week", "month"] = "day",
        tolerance: float = 0.02,
        level: float = 0.95,
        wait: int = 0,
        reference: Date | None = None,
    ) -> None:
        self.settings = Settings.checked(
            period=period, tolerance=tolerance, level=level, wait=wait, reference=reference
        )
        self._groups: dict[str, Group] = {}
        self._later = 0  # number of groups that first occurred after the first period
        self._taken: dict[str, list[float]] = {}  # by period: rows, sum of q, rows without a label, rows left out
        self._clusters: Integers | None = None  # sorted fingerprints of all clusters added so far
        self._through: np.datetime64 | None = None  # the day after the last added period

    def update(
        self,
        dates: ArrayLike | str,
        y_true: ArrayLike | str | None = None,
        y_prob: ArrayLike | str | Probabilities | None = None,
        *,
        groups: ArrayLike | str | None = None,
        clusters: ArrayLike | str | None = None,
        id: str | None = None,
        pos_label: Hashable = None,
        until: Date | None = None,
        date_format: str | None = None,
        data: Source | IntoFrame | None = None,
    ) -> MonitorUpdate:
        """Add the periods that have ended and were not added before.

        Pass all available rows, or the rows since any earlier date; rows of periods that were added before are left out
        and counted. y_true: None or NaN if the label is not yet known. clusters: names of groups of correlated rows,
        such as conversations; a name must mean the same cluster in every update. until: the last day for which the rows
        are complete; by default the day before the latest date. A period is added if `until` is at least `wait` days
        after its last day. date_format: date format, such as %d/%m/%Y (default: ISO 8601, or what else fits if only one
        does). data: a frame, or files opened by `howsure.read`; the other arguments are then names of its columns.

        Given the probability, whether a label is still missing when its period is added must not depend on the label.
        All rows of a cluster belong to the period of its first row. Rows of a cluster that an earlier update added are
        left out and counted, because they are correlated with the earlier rows.

        Raises InputError naming the row and the value; the monitor then remains unchanged.
        """
        roles: dict[str, Any] = {"groups": groups, "clusters": clusters, "pos_label": pos_label}
        rows = read_rows(dates, y_true, y_prob, id=id, date_format=date_format, data=data, **roles)
        return self.take(rows, until=until)

    def take(self, rows: Rows, *, until: Date | None = None) -> MonitorUpdate:
        """Do the work of `update` for rows that were read by `howsure.monitoring.settings.read_rows`."""
        self._check_as_before(rows)
        newest = np.concatenate([rows.days, rows.unlabelled]).max()
        last_day = newest - DAY if until is None else as_day(until, name="until")
        ended = period_starts(np.array([last_day - self.settings.wait * DAY + DAY]), period=self.settings.period)[0]
        return self._take(rows, ended)

    def _take(self, rows: Rows, ended: np.datetime64) -> MonitorUpdate:
        """Add the periods that end before the day `ended`."""
        periods, unlabelled = (
            period_starts(days, period=self.settings.period) for days in (rows.days, rows.unlabelled)
        )
        before = self._is_before(periods)
        new = ~before & (periods < ended)
        late, changed, missed = self._differences(periods[before], rows.probabilities[before])
        missing = unlabelled[~self._is_before(unlabelled) & (unlabelled < ended)]
        is_known = self._is_known(rows)
        self._record(periods[new], rows.probabilities[new], missing, periods[new & is_known])
        usable_rows, new_periods = rows.where(new & ~is_known), periods[new & ~is_known]
        cluster_periods, moved = _whole_clusters(usable_rows, new_periods)
        self._bet(usable_rows, cluster_periods)
        if usable_rows.clusters is not None:
            known_clusters = () if self._clusters is None else self._clusters
            self._clusters = np.union1d(np.array(known_clusters, dtype=np.int64), usable_rows.clusters)
        self._through = ended if self._through is None else max(self._through, ended)
        return MonitorUpdate(
            periods=tuple(np.unique(periods[new]).astype(str).tolist()),
            n=len(usable_rows),
            unlabelled=len(missing),
            already=int(before.sum()) - missed,
            missed=missed,
            late=late,
            changed=changed,
            open=int((~before & ~new).sum()),
            moved=moved,
            continued=int((new & is_known).sum()),
            notes=rows.notes,
            recipe=self.recipe,
        )

    def _is_before(self, periods: Days) -> Any:
        return np.zeros(len(periods), dtype=np.bool_) if self._through is None else periods < self._through

    def _is_known(self, rows: Rows) -> Any:
        """Return which rows belong to a cluster that an earlier update added.

        Given the first rows of a cluster, its other rows need not be calibrated even if the model is, because all rows
        may be right or wrong together. Bets on them would not be fair.
        """
        if rows.clusters is None or self._clusters is None:
            return np.zeros(len(rows), dtype=np.bool_)
        return np.isin(rows.clusters, self._clusters)

    def _check_as_before(self, rows: Rows) -> None:
        if self._groups and (self._clusters is None) != (rows.clusters is None):
            roles_before = "no clusters" if self._clusters is None else "clusters"
            raise InputError(
                f"clusters must be given as before: this monitor has {roles_before}. Use the same clusters, or start "
                "another monitor."
            )
        if self._groups and (ALL in self._groups) != (ALL in rows.names):
            roles_before = "no groups" if ALL in self._groups else f"groups ({shortened(self._groups, limit=5)})"
            raise InputError(
                f"groups must be given as before: this monitor has {roles_before}. Use the same groups, or start "
                "another monitor."
            )
        n_groups = len(self._groups.keys() | set(rows.names))
        if n_groups > MAX_GROUPS:
            raise InputError(
                f"groups must be at most {MAX_GROUPS}; with these rows there are {n_groups:,}. Combine some of them."
            )

    def _differences(self, periods: Days, probabilities: Any) -> tuple[int, int, int]:
        """Compare rows of past periods with the rows that were added.

        Returns the number of additional rows of added periods, the number of added periods whose rows have changed, and
        the number of rows in periods that were skipped.
        """
        late = changed = missed = 0
        names, codes = np.unique(periods, return_inverse=True)
        counts, sums = np.bincount(codes), np.bincount(codes, probabilities)
        oldest = next(iter(self._taken)) if len(self._taken) == KEPT else ""  # earlier periods are no longer recorded
        for name, count, total in zip(names.astype(str).tolist(), counts.tolist(), sums.tolist(), strict=True):
            known_counts = self._taken.get(name)
            if known_counts is None:
                missed += count if name > oldest else 0
            else:
                late += max(0, count - int(known_counts[0]))
                changed += count == known_counts[0] and not math.isclose(
                    total, known_counts[1], rel_tol=1e-9, abs_tol=1e-9
                )
        return late, changed, missed

    def _record(self, periods: Days, probabilities: Any, missing: Days, left_out: Days) -> None:
        for name in np.unique(np.concatenate([periods, missing])):
            in_period = periods == name
            others = [float((days == name).sum()) for days in (missing, left_out)]
            self._taken[str(name)] = [float(in_period.sum()), float(probabilities[in_period].sum()), *others]
        for name in list(self._taken)[: max(0, len(self._taken) - KEPT)]:
            del self._taken[name]

    def _bet(self, rows: Rows, periods: Days) -> None:
        order = np.lexsort((rows.groups, periods))
        rows, periods = rows.where(order), periods[order]
        starts = np.flatnonzero(np.r_[True, (periods[1:] != periods[:-1]) | (rows.groups[1:] != rows.groups[:-1])])
        begun = not self._groups
        first = set(rows.groups[periods == periods[0]].tolist()) if len(rows) else set()
        for start, stop in zip(starts, [*starts[1:], len(rows)], strict=True) if len(rows) else ():
            rows_of_group = slice(start, stop)
            code, period = int(rows.groups[start]), str(periods[start])
            name = rows.names[code]
            if name not in self._groups:
                self._groups[name] = Group(self._weight(name, begun and code in first, len(first)))
            clusters = None
            if rows.clusters is not None:
                clusters = np.unique(rows.clusters[rows_of_group], return_inverse=True)[1]
            self._groups[name].take(
                period, rows.labels[rows_of_group], rows.probabilities[rows_of_group], clusters, self.settings
            )

    def _weight(self, name: str, is_first: bool, n_first: int) -> float:
        """Return a group's part of the probability of a false alarm; the parts of all groups sum to 1."""
        if name == ALL:
            return 1.0
        if is_first:
            return FIRST_SHARE / n_first
        self._later += 1
        return (1.0 - FIRST_SHARE) / (self._later * (self._later + 1.0))

    @property
    def recipe(self) -> dict[str, Any]:
        """The settings, and the version."""
        return {"method": "e-process", **self.settings.to_dict(), "howsure": __version__}

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups; "all" without groups."""
        return tuple(name or "all" for name in self._groups)

    def status(self) -> MonitorStatus:
        """Return the current evidence, alarm and calibration error of each group."""
        log_e = [math.log(group.weight) + group.process.log_e for group in self._groups.values()]
        periods = list(self._taken)
        missing = {period: int(counts[2]) for period, counts in self._taken.items() if counts[2]}
        return MonitorStatus(
            rows=tuple(group_status(name, group, self.settings, self.recipe) for name, group in self._groups.items()),
            e_value=capped_e_value(float(np.logaddexp.reduce(log_e))) if log_e else 1.0,
            first=periods[0] if periods else None,
            last=periods[-1] if periods else None,
            unlabelled_by_period=missing,
            recipe=self.recipe,
            notes=self._notes(sum(missing.values()), int(sum(counts[3] for counts in self._taken.values()))),
        )

    def _notes(self, unlabelled: int, left_out: int) -> tuple[str, ...]:
        rows = int(sum(counts[0] for counts in self._taken.values()))
        notes = []
        if unlabelled:
            notes.append(
                f"{unlabelled:,} of {rows + unlabelled:,} rows had no label when their period was used; the results "
                "are valid only if labels of 0 and of 1 are equally likely to be missing"
            )
        if left_out:
            notes.append(
                f"{part_of(left_out, rows, 'row', 'was', 'were')} left out, because their clusters began in an earlier "
                "update and rows of a cluster are correlated; with longer periods, fewer are left out"
            )
        if self.settings.reference is not None:
            notes.append(f"tested: whether calibration is still as it was until {self.settings.reference}")
        return tuple(notes)

    def series(self, group: str | None = None) -> MonitorSeries:
        """Return the periods of a group or, without groups, of all rows.

        Raises InputError for an unknown group.
        """
        return build_series(*self._group(group), self.settings, self.recipe)

    def sums(self, period: str, *, group: str | None = None) -> CellSums:
        """Return the calibration summary of a period (sums over its pairs), from which a calibration curve follows.

        Raises InputError for an unknown group or period.
        """
        name, group_state = self._group(group)
        if period not in group_state.series:
            raise unknown_name("period", period, list(group_state.series), place=name or "the monitor")
        return group_state.series[period][0]

    def _group(self, name: str | None) -> tuple[str, Group]:
        if not self._groups:
            raise InputError("the monitor has no period yet. Add rows with `update` first.")
        group_name = next(iter(self._groups)) if name is None and len(self._groups) == 1 else name
        if group_name == "all" and ALL in self._groups:
            group_name = ALL
        if group_name is None:
            raise InputError(f"group must name one of {shortened(self._groups)}.")
        if group_name not in self._groups:
            raise unknown_name("group", group_name, self.groups, place="the monitor")
        return group_name, self._groups[group_name]

    def to_json(self) -> str:
        """Return the whole state as a JSON text, to be stored in a file."""
        state = {
            "settings": self.settings.to_dict(),
            "through": None if self._through is None else str(self._through),
            "later": self._later,
            "taken": self._taken,
            "clusters": None if self._clusters is None else packed(self._clusters),
            "groups": {name: group.to_dict() for name, group in self._groups.items()},
        }
        return STATE.text(state)

    def save(self, path: Place) -> None:
        """Write the whole state to a file for `load`, replacing an existing one."""
        save(self.to_json().encode(), path, like=LIKE)

    @classmethod
    def load(cls, path: Place) -> Self:
        """Read a monitor from a file that `save` or `howsure monitor update` wrote.

        Raises InputError if the file does not exist, or is not the state of a monitor.
        """
        return load(path, cls.from_json, like=LIKE, what="state of a monitor")

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Restore a monitor from the text of `to_json`.

        Raises InputError if the text is not the state of a monitor, or was truncated or changed.
        """
        with STATE.content(text) as state:
            monitor = cls(**state["settings"])
            monitor._through = None if state["through"] is None else np.datetime64(state["through"], "D")
            monitor._later = int(state["later"])
            monitor._taken = {str(name): [float(count) for count in counts] for name, counts in state["taken"].items()}
            monitor._clusters = None if state["clusters"] is None else unpacked(state["clusters"])
            monitor._groups = {str(name): Group.from_dict(group) for name, group in state["groups"].items()}
            monitor.status()
            return monitor

    def __repr__(self) -> str:
        return f"CalibrationMonitor of {len(self._groups):,} groups through {self._through or 'no day yet'}"


def _whole_clusters(rows: Rows, periods: Days) -> tuple[Days, int]:
    """Assign each row to the period of the first row of its cluster; return the periods, and how many rows moved."""
    if rows.clusters is None or len(rows) == 0:
        return periods, 0
    codes = np.unique(rows.clusters, return_inverse=True)[1]
    first = np.full(int(codes.max()) + 1, periods.max())
    np.minimum.at(first, codes, periods)
    return first[codes], int((first[codes] != periods).sum())
