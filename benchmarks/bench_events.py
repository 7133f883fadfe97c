"""How fast are events extracted: parsing, the steps after it, and a corpus as large as the paper's?

Real data: the first stories of Reuters-21578 are parsed once by `../models/en_ud_small` next to HOWSURE_DATA (words per
second). The steps after parsing are then timed with 100 samples (mentions, features, antecedent model, samples, rule,
rows, store), on all stories and on those that need the model ("attack" is in the text; most of these have an event).
One process.

Synthetic data: 193,403 documents as in Nguyen & O'Connor (2015), section 6.2, each with dense antecedent distributions
over M mentions. Each document is sampled 100 times, and the rule is applied to each sample. Then the same number of
documents is written to a store; one in ten is sampled, and the others have only words and mentions. With `--workers 2`,
two processes each do this for half of the documents, and their stores are merged.

Limits: at least 200 documents per second after parsing; memory does not grow with the number of documents.

    python benchmarks/bench_events.py [--stories 1000] [--documents 193403] [--mentions 100] [--workers 2]

`--stories 0` leaves out the real data (they need spaCy), `--documents 0` the synthetic ones.
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
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from howsure.data.documents.document import Document, Mention, Sentence
from howsure_events import Lexicon, built_in_rule
from howsure_events.corpus import BATCH, Fields, InputDocument, Part
from howsure_events.extraction.extract_document import (
    Act,
    Description,
    Extraction,
    Facts,
    Rows,
    Sampled,
    document_seed,
    entity_counts,
    find_evidence,
)
from howsure_events.extraction.merge_stores import merge_stores
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.processes import Work, Worker
from howsure_events.store.event_store import EventStore
from howsure_text.coreference import AntecedentModel, CorefPosterior
from howsure_text.coreference.clusterings import best_antecedents

LIMIT = 200  # documents a second after parsing
SAMPLES = 100
ONE_IN = 10  # documents of the store that are sampled
WORDS = 20  # a sentence
SHAPES = 50  # different synthetic documents


@contextmanager
def timed(what: str, documents: int) -> Iterator[None]:
    """Print CPU and wall seconds, documents per CPU second, and the peak memory so far."""
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:58} {documents:9,} {cpu:8.1f} {wall:8.1f} {documents / cpu:9.0f} {peak:8,.0f}", flush=True)


def real(stories: int) -> None:
    """Time Reuters: parsing, then the steps after it."""
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
    documents = [article for article in corpus.documents() if article.text.strip()]
    for what, chosen in (
        ("all", documents[:stories]),
        ("attacks", [article for article in documents if "attack" in article.text][:stories]),
    ):
        ready = [
            words_of_sentences[0]
            for article in chosen
            if (words_of_sentences := worker.parser.words(article)) is not None
        ]
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
            resolved = store.ask("SELECT count(*) FROM clusterings")[0][0]
            with_events = store.ask("SELECT count(DISTINCT document) FROM events")[0][0]
        print(f"    {words:,} words; the model was asked in {resolved:,} documents, {with_events:,} have an event")


def shapes(
    mentions: int, codes: Sequence[str] = ("AAA", "BBB", "CCC"), *, n: int = SHAPES
) -> list[tuple[Facts, CorefPosterior]]:
    """Return documents with two acting mentions and six mentions that each refer to one of three known actors."""
    made = []
    often = 1 / np.arange(1, len(codes) + 1)  # Zipf's law
    for number in range(n):
        rng = np.random.default_rng(number)
        actors = tuple(rng.choice(codes, 3, replace=False, p=often / often.sum()).tolist())
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
    """Return samples and the events that the rule finds in them, as `howsure_events.extraction.extract_document`
    does."""
    antecedents = posterior.antecedents
    clusterings = CorefPosterior(antecedents).sample(SAMPLES, rng=np.random.default_rng(document_seed(0, str(number))))
    best = best_antecedents(antecedents)
    counts, one_best = entity_counts(clusterings, facts), entity_counts(best[np.newaxis], facts)[0]
    return Sampled(antecedents, clusterings, best, counts, one_best, tuple(find_evidence(clusterings, facts)))


class Stored:
    """The rows of synthetic documents, of which one in ten is sampled."""

    def __init__(self, made: list[tuple[Facts, CorefPosterior]], mentions: int) -> None:
        sentences = tuple(Sentence(tuple(f"word{at}" for at in range(WORDS))) for _ in range(3 * mentions // WORDS))
        self.made, self.document = made, Document("synthetic", sentences)
        self.spans = tuple(Mention(at * 3 // WORDS, at * 3 % WORDS, at * 3 % WORDS + 1) for at in range(mentions))
        self.heads = tuple(span.start for span in self.spans)
        self.nobody = Facts((), np.zeros((mentions, 0), dtype=np.bool_), np.zeros(mentions, dtype=np.bool_), (), ())

    def add(self, rows: Rows, number: int, samples: Sampled | None) -> None:
        """Add the rows of a document. `samples` is None if the document is not sampled."""
        source = InputDocument(number, str(number), "1999-01-02", "A title", None, "")
        facts = self.nobody if samples is None else self.made[number % len(self.made)][0]
        rows.add(source, Extraction(self.document, self.spans, self.heads, facts, samples))


def synthetic(documents: int, mentions: int) -> None:
    """Time a corpus as large as the paper's: first with samples of all documents, then written to a store."""
    made = shapes(mentions)
    with timed(f"synthetic: {mentions} mentions, {SAMPLES} samples, rule", documents):
        for number in range(documents):
            sampled(*made[number % SHAPES], number)
    stored = Stored(made, mentions)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.duckdb"
        with EventStore.create(path, {}) as store, timed(f"synthetic: to a store, one in {ONE_IN} sampled", documents):
            for start in range(0, documents, BATCH):
                rows = Rows()
                for number in range(start, min(start + BATCH, documents)):
                    samples = None if number % ONE_IN else sampled(*made[number % SHAPES], number)
                    stored.add(rows, number, samples)
                store.append(rows.tables())
            store.finish()
        say_size(path)


def say_size(path: Path) -> None:
    """Print the size of a store."""
    with EventStore.open(path) as store:
        counts = {name: store.ask(f"SELECT count(*) FROM {name}")[0][0] for name in ("antecedents", "events")}
    print(f"    {path.stat().st_size / 1e6:,.0f} MB; rows: {counts}", flush=True)


def synthetic_part(path: Path, part: Part, documents: int, mentions: int) -> tuple[float, float]:
    """Time a part of the documents: sample all, store samples of one in ten. Return CPU seconds and peak memory in
    MB."""
    made = shapes(mentions)
    stored = Stored(made, mentions)
    with EventStore.create(path, {"samples": SAMPLES, **part.recipe(documents)}) as store:
        store.connection.execute("SET enable_progress_bar = false")  # here DuckDB takes itself to be in a notebook
        for start in range(0, documents, BATCH):
            if part.holds(start):
                rows = Rows()
                for number in range(start, min(start + BATCH, documents)):
                    samples = sampled(*made[number % SHAPES], number)
                    stored.add(rows, number, None if number % ONE_IN else samples)
                store.append(rows.tables())
        store.finish()
    return time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_parts(documents: int, mentions: int, workers: int) -> None:
    """Time a corpus as large as the paper's with several processes, one for each part, and the merge of their
    stores."""
    with tempfile.TemporaryDirectory() as folder:
        parts = [Part(number, workers) for number in range(1, workers + 1)]
        paths = [Path(folder) / f"part-{part.number}.duckdb" for part in parts]
        started = time.perf_counter()
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            n = len(parts)
            done = list(pool.map(synthetic_part, paths, parts, [documents] * n, [mentions] * n))
        cpu, wall = sum(seconds for seconds, _ in done), time.perf_counter() - started
        what = f"synthetic: {workers} parts, all sampled, one in {ONE_IN} stored so"
        print(
            f"{what:58} {documents:9,} {cpu:8.1f} {wall:8.1f} {documents / cpu:9.0f} {max(mb for _, mb in done):8,.0f}"
        )
        with timed("synthetic: the parts merged", documents):
            merge_stores(paths, Path(folder) / "all.duckdb")
        say_size(Path(folder) / "all.duckdb")


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--stories", type=int, default=1_000)
    parser.add_argument("--documents", type=int, default=193_403)
    parser.add_argument("--mentions", type=int, default=100)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    print(
        f"{'':58} {'documents':>9} {'CPU s':>8} {'wall s':>8} {'a CPU s':>9} {'peak MB':>8}   (limit: {LIMIT} a CPU s)"
    )
    if options.stories:
        real(options.stories)
    if options.documents and options.workers == 1:
        synthetic(options.documents, options.mentions)
    elif options.documents:
        in_parts(options.documents, options.mentions, options.workers)


if __name__ == "__main__":
    main()
