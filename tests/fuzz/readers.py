"""Every reader of files: the suffix of its files, the function that reads them, and their envelope.

A reader is anything to which a user can pass a file. The result is also used: a damaged model that can be loaded must
still tag, or raise a documented error.
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
from tests.data.files import opened

import howsure
from howsure.calibration.logits import slots_of_logits
from howsure.calibration.structures import structure_pairs
from howsure.check.evidence import Baseline
from howsure.data.documents.columns import read_attributes, read_sentence_index
from howsure.data.documents.document import Document, Sentence
from howsure.data.documents.entities import parse_entities
from howsure.data.documents.read_documents import read_documents
from howsure.data.logit_files import open_logits
from howsure.data.logs.arrays import parse_label_names, read_model_arrays
from howsure.errors import HowsureError, InputError
from howsure.fields.policy import FilingPolicy
from howsure.inputs.frames import Kind
from howsure.recalibration.results import RecalibrationMap
from howsure.significance.boostsa.storage import read_labels, read_outcomes
from howsure.significance.experiments import Experiments
from howsure.significance.metrics.documents import parse_labels, parse_numbers, parse_references, parsed
from howsure_cli.commands.check.configuration import contexts, read_configuration
from howsure_cli.commands.check.main import CHECKS, SHARED, command
from howsure_cli.commands.monitor import read_state
from howsure_cli.datasets import read_labelled_texts
from howsure_cli.structure_files import read_structures
from howsure_events.corpus import Fields
from howsure_events.extraction.imported_scores import ScoreColumns, open_scores
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.labels.label_files import read_labels as read_exported
from howsure_events.lexicon import Lexicon
from howsure_events.rule_files import read_rule
from howsure_text.coreference.antecedent_files import read_antecedent_scores
from howsure_text.coreference.antecedent_model import AntecedentModel
from howsure_text.coreference.recalibration import CoreferenceRecalibration
from howsure_text.coreference.scored_posteriors import posterior_from_scores
from howsure_text.sequences import TagPosterior, entity_spans, gold_tags
from howsure_text.sequences.crf import CRFTagger
from howsure_text.sequences.tagger import load_tagger
from tests.fuzz.envelopes import GZIP, LINES, MODEL, PLAIN, STATE, ZIP, Envelope
from tests.fuzz.reading import helm_beside, lm_eval_results, page_body, pipeline_meta, regression, sample, summary
from tests.fuzz.store_edits import edited_store, use_store


@dataclass(frozen=True)
class Reader:
    """A reader by its name: the suffix of its files, the function that reads one, and the envelope of its parts."""

    name: str
    suffix: str
    read: Callable[[Path], Any]
    envelope: Envelope = PLAIN


def recalibration(path: Path) -> None:
    """Apply a map to a row."""
    loaded = RecalibrationMap.load(path)
    groups = loaded.groups[:1] or None
    loaded.apply([[1 / len(loaded.classes)] * len(loaded.classes)] if loaded.classes else [0.3], groups=groups)


def pairs(path: Path) -> None:
    """Read pairs of a label and a probability with a group and a cluster, then the same columns as arrays."""
    columns: dict[str, Any] = {"y_true": "label", "prob": "prob", "groups": "group", "clusters": "cluster"}
    with opened(path, **columns, skip_missing=True) as predictions:
        predictions.pairs()
        predictions.describe()
    howsure.read(path, skip_missing=True).rows({"label": Kind.VALUES, "group": Kind.VALUES, "prob": Kind.NUMBER})


def distributions(path: Path) -> None:
    """Read a column of lists, or of mappings, of probabilities."""
    columns: dict[str, Any] = {"y_true": "label", "probs_column": "probs", "reduce": "top-label"}
    with opened(path, **columns, classes=["a", "b"]) as predictions:
        predictions.pairs()
    howsure.read(path).rows({"label": Kind.VALUES, "probs": Kind.NUMBERS})


def log(form: str) -> Callable[[Path], None]:
    """Read a log of a program as pairs, and its scores."""

    def read(path: Path) -> None:
        for options in ({}, {"normalise": "characters"}, {"y_true": "correct", "prob": "probability"}):
            with suppress(InputError), opened(path, format=form, skip_missing=True, **options) as predictions:
                predictions.pairs()
        howsure.read(path, format=form).rows({"item": Kind.OPTIONAL})

    return read


def documents(form: str | None) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        for kept in ("leave-out", "error"):
            read_documents(path, format=form, bad_brackets=kept)

    return read


def corpus(path: Path) -> None:
    """Read dated documents: the columns of a table are named, those of CoNLL-U are in its comments."""
    table = {} if path.suffix == ".conllu" else {"text": "text", "date": "date", "id": "id", "title": "title"}
    list(open_corpus([path], fields=Fields(**table), bad_dates="leave-out").documents())


def scores(path: Path) -> None:
    """Read all scores of documents and actors."""
    columns = ScoreColumns(actor="actor", prob="p")
    opened_scores = open_scores([path], fields=Fields(id="id", date="date"), columns=columns, bad_dates="leave-out")
    list(opened_scores.iterate_documents())


def tagger(path: Path) -> None:
    load_tagger(path).posterior([["a", "bird"], ["sings"]]).marginals()


def logits(path: Path) -> None:
    """Read arrays of a token classifier, and compute with them."""
    arrays = read_model_arrays(str(path))
    names = arrays.label_names or ("O", "B-PER", "I-PER")
    posterior = TagPosterior.from_logits(
        arrays.logits, labels=names, label_ids=arrays.label_ids, transitions=arrays.transitions
    )
    entity_spans(posterior, None if arrays.label_ids is None else gold_tags(arrays.label_ids, labels=names))


def logit_file(path: Path) -> None:
    """Read logits with their targets, or with targets that fit the rows, and add up their pairs."""
    separate_targets = path.parent / "targets-of-logits.npy"
    np.save(separate_targets, np.arange(6) % 3)
    for targets in ((), (separate_targets,), (path,)):
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
    for document_scores in read_antecedent_scores(path):
        posterior_from_scores(document_scores).pair_probability()


def lexicon(path: Path) -> None:
    actors = Lexicon.read(path)
    actors.match(["the", "Iraqi", "forces", "of", "Kuwait"])
    [actors.title(code) for code in actors.codes]


def experiments(path: Path) -> None:
    store = Experiments(path)
    [store.runs(condition) for condition in store.conditions]
    if store.conditions:
        store.compare(next(iter(store.conditions)), metrics="accuracy", rng=1, n_resamples=100)


def checks(path: Path) -> None:
    """Read a file of checks, and make the context of each."""
    configuration = read_configuration(str(path), kinds=list(CHECKS))
    parent = click.Context(command)
    list(contexts(configuration, command.commands, parent, shared=tuple(SHARED)))


def look(path: Path) -> None:
    """Describe a file, with commands for it."""
    howsure.look(path).text()


def sequential_state(path: Path) -> None:
    """Read a comparison or a score, continue it with the next item, and save it."""
    for kind, scores in ((howsure.SequentialComparison, (1, 0)), (howsure.SequentialScore, (1,))):
        with suppress(HowsureError):
            sequence = kind.load(path)
            repr(sequence)
            for names in ({}, {"id": ["c"]}, {"id": ["d"], "clusters": ["y"]}):
                with suppress(HowsureError):
                    sequence.add(*([score] for score in scores), **names)
            sequence.save(path.with_suffix(".next"))
            path.with_suffix(".next").unlink()


def cells(path: Path) -> None:
    """Read JSON in the cells of a column: sets of labels, rankings, references and entities."""
    for text in path.read_bytes().decode("utf-8", "replace").splitlines():
        for parse in (parse_labels, parse_numbers, parse_references, parse_entities):
            with suppress(HowsureError):
                parsed([text], "y_true", parse, "JSON")


LOG_READERS = {  # the readers of logs by the format that they read, each with the suffix of its files
    "log-lm-eval": ("lm-eval", ".jsonl"),
    "log-inspect": ("inspect", ".eval"),
    "log-inspect-zstd": ("inspect", ".eval"),
    "log-inspect-json": ("inspect", ".json"),
    "log-helm": ("helm", ".json"),
    "log-lighteval": ("lighteval", ".parquet"),
    "log-openai": ("openai", ".jsonl"),
    "log-openai-document": ("openai", ".json"),
    "log-hf": ("hf", ".jsonl"),
    "log-hf-arrays": ("hf", ".npz"),
    "log-decisions": ("decisions", ".jsonl"),
    "log-tau2": ("tau2", ".json"),
    "log-harbor": ("harbor", ".json"),
    "log-terminal-bench": ("terminal-bench", ".json"),
    "log-swe-bench": ("swe-bench", ".json"),
    "log-bfcl": ("bfcl", ".jsonl"),
    "log-openai-evals": ("openai-evals", ".jsonl"),
    "log-promptfoo": ("promptfoo", ".json"),
    "log-promptfoo-lines": ("promptfoo", ".jsonl"),
    "log-deepeval": ("deepeval", ".json"),
    "log-alpaca-eval": ("alpaca-eval", ".json"),
    "log-livecodebench": ("livecodebench", ".json"),
    "log-mmlu-pro": ("mmlu-pro", ".json"),
    "log-human-eval": ("human-eval", ".jsonl"),
    "log-evalplus": ("evalplus", ".json"),
    "log-every-eval-ever": ("every-eval-ever", ".jsonl"),
}


def extracted_fields(path: Path) -> None:
    """Read documents with fields, as predictions and as true values."""
    source = howsure.read(path)
    howsure.evaluate_fields(gold=source, data=source)


ENVELOPES = {"log-inspect": ZIP, "log-hf-arrays": ZIP}

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
        *(Reader(name, suffix, log(form), ENVELOPES.get(name, PLAIN)) for name, (form, suffix) in LOG_READERS.items()),
        Reader("look", ".jsonl", look),
        Reader("cells", ".txt", cells),
        Reader("conllu", ".conllu", documents("conllu")),
        Reader("conll-2012", ".conll", documents("conll-2012")),
        Reader("three-columns", ".tsv", documents("three-columns")),
        Reader("columns", ".tsv", documents("columns")),
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
        Reader("rule", ".yaml", read_rule),
        Reader("lexicon-txt", ".txt", lexicon),
        Reader("lexicon-csv", ".csv", lexicon),
        Reader("corpus-csv", ".csv", corpus),
        Reader("corpus-jsonl", ".jsonl", corpus),
        Reader("scores-csv", ".csv", scores),
        Reader("scores-jsonl", ".jsonl", scores),
        Reader("corpus-conllu", ".conllu", corpus),
        Reader("experiments", ".experiments", experiments, LINES),
        Reader("monitor-state", ".json", lambda path: read_state(str(path)).status(), STATE),
        Reader("sequential-state", ".json", sequential_state, STATE),
        Reader("saved-regression", ".json", regression),
        Reader("pipeline-meta", ".json", pipeline_meta),
        Reader("recalibration-map", ".json", recalibration),
        Reader("filing-policy", ".json", FilingPolicy.load),
        Reader("extracted-fields", ".jsonl", extracted_fields),
        Reader("baseline", ".json", Baseline.load),
        Reader("checks", ".toml", checks),
        Reader("outcomes", ".json", read_outcomes),
        Reader("structures", ".jsonl", lambda path: structure_pairs(**read_structures(path))),
        Reader("labels-txt", ".txt", read_labels),
        Reader("labels-csv", ".csv", read_labels),
        Reader("labels-npy", ".npy", read_labels),
        Reader("lm-eval-results", ".json", lm_eval_results),
        Reader("helm-stats-beside", ".json", helm_beside("per_instance_stats.json")),
        Reader("helm-setting", ".json", helm_beside("run_spec.json")),
        Reader("model-config", ".json", lambda path: parse_label_names(str(path))),
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
    """Read a file as a user would; warnings are accepted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader.read(path)
