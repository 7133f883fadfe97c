"""Wrong inputs and what is said to them: the table that `test_bad_input.py` runs and docs/bad-input.md shows."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.data.logs.conversion import LOGS

COLUMNS = ("gold", "prob", "model", "weight")
COUNTED = "(counted from 1, without the header)"


@dataclass(frozen=True)
class Wrong:
    """What is wrong, what is typed, what is told, and the files that are there."""

    what: str
    typed: str
    told: str
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
    Wrong("a misspelt column", "calibration dev.csv --target glod --prob prob",
          "no column 'glod' in dev.csv; it has gold, prob, model, weight. Did you mean gold?", CSV),
    Wrong("a missing file", "calibration devv.csv --target gold --prob prob",
          "no file devv.csv. Did you mean dev.csv?", CSV),
    Wrong("a glob that matches nothing", "calibration 'export/*.csv' --target gold --prob prob",
          "no file matches export/*.csv.", CSV),
    Wrong("an empty file", JUDGE, "dev.csv is empty.", {"dev.csv": b""}),
    Wrong("a header and nothing else", JUDGE, "dev.csv has no rows.", {"dev.csv": b"gold,prob\n"}),
    Wrong("rows of different length", JUDGE,
          "dev.csv cannot be read: some rows have more or fewer values than 'gold,prob'.",
          {"dev.csv": b"gold,prob\n0,0.2\n1,0.5,9\n1,0.3\n"}),
    Wrong("rows that are cut off", "calibration dev.tsv --target gold --prob prob",
          "dev.tsv cannot be read: some rows have more or fewer values than the header. Was it cut off?",
          {"dev.tsv": b"gold\tprob\n0\t0.2\n1\n"}),
    Wrong("a long file that is cut off", JUDGE,
          "line 40,002 of dev.csv has 1 value, not 2 as the header. Was the file cut off, or is a separator in a "
          "value not quoted?", {"dev.csv": b"gold,prob\n" + b"0,0.25\n1,0.75\n" * 20_000 + b"1"}),
    Wrong("a spreadsheet", "calibration dev.xlsx --target gold --prob prob",
          "dev.xlsx is a spreadsheet; save it as CSV (UTF-8) in your spreadsheet program, and name that.",
          {"dev.xlsx": b"PK"}),
    Wrong("an unknown format", "calibration dev.dat --target gold --prob prob",
          "the format of dev.dat cannot be determined from its name; known are .csv, .tsv, .jsonl, .ndjson, .json, "
          ".parquet, .npz, .eval, also with .gz or .zst. Or name it: --from csv.", {"dev.dat": table()}),
    Wrong("an input format that does not exist", f"{JUDGE} --from excel",
          f"--from must be one of csv, tsv, jsonl, json, parquet, npz, or of the logs {', '.join(LOGS)}; it is "
          "'excel'.", CSV),
    Wrong("a folder of files of several kinds", "calibration export --target gold --prob prob",
          "export holds files of several kinds: csv, tsv. Name the files that you mean, for example export/dev.csv.",
          {"export/dev.csv": table(), "export/new.tsv": table()}),
    Wrong("a folder without a file to read", "look notes",
          "notes holds no file that howsure reads. Name the files that you mean.", {"notes/read.me": b"Nothing."}),
    Wrong("the means that a program writes beside its samples", "score results_2026.json",
          "results_2026.json is a summary of lm-evaluation-harness, means without answers; give me the samples: "
          "samples_*.jsonl, which are written with log_samples.",
          {"results_2026.json": b'{"results": {"quiz": {"alias": "quiz", "acc,none": 0.5}}}'}),
    Wrong("a damaged .gz", "calibration dev.csv.gz --target gold --prob prob",
          "dev.csv.gz cannot be unpacked: Compressed file ended before the end-of-stream marker was reached. Is it "
          "damaged or truncated?", {"dev.csv.gz": gzip.compress(table(), mtime=0)[:60]}),
    Wrong("a .gz that does not match its checksum", "calibration dev.csv.gz --target gold --prob prob",
          "dev.csv.gz cannot be unpacked: CRC check failed 0x0 != 0x8a02d86e. Is it damaged or truncated?",
          {"dev.csv.gz": gzip.compress(table(), mtime=0)[:-8] + b"\x00" * 8}),
    Wrong("a .gz that is none", "calibration dev.csv.gz --target gold --prob prob",
          "dev.csv.gz is not compressed with gzip, despite its suffix; is it damaged?", {"dev.csv.gz": table()}),
    Wrong("a damaged Parquet file", "calibration dev.parquet --target gold --prob prob",
          "dev.parquet cannot be read: Invalid Input Error: No magic bytes found at end of file 'dev.parquet'.",
          {"dev.parquet": b"PAR1 and then nothing"}),
    Wrong("damaged JSON lines", "calibration dev.jsonl --target gold --prob prob",
          'dev.jsonl cannot be read: Invalid Input Error: Malformed JSON in file "dev.jsonl", at byte 21 in line 3: '
          "unexpected end of data.", {"dev.jsonl": b'{"gold": 1, "prob": 0.3}\n{"gold": 1, "prob":\n'}),
    Wrong("text that is not UTF-8", JUDGE,
          "line 2 of dev.csv is not UTF-8 text. Save it as UTF-8 (in a spreadsheet: CSV UTF-8).",
          {"dev.csv": "gold,prob,note\n0,0.2,café\n1,0.3,x\n".encode("latin-1")}),
    Wrong("Python objects in an .npz", "calibration dev.npz --target gold --prob prob",
          "dev.npz cannot be read: gold holds Python objects, which are never unpickled; save numbers or text "
          "(dtype str).",
          {"dev.npz": archive(gold=SPOILT, prob=np.zeros(3))}),
    Wrong("arrays of different length in an .npz", "calibration dev.npz --target gold --prob prob",
          "the arrays of dev.npz must have the same length; they have gold 2, prob 3.",
          {"dev.npz": archive(gold=np.zeros(2), prob=np.zeros(3))}),
    Wrong("files with different columns", "calibration a.csv b.csv --target gold --prob prob",
          "no column 'prob' in b.csv; it has gold, score.", {"a.csv": table(), "b.csv": b"gold,score\n1,0.3\n"}),
    Wrong("a file named twice", "calibration dev.csv dev.csv --target gold --prob prob",
          "dev.csv is named twice; its rows would be counted twice.", CSV),
]  # fmt: skip

VALUES = [
    Wrong("a probability of 1.7", JUDGE,
          f"prob must lie in [0, 1]; row 12 of dev.csv {COUNTED} holds 1.7. Are these logits? --logits reads them.",
          {"dev.csv": table(prob=(12, 1.7))}),
    Wrong("percentages", JUDGE,
          f"prob must lie in [0, 1]; row 1 of dev.csv {COUNTED} holds 63.7. Are these percentages? Divide by 100. "
          "Or logits? --logits reads them.", {"dev.csv": table(prob=[63.7, 8.5] * 20)}),
    Wrong("a probability of 1.0000001", JUDGE,
          f"prob must lie in [0, 1]; row 12 of dev.csv {COUNTED} holds 1.0000001. Rounding? Clip or round it in your "
          "own pipeline; nothing is clipped silently.", {"dev.csv": table(prob=(12, 1.0000001))}),
    Wrong("a negative probability", JUDGE,
          f"prob must lie in [0, 1]; row 12 of dev.csv {COUNTED} holds -0.2. Are these logits? --logits reads them.",
          {"dev.csv": table(prob=(12, -0.2))}),
    Wrong("log-probabilities", JUDGE,
          f"prob must lie in [0, 1]; row 1 of dev.csv {COUNTED} holds -0.5. Are these log-probabilities? "
          "--logprobs reads them.", {"dev.csv": table(prob=[-0.5, -2.25] * 20)}),
    Wrong("a probability of NaN", JUDGE,
          f"prob must not be missing; row 12 of dev.csv {COUNTED} holds 'NaN'. "
          "Leave such rows out with --skip-missing (1 in all).", {"dev.csv": table(prob=(12, "NaN"))}),
    Wrong("text for a probability", JUDGE,
          "prob must be numbers; row 12 of dev.csv (counted from 1, without the header) holds 'sure'. Leave "
    "such rows out first.",
          {"dev.csv": table(prob=(12, "sure"))}),
    Wrong("a decimal comma", JUDGE,
          "prob must be numbers; row 12 of dev.csv (counted from 1, without the header) holds '0,5'. Write a "
    "decimal point.",
          {"dev.csv": table(prob=(12, '"0,5"'))}),
    Wrong("a comma that may separate thousands", f"{JUDGE} --weight weight",
          "weight must be numbers; row 1 of dev.csv (counted from 1, without the header) holds '1,234'. Its "
    "comma may separate thousands or decimals: write 1234 or 1.234.", {"dev.csv": table(weight=['"1,234"'] * 40)}),
    Wrong("a missing label", JUDGE,
          f"gold must not be missing; row 7 of dev.csv {COUNTED} holds nothing. "
          "Leave such rows out with --skip-missing (1 in all).", {"dev.csv": table(gold=(7, ""))}),
    Wrong("labels of which none is known to be positive", JUDGE,
          "gold must be 0 or 1; it holds 'no' (20), 'yes' (20). Say which is positive: --positive no "
          "or --positive yes.", {"dev.csv": table(gold=["yes", "no"] * 20)}),
    Wrong("three labels", JUDGE,
          "gold must have two values; it holds 'no' (20), 'yes' (15), 'maybe' (5). Treat non-answers as missing, for "
          "example --missing maybe with --skip-missing. If two are left, say which is positive: "
          "--positive VALUE.",
          {"dev.csv": table(gold=["yes", "no", "yes", "no", "yes", "no", "no", "maybe"] * 5)}),
    Wrong("a positive label that does not occur", f"{JUDGE} --positive Yes",
          "--positive Yes is not a value of gold; it holds 'no' (20), 'yes' (20). Did you mean --positive yes?",
          {"dev.csv": table(gold=["yes", "no"] * 20)}),
    Wrong("nothing left", f"{JUDGE} --missing 0 --missing 1 --skip-missing",
          "every row of dev.csv has a missing value (gold: 40); nothing is left.", CSV),
    Wrong("a negative weight", f"{JUDGE} --weight weight",
          "weight must be finite and not negative; row 3 of dev.csv (counted from 1, without the header) holds "
    "-1.0. Leave such rows out first.",
          {"dev.csv": table(weight=(3, -1))}),
    Wrong("an infinite weight", f"{JUDGE} --weight weight",
          "weight must be finite and not negative; row 3 of dev.csv (counted from 1, without the header) holds "
    "inf. Leave such rows out first.",
          {"dev.csv": table(weight=(3, "inf"))}),
    Wrong("a missing group", f"{JUDGE} --group model",
          f"model must not be missing; row 9 of dev.csv {COUNTED} holds nothing. "
          "Leave such rows out with --skip-missing (1 in all).", {"dev.csv": table(model=(9, ""))}),
    Wrong("a row of classes that does not sum to 1", JUDGE_CLASSES,
          "probs must hold the probabilities of the classes; row 4 of dev.jsonl (counted from 1) sums to 1.1, not to 1 "
          "(within 0.001). Is a class missing? Evaluate scores of separate questions one column at a time.",
          {"dev.jsonl": classes(4, probs=[0.2, 0.3, 0.6])}),
    Wrong("lists of different length", JUDGE_CLASSES,
          "probs must hold lists of the same length; the first has 3, row 4 of dev.jsonl (counted from 1) has 2.",
          {"dev.jsonl": classes(4, probs=[0.2, 0.8])}),
    Wrong("a list that is none", JUDGE_CLASSES,
          "probs must hold lists of numbers; row 4 of dev.jsonl (counted from 1) holds 'high'.",
          {"dev.jsonl": classes(4, probs="high")}),
    Wrong("a label that is no class", f"{JUDGE_CLASSES} --classes cat,dog,cow",
          "gold must be one of the classes cat, dog, cow, or an index from 0; it holds 'bee'.",
          {"dev.jsonl": classes(4, gold="bee")}),
    Wrong("a label that is no number of a class", f"{JUDGE_CLASSES} --classes 1,2,3",
          "gold must be one of the classes 1, 2, 3; it holds '0'.", CLASSES),
    Wrong("a class that does not exist", f"{JUDGE_CLASSES} --classes cat,dog,cow --reduce cats",
          "no class 'cats' in the predictions (and no reduction: top-label, class-wise); it has cat, dog, cow. "
          "Did you mean cat?", CLASSES),
]  # fmt: skip

OPTIONS = [
    Wrong("no probability", "calibration dev.csv --target gold",
          "name the probability in one way: --prob COL, --probs-column COL, --logits COL, --logprobs COL, "
    "--verbalised COL or --probs COL,COL,….\nhowsure look dev.csv", CSV),
    Wrong("two ways to name it", f"{JUDGE} --probs prob,weight",
          "name the probabilities with exactly one of --prob, --probs, --probs-column, --logits, --logprobs and "
          "--verbalised.", CSV),
    Wrong("classes of one probability", f"{JUDGE} --classes no,yes",
          "--classes is for several classes; with --prob, there is one probability per row.", CSV),
    Wrong("no label", "calibration dev.csv --prob prob",
          "--target must name the column of the true label.\nhowsure look dev.csv", CSV),
    Wrong("a misspelt option", "calibration dev.csv --targt gold",
          "No such option '--targt'. (Did you mean one of: '--target', '--test'?)", CSV),
    Wrong("a former spelling", "calibration dev.csv --label gold --prob prob",
          "No such option '--label'. It is now called '--target'.", CSV),
    Wrong("a level in per cent", f"{JUDGE} --level 95",
          "Invalid value for '--level': 95 does not lie strictly between 0 and 1; write 0.95 for 95 %", CSV),
    Wrong("a bin size of 0", f"{JUDGE} --bin-size 0",
          "Invalid value for '--bin-size': '0' is neither 'auto' nor a whole number of at least 1", CSV),
    Wrong("no bins", f"{JUDGE} --bins 0", "--bins must be a whole number of at least 1, not 0", CSV),
    Wrong("bins by number and by size", f"{JUDGE} --bins 5 --bin-size 10",
          "give --bins or --bin-size, not both; they are 5 and 10", CSV),
    Wrong("an option given twice", f"{JUDGE} --figure a.pdf --figure b.png",
          "--figure is given twice; it takes one value.", CSV),
    Wrong("unknown bins", f"{JUDGE} --binning quantile",
          "Invalid value for '--binning': 'quantile' is not one of 'adaptive', 'uniform'.", CSV),
    Wrong("an unknown interval", f"{JUDGE} --interval normal",
          "Invalid value for '--interval': 'normal' is not one of 'debiased', 'nguyen-oconnor', 'bootstrap', 'none'.",
          CSV),
    Wrong("an unknown format of the result", f"{JUDGE} --format excel",
          "Invalid value for '--format': 'excel' is not one of 'table', 'json', 'csv', 'markdown', 'latex'.", CSV),
    Wrong("a figure that cannot be", f"{JUDGE} --figure curve.gif",
          "--figure writes .svg, .png, .pdf; name a file that ends in one of these, not curve.gif.", CSV),
    Wrong("a report that cannot be", f"{JUDGE} --report report.pdf",
          "--report writes .html, .htm; name a file that ends in one of these, not report.pdf.", CSV),
    Wrong("a folder that is missing", f"{JUDGE} --output results/dev.json",
          "cannot write results/dev.json: there is no folder results. Make it first.", CSV),
    Wrong("a file without a name", f"{JUDGE} --output ''", "--output must name a file; the name is empty.", CSV),
    Wrong("two results in one file", f"{JUDGE} --output ./dev.html --report dev.html",
          "--output and --report must name different files; both name dev.html.", CSV),
    Wrong("models on different rows", "calibration compare a.csv b.csv --target gold --prob prob",
          "both models must be evaluated on the same rows; a.csv has 40, b.csv has 1. Match them by id: --id COL.",
          {"a.csv": table(), "b.csv": b"gold,prob\n1,0.3\n"}),
    Wrong("models with different labels", "calibration compare a.csv b.csv --target gold --prob prob",
          f"both models must be evaluated on the same rows; the label of row 1 of b.csv {COUNTED} is not that of "
          "a.csv. "
          "Are the rows in a different order? Match them: --id COL. Does the label say whether the model's own answer "
          "is "
          "right? Then name that of each: --target COL for the one, --target COL for the other.",
          {"a.csv": table(gold=(1, 0)), "b.csv": table(gold=(1, 1))}),
    Wrong("a label of one model for both", "calibration compare dev.csv --target right_a --prob conf_a --prob conf_b",
          "--target right_a is named after conf_a. Is it whether that model's own answer is right? Then it says "
          "nothing of conf_b: name the label of each, --target right_a --target COL. Is it true of both? Say so: "
          "--target right_a --target right_a.", {"dev.csv": b"right_a,right_b,conf_a,conf_b\n1,0,0.9,0.2\n"}),
    Wrong("a verdict on one answer for two models",
          "calibration compare dev.csv --target is_correct --prob conf_a --prob conf_b",
          "--target is_correct seems to say whether an answer is right, and there are two models. Is it the answer of "
          "one of them? Then name the label of each: --target COL --target COL. Is it true of both? Say so: "
          "--target is_correct --target is_correct.", {"dev.csv": b"is_correct,conf_a,conf_b\n1,0.9,0.2\n"}),
    Wrong("models of which one lacks an item",
          "calibration compare a.csv b.csv --target gold --prob prob --id uid",
          "both models must be evaluated on the same rows; 1 row only of a.csv, 1 only of b.csv. Leave them out"
    " with --skip-missing.",
          {"a.csv": b"uid,gold,prob\na,1,0.3\nb,0,0.5\n", "b.csv": b"uid,gold,prob\nc,1,0.3\nb,0,0.5\n"}),
    Wrong("the same items in two files",
          "calibration a.csv b.csv --target gold --prob prob --id uid",
          "equal values of uid occur in several files, and it is unclear what that means: 'b' is in row 2 of a.csv "
          f"{COUNTED} and in row 2 of b.csv {COUNTED}; so are 0 of 2 others. Are they the same item, evaluated twice "
          "(for example with two seeds)? --across-files same counts them as one cluster. Does each file have its own "
          "numbering? "
          "--across-files separate keeps them apart.",
          {"a.csv": b"uid,gold,prob\na,1,0.3\nb,0,0.5\n", "b.csv": b"uid,gold,prob\nc,1,0.3\nb,0,0.5\n"}),
    Wrong("more processes than any machine runs",
          "events extract news.conllu --store news.duckdb --workers 1000000",
          "Invalid value for '--workers': 1000000 is not in the range 1<=x<=256."),
    Wrong("more clusterings than memory holds",
          "events extract news.conllu --store news.duckdb --samples 1000000000",
          "Invalid value for '--samples': 1000000000 is not in the range 1<=x<=10000."),
    Wrong("more sequences than there are", "sequences tag model.npz news.conllu --k-best 1000000000",
          "Invalid value for '--k-best': 1000000000 is not in the range 1<=x<=1000."),
    Wrong("what equal values of no column are",
          "significance dev.csv --target gold --against gold --model prob --across-files same",
          "--across-files same says what equal values of a column in several files are, and none is named. Name it "
          "with --cluster, or leave --across-files out.", CSV),
    Wrong("an id that stands twice", "calibration dev.csv --target gold --prob prob --id uid",
          f"uid must be different in every row; 'a' is that of row 1 of dev.csv {COUNTED} and of row 3 of dev.csv "
          f"{COUNTED}. Several rows per item? Name them with --cluster uid.",
          {"dev.csv": b"uid,gold,prob\na,1,0.3\nb,0,0.5\na,1,0.4\n"}),
    Wrong("a model compared with nothing", "calibration compare dev.csv --target gold --prob prob",
          "compare takes two files and one column, or one file and two columns; it got 1 and 1.", CSV),
    Wrong("a model compared with itself", "calibration compare dev.csv --target gold --prob prob --prob prob",
          "dev.csv:prob is named twice; a model is compared with another one.", CSV),
    Wrong("truths and draws that do not fit", QUANTILES,
          "the arrays of draws.npz must have the same length; they have truth 5, draws 4.",
          {"draws.npz": archive(truth=np.zeros(5), draws=np.zeros((4, 3)))}),
    Wrong("more bars than ranks", f"{QUANTILES} --bins 20",
          "--bins must be a whole number from 2 to the number of ranks, 4; it is 20.",
          {"draws.npz": archive(truth=np.zeros(5), draws=np.zeros((5, 3)))}),
    Wrong("a column named twice", "quantiles dev.csv --target gold --draws prob,prob",
          "--target and --draws must name each column once; they name gold, prob, prob.", CSV),
    Wrong("draws that are infinite", QUANTILES,
          "draws must be finite; row 3 of draws.npz (counted from 1) is not. Leave such rows out first.",
          {"draws.npz": archive(truth=np.zeros(3), draws=np.array([[0, 1], [2, 3], [4, np.inf]]))}),
    Wrong("a baseline that is the model", "significance dev.csv --target gold --against model --model model",
          "--against and --model must differ; both name model.", CSV),
    Wrong("a column of other labels", "significance dev.csv --target model --against gold --model prob",
          "gold holds no label that the targets hold (base, large), but 0, 1. Is it the right one?", CSV),
    Wrong("probabilities for labels", "significance dev.csv --target gold --against weight --model prob",
          f"prob must hold labels; row 1 of dev.csv {COUNTED} holds 0.637. For probabilities name metrics that take "
          "them, such as brier and log_loss.", CSV),
    Wrong("classes by other names", "significance dev.jsonl --target gold --against a --model b",
          "b must hold the same names in every row, 'no', 'yes' as in the first; row 2 of dev.jsonl (counted from 1) "
          """holds '{"yes":1.0}'. A class without votes has a probability of 0: write it.""",
          {"dev.jsonl": b'{"gold":{"no":1,"yes":0},"a":{"no":0.7,"yes":0.3},"b":{"no":0.5,"yes":0.5}}\n'
                        b'{"gold":{"no":0,"yes":1},"a":{"no":0.6,"yes":0.4},"b":{"yes":1.0}}\n'}),
    Wrong("a class for a metric of all classes",
          "significance dev.csv --target gold --against weight --model gold --metric accuracy --class 1",
          "--class is for precision, recall, f1 of labels; the metrics are accuracy. Ask for one of "
          "these, or leave it out.", CSV),
    Wrong("a sub-sample for a test that draws none",
          "significance dev.csv --target gold --against weight --model prob --metric brier --sample-size 0.2",
          "--sample-size goes with --method boostsa alone; leave it out, or choose that method.", CSV),
    Wrong("runs whose items are in different orders",
          "significance runs.csv --target gold --against a --model b --run seed",
          "the runs do not list the same targets in the same order; identify the item of each row: --id",
          {"runs.csv": b"gold,a,b,seed\n0,0,0,1\n1,1,0,1\n1,1,1,2\n0,0,1,2\n"}),
    Wrong("a number in words", "simulate ten", "Invalid value for 'N': 'ten' is not a whole number."),
    Wrong("too much miscalibration", "simulate 100 --k 0.7",
          "Invalid value for '--k': 0.7 is not in the range 0.0<=x<=0.5."),
    Wrong("figures into a file", "reproduce binning --figures dev.csv",
          "--figures must name a folder; dev.csv is a file.", CSV),
    Wrong("a misspelt command", "calibrate dev.csv", "No such command 'calibrate'.", CSV),
]  # fmt: skip

PYTHON = [
    ("curve([0, 1, 1], [0.1, 0.8])", "y_prob must have as many rows as the others; it has 2, they have 3."),
    ("curve([], [])", "y_true is empty: there is nothing to evaluate."),
    ("curve([0, 1], [0.1, 1.7])",
     "y_prob must lie in [0, 1]; row 1 holds 1.7. Are these logits? Given('logits', ...) reads them. (Rows"
    " are counted from 0.)"),
    ("curve([0, 1], [0.1, np.nan])",
     "y_prob must not be missing; row 1 holds nothing. Leave such rows out first. (Rows are counted from "
    "0.)"),
    ("curve([0, 1], [0.1, None])",
     "y_prob must not be missing; row 1 holds nothing. Leave such rows out first. (Rows are counted from "
    "0.)"),
    ("curve([0, 1, 2], [[0.9, 0.1, 0], [0.2, 0.8, 0], [0.1, 0.2, 0.7]])",
     "y_prob must have one dimension; its shape is (3, 3), one column per class. Make pairs of a probability and a "
     "label "
     "by howsure.pairs_from_classes(y_true, y_prob), and give these instead."),
    ("curve([0, 1], [[0.9, 0.1], [0.2, 0.8]])",
     "y_prob must have one dimension; its shape is (2, 2). Take one column: y_prob[:, 1]."),
    ("curve(['no', 'yes', 'no'], [0.1, 0.8, 0.3])",
     "y_true must be 0 or 1; it holds 'no' (2), 'yes' (1). Say which is positive: pos_label='no' or "
    "pos_label='yes'."),
    ("curve(['no', 'yes'], [0.1, 0.8], pos_label='Yes')",
     "pos_label='Yes' is not a value of y_true; it holds 'no' (1), 'yes' (1). Did you mean "
    "pos_label='yes'?"),
    ("curve([0, 1, 2, 0], [0.1, 0.8, 0.6, 0.3])",
     "y_true must have two values; it holds 0 (2), 1 (1), 2 (1). Leave out the rows of the others, or compare with one "
     "value: y_true == 0."),
    ("curve('gold', 'prob', data={'gold': [0, 1]})",
     "data must be a data frame, or files by howsure.read; it is a dict. Pass arrays without data."),
    ("curve('glod', 'prob', data=frame)", "no column 'glod' in the data frame; it has gold, prob. Did you mean gold?"),
    ("curve([0, 1], 'prob', data=frame)", "with data=..., y_true must name a column, not be a list."),
    ("curve([0, 1], [0.1, 0.8], clusters=['a', None])",
     "clusters must not be missing; row 1 holds nothing. Leave such rows out first. (Rows are counted from"
    " 0.)"),
    ("curve([0, 1], [0.1, 0.8], sample_weight=[1, -1])",
     "sample_weight must be finite and not negative; row 1 holds -1.0. Leave such rows out first." + FROM_0),
    ("curve([0, 1], [0.1, 0.8], level=95)",
     "level must lie strictly between 0 and 1; it is 95. Write 0.95 for 95 %."),
    ("curve([0, 1], [0.1, 0.8], bin_size='big')", "bin_size must be 'auto' or a whole number of at least 1, not 'big'"),
    ("curve([0, 1], [0.1, 0.8], interval='bootstrap', rng='x')",
     "rng must be a seed, a numpy Generator, a SeedSequence or None, not 'x'"),
    ("howsure.compare_calibration([0, 1], [0.1, 0.8], against=[0.2])",
     "against must have as many rows as the others; it has 1, they have 2."),
    ("howsure.calibration_table([0, 1], [0.1, 0.8], groups=['NN', None])",
     "groups must not be missing; row 1 holds nothing. Leave such rows out first. (Rows are counted from "
    "0.)"),
    ("howsure.pairs_from_classes([0, 1], [[0.5, 0.6], [0.1, 0.9]])",
     "y_prob must hold the probabilities of the classes; row 0 sums to 1.1, not to 1 (within 0.001). Is a class "
     "missing? Evaluate scores of separate questions one column at a time." + FROM_0),
    ("howsure.posterior_quantiles(np.zeros(5), np.zeros((4, 3)))",
     "y_true must have shape (4,) like the rows of draws; it has (5,)"),
    ("howsure.TagPosterior([np.eye(2)], np.eye(2)).tempered(0)",
     "temperature must be a temperature, a finite number above 0; it is 0."),
    ("howsure.TagPosterior([np.eye(2)], np.eye(2)).tempered(1, transitions=float('nan'))",
     "transitions must be a temperature, a finite number above 0; it is nan."),
]  # fmt: skip
