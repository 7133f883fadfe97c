"""Do the intervals of corrected counts by period cover if periods differ, and how wide are they?

    python -m benchmarks.borrowing [NAME ...] [--draws 40] [--method auto] [--seed 0]

Real corpora (HOWSURE_DATA) in which all documents are coded by humans: acts of the police by week and by day, topics of
a newswire by week, armed conflict in Wikipedia's news by year, attacks by country and quarter (muc4). The score of a
document is x / (1 + x), where x is the number of its words from a list of search terms. Simulated: one period with four
times the rate, an event that occurs in few periods, rates that drift, rare events, and scores that miss 85% of the
events in 3 of 12 periods.

NAME selects the populations whose name contains it. For each random sample of labels, howsure estimates the counts of
periods and totals. The table shows the coverage of the 95% intervals of all periods, of periods with a jump (at least
twice the rate of the whole series), of the worst of these, of periods with a true count above 0, and of totals; the
mean width of the intervals of periods; and the proportion of periods that are estimated from their own labels alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.regimes.counts import score_of
from howsure.inputs.periods import find_period
from howsure_papers.corpora.labelled import read_police_news
from howsure_papers.counts import DRIFTS, KINDS, many_months, population
from howsure_papers.police import WORDS, word_score
from howsure_papers.trials import Population, drawn_counts, true_counts

Generator = np.random.Generator
TOPICS = {
    "earn": r"net|profits?|dividends?|shr|qtr",
    "acq": r"acqui\w+|mergers?|stake|takeover|bid",
    "crude": r"crude|oil|barrels?|opec|petroleum",
    "trade": r"trade|tariffs?|deficit|surplus|imports?|exports?",
}  # words that one would search for
CONFLICT = r"kill\w*|attack\w*|bomb\w*|soldiers?|rebels?|troops|militants?|war"
CONFLICT_CODES = ("Armed conflicts and attacks", "Armed conflict and attacks")
N_NEWS = 20_000  # of the items of Wikipedia's news
COUNTRIES = ("EL SALVADOR", "COLOMBIA", "PERU", "GUATEMALA", "CHILE", "HONDURAS", "BOLIVIA")
MIN_RATIO, MIN_POSITIVES = 2.0, 5  # of a period of a jump: to the rate of its series, and its true count


def corpora(folder: Path) -> Iterator[tuple[str, int, Callable[[Generator], Population]]]:
    """Return the name, number of labels and population of each real corpus. The population is the same in all draws."""
    news = read_police_news(str(folder), tuple(WORDS))
    for question, labels in news.labels.items():
        score = word_score(news, question)
        for by in ("week", "day"):
            cells = news.cells(by)
            yield f"police {question} by {by}", 200, _fixed(Population(score, labels, {by: cells}, drawn_by=cells))
    stories = list(_lines(folder / "reuters21578" / "reuters21578.jsonl.gz"))
    weeks = np.array([find_period(story["date"][:10], period="week") for story in stories])
    for topic, words in TOPICS.items():
        score = _words_found(words, [f"{story['title']} {story['body']}" for story in stories])
        truth = np.array([float(topic in story["topics"]) for story in stories])
        yield f"reuters {topic} by week", 300, _fixed(Population(score, truth, {"week": weeks}, drawn_by=weeks))
    yield "conflict by year", 300, _fixed(_current_events(folder))
    yield "muc4 by country and quarter", 200, _fixed(_incidents(folder))


def simulations() -> Iterator[tuple[str, int, Callable[[Generator], Population]]]:
    """Return the name and number of labels of each simulated population, and a function that draws it."""
    for periods, rate, n in ((12, 0.05, 200), (24, 0.05, 400), (12, 0.15, 200), (6, 0.1, 100)):
        rates = [4 * rate] + [rate] * (periods - 1)
        yield f"jump: 1 of {periods}, {rate:.0%} to {4 * rate:.0%}", n, partial(few_periods, rates, "good")
    for rates, n, kind in (
        ([0.4] * 3 + [0.01] * 9, 200, "good"),
        ([0.6] * 2 + [0.005] * 10, 200, "constant"),
        ([0.3] + [0.005] * 23, 400, "good"),
        ([0.2] * 3 + [0.0] * 17, 300, "useless"),
        ([0.3] * 6 + [0.02] * 6, 200, "opposite"),
        ([0.4] + [0.01] * 5, 100, "good"),
        ([0.3] * 2 + [0.02] * 6, 150, "good"),
    ):
        high = rates.count(rates[0])
        name = f"few: {high} of {len(rates)}, {rates[0]:.0%} and {rates[-1]:.1%}, {kind} scores"
        yield name, n, partial(few_periods, rates, kind)
    for kind, words in KINDS.items():
        yield f"12 periods: {words}", 200, partial(population, kind)
    for drift in DRIFTS:
        yield f"24 months, 2% positive, drift {drift:g}", 400, partial(many_months, drift)


def few_periods(rates: Sequence[float], kind: str, rng: Generator) -> Population:
    """Return 200 units for each period, positive at the period's rate."""
    period = rng.integers(0, len(rates), 200 * len(rates))
    truth = rng.random(len(period)) < np.array(rates)[period]
    return Population(score_of(truth, kind, rng), truth.astype(float), {"period": period})


def _fixed(of_all_draws: Population) -> Callable[[Generator], Population]:
    return lambda _: of_all_draws


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _words_found(words: str, texts: Sequence[str]) -> Any:
    pattern = re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    matches = np.array([float(len(pattern.findall(text))) for text in texts])
    return matches / (1.0 + matches)


def _current_events(folder: Path) -> Population:
    """Return a random part of Wikipedia's news to 2020; an item is positive if it is under the heading of armed
    conflict."""
    items = [
        item
        for item in _lines(folder / "wikipedia_current_events" / "current_events.jsonl.gz")
        if item["kind"] == "event" and item["date"] < "2021"
    ]
    kept = [items[i] for i in np.sort(np.random.default_rng(0).choice(len(items), N_NEWS, replace=False))]
    truth = np.array([float(item["category"] in CONFLICT_CODES) for item in kept])
    year = np.array([item["date"][:4] for item in kept])
    return Population(_words_found(CONFLICT, [item["text"] for item in kept]), truth, {"year": year}, drawn_by=year)


def _incidents(folder: Path) -> Population:
    """Return pairs of a dated report and a country, positive if an incident happened there. Whole reports are
    sampled."""
    reports = [report for report in _lines(folder / "muc4" / "muc4.jsonl.gz") if (report["date"] or "") >= "1989"]
    pairs = [(report, country) for report in reports for country in COUNTRIES]
    mentions = np.array([float(report["text"].upper().count(country)) for report, country in pairs])
    truth = [
        float(any(country in template["countries"] for template in report["templates"])) for report, country in pairs
    ]
    quarter = np.array([find_period(report["date"], period="quarter") for report, _ in pairs])
    cells = {"country": np.array([country for _, country in pairs]), "quarter": quarter}
    document = np.repeat(np.arange(len(reports)), len(COUNTRIES))
    return Population(mentions / (1.0 + mentions), np.array(truth), cells, drawn_by=quarter, clusters=document)


@dataclass(slots=True)
class Coverage:
    """Whether intervals cover, over draws; `jumps` by period."""

    periods: list[bool] = field(default_factory=list)
    occurring: list[bool] = field(default_factory=list)
    jumps: dict[tuple[str, ...], list[bool]] = field(default_factory=dict)
    totals: list[bool] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    by_labels: list[bool] = field(default_factory=list)

    def add(self, drawn: Population, n: int, method: str, rng: Generator) -> None:
        """Draw n labels, estimate, and add whether each interval covers."""
        (counts,) = drawn_counts(drawn, n, (method,), design="stratified", rng=rng).values()
        truth = true_counts(drawn)
        sizes = {row.group: row.n for row in (*counts.rows, *counts.domains, counts.total)}
        for row in counts.rows:
            is_covered = bool(row.low <= truth[row.group] <= row.high)
            self.periods.append(is_covered)
            self.widths.append(row.high - row.low)
            self.by_labels.append(row.method != "hierarchical")
            if truth[row.group]:
                self.occurring.append(is_covered)
            if _is_jump(row.group, truth, sizes):
                self.jumps.setdefault(row.group, []).append(is_covered)
        series = counts.domains if len(counts.domains) > 1 else (counts.total,)
        self.totals += [bool(row.low <= truth[row.group] <= row.high) for row in series]

    def cells(self) -> list[str]:
        """Return the cells of the table."""
        jumps = list(chain.from_iterable(self.jumps.values()))
        worst = min((np.mean(covered) for covered in self.jumps.values()), default=np.nan)
        shares = (np.mean(self.periods), np.mean(jumps) if jumps else np.nan, worst, np.mean(self.occurring))
        ends = (np.mean(self.totals), np.mean(self.by_labels))
        first, last = ([f"{share:.3f}" for share in group] for group in (shares, ends))
        return [*first, last[0], f"{np.mean(self.widths):.1f}", last[1]]


def _is_jump(
    group: tuple[str, ...], truth: Mapping[tuple[str, ...], int], sizes: Mapping[tuple[str, ...], int]
) -> bool:
    series = group[:-1]
    rate = truth[series] / sizes[series]
    return truth[group] >= MIN_POSITIVES and truth[group] / sizes[group] >= MIN_RATIO * rate


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    headings = ("periods", "jumps", "worst", "count > 0", "totals", "width", "own labels")
    print("| population | labels |", " | ".join(headings), "|")
    print("|---|---:|" + "---:|" * len(headings))
    for name, n, draw in chain(simulations(), corpora(Path(os.environ["HOWSURE_DATA"]))):
        if not any(part in name for part in options.names):
            continue
        coverage = Coverage()
        for run in range(options.draws):
            coverage.add(
                draw(np.random.default_rng([options.seed, run])),
                n,
                options.method,
                np.random.default_rng([options.seed, run, n]),
            )
        print(f"| {name} | {n} |", " | ".join(coverage.cells()), "|", flush=True)


if __name__ == "__main__":
    main()
