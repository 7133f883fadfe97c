"""Columns of graded answers by role, from arrays, a frame, or files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.counts.notes import note_text
from howsure.counts.sampling_design import Elements, partial_column, read_draw
from howsure.errors import ANY_VALUE, LIST_COLUMNS, REMEDIES, Fault, InputError, parameter, renumbered_rows
from howsure.inputs.arguments import check_distinct
from howsure.inputs.checks import (
    Coded,
    as_column,
    check_clusters,
    check_codes,
    factorised,
    first_missing,
    is_missing,
    missing,
)
from howsure.inputs.frames import AS_READ, Kind, Rows, not_a_column_name, read_columns
from howsure.inputs.long_form import advising_pos_label, item_twice, partial_scores
from howsure.inputs.numbers_and_names import check_bounds, check_scales, check_within, notes_on_numbers, percentages
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.repeated_items import frame_clusters
from howsure.judges.correction import Graded
from howsure.stats.mean_score import Bounds, share_bounds

LENGTHS, READINGS = ("length", "prompt_length"), ("second", "settled")
SPARSE = 10  # possible codes per row up to which they are counted without sorting
MIN_COPIED = 10  # fewer equal grades are not surprising
NUMERIC, PARTIAL = ("score", *LENGTHS), ("y_true", *READINGS, "swapped", "earlier")
DRAWN = ("strata", "inclusion")
KINDS = {"model": "models", "rater": "raters", "prompt": "prompts"}  # in notes on names that differ only in spelling
PARTS = ("model", "prompt", "rater", "judge", "run")  # roles that, together with the item, identify a row
PEOPLE, JUDGES = {"human", "person", "people", "expert", "annotator"}, {"judge", "llm", "gpt", "autorater"}  # in names
NO_POSITIVE = object()  # the caller has no `pos_label`
SWAPPED = "If `y_true`, which has no gaps, names the judge's grades, the columns are swapped."
OF_ANSWERS = ("model", "id", "rater", "prompt")  # roles of columns that hold no grades


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of n answers by role: grades and lengths as numbers, NaN if missing; other roles as codes.

    drawn: strata and inclusion probabilities. They are unchecked, because they may be missing for answers without a
    human grade. labels: the texts for which the grades are codes.
    """

    n: int
    numbers: Mapping[str, Floats]
    coded: Mapping[str, Coded]
    drawn: Mapping[str, Any]
    units: Integers | None
    rows: Rows
    recipe: dict[str, Any]
    notes: list[str]
    labels: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        roles: Mapping[str, Any],
        data: Any,
        *,
        pos_label: object = NO_POSITIVE,
        show: Sequence[str] = (),
        labels: bool = False,
        texts: bool = False,
    ) -> Columns:
        """Read the named columns.

        show: columns of `data` to be read later. labels: grades are names, not numbers. texts: the grades of judge and
        humans are texts, which become codes.
        """
        columns = {role: column for role, column in roles.items() if column is not None}
        names = {role: str(column) if data is not None else role for role, column in columns.items()}
        advised = [] if pos_label is NO_POSITIVE else [names[role] for role in ("score", "y_true") if role in names]
        pos_label = None if pos_label is NO_POSITIVE else pos_label
        grades = {role: column for role, column in columns.items() if role in (*NUMERIC, *PARTIAL)}
        check_distinct(grades, {role: columns[role] for role in OF_ANSWERS if role in columns})
        numeric = tuple(role for role in NUMERIC if role != "score" or not labels)
        cells = [columns[role] for role in PARTS if role in columns]
        in_clusters = "clusters" in roles and not {"clusters", "id", "strata"} & columns.keys()
        numeric_roles = numeric if pos_label is None and not texts else LENGTHS
        with _advising_swap(columns, data), advising_pos_label(advised):
            rows = (
                Rows(columns)
                if data is None
                else _rows(columns, data, numeric_roles, show, cells if in_clusters else None)
            )
        values = columns if data is None else {role: rows[column] for role, column in columns.items()}
        names_of_codes = _text_labels(values, names) if texts else ()
        if texts:
            codes = {label: code for code, label in enumerate(names_of_codes)}
            values = values | {role: _label_codes(values[role], codes) for role in ("score", "y_true")}
        notes: list[str] = []
        with rows.locating_errors(), advising_pos_label(advised):
            _check_spellings(values, names, pos_label)
            first = values.get("score")
            n = len(first if isinstance(first, Coded) else as_column(first, name=names.get("score", "score")))
            numbers = {}
            for role in (*PARTIAL, *DRAWN, *LENGTHS):
                if role not in values or isinstance(values[role], Coded):
                    continue
                if role in DRAWN or (data is None and isinstance(values[role], Mapping)):
                    partial_column(values[role], n=n, name=names[role], reference=names["score"])
            for role in (role for role in (*numeric, *PARTIAL) if role in values):
                positive = None if role in LENGTHS else pos_label
                role_numbers = partial_scores(
                    values[role],
                    n,
                    pos_label=positive,
                    name=names[role],
                    notes=notes,
                    must_occur=role not in READINGS and not (role == "score" and "y_true" in values),
                )
                if role in numeric and np.isnan(role_numbers).any():
                    error = missing(names[role], int(np.isnan(role_numbers).argmax()))
                    is_swapped = role == "score" and "y_true" in values and not _has_gaps(values["y_true"], n)
                    raise _with_swap(error.fault) if is_swapped and error.fault else error
                numbers[role] = role_numbers
            graded = {names[role]: grades for role, grades in numbers.items() if role not in LENGTHS}
            has_labels = (
                pos_label is not None or rows.provenance
            )  # labels may be percentages; files have their own notes
            percent = [] if has_labels else percentages({names[role]: values[role] for role in numbers})
            notes += notes_on_numbers([], percent)
            rows = replace(rows, provenance={"n": n, "percentages": percent}) if percent else rows
            check_scales(graded, rows.provenance.get("percentages", ()))
            if {"score", "y_true"} <= numbers.keys():
                notes += _note_on_copies(numbers["score"], numbers["y_true"], names)
                notes += _note_on_swap(numbers["y_true"], names, rows.provenance.get("skipped") or {})
            coded = {
                role: column if isinstance(column, Coded) else Coded(*check_codes(column, n=n, name=names[role]))
                for role, column in values.items()
                if role not in (*numeric, *PARTIAL, *DRAWN, "clusters")
            }
            units = values.get("clusters", rows[rows.chosen["clusters"]] if "clusters" in rows.chosen else None)
            if units is not None:
                units = units.codes.astype(np.int64) if isinstance(units, Coded) else check_clusters(units, n=n)
        recipe: dict[str, Any] = {"howsure": __version__, **(rows.provenance or {"n": n})}
        if data is not None:
            recipe |= {AS_READ.get(role, role): column for role, column in (columns | dict(rows.chosen)).items()}
        notes += rows.notes
        notes += [note for role, kind in KINDS.items() if role in coded for note in coded[role].spellings_note(kind)]
        drawn = {role: values[role] for role in DRAWN if role in values}
        return cls(n, numbers, coded, drawn, units, rows, recipe, notes, names_of_codes)

    def codes(self, role: str) -> Integers:
        """The codes of a role; 0 for each answer if it has no column."""
        return self.coded[role].codes.astype(np.int64) if role in self.coded else np.zeros(self.n, dtype=np.int64)

    def names(self, role: str) -> tuple[str, ...]:
        return self.coded[role].names if role in self.coded else ("all",)

    def rows_by_name(self, role: str) -> dict[str, Integers]:
        """The rows of each name, in ascending order."""
        codes, names = self.codes(role), self.names(role)
        order = np.argsort(codes.astype(np.min_scalar_type(len(names))), kind="stable")  # radix, of short codes
        parts = np.split(order, np.cumsum(np.bincount(codes, minlength=len(names)))[:-1])
        return dict(zip(names, parts, strict=True))

    def bounds(self, bounds: tuple[float, float] | None, name: str) -> Bounds | None:
        """The bounds of human grades: those that the user gave, or 0 and 1 if all grades are 0 or 1."""
        y = self.numbers.get("y_true", self.numbers["score"])
        grades = y[~np.isnan(y)]
        if bounds is None:
            f = self.numbers["score"]
            return share_bounds(grades) if ((f >= 0.0) & (f <= 1.0)).all() else None
        ends = check_bounds(bounds)
        graded = {name: y, str(self.recipe.get(AS_READ.get("score", "score"))): self.numbers["score"]}
        check_scales(graded, self.rows.provenance.get("percentages", ()), ends)
        check_within(y, ends, name=name)
        return ends

    def graded(self, rows: Integers, judged: Floats, people: Floats, bounds: Bounds | None) -> Graded:
        """Return the judge's grades (or differences) of some rows, with the human grades of those drawn."""
        labelled = np.flatnonzero(~np.isnan(people))
        strata, inclusion = (self.drawn_at(role, rows) for role in DRAWN)
        with renumbered_rows(lambda row: int(rows[row])):
            draw, _ = read_draw(Elements(len(rows), None), labelled, strata=strata, inclusion=inclusion)
        if draw.note is not None and (note := note_text(draw.note)) not in self.notes:
            self.notes.append(note)
        units = self.select_units(rows)
        several = draw.stratum_of_all is not None and draw.stratum.max() > 0
        of_all = draw.stratum_of_all.astype(np.int64) if draw.stratum_of_all is not None and several else None
        stratum = np.unique(draw.stratum, return_inverse=True)[1]
        return Graded(judged, labelled, people[labelled], draw.weight, stratum, units, bounds, of_all)

    def select_units(self, rows: Integers) -> Integers | None:
        """The clusters of some rows; None if each row is its own cluster."""
        return None if self.units is None else self.units[rows]

    def drawn_at(self, role: str, rows: Integers) -> Any:
        """Strata or inclusion probabilities of some rows, by their positions among these rows; None if not given."""
        values = self.drawn.get(role)
        if isinstance(values, Mapping):
            return {position: values[row] for position, row in enumerate(rows.tolist()) if row in values}
        if isinstance(values, Coded):
            return np.array(values.names, dtype=object)[values.codes[rows]]
        return None if values is None else np.asarray(values)[rows]

    def check_once(self, roles: Iterable[str], each: str, *, has_runs: bool = False) -> None:
        """Raise InputError if two rows have the same item and the same values of the other roles."""
        key, size = self.codes("id"), len(self.names("id"))
        for role in roles:
            key, size = key * len(self.names(role)) + self.codes(role), size * len(self.names(role))
        if size <= SPARSE * self.n and np.bincount(key).max() == 1:
            return
        distinct_keys, times = np.unique(key, return_counts=True)
        if len(distinct_keys) < self.n:
            a, b = np.flatnonzero(key == distinct_keys[times.argmax()])[:2]
            columns = [*self.numbers.values(), *(column.codes for column in self.coded.values())]
            is_identical = all(np.array_equal(column[a], column[b], equal_nan=True) for column in columns)
            item = repr(self.names("id")[self.codes("id")[a]])
            raise item_twice(int(a), int(b), item, each=each, has_runs=has_runs, is_identical=is_identical)


def _note_on_copies(judge: Floats, people: Floats, name_by_role: Mapping[str, str]) -> list[str]:
    """A warning if the grades of judge and humans are all equal, because one column may be a copy of the other."""
    graded = ~np.isnan(people)
    n = int(graded.sum())
    if n < MIN_COPIED or not (judge[graded] == people[graded]).all():
        return []
    columns = f"{name_by_role['score']} and {name_by_role['y_true']}"
    return [f"{columns} are equal in all {n:,} answers that have both. Check that neither is a copy of the other."]


def _note_on_swap(people: Floats, name_by_role: Mapping[str, str], skipped: Mapping[str, int]) -> list[str]:
    """Return a warning if the columns of judge and humans seem to be swapped, by their names or missing values.

    >>> _note_on_swap(np.ones(3), {"score": "human_grade", "y_true": "judge"}, {})
    ["human_grade is read as the judge's grades, and judge as the human grades. Are they swapped?"]
    """
    judge, person = name_by_role["score"], name_by_role["y_true"]
    by_name = _words(judge) & PEOPLE and _words(person) & JUDGES
    has_gaps = skipped.get(judge) and person not in skipped and not np.isnan(people).any()
    by_gaps = has_gaps and not _words(judge) & JUDGES
    return (
        [f"{judge} is read as the judge's grades, and {person} as the human grades. Are they swapped?"]
        if by_name or by_gaps
        else []
    )


def _check_spellings(values: Mapping[str, Any], names: Mapping[str, str], pos_label: object) -> None:
    """Raise InputError if the positive value of judge and humans differs only in upper and lower case."""
    if pos_label is None or not {"score", "y_true"} <= values.keys():
        return
    spellings = [_spellings(values[role], str(pos_label)) for role in ("score", "y_true")]
    if spellings[0] != spellings[1] and all(len(texts) == 1 for texts in spellings):
        (judge,), (people,) = spellings
        raise InputError(
            f"{names['score']} has {judge!r}, and {names['y_true']} has {people!r}. Spell the values in the same "
            "way in both columns."
        )


def _text_labels(values: Mapping[str, Any], names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the texts in the columns of judge and humans, sorted."""
    of_all = (value for role in ("score", "y_true") for value in distinct_values(values[role]))
    labels = sorted({str(value) for value in of_all if not is_missing(value)})
    spelled = {label.casefold(): label for label in labels}
    for label in labels:
        if spelled[label.casefold()] != label:
            raise InputError(
                f"{names['score']} and {names['y_true']} have {label!r} and {spelled[label.casefold()]!r}. Spell the "
                "values in the same way in both columns."
            )
    return tuple(labels)


def _label_codes(values: Any, codes: Mapping[str, int]) -> Any:
    """Return the codes of a column of texts (NaN if missing), or of a mapping from rows to texts (None if missing)."""
    if isinstance(values, Mapping):
        return {row: codes.get(str(value)) for row, value in values.items()}
    if isinstance(values, Coded):
        return np.array([codes[name] for name in values.names])[values.codes]
    try:
        rows, texts = factorised(as_column(values, name="score"))
    except TypeError:  # lists cannot be hashed
        rows, texts = np.arange(len(values)), list(values)
    return np.array([math.nan if is_missing(text) else codes[str(text)] for text in texts])[rows]


def _spellings(values: Any, text: str) -> set[str]:
    """The values of a column that equal this text except for upper and lower case."""
    return {str(value) for value in distinct_values(values) if str(value).casefold() == text.casefold()}


def distinct_values(values: Any) -> Iterable[Any]:
    """Return the distinct values of a column, or of a mapping from rows to values; all if they cannot be hashed."""
    if isinstance(values, Coded):
        return values.names
    column = values.values() if isinstance(values, Mapping) else values
    if isinstance(column, np.ndarray) and column.dtype.kind == "U" and column.ndim == 1 and column.size:
        return factorised(column)[1]
    try:
        return dict.fromkeys(column)
    except TypeError:
        return list(column)


def _words(name: str) -> set[str]:
    return {*re.split(r"[^a-z]+", name.casefold())}


@contextmanager
def _advising_swap(column_by_role: Mapping[str, Any], data: Any) -> Iterator[None]:
    """A context in which an error about a missing grade of the judge also says that the columns may be swapped, if only
    the judge's column has gaps."""
    try:
        yield
    except InputError as error:
        fault, judge, person = error.fault, column_by_role.get("score"), column_by_role.get("y_true")
        if fault is None or not isinstance(judge, str) or (fault.name, fault.rule) != (judge, "missing"):
            raise
        if (
            not isinstance(person, str) or getattr(data, "pivot", None) is not None
        ):  # in a pivoted table, a tie is a missing value too
            raise
        if _has_gaps(read_columns(data, {person: Kind.OPTIONAL})[person], 0):
            raise
        raise _with_swap(fault) from error


def _with_swap(fault: Fault) -> InputError:
    """The error with the advice that the columns may be swapped."""
    return InputError(replace(fault, remedy=f"{REMEDIES[fault.remedy]} {SWAPPED}"))


def _has_gaps(values: Any, n: int) -> bool:
    """Whether a column lacks one of n values."""
    return (
        len(values) < n if isinstance(values, Mapping) else first_missing(as_column(values, name="y_true")) is not None
    )


def _rows(
    column_by_role: dict[str, Any], data: Any, numeric: Sequence[str], show: Sequence[str], cells: Sequence[str] | None
) -> Rows:
    for role, column in column_by_role.items():
        if not isinstance(column, str):
            raise not_a_column_name(role, column)
    kinds = dict.fromkeys(show, Kind.LATER)
    for role, column in column_by_role.items():
        partial = role in PARTIAL or role == "inclusion" or (role == "strata" and "inclusion" in column_by_role)
        if not partial or kinds.get(column, Kind.LATER) == Kind.LATER:  # a complete column can be used as a partial one
            is_label = role in PARTIAL and "score" not in numeric
            kinds[column] = (
                Kind.OPTIONAL if is_label else Kind.GRADE if partial else Kind.SCORE if role in numeric else Kind.NAMES
            )
    clusters, notes = (None, ()) if cells is None else frame_clusters(data, cells, list(kinds))
    kinds |= {} if clusters is None else {clusters: Kind.NAMES}
    rows = read_columns(data, kinds, clusters=column_by_role.get("clusters"), cells=cells)
    chosen = {**rows.chosen, **({} if clusters is None else {"clusters": clusters})}
    return replace(rows, chosen=chosen, notes=(*rows.notes, *notes))


def needed(role: str, of: str) -> InputError:
    """Build the error for a required role without a column. of: why it is required."""
    return InputError(f"{parameter(role, ANY_VALUE)} must be given, {of}.{LIST_COLUMNS}")
