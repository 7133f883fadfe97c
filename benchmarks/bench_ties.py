"""How much time and memory do ties cost if the pairs of a file are streamed?

Data: Parquet files made by DuckDB. Predictions have the same distribution, with point masses, rounded, in float32, or
are all equal; 20 groups. CPU seconds and peak memory of `howsure calibration` are medians of three processes.

Limits: at most 1.5 × the CPU seconds of the file without ties, and 300 MB, with and without `--group`.

    python benchmarks/bench_ties.py [--rows 10000000]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_calibration import head, median_of, row, verdict

LIMIT_TIMES, LIMIT_MEMORY = 1.5, 300.0
SHAPE = "pow(u, 3) / (pow(u, 3) + pow(1 - u, 3))"  # most predictions near 0 and 1
TIES = {  # v: which rows are tied
    "none": "s",
    "30 % at 0": "if(v < .3, 0, s)",
    "30 % at 0, 20 % at 1": "if(v < .3, 0, if(v < .5, 1, s))",
    "30 % at .25": "if(v < .3, .25, s)",
    "30 % of 3 digits": "if(v < .3, round(s, 3), s)",
    "6 digits": "round(s, 6)",
    "4 digits": "round(s, 4)",
    "2 digits": "round(s, 2)",
    "float32": "s::FLOAT",
    "all equal": ".3",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    print("", *tied_files(parser.parse_args().rows), sep="\n")


def tied_files(rows: int) -> list[str]:
    """Print the table for files with ties, with and without groups; return a line for each limit."""
    head(f"Parquet file of {rows:,} rows, ties", "CPU seconds", "× none", "peak MB", "20 groups", "× none", "peak MB")
    first: list[float] = []
    times, memories = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, tied in TIES.items():
            path = Path(folder) / "pairs.parquet"
            _write_pairs(path, rows, tied)
            measures = [median_of([sys.executable, *_judge(path, *more)], times=3) for more in ([], ["--group", "g"])]
            first = first or [answer["seconds"] for answer in measures]
            ratios = [answer["seconds"] / seconds for answer, seconds in zip(measures, first, strict=True)]
            cells = [
                (f"{answer['seconds']:.1f}", f"{ratio:.1f}", f"{answer['memory']:.0f}")
                for answer, ratio in zip(measures, ratios, strict=True)
            ]
            row(name, *cells[0], *cells[1])
            times += ratios
            memories += [answer["memory"] for answer in measures]
    return [
        verdict(f"files of {rows:,} rows with ties, in the one without", max(times), LIMIT_TIMES),
        verdict(f"files of {rows:,} rows with ties, MB in all", max(memories), LIMIT_MEMORY),
    ]


def _judge(path: Path, *more: str) -> list[str]:
    return ["-m", "howsure_cli", "calibration", str(path), "--target", "y", "--prob", "q", "--format", "json", *more]


def _write_pairs(path: Path, rows: int, tied: str = "s") -> None:
    """Write predictions with ties, labels drawn from them, and groups with DuckDB, which needs little memory."""
    columns = "random() AS u, random() AS v, random() AS w, i % 20 AS g"
    drawn = f"SELECT {SHAPE} AS s, v, w, g FROM (SELECT {columns} FROM range({rows}) t(i))"
    query = f"COPY (SELECT ({tied})::DOUBLE AS q, (w < q)::UTINYINT AS y, g FROM ({drawn})) TO '{path}'"
    script = f"import duckdb; duckdb.sql('SET enable_progress_bar = false; SELECT setseed(.5)'); duckdb.sql({query!r})"
    subprocess.run([sys.executable, "-c", script], check=True)


if __name__ == "__main__":
    main()
