"""Calibration summaries of several groups: tags, models, languages, hospitals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

from howsure.calibration.calibration_summary import CalibrationSummary, checked_pairs, sums_of_source
from howsure.calibration.engines.pairs_or_sums import sums_of_frame
from howsure.calibration.saved_summaries import Saved, check_weights, from_bytes, read, to_bytes, write
from howsure.calibration.slots import Slots, slots_of
from howsure.calibration.table import CalibrationTable, table_of
from howsure.errors import InputError, parameter, shown
from howsure.files.whole import Place
from howsure.inputs.frames import Source, columns_of, is_lazy
from howsure.inputs.given import Given
from howsure.inputs.numbers_and_names import natural_order


class CalibrationSummaries(Mapping[str, CalibrationSummary]):
    """A `CalibrationSummary` for each group, by name; those of two sets of pairs add up.

    >>> hospitals = CalibrationSummaries()
    >>> hospitals.add([0, 1, 1, 0], [0.1, 0.4, 0.8, 0.9], groups=["A", "A", "B", "B"])
    >>> hospitals.add([0, 1], [0.2, 0.7], groups=["C", "A"])
    >>> [(name, len(summary)) for name, summary in hospitals.items()]
    [('A', 3), ('B', 2), ('C', 1)]
    """

    def __init__(self, summaries: Mapping[str, CalibrationSummary] | None = None) -> None:
        self._slots: dict[str, Slots] = {}
        for name, one in (summaries or {}).items():
            if not isinstance(one, CalibrationSummary):
                raise InputError(f"summaries must hold a CalibrationSummary for each group; {name!r} has {shown(one)}.")
            if str(name) in self._slots:
                raise InputError(f"summaries must have names of their own; two are called {str(name)!r}.")
            self._slots[str(name)] = one.slots
        check_weights(self._slots)

    @classmethod
    def from_frame(
        cls,
        data: Any,
        *,
        y_true: str | None = None,
        y_prob: str | Given | None = None,
        groups: str | None = None,
        sample_weight: str | None = None,
        pos_label: Any = None,
    ) -> Self:
        """The summary of each group of a data frame or of files, as of `CalibrationSummary.from_frame`; a log names its
        groups itself.

        Raises InputError for a column that is not there, and for values that break a rule.
        """
        asked: Any = {"y_true": y_true, "y_prob": y_prob, "sample_weight": sample_weight, "groups": groups}
        none = InputError(f"{parameter('groups')} must name a column; without groups use CalibrationSummary.")
        if isinstance(data, Source):
            sums, _ = sums_of_source(data, **asked, pos_label=pos_label)
            if list(sums) == [""]:
                raise none
            return cls.of_slots(sums)
        if groups is None:
            raise none
        if is_lazy(data):
            return cls.of_slots(sums_of_frame(data, **asked, pos_label=pos_label).checked())
        found = cls()
        columns = dict(zip(asked, columns_of(data, **asked), strict=True))
        found.add(columns.pop("y_true"), columns.pop("y_prob"), **columns, pos_label=pos_label)
        return found

    @classmethod
    def of_slots(cls, slots: Mapping[str, Slots]) -> Self:
        """The summaries of sums that were added up elsewhere, by group."""
        check_weights(slots)
        found = cls()
        found._slots = dict(slots)
        return found

    def add(
        self, y_true: Any, y_prob: Any = None, *, groups: Any = None, sample_weight: Any = None, pos_label: Any = None
    ) -> None:
        """Add pairs, each to the summary of its group; the other arguments are those of `CalibrationSummary.add`.

        Raises InputError naming the parameter, row and value that violated a rule; nothing is added then.
        """
        pairs = checked_pairs(y_true, y_prob, sample_weight=sample_weight, pos_label=pos_label, groups=groups)
        if pairs.groups is None:
            raise InputError("groups must say what each pair belongs to; without groups use CalibrationSummary.")
        self._slots = _merged(self._slots, {name: slots_of(group) for name, group in pairs.by_group() if len(group)})

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, CalibrationSummaries):
            return NotImplemented
        return self.of_slots(_merged(self._slots, other._slots))

    def __radd__(self, other: int) -> Self:
        """`sum` starts at 0."""
        return type(self)() + self if other == 0 else NotImplemented

    def __getitem__(self, name: str) -> CalibrationSummary:
        return CalibrationSummary.of_slots(self._slots[name])

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._slots, key=natural_order))

    def __len__(self) -> int:
        return len(self._slots)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CalibrationSummaries) and self._slots == other._slots

    __hash__ = None  # type: ignore[assignment]

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
        """The calibration of every group, as of `calibration_table`; bins are made of whole cells.

        Raises InputError where a group holds no pairs that count.
        """
        if not self._slots:
            raise InputError("there are no summaries: add pairs first.")
        parts = [(name, self._slots[name]) for name in self]
        return table_of(parts, bin_size=bin_size, n_bins=n_bins, binning=binning, level=level, adjust=adjust)

    def together(self) -> CalibrationSummary:
        """The summary of all pairs, whatever their group."""
        slots = Slots.none()
        for name in self:
            slots = slots + self._slots[name]
        return CalibrationSummary.of_slots(slots)

    def to_bytes(self) -> bytes:
        """The summaries as bytes: the same pairs give the same bytes, however they were divided."""
        return to_bytes(Saved([self._slots[name] for name in self], list(self)))

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """The summaries of `to_bytes`. Raises InputError for bytes that are none, or were truncated or changed."""
        return cls._of(from_bytes(content), "content")

    def save(self, path: Place) -> None:
        """Write the summaries to a file that appears whole or not at all; one that is there is replaced."""
        write(Saved([self._slots[name] for name in self], list(self)), path)

    @classmethod
    def load(cls, path: Place) -> Self:
        """The summaries of a file. Raises InputError if there is none, or it was truncated or changed."""
        return cls._of(read(path), str(path))

    @classmethod
    def _of(cls, saved: Saved, name: str) -> Self:
        if saved.names is None:
            raise InputError(f"{name} holds one summary without groups: CalibrationSummary reads it.")
        return cls.of_slots(dict(zip(saved.names, saved.parts, strict=True)))


def _merged(one: Mapping[str, Slots], other: Mapping[str, Slots]) -> dict[str, Slots]:
    names = one.keys() | other.keys()
    found = {name: one.get(name, Slots.none()) + other.get(name, Slots.none()) for name in names}
    check_weights(found)
    return found
