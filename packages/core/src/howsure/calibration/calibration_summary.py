"""Calibration summaries: sums that can replace the pairs, for all pairs together or for each group."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np

from howsure.calibration.calibration_errors import estimate_error
from howsure.calibration.calibration_tests import CalibrationTest, check_sums
from howsure.calibration.curve import binned_curve
from howsure.calibration.engines.pairs_or_sums import parts_read, sums_of_frame
from howsure.calibration.logits import IGNORED, slots_of_logits
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.saved_summaries import Saved, SavedSums, check_weights
from howsure.calibration.slots import LAST, LOG_UNIT, Slots, sum_by_slot
from howsure.calibration.table import CalibrationTable, build_table
from howsure.errors import InputError, quote
from howsure.inputs.arguments import Randomness, check_row_order
from howsure.inputs.frames import Source, frame_columns, is_lazy
from howsure.inputs.numbers_and_names import counted, natural_order
from howsure.inputs.pairs import CLASS_WISE, NEGLIGIBLE_WEIGHT, Pairs, Probabilities
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Estimate
from howsure.show.table import number


def by_probability(slots: Slots) -> Slots:
    """Weight each pair by its probability, which is approximated by the mean probability of its slot (cell and label).

    Pairs of negligible probability get weight 0. Raises InputError for pairs that already have weights.
    """
    if slots.weights is not None:
        raise InputError("the pairs already have weights and cannot also be weighted by their probabilities.")
    weighs = slots.means()[0] > NEGLIGIBLE_WEIGHT
    weighted = replace(slots, slot=slots.slot[weighs], sums=slots.sums[:, weighs])
    q, number = weighted.means()[0], weighted.count
    (t, variance), (_, _, _, logs, infinite) = weighted.root, weighted.sums
    fraction = t - np.minimum(weighted.cell, LAST - weighted.cell)
    w = number * q
    weights = [w, w * q, w * q**2, w * q**3, w * fraction, w * (variance + fraction**2), q * logs / LOG_UNIT]
    none = np.zeros_like(number)
    sums = np.stack([number, none, none, none, infinite])
    return replace(weighted, sums=sums, weights=np.stack(weights), weightless=len(slots) - len(weighted))


# A calibration summary: sums from which every figure of a calibration curve is computed, and which can be merged.

HEAVIEST = 1e60  # the fourth power of a larger weight would overflow


class CalibrationSummary(SavedSums):
    """Sums over pairs of label and probability, from which calibration curves are computed, in about a megabyte for any
    number of pairs.

    Pairs are added up in narrow intervals of the probability scale, called cells. There are 27,555 cells on each side
    of one half; the width of a cell at one half is 1.5·10⁻⁴ of min(q, 1 - q). Bins are made of whole cells. The sum of
    two summaries is the summary of all their pairs, with the same bytes in any order of additions (up to rounding, if
    pairs are weighted). Data of two days, machines or institutions can thus be combined without sharing rows.

    >>> monday, tuesday = CalibrationSummary(), CalibrationSummary()
    >>> monday.add([0, 1, 1, 1], [0.1, 0.4, 0.8, 0.9])
    >>> tuesday.add([0, 1], [0.2, 0.7])
    >>> curve = (monday + tuesday).curve(bin_size=3)
    >>> curve.bins.mean_prob.round(3).tolist(), curve.bins.frequency.round(3).tolist()
    ([0.233, 0.8], [0.333, 1.0])
    """

    def __init__(self) -> None:
        self._slots: Slots = Slots.none()

    @classmethod
    def from_slots(cls, slots: Slots) -> Self:
        """Build a summary from sums by slot."""
        summary = cls()
        summary._slots = slots
        return summary

    @classmethod
    def from_frame(
        cls,
        data: Source | IntoFrame,
        *,
        y_true: str | None = None,
        y_prob: str | Probabilities | None = None,
        sample_weight: str | None = None,
        pos_label: Hashable = None,
    ) -> Self:
        """Summarise the pairs in a data frame or in files (`howsure.read`); the other arguments are column names.

        The engine of a lazy frame (Polars, DuckDB, Ibis, Spark, Dask) computes the sums itself.

        >>> import duckdb
        >>> pairs = duckdb.sql("SELECT i % 2 AS label, 0.1 + 0.8 * (i % 2) AS prob FROM range(10) t(i)")
        >>> len(CalibrationSummary.from_frame(pairs, y_true="label", y_prob="prob"))
        10

        Raises InputError for an unknown column or an invalid value, and for files with groups.
        """
        columns: Any = {"y_true": y_true, "y_prob": y_prob, "sample_weight": sample_weight}
        if isinstance(data, Source):
            sums, _ = sums_of_source(data, **columns, pos_label=pos_label)
            if list(sums) != [""]:
                raise InputError(f"{data.name} has groups. CalibrationSummaries keeps a summary of each group.")
            return cls.from_slots(sums[""])
        if is_lazy(data):
            sums = sums_of_frame(data, **columns, pos_label=pos_label).checked()
            return cls.from_slots(sums.get("", Slots.none()))
        labels, prob, weights = frame_columns(data, **columns)
        summary = cls()
        summary.add(labels, prob, sample_weight=weights, pos_label=pos_label)
        return summary

    @property
    def slots(self) -> Slots:
        """The sums by cell and label."""
        return self._slots

    def add(
        self,
        y_true: ArrayLike | Pairs,
        y_prob: ArrayLike | Probabilities | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        pos_label: Hashable = None,
    ) -> None:
        """Add pairs: labels and probabilities as in `calibration_curve`, or `Pairs` in place of both.

        Either all pairs of a summary have weights or none. Clusters and groups are refused, because sums do not record
        which pairs belong together. For groups, use `CalibrationSummaries`.

        Raises InputError, which names the parameter, row and value, for an invalid input; then nothing is added.
        """
        pairs = checked_pairs(y_true, y_prob, sample_weight=sample_weight, clusters=clusters, pos_label=pos_label)
        if pairs.groups is not None:
            raise InputError("A CalibrationSummary cannot keep groups apart. Use CalibrationSummaries instead.")
        self._slots = self._slots + sum_by_slot(pairs)

    def add_logits(
        self, logits: ArrayLike, targets: ArrayLike, *, reduce: str = CLASS_WISE, ignore: int = IGNORED
    ) -> None:
        """Add pairs from logits (…, V), such as a language model's, and the index of the target class of each row (…).

        reduce: "class-wise" adds V pairs per row, the probability of each class and whether it is the target;
        "top-label" adds one pair per row, the largest probability and whether its class is the target (ties go to the
        first class). Rows with the target `ignore` are left out. Logits may have any floating-point type; probabilities
        are their softmax in float64, and -inf means probability 0. Arrays are processed by numpy. Torch tensors are
        processed on their own device, which returns only sums and a few numbers per row.

        >>> import numpy as np
        >>> summary = CalibrationSummary()
        >>> summary.add_logits(np.log([[0.7, 0.2, 0.1], [0.5, 0.1, 0.4], [0.1, 0.1, 0.8]]), [0, 2, -100])
        >>> len(summary)
        6

        Raises InputError for an invalid shape, type, target or row; then nothing is added.
        """
        check_row_order({"logits": logits, "targets": targets})
        self._slots = self._slots + slots_of_logits(logits, targets, reduce=reduce, ignore=ignore)

    def by_probability(self) -> Self:
        """Weight each pair by its probability, so that classes count as often as the model expects them.

        This suits large vocabularies; `curve(binning="weight")` then has bins of equal expected frequency.

        Raises InputError for pairs that have weights.
        """
        return self.from_slots(by_probability(self._slots))

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, CalibrationSummary):
            return NotImplemented
        return self.from_slots(self._slots + other._slots)

    def __len__(self) -> int:
        return len(self._slots)

    def curve(
        self,
        *,
        bin_size: int | str = "auto",
        n_bins: int | None = None,
        binning: str = "adaptive",
        interval: str = "debiased",
        level: float = 0.95,
        rng: Randomness = None,
    ) -> CalibrationCurve:
        """Compute the calibration curve of the pairs like `calibration_curve`, with bins made of whole cells.

        binning="weight" requests bins of equal weight instead of equally many pairs: by default 2 n^(1/3) bins, where n
        is the effective number of pairs.
        """
        options: Any = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning, "interval": interval}
        return binned_curve(self.filled(), level=level, rng=rng, **options)

    def error(
        self,
        *,
        estimator: str = "debiased",
        bin_size: int | str = "auto",
        n_bins: int | None = None,
        binning: str = "adaptive",
        interval: str = "debiased",
        level: float = 0.95,
        rng: Randomness = None,
    ) -> Estimate:
        """Estimate the calibration error of the pairs like `calibration_error`."""
        options: Any = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning, "interval": interval}
        return estimate_error(self.filled(), estimator=estimator, level=level, rng=rng, **options)

    def test(
        self,
        *,
        method: str = "binned",
        n_simulations: int = 999,
        bin_size: int | str = "auto",
        n_bins: int | None = None,
        binning: str = "adaptive",
        rng: Randomness = None,
    ) -> CalibrationTest:
        """Test calibration like `calibration_test`; only "binned" and, without weights, "simulation" can use sums."""
        bins: Any = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning}
        return check_sums(self.filled(), method=method, n_simulations=n_simulations, rng=rng, **bins)

    def _saved(self) -> Saved:
        return Saved([self._slots])

    @classmethod
    def _of(cls, saved: Saved, name: str) -> Self:
        if saved.names is not None:
            raise InputError(f"{name} contains summaries of groups. Read it with CalibrationSummaries.")
        return cls.from_slots(saved.parts[0])

    def __repr__(self) -> str:
        if not len(self._slots.slot):
            return "summary of 0 pairs"
        s = self._slots
        weight = s.powers()[0]
        rate, size = float(weight @ s.label / weight.sum()), len(self.to_bytes())
        size_text = f"{size / 1000:,.0f} kB" if size >= 1000 else f"{size} bytes"
        return f"summary of {counted(len(s), 'pair')}, base rate {number(rate)}, error {self.error()}, {size_text}"

    def filled(self) -> Slots:
        """Return the sums. Raises InputError if no pairs have been added."""
        if not len(self._slots.slot):
            raise InputError("the summary is empty. Add pairs first.")
        return self._slots


def sums_of_source(data: Source, **roles: Any) -> tuple[dict[str, Slots], dict[str, Any]]:
    """Return the sums of a source's pairs by group ("" without groups), and a description of the input."""
    if roles.get("clusters") is not None or roles.get("id") is not None:
        raise InputError(
            "{parameter} and `id` need rows, but a summary contains only sums. Leave both out.", "clusters"
        )
    with data.predictions(**roles) as predictions:
        described = predictions.describe()
        if "cluster" in described:  # a log can define clusters itself
            raise InputError(
                f"rows of one {described['cluster']} are correlated, which sums do not show; evaluate the rows "
                "instead: howsure calibration FILE."
            )
        positive, sums = predictions.notes.get("positive"), {}
        for name, part in parts_read(predictions, data).by_group:
            slots = sum_by_slot(part) if isinstance(part, Pairs) else part
            sums[name or ""] = slots if positive is None else replace(slots, positive=str(positive))
        return sums, described


def checked_pairs(
    y_true: Any, y_prob: Any, *, sample_weight: Any, pos_label: Any, groups: Any = None, clusters: Any = None
) -> Pairs:
    """Check pairs for a summary. Raises InputError for clusters, and for weights whose fourth power overflows."""
    options = {"sample_weight": sample_weight, "groups": groups, "clusters": clusters}
    pairs = pairs_from(y_true, y_prob, pos_label=pos_label, **options)
    if pairs.clusters is not None:
        raise InputError(
            "clusters must not be given to a summary: sums do not say which pairs belong together, and its intervals "
            "assume independent pairs. Give pairs and clusters to calibration_curve, or add one pair of each cluster."
        )
    if pairs.weights is not None:
        bad = (pairs.weights > 0.0) & ((pairs.weights < 1 / HEAVIEST) | (pairs.weights > HEAVIEST))
        if bool(bad.any()):
            row = int(np.flatnonzero(bad)[0])
            raise InputError(
                "{parameter} of a summary must be 0 or between 1e-60 and 1e60; {row} is {weights!r}. "
                "Divide all weights by the same number.",
                "sample_weight",
                row=row,
                weights=float(pairs.weights[row]),
            )
    return pairs


class CalibrationSummaries(SavedSums, Mapping[str, CalibrationSummary]):
    """A mapping of group names to calibration summaries; adding two mappings adds the summaries of equal name.

    >>> hospitals = CalibrationSummaries()
    >>> hospitals.add([0, 1, 1, 0], [0.1, 0.4, 0.8, 0.9], groups=["A", "A", "B", "B"])
    >>> hospitals.add([0, 1], [0.2, 0.7], groups=["C", "A"])
    >>> [(name, len(summary)) for name, summary in hospitals.items()]
    [('A', 3), ('B', 2), ('C', 1)]
    """

    def __init__(self, summaries: Mapping[str, CalibrationSummary] | None = None) -> None:
        self._slots: dict[str, Slots] = {}
        for name, summary in (summaries or {}).items():
            if not isinstance(summary, CalibrationSummary):
                raise InputError(
                    f"summaries must contain a CalibrationSummary for each group; {name!r} has {quote(summary)}."
                )
            if str(name) in self._slots:
                raise InputError(f"summaries must have different names; two are called {str(name)!r}.")
            self._slots[str(name)] = summary.slots
        check_weights(self._slots)

    @classmethod
    def from_frame(
        cls,
        data: Source | IntoFrame,
        *,
        y_true: str | None = None,
        y_prob: str | Probabilities | None = None,
        groups: str | None = None,
        sample_weight: str | None = None,
        pos_label: Hashable = None,
    ) -> Self:
        """Summarise each group of a data frame or of files; the arguments are those of `CalibrationSummary.from_frame`.

        groups: the column of groups; not needed for a log that defines its groups.

        Raises InputError for an unknown column or an invalid value.
        """
        options: Any = {"y_true": y_true, "y_prob": y_prob, "sample_weight": sample_weight, "groups": groups}
        none = InputError("{parameter} must name a column; without groups use CalibrationSummary.", "groups")
        if isinstance(data, Source):
            sums, _ = sums_of_source(data, **options, pos_label=pos_label)
            if list(sums) == [""]:
                raise none
            return cls.from_slots(sums)
        if groups is None:
            raise none
        if is_lazy(data):
            return cls.from_slots(sums_of_frame(data, **options, pos_label=pos_label).checked())
        summaries_ = cls()
        columns = dict(zip(options, frame_columns(data, **options), strict=True))
        summaries_.add(columns.pop("y_true"), columns.pop("y_prob"), **columns, pos_label=pos_label)
        return summaries_

    @classmethod
    def from_slots(cls, slots: Mapping[str, Slots]) -> Self:
        """Build summaries from sums by slot, by group."""
        check_weights(slots)
        summaries_ = cls()
        summaries_._slots = dict(slots)
        return summaries_

    def add(
        self,
        y_true: ArrayLike | Pairs,
        y_prob: ArrayLike | Probabilities | None = None,
        *,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: Hashable = None,
    ) -> None:
        """Add each pair to the summary of its group; the other arguments are those of `CalibrationSummary.add`.

        Raises InputError, which names the parameter, row and value, for an invalid input; then nothing is added.
        """
        pairs = checked_pairs(y_true, y_prob, sample_weight=sample_weight, pos_label=pos_label, groups=groups)
        if pairs.groups is None:
            raise InputError("groups must name the group of each pair; without groups use CalibrationSummary.")
        self._slots = _merged(self._slots, {name: sum_by_slot(group) for name, group in pairs.by_group() if len(group)})

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, CalibrationSummaries):
            return NotImplemented
        return self.from_slots(_merged(self._slots, other._slots))

    def __getitem__(self, name: str) -> CalibrationSummary:
        return CalibrationSummary.from_slots(self._slots[name])

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._slots, key=natural_order))

    def __len__(self) -> int:
        return len(self._slots)

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {summary!r}" for name, summary in self.items()) or "no summaries: add pairs"

    def table(
        self,
        *,
        bin_size: int | str = "auto",
        n_bins: int | None = None,
        binning: str = "adaptive",
        level: float = 0.95,
        adjust: str | None = "holm",
    ) -> CalibrationTable:
        """Compute a table of every group like `calibration_table`, with bins made of whole cells.

        Raises InputError if there are no groups, or if a group has no pairs of positive weight.
        """
        if not self._slots:
            raise InputError("there are no summaries. Add pairs first.")
        parts = [(name, self._slots[name]) for name in self]
        return build_table(parts, bin_size=bin_size, n_bins=n_bins, binning=binning, level=level, adjust=adjust)

    def together(self) -> CalibrationSummary:
        """Pool the pairs of all groups into one summary."""
        slots = Slots.none()
        for name in self:
            slots = slots + self._slots[name]
        return CalibrationSummary.from_slots(slots)

    def _saved(self) -> Saved:
        return Saved([self._slots[name] for name in self], list(self))

    @classmethod
    def _of(cls, saved: Saved, name: str) -> Self:
        if saved.names is None:
            raise InputError(f"{name} contains one summary without groups. Read it with CalibrationSummary.")
        return cls.from_slots(dict(zip(saved.names, saved.parts, strict=True)))


def _merged(first: Mapping[str, Slots], other: Mapping[str, Slots]) -> dict[str, Slots]:
    names = first.keys() | other.keys()
    merged = {name: first.get(name, Slots.none()) + other.get(name, Slots.none()) for name in names}
    check_weights(merged)
    return merged
