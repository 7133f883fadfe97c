"""Event probabilities against gold templates: calibration, precision and recall, coverage of the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from howsure.calibration.curve import calibration_curve
from howsure.calibration.results import CalibrationCurve
from howsure.events.extraction.one_document import Bools
from howsure.events.periods import period_of
from howsure.events.series.counts import count_from_probabilities
from howsure.events.store.event_store import EventStore
from howsure.events.store.reading import columns_of
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.estimate import Estimate
from howsure.stats.proportions import wilson_interval
from howsure_papers.events.corpora import Item, News
from howsure_papers.replicates import mean_estimate, ratio_with_influence

LABELS = {"by": "perpetrators", "at": "places"}
LEVEL = 0.95
UNSURE = (0.2, 0.8)
BIN_SIZE = 20


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of the cells (actor, month) in which an event is possible or gold, those whose interval holds the gold count."""

    cells: int
    inside: int
    below: int  # cells whose gold count is above the interval: the rule finds too few
    above: int

    @property
    def share(self) -> float:
        """The covered share of the cells."""
        return self.inside / self.cells if self.cells else float("nan")


@dataclass(frozen=True, slots=True)
class Judged:
    """How the probabilities of pairs (document, actor) fare against one gold label.

    curve: over all pairs in which the document has an agent of the event and names the actor. precision: of expected
    events; recall: of the gold pairs of all documents, and of those that the rule can find (`reachable`). wrong_unsure,
    wrong_sure: the share of pairs on whose wrong side of one half p lies, with p in [.2, .8] and outside.
    """

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


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of an item and an actor that may act in it, with the probability that it does."""

    items: tuple[Item, ...]
    actors: tuple[str, ...]
    probabilities: Floats
    documents: Integers


def pairs_of(store: EventStore, news: News) -> Pairs:
    """Every actor named in a document in which somebody acts, with its probability, which may be 0."""
    held = columns_of(
        store,
        "WITH acting AS (SELECT DISTINCT document FROM mentions WHERE verb IS NOT NULL), "
        "named AS (SELECT DISTINCT document, unnest(actors) AS actor FROM mentions SEMI JOIN acting USING (document)) "
        "SELECT d.id, n.document, n.actor, coalesce(e.probability, 0) AS p FROM named n JOIN documents d "
        "USING (document) LEFT JOIN events e ON e.document = n.document AND e.actor = n.actor "
        "ORDER BY n.document, n.actor",
    )
    by_id = {item.id: item for item in news.items}
    return Pairs(
        tuple(by_id[name] for name in held["id"].tolist()),
        tuple(held["actor"].tolist()),
        held["p"].astype(np.float64),
        held["document"].astype(np.int64),
    )


def judge(store: EventStore, news: News, *, label: str, by: str = "month", name: str | None = None) -> Judged:
    """Compare with the gold label that an incident was `by` people of the actor, or `at` a place in its country.

    `by`: the length of the periods in which events are counted. `name`: that of the curve.
    """
    pairs = pairs_of(store, news)
    p = pairs.probabilities
    y = np.array([actor in _gold(item, label) for item, actor in zip(pairs.items, pairs.actors, strict=True)])
    everywhere = [*news.items, *news.silent]
    gold = sum(len(_gold(item, label)) for item in everywhere)
    unsure = (p >= UNSURE[0]) & (p <= UNSURE[1])
    wrong = (p > 0.5) != y
    ours = _expected(pairs, by)
    of_reached = {(item.id, actor) for item, actor in zip(pairs.items, pairs.actors, strict=True)}
    counts = Counter((actor, period_of(item.date, period=by)) for item in everywhere for actor in _gold(item, label))
    reached = Counter(
        (actor, period_of(item.date, period=by))
        for item in everywhere
        for actor in _gold(item, label)
        if (item.id, actor) in of_reached
    )
    return Judged(
        label=label,
        pairs=len(p),
        gold=gold,
        reachable=int(y.sum()),
        curve=replace(calibration_curve(y, p, bin_size=BIN_SIZE, clusters=pairs.documents), name=name),
        expected=float(p.sum()),
        expected_right=float((p * y).sum()),
        precision=_precision(p, y),
        recall=float((p * y).sum()) / max(gold, 1),
        recall_of_reachable=float((p * y).sum()) / max(int(y.sum()), 1),
        wrong_unsure=_share(wrong[unsure]),
        wrong_sure=_share(wrong[~unsure]),
        coverage=_coverage(ours, counts),
        coverage_of_reachable=_coverage(ours, reached),
    )


def _gold(item: Item, label: str) -> frozenset[str]:
    found: frozenset[str] = getattr(item, LABELS[label])
    return found


def _precision(p: Floats, y: Bools) -> Estimate:
    """Σ p y / Σ p; undefined where nothing is expected."""
    if not p.any():
        return Estimate(float("nan"), None, None, LEVEL, "normal", len(p))
    value, influence = ratio_with_influence(p * y, p)
    return mean_estimate(value + influence)


def _share(values: Bools) -> Estimate:
    """The share of True, with Wilson's interval; undefined without values."""
    n = len(values)
    if n == 0:
        return Estimate(float("nan"), None, None, LEVEL, "Wilson", 0)
    share = float(values.mean())
    low, high = wilson_interval(np.array([share]), np.array([float(n)]), level=LEVEL)
    return Estimate(share, float(low[0]), float(high[0]), LEVEL, "Wilson", n)


def _expected(pairs: Pairs, by: str) -> dict[tuple[str, str], Floats]:
    """The probabilities of each actor and period."""
    rows: dict[tuple[str, str], list[float]] = {}
    for item, actor, p in zip(pairs.items, pairs.actors, pairs.probabilities.tolist(), strict=True):
        rows.setdefault((actor, period_of(item.date, period=by)), []).append(p)
    return {key: np.array(found) for key, found in rows.items()}


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
