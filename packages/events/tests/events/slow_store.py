"""What a store must answer, from its raw clusterings and mentions: by the definitions, in plain loops."""

from __future__ import annotations

import datetime
import struct
from collections import Counter, defaultdict
from itertools import product
from math import prod

from howsure_events.store.event_store import EventStore

Counts = list[Counter[str]]  # for each sample, how many entities of each actor act


def raw_counts(store: EventStore, column: str = "samples") -> dict[int, Counts]:
    """f(c, E; x) for every entity of every clustering of every document."""
    described: dict[int, list[tuple[list[str], bool]]] = defaultdict(list)
    for document, actors, verb in store.ask("SELECT document, actors, verb FROM mentions ORDER BY document, mention"):
        described[document].append((actors, verb is not None))
    counts = {}
    for document, blob in store.ask(f"SELECT document, {column} FROM clusterings"):
        mentions = described[document]
        numbers = struct.unpack(f"<{len(blob) // 2}H", blob)
        counts[document] = [
            _acting(numbers[start : start + len(mentions)], mentions) for start in range(0, len(numbers), len(mentions))
        ]
    return counts


def _acting(clustering: tuple[int, ...], mentions: list[tuple[list[str], bool]]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for entity in set(clustering):
        members = [mention for mention, label in zip(mentions, clustering, strict=True) if label == entity]
        named = {actor for actors, _ in members for actor in actors}
        if len(named) == 1 and any(acts for _, acts in members):
            counted[named.pop()] += 1
    return counted


def dates(store: EventStore) -> dict[int, datetime.date]:
    """The date of every document."""
    return dict(store.ask("SELECT document, date FROM documents"))


def slow_period(date: datetime.date, by: str) -> str:
    """The label of a date's period."""
    if by == "week":
        return "{:04}-W{:02}".format(*date.isocalendar()[:2])
    return {
        "month": f"{date.year:04}-{date.month:02}",
        "quarter": f"{date.year:04}-Q{(date.month - 1) // 3 + 1}",
        "year": f"{date.year:04}",
    }[by]


def slow_periods(store: EventStore, by: str) -> dict[str, list[int]]:
    """The documents of every period from the first to the last, day by day."""
    days = dates(store)
    day, last = min(days.values()), max(days.values())
    periods: dict[str, list[int]] = {}
    while day <= last:
        periods.setdefault(slow_period(day, by), [])
        day += datetime.timedelta(days=1)
    for document, date in days.items():
        periods[slow_period(date, by)].append(document)
    return periods


def law_of(samples: list[int]) -> dict[int, float]:
    """The law that a document's samples have."""
    return {value: n / len(samples) for value, n in Counter(samples).items()}


def law_of_sum(laws: list[dict[int, float]]) -> dict[int, float]:
    """The law of a sum of independent numbers, one after the other."""
    total = {0: 1.0}
    for law in laws:
        grown: dict[int, float] = defaultdict(float)
        for (a, p), (b, q) in product(total.items(), law.items()):
            grown[a + b] += p * q
        total = dict(grown)
    return total


def slow_interval(law: dict[int, float], level: float) -> tuple[int, int]:
    """The greatest low with P(count < low) ≤ (1 - level)/2, and the least high likewise."""
    tail = (1 - level) / 2
    low = max(k for k in law if sum(p for value, p in law.items() if value < k) <= tail)
    high = min(k for k in law if sum(p for value, p in law.items() if value > k) <= tail)
    return low, high


def enumerated(samples: list[list[int]]) -> dict[int, float]:
    """The law of a sum, from every choice of one sample of each document."""
    total: dict[int, float] = defaultdict(float)
    for choice in product(*samples):
        total[sum(choice)] += 1 / prod(map(len, samples))
    return dict(total)
