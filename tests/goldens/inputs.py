"""The small simulated files that the commands of the goldens read. Their bytes are always the same, and they are made
without howsure."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from tests.data.logs.samples import LOGS
from tests.data.logs.writers import lm_eval_sample, write_lm_eval
from tests.source import DEMO

Columns = Mapping[str, Sequence[Any]]
GIVEN = Path(__file__).parent / "given"
N = 240


def pairs() -> dict[str, list[Any]]:
    """Return predictions of two models for the same items, the second one overconfident, with whole numbers, names and
    weights."""
    rng = np.random.default_rng(27)
    p = rng.uniform(0.03, 0.97, N).round(3)
    y = (rng.random(N) < p).astype(int)
    q = np.where(p > 0.5, p + 0.6 * (1 - p) * (p - 0.5), p - 0.6 * p * (0.5 - p)).round(3)
    return {
        "id": [f"i{k:03}" for k in range(N)],
        "y": y.tolist(),
        "p": p.tolist(),
        "q": q.tolist(),
        "lang": [("de", "en", "fr")[k % 3] for k in range(N)],
        "year": [2020 + k % 2 for k in range(N)],
        "doc": [k // 4 for k in range(N)],
        "w": [1 + (k % 5) / 2 for k in range(N)],
        "answer": ["yes" if positive else "no" for positive in y],
    }


def classes() -> dict[str, list[Any]]:
    """Return three classes with their probabilities, logits and log-probabilities."""
    rng = np.random.default_rng(3)
    z = rng.normal(0, 1.5, (150, 3)).round(3)
    raised = np.exp(z)
    probs = (raised / raised.sum(axis=1, keepdims=True)).round(6)
    probs[:, 2] = (1 - probs[:, 0] - probs[:, 1]).round(6)
    gold = [("cat", "cow", "dog")[rng.choice(3, p=row / row.sum())] for row in probs]
    return {
        "gold": gold,
        "probs": [dict(zip(("cat", "cow", "dog"), row, strict=True)) for row in probs.tolist()],
        "cat": probs[:, 0].tolist(),
        "cow": probs[:, 1].tolist(),
        "dog": probs[:, 2].tolist(),
        "z": z.tolist(),
        "logprobs": np.log(probs).round(6).tolist(),
        "doc": [k // 3 for k in range(150)],
    }


def systems() -> list[dict[str, Any]]:
    """Return labels of a human annotator and of three systems for 90 items in 18 documents."""
    rng = np.random.default_rng(5)
    rows = []
    for k in range(90):
        gold = int(rng.integers(3))
        answers = [gold if rng.random() < right else int(rng.integers(3)) for right in (0.6, 0.72, 0.9)]
        probs = rng.dirichlet([1, 1, 1]).round(4).tolist()
        rows.append(
            {
                "gold": f"c{gold}",
                "base": f"c{answers[0]}",
                "large": f"c{answers[1]}",
                "huge": f"c{answers[2]}",
                "soft": json.dumps(probs),
                "doc": k // 5,
                "uid": f"u{k}",
                "kind": ("a", "b")[k % 2],
            }
        )
    return rows


def monitored() -> list[dict[str, Any]]:
    """Return a log of 24 days in two groups, one of which is miscalibrated from the 13th day on. The last labels are
    missing."""
    rng = np.random.default_rng(8)
    n = 24 * 60
    q = rng.beta(4, 1.5, n).round(4)
    bad = np.arange(n) % 2 == 1
    y = rng.random(n) < np.clip(q - 0.2 * (bad & (np.arange(n) >= n // 2)), 0, 1)
    return [
        {
            "time": f"2026-01-{1 + k // 60:02}T10:00:00Z",
            "right": None if k >= n - 40 and k % 5 == 0 else int(y[k]),
            "p": q[k].item(),
            "part": "shaky" if bad[k] else "fine",
        }
        for k in range(n)
    ]


def news_scores() -> list[dict[str, Any]]:
    """Return scores of 300 articles, by month and country; `truth` is the correct label."""
    rng = np.random.default_rng(11)
    score = rng.beta(0.7, 1.6, 300).round(4)
    truth = rng.random(300) < score**1.3
    return [
        {
            "id": f"d{k}",
            "month": f"M{k % 3}",
            "day": f"2026-0{1 + k % 3}-{1 + k % 28:02}",
            "source": f"s{k // 3}",
            "score": score[k].item(),
            "length": 20 + k % 7,
            "text": f"=text {k}",
            "truth": int(truth[k]),
        }
        for k in range(300)
    ]


def tagged(n: int, seed: int) -> str:
    """Return sentences of an imaginary language in which nouns are often verbs: word and tag."""
    words = {"D": ["the", "a"], "N": ["dog", "cat", "run", "walk"], "V": ["run", "walk", "sees", "likes"], ",": [","]}
    follows = {"D": "NNN", "N": "VVN,", "V": "DDNV", ",": "DNV"}
    rng = np.random.default_rng(seed)
    sentences = []
    for _ in range(n):
        tag = "DN,"[rng.integers(3)]
        rows = []
        for _ in range(1 + rng.integers(8)):
            rows.append(f"{words[tag][rng.integers(len(words[tag]))]}\t{tag}\n")
            tag = follows[tag][rng.integers(len(follows[tag]))]
        sentences.append("".join(rows))
    return "\n".join(sentences) + "\n"


def entities() -> dict[str, np.ndarray[Any, Any]]:
    """Return logits of a token classifier that is often correct, and gold labels, some of them -100."""
    rng = np.random.default_rng(0)
    gold = rng.choice(5, size=(20, 9), p=[0.6, 0.15, 0.05, 0.15, 0.05])
    logits = (rng.normal(size=(20, 9, 5)) + 2 * np.eye(5)[gold]).round(3)
    gold[rng.random(gold.shape) < 0.1] = -100
    return {"predictions": logits.astype(np.float32), "label_ids": gold}


def records(columns: Columns) -> list[dict[str, Any]]:
    """Return rows of columns."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def csv_text(rows: Sequence[Mapping[str, Any]], delimiter: str = ",") -> str:
    """Return rows as CSV."""
    lines = io.StringIO()
    writer = csv.DictWriter(lines, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return lines.getvalue()


def json_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def lm_eval_run(folder: Path, model: str, seed: int) -> None:
    """Return a run of lm-evaluation-harness: 60 questions with two choices."""
    rng = np.random.default_rng(seed)
    samples = []
    for item in range(60):
        likelihoods = rng.normal(-3, 1, 2).round(3).tolist()
        right = int(np.argmax(likelihoods)) if rng.random() < 0.7 else int(rng.integers(2))
        samples.append(lm_eval_sample(item, likelihoods, right))
    write_lm_eval(folder, model, "quiz", samples)


def write_inputs(folder: Path) -> None:
    """Write all files."""
    for name, content in contents().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@cache
def contents() -> dict[str, bytes]:
    """Return the content of each file by its path, made once for all rooms."""
    with tempfile.TemporaryDirectory() as name:
        make_inputs(Path(name))
        return {str(path.relative_to(name)): path.read_bytes() for path in Path(name).rglob("*") if path.is_file()}


def make_inputs(folder: Path) -> None:
    """Make all files in a folder."""
    rows = records(pairs())
    (folder / "pairs.csv").write_text(csv_text(rows))
    (folder / "pairs.tsv").write_text(csv_text(rows, "\t"))
    (folder / "pairs.jsonl").write_text(json_lines(rows))
    (folder / "pairs.json").write_text(json.dumps(rows))
    (folder / "pairs.csv.gz").write_bytes(gzip.compress(csv_text(rows).encode(), mtime=0))
    pa.parquet.write_table(pa.table(pairs()), folder / "pairs.parquet")
    np.savez(folder / "pairs.npz", **{name: np.array(column) for name, column in pairs().items()})
    few = {name: column[:24] for name, column in pairs().items() if name in ("id", "y", "q", "lang")}
    (folder / "few.csv").write_text(csv_text(records(few)))
    (folder / "few.jsonl").write_text(json_lines(records(few)))
    pa.parquet.write_table(pa.table(few), folder / "few.parquet")
    (folder / "few-classes.jsonl").write_text(json_lines(records(classes())[:12]))
    turned = [rows[k] for k in np.random.default_rng(2).permutation(N)]
    (folder / "other.csv").write_text(csv_text([{"id": r["id"], "y": r["y"], "p": r["q"]} for r in turned]))
    for name, part in (("north", rows[:120]), ("south", rows[120:])):
        (folder / f"{name}.csv").write_text(csv_text(part))
    holes = [dict(row) for row in rows]
    holes[3]["p"], holes[7]["y"], holes[9]["lang"], holes[11]["p"] = "", "", "", "NA"
    (folder / "holes.csv").write_text(csv_text(holes))
    stated = [{"y": r["y"], "said": f"{round(100 * r['p'])}%", "doc": r["doc"]} for r in rows]
    (folder / "stated.csv").write_text(csv_text(stated))
    (folder / "classes.jsonl").write_text(json_lines(records(classes())))
    flat = {name: column for name, column in classes().items() if name in ("gold", "cat", "cow", "dog", "doc")}
    (folder / "classes.csv").write_text(csv_text(records(flat)))
    write_systems(folder)
    (folder / "log.jsonl").write_text(json_lines(monitored()))
    (folder / "news.csv").write_text(csv_text([{k: v for k, v in r.items() if k != "truth"} for r in news_scores()]))
    for name, n, seed in (("train", 60, 0), ("dev", 30, 1), ("test", 30, 2), ("short", 6, 3)):
        (folder / f"{name}.tsv").write_text(tagged(n, seed))
    np.savez(folder / "entities.npz", **entities())
    draws = np.random.default_rng(4)
    truth = draws.normal(size=80).round(4)
    spread = (truth[:, None] + draws.normal(size=(80, 1)) + draws.normal(size=(80, 20))).round(4)
    np.savez(folder / "draws.npz", truth=truth, draws=spread)
    logits = draws.normal(size=(90, 6)).round(3).astype(np.float32)
    np.save(folder / "logits.npy", logits)
    np.save(folder / "tokens.npy", np.where(draws.random(90) < 0.6, logits.argmax(axis=1), draws.integers(6, size=90)))
    for path in GIVEN.iterdir():
        shutil.copy(path, folder / path.name)
    for name in ("news.conllu", "actors.tsv", "labels.csv", "predictions.csv"):
        source = DEMO / name
        shutil.copy(source, folder / f"demo-{name}")
    for name, (content, write) in LOGS.items():
        (folder / "logs" / name.replace(" ", "-")).mkdir(parents=True)
        write(folder / "logs" / name.replace(" ", "-"), content)
    judged = [
        {"id": item, "judgments": [{"judge": judge, "grade": (item * at) % 3 % 2} for at, judge in enumerate("xy", 1)]}
        for item in range(12)
    ]
    (folder / "judged.json").write_text(json.dumps([*judged, "the end"]))
    for model, seed in (("org/small", 1), ("org/large", 2)):
        lm_eval_run(folder / "results", model, seed)


def write_systems(folder: Path) -> None:
    """Write the systems' labels with a column for each system and with a row for each label, scores of systems, and
    outcomes of an older program."""
    rows = systems()
    (folder / "systems.csv").write_text(csv_text(rows))
    long = [
        {"model": model, "gold": row["gold"], "said": row[model], "uid": row["uid"], "run": 0}
        for model in ("base", "large", "huge")
        for row in rows
    ]
    (folder / "long.csv").write_text(csv_text(long))
    rng = np.random.default_rng(6)
    scores = [
        {"model": model, "uid": f"u{k}", "run": run, "bleu": round(float(rng.normal(30 + 2 * at, 5)), 3)}
        for at, model in enumerate(("base", "large"))
        for k in range(60)
        for run in range(2)
    ]
    (folder / "scores.csv").write_text(csv_text(scores))
    (folder / "passes.csv").write_text(csv_text([score | {"right": int(score["bleu"] > 31)} for score in scores]))
    trials = [
        {
            "model": score["model"],
            "uid": score["uid"],
            "run": score["run"],
            "right": "" if k % 19 == 0 else int(score["bleu"] > 31),
            "error": "timeout" if k % 19 == 0 else "",
            "dollars": (3 if score["model"] == "base" else 1) + k % 7 / 10,
        }
        for k, score in enumerate(scores)
    ]
    (folder / "trials.csv").write_text(csv_text(trials))
    wide = [
        {
            "id": k,
            "new": round(float(rng.uniform(0.2, 1)), 3),
            "old": round(float(rng.uniform(0, 0.9)), 3),
            "lang": ("de", "en")[k % 2],
            "doc": k // 3,
        }
        for k in range(120)
    ]
    (folder / "quality.csv").write_text(csv_text(wide))
    battles = [
        {
            "prompt": k // 3,
            "left": "xyz"[k % 3],
            "right": "yzx"[k % 3],
            "winner": ("model_a", "model_b", "tie")[int(rng.choice(3, p=[0.4, 0.35, 0.25]))],
        }
        for k in range(150)
    ]
    (folder / "battles.csv").write_text(csv_text(battles))
    graded = [
        {
            "item": k // 2,
            "model": ("old", "new")[k % 2],
            "judge": int(rng.integers(2, 6)),
            "person": int(rng.integers(1, 6)) if k % 6 < 2 else "",
            "half": ("first", "second")[k // 60],
        }
        for k in range(120)
    ]
    for k, unit in enumerate(graded):
        unit["again"] = 1 if unit["person"] == 5 and k % 5 == 0 else unit["person"]
    (folder / "graded.csv").write_text(csv_text(graded))
    raters = [{"item": k // 3, "rater": "xyz"[k % 3], "grade": int(rng.integers(1, 4))} for k in range(90)]
    (folder / "raters.csv").write_text(csv_text([unit for k, unit in enumerate(raters) if k % 7]))
    marked = [
        {"doc": k // 6, "rater": "xy"[k % 2], "start": k // 2 % 3 * 20 + k % 7 // 6, "size": 80} for k in range(120)
    ]
    spans = [span | {"end": span["start"] + 9, "label": "AB"[k % 6 // 4]} for k, span in enumerate(marked)]
    (folder / "spans.csv").write_text(csv_text([span for k, span in enumerate(spans) if k % 11]))
    labels = [{"id": k, "person": k % 3 > 0, "judge": (k % 3 > 0) ^ (k % 11 == 0), "doc": k // 4} for k in range(240)]
    judged = [
        row | {"person": int(row["person"]) if row["id"] < 150 else "", "judge": int(row["judge"])} for row in labels
    ]
    (folder / "judged.csv").write_text(csv_text(judged))
    structures = [
        {"id": k, "samples": [[["N", 0], ["V", i % 3]] for i in range(2 + k % 4)], "gold": [["N", 0], ["V", k % 3]]}
        for k in range(30)
    ]
    (folder / "parses.jsonl").write_text(json_lines(structures))
    texts = [[f"w{(7 * k + i * i) % 9}" for i in range(8)] for k in range(40)]
    tags = [["O", "B-A", "I-A", "O", "B-B"][: 2 + k % 4] for k in range(40)]
    for name, period in (("gold", 99), ("north", 5), ("south", 3)):
        tags_by_line = [
            [tag if (i + k) % period else "x" for i, tag in enumerate(text)] for k, text in enumerate(texts)
        ]
        (folder / f"{name}.txt").write_text("".join(" ".join(text) + "\n" for text in tags_by_line))
        lines = [[f"w {tag if (i + k) % period else 'O'}" for i, tag in enumerate(row)] for k, row in enumerate(tags)]
        (folder / f"{name}.conll").write_text("".join("\n".join(row) + "\n\n" for row in lines))
    biased = [
        {
            "item": k // 2,
            "judge": int(rng.integers(2, 6)),
            "person": int(rng.integers(1, 4)) if k % 5 else "",
            "swapped": int(rng.integers(1, 5)),
            "words": int(rng.integers(20, 400)),
            "asked": int(rng.integers(5, 90)),
            "family": ("us", "them", "others")[k % 3],
        }
        for k in range(120)
    ]
    (folder / "biased.csv").write_text(csv_text(biased))
    prompted = [
        {
            "item": k // 6,
            "document": k // 12,
            "prompt": "abc"[k % 3],
            "run": k // 3 % 2,
            "grade": int(rng.integers(1, 5)) + 2 * (k % 3 == 1) + k // 6 % 4,
        }
        for k in range(239)
    ]
    (folder / "prompted.csv").write_text(csv_text(prompted))
