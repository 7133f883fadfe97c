"""Runs that were fed one by one, brought into one order and side by side."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.significance.boostsa.wording import HARD, SOFT
from howsure.significance.compare import compare
from howsure.significance.runs import Runs

Part = dict[str, list[Any]]
KEYS = ("exp_idxs", "preds", "targs", "idxs", "epochs")


def empty_part() -> Part:
    """A condition without runs."""
    return {key: [] for key in KEYS}


def paired(h0: str, control: Part, h1: str, treatment: Part) -> dict[str, Any]:
    """What `compare` is given: all runs one after the other if there are as many of both, else `Runs`.

    Raises InputError if the items or targets of two runs are not the same.
    """
    counts = len(control["preds"]), len(treatment["preds"])
    if 0 in counts:
        raise InputError(f"no predictions of {h1 if counts[0] else h0!r} were fed; feed them before run().")
    wanted = _plain(control["idxs"][0]).tolist()
    held: dict[str, list[Any]] = {"h0 preds": [], "h1 preds": []}
    first = _plain(control["targs"][0])
    for name, part in zip(held, (control, treatment), strict=True):
        for targets, indexes, predictions in zip(part["targs"], part["idxs"], part["preds"], strict=True):
            order = _order(_plain(indexes).tolist(), wanted)
            if not np.array_equal(_plain(targets)[order], first):
                raise InputError(f"the targets of {h0!r} and {h1!r} must be the same in all runs; they differ.")
            held[name].append(_plain(predictions)[order])
    if max(counts) > 1:
        how = "concatenated" if counts[0] == counts[1] else "drawn by item, since the numbers of runs differ"
        warnings.warn(
            f"{h0} and {h1}: {counts[0]} and {counts[1]} runs on the same items are {how}; "
            "howsure.compare(..., Runs([...]), Runs([...])) does not take runs for more items",
            stacklevel=3,
        )
    if counts[0] != counts[1]:
        return {"targs": first, **{name: Runs(runs) for name, runs in held.items()}}
    return {
        "targs": np.concatenate([first] * counts[0]),
        **{name: np.concatenate(runs) for name, runs in held.items()},
    }


def deviation(part: Part, name: str) -> Any:
    """The standard deviation over runs of a metric; nothing for one run."""
    if len(part["preds"]) < 2:
        return ""
    values = []
    for targets, predictions in zip(part["targs"], part["preds"], strict=True):
        one = _plain(predictions)
        metric = {**HARD, **SOFT}[name]
        result = compare(_plain(targets), one, one, metrics=metric, n_resamples=1, interval=None, rng=0)
        values.append(result[0].model_value)
    return round(float(np.std(values)), 4)


def _plain(rows: Any) -> Any:
    array = np.asarray(rows)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _order(names: list[Any], wanted: list[Any]) -> list[int]:
    """Where the items of one run stand in another."""
    place = {name: row for row, name in enumerate(names)}
    if len(place) != len(wanted) or any(name not in place for name in wanted):
        raise InputError("idxs must name the same items in every run; they do not.")
    return [place[name] for name in wanted]
