"""How fast is the posterior over clusterings: all pairs exactly, samples, chosen pairs of a long document, counts?

Data: dense antecedent distributions, weights exponential to the fourth power and "new" at 0.7 or more; for the long
document 50 antecedents a mention. CPU seconds on one thread are the median of several calls, the tasks taking turns.
Floors measured in the same run: one product of (M, M) with (M, M/3), which has as many multiplications as the exact
matrix; M × n uniform numbers for n samples; sampled pairs (the paper's way) are those samples, counted.

Limits: the exact matrix of 300 mentions at most 2 ms, of 1,000 at most 60 ms; 1,000 samples of 300 mentions at most
30 ms; the Poisson-binomial of 5,000 probabilities at most 50 ms. With `HOWSURE_DATA`, also the antecedent model on
GUM, features included: training at most 60 s, prediction from a parsed document at least 20 documents per second.

    python benchmarks/bench_coreference.py [--long 10000]

`--long 0` leaves the long document out (it takes ten seconds).
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded
os.environ.setdefault("OMP_NUM_THREADS", "1")

import statistics
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from howsure.data import read_documents
from howsure.stats.proportions import poisson_binomial
from howsure_cli.datasets import data_set_path
from howsure_text.coreference import AntecedentModel, CorefPosterior
from howsure_text.coreference.clusterings import pair_frequency

Task = Callable[[], object]
SIZES = (100, 300, 1_000)
SAMPLES = 1_000
REPEATS = 21
LIMITS_MATRIX = {300: 0.002, 1_000: 0.060}
LIMIT_SAMPLES, LIMIT_COUNTS = 0.030, 0.050


def dense(m: int) -> npt.NDArray[np.float64]:
    """Antecedent distributions of m mentions."""
    weights = np.tril(np.random.default_rng(m).exponential(size=(m, m)) ** 4)
    matrix: npt.NDArray[np.float64] = 0.3 * weights / weights.sum(axis=1, keepdims=True)
    matrix[np.diag_indices(m)] += 0.7
    return matrix


def sparse(m: int, *, links: int = 50) -> CorefPosterior:
    """A long document with few antecedents a mention."""
    rng = np.random.default_rng(m)
    antecedents = [np.unique(rng.integers(0, j, size=min(j, links))) if j else np.empty(0, dtype=int) for j in range(m)]
    rows = [rng.dirichlet(np.ones(len(ks) + 1)) for ks in antecedents]
    return CorefPosterior.from_rows(antecedents, [row[:-1] for row in rows], [row[-1] for row in rows])


def seconds(tasks: dict[str, Task], *, repeats: int) -> dict[str, float]:
    """Median CPU seconds of every task, the tasks taking turns; a first call of each warms up."""
    times_by_task: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(repeats + 1):
        for name, task in tasks.items():
            start = time.process_time()
            task()
            if turn:
                times_by_task[name].append(time.process_time() - start)
    return {name: statistics.median(times) for name, times in times_by_task.items()}


def tasks_of(m: int) -> dict[str, Task]:
    """What is timed for m mentions; the two floors first."""
    matrix, third = dense(m), np.ascontiguousarray(dense(m)[:, : m // 3])
    posterior = CorefPosterior(matrix)
    labels = posterior.sample(SAMPLES, rng=0)
    return {
        "floor: product (M, M) (M, M/3)": lambda: matrix @ third,
        "floor: uniform numbers for the samples": lambda: np.random.default_rng(0).random((m, SAMPLES)),
        "CorefPosterior(matrix)": lambda: CorefPosterior(matrix),
        "pair_probability()": posterior.pair_probability,
        "pair_probability(one pair)": lambda: posterior.pair_probability([(0, m - 1)]),
        f"sample({SAMPLES:,})": lambda: posterior.sample(SAMPLES, rng=0),
        "counting the pairs of these samples": lambda: pair_frequency(labels),
        "first_mention_probability()": posterior.first_mention_probability,
        "expected_cluster_size()": posterior.expected_cluster_size,
        "singleton_probability()": posterior.singleton_probability,
        "log_prob(clusters)": lambda: posterior.log_prob(labels[0]),
        "best_antecedent_clusters()": posterior.best_antecedent_clusters,
        "minimum_risk_clusters()": posterior.minimum_risk_clusters,
        "number_of_entities()": posterior.number_of_entities,
    }


def row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def head(*cells: str) -> None:
    row(*cells)
    print("|---|" + "---:|" * (len(cells) - 1))


def verdict(what: str, value: float, limit: float) -> str:
    holds = "holds" if value <= limit else "**broken**"
    return f"- {what}: {value * 1e3:.2f} ms (limit {limit * 1e3:g} ms: {holds})"


def documents() -> list[str]:
    """The table of tasks on documents; what it says of the limits."""
    verdicts = []
    head("task", "mentions", "CPU ms", "× product", "× uniform numbers")
    for m in SIZES:
        seconds_by_task = seconds(tasks_of(m), repeats=REPEATS if m < 1_000 else 7)
        product, uniform = list(seconds_by_task.values())[:2]
        for name, value in seconds_by_task.items():
            row(name, f"{m:,}", f"{value * 1e3:.3f}", f"{value / product:.2f}", f"{value / uniform:.2f}")
        if m in LIMITS_MATRIX:
            verdicts.append(
                verdict(f"exact matrix of {m:,} mentions", seconds_by_task["pair_probability()"], LIMITS_MATRIX[m])
            )
        if m == 300:
            verdicts.append(
                verdict(f"{SAMPLES:,} samples of {m} mentions", seconds_by_task[f"sample({SAMPLES:,})"], LIMIT_SAMPLES)
            )
    return verdicts


def long_document(m: int) -> None:
    """Chosen pairs of a document whose matrix is refused."""
    posterior = sparse(m)
    pairs = np.random.default_rng(0).integers(m, size=(1_000, 2))
    tasks: dict[str, Task] = {
        "pair_probability(1,000 pairs)": lambda: posterior.pair_probability(pairs),
        "sample(100)": lambda: posterior.sample(100, rng=0),
    }
    head("long document", "mentions", "CPU seconds")
    for name, value in seconds(tasks, repeats=1).items():
        row(name, f"{m:,}", f"{value:.2f}")
    print()


def counts() -> list[str]:
    """The table of the law of a count; what it says of the limit."""
    head("Poisson-binomial", "probabilities", "CPU ms")
    verdicts = []
    for n in (1_000, 5_000, 100_000):
        p = np.random.default_rng(n).random(n) ** 3

        def task(p: npt.NDArray[np.float64] = p) -> object:
            return poisson_binomial(p)

        value = seconds({"law": task}, repeats=5)["law"]
        row("the whole law", f"{n:,}", f"{value * 1e3:.2f}")
        if n == 5_000:
            verdicts.append(verdict(f"Poisson-binomial of {n:,} probabilities", value, LIMIT_COUNTS))
    return verdicts


def antecedent_model() -> None:
    """Training on GUM, and what the trained model takes for a document of the test part."""
    train, test = (read_documents(data_set_path("gum", f"gum_{part}.conllu.gz")) for part in ("train", "test"))
    start = time.process_time()
    model = AntecedentModel(mentions="detected").fit(train)
    training = time.process_time() - start
    rates = []
    for _ in range(3):
        start = time.process_time()
        for document in test:
            model.posterior(document)
        rates.append(len(test) / (time.process_time() - start))
    print()
    head("antecedent model on GUM", "measured", "limit")
    row(f"training on {len(train)} documents, CPU seconds", f"{training:.1f}", "60")
    row("prediction, documents a CPU second", f"{statistics.median(rates):.1f}", "20")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--long", type=int, default=10_000, help="mentions of the long document; 0: none")
    options = parser.parse_args()
    verdicts = documents()
    print()
    if options.long:
        long_document(options.long)
    verdicts += counts()
    if os.environ.get("HOWSURE_DATA"):
        antecedent_model()
    print("", *verdicts, sep="\n")


if __name__ == "__main__":
    main()
