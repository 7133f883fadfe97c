"""Attacks in news by actor and period: what the intervals tell that the 1-best does not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from howsure.events.periods import periods_between
from howsure.events.series.counts import count_from_probabilities
from howsure.events.series.event_series import EventSeries, event_series
from howsure.events.store.event_store import EventStore
from howsure.events.store.reading import first_and_last
from howsure.show.table import Table
from howsure_papers.events.corpora import News
from howsure_papers.events.drawn import (
    FEW,
    SURE,
    Differences,
    Drawn,
    FewSamples,
    changes,
    contests,
    drawn_from,
    entities_against_documents,
    few_samples,
)
from howsure_papers.reproduction import Finding

ACTORS = 20
ACTORS_OF_TWO_RULES = 10
UNSURE = (0.2, 0.8)
MANY, FEW_OPEN = 0.5, 0.1  # shares of differences that are open: at least so many hold, fewer than so many do not


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


def told_by(path: Path, *, corpus: str, rule: str, by: str, news: News) -> Told | None:
    """Everything that is asked of a store; None if no document has an event."""
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
            series=event_series(store, period=by, actors=actors, stories="apart"),  # as the paper takes them
            changes=changes(drawn, periods, actors),
            contests=contests(drawn, actors),
            few=few_samples(drawn),
            entities=entities_against_documents(drawn),
        )


def corpora_table(told: Sequence[Told]) -> Table:
    """What was read and found."""
    headers = (
        "corpus and rule", "items", "naming an actor", "with a word of the rule", "words", "with an event",
        "(item, actor) with p in [.2, .8]", "expected", "1-best",
    )  # fmt: skip
    seen: dict[tuple[str, str], Told] = {(one.corpus, one.rule): one for one in told}
    rows = []
    for one in seen.values():
        p = one.drawn.probabilities
        unsure = int(((p >= UNSURE[0]) & (p <= UNSURE[1])).sum())
        rows.append(
            [
                f"{one.corpus}, {one.rule}", f"{one.news.total:,}", f"{one.news.naming:,}", f"{len(one.news.items):,}",
                f"{one.news.words:,}", f"{len(set(one.drawn.documents.tolist())):,}", f"{unsure:,} of {len(p):,}",
                f"{p.sum():,.1f}", f"{one.drawn.best.sum():,}",
            ]
        )  # fmt: skip
    return Table(headers, rows, headers[:1], caption=f"{told[0].corpus}: what was read and found")


def differences_table(told: Sequence[Told]) -> Table:
    """How much of what the 1-best says the posterior leaves open."""
    headers = (
        "corpus, rule, period", "changes of the 1-best", "open", "contests of the 1-best", "open",
        f"r of means, S = {FEW} and 100", "rms difference", "rms posterior sd", "r, entities and documents",
        "the greatest open contest",
    )  # fmt: skip
    rows = [
        [
            one.name, f"{one.changes.different:,}", f"{one.changes.undecided:,}", f"{one.contests.different:,}",
            f"{one.contests.undecided:,}", f"{one.few.correlation:.4f}", f"{one.few.difference:.3f}",
            f"{one.few.sd:.3f}", f"{one.entities:.4f}", one.contests.example or "none",
        ]
        for one in told
    ]  # fmt: skip
    title = f"{told[0].corpus}: differences between counts that are open (P < {SURE:g}), 20 most frequent actors"
    return Table(headers, rows, (headers[0], headers[-1]), caption=title)


def actors_table(one: Told) -> Table:
    """The most frequent actors in all periods together."""
    headers = ("actor", "title", "expected documents", "95 % interval", "1-best")
    rows = []
    for actor in one.actors:
        own = [row for row, name in enumerate(one.drawn.actors) if name == actor]
        count = count_from_probabilities(one.drawn.probabilities[own])
        best = int(one.drawn.best[own].sum())
        rows.append(
            [actor, one.series.titles[actor], f"{count.mean:.1f}", f"[{count.low:.0f}, {count.high:.0f}]", f"{best}"]
        )
    return Table(headers, rows, headers[:2], caption=f"{one.corpus}, {one.rule}: all periods together")


def grammar_table(paper: Told, wide: Told) -> Table:
    """The expected counts of the most frequent actors by the paper's rule, and by one that sees more of the grammar."""
    headers = ("actor", "title", paper.rule, wide.rule)
    expected = [_expected(one.drawn) for one in (paper, wide)]
    rows = [
        [actor, wide.series.titles[actor], *(f"{counts.get(actor, 0.0):.1f}" for counts in expected)]
        for actor in wide.actors[:ACTORS_OF_TWO_RULES]
    ]
    title = f"{paper.corpus}: expected documents by the paper's rule and with nouns before nouns"
    return Table(headers, rows, headers[:2], caption=title)


def enough_open(one: Differences) -> bool | None:
    """Whether the model knows that counts differ: it does not if half or more of them are open, None between."""
    share = one.undecided / one.different if one.different else math.nan
    return True if share >= MANY else False if share < FEW_OPEN else None


def _expected(drawn: Drawn) -> dict[str, float]:
    found: dict[str, float] = {}
    for actor, p in zip(drawn.actors, drawn.probabilities.tolist(), strict=True):
        found[actor] = found.get(actor, 0.0) + p
    return found


def news_findings(one: Told) -> tuple[Finding, ...]:
    """What the paper says of Figure 6 and its footnote, on one of our corpora."""
    few = one.few
    rule = f"holds if at least {100 * MANY:.0f} % are, not if less than {100 * FEW_OPEN:.0f} %"
    return (
        Finding(
            "6", "the count goes up and down, but the model does not know whether the differences are real (USA)",
            f"from one {one.by} to the next: {one.changes} ({rule})", enough_open(one.changes), one.name,
        ),
        Finding(
            "6", "a 1-best system decides which side attacks more (Yugoslavia or NATO), the posterior leaves it open",
            f"two actors in one {one.by}: {one.contests} ({rule})", enough_open(one.contests), one.name,
        ),
        Finding(
            "section 6, footnote 11", "10 samples instead of 100 give similar results",
            f"means correlate with r = {few.correlation:.4f} and differ by {few.difference:.3f} documents "
            f"(rms), where the posterior's sd is {few.sd:.3f}", few.difference < few.sd / 2, one.name,
        ),
        Finding(
            "section 6, footnote 11", "the number of entities instead of documents gives similar results",
            f"the expected numbers correlate with r = {one.entities:.4f}", one.entities > 0.95, one.name,
        ),
    )  # fmt: skip
