"""Each rule of a column broken on each surface, and what is told: arrays, frames, lazy frames, files and logs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet

import howsure
from tests.cli.running import Outcome
from tests.cli.running import howsure as run
from tests.data.logs.writers import lm_eval_sample, write_lm_eval
from tests.goldens.running import Room

N = 40
# What is wrong: the column, the row (from 0; None for the whole column) and the value.
RULES: dict[str, tuple[str, int | None, Any]] = {
    "probability above 1": ("p", 11, 1.7),
    "probability a little above 1": ("p", 11, 1.0000001),
    "probability below 0": ("p", 11, -0.2),
    "probability infinite": ("p", 11, float("inf")),
    "probability missing": ("p", 11, None),
    "probability text": ("p", 11, "sure"),
    "percentages": ("p", None, 63.7),
    "label missing": ("y", 6, None),
    "label 2": ("y", 6, 2),
    "label text": ("y", 6, "maybe"),
    "weight negative": ("w", 2, -1.0),
    "weight infinite": ("w", 2, float("inf")),
    "weight missing": ("w", 2, None),
    "group missing": ("g", 8, None),
    "cluster missing": ("c", 8, None),
}
NAMES = ("y", "p", "w", "g", "c")
FILES = ("csv", "tsv", "jsonl", "parquet", "npz")


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
    if row is None:
        held[name] = [value] * N
    else:
        held[name][row] = value
    return held


def array(values: list[Any]) -> np.ndarray[Any, Any]:
    """An array as a user would make it: floats with NaN for what is missing, objects where there is a text."""
    if any(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    return np.array([np.nan if value is None else value for value in values])


def polars(held: Mapping[str, list[Any]]) -> pl.DataFrame:
    """A Polars frame; numbers are text in a column that holds one."""
    mixed = {
        name: [None if one is None else str(one) for one in values]
        if any(isinstance(one, str) for one in values)
        else values
        for name, values in held.items()
    }
    return pl.DataFrame(mixed, strict=False)


def write(held: Mapping[str, list[Any]], kind: str) -> str:
    """A file of these columns; its name."""
    path = Path(f"bad.{kind}")
    rows = [dict(zip(held, row, strict=True)) for row in zip(*held.values(), strict=True)]
    if kind == "jsonl":
        texts = [json.dumps({name: one for name, one in row.items() if one is not None}) for row in rows]
        path.write_text("\n".join([*texts, ""]).replace("Infinity", "1e999"))
    elif kind == "parquet":
        pa.parquet.write_table(polars(held).to_arrow(), path)
    elif kind == "npz":
        arrays = {name: array(values) for name, values in held.items()}
        np.savez(path, **{name: one.astype(str) if one.dtype == object else one for name, one in arrays.items()})
    else:
        sign = "\t" if kind == "tsv" else ","
        texts = [sign.join("" if one is None else str(one) for one in row.values()) for row in rows]
        path.write_text("\n".join([sign.join(held), *texts, ""]))
    return path.name


def table_of(**given: Any) -> object:
    """A calibration table that uses all columns; only what is refused is of interest."""
    howsure.calibration_table(**given)
    return "accepted"


NAMED: dict[str, Any] = {"y_true": "y", "y_prob": "p", "sample_weight": "w", "groups": "g", "clusters": "c"}
TYPED = ["--target", "y", "--prob", "p", "--weight", "w", "--group", "g", "--cluster", "c"]


def from_arrays(rule: str) -> object:
    held = {name: array(values) for name, values in columns(rule).items()}
    return table_of(y_true=held["y"], y_prob=held["p"], sample_weight=held["w"], groups=held["g"], clusters=held["c"])


def from_frame(rule: str, make: Callable[[Mapping[str, list[Any]]], object]) -> object:
    return table_of(**NAMED, data=make(columns(rule)))


def from_file(rule: str, kind: str) -> object:
    done = run("calibration", write(columns(rule), kind), *TYPED)
    return told(done) if done.code else "accepted"


def told(done: Outcome) -> str:
    """What a command told that was refused, or how it ended else."""
    return done.err if (done.code, done.out) == (2, "") else f"code {done.code}\n{done.out}\n{done.err}"


def other_functions() -> dict[str, Callable[[], object]]:
    """The same wrong probability and label, told by other functions."""
    frame = {rule: pd.DataFrame(columns(rule)) for rule in ("probability above 1", "label 2", "label missing")}
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
    """Each rule on each surface."""
    found: dict[str, Callable[[], object]] = {}
    for rule in RULES:
        found[f"{rule} | arrays"] = lambda rule=rule: from_arrays(rule)
        found[f"{rule} | pandas"] = lambda rule=rule: from_frame(rule, pd.DataFrame)
        found[f"{rule} | polars"] = lambda rule=rule: from_frame(rule, polars)
        found[f"{rule} | polars lazy"] = lambda rule=rule: from_frame(rule, lambda held: polars(held).lazy())
        for kind in FILES:
            found[f"{rule} | {kind}"] = lambda rule=rule, kind=kind: from_file(rule, kind)
    for rule in ("likelihood is no number", "likelihood missing", "target missing", "target no choice"):
        found[f"{rule} | log"] = log_of(rule)
    return found | other_functions()


ROOM = Room(calls=calls)
