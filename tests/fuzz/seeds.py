"""Small valid files from which fuzzing starts, written by howsure if it writes such files, else by hand."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import safetensors.numpy
from tests.antecedent_scores.test_score_file import several
from tests.coreference.test_recalibration import drawn
from tests.data.files import write
from tests.data.logs.samples import INSPECTED, LOGS, STATS
from tests.data.logs.writers import lm_eval_results, write_inspect
from tests.events.labels.test_import_labels import TASKS
from tests.events.newswire import write_corpus, write_model
from tests.sequences.peer import train
from tests.test_coreference_files import CONLL2012, LITBANK, THREE

from howsure.calibration import CalibrationSummaries, CalibrationSummary
from howsure.counts import draw_label_sample
from howsure.fields import FilingPolicy, evaluate_fields
from howsure.monitoring import CalibrationMonitor
from howsure.recalibration import recalibrate
from howsure.regression import regress_predicted
from howsure.sequential import SequentialComparison, SequentialScore, draw_order
from howsure.significance.experiments import Experiments
from howsure_events import EventStore
from howsure_events.store.store_queries import recorded_settings
from howsure_text.coreference import Sharpening, recalibrate_coreference, write_antecedent_scores
from howsure_text.sequences.crf import CRFTagger
from howsure_text.sequences.hmm import HMMTagger
from tests.fuzz.store_edits import whole_store

Seeds = Callable[[Path], list[bytes]]  # made in a folder

COLUMNS = {
    "label": [0, 1, 1, 0, None],
    "prob": [0.1, 0.75, 1e-3, 0.5, 0.2],
    "group": ["a", "b", "a", "ü b", "b"],
    "cluster": ["x", "x", "y", "z", "z"],
}
LISTS = b'{"label": "b", "probs": [0.25, 0.75]}\n{"label": "a", "probs": [0.5, 0.5]}\n'
MAPPINGS = b'{"label": "b", "probs": {"a": 0.25, "b": 0.75}}\n{"label": "a", "probs": {"b": 0.5, "a": 0.5}}\n'
TWO = b"a\tDT\nbird\tNN\n\nsings\tVBZ\n"
CONLLU = b"""\
# newdoc id = d-1
# global.Entity = eid-etype-infstat
# meta::date = 1999-02-03
# sent_id = s-1
# text = The bird's song
1-2\tThe bird\t_\t_\t_\t_\t_\t_\t_\t_
1\tThe\tthe\tDET\tDT\tDefinite=Def\t2\tdet\t2:det\tEntity=(1-animal-new
2\tbird\tbird\tNOUN\tNN\t_\t0\troot\t_\tEntity=1)|SpaceAfter=No
2.1\tsang\t_\t_\t_\t_\t_\t_\t0:root\t_
3\t's\t's\tPART\tPOS\t_\t2\tcase\t_\tEntity=(1-animal-giv)(2-_-new)

"""
BASELINE = b"""\
{"format": "howsure check baseline", "schema": 1, "howsure": "0.2.0", "entries": [
 {"check": "calibration", "group": null, "n": 2000, "squared error": {"value": 0.006, "variance": 3e-06,
  "slope_above": 0.0004, "slope_below": 0.0004, "least": 6e-07, "degrees_of_freedom": null, "rare": 0.001},
  "how": {"bin_size": "auto", "n_bins": null, "binning": "adaptive"}},
 {"check": "score", "group": "a", "n": 3, "mean": {"value": 0.7, "variance": 0.1, "lean": -0.4,
  "degrees_of_freedom": 2.0}, "how": {}}]}
"""
CHECKS = b"""\
[check]
level = 0.9
[check.calibration]
files = ["a.csv", "b.csv"]
target = "y"
prob = "p"
skip-missing = true
missing = ["none"]
[[check.score]]
files = "a.csv"
score = "p"
min-score = 0.5
"""
RULE = b"""\
name: bombing
labels: ud
verbs: [bomb, shell]
forms: [bombed]
nouns: [bombing]
noun_agents: ["nmod:poss", "nmod(by)"]
agents: [nsubj, "obl:agent"]
conjoined: true
"""
DATED = {"id": ["1", "2"], "date": ["1999-02-03", "2000-12-31T10:00:00"], "title": ["A", "B"], "text": ["Iraq.", "No."]}
RUNS = {"exp_idxs": [["1"]], "preds": [[0, 1]], "targs": [[0, 0]], "idxs": [[]], "epochs": [3]}
SCORED: dict[str, list[object]] = {
    "id": ["a", "a", "b", "c"],
    "date": ["2001-01-02", "2001-01-02", "2001-01-03", "never"],
    "actor": ["IRQ", "KWT", "", "IRQ"],
    "p": ["0.5", "1", "", "0.25"],
}
OUTCOMES = json.dumps({"base": {**RUNS, "h1": {"large": RUNS}}}).encode()
STRUCTURES = b"".join(
    json.dumps({"id": item, "samples": [[["a", 1], ["b", 2]], [["a", 1]]], "gold": [["a", 1]]}).encode() + b"\n"
    for item in ("x", "y")
)
WORDS, TAGS = [["a", "bird", "sings"], ["birds", "sing"]], [["DT", "NN", "VBZ"], ["NNS", "VBP"]]


def maps() -> list[bytes]:
    """Return maps of one probability, of groups, and of classes."""
    y, q = np.arange(80) % 2, np.linspace(0.1, 0.9, 80)
    of_groups = recalibrate(y, q, groups=np.arange(80) // 40, method="isotonic")
    of_classes = recalibrate([0, 1, 2] * 3, np.random.default_rng(0).dirichlet([1] * 3, 9), method="vector")
    return [fitted_map.to_json().encode() for fitted_map in (recalibrate(y, q, folds=2), of_groups, of_classes)]


def bytes_of(make: Callable[[Path], object], path: Path) -> bytes:
    """Return what a function writes to a file."""
    make(path)
    return path.read_bytes()


def array(values: object) -> bytes:
    content = io.BytesIO()
    np.save(content, np.array(values))
    return content.getvalue()


def parquet(folder: Path) -> list[bytes]:
    """Return files with and without compression, in one and in several row groups."""
    rows, contents = pa.table(COLUMNS), []
    for at, options in enumerate(({}, {"compression": "zstd", "row_group_size": 2}, {"use_dictionary": False})):
        pa.parquet.write_table(rows, folder / f"{at}.parquet", **options)
        contents.append((folder / f"{at}.parquet").read_bytes())
    return contents


def experiments(path: Path) -> None:
    store = Experiments(path)
    store.add("base", "seed 1", ["e", "n", "c"], y_true=["e", "n", "n"], id=["a", "b", "c"], epochs=3)
    store.add("large", "seed 1", ["n", "e", "n"], id=["b", "a", "c"])


def logits(path: Path) -> None:
    """Return logits as the saved output of a Trainer."""
    ids = np.array([[-100, 1, 2, 0], [-100, 0, -100, -100]])
    np.savez(path, predictions=np.eye(3, dtype=np.float32)[ids % 3], label_ids=ids, transitions=np.zeros((3, 3)))


def taggers(folder: Path) -> list[bytes]:
    made = [tagger.fit(WORDS, TAGS) for tagger in (HMMTagger(), CRFTagger(features="basic", max_iterations=3))]
    noisy = [[*row[1:], row[0]] for row in TAGS]
    made.append(made[0].recalibrate([*WORDS, *WORDS], [*TAGS, *noisy], keep_answers=True))
    return [bytes_of(tagger.save, folder / f"tagger-{at}") for at, tagger in enumerate(made)]


def scored(path: Path) -> bytes:
    """Return antecedent scores in every layout."""
    return bytes_of(lambda place: write_antecedent_scores(several(), place), path)


def table(suffix: str, columns: dict[str, list[object]] = COLUMNS) -> Seeds:
    """Return columns in the format of a suffix."""
    return lambda folder: [write(folder / f"table{suffix}", columns).read_bytes()]


def watched() -> CalibrationMonitor:
    """Return a monitor after four days."""
    monitor = CalibrationMonitor()
    monitor.update(["2026-01-01", "2026-01-02", "2026-01-04", "2026-01-06"], [1, 0, 1, 1], [0.9, 0.4, 0.8, 0.7])
    return monitor


def sequential_states(folder: Path) -> list[bytes]:
    """Return a comparison in the order drawn, with clusters, and a score with predictions."""
    order = draw_order(["a", "b", "c", "d"], clusters=["x", "x", "y", "z"], rng=1)
    comparison = SequentialComparison(order=order)
    rows = order.rows[:3]
    comparison.add([1, 0, 1], [0, 0, 1], id=[row.id for row in rows], clusters=[row.cluster for row in rows])
    score = SequentialScore(min_score=0.5, predicted={"a": 0.9, "b": 0.25, "c": 0.5}, bounds=(0, 2))
    score.add([1, 2], id=["a", "b"])
    return [bytes_of(state.save, folder / f"{at}.json") for at, state in enumerate((comparison, score))]


def regressions(folder: Path) -> list[bytes]:
    """Return a regression of events as `howsure events regress` writes it."""
    fit = regress_predicted({row: row % 2 for row in range(20)}, np.linspace(0, 1, 40), covariates=[np.arange(40) % 3])
    with EventStore.open(whole_store()) as store:
        settings = recorded_settings(store)
    fields = fit.to_dict()
    return [json.dumps({**fields, "recipe": {**fields["recipe"], "store": settings}}).encode()]


TRACES = b"".join(  # of MLflow, with assessments as a text
    b'{"trace_id": "t%d", "assessments": "[{\\"name\\": \\"kind\\", \\"feedback\\": {\\"value\\": %d}, '
    b'\\"source\\": {\\"source_type\\": \\"%s\\"}}]"}\n' % (number, number % 2, source)
    for number in range(4)
    for source in (b"HUMAN", b"LLM_JUDGE")
)


def fixed(*contents: bytes) -> Seeds:
    """Return files that are written here."""
    return lambda folder: list(contents)


def log(*names: str) -> Seeds:
    """Return small logs of a program."""
    return lambda folder: [make(folder, content).read_bytes() for content, make in map(LOGS.__getitem__, names)]


def news(folder: Path) -> list[bytes]:
    """Return dated documents with their parse."""
    return [CONLLU, bytes_of(lambda path: write_corpus(path, 2), folder / "news.conllu")]


def coreference_map() -> dict[str, Any]:
    """Return a recalibration of a coreference model's scores."""
    return recalibrate_coreference(*drawn(30, 8, 1, Sharpening(0.5, 0.5, 0.6))).to_dict()


def summaries(folder: Path) -> list[bytes]:
    """Return a summary of pairs, and one of groups."""
    y, q = np.arange(40) % 2, np.linspace(0.1, 0.9, 40)
    of_all, of_groups = CalibrationSummary(), CalibrationSummaries()
    of_all.add(y, q)
    of_groups.add(y, q, groups=np.arange(40) // 20)
    return [of_all.to_bytes(), of_groups.to_bytes()]


CONLL, NAMED = (CONLL2012.encode(), LITBANK.encode()), THREE.replace("-Ann_(x)", "-Ann").encode()
ANSWER = [
    {"token": text, "logprob": -0.5, "top_logprobs": []} for text in ('{"n": [', "1", ", tr", 'ue], "a": ', '"b"', "}")
]
CHOICE = {"message": {"content": "".join(str(token["token"]) for token in ANSWER)}, "logprobs": {"content": ANSWER}}
EXTRACTED = json.dumps({"custom_id": "a", "response": {"body": {"choices": [CHOICE]}}, "error": None}).encode() + b"\n"


def filing_policy() -> FilingPolicy:
    """Return a policy with a map of confidences and a threshold for each field."""
    columns = {"document": np.arange(80) // 2, "field": ["a", "b"] * 40, "value": ["x"] * 80}
    columns |= {"gold": ["x", "x", "x", "y"] * 20, "confidence": np.arange(80) / 80}
    policy = evaluate_fields(**columns, max_risk=0.6, promise="fields", recalibrate=True).policy
    assert policy is not None
    return policy


SEEDS: dict[str, Seeds] = {
    "csv": table(".csv"),
    "tsv": table(".tsv"),
    "jsonl": table(".jsonl"),
    "json": table(".json"),
    "csv-gz": table(".csv.gz"),
    "csv-zst": table(".csv.zst"),
    "npz": table(".npz", {name: values[:4] for name, values in COLUMNS.items()}),  # arrays hold no null
    "parquet": parquet,
    "distributions": fixed(LISTS, MAPPINGS),
    "log-lm-eval": log("lm-eval"),
    "log-inspect": log("inspect zip"),
    "log-inspect-zstd": lambda folder: [write_inspect(folder / "log.eval", INSPECTED).read_bytes()],
    "log-inspect-json": log("inspect"),
    "log-helm": log("helm", "helm stats"),
    "log-lighteval": log("lighteval"),
    "log-openai": log("openai", "openai completions"),
    "log-openai-document": log("openai responses"),
    "log-decisions": log("decisions", "decisions in a list"),
    "log-promptfoo": log("promptfoo"),
    "log-promptfoo-lines": log("promptfoo lines"),
    **{
        f"log-{name}": log(name)
        for name in (
            "tau2",
            "harbor",
            "swe-bench",
            "terminal-bench",
            "bfcl",
            "openai-evals",
            "deepeval",
            "alpaca-eval",
            "livecodebench",
            "mmlu-pro",
            "human-eval",
            "evalplus",
            "every-eval-ever",
        )
    },
    "look": lambda folder: [LISTS, MAPPINGS, TRACES, *table(".jsonl")(folder)],
    "cells": fixed(
        b'["sport", "news"]\n[0.5, 2, 1]\n["a text", "another"]\n',
        b'[{"start": 0, "end": 2, "label": "PER"}]\n[[0, 2, "PER"], [3, 4, "LOC"]]\n',
    ),
    "log-hf": log("hf"),
    "log-hf-arrays": lambda folder: [bytes_of(logits, folder / "logits.npz")],
    "conllu": news,
    "conll-2012": fixed(*CONLL),
    "three-columns": fixed(NAMED),
    "columns": fixed(TWO),
    "any-document": fixed(CONLLU, *CONLL, NAMED, TWO, gzip.compress(TWO, mtime=0)),
    "sentence-index": fixed(b"sentence\tfile\ttokens\n1\tone\t2\n2\ttwo\t1\n"),
    "labelled-texts": fixed(b'{"text": "good", "label": 1}\n{"text": "b\\u00e4d", "label": 0}\n'),
    "crfsuite-items": fixed(b"DT\tword=a\tfirst:0.5\nNN\tword=b\\:c\n\nVB\tword=d:2e-1\n"),
    "crfsuite-model": lambda folder: [
        bytes_of(lambda path: train((WORDS, TAGS), path, max_iterations=3), folder / "model")
    ],
    "tagger": taggers,
    "logits": lambda folder: [bytes_of(logits, folder / "logits.npz")],
    "logits-npy": fixed(array(np.arange(18.0).reshape(6, 3)), array(np.zeros((2, 3, 3), np.float16))),
    "logits-safetensors": fixed(
        safetensors.numpy.save({"logits": np.arange(18.0).reshape(6, 3), "targets": np.arange(6) % 3}),
        safetensors.numpy.save({"predictions": np.zeros((2, 3, 3), np.float16)}, {"model": "small"}),
    ),
    "antecedents": lambda folder: [bytes_of(write_model, folder / "antecedents.npz")],
    "antecedent-scores-jsonl": lambda folder: [scored(folder / "scores.jsonl")],
    "rule": fixed(RULE, b"verbs: [bomb]\n"),
    "lexicon-txt": fixed(b"=== actors\n# of the example\nIRQ\tIraq\nIRQ\tIraqi\tby hand\nKWT\tKuwait_City\n"),
    "lexicon-csv": fixed(b"code,name,source\nIRQ,Iraq,\nKWT,Kuwait,atlas\n", b'IRQ;"Iraq"\nKWT;Kuwait\n'),
    "corpus-csv": table(".csv", DATED),
    "corpus-jsonl": table(".jsonl", DATED),
    "scores-csv": table(".csv", SCORED),
    "scores-jsonl": table(".jsonl", SCORED),
    "corpus-conllu": news,
    "experiments": lambda folder: [bytes_of(experiments, folder / "runs.experiments")],
    "sequential-state": sequential_states,
    "saved-regression": regressions,
    "pipeline-meta": fixed(
        b'{"lang": "en", "name": "small", "version": "3.8.0", "spacy_version": ">=3.8.0,<3.9.0",'
        b' "pipeline": ["tagger", "parser"], "labels": {"parser": ["nsubj", "obj"]}}'
    ),
    "monitor-state": lambda folder: [watched().to_json().encode()],
    "recalibration-map": lambda folder: maps(),
    "filing-policy": lambda folder: [bytes_of(filing_policy().save, folder / "policy.json")],
    "extracted-fields": fixed(EXTRACTED, b'{"id": "a", "gold": {"n": {"value": [1, null], "confidence": 0.5}}}\n'),
    "baseline": fixed(BASELINE),
    "checks": fixed(CHECKS),
    "outcomes": fixed(OUTCOMES),
    "structures": fixed(STRUCTURES),
    "labels-txt": fixed(b"0\n1\n1\n", b"yes\nno\n"),
    "labels-csv": fixed(b"0.25,0.75\n0.5,0.5\n"),
    "labels-npy": fixed(array([0, 1, 1]), array(["a", "b"]), array([[0.25, 0.75]])),
    "lm-eval-results": fixed(json.dumps(lm_eval_results("org/small", "quiz")).encode()),
    "helm-stats-beside": fixed(json.dumps(STATS).encode()),
    "helm-setting": fixed(b'{"name": "mmlu:subject=law,model=m", "adapter_spec": {"model": "m", "method": "joint"}}'),
    "model-config": fixed(b'{"id2label": {"0": "O", "1": "B-PER"}, "model_type": "bert"}'),
    "label-export": fixed(json.dumps(TASKS).encode()),
    "page-body": fixed(b'{"number": 3, "coder": "anna", "acting": ["IRQ"], "unclear": false}'),
    "coreference-map": lambda folder: [json.dumps(coreference_map()).encode()],
    "summary": summaries,
    "label-sample": lambda folder: [bytes_of(draw_label_sample(np.arange(40) / 40, 8, rng=1).save, folder / "s.npz")],
    "event-store": lambda folder: [whole_store().read_bytes()],
    "event-store-edits": fixed(b"", bytes([1, 3, 0, 14]) * 6),  # the second changes a title
}
