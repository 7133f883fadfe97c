"""How much time and memory do corrected counts of a large file, and of a series of events, take?

Data: a Parquet file made by DuckDB with ids, scores (three in ten are 0), and 10 actors × 30 months as strings; 1,000
of its units are drawn by `howsure counts sample` and labelled. A series in memory: 1,500 documents × 7 actors in 42
cells (actor and period), four features, documents as clusters, 200 of them labelled; and 100,000 units in 3,000 cells.
CPU seconds and peak memory are those of whole processes, compared with DuckDB's own count and sum of scores by cell
over the same file.

Limits: the estimate takes at most 20 seconds and 500 MB, the series 2 seconds.

    python benchmarks/bench_counts.py [--rows 10000000]
"""

from __future__ import annotations

import argparse
import csv
import os
import shlex

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from bench_calibration import head, median_of, row, verdict

from howsure.counts import draw_label_sample, estimate_counts

LABELS, LIMIT_SECONDS, LIMIT_MEMORY, LIMIT_SERIES = 1_000, 20.0, 500.0, 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    rows = parser.parse_args().rows
    print("", *large_file(rows), *in_memory(), sep="\n")


def large_file(rows: int) -> list[str]:
    """Print the table of the commands on a large file; return a line for each limit."""
    head(f"Parquet file of {rows:,} units, 300 cells, {LABELS:,} labels", "CPU seconds", "× floor", "peak MB")
    with tempfile.TemporaryDirectory() as folder:
        path, sheet, done = (Path(folder) / name for name in ("units.parquet", "sheet.csv", "labelled.csv"))
        _write_units(path, rows)
        floor = median_of([sys.executable, "-c", _floor(path)], times=3)
        by = ["--prob", "score", "--by", "actor,month"]
        draw = ["sample", str(path), *by, "--labels", str(LABELS), "--show", "id", "--output", str(sheet)]
        quiet = ["sh", "-c", f"exec {shlex.join(_howsure(*draw))} 2> {os.devnull}"]
        sampled = median_of(quiet, times=3)
        _label(sheet, done)
        estimated = median_of(_howsure("estimate", str(path), *by, "--labelled", str(done)), times=3)
        tasks = {"DuckDB: count(*), sum(score) by cell": floor, "counts sample": sampled, "counts estimate": estimated}
        for name, answer in tasks.items():
            ratio = answer["seconds"] / floor["seconds"]
            row(name, f"{answer['seconds']:.1f}", f"{ratio:.1f}", f"{answer['memory']:.0f}")
    return [
        verdict(f"counts of {rows:,} units, CPU seconds", estimated["seconds"], LIMIT_SECONDS),
        verdict(f"counts of {rows:,} units, MB in all", estimated["memory"], LIMIT_MEMORY),
    ]


def in_memory() -> list[str]:
    """Print the table of estimates from arrays; return a line for the limit."""
    head("From arrays", "CPU seconds", "× a sort of the scores")
    series, many = _cpu(_series), _cpu(_many_cells)
    for name, units, seconds in (
        ("42 cells, 10,500 units, features, clusters", 10_500, series),
        ("3,000 cells, 100,000 units", 100_000, many),
    ):
        scores = np.random.default_rng(0).random(units)
        start = time.process_time()
        for _ in range(20):
            np.sort(scores)
        row(name, f"{seconds:.2f}", f"{seconds / ((time.process_time() - start) / 20):.0f}")
    return [verdict("a series of 42 cells, CPU seconds", series, LIMIT_SERIES)]


def _howsure(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "howsure_cli", "counts", *arguments]


def _floor(path: Path) -> str:
    query = f"SELECT actor, month, count(*), sum(score) FROM '{path}' GROUP BY 1, 2"
    return f"import duckdb; duckdb.sql('SET threads = 2'); duckdb.sql({query!r}).fetchall()"


def _write_units(path: Path, rows: int) -> None:
    month = "2000 + i // 7 % 30 // 12 || '-' || lpad((1 + i // 7 % 30 % 12)::VARCHAR, 2, '0')"
    columns = f"i AS id, 'actor ' || i * 7919 % 10 AS actor, {month} AS month"
    score = "if(random() < .3, 0, pow(random(), 3))"
    query = f"COPY (SELECT {columns}, {score} AS score FROM range({rows}) t(i)) TO '{path}'"
    script = f"import duckdb; duckdb.sql('SET enable_progress_bar = false; SELECT setseed(.5)'); duckdb.sql({query!r})"
    subprocess.run([sys.executable, "-c", script], check=True)


def _label(sheet: Path, done: Path) -> None:
    """Fill in random labels, more often 1 in the upper strata. The values of the labels do not affect the time."""
    rng = np.random.default_rng(0)
    with open(sheet, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(done, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for unit in rows:
            writer.writerow(
                unit | {"label": int(rng.random() < (0.05 if unit["stratum"].startswith("score 0") else 0.4))}
            )


def _cpu(task: object) -> float:
    """Return the CPU seconds of the fastest of three runs."""
    times = []
    for _ in range(3):
        start = time.process_time()
        task()  # type: ignore[operator]
        times.append(time.process_time() - start)
    return min(times)


def _series() -> None:
    rng = np.random.default_rng(0)
    documents, actors = 1_500, 7
    n = documents * actors
    document, actor = np.repeat(np.arange(documents), actors), np.tile(np.arange(actors), documents)
    quarter = np.repeat(rng.integers(0, 6, documents), actors)
    mentions = rng.poisson(0.8, n)
    features = [np.log1p(mentions), rng.random(n) < 0.2, rng.random(n), np.log1p(rng.poisson(3, n))]
    chance = 1 / (1 + np.exp(3 - 1.2 * features[0] - features[1]))
    score = np.where(mentions > 0, rng.beta(0.5, 2, n), 0.0)
    truth = (rng.random(n) < chance).astype(float)
    sample = draw_label_sample(score, 200, clusters=document, rng=0)
    labels = dict(zip(sample.indices.tolist(), truth[sample.indices].tolist(), strict=True))
    cells = {"actor": actor, "quarter": quarter}
    estimate_counts(
        labels,
        score,
        groups=cells,
        features=features,
        inclusion=_by_row(sample),
        strata=dict(zip(sample.indices.tolist(), sample.stratum[sample.indices], strict=True)),
        clusters=document,
        rng=0,
    )


def _by_row(sample: object) -> dict[int, float]:
    return dict(zip(sample.indices.tolist(), sample.inclusion.tolist(), strict=True))  # type: ignore[attr-defined]


def _many_cells() -> None:
    rng = np.random.default_rng(0)
    n = 100_000
    score = rng.random(n) ** 3
    labels = {int(i): int(rng.random() < score[i]) for i in rng.choice(n, 500, replace=False)}
    estimate_counts(labels, score, groups={"actor": rng.integers(0, 100, n), "month": rng.integers(0, 30, n)}, rng=0)


if __name__ == "__main__":
    main()
