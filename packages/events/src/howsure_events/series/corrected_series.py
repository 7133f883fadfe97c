"""Series of a store whose counts are corrected with the labels of documents, including events that the model missed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from howsure import __version__
from howsure.counts.estimation import estimate_counts
from howsure.counts.notes import Terms, as_sentence, by_severity, note_text
from howsure.counts.results import INTERVAL_ONLY, CountEstimate, CountEstimates, Diagnostics, is_interval_only
from howsure.inputs.numbers_and_names import check_level, counted, shortened, unknown_name
from howsure.inputs.parameter_types import Axes
from howsure.inputs.periods import Day, find_period
from howsure.notes import DETAIL, Note
from howsure.result import Row, Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, FRAME, NUMBER, TABLE, WORDS, Column, digits, interval, number, span
from howsure_events.labels.answers import SettledLabels, settled_labels
from howsure_events.labels.coders import merged_notes
from howsure_events.series.extra_features import Scores, learned_features, score_features
from howsure_events.series.labelled_pairs import LabelledPairs, PairFeatures, coded_rows, labelled_pairs, pair_features
from howsure_events.store.store_queries import (
    Store,
    actor_title,
    chosen_actors,
    counted_event,
    documents_by_period,
    incomplete_periods,
    is_imported,
    query_rows,
    recorded_settings,
    requested_days,
)

ALL = "all"
MAX_ANSWERED = 3  # actors in the summary sentence


@dataclass(frozen=True, slots=True)
class CorrectedCount:
    """The number, or proportion, of the documents of a period in which an actor acts, with its interval.

    period: its name, or "all". n: number of stored documents of the period; labelled: number of these with labels;
    positives: number of these in which the actor acts according to the coders. method: the method of the estimate.
    The estimate and its interval are NaN in a period without documents.
    """

    actor: str
    period: str
    n: int
    labelled: int
    positives: int
    estimate: float
    low: float
    high: float
    method: str

    @classmethod
    def of(
        cls, estimate: CountEstimate | None, actor: str, period: str, n_documents: int, *, share: bool
    ) -> CorrectedCount:
        """Return the count of an actor in a period, from the estimate of this cell (None: no stored document).

        n_documents: all documents of the period, including those that are not stored. share: return the proportion.
        """
        if n_documents == 0:
            return cls(actor, period, 0, 0, 0, math.nan, math.nan, math.nan, "")
        if estimate is None:
            return cls(actor, period, 0, 0, 0, 0.0, 0.0, 0.0, "exact")
        values = (estimate.estimate, float(estimate.low), float(estimate.high))
        count = cls(actor, period, estimate.n, estimate.labelled, estimate.positives, *values, estimate.method)
        return count.among(n_documents) if share else count

    @property
    def is_interval_only(self) -> bool:
        """Whether tables and figures show only the interval, because the estimate is 0 without positive labels."""
        return is_interval_only(self.positives, self.estimate, self.high)

    @property
    def shown(self) -> float | None:
        """The estimate in tables; None if only the interval is shown."""
        return None if self.is_interval_only else self.estimate

    def among(self, n_documents: int) -> CorrectedCount:
        """Return the count as a proportion of n documents; unchanged if n is 0."""
        if not n_documents:
            return self
        estimate, low, high = (value / n_documents for value in (self.estimate, self.low, self.high))
        return replace(self, estimate=estimate, low=low, high=high)


WITHIN, OUTSIDE = "asked", "other days"  # groups of documents: on requested days, or on other days, which also count

REPRINTED = (
    "corrected counts: {} the same story as another document; intervals of periods treat them as independent given "
    "their scores, those of totals do not"
)
DOCUMENTS = Terms(
    units="pairs of a document and an actor",
    group="period",
    groups="periods",
    clusters="documents",
    members="actors in one document",
    hidden=frozenset({WITHIN}),
)


def sentences(
    counts: CountEstimates | None, recipe: Mapping[str, Any], not_asked: Mapping[str, str], left_out: int
) -> tuple[str, ...]:
    """Return sentences on the labels that correct the counts, and on what is missing."""
    lines = [] if counts is None else [_labels_used(recipe)]
    if not_asked:
        lines.append(f"No corrected counts for {', '.join(not_asked)}: coders were not asked about them.")
    lines += _missing_labels(recipe)
    if left_out:
        lines.append(
            f"{counted(left_out, 'document names', 'documents name')} no actor and are not in the store; they count "
            "as documents without an event."
        )
    return tuple(lines)


def why_only_raw_counts(not_asked: Sequence[str]) -> str:
    """Explain why two actors are compared by their raw counts, although documents were labelled.

    >>> why_only_raw_counts(["IRQ"])
    'No corrected count for IRQ, because coders were not asked about it: raw counts of the model are compared.'
    """
    it = "it" if len(not_asked) == 1 else "them"
    return (
        f"No corrected count for {' and '.join(not_asked)}, because coders were not asked about {it}: raw counts of "
        "the model are compared."
    )


def checks(counts: CountEstimates, n_actors: int, reprinted: int) -> tuple[str, ...]:
    """Return notes on the precision, calibration and limits of the corrected counts."""
    diagnostics = counts.diagnostics
    lines = []
    if diagnostics.worth is not None:
        worth = counted(round(diagnostics.worth / n_actors), "document")
        lines.append(f"the total of all actors is as precise as one from {worth} labelled at random without a model")
    if diagnostics.raw_error is not None:
        lines.append(
            f"calibration error of the model's probabilities on the labelled documents: {diagnostics.raw_error}"
        )
    shared = [REPRINTED.format(counted(reprinted, "document reports", "documents report"))] if reprinted else []
    others = replace(diagnostics, worth=None, raw_error=None).sentences(DOCUMENTS)
    details = [Note(as_sentence(text), DETAIL) for text in [*lines, *others]]
    notes = [
        Note(as_sentence(note_text(note, counts.rows, DOCUMENTS)), note.severity)
        for note in by_severity(counts.caveats)
    ]
    return (*details, *notes, *(Note(as_sentence(text), DETAIL) for text in shared))


def _labels_used(recipe: Mapping[str, Any]) -> str:
    coders = recipe["coders"]
    names = f"{len(coders)} coders" if len(coders) > 3 else f"coder{'s' * (len(coders) > 1)}: {', '.join(coders)}"
    labels = f"{counted(recipe['labelled'], 'labelled document')}{f' ({names})' if coders else ''}"
    scores = f" and the scores {shortened(recipe['scores'])}" if recipe.get("scores") else ""
    return f"Corrected with {labels}{scores}. Question: “{recipe['question']}”"


def _missing_labels(recipe: Mapping[str, Any]) -> list[str]:
    unlabelled = {"unclear": recipe["unclear"], "labelled differently by two coders": recipe["unsettled"]}
    reasons = [f"{n:,} {reason}" for reason, n in unlabelled.items() if n]
    lines = []
    if reasons:
        n = counted(sum(unlabelled.values()), "drawn document has", "drawn documents have")
        lines.append(
            f"{n} no label ({', '.join(reasons)}); the estimate assumes that they resemble the rest of their stratum."
        )
    merged = recipe.get("joined_strata")
    if merged:
        strata = counted(len(merged), "stratum", "strata")
        lines.append(
            f"{strata} with fewer than 2 usable labels merged with the most similar stratum: "
            f"{shortened(map(repr, merged))}."
        )
    if recipe["not_read"]:
        lines.append(
            f"{counted(recipe['not_read'], 'drawn document is', 'drawn documents are')} not labelled yet; labelling "
            "them narrows the intervals."
        )
    return lines + merged_notes(recipe.get("merged_coders", []))


CORRECTED_UNITS = ("documents", "share")
SEED = 0
ENDS = attrgetter("low", "high")
CORRECTED_COLUMNS = {  # columns of a raw series for its corrected counts, and their fields
    "corrected": "estimate",
    "corrected_low": "low",
    "corrected_high": "high",
    "labelled": "labelled",
    "positives": "positives",
}


class ActorRows(Rows[Row]):
    """Rows of actors by period, with the title of each actor's code."""

    __slots__ = ()
    titles: Mapping[str, str]
    recipe: Mapping[str, Any]
    place: ClassVar = "the series"

    @property
    def actors(self) -> tuple[str, ...]:
        """The codes of the actors that have rows, in the requested order."""
        return tuple(self.titles)

    @property
    def level(self) -> float:
        return float(self.recipe["level"])

    @property
    def unit(self) -> str:
        """The unit of the counts: "documents", "share" or "entities"."""
        return str(self.recipe["unit"])

    def rows_of(self, actor: str) -> tuple[Row, ...]:
        """The periods of one actor, in chronological order."""
        if actor not in self.titles:
            raise unknown_name("actor", actor, self.actors, place=self.place)
        rows: Iterable[Any] = self.rows
        return tuple(row for row in rows if row.actor == actor)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CorrectedSeries(ActorRows[CorrectedCount]):
    """Corrected counts per actor and period (`rows`) and per actor over all periods (`totals`), with the recipe.

    label_notes: sentences on the labels. checks: sentences on the quality of the estimates. not_asked: actors without
    rows, because coders were not asked about them. incomplete: periods that may be incomplete, because the documents
    begin or end in them.
    """

    titles: Mapping[str, str]
    rows: tuple[CorrectedCount, ...]
    totals: tuple[CorrectedCount, ...]
    not_asked: tuple[str, ...]
    label_notes: tuple[str, ...]
    checks: tuple[str, ...]
    recipe: Mapping[str, Any]
    counts: CountEstimates | None = as_json(None)
    incomplete: tuple[str, ...] = as_json(None, default=())
    derived: ClassVar = {"diagnostics": "not_asked"}
    place: ClassVar = "the corrected series"
    named = ""

    @property
    def diagnostics(self) -> Diagnostics | None:
        """Checks of the estimate."""
        return None if self.counts is None else self.counts.diagnostics

    def total_of(self, actor: str) -> CorrectedCount:
        """The count of one actor over all periods.

        Raises InputError for an actor without labels.
        """
        self.rows_of(actor)
        return next(row for row in self.totals if row.actor == actor)

    @property
    def answer(self) -> str:
        """A sentence with the corrected counts of the most frequent actors."""
        share, decimals = ("a share of ", 3) if self.unit == "share" else ("", 0)
        totals = sorted(self.totals, key=lambda row: -row.estimate)
        if not totals:
            return f"No corrected counts: coders were not asked about {', '.join(self.not_asked)}."
        counts = [
            f"at most {number(row.high, decimals)}"
            if row.is_interval_only
            else f"{number(row.estimate, decimals)} {interval(row.low, row.high, decimals)}"
            for row in totals
        ]
        quantity = share or ("" if totals[0].is_interval_only else "about ")
        acts = ":" if is_imported(self.recipe["store"]) else " acts in"  # an imported "actor" may be a topic
        first = f"{self.titles[totals[0].actor]}{acts} {quantity}{counts[0]} of {totals[0].n:,} documents"
        others = [f"{self.titles[row.actor]} in {count}" for row, count in zip(totals[1:], counts[1:], strict=True)]
        return f"{shortened([first, *others], limit=MAX_ANSWERED)}."

    def columns_beside(self, series: Rows[Any]) -> list[Column]:
        """Return columns of corrected counts for the frame and the table of a raw series; empty without labels."""
        corrected_rows = {(row.actor, row.period): row for row in (*self.rows, *self.totals)}

        def value(field: str) -> Callable[[Any], Any]:
            get = attrgetter(field)
            return lambda row: (
                None if (corrected := corrected_rows.get((row.actor, row.period))) is None else get(corrected)
            )

        decimals, ends = (4, 4) if self.unit == "share" else (1, 0)
        return [
            *(Column(name, NUMBER, get=value(field), only=FRAME) for name, field in CORRECTED_COLUMNS.items()),
            Column("corrected_method", WORDS, get=value("method"), only=FRAME),
            Column("read", COUNT, get=value("labelled"), only=TABLE),
            Column("corrected", digits(decimals), get=value("shown"), only=TABLE),
            Column(
                "corrected interval",
                span(ends),
                get=lambda row: (
                    None if (corrected := corrected_rows.get((row.actor, row.period))) is None else ENDS(corrected)
                ),
                only=TABLE,
            ),
        ]

    @property
    def explained(self) -> list[str]:
        """A list with a sentence on the counts that have only an interval (`is_interval_only`); empty if none has."""
        shown = any(row.is_interval_only for row in (*self.rows, *self.totals))
        return [INTERVAL_ONLY.format("document")] if shown else []

    def table_rows(self) -> Sequence[object]:
        """The rows, then the totals."""
        return (*self.rows, *self.totals)

    def frame_rows(self) -> Sequence[object]:
        """The rows of periods, without the totals."""
        return self.rows

    def columns(self) -> Sequence[Column]:
        """Return the columns of the table, which has one row per actor and period; in tables and CSV, totals follow."""
        share = self.unit == "share"
        return [
            Column("actor", WORDS),
            Column("period", WORDS),
            Column("n", COUNT, "documents"),
            Column("labelled", COUNT, "read"),
            Column("positives", COUNT, "act there"),
            Column("estimate", NUMBER, "corrected", only=FRAME),
            Column("corrected", digits(4 if share else 1), get=attrgetter("shown"), only=TABLE),
            *(Column(name, NUMBER, only=FRAME) for name in ("low", "high")),
            Column("interval", span(4 if share else 0), f"{100 * self.level:g}% interval", get=ENDS, only=TABLE),
            Column("method", WORDS, only=FRAME),
        ]

    def footnotes(self) -> Sequence[str]:
        """The counted event, the notes and the checks."""
        counts = f"{counted(len(self.titles), 'actor')} by {self.recipe['period']}, corrected"
        return [f"{self.recipe['event']}: {counts}", *self.label_notes, *self.checks, *self.explained]

    @checks_axes
    def plot(self, ax: Axes | None = None, *, actors: Sequence[str] | None = None) -> Axes:
        """Draw the corrected series of some actors (all, if up to four) in one panel, on axes (new ones if None)."""
        from howsure_events.figures import corrected_axes

        return corrected_axes(self, ax=ax, actors=actors)


def corrected_series(
    store: Store,
    *,
    period: str = "quarter",
    actors: Sequence[str] | None = None,
    unit: str = "documents",
    level: float = 0.95,
    since: Day | None = None,
    until: Day | None = None,
    labels: SettledLabels | None = None,
    scores: Scores | None = None,
    learn: bool = False,
) -> CorrectedSeries | None:
    """Estimate the number of documents with an event, per actor and period, with labels; None without labels.

    The units are pairs of a stored document and an actor that coders were asked about. Labelled pairs are known; for
    the others, a regression on the labels estimates the probability of an event from the model's probability and other
    features (`howsure_events.series.labelled_pairs`), with an intercept for each actor and period
    (`howsure.estimate_counts`, method "auto"). All documents and actors are used for the estimates, even if only some
    are shown.

    actors: actors to show; None means all that coders were asked about. since, until: first and last day to show.
    unit: "documents", or their "share" among all documents of the period; documents that are not stored because they
    name no actor count as documents without an event. labels: settled labels to use instead of those of the store.
    scores: further features, by name: a number for each document by its id, or for each document and actor by (id,
    code); `howsure_events.series.extra_features.read_scores` reads them from a file. learn: also learn a score from the
    words of the labelled texts (needs scikit-learn).

    >>> from howsure_events import EventStore, example_store
    >>> from howsure_events.labels.answers import record_answer
    >>> from howsure_events.labels.draw_documents import draw_documents
    >>> with example_store() as store:
    ...     path, found = store.path, dict(store.ask("SELECT document, best FROM events WHERE actor = 'NORLAND'"))
    >>> with EventStore.open(path, read_only=False) as store:
    ...     drawn = draw_documents(store, 30, actors=["NORLAND"], period="none")
    ...     for (number,) in store.ask("SELECT document FROM label_sample"):
    ...         acting = ["NORLAND"] if found.get(number) else []  # a coder's possible answer
    ...         revision = record_answer(store, number, "anna", acting=acting, revision=0)
    ...     series = corrected_series(store, period="year")
    >>> [(row.period, row.labelled, row.positives) for row in series.rows]
    [('2001', 18, 3), ('2002', 12, 3)]
    >>> row = series.rows[0]
    >>> row.positives <= row.low <= row.estimate <= row.high <= row.n
    True

    Raises TooFewLabelsError if a stratum of the draw has fewer than 2 documents with answers; InputError for an actor
    that the store does not know, or an invalid option.
    """
    if unit not in CORRECTED_UNITS:
        raise unknown_name("unit", unit, CORRECTED_UNITS, place="corrected series")
    level = check_level(level)
    settled = settled_labels(store) if labels is None else labels
    if settled is None:
        return None
    sizes = documents_by_period(store, period, since=since, until=until)
    chosen = settled.actors if actors is None else chosen_actors(store, actors)
    shown = [actor for actor in chosen if actor in settled.actors]
    not_asked = tuple(actor for actor in chosen if actor not in settled.actors)
    days = {name: str(day) for name, day in (("since", since), ("until", until)) if day is not None}
    recipe = {
        "howsure": __version__,
        "period": period,
        "level": level,
        "unit": unit,
        **days,
        "event": counted_event(store),
        "question": settled.question,
        "asked": list(settled.actors),
        "coders": list(settled.coders),
        "answered": len(settled.documents),
        "unclear": settled.unclear,
        "unsettled": settled.unsettled,
        "not_read": settled.drawn - len(settled.documents),
    }
    if settled.merged_coders:
        recipe["merged_coders"] = [list(spellings) for spellings in settled.merged_coders]
    titles = {actor: actor_title(store, actor) for actor in shown}
    if not shown:
        lines = sentences(None, recipe, {actor: actor_title(store, actor) for actor in not_asked}, 0)
        recipe |= {"store": recorded_settings(store)}
        return CorrectedSeries(
            titles=titles,
            rows=(),
            totals=(),
            not_asked=not_asked,
            label_notes=lines,
            checks=(),
            recipe=recipe,
            counts=None,
        )
    pairs = pair_features(store, settled.actors)
    labels_of_pairs = labelled_pairs(pairs, settled)
    extra = score_features(store, pairs, scores) | (
        learned_features(store, pairs, labels_of_pairs.labels) if learn else {}
    )
    counts = _estimate_counts(
        pairs, labels_of_pairs, extra, period=period, days=requested_days(since, until), level=level
    )
    rows, totals = _rows(counts, shown, sizes, share=unit == "share")
    recipe |= {
        "method": counts.recipe["method"],
        "design": counts.recipe["design"],
        "labelled": labels_of_pairs.labelled_documents,
        "joined_strata": list(labels_of_pairs.joined),
        "features": counts.recipe["features"],
        **({"scores": list(scores)} if scores else {}),
        "seed": SEED,
        "documents": sum(sizes.values()),
        "store": recorded_settings(store),
    }
    left_out = sum(sizes.values()) - totals[0].n
    lines = sentences(counts, recipe, {actor: actor_title(store, actor) for actor in not_asked}, left_out)
    ((reprinted,),) = query_rows(store, "SELECT count(*) FROM stories")
    checked = checks(counts, len(pairs.actors), int(reprinted))
    return CorrectedSeries(
        titles=titles,
        rows=rows,
        totals=totals,
        not_asked=not_asked,
        label_notes=lines,
        checks=checked,
        recipe=recipe,
        counts=counts,
        incomplete=incomplete_periods(store, list(sizes), since, until),
    )


def _estimate_counts(
    pairs: PairFeatures,
    labelled_pairs: LabelledPairs,
    extra: Mapping[str, Any],
    *,
    period: str,
    days: Any,
    level: float,
) -> CountEstimates:
    """Estimate the counts per actor, per requested or other days, and per period."""
    dates, place = np.unique(pairs.date, return_inverse=True)
    day_list = [date.item() for date in dates]
    groups = {
        "actor": coded_rows(pairs.actors, pairs.actor),
        "days": coded_rows([WITHIN if days[0] <= day <= days[1] else OUTSIDE for day in day_list], place),
        "period": coded_rows([find_period(day, period=period) for day in day_list], place),
    }
    return estimate_counts(
        labelled_pairs.labels,
        pairs.probability,
        groups=groups,
        features={**pairs.features, **extra},
        strata=labelled_pairs.strata,
        inclusion=labelled_pairs.inclusion,
        clusters=pairs.document,
        level=level,
        rng=SEED,
    )


def _rows(
    counts: CountEstimates, actors: Sequence[str], sizes: Mapping[str, int], *, share: bool
) -> tuple[tuple[CorrectedCount, ...], tuple[CorrectedCount, ...]]:
    cells: dict[tuple[str, ...], CountEstimate] = {row.group: row for row in (*counts.rows, *counts.domains)}
    rows = tuple(
        CorrectedCount.of(cells.get((actor, WITHIN, label)), actor, label, n, share=share)
        for actor in actors
        for label, n in sizes.items()
    )
    n = sum(sizes.values())
    totals = tuple(CorrectedCount.of(cells.get((actor, WITHIN)), actor, ALL, n, share=share) for actor in actors)
    return rows, totals
