"""How fast is `howsure calibration` on large files, and how much memory does it take?

Data: Parquet made by DuckDB, with most predictions near 0 and 1, labels drawn from them (UTINYINT), weights, and 1,000
groups named by strings; a tenth of the rows also as CSV and as JSON lines. CPU seconds, wall-clock seconds and peak
memory are medians of `--times` runs of a whole process.

Limits: at most 5 × the CPU seconds and 3 × the wall-clock seconds of DuckDB's `SELECT sum(q), sum(y)` on two cores, and
300 MB. Weights cost at most 1.5 × no weights, 1,000 groups at most 2 × one group.

    python benchmarks/bench_files.py [--rows 100000000] [--times 3]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_calibration import head, median_of, row, verdict

LIMIT_CPU, LIMIT_WALL, LIMIT_MEMORY, LIMIT_WEIGHTS, LIMIT_GROUPS = 5.0, 3.0, 300.0, 1.5, 2.0
GROUPS = 1_000
COLUMNS = (
    "pow(u, 3) / (pow(u, 3) + pow(1 - u, 3)) AS q, (v < q)::UTINYINT AS y, .5 + v AS w, "
    f"'group ' || (i * 7919) % {GROUPS} AS g"
)
DUCKDB, PLAIN, WEIGHTS, BY_GROUP = "DuckDB SELECT sum(q), sum(y)", "howsure calibration", "--weight", "--group"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print("", *files(Path(folder), options.rows, options.times), sep="\n")


def files(folder: Path, rows: int, times: int) -> list[str]:
    """Print the table of all files; return a line for each limit."""
    parquet = _written(folder / "pairs.parquet", rows, "")
    head(f"Parquet file of {rows:,} rows, {_size(parquet)}", "CPU seconds", "seconds", "peak MB")
    tasks = {DUCKDB: _duckdb(parquet), PLAIN: _judge(parquet), WEIGHTS: _judge(parquet, "--weight", "w")}
    tasks[BY_GROUP] = _judge(parquet, "--group", "g")
    measures = {name: _measured(name, command, times) for name, command in tasks.items()}
    for suffix, options in ((".csv", "(FORMAT csv)"), (".jsonl", "(FORMAT json)")):
        path = _written(folder / f"pairs{suffix}", rows // 10, options)
        head(f"{suffix} file of {rows // 10:,} rows, {_size(path)}", "CPU seconds", "seconds", "peak MB")
        for name, command in {DUCKDB: _duckdb(path), PLAIN: _judge(path)}.items():
            _measured(name, command, times)
    plain, of = measures[PLAIN], f"file of {rows:,} rows"
    return [
        verdict(f"{of}, CPU seconds in DuckDB's", plain["seconds"] / measures[DUCKDB]["seconds"], LIMIT_CPU),
        verdict(f"{of}, seconds in DuckDB's", plain["wall"] / measures[DUCKDB]["wall"], LIMIT_WALL),
        verdict(f"{of}, MB in all", max(measures[name]["memory"] for name in tasks if name != DUCKDB), LIMIT_MEMORY),
        verdict("weights, in those without", measures[WEIGHTS]["seconds"] / plain["seconds"], LIMIT_WEIGHTS),
        verdict(f"{GROUPS:,} groups, in one", measures[BY_GROUP]["seconds"] / plain["seconds"], LIMIT_GROUPS),
    ]


def _measured(name: str, command: list[str], times: int) -> dict[str, float]:
    measures = median_of([sys.executable, *command], times=times)
    row(name, *(f"{measures[key]:.1f}" for key in ("seconds", "wall", "memory")))
    return measures


def _judge(path: Path, *more: str) -> list[str]:
    return ["-m", "howsure_cli", "calibration", str(path), "--target", "y", "--prob", "q", "--format", "json", *more]


def _duckdb(path: Path) -> list[str]:
    return ["-c", f"import duckdb; print(duckdb.sql(\"SELECT sum(q), sum(y) FROM '{path}'\").fetchall())"]


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 2**20:,.0f} MB"


def _written(path: Path, rows: int, options: str) -> Path:
    """Write simulated pairs into a file with DuckDB, which needs little memory, and return its path."""
    query = f"COPY (SELECT {COLUMNS} FROM (SELECT random() AS u, random() AS v, i FROM range({rows}) t(i))) TO '{path}'"
    script = f"import duckdb; duckdb.sql('SET enable_progress_bar = false'); duckdb.sql({f'{query} {options}'!r})"
    subprocess.run([sys.executable, "-c", script], check=True)
    return path


if __name__ == "__main__":
    main()
