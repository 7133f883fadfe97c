"""Attacks in news by actor and period: what was drawn, and what the intervals tell that the 1-best does not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from howsure.events.extraction.one_document import Bools
from howsure.events.series.counts import compare_counts, count_from_probabilities
from howsure.events.series.event_series import EventSeries, event_series
from howsure.events.store.event_store import EventStore
from howsure.events.store.reading import columns_of, first_and_last, number_of_samples
from howsure.events.store.tables import as_bits, as_counts
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.periods import periods_between, periods_of
from howsure.show.table import COUNT, Column, Kind, digits
from howsure.stats.proportions import poisson_binomial
from howsure_papers.corpora.news import News
from howsure_papers.reproduction import NAME, TEXT, Finding, Numbers, numbers

SURE = 0.95
FEW = 10  # samples, as in footnote 11
ACTORS = 20
ACTORS_OF_TWO_RULES = 10
UNSURE = (0.2, 0.8)
MANY, FEW_OPEN = 0.5, 0.1  # shares of differences that are open: at least so many hold, fewer than so many do not
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
        return {key: np.array(found) for key, found in rows.items()}

    def expected(self) -> Counter[str]:
        """The expected number of documents of every actor."""
        found: Counter[str] = Counter()
        for actor, p in zip(self.actors, self.probabilities.tolist(), strict=True):
            found[actor] += p
        return found

    def most_frequent(self, n: int) -> list[str]:
        """The actors with the greatest expected counts."""
        return [actor for actor, _ in self.expected().most_common(n)]


@dataclass(frozen=True, slots=True)
class Differences:
    """Counts of the 1-best that differ: how many do, how many of these the posterior leaves open, and the greatest."""

    different: int
    undecided: int
    example: str

    def __str__(self) -> str:
        share = f" ({100 * self.undecided / self.different:.0f} %)" if self.different else ""
        told = f"; {self.example}" if self.example else ""
        return f"of {self.different:,} differences of the 1-best counts, {self.undecided:,}{share} are open{told}"


@dataclass(frozen=True, slots=True)
class FewSamples:
    """Posterior means of 10 and of 100 samples, over the cells of actors and periods.

    correlation: of the means. difference: root mean square of their differences. sd: that of the posterior.
    """

    correlation: float
    difference: float
    sd: float


def drawn_from(store: EventStore, *, by: str) -> Drawn:
    """All that was drawn, in the order of the documents."""
    held = columns_of(
        store,
        "SELECT e.document, e.actor, CAST(d.date AS VARCHAR) AS date, e.probability, e.samples, e.entities, e.best "
        "FROM events e JOIN documents d USING (document) ORDER BY e.document, e.actor",
    )
    n = number_of_samples(store)
    return Drawn(
        documents=held["document"].astype(np.int64),
        actors=tuple(held["actor"].tolist()),
        periods=periods_of(held["date"].tolist(), period=by),
        probabilities=held["probability"].astype(np.float64),
        samples=as_bits(held["samples"], n),
        entities=as_counts(held["entities"], n).astype(np.int64),
        best=held["best"].astype(np.bool_),
    )


def changes(drawn: Drawn, periods: list[str], actors: list[str]) -> Differences:
    """From one period to the next: where the 1-best count of an actor changes, is it known in which direction?

    Periods have other documents, so that their counts are independent: P(n' > n) follows from both laws.
    """
    cells, told = drawn.cells(), []
    for actor in actors:
        for first, second in pairwise(periods):
            rows = [cells.get((actor, period), np.empty(0, dtype=np.int64)) for period in (first, second)]
            one, other = (int(drawn.best[row].sum()) for row in rows)
            if one != other:
                rising = probability_of_more(*(drawn.probabilities[row] for row in reversed(rows)))
                falling = probability_of_more(*(drawn.probabilities[row] for row in rows))
                sure = rising if other > one else falling
                told.append((sure, max(one, other), f"{actor} {first} {one}, {second} {other} (P = {sure:.2f})"))
    return _differences(told)


def contests(drawn: Drawn, actors: list[str]) -> Differences:
    """In one period: where one actor has the greater 1-best count, is it known that it has?

    Two actors share each document's samples, which are compared jointly.
    """
    cells, told = drawn.cells(), []
    for period in sorted(set(drawn.periods)):
        present = [actor for actor in actors if (actor, period) in cells]
        for first, second in combinations(present, 2):
            one, other = (int(drawn.best[cells[actor, period]].sum()) for actor in (first, second))
            if one == other:
                continue
            more, less = (first, second) if one > other else (second, first)
            documents = np.unique(drawn.documents[np.concatenate([cells[more, period], cells[less, period]])])
            sides = [_by_document(drawn, cells[actor, period], documents) for actor in (more, less)]
            sure = compare_counts(*sides).more
            greatest, least = max(one, other), min(one, other)
            told.append((sure, least, f"{more} {greatest}, {less} {least} in {period} (P = {sure:.2f})"))
    return _differences(told)


def probability_of_more(first: Floats, second: Floats) -> float:
    """P(n_1 > n_2) of two independent counts, from the probabilities of their documents.

    >>> probability_of_more(np.array([0.5]), np.array([0.5]))
    0.25
    """
    one, other = poisson_binomial(first).pmf, poisson_binomial(second).pmf
    below = np.concatenate([[0.0], np.cumsum(other)])
    return float(one @ below[np.minimum(np.arange(len(one)), len(other))])


def few_samples(drawn: Drawn) -> FewSamples:
    """How far the means of the first 10 samples are from those of all."""
    few, many, variance = [], [], []
    for rows in drawn.cells().values():
        few.append(float(drawn.samples[rows, :FEW].mean(axis=1).sum()))
        many.append(float(drawn.probabilities[rows].sum()))
        variance.append(float((drawn.probabilities[rows] * (1 - drawn.probabilities[rows])).sum()))
    gap = np.subtract(few, many)
    return FewSamples(correlation(few, many), float(np.sqrt((gap**2).mean())), float(np.sqrt(np.mean(variance))))


def entities_against_documents(drawn: Drawn) -> float:
    """The correlation of the expected numbers of entities and of documents over the cells."""
    cells = drawn.cells().values()
    entities = [float(drawn.entities[rows].mean(axis=1).sum()) for rows in cells]
    return correlation(entities, [float(drawn.probabilities[rows].sum()) for rows in cells])


def correlation(one: list[float], other: list[float]) -> float:
    """Pearson's, NaN where it is not defined."""
    if len(one) < 2 or np.std(one) == 0.0 or np.std(other) == 0.0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])


def _by_document(drawn: Drawn, rows: Integers, documents: Integers) -> Integers:
    """The samples of some rows, one row per document."""
    found = np.zeros((len(documents), drawn.samples.shape[1]), dtype=np.int64)
    found[np.searchsorted(documents, drawn.documents[rows])] = drawn.samples[rows]
    return found


def _differences(told: list[tuple[float, int, str]]) -> Differences:
    """Of (probability, size, words): the example is the greatest that is open."""
    undecided = [one for one in told if one[0] < SURE]
    example = max(undecided, key=lambda one: (one[1], -one[0]))[2] if undecided else ""
    return Differences(len(told), len(undecided), example)


@dataclass(frozen=True, slots=True)
class Told:
    """What a store tells by one length of period: its series, and how the counts of the 20 first actors differ."""

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


def told_by(path: Path, *, corpus: str, rule: str, by: str, news: News, shown: Sequence[str] = ()) -> Told | None:
    """Everything that is asked of a store; None if no document has an event. `shown`: the actors of the series, where
    they are not the most frequent ones."""
    with EventStore.open(path) as store:
        drawn = drawn_from(store, by=by)
        if not drawn.actors:
            return None
        actors = drawn.most_frequent(ACTORS)
        first, last = first_and_last(store)
        periods = list(periods_between(str(first), str(last), period=by))
        return Told(
            corpus=corpus,
            rule=rule,
            by=by,
            news=news,
            drawn=drawn,
            actors=actors,
            series=event_series(  # documents as the paper takes them
                store, period=by, actors=[one for one in shown if one in drawn.actors] or actors, stories="apart"
            ),
            changes=changes(drawn, periods, actors),
            contests=contests(drawn, actors),
            few=few_samples(drawn),
            entities=entities_against_documents(drawn),
        )


def corpora_table(told: Sequence[Told]) -> Numbers:
    """What was read and found."""

    def unsure(one: Told) -> str:
        p = one.drawn.probabilities
        return f"{int(((p >= UNSURE[0]) & (p <= UNSURE[1])).sum()):,} of {len(p):,}"

    return numbers(
        f"{told[0].corpus}: what was read and found",
        {(one.corpus, one.rule): one for one in told}.values(),
        Column("corpus and rule", NAME, get=lambda one: f"{one.corpus}, {one.rule}"),
        Column("items", COUNT, get=lambda one: one.news.total),
        Column("naming an actor", COUNT, get=lambda one: one.news.naming),
        Column("with a word of the rule", COUNT, get=lambda one: len(one.news.items)),
        Column("words", COUNT, get=lambda one: one.news.words),
        Column("with an event", COUNT, get=lambda one: len(set(one.drawn.documents.tolist()))),
        Column("(item, actor) with p in [.2, .8]", TEXT, get=unsure),
        Column("expected", digits(1), get=lambda one: one.drawn.probabilities.sum()),
        Column("1-best", COUNT, get=lambda one: one.drawn.best.sum()),
    )


def density_table(told: Sequence[Told]) -> Numbers:
    """How many documents there are a period, and how many points of the series are next to nothing."""
    periods = {one.name: len({row.period for row in one.series.rows}) for one in told}
    return numbers(
        f"{told[0].corpus}: documents a period, and points of the 20 series with less than half a document",
        told,
        Column("corpus, rule, period", NAME, get=lambda one: one.name),
        Column("periods", COUNT, get=lambda one: periods[one.name]),
        Column("items", PLAIN, get=lambda one: one.news.total / periods[one.name]),
        Column("naming an actor", PLAIN, get=lambda one: one.news.naming / periods[one.name]),
        Column("with a word of the rule", PLAIN, get=lambda one: len(one.news.items) / periods[one.name]),
        Column("expected", digits(2), get=lambda one: one.drawn.probabilities.sum() / periods[one.name]),
        Column(
            "points below .5",
            TEXT,
            get=lambda one: f"{100 * np.mean([row.mean < 0.5 for row in one.series.rows]):.0f} %",
        ),
    )


def differences_table(told: Sequence[Told]) -> Numbers:
    """How much of what the 1-best says the posterior leaves open."""
    return numbers(
        f"{told[0].corpus}: differences between counts that are open (P < {SURE:g}), 20 most frequent actors",
        told,
        Column("corpus, rule, period", NAME, get=lambda one: one.name),
        Column("changes of the 1-best", COUNT, get=lambda one: one.changes.different),
        Column("open changes", COUNT, "open", get=lambda one: one.changes.undecided),
        Column("contests of the 1-best", COUNT, get=lambda one: one.contests.different),
        Column("open contests", COUNT, "open", get=lambda one: one.contests.undecided),
        Column(f"r of means, S = {FEW} and 100", digits(4), get=lambda one: one.few.correlation),
        Column("rms difference", digits(3), get=lambda one: one.few.difference),
        Column("rms posterior sd", digits(3), get=lambda one: one.few.sd),
        Column("r, entities and documents", digits(4), get=lambda one: one.entities),
        Column("the greatest open contest", NAME, get=lambda one: one.contests.example or "none"),
    )


def actors_table(one: Told) -> Numbers:
    """The most frequent actors in all periods together."""
    rows = {actor: np.flatnonzero(np.array(one.drawn.actors) == actor) for actor in one.actors}
    counts = {actor: count_from_probabilities(one.drawn.probabilities[own]) for actor, own in rows.items()}
    return numbers(
        f"{one.corpus}, {one.rule}: all periods together",
        one.actors,
        Column("actor", NAME, get=lambda actor: actor),
        Column("title", NAME, get=lambda actor: one.series.titles[actor]),
        Column("expected documents", PLAIN, get=lambda actor: counts[actor].mean),
        Column("95 % interval", TEXT, get=lambda actor: f"[{counts[actor].low:.0f}, {counts[actor].high:.0f}]"),
        Column("1-best", Kind(str), get=lambda actor: int(one.drawn.best[rows[actor]].sum())),
    )


def grammar_table(paper: Told, wide: Told) -> Numbers:
    """The expected counts of the most frequent actors by the paper's rule, and by one that sees more of the grammar."""
    narrow, all_of = paper.drawn.expected(), wide.drawn.expected()
    return numbers(
        f"{paper.corpus}: expected documents by the paper's rule and with nouns before nouns",
        wide.actors[:ACTORS_OF_TWO_RULES],
        Column("actor", NAME, get=lambda actor: actor),
        Column("title", NAME, get=lambda actor: wide.series.titles[actor]),
        Column(paper.rule, PLAIN, get=lambda actor: float(narrow[actor])),
        Column(wide.rule, PLAIN, get=lambda actor: float(all_of[actor])),
    )


def enough_open(one: Differences) -> bool | None:
    """Whether the model knows that counts differ: it does not if half or more of them are open, None between."""
    share = one.undecided / one.different if one.different else math.nan
    return True if share >= MANY else False if share < FEW_OPEN else None


def news_findings(one: Told) -> tuple[Finding, ...]:
    """What the paper says of Figure 6 and its footnote, on one of our corpora."""
    few = one.few
    rule = f"holds if at least {100 * MANY:.0f} % are, not if less than {100 * FEW_OPEN:.0f} %"
    up = "the count goes up and down, but the model does not know whether the differences are real (USA)"
    side = "a 1-best system decides which side attacks more (Yugoslavia or NATO), the posterior leaves it open"
    changed = f"from one {one.by} to the next: {one.changes} ({rule})"
    contested = f"two actors in one {one.by}: {one.contests} ({rule})"
    means = (
        f"means correlate with r = {few.correlation:.4f} and differ by {few.difference:.3f} documents (rms), where the "
        f"posterior's sd is {few.sd:.3f}"
    )
    entities = f"the expected numbers correlate with r = {one.entities:.4f}"
    note, ten = "section 6, footnote 11", "10 samples instead of 100 give similar results"
    instead = "the number of entities instead of documents gives similar results"
    return (
        Finding("6", up, changed, enough_open(one.changes), one.name),
        Finding("6", side, contested, enough_open(one.contests), one.name),
        Finding(note, ten, means, few.difference < few.sd / 2, one.name),
        Finding(note, instead, entities, one.entities > 0.95, one.name),
    )
