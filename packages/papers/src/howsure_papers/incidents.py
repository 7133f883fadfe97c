"""Counts of incidents by country in `muc4`, whose gold templates give the true counts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from howsure.counts import CountEstimate, CountEstimates
from howsure.figures.style import INK, dress, literal, literal_legend, look, new_figure, use_style
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.periods import find_period
from howsure.show.table import Column, digits
from howsure_events.figures import Places, count_axis, draw_dashes, draw_points, legend_point, period_axis
from howsure_events.series.labelled_pairs import pair_features
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import query_columns
from howsure_papers.corpora.news import Item, read_incidents
from howsure_papers.gold_events import LABELS, QUESTIONS
from howsure_papers.reproduction import NAME, TEXT, Drawing, ExperimentResult, Finding, Numbers, numbers
from howsure_papers.stores import NOUNS, Setting, store_rows
from howsure_papers.trials import (
    MIN_COVERAGE,
    SIZES,
    Population,
    Row,
    coverage_text,
    drawn_counts,
    feasible_numbers,
    sample_numbers,
    size_name,
    trial,
    true_counts,
)

ACTORS = ("SLV", "COL", "PER", "GTM", "CHL", "HND", "BOL")  # the countries with the most gold incidents
FIRST, LAST = "1989-01-01", "1990-06-30"  # six quarters; eleven reports are older
FOUND, EVENT_WORD, SILENT = "an event is found", "an event word", "no event word"
MUC_LABELS = (100, 200, 400)
FINDING_LABELS = 200  # the number of labels (one of MUC_LABELS) for which findings are judged
METHODS = {
    "auto": "corrected",
    "exact": "exact in each cell",
    "difference": "prediction-powered",
    "labels": "labels alone",
    "raw": "scores alone",
}
NOMINAL, LEAST_MEAN, WIDTH = 0.95, 0.95, 0.6
SHOWN, SHOWN_LABELS, SHOWN_QUESTION = "SLV", 200, "at"
ENDS = ("estimate", "low", "high")


def steps_of_incidents(samples: int) -> int:
    share = sample_numbers(samples)
    return len(QUESTIONS) * (share["decisive"] + 2 * share["half"])


def try_incidents(setting: Setting) -> ExperimentResult:
    """Estimate counts by country and quarter: two questions, three numbers of labels, five methods."""
    items = read_reports(setting)
    path = setting.folder / "muc4.duckdb"
    setting.extract(store_rows(items), path, NOUNS)
    incidents = pair_incidents(items, path)
    share, rows = sample_numbers(setting.samples), []
    for question, words in QUESTIONS.items():
        population = incident_population(incidents, question)
        for n in feasible_numbers(MUC_LABELS, len(items)):
            samples = share["decisive"] if n == FINDING_LABELS else share["half"]
            rows.append(Row((words, str(n)), trial(setting, population, n, tuple(METHODS), samples=samples)))
    drawn = attacks_by_month(incidents, min(SHOWN_LABELS, len(items) // 2), seed=setting.seed)
    caption = (
        "Reports of attacks in El Salvador by month (muc4): counts with 95 % intervals, of the scores alone and "
        f"corrected with {SHOWN_LABELS} documents read; dashes: the true counts."
    )
    return ExperimentResult(
        findings=[finding for row in rows if row.name[1] == str(FINDING_LABELS) for finding in incidents_findings(row)],
        tables=[incidents_table(rows)],
        drawings=[Drawing("months", caption, partial(months_figure, drawn))],
        notes=[
            f"muc4: {len(items):,} reports of six quarters, {len(incidents.score):,} pairs of a report and one of "
            f"{len(ACTORS)} countries. Scores are the event probabilities of the rule 'violence, nouns', with the "
            "features of howsure events (mentions, event words, position). Whole reports are drawn, within strata of "
            "quarter and of what the rule finds: an event, an event word, neither."
        ],
    )


@dataclass(frozen=True, slots=True)
class Incidents:
    """N pairs of a report and a country: scores, features, quarters, gold labels by question, and the units that are
    drawn.

    bands: the band of each pair by the rule's result for its report: an event of one of the countries, only an event
    word, or neither.
    """

    score: Floats
    features: Mapping[str, Floats]
    actor: np.ndarray[Any, Any]
    quarter: np.ndarray[Any, Any]
    month: np.ndarray[Any, Any]
    document: Integers
    bands: np.ndarray[Any, Any]
    labels: Mapping[str, Floats]


def incident_population(incidents: Incidents, question: str, *, by: str = "quarter") -> Population:
    """Countries by quarter or by month. Whole reports are drawn, stratified by quarter and by the rule's result."""
    return Population(
        incidents.score,
        incidents.labels[question],
        {"actor": incidents.actor, by: incidents.quarter if by == "quarter" else incidents.month},
        drawn_by=incidents.quarter,
        bands=incidents.bands,
        clusters=incidents.document,
        features=incidents.features,
    )


def read_reports(setting: Setting) -> list[Item]:
    """The reports of the six quarters, whether they name a country or not, with their gold actors."""
    news = read_incidents(setting.data, lexicon=setting.lexicon, event=re.compile(""), limit=setting.limit)
    return [item for item in (*news.items, *news.silent, *news.others) if FIRST <= item.date <= LAST]


def pair_incidents(items: list[Item], path: Path) -> Incidents:
    """The pairs of a store of these reports, with their gold labels."""
    by_id = {item.id: item for item in items}
    with EventStore.open(path) as store:
        pairs = pair_features(store, ACTORS)
        columns = query_columns(store, "SELECT document, id FROM documents ORDER BY document")
    kept = [by_id[name] for name in columns["id"].tolist() if name in by_id]
    actors = len(ACTORS)
    inside = np.repeat([name in by_id for name in columns["id"].tolist()], actors)
    words = pairs.features["event words"][inside]
    has_event = np.repeat(pairs.probability[inside].reshape(-1, actors).max(axis=1) > 0, actors)
    return Incidents(
        score=pairs.probability[inside],
        features={name: column[inside] for name, column in pairs.features.items()},
        actor=pairs.actor_codes[inside],
        quarter=np.repeat([find_period(item.date, period="quarter") for item in kept], actors),
        month=np.repeat([item.date[:7] for item in kept], actors),
        document=np.repeat(np.arange(len(kept)), actors),
        bands=np.where(has_event, FOUND, np.where(words > 0, EVENT_WORD, SILENT)),
        labels={
            name: np.array([float(actor in getattr(item, which)) for item in kept for actor in ACTORS])
            for name, which in LABELS.items()
        },
    )


def incidents_table(rows: Sequence[Row]) -> Numbers:
    """Return coverage and width by method and by size of the true count."""
    every = [(row, method, tried) for row in rows for method, tried in row.tallies.items()]

    def coverage_by_size(name: str) -> list[str]:
        shares = [tried.cells.by_size().get(name) for *_, tried in every]
        return ["–" if share is None else f"{share[0]:.3f}" for share in shares]

    widths = [tried.cells.mean_width for *_, tried in every]
    alone = [row.tallies["labels"].cells.mean_width for row, *_ in every]
    return numbers(
        "muc4: 95 % intervals of counts by country and quarter; coverage in all, by size of the count, of sums",
        every,
        Column("question", NAME, values=[row.name[0] for row, *_ in every]),
        Column("labels", TEXT, values=[row.name[1] for row, *_ in every]),
        Column("method", NAME, values=[METHODS[method] for _, method, _ in every]),
        Column("coverage", TEXT, values=[coverage_text(tried.cells) for *_, tried in every]),
        Column("width", digits(1), values=widths),
        Column("of labels alone", digits(2), values=[a / b for a, b in zip(widths, alone, strict=True)]),
        *(Column(size_name(*size), TEXT, values=coverage_by_size(size_name(*size))) for size in SIZES),
        Column("country", digits(2), values=[tried.domains.coverage for *_, tried in every]),
        Column("all", digits(2), values=[tried.total.coverage for *_, tried in every]),
    )


def incidents_findings(row: Row) -> list[Finding]:
    """Return the coverage and width of the intervals for one number of labels."""
    where = f"MUC-4, {row.name[0]}, {row.name[1]} labels"
    cells, labels_only = row.tallies["auto"].cells, row.tallies["labels"].cells
    sizes = cells.by_size()
    worst = min(sizes, key=lambda name: sizes[name][0])
    least, of_worst = sizes[worst]
    width_ratio = cells.mean_width / labels_only.mean_width
    raw = row.tallies["raw"].cells.coverage
    claims = {
        f"intervals of cells contain the count in {NOMINAL:.0%} of cases": (
            f"{coverage_text(cells)} of {len(cells.covered):,}; intervals from the scores alone {raw:.2f}",
            cells.coverage >= LEAST_MEAN,
        ),
        f"so do those of every size of count (at least {MIN_COVERAGE:.0%})": (
            f"least for counts of {worst}: {least:.3f} of {of_worst:,}",
            least >= MIN_COVERAGE,
        ),
        f"they are at most {WIDTH:g} times as wide as those from labels alone": (
            f"{width_ratio:.3f} times ({cells.mean_width:.1f} against {labels_only.mean_width:.1f})",
            width_ratio <= WIDTH,
        ),
    }
    return [Finding("", claim, ours, bool(holds), where) for claim, (ours, holds) in claims.items()]


@dataclass(frozen=True, slots=True)
class Months:
    """Months, the series from scores alone and the corrected one, and the true counts."""

    months: tuple[str, ...]
    raw: CountEstimates
    corrected: CountEstimates
    truth: Floats


def attacks_by_month(incidents: Incidents, n: int, *, seed: int) -> Months:
    """The counts of El Salvador by month from one sample of n documents."""
    population = incident_population(incidents, SHOWN_QUESTION, by="month")
    counts = drawn_counts(population, n, ("raw", "auto"), design="stratified", rng=np.random.default_rng(seed))
    true = true_counts(population)
    months = tuple(row.group[1] for row in _shown_actor_rows(counts["auto"]))
    return Months(months, counts["raw"], counts["auto"], np.array([float(true[SHOWN, month]) for month in months]))


def months_figure(drawn: Months) -> Figure:
    """Draw corrected counts and counts from scores alone as points with intervals, and true counts as dashes."""
    with use_style():
        figure = new_figure(6.6, 3.0)
        ax = figure.add_subplot()
        dress(ax, grid="y")
        places = Places.of(ax, drawn.months, ())
        for place, counts in enumerate((drawn.corrected, drawn.raw)):
            value, low, high = (np.array([getattr(row, end) for row in _shown_actor_rows(counts)]) for end in ENDS)
            draw_points(ax, places, (value, low, high), style=look(place), shift=1.2 * place)
        draw_dashes(ax, places, drawn.truth, colour=INK)
        period_axis(ax, drawn.months, small=False)
        count_axis(ax, share=False, small=False)
        names = [f"corrected with {SHOWN_LABELS} documents read", "scores alone", "truth"]
        dash = Line2D([], [], color=INK, marker="_", linestyle="")
        literal_legend(ax, [legend_point(look(0)), legend_point(look(1)), dash], names, fontsize=8)
        literal(ax.set_ylabel(""), "reports of attacks a month")
    return figure


def _shown_actor_rows(counts: CountEstimates) -> list[CountEstimate]:
    return [row for row in counts if row.group[0] == SHOWN]
