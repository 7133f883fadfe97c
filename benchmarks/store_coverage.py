"""Do the corrected counts of a store cover the true counts? Documents are drawn and labelled correctly, many times.

    python benchmarks/store_coverage.py news.duckdb truth.csv --draws 40 --labels 200 --period month

STORE contains no labels yet. TRUTH is a CSV file with the columns document (an id) and actor, and a row for each pair
in which the actor acts; all other pairs are negative. Without both, the 1,257 articles of `india_police_events`
(HOWSURE_DATA) are used, all of which have human labels: do the police kill, arrest, act? Scores are x / (1 + x) for x
words from a list of search terms.

Every repetition draws, labels and corrects in a copy of the store. The script prints the coverage of the 95% intervals
of periods and of totals with its Monte Carlo error (two standard errors over the repetitions, because the errors within
one are correlated), the proportions of true counts below and above, the mean width and the mean true count; and the
coverage of the uncorrected intervals of periods, which are the same in every repetition.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from howsure.inputs.periods import find_period
from howsure_events import EventStore, corrected_series, draw_documents, event_series, record_answer

WORDS = {
    "KILL": r"\b(kill\w*|shot|dead|death\w*|firing)\b",
    "ARREST": r"\b(arrest\w*|detain\w*|custody|nabbed|held)\b",
    "ANY_ACTION": r"\b(police|cops?|officers?|firing|teargas|lathi\w*|arrest\w*)\b",
}


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path, nargs="?")
    parser.add_argument("truth", type=Path, nargs="?")
    for name, default in {"--draws": 40, "--labels": 200, "--seed": 0}.items():
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--period", default="month")
    options = parser.parse_args()
    if (options.store is None) != (options.truth is None):
        parser.error("name both STORE and TRUTH, or neither")
    with tempfile.TemporaryDirectory() as folder:
        if options.store is None:
            options.store, options.truth = police(Path(folder))
        measure(options)


def police(folder: Path) -> tuple[Path, Path]:
    """Return the store of the articles, and the true counts."""
    named = Path(os.environ["HOWSURE_DATA"], "india_police_events", "documents.jsonl.gz")
    with gzip.open(named, "rt", encoding="utf-8") as file:
        articles = [json.loads(line) for line in file]
    scores, truth, store = folder / "scores.csv", folder / "truth.csv", folder / "police.duckdb"
    with open(scores, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "date", *WORDS])
        for article in articles:
            matches = [len(re.findall(words, article["text"])) for words in WORDS.values()]
            table.writerow([article["id"], article["date"], *(round(x / (1 + x), 4) for x in matches)])
    with open(truth, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["document", "actor"])
        table.writerows([article["id"], name] for article in articles for name in WORDS if article["labels"][name])
    command = ["events", "import", str(scores), "--id", "id", "--date", "date", "--actors", ",".join(WORDS)]
    command += ["--event", "police", "--store", str(store)]
    subprocess.run([sys.executable, "-m", "howsure_cli", *command], check=True)
    return store, truth


def measure(options: argparse.Namespace) -> None:
    """Repeat the draws, and print the table."""
    with open(options.truth, encoding="utf-8-sig", newline="") as file:
        acting = {(row["document"], row["actor"]) for row in csv.DictReader(file)}
    with EventStore.open(options.store) as store:
        documents = {number: (name, day) for number, name, day in store.ask("SELECT document, id, date FROM documents")}
        codes = list(store.settings["actors"])
        series = event_series(store, period=options.period, actors=codes)
    days = {str(name): str(day)[:10] for name, day in documents.values()}
    truth = Counter((code, find_period(days[name], period=options.period)) for name, code in acting)
    totals = Counter(code for _, code in acting)
    raw = np.array([_coverage_of(row.low, row.high, truth[row.actor, row.period]) for row in series])
    coverage_by_kind: dict[str, list[list[tuple[float, ...]]]] = {"corrected periods": [], "corrected totals": []}
    for draw in range(options.draws):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(shutil.copy(options.store, folder))
            with EventStore.open(copy, read_only=False) as store:
                draw_documents(store, options.labels, actors=codes, period=options.period, rng=options.seed + draw)
                for (number,) in store.ask("SELECT document FROM label_sample ORDER BY position"):
                    acting_codes = [code for code in codes if (str(documents[number][0]), code) in acting]
                    record_answer(store, number, "truth", acting=acting_codes, revision=0)
                corrected = corrected_series(store, period=options.period)
        if corrected is None:
            raise SystemExit("no corrected counts: draw more labels.")
        periods = [
            _coverage_of(estimate.low, estimate.high, truth[estimate.actor, estimate.period])
            for estimate in corrected.rows
        ]
        coverage_by_kind["corrected periods"].append(periods)
        coverage_by_kind["corrected totals"].append(
            [_coverage_of(estimate.low, estimate.high, totals[estimate.actor]) for estimate in corrected.totals]
        )
        print(f"draw {draw + 1} of {options.draws}", flush=True)
    print(f"{'':17}  intervals  coverage    error  below  above  mean width  mean true count")
    for kind, rows in {"raw periods": [raw], **coverage_by_kind}.items():
        of_draws = np.array(rows)
        hit, below, above, width, true = of_draws.mean(axis=(0, 1))
        by_draw = of_draws[:, :, 0].mean(axis=1)
        error = f"{2 * by_draw.std(ddof=1) / len(rows) ** 0.5:7.3f}" if len(rows) > 1 else f"{'':7}"
        cells = f"{of_draws[:, :, 0].size:9,}  {hit:8.3f}  {error}  {below:5.3f}  {above:5.3f}"
        print(f"{kind:17}  {cells}  {width:10.1f}  {true:15.1f}")


def _coverage_of(low: float, high: float, true: int) -> tuple[float, ...]:
    """Return whether an interval contains a true count, whether the count is below or above it, the width, and the
    count."""
    return float(low <= true <= high), float(true < low), float(true > high), high - low, float(true)


if __name__ == "__main__":
    main()
