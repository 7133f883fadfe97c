"""`span_agreement`: agreement of raters on spans of texts, by unitizing α and pairwise F1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any, TypeAlias

import numpy as np

from howsure import __version__
from howsure.calibration.squared_error import exact_interval
from howsure.data.sources import Files
from howsure.errors import InputError, quote
from howsure.inputs.arguments import check_arguments
from howsure.inputs.checks import as_column, check_same_length, is_missing, missing
from howsure.inputs.frames import Kind, Rows, Source, not_a_column_name, read_columns
from howsure.inputs.numbers_and_names import check_level, counted, parse_number
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.judges.agreement import EXACT_SHARE, JACKKNIFE, MAX_RATERS, MIN_DISAGREEING_ITEMS
from howsure.notes import DETAIL, WARNING, Note, marked_note
from howsure.result import Estimate, as_json
from howsure.result import Rows as ResultRows
from howsure.show.table import COUNT, ESTIMATE, WORDS, Column
from howsure.stats.clusters import ItemGroups, kish
from howsure.stats.mean_score import mean_score
from howsure.stats.proportions import t_quantile

Span: TypeAlias = tuple[int, int]
GAFFKE = "Gaffke"
MAX_LENGTH = 1_000_000_000  # characters of a document
Spans: TypeAlias = Mapping[str, Sequence[Span]]  # the sorted spans of a rater, by category


@dataclass(frozen=True, slots=True)
class SpanAgreementRow:
    """The agreement of two raters, or of all (`b` is None), on the n documents that at least two of them annotated.

    spans: the number of spans that these raters marked. f1: the proportion of spans that both raters marked with the
    same ends and category. alpha: Krippendorff's unitizing α, in which overlapping spans agree in part.
    """

    a: str
    b: str | None
    n: int
    spans: int
    f1: Estimate
    alpha: Estimate


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SpanAgreement(ResultRows[SpanAgreementRow]):
    """The result of `span_agreement`: a row for all raters, and one for each two."""

    rows: tuple[SpanAgreementRow, ...] = as_json("agreement")
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, object]

    named = ""
    title = "Agreement on spans"

    def columns(self) -> Sequence[Column]:
        """Raters, documents, spans and coefficients."""
        level = f"in brackets the {100 * self.rows[0].alpha.level:g}% interval"
        return [
            Column("raters", WORDS, get=lambda row: row.a if row.b is None else f"{row.a}, {row.b}"),
            Column("n", COUNT, "documents", legend="annotated by two raters or more"),
            Column("spans", COUNT),
            Column("f1", ESTIMATE, "F1", legend=f"share of spans that both marked alike; {level}"),
            Column("alpha", ESTIMATE, "α", legend="Krippendorff's unitizing α"),
        ]

    @property
    def answer(self) -> str:
        """Unitizing α of all raters, and pairwise F1."""
        row = self.rows[0]
        raters = f"{row.a} and {row.b}" if row.b else "the raters"
        documents = f"{counted(row.n, 'document')} with two raters or more"
        return f"Unitizing α of {raters} is {row.alpha}, F1 of equal spans {row.f1} ({documents})."

    def footnotes(self) -> Sequence[str]:
        """How intervals are computed, and the notes."""
        return [Note("Intervals treat documents as clusters.", DETAIL), *self.notes]


@dataclass(frozen=True, slots=True)
class Annotated:
    """A document: its length, and the spans of each rater who annotated it."""

    length: int
    spans: Mapping[str, Spans]

    def of(self, raters: Sequence[str]) -> Annotated:
        """The same document with some of the raters."""
        return Annotated(self.length, {rater: self.spans[rater] for rater in raters if rater in self.spans})


def span_agreement(
    start: ArrayLike | str,
    *,
    end: ArrayLike | str,
    category: ArrayLike | str | None = None,
    rater: ArrayLike | str,
    document: ArrayLike | str,
    length: ArrayLike | str | None = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> SpanAgreement:
    """Estimate the agreement of raters on spans of texts, that is, on their positions and categories.

    Returns a row for all raters and one for each pair: pairwise F1 of spans with the same ends and category, and
    Krippendorff's unitizing α, in which overlapping spans agree in part. Intervals treat documents as clusters.

    start (n,): the first character of each span; start and end are missing if a rater found nothing in a document.
    end (n,): the character after the last one of each span.
    category (n,): the category of each span (default: all have the same).
    rater (n,): the rater who marked it.
    document (n,): the document of each span.
    length (n,): the number of characters of the document (default: up to its last span, which makes α lower).
    level: level of the intervals.

    α = 1 - D_o / D_e. The disagreement of two overlapping spans of a category is the sum of the squared differences of
    their starts and of their ends. The disagreement of a span that overlaps with no other span is its squared length.
    D_e is the expected disagreement over all pairs of spans and gaps in all positions, if all documents are joined into
    one. A rater without a row for a document did not annotate it. Spans of a rater and category must not overlap.

    Source: Krippendorff (1995, 2004).

    >>> spans = {"end": [5, 4, 12], "rater": ["a", "b", "a"], "document": [1, 1, 1], "length": [40, 40, 40]}
    >>> agreement = span_agreement([0, 0, 9], **spans)
    >>> round(agreement[0].f1.value, 2), round(agreement[0].alpha.value, 2)
    (0.0, 0.75)

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_arguments(span_agreement, locals())
    level = check_level(level)
    columns = {"document": document, "rater": rater, "start": start, "end": end, "category": category, "length": length}
    columns = {role: column for role, column in columns.items() if column is not None}
    for role in ("document", "rater", "start", "end"):
        if role not in columns:
            raise InputError("{parameter} must be given.", role)
    if not isinstance(columns["start"], str) and not np.size(np.asarray(columns["start"], dtype=object)):
        raise InputError("{parameter} must not be empty.", "start")
    rows = _rows(columns, data)
    with rows.locating_errors():
        documents = _documents(rows, {role: role if data is None else str(name) for role, name in columns.items()})
    raters = sorted({name for annotated in documents.values() for name in annotated.spans})
    if len(raters) < 2:
        raise InputError(f"`rater` must name two or more raters; it names only {', '.join(map(repr, raters))}.")
    notes: list[str] = []
    usable = [annotated for annotated in documents.values() if len(annotated.spans) > 1]
    if not usable:
        raise InputError(
            "no document was annotated by two raters, so their agreement is unknown. Is `document` the right column?"
        )
    if not any(kinds for annotated in usable for kinds in annotated.spans.values()):
        raise InputError("no rater marked a span in a document with two raters, so their agreement is unknown.")
    if alone := len(documents) - len(usable):
        notes.append(
            Note(
                f"{counted(alone, 'document')} annotated by only one rater. If other raters found nothing there, add a "
                "row without start and end for each of these raters.",
                WARNING,
            )
        )
    if length is None:
        notes.append(
            marked_note("documents are assumed to end with their last span; give their lengths as `length='COL'`")
        )
    pairs = list(combinations(raters, 2))
    table = [_row(usable, raters, level)]
    if len(raters) > MAX_RATERS:
        notes.append(f"there are {len(raters):,} raters, more than {MAX_RATERS}, so pairs of raters have no rows")
    elif len(pairs) > 1:
        shared = {pair: [document for document in usable if document.spans.keys() >= {*pair}] for pair in pairs}
        table += [_row(both, pair, level) for pair, both in shared.items() if len(both) > 1]
    if any(row.alpha.low is None and not math.isnan(row.alpha.value) for row in table):
        notes.append(
            Note(
                "α has no interval: nearly all disagreement is in one or two documents. Annotate more documents.",
                WARNING,
            )
        )
    recipe = {"howsure": __version__, **(rows.provenance or {"n": sum(row.spans for row in table[:1])}), "level": level}
    return SpanAgreement(rows=tuple(table), notes=(*rows.notes, *notes), recipe=recipe)


def _rows(columns: Mapping[str, Any], data: Any) -> Rows:
    """Read the columns of the roles from arrays (without `data`), a data frame or files."""
    if data is None:
        return Rows({role: as_column(column, name=role) for role, column in columns.items()})
    for role, name in columns.items():
        if not isinstance(name, str):
            raise not_a_column_name(role, name)
    if isinstance(data, Files):
        data = replace(data, keep_empty=True)  # the rater saw the document and marked nothing
    return read_columns(data, dict.fromkeys(columns.values(), Kind.OPTIONAL))


def _documents(rows: Rows, names: Mapping[str, str]) -> dict[str, Annotated]:
    arrays = {role: as_column(rows[name], name=name) for role, name in names.items()}
    check_same_length(**{names[role]: array for role, array in arrays.items()})
    columns = {role: array.tolist() for role, array in arrays.items()}
    spans: dict[str, dict[str, dict[str, list[Span]]]] = {}
    lengths: dict[str, int] = {}
    stated_lengths: dict[str, int] = {}
    for row in range(len(columns["start"])):
        cells = {role: column[row] for role, column in columns.items()}
        for role in ("document", "rater"):
            if is_missing(cells[role]):
                raise missing(names[role], row)
        document = str(cells["document"])
        of_rater = spans.setdefault(document, {}).setdefault(str(cells["rater"]), {})
        if "length" in cells and not is_missing(cells["length"]):
            size = _position(cells["length"], names["length"], row)
            if stated_lengths.setdefault(document, size) != size:
                raise InputError(
                    f"document {quote(document)} has lengths {stated_lengths[document]:,} and {size:,}. Correct one of "
                    "them."
                )
        if is_missing(cells["start"]) and is_missing(cells["end"]):
            continue
        if "category" in cells and is_missing(cells["category"]):
            raise missing(names["category"], row)
        first, last = (_position(cells[role], names[role], row) for role in ("start", "end"))
        if last <= first:
            raise InputError(
                "{parameter} must be above its start, {first:,}: it is the character after the last one",
                names["end"],
                first=first,
                value=last,
                row=row,
            )
        of_rater.setdefault(str(cells.get("category", "")), []).append((first, last))
        lengths[document] = max(lengths.get(document, 0), last)
    for document, size in stated_lengths.items():
        if size < lengths.get(document, 0):
            raise InputError(
                f"document {quote(document)} has {size:,} characters, and a span that ends at {lengths[document]:,}."
            )
    sizes = lengths | stated_lengths
    return {
        document: Annotated(
            sizes.get(document, 0),
            {rater: {c: _in_order(of, document, rater) for c, of in kinds.items()} for rater, kinds in by.items()},
        )
        for document, by in spans.items()
    }


def _position(cell: Any, name: str, row: int) -> int:
    """Return a position in a document as a whole number from 0. Raises InputError for any other cell."""
    number = math.nan if is_missing(cell) else parse_number(str(cell).strip())
    if number is None or not 0 <= number <= MAX_LENGTH or number != int(number):
        rule = "{parameter} must be a whole number from 0 to {most:,}"
        raise InputError(rule, name, most=MAX_LENGTH, value=cell, row=row)
    return int(number)


def _in_order(spans: Sequence[Span], document: str, rater: str) -> list[Span]:
    ordered = sorted(spans)
    for before, after in pairwise(ordered):
        if after[0] < before[1]:
            raise InputError(
                f"spans of one category by {quote(rater)} overlap in document {quote(document)}: {before[0]:,} to "
                f"{before[1]:,} and {after[0]:,} to {after[1]:,}. Merge them, or give them different categories."
            )
    return ordered


# Coefficients of documents, each from sums of documents, so that any of them can be left out.


def _row(documents: Sequence[Annotated], raters: Sequence[str], level: float) -> SpanAgreementRow:
    a, b = raters if len(raters) == 2 else ("all", None)
    of_raters = [document.of(raters) for document in documents]
    matches = [_matches(document) for document in of_raters]
    clusters = np.repeat(np.arange(len(documents)), [len(of_document) for of_document in matches])
    f1 = _f1(np.concatenate(matches), clusters, level)
    n_spans = sum(len(spans) for document in of_raters for kinds in document.spans.values() for spans in kinds.values())
    return SpanAgreementRow(a, b, len(documents), n_spans, f1, _alpha(UnitizingSums.of(of_raters), level))


def _f1(matches: Floats, clusters: Integers, level: float) -> Estimate:
    """The proportion of spans that match, with its interval (none if spans are in a single document)."""
    n = len(np.unique(clusters))
    if n < 2:
        return Estimate(float(matches.mean()) if n else math.nan, None, None, level=level, method=GAFFKE, n=n)
    groups = ItemGroups.of(len(matches), clusters=clusters if len(matches) > n else None)
    mean = mean_score(matches, groups, bounds=(0.0, 1.0))
    return Estimate(mean.value, *mean.interval(level), level=level, method=mean.method, n=n)


def _alpha(sums: UnitizingSums, level: float) -> Estimate:
    """Unitizing α with its interval, from the jackknife over documents of log(1 - α).

    The degrees of freedom are the effective number of documents with disagreement, (Σ d)² / Σ d², minus 1. If there is
    disagreement in fewer than 5 documents, the interval follows from the exact interval of the proportion of such
    documents. For the lower end, each of these documents lowers α from 1 by as much as the worst of them does, but at
    least by 1, as disagreement by chance would. For the upper end, each lowers α by as much as the best of them. The
    ends are None if nearly all disagreement is in one document, so that there are fewer than 2 degrees of freedom.
    """
    d, n = sums.disagreement, len(sums.disagreement)
    alpha, n_disagreeing = sums.alpha(np.ones(n)), int((d > 0).sum())
    unknown = Estimate(alpha, None, None, level=level, method=JACKKNIFE, n=n)
    if math.isnan(alpha) or n < 2:
        return unknown
    if n_disagreeing < MIN_DISAGREEING_ITEMS:
        ends = exact_interval(np.array([n_disagreeing / n]), np.array([float(n)]), tail=(1 - level) / 2)
        # by which each lowers α from 1
        each = (1.0 - alpha) * n / float(d.sum()) * d[d > 0] if n_disagreeing else np.ones(1)
        low, high = 1.0 - max(each.max(), 1.0) * float(ends[1][0]), 1.0 - each.min() * float(ends[0][0])
        return Estimate(alpha, low, high, level=level, method=EXACT_SHARE, n=n)
    degrees = kish(d) - 1
    if degrees < 2:  # nearly all disagreement is in one or two documents
        return unknown
    without = np.log([1.0 - sums.alpha(np.where(np.arange(n) == left_out, 0.0, 1.0)) for left_out in range(n)])
    if not np.isfinite(without).all():
        return unknown
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    factor = math.exp(t_quantile(level, degrees) * error)
    return Estimate(alpha, 1 - (1 - alpha) * factor, 1 - (1 - alpha) / factor, level=level, method=JACKKNIFE, n=n)


def _matches(document: Annotated) -> Floats:
    """Return, for each pair of raters and span of either, whether the other marked it, too. The mean is F1."""
    sets = [{(c, *span) for c, spans in kinds.items() for span in spans} for kinds in document.spans.values()]
    return np.array(
        [
            float(span in other)
            for a, b in combinations(sets, 2)
            for own_spans, other in ((a, b), (b, a))
            for span in sorted(own_spans)
        ]
    )


@dataclass(frozen=True, slots=True)
class UnitizingSums:
    """The sums from which unitizing α is computed, by document (d,) and by category and length of spans (k,).

    disagreement (d,): the observed disagreement over pairs of raters. positions (d,): raters times characters. category
    (k,), length (k,). spans (d, k): the number of such spans. places (d, k): the number of positions in gaps where such
    a span fits.
    """

    disagreement: Floats
    positions: Floats
    category: Any
    length: Floats
    spans: Floats
    places: Floats

    @classmethod
    def of(cls, documents: Sequence[Annotated]) -> UnitizingSums:
        counts = [_span_counts(document) for document in documents]
        kinds = sorted({kind for of_document in counts for kind in of_document})
        spans = np.array([[of_document.get(kind, 0) for kind in kinds] for of_document in counts], dtype=np.float64)
        places = np.zeros((len(documents), len(kinds)))
        names = sorted({category for category, _ in kinds})
        length = np.array([size for _, size in kinds], dtype=np.float64)
        for at, document in enumerate(documents):
            for name in names:
                columns = [kind_index for kind_index, kind in enumerate(kinds) if kind[0] == name]
                gaps = np.array(_gaps(document, name), dtype=np.float64)[:, None]
                places[at, columns] = np.maximum(gaps - length[columns] + 1, 0.0).sum(axis=0)
        return cls(
            np.array([_disagreement(document) for document in documents]),
            np.array([len(document.spans) * document.length for document in documents], dtype=np.float64),
            np.array([names.index(category) for category, _ in kinds]),
            length,
            spans,
            places,
        )

    def alpha(self, times: Floats) -> float:
        """Return unitizing α of documents, each repeated `times` (d,); NaN without spans."""
        size = self.length
        spans, places, total = times @ self.spans, times @ self.places, float(times @ self.positions)
        n = np.bincount(self.category, spans)[self.category] if len(size) else spans
        of_pairs = spans * ((n - 1) * (2 * size**3 - 3 * size**2 + size) / 3 + size**2 * places)
        by_category = np.bincount(self.category, of_pairs) if len(size) else np.zeros(1)
        within = np.bincount(self.category, spans * size * (size - 1)) if len(size) else np.zeros(1)
        expected = float((2 * by_category / (total * (total - 1) - within)).sum()) if total > 1 else 0.0
        return 1.0 - float(times @ self.disagreement) / total / expected if expected > 0.0 else math.nan


def _span_counts(document: Annotated) -> dict[tuple[str, int], int]:
    """The number of spans by category and length."""
    counts: dict[tuple[str, int], int] = {}
    for kinds in document.spans.values():
        for category, spans in kinds.items():
            for start, end in spans:
                counts[category, end - start] = counts.get((category, end - start), 0) + 1
    return counts


def _gaps(document: Annotated, category: str) -> list[int]:
    """The lengths of the gaps between the spans of a category, of all raters."""
    gaps = []
    for kinds in document.spans.values():
        spans = kinds.get(category, ())
        starts, ends = [*(start for start, _ in spans), document.length], [0, *(end for _, end in spans)]
        gaps += [start - end for start, end in zip(starts, ends, strict=True) if start > end]
    return gaps


def _disagreement(document: Annotated) -> float:
    """The observed disagreement of all ordered pairs of raters, divided by the number of other raters."""
    total = 0.0
    for first, second in combinations(document.spans.values(), 2):
        for category in first.keys() | second.keys():
            first_spans, second_spans = first.get(category, ()), second.get(category, ())
            total += sum(_distance(span, other) for span in first_spans for other in second_spans)
            for spans, others in ((first_spans, second_spans), (second_spans, first_spans)):
                lone = [span for span in spans if not any(_overlap(span, other) for other in others)]
                total += sum((end - start) ** 2 for start, end in lone)
    return 2.0 * total / (len(document.spans) - 1)


def _overlap(span: Span, other: Span) -> bool:
    return span[0] < other[1] and other[0] < span[1]


def _distance(span: Span, other: Span) -> int:
    return (span[0] - other[0]) ** 2 + (span[1] - other[1]) ** 2 if _overlap(span, other) else 0
