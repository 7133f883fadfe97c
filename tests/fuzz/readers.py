"""Every reader of files: how its file is called, what reads it, and which envelope keeps its parts together.

A reader is what a user can hand a file to. What is read is used as well: a damaged model that loads must still tag, or
say why not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

import howsure
from howsure.calibration.logits import slots_of_logits
from howsure.check.evidence import Baseline
from howsure.cli.check.configuration import contexts, read_configuration
from howsure.cli.check.main import CHECKS, SHARED, command
from howsure.cli.monitor import read_state
from howsure.coreference.antecedent_model import AntecedentModel
from howsure.coreference.recalibration import CoreferenceRecalibration
from howsure.coreference.scored import posterior_from_scores
from howsure.data.antecedent_files import read_antecedent_scores
from howsure.data.datasets import read_labelled_texts
from howsure.data.documents.columns import read_attributes, read_sentence_index
from howsure.data.documents.document import Document, Sentence
from howsure.data.documents.read_documents import read_documents
from howsure.data.logit_files import open_logits
from howsure.data.logs.arrays import label_names_of, read_model_arrays
from howsure.errors import InputError
from howsure.events.corpus import Fields
from howsure.events.extraction.imported_scores import ScoreColumns, open_scores
from howsure.events.extraction.open_corpus import open_corpus
from howsure.events.labels.label_files import read_labels as read_exported
from howsure.events.lexicon import Lexicon
from howsure.events.rule_files import read_rule
from howsure.inputs.frames import Kind
from howsure.recalibration.results import RecalibrationMap
from howsure.sequences import TagPosterior, entity_spans, gold_tags
from howsure.sequences.crf import CRFTagger
from howsure.sequences.tagger import load_tagger
from howsure.significance.boostsa.storage import read_labels, read_outcomes
from howsure.significance.experiments import Experiments
from tests.data.files import opened
from tests.fuzz.envelopes import GZIP, LINES, MODEL, PLAIN, ZIP, Envelope
from tests.fuzz.reading import helm_beside, lm_eval_results, page_body, sample, summary
from tests.fuzz.store_edits import edited_store, use_store


@dataclass(frozen=True)
class Reader:
    """A reader by its name: the suffix of its files, what reads one, and how its parts are packed."""

    name: str
    suffix: str
    read: Callable[[Path], Any]
    envelope: Envelope = PLAIN


def recalibration(path: Path) -> None:
    """A map, applied to a row."""
    found = RecalibrationMap.load(path)
    groups = found.groups[:1] or None
    found.apply([[1 / len(found.classes)] * len(found.classes)] if found.classes else [0.3], groups=groups)


def pairs(path: Path) -> None:
    """Pairs of a label and a probability with a group and a cluster; then the same columns as arrays."""
    asked: dict[str, Any] = {"y_true": "label", "prob": "prob", "groups": "group", "clusters": "cluster"}
    with opened(path, **asked, skip_missing=True) as predictions:
        predictions.pairs()
        predictions.describe()
    howsure.read(path, skip_missing=True).rows({"label": Kind.VALUES, "group": Kind.VALUES, "prob": Kind.NUMBER})


def distributions(path: Path) -> None:
    """A column of lists, or of mappings, of probabilities."""
    asked: dict[str, Any] = {"y_true": "label", "probs_column": "probs", "reduce": "top-label"}
    with opened(path, **asked, classes=["a", "b"]) as predictions:
        predictions.pairs()
    howsure.read(path).rows({"label": Kind.VALUES, "probs": Kind.NUMBERS})


def log(form: str) -> Callable[[Path], None]:
    """A log of a program: what it holds as pairs, and its scores."""

    def read(path: Path) -> None:
        for asked in ({}, {"normalise": "characters"}, {"y_true": "correct", "prob": "probability"}):
            with suppress(InputError), opened(path, format=form, skip_missing=True, **asked) as predictions:
                predictions.pairs()
        howsure.read(path, format=form).rows({"item": Kind.OPTIONAL})

    return read


def documents(form: str | None) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        for kept in ("leave-out", "error"):
            read_documents(path, format=form, bad_brackets=kept)

    return read


def corpus(path: Path) -> None:
    """Dated documents; the columns of a table are named, those of CoNLL-U stand in its comments."""
    table = {} if path.suffix == ".conllu" else {"text": "text", "date": "date", "id": "id", "title": "title"}
    list(open_corpus([path], fields=Fields(**table), bad_dates="leave-out").documents())


def scores(path: Path) -> None:
    """Scores of documents and actors, all read."""
    columns = ScoreColumns(actor="actor", prob="p")
    read = open_scores([path], fields=Fields(id="id", date="date"), columns=columns, bad_dates="leave-out")
    list(read.of_documents())


def tagger(path: Path) -> None:
    load_tagger(path).posterior([["a", "bird"], ["sings"]]).marginals()


def logits(path: Path) -> None:
    """Arrays of a token classifier, and what follows from them."""
    arrays = read_model_arrays(str(path))
    names = arrays.label_names or ("O", "B-PER", "I-PER")
    posterior = TagPosterior.from_logits(
        arrays.logits, labels=names, label_ids=arrays.label_ids, transitions=arrays.transitions
    )
    entity_spans(posterior, None if arrays.label_ids is None else gold_tags(arrays.label_ids, labels=names))


def logit_file(path: Path) -> None:
    """Logits with their targets, or with targets for rows that it may have; and the sums of their pairs."""
    beside = path.parent / "targets-of-logits.npy"
    np.save(beside, np.arange(6) % 3)
    for targets in ((), (beside,), (path,)):
        with suppress(InputError):
            shards = open_logits([path], targets=targets)
            for block in shards.blocks():
                slots_of_logits(block.logits, block.targets, ignore=shards.ignore)


def crfsuite(path: Path) -> None:
    CRFTagger.from_crfsuite(path, features="basic").posterior([["a", "bird"]]).marginals()


def antecedents(path: Path) -> None:
    parsed = Sentence(
        ("Ann", "sees", "herself"), tags=("NNP", "VBZ", "PRP"), heads=(1, -1, 1), relations=("nsubj", "root", "obj")
    )
    AntecedentModel.load(path).posterior(Document("one", (parsed,)))


def antecedent_scores(path: Path) -> None:
    for one in read_antecedent_scores(path):
        posterior_from_scores(one).pair_probability()


def lexicon(path: Path) -> None:
    held = Lexicon.read(path)
    held.match(["the", "Iraqi", "forces", "of", "Kuwait"])
    [held.title(code) for code in held.codes]


def experiments(path: Path) -> None:
    store = Experiments(path)
    [store.runs(condition) for condition in store.conditions]
    if store.conditions:
        store.compare(next(iter(store.conditions)), metrics="accuracy", rng=1, n_resamples=100)


def checks(path: Path) -> None:
    """A file of checks, and the context of each."""
    held = read_configuration(str(path), kinds=list(CHECKS))
    parent = click.Context(command)
    list(contexts(held, command.commands, parent, shared=tuple(SHARED)))


READERS = {
    reader.name: reader
    for reader in (
        Reader("csv", ".csv", pairs),
        Reader("tsv", ".tsv", pairs),
        Reader("jsonl", ".jsonl", pairs),
        Reader("json", ".json", pairs),
        Reader("csv-gz", ".csv.gz", pairs, GZIP),
        Reader("csv-zst", ".csv.zst", pairs),
        Reader("npz", ".npz", pairs, ZIP),
        Reader("parquet", ".parquet", pairs),
        Reader("distributions", ".jsonl", distributions),
        Reader("log-lm-eval", ".jsonl", log("lm-eval")),
        Reader("log-inspect", ".eval", log("inspect"), ZIP),
        Reader("log-inspect-zstd", ".eval", log("inspect")),
        Reader("log-inspect-json", ".json", log("inspect")),
        Reader("log-helm", ".json", log("helm")),
        Reader("log-lighteval", ".parquet", log("lighteval")),
        Reader("log-openai", ".jsonl", log("openai")),
        Reader("log-hf", ".jsonl", log("hf")),
        Reader("log-hf-arrays", ".npz", log("hf"), ZIP),
        Reader("conllu", ".conllu", documents("conllu")),
        Reader("conll-2012", ".conll", documents("conll-2012")),
        Reader("three-columns", ".tsv", documents("three-columns")),
        Reader("two-columns", ".tsv", documents("two-columns")),
        Reader("any-document", ".txt", documents(None)),
        Reader("sentence-index", ".tsv", lambda path: read_sentence_index(path, [["a", "bird"], ["sings"]])),
        Reader("labelled-texts", ".jsonl", read_labelled_texts),
        Reader("crfsuite-items", ".txt", read_attributes),
        Reader("crfsuite-model", ".crfsuite", crfsuite),
        Reader("tagger", ".model", tagger, MODEL),
        Reader("logits", ".npz", logits, ZIP),
        Reader("logits-npy", ".npy", logit_file),
        Reader("logits-safetensors", ".safetensors", logit_file),
        Reader("antecedents", ".npz", antecedents, MODEL),
        Reader("antecedent-scores-jsonl", ".jsonl", antecedent_scores),
        Reader("antecedent-scores-npz", ".npz", antecedent_scores, ZIP),
        Reader("rule", ".yaml", read_rule),
        Reader("lexicon-txt", ".txt", lexicon),
        Reader("lexicon-csv", ".csv", lexicon),
        Reader("corpus-csv", ".csv", corpus),
        Reader("corpus-jsonl", ".jsonl", corpus),
        Reader("scores-csv", ".csv", scores),
        Reader("scores-jsonl", ".jsonl", scores),
        Reader("corpus-conllu", ".conllu", corpus),
        Reader("experiments", ".experiments", experiments, LINES),
        Reader("monitor-state", ".json", lambda path: read_state(str(path)).status()),
        Reader("recalibration-map", ".json", recalibration),
        Reader("baseline", ".json", Baseline.load),
        Reader("checks", ".toml", checks),
        Reader("outcomes", ".json", read_outcomes),
        Reader("labels-txt", ".txt", read_labels),
        Reader("labels-csv", ".csv", read_labels),
        Reader("labels-npy", ".npy", read_labels),
        Reader("lm-eval-results", ".json", lm_eval_results),
        Reader("helm-stats-beside", ".json", helm_beside("per_instance_stats.json")),
        Reader("helm-setting", ".json", helm_beside("run_spec.json")),
        Reader("model-config", ".json", lambda path: label_names_of(str(path))),
        Reader("label-export", ".json", read_exported),
        Reader("page-body", ".json", page_body),
        Reader("coreference-map", ".json", CoreferenceRecalibration.load),
        Reader("summary", ".summary", summary),
        Reader("label-sample", ".npz", sample, MODEL),
        Reader("event-store", ".duckdb", use_store),
        Reader("event-store-edits", ".json", edited_store),
    )
}


def run(reader: Reader, path: Path) -> None:
    """Read a file as a user would; warnings are part of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader.read(path)
