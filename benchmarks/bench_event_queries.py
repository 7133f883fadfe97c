"""How fast does a large store answer the page's queries: a series, a point, a comparison, an overview?

Data: a synthetic store in a temporary folder, as large as that of Nguyen & O'Connor (2015): 200,000 documents over 21
years, 300,000 events of 60 actors (Zipf), 100 samples. CPU and wall seconds are the fastest of several calls; users of
the page wait for wall seconds.

Limit: the series of 20 actors in 84 quarters, with exact intervals, takes at most 1 second.

    python benchmarks/bench_event_queries.py [--documents 200000]
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import datetime
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from howsure_events.explorer import queries
from howsure_events.series.files import period_documents
from howsure_events.store.event_store import EventStore

FIRST, DAYS = datetime.date(1987, 1, 1), 7_670
ACTORS, SAMPLES, REPEATS, LIMIT = 60, 100, 5, 1.0


def write(path: Path, n: int) -> None:
    """Write a store that contains only documents and events."""
    rng = np.random.default_rng(0)
    numbers = np.arange(n)
    dates = [FIRST + datetime.timedelta(days=int(day)) for day in rng.integers(0, DAYS, n)]
    weights = 1 / np.arange(1, ACTORS + 1)
    actors = rng.choice(ACTORS, n * 3 // 2, p=weights / weights.sum())
    pairs = np.unique(np.column_stack([rng.integers(0, n, n * 3 // 2), actors]), axis=0)
    bits = rng.random((len(pairs), SAMPLES)) < rng.beta(0.3, 0.5, (len(pairs), 1))
    bits[~bits.any(axis=1), 0] = True
    entities = bits * (1 + (rng.random(bits.shape) < 0.1)).astype(np.uint8)
    settings = {"samples": SAMPLES, "actors": {f"A{actor:02}": f"Actor {actor}" for actor in range(ACTORS)}}
    with EventStore.create(path, settings) as store:
        documents = {"document": numbers, "id": [f"d{number}" for number in numbers], "date": dates}
        store.append({"documents": {**documents, "words": numbers, "mentions": numbers}})
        events = {
            "document": pairs[:, 0],
            "actor": [f"A{actor:02}" for actor in pairs[:, 1]],
            "probability": bits.mean(axis=1),
            "samples": [row.tobytes() for row in np.packbits(bits, axis=1, bitorder="little")],
            "entities": [row.tobytes() for row in entities],
            "best": bits.mean(axis=1) > 0.5,
            "best_entities": (bits.mean(axis=1) > 0.5).astype(np.int32),
        }
        store.append({"events": events})
        store.finish()


def seconds(task: Callable[[], object]) -> tuple[float, float]:
    """Return the CPU and wall seconds of a task, each from its fastest run."""
    task()
    cpu, wall = [], []
    for _ in range(REPEATS):
        start = time.process_time(), time.perf_counter()
        task()
        cpu.append(time.process_time() - start[0])
        wall.append(time.perf_counter() - start[1])
    return min(cpu), min(wall)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200_000)
    n = parser.parse_args().documents
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.duckdb"
        write(path, n)
        with EventStore.open(path) as store:
            top = [actor["code"] for actor in queries.overview(store)["actors"][:20]]
            tasks: dict[str, Callable[[], object]] = {
                "series, 20 actors by quarter": lambda: queries.series(store, top),
                "series, 20 actors by month": lambda: queries.series(store, top, period="month"),
                "series, normal intervals": lambda: queries.series(store, top, interval="normal"),
                "series of entities, 2 actors": lambda: queries.series(store, top[5:7], unit="entities"),
                "compare, the two most frequent": lambda: queries.compare(store, *top[:2]),
                "compare, two others": lambda: queries.compare(store, *top[5:7]),
                "point": lambda: period_documents(store, top[0], at="1999-Q1"),
                "overview": lambda: queries.overview(store),
            }
            print(f"| {n:,} documents | CPU s | wall s |\n|---|---:|---:|")
            seconds_by_task = {name: seconds(task) for name, task in tasks.items()}
            for name, (cpu, wall) in seconds_by_task.items():
                print(f"| {name} | {cpu:.3f} | {wall:.3f} |")
    cpu, _ = seconds_by_task["series, 20 actors by quarter"]
    verdict = "holds" if cpu <= LIMIT else "**broken**"
    print(f"\n- series of 20 actors by quarter: {cpu:.2f} s of CPU (limit {LIMIT:g} s: {verdict})")


if __name__ == "__main__":
    main()
