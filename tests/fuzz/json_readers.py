"""Every reader of JSON: which part of its files is JSON, and a faster function that reads it without a database."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.fuzz.envelopes import PARQUET, STORE, SUMMARY, TENSORS, TOML, YAML, ZSTD_ZIP, Envelope
from tests.fuzz.readers import LOG_READERS, READERS, Reader
from tests.fuzz.reading import open_store, rows_of_log

EVERY = 100  # of the inputs of a quick reader, one is read whole
ENVELOPES = {  # of those whose own keeps the JSON in
    "log-inspect-zstd": ZSTD_ZIP,
    "log-lighteval": PARQUET,
    "logits-safetensors": TENSORS,
    "summary": SUMMARY,
    "checks": TOML,
    "rule": YAML,
    "event-store": STORE,
}
NAMES = (
    "jsonl",
    "json",
    "distributions",
    *(name for name in LOG_READERS if name != "log-hf-arrays"),
    "lm-eval-results",
    "helm-stats-beside",
    "helm-setting",
    "look",
    "cells",
    "saved-regression",
    "pipeline-meta",
    "model-config",
    "labelled-texts",
    "label-export",
    "page-body",
    "tagger",
    "antecedents",
    "antecedent-scores-jsonl",
    "coreference-map",
    "logits-safetensors",
    "summary",
    "label-sample",
    "corpus-jsonl",
    "scores-jsonl",
    "experiments",
    "monitor-state",
    "sequential-state",
    "recalibration-map",
    "filing-policy",
    "extracted-fields",
    "baseline",
    "outcomes",
    "structures",
    "checks",
    "rule",
    "event-store",
)


@dataclass(frozen=True)
class JsonReader:
    """A reader with the envelope that contains its JSON. `quick` reads most inputs if the whole reader is slow."""

    whole: Reader
    envelope: Envelope
    quick: Reader | None = None

    def of(self, number: int) -> Reader:
        """Return the function that reads an input, by the number of the input."""
        return self.whole if self.quick is None or number % EVERY == 0 else self.quick


def _json_reader(name: str) -> JsonReader:
    reader = READERS[name]
    quick = replace(reader, read=rows_of_log(LOG_READERS[name][0])) if name in LOG_READERS else None
    quick = replace(reader, read=open_store) if name == "event-store" else quick
    return JsonReader(reader, ENVELOPES.get(name, reader.envelope), quick)


JSON_READERS = {name: _json_reader(name) for name in NAMES}
