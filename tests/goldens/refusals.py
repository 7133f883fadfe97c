"""A wrong probability and label, told by each function that takes them, and what is refused of a log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import howsure
from tests.cli.running import Outcome
from tests.cli.running import howsure as run
from tests.data.logs.writers import lm_eval_sample, write_lm_eval
from tests.goldens.running import Room

N = 40
# What is wrong: the column, the row (from 0) and the value.
RULES: dict[str, tuple[str, int, Any]] = {
    "probability above 1": ("p", 11, 1.7),
    "label missing": ("y", 6, None),
    "label 2": ("y", 6, 2),
}


def columns(rule: str) -> dict[str, list[Any]]:
    """Good columns with one value changed."""
    rng = np.random.default_rng(0)
    p = rng.random(N).round(3)
    held: dict[str, list[Any]] = {
        "y": (rng.random(N) < p).astype(int).tolist(),
        "p": p.tolist(),
        "w": [1.0] * N,
        "g": ["a", "b"] * (N // 2),
        "c": [k // 2 for k in range(N)],
    }
    name, row, value = RULES[rule]
    held[name][row] = value
    return held


def told(done: Outcome) -> str:
    """What a command told that was refused, or how it ended else."""
    return done.err if (done.code, done.out) == (2, "") else f"code {done.code}\n{done.out}\n{done.err}"


def other_functions() -> dict[str, Callable[[], object]]:
    """The same wrong probability and label, told by other functions."""
    frame = {rule: pd.DataFrame(columns(rule)) for rule in RULES}
    asks: dict[str, Callable[..., object]] = {
        "calibration_curve": howsure.calibration_curve,
        "calibration_error": howsure.calibration_error,
        "calibration_test": howsure.calibration_test,
        "selective_curve": howsure.selective_curve,
        "selective_table": howsure.selective_table,
        "threshold_for": lambda y, p, **given: howsure.threshold_for(y, p, risk=0.2, **given),
        "check_calibration": lambda y, p, **given: howsure.check_calibration(y, p, max_error=0.2, **given),
        "check_selective": lambda y, p, **given: howsure.check_selective(y, p, max_risk=0.2, **given),
        "recalibrate": howsure.recalibrate,
        "evaluate_recalibration": howsure.evaluate_recalibration,
        "score_parts": howsure.score_parts,
        "find_groups": lambda y, p, **given: howsure.find_groups(y, p, features=["g"], **given),
        "compare_calibration": lambda y, p, **given: howsure.compare_calibration(y, p, against="w", **given),
    }

    def ask(name: str, rule: str, *, arrays: bool) -> Callable[[], object]:
        def told() -> object:
            held = frame[rule]
            if arrays:
                asks[name](held["y"].to_numpy(), held["p"].to_numpy())
            else:
                asks[name]("y", "p", data=held)
            return "accepted"

        return told

    return {
        f"{rule} | {name} | {'arrays' if arrays else 'frame'}": ask(name, rule, arrays=arrays)
        for rule in frame
        for name in asks
        for arrays in (True, False)
        if not (arrays and name in ("find_groups", "compare_calibration"))
    }


def log_of(rule: str) -> Callable[[], object]:
    """A log of lm-evaluation-harness with something wrong in its fourth sample."""

    def refused() -> object:
        samples = [lm_eval_sample(item, [-1.0, -2.0 - item], item % 2) for item in range(8)]
        wrong: dict[str, Any] = {
            "likelihood is no number": {
                "resps": [[["high", "False"]], [["-2.0", "False"]]],
                "filtered_resps": [["high", "False"], ["-2.0", "False"]],
            },
            "likelihood missing": {"filtered_resps": [["-1.0", "False"]]},
            "target missing": {"target": None},
            "target no choice": {"target": "7"},
        }[rule]
        samples[3] |= wrong
        path = write_lm_eval(Path("bad-log"), "org/bad", "quiz", samples)
        done = run("calibration", path)
        return told(done)

    return refused


def calls() -> Mapping[str, Callable[[], object]]:
    """A rule by function; that the surfaces agree is the law of tests/inputs."""
    rules = ("likelihood is no number", "likelihood missing", "target missing", "target no choice")
    return {f"{rule} | log": log_of(rule) for rule in rules} | other_functions()


ROOM = Room(calls=calls)
