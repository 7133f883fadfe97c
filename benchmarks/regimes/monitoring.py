"""The monitor if nothing ever changes (nominal: an alarm in 0.05 of all runs).

The model was always off and is watched after a reference, or clusters last several nights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.regimes.regime import Generator, Regime
from howsure import CalibrationMonitor

Floats = Any
ITEM = "9 monitor"
START = np.datetime64("2026-01-01")


def _tempered(q: Floats, power: float) -> Floats:
    """Return the probability whose log-odds are those of q times `power`."""
    return q**power / (q**power + (1.0 - q) ** power)


LAWS: dict[str, Callable[[Generator, int], Floats]] = {
    "confident": lambda rng, n: rng.beta(4, 1.5, n),
    "near 0 and 1": lambda rng, n: rng.beta(0.4, 0.4, n),
    "near 1": lambda rng, n: rng.beta(8, 0.4, n),
    "rare": lambda rng, n: rng.beta(0.5, 12, n),
    "even": lambda rng, n: rng.random(n),
}
OFF: dict[str, Callable[[Floats], Floats]] = {
    "less by .1": lambda q: np.clip(q - 0.1, 0.0, 1.0),
    "log-odds halved": lambda q: _tempered(q, 0.5),
    "shrunk": lambda q: 0.1 + 0.8 * q,
    "three times": lambda q: np.clip(3.0 * q, 0.0, 1.0),
    "not at all": lambda q: q,
}


@dataclass(frozen=True)
class Watched:
    """A model after a reference of `rows` rows, then periods of `a_night` rows. `size`: rows of a cluster, which are of
    one night and right or wrong together; if `uneven`, the size is drawn from 1 to twice as many."""

    rows: int
    law: str = "confident"
    off: str = "log-odds halved"
    a_night: int = 150
    nights: int = 20
    size: int = 1
    uneven: bool = False

    def drawn(self, rng: Generator, nights: int, *, drop: float = 0.0) -> tuple[Any, ...]:
        """Return dates, labels, probabilities and clusters: the reference up to START, and the nights after it."""
        n = self.rows + nights * self.a_night
        q = LAWS[self.law](rng, n)
        day = START + np.maximum(0, (np.arange(n) - self.rows) // self.a_night + 1)
        if self.size == 1:
            clusters, u = None, rng.random(n)
        else:
            sizes = rng.integers(1, 2 * self.size, n) if self.uneven else np.full(n, self.size)
            codes = np.repeat(np.arange(n), sizes)[:n]
            clusters = np.unique(codes * 10_000 + (day - START).astype(int), return_inverse=True)[1]
            q, u = q[clusters], rng.random(n)[clusters]
        truth = OFF[self.off](q) - drop * (day > START)
        return day, (u < truth).astype(np.uint8), q, clusters

    def alarm(self, rng: Generator, nights: int, *, drop: float = 0.0) -> str | None:
        """Return the day of the alarm, None if there is no alarm."""
        day, y, q, clusters = self.drawn(rng, nights, drop=drop)
        monitor = CalibrationMonitor(tolerance=0.0, reference=str(START))
        monitor.update(day, y, q, clusters=clusters, until=day.max())
        return monitor.status()["all"].alarm

    def trial(self, rng: Generator) -> Mapping[str, bool | None]:
        """Test a model that does not change."""
        return {"false alarm": self.alarm(rng, self.nights) is not None}


def lasting(
    rng: Generator, *, nights: int, share: float, begun: int = 20, watched: int = 40, law: str = "confident"
) -> Mapping[str, bool | None]:
    """Test a calibrated model with one update a night. Each night, `begun` clusters begin, with a row on each of the
    next `nights` nights. A proportion `share` of the clusters is right or wrong as a whole."""
    n = begun * watched
    cluster, age = np.repeat(np.arange(n), nights), np.tile(np.arange(nights), n)
    day = START + cluster // begun + age
    q = np.repeat(LAWS[law](rng, n), nights)
    whole = np.repeat(rng.random(n) < share, nights)
    u = np.where(whole, np.repeat(rng.random(n), nights), rng.random(len(day)))
    y = (u < q).astype(np.uint8)
    monitor = CalibrationMonitor(tolerance=0.0)
    for night in np.unique(day):
        of_night = day == night
        monitor.update(day[of_night], y[of_night], q[of_night], clusters=cluster[of_night], until=night)
    return {"false alarm": monitor.status().outcome == "alarm"}


REFERENCES = {
    "150 rows near 0 and 1, shrunk to [.1, .9]": Watched(150, "near 0 and 1", "shrunk"),
    "300 rows near 0 and 1, log-odds halved": Watched(300, "near 0 and 1"),
    "300 rows, rare labels, three times as often": Watched(300, "rare", "three times"),
    "60 rows near 0 and 1, log-odds halved": Watched(60, "near 0 and 1"),
    "1,000 rows near 0 and 1, log-odds halved": Watched(1_000, "near 0 and 1"),
    "20,000 rows near 0 and 1, log-odds halved": Watched(20_000, "near 0 and 1", a_night=1_000, nights=60),
    "300 rows, confident, log-odds halved": Watched(300),
    "150 rows, all in four cells near 1, less by .1": Watched(150, "near 1", "less by .1"),
    "150 rows over all of [0, 1], less by .1": Watched(150, "even", "less by .1"),
    "150 rows, calibrated": Watched(150, off="not at all"),
    "300 rows near 1, log-odds halved, in clusters of 5": Watched(300, "near 1", size=5),
    "600 rows near 0 and 1, halved, clusters of 1 to 19": Watched(600, "near 0 and 1", size=10, uneven=True),
}
CLUSTERS: dict[str, dict[str, Any]] = {
    "3 nights, all as a whole": {"nights": 3, "share": 1.0},
    "2 nights, half as a whole": {"nights": 2, "share": 0.5},
    "7 nights, three in ten as a whole": {"nights": 7, "share": 0.3},
    "14 nights, all as a whole, rare labels": {"nights": 14, "share": 1.0, "law": "rare"},
}
REGIMES = [
    *(Regime(ITEM, f"always off, reference of {name}", reference.trial) for name, reference in REFERENCES.items()),
    *(Regime(ITEM, f"clusters of {name}", partial(lasting, **how)) for name, how in CLUSTERS.items()),
]
