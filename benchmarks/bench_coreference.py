"""How fast are posteriors over clusterings: all pairs exactly, samples, chosen pairs of a long document, and counts?

Data: dense antecedent distributions, with exponential weights to the fourth power and a probability of "new" (no
antecedent) of at least 0.7; in the long document, each mention has 50 possible antecedents. CPU seconds (one thread)
are the median of several calls; the tasks take turns. Three yardsticks are measured in the same run: a product of (M,
M) with (M, M/3), which has as many multiplications as the exact matrix; M × n uniform random numbers, for n samples;
and pair probabilities counted in these samples, as Nguyen & O'Connor (2015) do.

Limits: the exact matrix of 300 mentions takes at most 2 ms, of 1,000 mentions at most 60 ms; 1,000 samples of 300
mentions take at most 30 ms; the Poisson-binomial distribution of 5,000 probabilities at most 50 ms. With
`HOWSURE_DATA`, the antecedent model on GUM is also measured, including its features: training takes at most 60 s, and
at least 20 parsed documents are predicted per second.

    python benchmarks/bench_coreference.py [--long 10000]

`--long 0` leaves out the long document, which takes ten seconds.
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
    """Return the antecedent distributions of m mentions."""
    weights = np.tril(np.random.default_rng(m).exponential(size=(m, m)) ** 4)
    matrix: npt.NDArray[np.float64] = 0.3 * weights / weights.sum(axis=1, keepdims=True)
    matrix[np.diag_indices(m)] += 0.7
    return matrix


def sparse(m: int, *, links: int = 50) -> CorefPosterior:
    """Return the antecedent distributions of a long document with few possible antecedents for each mention."""
    rng = np.random.default_rng(m)
    antecedents = [np.unique(rng.integers(0, j, size=min(j, links))) if j else np.empty(0, dtype=int) for j in range(m)]
    rows = [rng.dirichlet(np.ones(len(ks) + 1)) for ks in antecedents]
    return CorefPosterior.from_rows(antecedents, [row[:-1] for row in rows], [row[-1] for row in rows])


def seconds(tasks: dict[str, Task], *, repeats: int) -> dict[str, float]:
    """Return the median CPU seconds of every task. The tasks take turns, after one call of each to warm up."""
    times_by_task: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(repeats + 1):
        for name, task in tasks.items():
            start = time.process_time()
            task()
            if turn:
                times_by_task[name].append(time.process_time() - start)
    return {name: statistics.median(times) for name, times in times_by_task.items()}


def tasks_of(m: int) -> dict[str, Task]:
    """Return the tasks to be timed for m mentions; the two yardsticks come first."""
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
    """Print the table of tasks on documents; return a line for each limit."""
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
    """Print the time for chosen pairs of a document whose full matrix would be too large."""
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
    """Print the table of the distribution of a count; return a line for the limit."""
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
    """Print the time to train on GUM, and to predict a document of the test part."""
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
