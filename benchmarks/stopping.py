"""How often are sequential verdicts wrong, and how many items do they take? Verdicts are read after every item.

    HOWSURE_DATA=… .venv/bin/python benchmarks/stopping.py [--quick] [TABLE …]

prints the tables of docs/stopping.md: how often a verdict was wrong at any time, in 2,000 streams of each regime; after
how many items a verdict came, compared with a test of a fixed number of items; and, with HOWSURE_DATA, a replay of 14
models.
"""

from __future__ import annotations

import csv
import gzip
import heapq
import itertools
import os
import sys
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.sequential.planning import fixed_items
from howsure.sequential.race import drops
from howsure.stats.betting import BettingMean, Units

STREAMS, QUICK, SIZE = 2000, 100, 0.025
FEWER, LARGE, ORDERS = 200, 100_000, 1000  # streams of this many items; orders of a race
SIDES = ("first", "second", "undecided")
Draw = np.random.Generator
Stream = Callable[[Draw], Units]


def benchmark(differences: Floats) -> Stream:
    """Return the items of a benchmark with these differences of scores, in random order."""
    values = (differences + 1) / 2
    return lambda draw: Units(draw.permutation(values), np.ones(len(values)), 1.0, len(values))


def tie(n: int, share: float = 0.2) -> Floats:
    """Return differences of two equally good models. A proportion of the items differ; each model is better in half of
    these."""
    apart = int(n * share / 2)
    return np.r_[np.ones(apart), -np.ones(apart), np.zeros(n - 2 * apart)]


def better(n: int, by: float, share: float = 0.2) -> Floats:
    """Return differences, of which a proportion is not 0; the first model is better by `by`."""
    up, down = round(n * (share + by) / 2), round(n * (share - by) / 2)
    return np.r_[np.ones(up), -np.ones(down), np.zeros(n - up - down)]


def rare_losses(n: int) -> Floats:
    """Return differences with small gains in most items, and an equal total loss in 1% of the items."""
    lost = n // 100
    return np.r_[-np.full(lost, 0.99), np.full(n - lost, 0.99 * lost / (n - lost))]


def endless(draw: Draw) -> Units:
    """Return 2,000 items from an infinite population, for two equally good models."""
    return Units((draw.choice([1.0, -1.0, 0.0], 2000, p=[0.1, 0.1, 0.8]) + 1) / 2, np.ones(2000))


def clustered(draw: Draw, sizes: Floats, signs: Floats, *, by_item: bool = False) -> Units:
    """Return clusters that are won or lost as a whole, in random order, with bets on clusters or (incorrectly) on their
    items."""
    order = draw.permutation(len(sizes))
    wins, n = (signs[order] + 1) / 2, sizes[order]
    if by_item:
        values = np.repeat(wins, n.astype(int))
        return Units(values, np.ones(len(values)), 1.0, len(values))
    return Units(wins * n, n, float(n.max()), len(n))


EQUAL = np.full(60, 20.0), np.tile([1.0, -1.0], 30)
UNLIKE = np.r_[np.full(4, 60.0), np.full(120, 4.0)], np.tile([1.0, -1.0], 62)
LARGE_WINS = np.r_[np.full(8, 30.0), np.full(120, 2.0)], np.r_[np.ones(8), -np.ones(120)]


def sorted_file(draw: Draw) -> Units:
    """Return a tie in a file that is sorted by task: the tasks at which one model is good come first."""
    values = (np.r_[draw.permutation(better(500, 0.1)), draw.permutation(better(500, -0.1))] + 1) / 2
    return Units(values, np.ones(1000), 1.0, 1000)


def asynchronous(draw: Draw, *, completed: bool = False, workers: int = 20) -> Units:
    """Return a tie of 1,000 items that workers process; answers take five times as long if the second model is better.
    Bets follow the order drawn, so that later results wait, or (incorrectly) the order of completion."""
    differences = draw.permutation(tie(1000))
    ends, free = np.empty(1000), [0.0] * workers
    for item, difference in enumerate(differences):
        ends[item] = heapq.heappop(free) + draw.exponential(5.0 if difference < 0 else 1.0)
        heapq.heappush(free, ends[item])
    order = np.argsort(ends) if completed else np.arange(1000)
    return Units((differences[order] + 1) / 2, np.ones(1000), 1.0, 1000)


REGIMES: dict[str, Stream] = {
    "tie, N = 50": benchmark(tie(50)),
    "tie, N = 1,000": benchmark(tie(1000)),
    "tie, N = 1,000, 2 % of the items differ": benchmark(tie(1000, 0.02)),
    "tie, N = 1,000, all items differ": benchmark(tie(1000, 1.0)),
    "tie, N = 10,000, rare large losses": benchmark(rare_losses(10_000)),
    "tie, N = 100,000": benchmark(tie(100_000)),
    "tie, endlessly many items": endless,
    "60 clusters of 20 items, won or lost as a whole": lambda draw: clustered(draw, *EQUAL),
    "124 clusters of 4 or 60 items": lambda draw: clustered(draw, *UNLIKE),
    "few large clusters won, many small ones lost": lambda draw: clustered(draw, *LARGE_WINS),
    "20 workers, slow items are not like others, in the order drawn": asynchronous,
}
WRONG: dict[str, Stream] = {
    "bets on the items of 60 clusters": lambda draw: clustered(draw, *EQUAL, by_item=True),
    "a sorted file": sorted_file,
    "20 workers, slow items are not like others, as completed": lambda draw: asynchronous(draw, completed=True),
    "500 workers, the same": lambda draw: asynchronous(draw, completed=True, workers=500),
}


def equal_racers(draw: Draw, *, worse: int = 0, by: float = 0.1) -> Floats:
    """Return 1,000 items of 5 models, in random order. Some models are worse; all others are correct equally often."""
    rights = [round(1000 * (0.6 - by * (i < worse))) for i in range(5)]
    return np.array([draw.permutation(np.r_[np.ones(n), np.zeros(1000 - n)]) for n in rights]).T


def racers_of_documents(draw: Draw) -> Floats:
    """Return 60 documents with 20 items of 5 equally good models, each correct or wrong in whole documents."""
    return 20 * np.array([draw.permutation(np.r_[np.ones(30), np.zeros(30)]) for _ in range(5)]).T


RACES: dict[str, tuple[Callable[[Draw], Floats], int]] = {
    "race of 5 models that are equally good": (equal_racers, 1),
    "race of 2 best models and 3 that are worse": (lambda draw: equal_racers(draw, worse=3), 1),
    "race of 5 equally good models, 60 clusters of 20 items": (racers_of_documents, 20),
}


def best_dropped(race: tuple[Callable[[Draw], Floats], int], draw: Draw) -> bool:
    """Return whether one of the best models was ever dropped."""
    sums = race[0](draw)
    totals = sums.sum(axis=0)
    stops = drops(sums, np.full(len(sums), race[1]), 2 * SIZE)
    return any(stop is not None and total == totals.max() for stop, total in zip(stops, totals, strict=True))


def replayed_race(path: Path, draw: Draw, orders: int) -> str:
    """Race all models of a file, in this many random orders."""
    scores = np.array(list(scores_of(path).values())).T
    n, models = scores.shape
    best = np.flatnonzero(scores.mean(axis=0) == scores.mean(axis=0).max())
    wrong, ends, shares, left, widths = 0, list[int](), list[float](), list[int](), list[float]()
    for _ in range(orders):
        drawn = draw.permutation(scores)
        stops = drops(drawn, np.ones(n, dtype=int), 2 * SIZE)
        wrong += any(stops[i] is not None for i in best)
        lasting = [i for i, stop in enumerate(stops) if stop is None]
        ends.append(max(stop or 0 for stop in stops) if len(lasting) == 1 else n)
        shares.append(sum(stop or ends[-1] for stop in stops) / scores.size)
        left.append(len(lasting))
        if len(ends) > QUICK:
            continue
        units = Units(drawn[: ends[-1], lasting[0]], np.ones(ends[-1]), 1.0, n)
        widths.append(float(np.diff(BettingMean(units, (0.0, 1.0)).bounds(SIZE))[0]))
    name, end = path.name.split(".")[0], float(np.mean(ends))
    return (
        f"| {name} | {n:,} | {models} | {wrong / orders:.3f} | {end:,.0f} | {np.mean(shares):.0%} | "
        f"{np.mean(left):.2f} | {np.mean(widths):.3f} |"
    )


def ever_wrong(stream: Stream, draw: Draw) -> bool:
    """Return whether the difference was ever found to be other than its true value, 0."""
    return BettingMean(stream(draw), (-1.0, 1.0)).verdict(0.0, SIZE, SIDES)[1] != "undecided"


def price(n: int, by: float, share: float, draw: Draw, streams: int) -> str:
    """Return the number of items until a verdict, and the number of verdicts, compared with the fixed test."""
    differences = better(n, by, share)
    stops, verdicts = list[int](), list[str]()
    for _ in range(streams):
        stop, verdict = BettingMean(benchmark(differences)(draw), (-1.0, 1.0)).verdict(0.0, SIZE, SIDES)
        stops.append(n if stop is None else stop)
        verdicts.append(verdict)
    fixed = fixed_items(float(differences.mean()), float(differences.std()), level=1 - 2 * SIZE)
    right, wrong = (verdicts.count(side) / streams for side in ("first", "second"))
    return f"| {n:,} | {by:g} | {share:g} | {np.mean(stops):,.0f} | {right:.2f} | {wrong:.3f} | {fixed:,} |"


def scores_of(path: Path) -> dict[str, Floats]:
    """Return whether each model is correct, by item in the order of the file."""
    scores_by_model: dict[str, dict[str, float]] = defaultdict(dict)
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["prompt"] == "first":
                scores_by_model[row["model"]][row["question"]] = float(row["grade"] == "correct")
    items = sorted(set.intersection(*(set(scores_by_item) for scores_by_item in scores_by_model.values())))
    return {
        model: np.array([scores_by_item[item] for item in items])
        for model, scores_by_item in sorted(scores_by_model.items())
    }


def replay(path: Path, draw: Draw, pairs: int) -> str:
    """Compare pairs of the models of a file, each in one random order."""
    scores = scores_of(path)
    chosen = draw.permutation(list(itertools.combinations(scores, 2)))[:pairs]
    shares, decided, wrong = list[float](), 0, 0
    for first, second in chosen:
        differences = scores[first] - scores[second]
        stop, verdict = BettingMean(benchmark(differences)(draw), (-1.0, 1.0)).verdict(0.0, SIZE, SIDES)
        shares.append((len(differences) if stop is None else stop) / len(differences))
        decided += verdict != "undecided"
        wrong += verdict != SIDES[2] and verdict != SIDES[0 if differences.mean() > 0 else 1]
    n = len(next(iter(scores.values())))
    name = path.name.split(".")[0]
    return f"| {name} | {n:,} | {len(chosen)} | {np.mean(shares):.0%} | {decided} | {wrong} |"


def predicted(path: Path, draw: Draw, orders: int) -> str:
    """Test in random orders whether a model's mean is above a limit that is 0.05 lower or higher, with and without a
    prediction from the other models' scores of each item. Return also how often its own mean was ever rejected with the
    prediction."""
    scores = scores_of(path)
    n = len(next(iter(scores.values())))
    stops, wrong = {False: list[int](), True: list[int]()}, list[bool]()
    for model, y in scores.items():
        f = np.mean([other for name, other in scores.items() if name != model], axis=0)
        of_all = float(f.mean()), float(f.min()), float(f.max())
        for at in range(orders):
            order = draw.permutation(n)
            plain = Units(y[order], np.ones(n), 1.0, n)
            helped = replace(plain, predicted=f[order], of_all=of_all)
            wrong.append(BettingMean(helped, (0.0, 1.0)).verdict(float(y.mean()), SIZE, SIDES)[1] != SIDES[2])
            limit = float(y.mean()) + (0.05 if at % 2 else -0.05)
            if at < orders // 10 and 0 < limit < 1:
                for values in (plain, helped):
                    stop, _ = BettingMean(values, (0.0, 1.0)).verdict(limit, 2 * SIZE, SIDES)
                    stops[values is helped].append(n if stop is None else stop)
    without, helping = (float(np.mean(stops_of_method)) for stops_of_method in stops.values())
    shares = f"{without:,.0f} | {helping:,.0f} | {1 - helping / without:.0%}"
    return f"| {path.name.split('.')[0]} | {n:,} | {len(stops[True])} | {shares} | {np.mean(wrong):.3f} |"


def paths() -> list[Path]:
    """Return the files of the 14 models, if they exist."""
    return sorted(Path(os.environ.get("HOWSURE_DATA", "nowhere"), "llm_mcq_confidence").glob("*.tsv.gz"))


def row_of(task: tuple[str, str, int]) -> str:
    """Return a row of a table, computed in its own process. task: the table, the row, and the number of streams."""
    table, name, streams = task
    draw = np.random.default_rng(31)
    if table == "streams":
        runs = min(streams, FEWER) if f"{LARGE:,}" in name else streams
        stream = (REGIMES | WRONG)[name]
        return f"| {name} | {np.mean([ever_wrong(stream, draw) for _ in range(runs)]):.3f} |"
    if table == "races":
        return f"| {name} | {np.mean([best_dropped(RACES[name], draw) for _ in range(streams)]):.3f} |"
    if table == "price":
        n, by, share = name.split()
        return price(int(n), float(by), float(share), draw, max(streams // (10 if int(n) == LARGE else 5), 20))
    path = next(path for path in paths() if path.name == name)
    if table == "predicted":
        return predicted(path, draw, max(streams // 14, 20))
    return replay(path, draw, 91) if table == "pairs" else replayed_race(path, draw, min(streams, ORDERS))


def main() -> None:
    """Print the tables."""
    streams = QUICK if "--quick" in sys.argv else STREAMS
    prices = ("1000 0.1 0.2", "1000 0.05 0.2", "10000 0.05 0.2", "10000 0.02 0.1", "100000 0.02 0.2")
    sets = [path.name for path in paths()]
    tables = (
        ("streams", "What is as it should be | ever wrong in", list(REGIMES)),
        ("streams", "What is not | ever wrong in", list(WRONG)),
        ("races", "Races | a best model ever dropped in", list(RACES)),
        ("price", "N | better by | items that differ | items until decided | right | wrong | fixed test", prices),
        ("pairs", "set | items | pairs | evaluated | decided | wrong", sets),
        ("predicted", "set | items | streams | items until decided | with predictions | saved | ever wrong", sets),
        ("race", "set | items | models | a best one dropped | items until the end | answers | left | width", sets),
    )
    chosen = [name for name in sys.argv[1:] if not name.startswith("-")]
    tables = tuple(table for table in tables if not chosen or table[0] in chosen)
    with ProcessPoolExecutor() as pool:
        running = [pool.map(row_of, [(table, name, streams) for name in names]) for table, _, names in tables]
        for (_, heading, names), rows in zip(tables, running, strict=True):
            if names:
                print(f"\n| {heading} |\n|{(heading.count('|') + 1) * '---|'}")
            for row in rows:
                print(row, flush=True)


if __name__ == "__main__":
    main()
