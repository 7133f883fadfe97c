"""How fast are events found: parsing, the stage after it, and a corpus of the paper's size?

Real: the first stories of Reuters-21578 parsed once by `../models/en_ud_small` beside HOWSURE_DATA (words a second),
then the stage after parsing at S = 100 (mentions, features, antecedent model, samples, rule, rows, store), on all of
these stories and on those alone that need the model ("attack" in the text, most with an event). One process.

Synthetic: 193,403 documents as in Nguyen & O'Connor (2015), section 6.2, each with dense antecedent distributions over
M mentions; every one of them is sampled 100 times and the rule is asked, and the same number goes through a store, of
which one in ten is sampled and the others only have words and mentions.

Limits: at least 200 documents per second after parsing; memory that does not grow with the number of documents.

    python benchmarks/bench_events.py [--stories 1000] [--documents 193403] [--mentions 100]

`--stories 0` leaves out the real part (it needs spaCy), `--documents 0` the synthetic one.
"""

from __future__ import annotations

import argparse
import gc
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded
os.environ.setdefault("OMP_NUM_THREADS", "1")

import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from howsure.coreference import AntecedentModel, CorefPosterior
from howsure.coreference.posterior.decisions import best_antecedents
from howsure.data.documents.document import Document, Mention, Sentence
from howsure.events import Lexicon, built_in_rule
from howsure.events.corpus.documents import Fields, InputDocument
from howsure.events.corpus.open_corpus import open_corpus
from howsure.events.extraction.descriptions_and_acts import Act, Description, Facts
from howsure.events.extraction.entities import entity_counts, evidence_of
from howsure.events.extraction.one_document import Extraction, Sampled, document_seed
from howsure.events.extraction.rows import Rows
from howsure.events.extraction.worker import Work, Worker
from howsure.events.parts.part import BATCH
from howsure.events.store.event_store import EventStore

LIMIT = 200  # documents a second after parsing
SAMPLES = 100
ONE_IN = 10  # documents of the store that are sampled
WORDS = 20  # a sentence
SHAPES = 50  # different synthetic documents


@contextmanager
def timed(what: str, documents: int) -> Iterator[None]:
    """Print CPU and wall seconds, documents a second of CPU, and the peak of memory so far."""
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:58} {documents:9,} {cpu:8.1f} {wall:8.1f} {documents / cpu:9.0f} {peak:8,.0f}", flush=True)


def real(stories: int) -> None:
    """Reuters: parse, then the rest."""
    data = Path(os.environ["HOWSURE_DATA"])
    corpus = open_corpus(
        [data / "reuters21578" / "reuters21578.jsonl.gz"],
        fields=Fields(text="body", date="date", id="id", title="title"),
    )
    work = Work(
        parser=str(data.parent / "models" / "en_ud_small"),
        model=AntecedentModel.pretrained(),
        lexicon=Lexicon.countries(),
        rule=built_in_rule("attack"),
    )
    worker = Worker(work)
    gc.freeze()  # as the pipeline does
    held = [one for one in corpus.documents() if one.text.strip()]
    for what, chosen in (("all", held[:stories]), ("attacks", [one for one in held if "attack" in one.text][:stories])):
        ready = [found[0] for one in chosen if (found := worker.parser.words(one)) is not None]
        parsed: list[Document] = []
        with timed(f"Reuters ({what}): parsing", len(chosen)):
            for start in range(0, len(ready), BATCH):
                parsed += worker.parser.parse(ready[start : start + BATCH])
        words = sum(len(sentence) for document in parsed for sentence in document.sentences)
        with tempfile.TemporaryDirectory() as folder, EventStore.create(Path(folder) / "a.duckdb", {}) as store:
            with timed(f"Reuters ({what}): all after it, S = {SAMPLES}", len(chosen)):
                for start in range(0, len(chosen), BATCH):
                    rows = Rows()
                    for source, document in zip(
                        chosen[start : start + BATCH], parsed[start : start + BATCH], strict=True
                    ):
                        worker.add(rows, source, document)
                    store.append(rows.tables())
            asked = store.ask("SELECT count(*) FROM clusterings")[0][0]
            with_events = store.ask("SELECT count(DISTINCT document) FROM events")[0][0]
        print(f"    {words:,} words; the model was asked in {asked:,} documents, {with_events:,} have an event")


def shapes(mentions: int) -> list[tuple[Facts, CorefPosterior]]:
    """Documents in which two mentions act and six are described as one of three actors."""
    actors, made = ("AAA", "BBB", "CCC"), []
    for number in range(SHAPES):
        rng = np.random.default_rng(number)
        weights = np.tril(rng.exponential(size=(mentions, mentions)) ** 4)
        matrix = 0.3 * weights / weights.sum(axis=1, keepdims=True)
        matrix[np.diag_indices(mentions)] += 0.7
        described = np.zeros((mentions, len(actors)), dtype=np.bool_)
        named = rng.choice(mentions, 6, replace=False)
        described[named, rng.integers(3, size=6)] = True
        acting = rng.choice(mentions, 2, replace=False)
        agent = np.zeros(mentions, dtype=np.bool_)
        agent[acting] = True
        words = tuple(Description(int(m), actors[int(a)], 0) for m, a in np.argwhere(described))
        facts = Facts(actors, described, agent, words, tuple(Act(int(m), 1) for m in acting))
        made.append((facts, CorefPosterior(matrix)))
    return made


def sampled(facts: Facts, posterior: CorefPosterior, number: int) -> Sampled:
    """Samples and what the rule says of them, as in `howsure.events.extraction.one_document`."""
    antecedents = posterior.antecedents
    clusterings = CorefPosterior(antecedents).sample(SAMPLES, rng=np.random.default_rng(document_seed(0, str(number))))
    best = best_antecedents(antecedents)
    counts, one_best = entity_counts(clusterings, facts), entity_counts(best[np.newaxis], facts)[0]
    return Sampled(antecedents, clusterings, best, counts, one_best, tuple(evidence_of(clusterings, facts)))


def synthetic(documents: int, mentions: int) -> None:
    """The paper's size: all sampled; then through a store."""
    made = shapes(mentions)
    with timed(f"synthetic: {mentions} mentions, {SAMPLES} samples, rule", documents):
        for number in range(documents):
            sampled(*made[number % SHAPES], number)
    sentences = tuple(Sentence(tuple(f"word{at}" for at in range(WORDS))) for _ in range(3 * mentions // WORDS))
    document = Document("synthetic", sentences)
    spans = tuple(Mention(at * 3 // WORDS, at * 3 % WORDS, at * 3 % WORDS + 1) for at in range(mentions))
    heads = tuple(span.start for span in spans)
    nobody = Facts((), np.zeros((mentions, 0), dtype=np.bool_), np.zeros(mentions, dtype=np.bool_), (), ())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.duckdb"
        with EventStore.create(path, {}) as store:
            with timed(f"synthetic: to a store, one in {ONE_IN} sampled", documents):
                for start in range(0, documents, BATCH):
                    rows = Rows()
                    for number in range(start, min(start + BATCH, documents)):
                        source = InputDocument(number, str(number), "1999-01-02", "A title", None, "")
                        facts, posterior = made[number % SHAPES]
                        held = None if number % ONE_IN else sampled(facts, posterior, number)
                        one = Extraction(document, spans, heads, nobody if held is None else facts, held)
                        rows.add(source, one)
                    store.append(rows.tables())
                store.finish()
            counts = {name: store.ask(f"SELECT count(*) FROM {name}")[0][0] for name in ("antecedents", "events")}
        print(f"    {path.stat().st_size / 1e6:,.0f} MB; rows: {counts}")


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--stories", type=int, default=1_000)
    parser.add_argument("--documents", type=int, default=193_403)
    parser.add_argument("--mentions", type=int, default=100)
    options = parser.parse_args()
    print(
        f"{'':58} {'documents':>9} {'CPU s':>8} {'wall s':>8} {'a CPU s':>9} {'peak MB':>8}   (limit: {LIMIT} a CPU s)"
    )
    if options.stories:
        real(options.stories)
    if options.documents:
        synthetic(options.documents, options.mentions)


if __name__ == "__main__":
    main()
