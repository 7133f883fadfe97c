"""Fuzz every reader, one after another: `python -m tests.fuzz [--minutes 5] [READER …]`, also as `make fuzz`.

Readers of JSON first get inputs from a mutator that knows JSON, for as many minutes. Then all readers get inputs from
atheris. The output has a line for each reader: executions, seconds, crashes. The input of each crash is saved in
build/fuzz, with instructions to reproduce the crash. After the fix, move the input to tests/fuzz/crashes/READER, where
the ordinary tests read it.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.json_readers import JSON_READERS
from tests.fuzz.readers import READERS
from tests.fuzz.trial import crash_of

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "build" / "fuzz"
SECONDS, MEGABYTES, LARGEST = 20, 2048, 1 << 16  # for an input: time, memory of the process, bytes
MOST_STARTS = 5  # after an input that ended the process, it begins again


@dataclass
class Outcome:
    """The result of a reader: the number of inputs, the seconds, and the inputs that crashed it."""

    executions: int
    seconds: float
    crashes: list[Path]


def fuzzed(name: str, seconds: float) -> Outcome:
    """Fuzz a reader for some seconds, and start again after an input that ended the process."""
    folder = PLACE / name
    folder.mkdir(parents=True, exist_ok=True)
    before, started, executions = set(folder.glob("crashes/*")), time.monotonic(), 0
    for _ in range(MOST_STARTS):
        left = int(seconds - (time.monotonic() - started))
        if left < 1:
            break
        command = [sys.executable, "-m", "tests.fuzz.reader_fuzz", name, str(folder), f"-max_total_time={left}"]
        command += [f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}", f"-max_len={LARGEST}", "-print_final_stats=1"]
        command += ["-report_slow_units=600"]
        with (folder / "log").open("ab") as log:
            done = subprocess.run(command, cwd=ROOT, stdout=log, stderr=log, env=alone(), check=False)
        text = (folder / "log").read_text(encoding="utf-8", errors="replace")
        counts = re.findall(r"stat::number_of_executed_units: (\d+)", text)
        executions += int(counts[-1]) if counts else 0
        if done.returncode == 0:
            break
    crashes = sorted(set(folder.glob("crashes/*")) - before)
    return Outcome(executions, time.monotonic() - started, crashes)


def fuzzed_by_json(name: str, seconds: float) -> Outcome:
    """Read inputs of the JSON mutator for some seconds, and start again after an input that ended the process."""
    folder = PLACE / name
    folder.mkdir(parents=True, exist_ok=True)
    before, started, executions = set(folder.glob("crashes/*")), time.monotonic(), 0
    for _ in range(MOST_STARTS):
        left = seconds - (time.monotonic() - started)
        if left < 1:
            break
        command = [sys.executable, "-m", "tests.fuzz.json_trial", name, str(folder), str(left), str(time.time_ns())]
        with (folder / "log").open("ab") as log:
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, env=alone(), check=False)
        executions += int((re.findall(rb"inputs: (\d+)", done.stdout) or [b"0"])[-1])
        if done.returncode == 0:
            break
        shutil.copyfile(folder / "input" / "current", folder / "crashes" / f"json-ended-{time.time_ns()}")
    crashes = sorted(set(folder.glob("crashes/*")) - before)
    return Outcome(executions, time.monotonic() - started, crashes)


def alone() -> dict[str, str]:
    """Return the environment with one thread for matrix products."""
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1"}


def repeated(name: str, path: Path) -> int:
    """Read one input again, and print the result."""
    folder = PLACE / name / "input"
    folder.mkdir(parents=True, exist_ok=True)
    crash = crash_of(READERS[name], path.read_bytes(), folder)
    print("it is read, or refused as documented" if crash is None else f"{crash.where}\n{crash.traceback_text}")
    return 0 if crash is None else 1


def campaign(way: str, fuzz: Callable[[str, float], Outcome], names: list[str], minutes: float) -> int:
    """Fuzz readers in one way and print the table; return 1 if one crashed."""
    print(f"{way:<26}{'executions':>12}{'seconds':>9}{'a second':>10}{'crashes':>9}", flush=True)
    crashes: list[tuple[str, Path]] = []
    total = 0
    for name in names:
        summary = fuzz(name, 60 * minutes)
        total += summary.executions
        crashes += [(name, path) for path in summary.crashes]
        rate = summary.executions / max(summary.seconds, 1)
        print(
            f"{name:<26}{summary.executions:>12,}{summary.seconds:>9.0f}{rate:>10,.0f}{len(summary.crashes):>9}",
            flush=True,
        )
    print(f"{total:,} executions over {len(names)} readers, {len(crashes)} crashes")
    for name, path in crashes:
        print(f"{name}: {path}\n  again: {sys.executable} -m tests.fuzz --again {path} {name}")
    return 1 if crashes else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("reader", nargs="*", metavar="READER", help=f"all, or some of {', '.join(READERS)}")
    parser.add_argument("--minutes", type=float, default=5, help="for each reader")
    parser.add_argument("--way", choices=["both", "json", "bytes"], default="both", help="what makes the inputs")
    parser.add_argument("--again", type=Path, metavar="INPUT", help="read this input once by the one READER")
    options = parser.parse_args()
    unknown = sorted(set(options.reader) - set(READERS))
    if unknown:
        parser.error(f"no reader is called {', '.join(unknown)}")
    if options.again is not None:
        if len(options.reader) != 1:
            parser.error("--again needs one READER")
        return repeated(options.reader[0], options.again)
    names = options.reader or list(READERS)
    of_json = [name for name in names if name in JSON_READERS]
    crashed = campaign("JSON", fuzzed_by_json, of_json, options.minutes) if options.way != "bytes" and of_json else 0
    if options.way == "json":
        return crashed
    if importlib.util.find_spec("atheris") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        print(f"atheris is not installed for Python {version}: `make fuzz` installs it, where a wheel of it exists.")
        return 2
    return max(crashed, campaign("bytes", fuzzed, names, options.minutes))


if __name__ == "__main__":
    sys.exit(main())
