"""Attacks in news by actor and period: posterior intervals compared with 1-best counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from howsure.inputs.pairs import Bools, Floats, Integers
from howsure.inputs.periods import find_periods, periods_between
from howsure.show.table import COUNT, Column, Kind, digits
from howsure.stats.proportions import poisson_binomial
from howsure_events.series.counts import compare_counts, count_from_probabilities
from howsure_events.series.event_series import EventSeries, event_series
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import first_and_last, number_of_samples, query_columns
from howsure_events.store.tables import as_bits, as_counts
from howsure_papers.corpora.news import News
from howsure_papers.reproduction import NAME, TEXT, Finding, Numbers, numbers

MIN_SURE = 0.95
FEW_SAMPLES = 10  # samples, as in footnote 11
ACTORS = 20
ACTORS_OF_TWO_RULES = 10
UNSURE = (0.2, 0.8)
MANY, FEW_OPEN = 0.5, 0.1  # the claim holds if at least MANY of the differences are open, and fails below FEW_OPEN
PLAIN = Kind("{:.1f}".format)
Cell = tuple[str, str]  # actor, period


@dataclass(frozen=True, slots=True)
class Drawn:
    """The pairs of a document and an actor with an event in some sample or in the 1-best clustering.

    documents, actors, periods (N,), probabilities (N,), samples (N, S), entities (N, S), best (N,).
    """

    documents: Integers
    actors: tuple[str, ...]
    periods: tuple[str, ...]
    probabilities: Floats
    samples: Bools
    entities: Integers
    best: Bools

    def cells(self) -> dict[Cell, Integers]:
        """The rows of every actor and period."""
        rows: dict[Cell, list[int]] = {}
        for row, key in enumerate(zip(self.actors, self.periods, strict=True)):
            rows.setdefault(key, []).append(row)
        return {key: np.array(row_numbers) for key, row_numbers in rows.items()}

    def expected(self) -> Counter[str]:
        """The expected number of documents of every actor."""
        totals: Counter[str] = Counter()
        for actor, p in zip(self.actors, self.probabilities.tolist(), strict=True):
            totals[actor] += p
        return totals

    def most_frequent(self, n: int) -> list[str]:
        """The actors with the greatest expected counts."""
        return [actor for actor, _ in self.expected().most_common(n)]


@dataclass(frozen=True, slots=True)
class Differences:
    """Differences of 1-best counts: their number, how many the posterior leaves open, and the largest of these."""

    different: int
    undecided: int
    example: str

    def __str__(self) -> str:
        share = f" ({100 * self.undecided / self.different:.0f} %)" if self.different else ""
        example_text = f"; {self.example}" if self.example else ""
        return (
            f"of {self.different:,} differences of the 1-best counts, {self.undecided:,}{share} are open{example_text}"
        )


@dataclass(frozen=True, slots=True)
class FewSamples:
    """Posterior means of 10 and of 100 samples, over the cells of actors and periods.

    correlation: the correlation of the means. difference: the root mean square of their differences. sd: the posterior
    standard deviation.
    """

    correlation: float
    difference: float
    sd: float


def read_drawn(store: EventStore, *, by: str) -> Drawn:
    """All draws, in the order of the documents."""
    columns = query_columns(
        store,
        "SELECT e.document, e.actor, CAST(d.date AS VARCHAR) AS date, e.probability, e.samples, e.entities, e.best "
        "FROM events e JOIN documents d USING (document) ORDER BY e.document, e.actor",
    )
    n = number_of_samples(store)
    return Drawn(
        documents=columns["document"].astype(np.int64),
        actors=tuple(columns["actor"].tolist()),
        periods=find_periods(columns["date"].tolist(), period=by),
        probabilities=columns["probability"].astype(np.float64),
        samples=as_bits(columns["samples"], n),
        entities=as_counts(columns["entities"], n).astype(np.int64),
        best=columns["best"].astype(np.bool_),
    )


def period_changes(drawn: Drawn, periods: list[str], actors: list[str]) -> Differences:
    """Changes of an actor's 1-best count between consecutive periods, and whether the posterior decides their
    direction.

    Periods have different documents, so that their counts are independent, and P(n' > n) follows from both
    distributions.
    """
    cells, differences = drawn.cells(), []
    for actor in actors:
        for first, second in pairwise(periods):
            rows = [cells.get((actor, period), np.empty(0, dtype=np.int64)) for period in (first, second)]
            before, other = (int(drawn.best[row].sum()) for row in rows)
            if before != other:
                rising = probability_of_more(*(drawn.probabilities[row] for row in reversed(rows)))
                falling = probability_of_more(*(drawn.probabilities[row] for row in rows))
                sure = rising if other > before else falling
                differences.append(
                    (sure, max(before, other), f"{actor} {first} {before}, {second} {other} (P = {sure:.2f})")
                )
    return _differences(differences)


def actor_contests(drawn: Drawn, actors: list[str]) -> Differences:
    """Return the differences of two actors' 1-best counts in a period, and whether the posterior determines their sign.

    Both actors have the same samples of each document, which are compared jointly.
    """
    cells, differences = drawn.cells(), []
    for period in sorted(set(drawn.periods)):
        present = [actor for actor in actors if (actor, period) in cells]
        for first, second in combinations(present, 2):
            first_count, other = (int(drawn.best[cells[actor, period]].sum()) for actor in (first, second))
            if first_count == other:
                continue
            more, less = (first, second) if first_count > other else (second, first)
            documents = np.unique(drawn.documents[np.concatenate([cells[more, period], cells[less, period]])])
            sides = [_by_document(drawn, cells[actor, period], documents) for actor in (more, less)]
            sure = compare_counts(*sides).more
            greatest, least = max(first_count, other), min(first_count, other)
            differences.append((sure, least, f"{more} {greatest}, {less} {least} in {period} (P = {sure:.2f})"))
    return _differences(differences)


def probability_of_more(first: Floats, second: Floats) -> float:
    """P(n_1 > n_2) of two independent counts, from the probabilities of their documents.

    >>> probability_of_more(np.array([0.5]), np.array([0.5]))
    0.25
    """
    first_law, other = poisson_binomial(first).pmf, poisson_binomial(second).pmf
    below = np.concatenate([[0.0], np.cumsum(other)])
    return float(first_law @ below[np.minimum(np.arange(len(first_law)), len(other))])


def few_samples(drawn: Drawn) -> FewSamples:
    """Return the deviation of the means of the first 10 samples from the means of all samples."""
    few, many, variance = [], [], []
    for rows in drawn.cells().values():
        few.append(float(drawn.samples[rows, :FEW_SAMPLES].mean(axis=1).sum()))
        many.append(float(drawn.probabilities[rows].sum()))
        variance.append(float((drawn.probabilities[rows] * (1 - drawn.probabilities[rows])).sum()))
    gap = np.subtract(few, many)
    return FewSamples(correlation(few, many), float(np.sqrt((gap**2).mean())), float(np.sqrt(np.mean(variance))))


def entities_against_documents(drawn: Drawn) -> float:
    """The correlation of the expected numbers of entities and of documents over the cells."""
    cells = drawn.cells().values()
    entities = [float(drawn.entities[rows].mean(axis=1).sum()) for rows in cells]
    return correlation(entities, [float(drawn.probabilities[rows].sum()) for rows in cells])


def correlation(values: list[float], other: list[float]) -> float:
    """Pearson's correlation; NaN if it is undefined."""
    if len(values) < 2 or np.std(values) == 0.0 or np.std(other) == 0.0:
        return float("nan")
    return float(np.corrcoef(values, other)[0, 1])


def _by_document(drawn: Drawn, rows: Integers, documents: Integers) -> Integers:
    """The samples of some rows, combined to one row per document."""
    counts = np.zeros((len(documents), drawn.samples.shape[1]), dtype=np.int64)
    counts[np.searchsorted(documents, drawn.documents[rows])] = drawn.samples[rows]
    return counts


def _differences(differences: list[tuple[float, int, str]]) -> Differences:
    """A summary of differences (probability, size, words); the example is the largest open one."""
    undecided = [difference for difference in differences if difference[0] < MIN_SURE]
    example = max(undecided, key=lambda difference: (difference[1], -difference[0]))[2] if undecided else ""
    return Differences(len(differences), len(undecided), example)


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """The counts of a store by one length of period: series, and differences between the 20 most frequent actors."""

    corpus: str
    rule: str
    by: str
    news: News
    drawn: Drawn
    actors: list[str]
    series: EventSeries
    changes: Differences
    contests: Differences
    few: FewSamples
    entities: float

    @property
    def name(self) -> str:
        """Corpus, rule and period."""
        return f"{self.corpus}, {self.rule}, by {self.by}"


def count_store(
    path: Path, *, corpus: str, rule: str, by: str, news: News, shown: Sequence[str] = ()
) -> StoreCounts | None:
    """The counts of a store; None without an event. `shown`: the actors, instead of the most frequent ones."""
    with EventStore.open(path) as store:
        drawn = read_drawn(store, by=by)
        if not drawn.actors:
            return None
        actors = drawn.most_frequent(ACTORS)
        first, last = first_and_last(store)
        periods = list(periods_between(str(first), str(last), period=by))
        return StoreCounts(
            corpus=corpus,
            rule=rule,
            by=by,
            news=news,
            drawn=drawn,
            actors=actors,
            series=event_series(  # documents as in the paper
                store, period=by, actors=[actor for actor in shown if actor in drawn.actors] or actors, stories="apart"
            ),
            changes=period_changes(drawn, periods, actors),
            contests=actor_contests(drawn, actors),
            few=few_samples(drawn),
            entities=entities_against_documents(drawn),
        )


def corpora_table(all_counts: Sequence[StoreCounts]) -> Numbers:
    """The numbers of documents read and events found."""

    def unsure(counts: StoreCounts) -> str:
        p = counts.drawn.probabilities
        return f"{int(((p >= UNSURE[0]) & (p <= UNSURE[1])).sum()):,} of {len(p):,}"

    return numbers(
        f"{all_counts[0].corpus}: what was read and found",
        {(counts.corpus, counts.rule): counts for counts in all_counts}.values(),
        Column("corpus and rule", NAME, get=lambda counts: f"{counts.corpus}, {counts.rule}"),
        Column("items", COUNT, get=lambda counts: counts.news.total),
        Column("naming an actor", COUNT, get=lambda counts: counts.news.naming),
        Column("with a word of the rule", COUNT, get=lambda counts: len(counts.news.items)),
        Column("words", COUNT, get=lambda counts: counts.news.words),
        Column("with an event", COUNT, get=lambda counts: len(set(counts.drawn.documents.tolist()))),
        Column("(item, actor) with p in [.2, .8]", TEXT, get=unsure),
        Column("expected", digits(1), get=lambda counts: counts.drawn.probabilities.sum()),
        Column("1-best", COUNT, get=lambda counts: counts.drawn.best.sum()),
    )


def density_table(all_counts: Sequence[StoreCounts]) -> Numbers:
    """The number of documents per period, and the number of points of the series close to 0."""
    periods = {counts.name: len({row.period for row in counts.series.rows}) for counts in all_counts}
    return numbers(
        f"{all_counts[0].corpus}: documents a period, and points of the 20 series with less than half a document",
        all_counts,
        Column("corpus, rule, period", NAME, get=lambda counts: counts.name),
        Column("periods", COUNT, get=lambda counts: periods[counts.name]),
        Column("items", PLAIN, get=lambda counts: counts.news.total / periods[counts.name]),
        Column("naming an actor", PLAIN, get=lambda counts: counts.news.naming / periods[counts.name]),
        Column("with a word of the rule", PLAIN, get=lambda counts: len(counts.news.items) / periods[counts.name]),
        Column("expected", digits(2), get=lambda counts: counts.drawn.probabilities.sum() / periods[counts.name]),
        Column(
            "points below .5",
            TEXT,
            get=lambda counts: f"{100 * np.mean([row.mean < 0.5 for row in counts.series.rows]):.0f} %",
        ),
    )


def differences_table(all_counts: Sequence[StoreCounts]) -> Numbers:
    """The proportion of 1-best differences that the posterior leaves open."""
    return numbers(
        f"{all_counts[0].corpus}: differences between counts that are open (P < {MIN_SURE:g}), 20 most frequent actors",
        all_counts,
        Column("corpus, rule, period", NAME, get=lambda counts: counts.name),
        Column("changes of the 1-best", COUNT, get=lambda counts: counts.changes.different),
        Column("open changes", COUNT, "open", get=lambda counts: counts.changes.undecided),
        Column("contests of the 1-best", COUNT, get=lambda counts: counts.contests.different),
        Column("open contests", COUNT, "open", get=lambda counts: counts.contests.undecided),
        Column(f"r of means, S = {FEW_SAMPLES} and 100", digits(4), get=lambda counts: counts.few.correlation),
        Column("rms difference", digits(3), get=lambda counts: counts.few.difference),
        Column("rms posterior sd", digits(3), get=lambda counts: counts.few.sd),
        Column("r, entities and documents", digits(4), get=lambda counts: counts.entities),
        Column("the greatest open contest", NAME, get=lambda counts: counts.contests.example or "none"),
    )


def actors_table(counts: StoreCounts) -> Numbers:
    """The most frequent actors in all periods together."""
    rows = {actor: np.flatnonzero(np.array(counts.drawn.actors) == actor) for actor in counts.actors}
    totals = {
        actor: count_from_probabilities(counts.drawn.probabilities[actor_rows]) for actor, actor_rows in rows.items()
    }
    return numbers(
        f"{counts.corpus}, {counts.rule}: all periods together",
        counts.actors,
        Column("actor", NAME, get=lambda actor: actor),
        Column("title", NAME, get=lambda actor: counts.series.titles[actor]),
        Column("expected documents", PLAIN, get=lambda actor: totals[actor].mean),
        Column("95 % interval", TEXT, get=lambda actor: f"[{totals[actor].low:.0f}, {totals[actor].high:.0f}]"),
        Column("1-best", Kind(str), get=lambda actor: int(counts.drawn.best[rows[actor]].sum())),
    )


def grammar_table(paper: StoreCounts, wide: StoreCounts) -> Numbers:
    """Return the expected counts of the most frequent actors by the paper's rule, and by a rule with more grammar."""
    narrow, all_of = paper.drawn.expected(), wide.drawn.expected()
    return numbers(
        f"{paper.corpus}: expected documents by the paper's rule and with nouns before nouns",
        wide.actors[:ACTORS_OF_TWO_RULES],
        Column("actor", NAME, get=lambda actor: actor),
        Column("title", NAME, get=lambda actor: wide.series.titles[actor]),
        Column(paper.rule, PLAIN, get=lambda actor: float(narrow[actor])),
        Column(wide.rule, PLAIN, get=lambda actor: float(all_of[actor])),
    )


def enough_open(differences: Differences) -> bool | None:
    """Whether most differences of counts are open: True if at least half are, False if few are, else None."""
    share = differences.undecided / differences.different if differences.different else math.nan
    return True if share >= MANY else False if share < FEW_OPEN else None


def news_findings(counts: StoreCounts) -> tuple[Finding, ...]:
    """Return the paper's findings on Figure 6 and its footnote for one of our corpora."""
    ten_samples = counts.few
    rule = f"holds if at least {100 * MANY:.0f} % are, not if less than {100 * FEW_OPEN:.0f} %"
    claim_of_changes = "the count goes up and down, but the model does not know whether the differences are real (USA)"
    claim_of_sides = (
        "a 1-best system decides which side attacks more (Yugoslavia or NATO), the posterior leaves it open"
    )
    share_changed = f"from one {counts.by} to the next: {counts.changes} ({rule})"
    share_contested = f"two actors in one {counts.by}: {counts.contests} ({rule})"
    measured_means = (
        f"means correlate with r = {ten_samples.correlation:.4f} and differ by {ten_samples.difference:.3f} documents "
        f"(rms), where the posterior's sd is {ten_samples.sd:.3f}"
    )
    measured_entities = f"the expected numbers correlate with r = {counts.entities:.4f}"
    place, claim_of_ten = "section 6, footnote 11", "10 samples instead of 100 give similar results"
    claim_of_entities = "the number of entities instead of documents gives similar results"
    return (
        Finding("6", claim_of_changes, share_changed, enough_open(counts.changes), counts.name),
        Finding("6", claim_of_sides, share_contested, enough_open(counts.contests), counts.name),
        Finding(place, claim_of_ten, measured_means, ten_samples.difference < ten_samples.sd / 2, counts.name),
        Finding(place, claim_of_entities, measured_entities, counts.entities > 0.95, counts.name),
    )
