"""Wrong inputs: the table that `test_bad_input.py` runs; docs/bad-input.md keeps what is told of each."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

COLUMNS = ("gold", "prob", "model", "weight")
COUNTED = "(counted from 1, without the header)"


@dataclass(frozen=True)
class Wrong:
    """What is wrong, what is typed, and the files that are there; what is told stands in docs/bad-input.md."""

    what: str
    typed: str
    files: dict[str, bytes] = field(default_factory=dict)


def table(**changes: Any) -> bytes:
    """A CSV file of 40 made-up predictions; a column with one value changed (row, value) or all (a sequence)."""
    rng = np.random.default_rng(0)
    prob = rng.random(40).round(3)
    held: dict[str, list[Any]] = {
        "gold": (rng.random(40) < prob).astype(int).tolist(),
        "prob": prob.tolist(),
        "model": ["base", "large"] * 20,
        "weight": [1] * 40,
    }
    for name, change in changes.items():
        if isinstance(change, tuple):
            held[name][change[0] - 1] = change[1]
        else:
            held[name] = list(change)
    rows = zip(*(held[name] for name in COLUMNS), strict=True)
    return "\n".join([",".join(COLUMNS), *(",".join(map(str, row)) for row in rows), ""]).encode()


def classes(row: int = 1, **change: Any) -> bytes:
    """A file of JSON lines with the probabilities of three classes; one row changed."""
    rows = [{"gold": i % 3, "probs": [0.2, 0.3, 0.5]} for i in range(9)]
    rows[row - 1] |= change
    return "".join(json.dumps(one) + "\n" for one in rows).encode()


def archive(**arrays: Any) -> bytes:
    """An .npz file."""
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


CSV = {"dev.csv": table()}
CLASSES = {"dev.jsonl": classes()}
SPOILT = np.array([0, 1, "two"], dtype=object)
JUDGE = "calibration dev.csv --target gold --prob prob"
JUDGE_CLASSES = "calibration dev.jsonl --target gold --probs-column probs"
COMPARE = "calibration compare dev.csv --target gold --prob prob --prob weight"
FROM_0 = " (Rows are counted from 0.)"  # what an error says whose rows are those of arrays
QUANTILES = "quantiles draws.npz --target truth --draws-column draws"

FILES = [
    Wrong("a misspelt column", "calibration dev.csv --target glod --prob prob", CSV),
    Wrong("a missing file", "calibration devv.csv --target gold --prob prob", CSV),
    Wrong("a glob that matches nothing", "calibration 'export/*.csv' --target gold --prob prob", CSV),
    Wrong("an empty file", JUDGE, {"dev.csv": b""}),
    Wrong("a header and nothing else", JUDGE, {"dev.csv": b"gold,prob\n"}),
    Wrong("rows of different length", JUDGE, {"dev.csv": b"gold,prob\n0,0.2\n1,0.5,9\n1,0.3\n"}),
    Wrong(
        "rows that are cut off",
        "calibration dev.tsv --target gold --prob prob",
        {"dev.tsv": b"gold\tprob\n0\t0.2\n1\n"},
    ),
    Wrong("a long file that is cut off", JUDGE, {"dev.csv": b"gold,prob\n" + b"0,0.25\n1,0.75\n" * 20_000 + b"1"}),
    Wrong("a spreadsheet", "calibration dev.xlsx --target gold --prob prob", {"dev.xlsx": b"PK"}),
    Wrong("an unknown format", "calibration dev.dat --target gold --prob prob", {"dev.dat": table()}),
    Wrong("an input format that does not exist", f"{JUDGE} --from excel", CSV),
    Wrong(
        "a folder of files of several kinds",
        "calibration export --target gold --prob prob",
        {"export/dev.csv": table(), "export/new.tsv": table()},
    ),
    Wrong("a folder without a file to read", "look notes", {"notes/read.me": b"Nothing."}),
    Wrong(
        "the means that a program writes beside its samples",
        "score results_2026.json",
        {"results_2026.json": b'{"results": {"quiz": {"alias": "quiz", "acc,none": 0.5}}}'},
    ),
    Wrong(
        "a damaged .gz",
        "calibration dev.csv.gz --target gold --prob prob",
        {"dev.csv.gz": gzip.compress(table(), mtime=0)[:60]},
    ),
    Wrong(
        "a .gz that does not match its checksum",
        "calibration dev.csv.gz --target gold --prob prob",
        {"dev.csv.gz": gzip.compress(table(), mtime=0)[:-8] + b"\x00" * 8},
    ),
    Wrong("a .gz that is none", "calibration dev.csv.gz --target gold --prob prob", {"dev.csv.gz": table()}),
    Wrong(
        "a damaged Parquet file",
        "calibration dev.parquet --target gold --prob prob",
        {"dev.parquet": b"PAR1 and then nothing"},
    ),
    Wrong(
        "damaged JSON lines",
        "calibration dev.jsonl --target gold --prob prob",
        {"dev.jsonl": b'{"gold": 1, "prob": 0.3}\n{"gold": 1, "prob":\n'},
    ),
    Wrong("text that is not UTF-8", JUDGE, {"dev.csv": "gold,prob,note\n0,0.2,café\n1,0.3,x\n".encode("latin-1")}),
    Wrong(
        "Python objects in an .npz",
        "calibration dev.npz --target gold --prob prob",
        {"dev.npz": archive(gold=SPOILT, prob=np.zeros(3))},
    ),
    Wrong(
        "arrays of different length in an .npz",
        "calibration dev.npz --target gold --prob prob",
        {"dev.npz": archive(gold=np.zeros(2), prob=np.zeros(3))},
    ),
    Wrong(
        "files with different columns",
        "calibration a.csv b.csv --target gold --prob prob",
        {"a.csv": table(), "b.csv": b"gold,score\n1,0.3\n"},
    ),
    Wrong("a file named twice", "calibration dev.csv dev.csv --target gold --prob prob", CSV),
]

VALUES = [
    Wrong("a probability of 1.7", JUDGE, {"dev.csv": table(prob=(12, 1.7))}),
    Wrong("percentages", JUDGE, {"dev.csv": table(prob=[63.7, 8.5] * 20)}),
    Wrong("a probability of 1.0000001", JUDGE, {"dev.csv": table(prob=(12, 1.0000001))}),
    Wrong("a negative probability", JUDGE, {"dev.csv": table(prob=(12, -0.2))}),
    Wrong("log-probabilities", JUDGE, {"dev.csv": table(prob=[-0.5, -2.25] * 20)}),
    Wrong("a probability of NaN", JUDGE, {"dev.csv": table(prob=(12, "NaN"))}),
    Wrong("text for a probability", JUDGE, {"dev.csv": table(prob=(12, "sure"))}),
    Wrong("a decimal comma", JUDGE, {"dev.csv": table(prob=(12, '"0,5"'))}),
    Wrong(
        "a comma that may separate thousands", f"{JUDGE} --weight weight", {"dev.csv": table(weight=['"1,234"'] * 40)}
    ),
    Wrong("a missing label", JUDGE, {"dev.csv": table(gold=(7, ""))}),
    Wrong("labels of which none is known to be positive", JUDGE, {"dev.csv": table(gold=["yes", "no"] * 20)}),
    Wrong("three labels", JUDGE, {"dev.csv": table(gold=["yes", "no", "yes", "no", "yes", "no", "no", "maybe"] * 5)}),
    Wrong(
        "a positive label that does not occur", f"{JUDGE} --positive Yes", {"dev.csv": table(gold=["yes", "no"] * 20)}
    ),
    Wrong("nothing left", f"{JUDGE} --missing 0 --missing 1 --skip-missing", CSV),
    Wrong("a negative weight", f"{JUDGE} --weight weight", {"dev.csv": table(weight=(3, -1))}),
    Wrong("an infinite weight", f"{JUDGE} --weight weight", {"dev.csv": table(weight=(3, "inf"))}),
    Wrong("a missing group", f"{JUDGE} --group model", {"dev.csv": table(model=(9, ""))}),
    Wrong("a row of classes that does not sum to 1", JUDGE_CLASSES, {"dev.jsonl": classes(4, probs=[0.2, 0.3, 0.6])}),
    Wrong("lists of different length", JUDGE_CLASSES, {"dev.jsonl": classes(4, probs=[0.2, 0.8])}),
    Wrong("a list that is none", JUDGE_CLASSES, {"dev.jsonl": classes(4, probs="high")}),
    Wrong("a label that is no class", f"{JUDGE_CLASSES} --classes cat,dog,cow", {"dev.jsonl": classes(4, gold="bee")}),
    Wrong("a label that is no number of a class", f"{JUDGE_CLASSES} --classes 1,2,3", CLASSES),
    Wrong("a class that does not exist", f"{JUDGE_CLASSES} --classes cat,dog,cow --reduce cats", CLASSES),
]

OPTIONS = [
    Wrong("no probability", "calibration dev.csv --target gold", CSV),
    Wrong("two ways to name it", f"{JUDGE} --probs prob,weight", CSV),
    Wrong("classes of one probability", f"{JUDGE} --classes no,yes", CSV),
    Wrong("no label", "calibration dev.csv --prob prob", CSV),
    Wrong("a misspelt option", "calibration dev.csv --targt gold", CSV),
    Wrong("a former spelling", "calibration dev.csv --label gold --prob prob", CSV),
    Wrong("a level in per cent", f"{JUDGE} --level 95", CSV),
    Wrong("a bin size of 0", f"{JUDGE} --bin-size 0", CSV),
    Wrong("no bins", f"{JUDGE} --bins 0", CSV),
    Wrong("bins by number and by size", f"{JUDGE} --bins 5 --bin-size 10", CSV),
    Wrong("an option given twice", f"{JUDGE} --figure a.pdf --figure b.png", CSV),
    Wrong("unknown bins", f"{JUDGE} --binning quantile", CSV),
    Wrong("an unknown interval", f"{JUDGE} --interval normal", CSV),
    Wrong("an unknown format of the result", f"{JUDGE} --format excel", CSV),
    Wrong("a figure that cannot be", f"{JUDGE} --figure curve.gif", CSV),
    Wrong("a report that cannot be", f"{JUDGE} --report report.pdf", CSV),
    Wrong("a folder that is missing", f"{JUDGE} --output results/dev.json", CSV),
    Wrong("a file without a name", f"{JUDGE} --output ''", CSV),
    Wrong("two results in one file", f"{JUDGE} --output ./dev.html --report dev.html", CSV),
    Wrong(
        "models on different rows",
        "calibration compare a.csv b.csv --target gold --prob prob",
        {"a.csv": table(), "b.csv": b"gold,prob\n1,0.3\n"},
    ),
    Wrong(
        "models with different labels",
        "calibration compare a.csv b.csv --target gold --prob prob",
        {"a.csv": table(gold=(1, 0)), "b.csv": table(gold=(1, 1))},
    ),
    Wrong(
        "a label of one model for both",
        "calibration compare dev.csv --target right_a --prob conf_a --prob conf_b",
        {"dev.csv": b"right_a,right_b,conf_a,conf_b\n1,0,0.9,0.2\n"},
    ),
    Wrong(
        "a verdict on one answer for two models",
        "calibration compare dev.csv --target is_correct --prob conf_a --prob conf_b",
        {"dev.csv": b"is_correct,conf_a,conf_b\n1,0.9,0.2\n"},
    ),
    Wrong(
        "models of which one lacks an item",
        "calibration compare a.csv b.csv --target gold --prob prob --id uid",
        {"a.csv": b"uid,gold,prob\na,1,0.3\nb,0,0.5\n", "b.csv": b"uid,gold,prob\nc,1,0.3\nb,0,0.5\n"},
    ),
    Wrong(
        "the same items in two files",
        "calibration a.csv b.csv --target gold --prob prob --id uid",
        {"a.csv": b"uid,gold,prob\na,1,0.3\nb,0,0.5\n", "b.csv": b"uid,gold,prob\nc,1,0.3\nb,0,0.5\n"},
    ),
    Wrong("more processes than any machine runs", "events extract news.conllu --store news.duckdb --workers 1000000"),
    Wrong("more clusterings than memory holds", "events extract news.conllu --store news.duckdb --samples 1000000000"),
    Wrong("more sequences than there are", "sequences tag model.npz news.conllu --k-best 1000000000"),
    Wrong(
        "what equal values of no column are",
        "significance dev.csv --target gold --against gold --model prob --across-files same",
        CSV,
    ),
    Wrong(
        "an id that stands twice",
        "calibration dev.csv --target gold --prob prob --id uid",
        {"dev.csv": b"uid,gold,prob\na,1,0.3\nb,0,0.5\na,1,0.4\n"},
    ),
    Wrong("a model compared with nothing", "calibration compare dev.csv --target gold --prob prob", CSV),
    Wrong("a model compared with itself", "calibration compare dev.csv --target gold --prob prob --prob prob", CSV),
    Wrong(
        "truths and draws that do not fit", QUANTILES, {"draws.npz": archive(truth=np.zeros(5), draws=np.zeros((4, 3)))}
    ),
    Wrong(
        "more bars than ranks",
        f"{QUANTILES} --bins 20",
        {"draws.npz": archive(truth=np.zeros(5), draws=np.zeros((5, 3)))},
    ),
    Wrong("a column named twice", "quantiles dev.csv --target gold --draws prob,prob", CSV),
    Wrong(
        "draws that are infinite",
        QUANTILES,
        {"draws.npz": archive(truth=np.zeros(3), draws=np.array([[0, 1], [2, 3], [4, np.inf]]))},
    ),
    Wrong("a baseline that is the model", "significance dev.csv --target gold --against model --model model", CSV),
    Wrong("a column of other labels", "significance dev.csv --target model --against gold --model prob", CSV),
    Wrong("probabilities for labels", "significance dev.csv --target gold --against weight --model prob", CSV),
    Wrong(
        "classes by other names",
        "significance dev.jsonl --target gold --against a --model b",
        {
            "dev.jsonl": b'{"gold":{"no":1,"yes":0},"a":{"no":0.7,"yes":0.3},"b":{"no":0.5,"yes":0.5}}\n'
            b'{"gold":{"no":0,"yes":1},"a":{"no":0.6,"yes":0.4},"b":{"yes":1.0}}\n'
        },
    ),
    Wrong(
        "a class for a metric of all classes",
        "significance dev.csv --target gold --against weight --model gold --metric accuracy --class 1",
        CSV,
    ),
    Wrong(
        "a sub-sample for a test that draws none",
        "significance dev.csv --target gold --against weight --model prob --metric brier --sample-size 0.2",
        CSV,
    ),
    Wrong(
        "runs whose items are in different orders",
        "significance runs.csv --target gold --against a --model b --run seed",
        {"runs.csv": b"gold,a,b,seed\n0,0,0,1\n1,1,0,1\n1,1,1,2\n0,0,1,2\n"},
    ),
    Wrong("a number in words", "simulate ten"),
    Wrong("too much miscalibration", "simulate 100 --k 0.7"),
    Wrong("figures into a file", "reproduce binning --figures dev.csv", CSV),
    Wrong("a misspelt command", "calibrate dev.csv", CSV),
]

PYTHON = [
    "curve([0, 1, 1], [0.1, 0.8])",
    "curve([], [])",
    "curve([0, 1], [0.1, 1.7])",
    "curve([0, 1], [0.1, np.nan])",
    "curve([0, 1], [0.1, None])",
    "curve([0, 1, 2], [[0.9, 0.1, 0], [0.2, 0.8, 0], [0.1, 0.2, 0.7]])",
    "curve([0, 1], [[0.9, 0.1], [0.2, 0.8]])",
    "curve(['no', 'yes', 'no'], [0.1, 0.8, 0.3])",
    "curve(['no', 'yes'], [0.1, 0.8], pos_label='Yes')",
    "curve([0, 1, 2, 0], [0.1, 0.8, 0.6, 0.3])",
    "curve('gold', 'prob', data={'gold': [0, 1]})",
    "curve('glod', 'prob', data=frame)",
    "curve([0, 1], 'prob', data=frame)",
    "curve([0, 1], [0.1, 0.8], clusters=['a', None])",
    "curve([0, 1], [0.1, 0.8], sample_weight=[1, -1])",
    "curve([0, 1], [0.1, 0.8], level=95)",
    "curve([0, 1], [0.1, 0.8], bin_size='big')",
    "curve([0, 1], [0.1, 0.8], interval='bootstrap', rng='x')",
    "howsure.compare_calibration([0, 1], [0.1, 0.8], against=[0.2])",
    "howsure.calibration_table([0, 1], [0.1, 0.8], groups=['NN', None])",
    "howsure.pairs_from_classes([0, 1], [[0.5, 0.6], [0.1, 0.9]])",
    "howsure.posterior_quantiles(np.zeros(5), np.zeros((4, 3)))",
    "howsure.TagPosterior([np.eye(2)], np.eye(2)).tempered(0)",
    "howsure.TagPosterior([np.eye(2)], np.eye(2)).tempered(1, transitions=float('nan'))",
]
