"""Do intervals and verdicts keep their level in difficult regimes? Nominal: errors 0.05, coverage 0.95.

    python -m benchmarks.regimes [ITEM ...] [--runs N] [--before SRC]

Prints a Markdown table. --before SRC: the folder of an older checkout that contains `howsure`; its rates on the same
data are the column "before". Rates that miss the limits (errors at most 0.06, coverage at least 0.93) are bold.
"""

from __future__ import annotations

import argparse
import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path

from benchmarks.regimes.regime import Rate, Regime, rates_of

HERE = Path(__file__).parent
MACHINERY = {"__init__", "__main__", "regime"}


def all_regimes() -> list[Regime]:
    """Return the regimes of every file in this folder, in the order of their chapters."""
    names = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in MACHINERY)
    regimes = [regime for name in names for regime in import_module(f"benchmarks.regimes.{name}").REGIMES]
    return sorted(regimes, key=lambda regime: int(regime.item.partition(" ")[0]))


def _measured(position: int, *, runs: int | None, seed: int) -> list[tuple[str, int, int, int]]:
    regime = all_regimes()[position]
    rates = rates_of(regime, runs=runs or regime.runs, seed=seed)
    return [(rate.figure, rate.happened, rate.answered, rate.runs) for rate in rates]


def _before(arguments: list[str], source: Path) -> list[list[Rate]]:
    """Return the rates of an older version, computed in its own process."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(source), str(HERE.parents[1])])}
    command = [sys.executable, "-m", "benchmarks.regimes", "--json", *arguments]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return [[Rate(*rate) for rate in rates] for rates in json.loads(done.stdout)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("items", nargs="*", help="numbers of items; all if none is given")
    parser.add_argument("--runs", type=int, help="data sets of each regime; each has its own number otherwise")
    parser.add_argument("--seed", type=int, default=26)
    parser.add_argument("--before", type=Path, metavar="SRC", help="folder of an older checkout that contains howsure")
    parser.add_argument("--json", action="store_true", help="the counts alone")
    chosen = parser.parse_args()
    regimes = all_regimes()
    positions = [at for at, regime in enumerate(regimes) if not chosen.items or regime.item.split()[0] in chosen.items]
    with ProcessPoolExecutor() as workers:
        measure = partial(_measured, runs=chosen.runs, seed=chosen.seed)
        measured = list(workers.map(measure, positions))
    if chosen.json:
        print(json.dumps(measured))
        return
    now = [[Rate(*rate) for rate in rates] for rates in measured]
    passed_on = [*chosen.items, "--seed", str(chosen.seed), *(["--runs", str(chosen.runs)] if chosen.runs else [])]
    before = _before(passed_on, chosen.before) if chosen.before else [[] for _ in now]
    heading = None
    for position, rates, older in zip(positions, now, before, strict=True):
        regime = regimes[position]
        if heading != regime.item:
            heading = regime.item
            print(f"\n**{heading}**\n\n| regime | figure | before | now |\n|---|---|---:|---:|")
        earlier = {rate.figure: rate for rate in older}
        for rate in rates:
            cells = [_cell(compared) for compared in (earlier.get(rate.figure), rate)]
            print(f"| {regime.name} | {rate.figure} | {' | '.join(cells)} |", flush=True)


def _cell(rate: Rate | None) -> str:
    return "–" if rate is None else str(rate) if rate.wanted else f"**{rate}**"


if __name__ == "__main__":
    main()
