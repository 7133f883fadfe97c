"""What the page must say, computed again from the bits and bytes of the store, slowly and by other means."""

from __future__ import annotations

from calendar import monthrange
from collections import defaultdict
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise

import numpy as np
from tests.events.made_up_store import TITLES
from tests.events.slow_store import raw_counts
from tests.explorer.hostile_store import SAMPLES

from howsure.inputs.periods import find_period, periods_between
from howsure_events.store.event_store import EventStore

LEVEL = 0.95


def bits(blob: bytes) -> np.ndarray:
    """Sample s is bit s % 8 of byte s // 8."""
    return np.array([blob[s // 8] >> (s % 8) & 1 for s in range(SAMPLES)])


def drawn(store: EventStore, actor: str) -> dict[int, tuple[np.ndarray, np.ndarray, int]]:
    """By document: whether an actor acts in each sample, how many of its entities do, and how many in the 1-best."""
    rows = store.ask("SELECT document, samples, entities FROM events WHERE actor = ?", [actor])
    best = raw_counts(store, "best")
    return {n: (bits(samples), np.array(list(entities)), best[n][0][actor]) for n, samples, entities in rows}


def documents_of(store: EventStore, by: str) -> dict[str, list[int]]:
    """The documents of each period that lies between the first and the last, in order."""
    dates = store.ask("SELECT document, date FROM documents")
    documents: dict[str, list[int]] = defaultdict(list)
    for number, day in dates:
        documents[find_period(day, period=by)].append(number)
    days = [str(day) for _, day in dates]
    return {period: documents.get(period, []) for period in periods_between(min(days), max(days), period=by)}


def law(values: list[np.ndarray]) -> np.ndarray:
    """The law of a sum of independent counts, each with the law of its samples."""
    total = np.ones(1)
    for value in values:
        total = np.convolve(total, np.bincount(value) / len(value))
    return total


def interval(probabilities: np.ndarray, level: float) -> tuple[int, int]:
    """The quantiles at 2.5 % and 97.5 % for a level of 0.95."""
    below = np.cumsum(probabilities)
    low = int(np.argmax(below > (1 - level) / 2))
    return low, int(np.argmax(below >= 1 - (1 - level) / 2 - 1e-12))


def expected_points(store: EventStore, actor: str, by: str, unit: str, level: float = LEVEL) -> dict[str, str]:
    """What each point of a series must say, by period."""
    samples_of_documents, labels = drawn(store, actor), {}
    days = [str(day) for (day,) in store.ask("SELECT date FROM documents")]

    def cut(period: str) -> str:
        start, stop = first_and_last_day(period)
        return " (may be incomplete)" if start < min(days) or stop > max(days) else ""

    for period, numbers in documents_of(store, by).items():
        if not numbers:
            continue
        there = [samples_of_documents[n] for n in numbers if n in samples_of_documents]
        values = [entities if unit == "entities" else samples for samples, entities, _ in there]
        low, high = interval(law(values), level) if values else (0, 0)
        mean = sum(float(value.mean()) for value in values)
        best = sum(best_entities if unit == "entities" else best_entities > 0 for _, _, best_entities in there)
        per = len(numbers) if unit == "share" else 1
        show = [amount(mean / per, unit, 1), *(amount(bound / per, unit, 0) for bound in (low, high, best))]
        what = "" if unit == "share" else f" {unit}"
        of = "1 document" if len(numbers) == 1 else f"{len(numbers)} documents"
        title, name = TITLES[actor], f"{date.fromisoformat(f'{period}-01'):%B %Y}" if by == "month" else period
        labels[period] = (
            f"{title}, {name}{cut(period)}: {show[0]}{what} expected, "
            f"{100 * level:g}% interval {show[1]} to {show[2]}, 1-best {show[3]}, of {of}"
        )
    return labels


def first_and_last_day(period: str) -> tuple[str, str]:
    """Of a year, a quarter or a month."""
    year, _, part = period.partition("-")
    months = (1, 12) if not part else (3 * int(part[1]) - 2, 3 * int(part[1])) if part[0] == "Q" else (int(part),) * 2
    return f"{year}-{months[0]:02}-01", f"{year}-{months[1]:02}-{monthrange(int(year), months[1])[1]}"


def amount(value: float, unit: str, digits: int) -> str:
    """A number as the page writes it: halves go up."""
    if unit == "share":
        return f"{100 * value:.2f}".rstrip("0").rstrip(".") + "%"
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def expected_comparison(store: EventStore, first: str, second: str, by: str) -> dict[str, tuple[str, str]]:
    """By period P(first > second) and P(first < second), from the joint samples of each document."""
    sides, probabilities = (drawn(store, first), drawn(store, second)), {}
    nothing = np.zeros(SAMPLES, dtype=int)
    for period, numbers in documents_of(store, by).items():
        if not numbers:
            continue
        shifted = [1 + sides[0].get(n, (nothing,))[0] - sides[1].get(n, (nothing,))[0] for n in numbers]
        total = law(shifted)
        equal = len(numbers)  # each document adds one
        probabilities[period] = (probability(total[equal + 1 :].sum()), probability(total[:equal].sum()))
    assert all(a < b for a, b in pairwise(probabilities))
    return probabilities


def probability(value: float) -> str:
    """A probability as the page writes it in a sentence."""
    if 1e-12 < value < 0.005:
        return "< 0.01"
    return "> 0.99" if 0.995 < value < 1 - 1e-12 else f"= {value:.2f}"
