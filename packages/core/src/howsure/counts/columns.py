"""The columns of units by their role (scores, labels, groups, ...), from arrays, a data frame or files."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.counts.notes import CountNote
from howsure.counts.population import named_groups
from howsure.errors import InputError
from howsure.inputs.checks import Coded
from howsure.inputs.date_formats import ISO
from howsure.inputs.frames import Kind, Rows, Source, columns_from, is_frame, not_a_frame, read_columns
from howsure.inputs.label_spelling import spellings_note
from howsure.inputs.numbers_and_names import notes_on_percentages, shortened
from howsure.inputs.periods import read_periods
from howsure.inputs.repeated_items import frame_clusters

LABELS = ("y_true", "second", "settled")  # of the units that were read
LABELS_ADVICE = "If these are the model's labels, write 1 for the positive label and 0 for the other."
SEVERAL = ("groups", "features")
KINDS = {"y_prob": Kind.NUMBER, "features": Kind.NUMBER, "date": Kind.DAYS, "clusters": Kind.VALUES}


@dataclass(frozen=True, slots=True)
class Columns:
    """The values of each role: a column, several columns by name, or a mapping of rows to values; rows, and notes."""

    values_by_role: Mapping[str, Any]
    rows: Rows
    notes: tuple[CountNote, ...] = ()

    def __getitem__(self, role: str) -> Any:
        return self.values_by_role.get(role)

    @classmethod
    def read(
        cls,
        data: object,
        *,
        show: Sequence[str] = (),
        pos_label: Hashable = None,
        date: Any = None,
        period: str | None = None,
        date_format: str | None = None,
        **roles: Any,
    ) -> Columns:
        """Read the columns of all roles. If they are names, the columns are read from `data`.

        The periods of dates become the last group column. show: names of further columns of `data`, which are read
        later.
        """
        if (date is None) != (period is None):
            both = "`date=...` and `period='month'` (or week, quarter, year)"
            raise InputError(f"{both} must be given together; one of them is missing. Add it, or leave both out.")
        if date_format is not None and date is None:
            raise InputError("`date_format` is the format of dates, so their column must be named, too: `date=...`.")
        parameters = roles | {"date": date}
        if data is not None and not is_frame(data):
            raise not_a_frame(data)
        if data is None:
            rows, values, item = Rows({}), parameters, None
        else:
            names = {role: _names(role, value, data) for role, value in parameters.items()}
            clusters = names.get("clusters")
            kinds = dict.fromkeys(show, Kind.LATER) | _kinds(names, Kind.GRADE if pos_label is None else Kind.OPTIONAL)
            seek_items = "clusters" in roles and not clusters
            try:
                rows = read_columns(data, kinds, clusters=clusters and clusters[0], cells=() if seek_items else None)
            except InputError as error:
                raise _labels_as_probabilities(error, y_prob=roles.get("y_prob")) from None
            item = rows.chosen.get("clusters") or (frame_clusters(data, [], [*kinds])[0] if seek_items else None)
            values = {
                role: parameters[role]
                if column_names is None
                else {name: rows[name] for name in column_names}
                if role in SEVERAL
                else rows[column_names[0]]
                for role, column_names in names.items()
            }
        with rows.locating_errors():
            groups = named_groups(values.get("groups"))
            coded = [column for column in groups.values() if isinstance(column, Coded)]
            spelled = [spellings_note(column.rows_by_name, "groups") for column in coded]
            notes = tuple(CountNote("spelling", {"sentence": sentence}) for sentence in spelled if sentence)
            if "y_prob" in values and not isinstance(data, Source):
                score_name = parameters["y_prob"] if isinstance(parameters["y_prob"], str) else "y_prob"
                percent = notes_on_percentages({score_name: values["y_prob"]})
                rows = replace(rows, provenance={"notes": list(percent)} if percent else {})
            if item is not None:
                codes = rows[item].codes if rows.chosen else columns_from(data, [item])[0].astype(str)
                repeated = {"column": item, "rows": len(codes), "items": len(np.unique(codes))}
                notes = (CountNote("repeated_items", repeated), *notes)
            days, date_name = values.pop("date"), date if isinstance(date, str) else "date"
            if days is not None:
                parsed_dates = read_periods(days, period=str(period), date_format=date_format, name=date_name)
                values["groups"] = {**groups, str(period): parsed_dates.periods}
                if parsed_dates.date_format != ISO:
                    rows = replace(rows, provenance={**rows.provenance, "date_format": parsed_dates.date_format})
                    dates = {"format": parsed_dates.date_format, "first": parsed_dates.first, "last": parsed_dates.last}
                    return cls(values, rows, (CountNote("date_format", dates), *notes))
        return cls(values, rows, notes)


def _labels_as_probabilities(error: InputError, *, y_prob: Any) -> InputError:
    """Return the error with other advice if a text without digits is in the column of probabilities."""
    fault = error.fault
    if fault is None or (fault.rule, fault.name, fault.remedy) != ("not_a_number", y_prob, "leave_out_rows"):
        return error
    if any(character.isdigit() for character in str(fault.value)):
        return error
    return InputError(replace(fault, remedy=LABELS_ADVICE))


def _names(role: str, value: Any, data: Any) -> list[str] | None:
    """Return the column names of a role; None if the role has values instead of names, or is missing."""
    if isinstance(value, str):
        return [value]
    several = role in SEVERAL and isinstance(value, Iterable) and not isinstance(value, Mapping) and not is_frame(value)
    if not several or (hasattr(value, "__array__") and not isinstance(data, Source) and len(value) == len(data)):
        return None
    names = list(value)
    return names if all(isinstance(name, str) for name in names) else None


def _kinds(names: Mapping[str, list[str] | None], labels: Kind) -> dict[str, Kind]:
    """Return the kind of each named column. Labels and their sampling design may be missing for unlabelled units.

    labels: the kind of columns of labels.
    """
    drawn = ("strata", "inclusion") if names.get("inclusion") else ()
    kinds: dict[str, Kind] = {}
    for role, column_names in names.items():
        kind = labels if role in LABELS else Kind.GRADE if role in drawn else KINDS.get(role, Kind.NAMES)
        for name in column_names or ():
            alike = {kind, kinds.get(name, kind)}
            if len(alike) > 1 and alike <= {Kind.VALUES, Kind.NAMES, Kind.DAYS}:
                kind = Kind.NAMES
            elif len(alike) > 1 or (kind in (Kind.GRADE, labels) and name in kinds):
                raise InputError(f"a column can have only one role; {shortened([repr(name)])} is named for two.")
            kinds[name] = kind
    return kinds
