"""Input files with errors. bad_input.md contains the commands and their messages, and `test_bad_input.py` runs them."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

COLUMNS = ("gold", "prob", "model", "weight")


@dataclass(frozen=True)
class Files:
    """The files in the folder of a topic's rows, and the files that some rows add or replace."""

    common: dict[str, bytes]
    of_case: dict[str, dict[str, bytes]]


def table(**changes: Any) -> bytes:
    """Write a CSV file of 40 simulated predictions, with one value changed (row, value) or all values of a column (a
    sequence)."""
    rng = np.random.default_rng(0)
    prob = rng.random(40).round(3)
    columns: dict[str, list[Any]] = {
        "gold": (rng.random(40) < prob).astype(int).tolist(),
        "prob": prob.tolist(),
        "model": ["base", "large"] * 20,
        "weight": [1] * 40,
    }
    for name, change in changes.items():
        if isinstance(change, tuple):
            columns[name][change[0] - 1] = change[1]
        else:
            columns[name] = list(change)
    rows = zip(*(columns[name] for name in COLUMNS), strict=True)
    return "\n".join([",".join(COLUMNS), *(",".join(map(str, row)) for row in rows), ""]).encode()


def classes(row: int = 1, **change: Any) -> bytes:
    """Write JSON lines with the probabilities of three classes; one row is changed."""
    rows = [{"gold": i % 3, "probs": [0.2, 0.3, 0.5]} for i in range(9)]
    rows[row - 1] |= change
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def archive(**arrays: Any) -> bytes:
    """Write an .npz file."""
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


CSV = {"dev.csv": table()}
CLASSES = {"dev.jsonl": classes()}
SPOILT = np.array([0, 1, "two"], dtype=object)

FILES = Files(
    CSV,
    {
        "an empty file": {"dev.csv": b""},
        "a header without rows": {"dev.csv": b"gold,prob\n"},
        "rows of different length": {"dev.csv": b"gold,prob\n0,0.2\n1,0.5,9\n1,0.3\n"},
        "rows that are cut off": {"dev.tsv": b"gold\tprob\n0\t0.2\n1\n"},
        "a comment before the header": {"dev.tsv": b"# mine\ngold\tprob\n0\t0.2\n1\t0.5\n"},
        "lines of two kinds of ends": {"dev.csv": b"gold,prob\r0,0.2\n1,0.5\n"},
        "a long file that is cut off": {"dev.csv": b"gold,prob\n" + b"0,0.25\n1,0.75\n" * 20000 + b"1"},
        "a spreadsheet": {"dev.xlsx": b"PK"},
        "an unknown format": {"dev.dat": table()},
        "a folder of files of several kinds": {"export/dev.csv": table(), "export/new.tsv": table()},
        "a folder without a file to read": {"notes/read.me": b"Nothing."},
        "a program's summary instead of its samples": {
            "results_2026.json": b'{"results": {"quiz": {"alias": "quiz", "acc,none": 0.5}}}'
        },
        "a damaged .gz": {"dev.csv.gz": gzip.compress(table(), mtime=0)[:60]},
        "a .gz that does not match its checksum": {"dev.csv.gz": gzip.compress(table(), mtime=0)[:-8] + b"\x00" * 8},
        "a .gz file that is not gzip": {"dev.csv.gz": table()},
        "a damaged Parquet file": {"dev.parquet": b"PAR1 and then nothing"},
        "damaged JSON lines": {"dev.jsonl": b'{"gold": 1, "prob": 0.3}\n{"gold": 1, "prob":\n'},
        "text that is not UTF-8": {"dev.csv": "gold,prob,note\n0,0.2,café\n1,0.3,x\n".encode("latin-1")},
        "Python objects in an .npz": {"dev.npz": archive(gold=SPOILT, prob=np.zeros(3))},
        "arrays of different length in an .npz": {"dev.npz": archive(gold=np.zeros(2), prob=np.zeros(3))},
        "files with different columns": {"a.csv": table(), "b.csv": b"gold,score\n1,0.3\n"},
    },
)

VALUES = Files(
    CSV,
    {
        "a probability of 1.7": {"dev.csv": table(prob=(12, 1.7))},
        "percentages": {"dev.csv": table(prob=[63.7, 8.5] * 20)},
        "a probability of 1.0000001": {"dev.csv": table(prob=(12, 1.0000001))},
        "a negative probability": {"dev.csv": table(prob=(12, -0.2))},
        "log-probabilities": {"dev.csv": table(prob=[-0.5, -2.25] * 20)},
        "a probability of NaN": {"dev.csv": table(prob=(12, "NaN"))},
        "text for a probability": {"dev.csv": table(prob=(12, "sure"))},
        "a decimal comma": {"dev.csv": table(prob=(12, '"0,5"'))},
        "a comma that may separate thousands": {"dev.csv": table(weight=['"1,234"'] * 40)},
        "a missing label": {"dev.csv": table(gold=(7, ""))},
        "two label values without a known positive one": {"dev.csv": table(gold=["yes", "no"] * 20)},
        "three labels": {"dev.csv": table(gold=["yes", "no", "yes", "no", "yes", "no", "no", "maybe"] * 5)},
        "a positive label that does not occur": {"dev.csv": table(gold=["yes", "no"] * 20)},
        "a negative weight": {"dev.csv": table(weight=(3, -1))},
        "an infinite weight": {"dev.csv": table(weight=(3, "inf"))},
        "a missing group": {"dev.csv": table(model=(9, ""))},
        "a row of classes that does not sum to 1": {"dev.jsonl": classes(4, probs=[0.2, 0.3, 0.6])},
        "lists of different length": {"dev.jsonl": classes(4, probs=[0.2, 0.8])},
        "a text instead of a list": {"dev.jsonl": classes(4, probs="high")},
        "a label that is not a class": {"dev.jsonl": classes(4, gold="bee")},
        "a number that is not a class index": CLASSES,
        "a class that does not exist": CLASSES,
    },
)

OPTIONS = Files(
    CSV,
    {
        "models on different rows": {"a.csv": table(), "b.csv": b"gold,prob\n1,0.3\n"},
        "models with different labels": {"a.csv": table(gold=(1, 0)), "b.csv": table(gold=(1, 1))},
        "models of which one lacks an item": {
            "a.csv": b"uid,gold,prob\na,1,0.3\nb,0,0.5\n",
            "b.csv": b"uid,gold,prob\nc,1,0.3\nb,0,0.5\n",
        },
        "the same items in two files": {
            "a.csv": b"uid,gold,prob\na,1,0.3\nb,0,0.5\n",
            "b.csv": b"uid,gold,prob\nc,1,0.3\nb,0,0.5\n",
        },
        "a class for a metric of all classes": {"dev.csv": table(prob=[0, 1] * 20)},
        "a repeated id": {"dev.csv": b"uid,gold,prob\na,1,0.3\nb,0,0.5\na,1,0.4\n"},
        "truths and draws that do not fit": {"draws.npz": archive(truth=np.zeros(5), draws=np.zeros((4, 3)))},
        "more bars than ranks": {"draws.npz": archive(truth=np.zeros(5), draws=np.zeros((5, 3)))},
        "draws that are infinite": {
            "draws.npz": archive(truth=np.zeros(3), draws=np.array([[0, 1], [2, 3], [4, np.inf]]))
        },
        "classes by other names": {
            "dev.jsonl": b'{"gold":{"no":1,"yes":0},"a":{"no":0.7,"yes":0.3},"b":{"no":0.5,"yes":0.5}}\n'
            b'{"gold":{"no":0,"yes":1},"a":{"no":0.6,"yes":0.4},"b":{"yes":1.0}}\n'
        },
        "runs whose items are in different orders": {
            "runs.csv": b"gold,a,b,seed\n0,0,0,1\n1,1,0,1\n1,1,1,2\n0,0,1,2\n"
        },
    },
)
