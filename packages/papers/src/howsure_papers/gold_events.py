"""Event probabilities compared with gold templates: calibration, precision and recall, coverage of the counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from howsure.calibration.curve import calibration_curve
from howsure.calibration.results import CalibrationCurve
from howsure.inputs.pairs import Bools, Floats, Integers
from howsure.inputs.periods import find_period
from howsure.result import Estimate
from howsure.show.table import COUNT, ESTIMATE, P_VALUE, UNDEFINED, Column, Kind, digits, p_in_words
from howsure_events.series.counts import count_from_probabilities
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import query_columns
from howsure_papers.corpora.news import Item, News
from howsure_papers.intervals import LEVEL, mean_estimate, ratio_with_influence, share_estimate, unbounded, verdict
from howsure_papers.reproduction import NAME, TEXT, Finding, Numbers, numbers

LABELS = {"by": "perpetrators", "at": "places"}
QUESTIONS = {"by": "an attack by people of the country", "at": "an attack in the country"}
UNSURE = (0.2, 0.8)
BIN_SIZE = 20
MAX_WRONG_SHARE = 0.05
RECALL = Kind(lambda share: f"{100 * share:.1f} %")


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often intervals contain gold counts; a cell is an actor and a month with a possible or a gold event."""

    cells: int
    inside: int
    below: int  # cells with a gold count above the interval: the rule finds too few events
    above: int

    @property
    def share(self) -> float:
        """The covered proportion of the cells."""
        return self.inside / self.cells if self.cells else float("nan")


@dataclass(frozen=True, slots=True)
class Judged:
    """The probabilities of pairs (document, actor) compared with one gold label.

    curve: over all pairs in which the document has an agent of the event and names the actor. precision: the precision
    of expected events. recall: the recall among the gold pairs of all documents, and among those that the rule can find
    (`reachable`). wrong_unsure, wrong_sure: the proportion of pairs with p on the wrong side of one half, for p in [.2,
    .8] and outside.
    """

    rule: str
    label: str
    pairs: int
    gold: int
    reachable: int
    curve: CalibrationCurve
    expected: float
    expected_right: float
    precision: Estimate
    recall: float
    recall_of_reachable: float
    wrong_unsure: Estimate
    wrong_sure: Estimate
    coverage: Coverage
    coverage_of_reachable: Coverage

    @property
    def name(self) -> str:
        """The rule and the gold label."""
        return f"{self.rule}, {self.label}"


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of an item and an actor that may act in it, with the probability that it does."""

    items: tuple[Item, ...]
    actors: tuple[str, ...]
    probabilities: Floats
    documents: Integers


def event_pairs(store: EventStore, news: News) -> Pairs:
    """Every actor named in a document with an agent, with its probability, which may be 0."""
    columns = query_columns(
        store,
        "WITH acting AS (SELECT DISTINCT document FROM mentions WHERE verb IS NOT NULL), named AS (SELECT DISTINCT "
        "document, unnest(actors) AS actor FROM mentions SEMI JOIN acting USING (document)) SELECT d.id, n.document, "
        "n.actor, coalesce(e.probability, 0) AS p FROM named n JOIN documents d USING (document) LEFT JOIN events e ON "
        "e.document = n.document AND e.actor = n.actor ORDER BY n.document, n.actor",
    )
    by_id = {item.id: item for item in news.items}
    return Pairs(
        tuple(by_id[name] for name in columns["id"].tolist()),
        tuple(columns["actor"].tolist()),
        columns["p"].astype(np.float64),
        columns["document"].astype(np.int64),
    )


def judge(store: EventStore, news: News, *, label: str, rule: str = "", by: str = "month") -> Judged:
    """Compare the event probabilities of a store with a gold label.

    label: "by", an incident committed by people of the actor; or "at", an incident in the actor's country. by: the
    length of the periods in which events are counted. rule: the name of the store's rule.
    """
    pairs = event_pairs(store, news)
    p = pairs.probabilities
    y = np.array([actor in _gold(item, label) for item, actor in zip(pairs.items, pairs.actors, strict=True)])
    everywhere = [*news.items, *news.silent]
    gold = sum(len(_gold(item, label)) for item in everywhere)
    unsure = (p >= UNSURE[0]) & (p <= UNSURE[1])
    wrong = (p > 0.5) != y
    ours = _expected(pairs, by)
    of_reached = {(item.id, actor) for item, actor in zip(pairs.items, pairs.actors, strict=True)}
    counts = Counter((actor, find_period(item.date, period=by)) for item in everywhere for actor in _gold(item, label))
    reached = Counter(
        (actor, find_period(item.date, period=by))
        for item in everywhere
        for actor in _gold(item, label)
        if (item.id, actor) in of_reached
    )
    return Judged(
        rule=rule,
        label=label,
        pairs=len(p),
        gold=gold,
        reachable=int(y.sum()),
        curve=replace(calibration_curve(y, p, bin_size=BIN_SIZE, clusters=pairs.documents), name=f"{rule}, {label}"),
        expected=float(p.sum()),
        expected_right=float((p * y).sum()),
        precision=_precision(p, y),
        recall=float((p * y).sum()) / max(gold, 1),
        recall_of_reachable=float((p * y).sum()) / max(int(y.sum()), 1),
        wrong_unsure=share_estimate(wrong[unsure]),
        wrong_sure=share_estimate(wrong[~unsure]),
        coverage=_coverage(ours, counts),
        coverage_of_reachable=_coverage(ours, reached),
    )


def _gold(item: Item, label: str) -> frozenset[str]:
    labels: frozenset[str] = getattr(item, LABELS[label])
    return labels


def _precision(p: Floats, y: Bools) -> Estimate:
    """The expected precision Σ p y / Σ p; undefined if no event is expected."""
    if not p.any():
        return unbounded(math.nan, "normal", len(p))
    value, influence = ratio_with_influence(p * y, p)
    return mean_estimate(value + influence)


def _expected(pairs: Pairs, by: str) -> dict[tuple[str, str], Floats]:
    """The probabilities of each actor and period."""
    rows: dict[tuple[str, str], list[float]] = {}
    for item, actor, p in zip(pairs.items, pairs.actors, pairs.probabilities.tolist(), strict=True):
        rows.setdefault((actor, find_period(item.date, period=by)), []).append(p)
    return {key: np.array(row_numbers) for key, row_numbers in rows.items()}


def _coverage(ours: Mapping[tuple[str, str], Floats], gold: Mapping[tuple[str, str], int]) -> Coverage:
    inside = below = above = 0
    cells = sorted({key for key, p in ours.items() if p.any()} | set(gold))
    for cell in cells:
        count = count_from_probabilities(ours.get(cell, np.zeros(0)), level=LEVEL)
        truth = gold.get(cell, 0)
        inside += count.low <= truth <= count.high
        below += truth > count.high
        above += truth < count.low
    return Coverage(len(cells), int(inside), int(below), int(above))


def gold_table(judged: Sequence[Judged]) -> Numbers:
    """Calibration, precision and recall."""
    return numbers(
        "muc4: probabilities of (report, country) against gold templates",
        judged,
        Column("rule and gold label", NAME, get=lambda result: result.name),
        Column("pairs", COUNT),
        Column("gold pairs", COUNT, get=lambda result: result.gold),
        Column("of these reachable", COUNT, get=lambda result: result.reachable),
        Column("calibration error", ESTIMATE, get=lambda result: result.curve.error),
        Column("p (calibrated)", P_VALUE, get=lambda result: result.curve.p_value),
        Column("expected", digits(1)),
        Column("of these right", digits(1), get=lambda result: result.expected_right),
        Column("precision", Kind(_percent)),
        Column("recall", RECALL),
        Column("recall of reachable", RECALL, get=lambda result: result.recall_of_reachable),
    )


def coverage_table(judged: Sequence[Judged]) -> Numbers:
    """The rate at which the interval of a count contains the gold count."""
    rows = [
        (result.name, which, coverage)
        for result in judged
        for which, coverage in (
            ("all reports", result.coverage),
            ("reports with an agent", result.coverage_of_reachable),
        )
    ]
    return numbers(
        "muc4: 95 % intervals of counts against gold counts",
        rows,
        Column("rule and gold label", NAME, get=lambda row: row[0]),
        Column("gold counts of", NAME, get=lambda row: row[1]),
        Column("cells (country, month)", COUNT, get=lambda row: row[2].cells),
        Column("within the interval", TEXT, get=lambda row: f"{row[2].inside:,} ({100 * row[2].share:.0f} %)"),
        Column("gold above it", COUNT, get=lambda row: row[2].below),
        Column("gold below it", COUNT, get=lambda row: row[2].above),
    )


def gold_findings(judged: Judged) -> list[Finding]:
    """The findings on the paper's open question, and on doubtful documents."""
    where = f"MUC-4, {judged.rule}, {QUESTIONS[judged.label]}"
    all_cells, reached = judged.coverage, judged.coverage_of_reachable
    error = (
        f"calibration error {judged.curve.error}, {p_in_words(judged.curve.p_value)}; precision "
        f"{_percent(judged.precision)}, recall {100 * judged.recall:.1f} %"
    )
    covered = (
        f"{100 * all_cells.share:.0f} % of {all_cells.cells} cells, {100 * reached.share:.0f} % of {reached.cells} if "
        "only the reports with an agent are counted"
    )
    unsure = f"wrong with p in [.2, .8] {_percent(judged.wrong_unsure)}, otherwise {_percent(judged.wrong_sure)}"
    calibrated = False if judged.curve.p_value < MAX_WRONG_SHARE else None
    wrong = _is_greater(judged.wrong_unsure, judged.wrong_sure)
    open_question, analysis = "section 6, open", "section 6, error analysis"
    true_counts = "do the intervals contain the true counts?"
    return [
        Finding(open_question, "are the probabilities of events calibrated?", error, calibrated, where),
        Finding(open_question, true_counts, covered, reached.share >= 1 - MAX_WRONG_SHARE, where),
        Finding(analysis, "the more uncertain a prediction, the more likely it is wrong", unsure, wrong, where),
    ]


def _percent(estimate: Estimate) -> str:
    if estimate.value != estimate.value:
        return UNDEFINED
    interval = (
        ""
        if estimate.low is None or estimate.high is None
        else f" [{100 * estimate.low:.0f}, {100 * estimate.high:.0f}]"
    )
    return f"{100 * estimate.value:.0f}{interval} %"


def _is_greater(estimate: Estimate, other: Estimate) -> bool | None:
    """Return whether a proportion is greater; None if Newcombe's (1998, method 10) interval contains 0."""
    if estimate.low is None or estimate.high is None or other.low is None or other.high is None:
        return None
    gap = estimate.value - other.value
    low = gap - math.hypot(estimate.value - estimate.low, other.high - other.value)
    high = gap + math.hypot(estimate.high - estimate.value, other.value - other.low)
    return verdict(Estimate(gap, low, high, estimate.level, "Newcombe", estimate.n + other.n))
