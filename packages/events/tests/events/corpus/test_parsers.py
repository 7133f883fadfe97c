"""Text to documents by a spaCy pipeline, one trained on Universal Dependencies and made ones with other labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import spacy
from tests.events import newswire
from tests.events.stores import work

from howsure_events.corpus import EMPTY, NO_ACTOR, NO_DATE, TOO_LONG, Fields, Filter, InputDocument
from howsure_events.extraction.extract_document import mention_facts
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.parsers import SpacyParser, guess_scheme
from howsure_events.extraction.processes import Work, Worker
from howsure_text.coreference.detection import detect_mentions

TEXT = "American forces attacked the town on Monday.\n\nThe president of Iraq did not speak <b>again</b>."


def given(number: int, text: str, *, date: str | None = "1999-01-02") -> InputDocument:
    return InputDocument(number, f"id {number}", date, None, None, text)


@pytest.fixture(scope="module")
def parser(pipeline: Path) -> SpacyParser:
    return SpacyParser(str(pipeline))


def test_a_text_becomes_a_parsed_document(parser: SpacyParser) -> None:
    prepared = parser.words(given(0, TEXT))
    assert prepared is not None
    ready, words = prepared
    (document,) = parser.parse([ready])
    assert document.name == "id 0"
    assert [word for sentence in document.sentences for word in sentence.words] == list(words)
    assert len(document.sentences) == 2
    first = document.sentences[0]
    assert first.relations[1] == "nsubj"
    assert "".join(word + " " * space for word, space in zip(first.words, first.spaces, strict=True)).startswith(
        "American forces attacked the town on Monday."
    )
    assert parser.scheme == "ud"
    assert parser.recipe["pipeline"].startswith("en_")


def test_documents_parsed_together_are_parsed_as_alone(parser: SpacyParser) -> None:
    texts = [TEXT, "Iraq attacked.", "He said that it was raining in the city, and left."]
    ready = [parser.words(given(at, text)) for at, text in enumerate(texts)]
    together = parser.parse([prepared[0] for prepared in ready if prepared is not None])
    alone = [
        parser.parse([prepared[0]])[0]
        for prepared in map(parser.words, map(given, range(3), texts))
        if prepared is not None
    ]
    assert together == alone


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [
        (("nsubj", "nsubj:pass", "obj", "obl:agent", "nmod"), "ud"),
        (("nsubj", "nsubjpass", "dobj", "nmod:agent", "case", "name"), "ud-2014"),
        (("nsubj", "nsubjpass", "dobj", "agent", "pobj", "prep"), "clear"),
    ],
)
def test_labels_say_the_scheme(labels: tuple[str, ...], scheme: str) -> None:
    assert guess_scheme(labels) == scheme


def made(path: Path, *parts: str, labels: tuple[str, ...] = ()) -> Path:
    pipeline = spacy.blank("en")
    for part in parts:
        pipeline.add_pipe(part)
    for label in labels:
        pipeline.get_pipe("parser").add_label(label)
    pipeline.initialize()
    pipeline.to_disk(path)
    return path


@pytest.mark.long
def test_a_pipeline_with_other_labels(tmp_path: Path) -> None:
    path = made(tmp_path / "clear", "parser", labels=("nsubj", "nsubjpass", "pobj", "prep", "dobj"))
    assert SpacyParser(str(path)).scheme == "clear"


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory, pipeline: Path) -> Work:
    newswire_work = work(newswire.write_model(tmp_path_factory.mktemp("model") / "model.npz"))
    options: dict[str, Any] = {
        name: getattr(newswire_work, name) for name in ("model", "lexicon", "rule", "samples", "seed")
    }
    return Work(parser=str(pipeline), filter=Filter(require_actor=True), **options)


def test_documents_left_out_of_a_batch(task: Work) -> None:
    worker = Worker(task)
    long = "x" * (worker.parser.pipeline.max_length + 1)  # type: ignore[attr-defined]
    texts = [TEXT, "", " \n ", "It rained.", long]
    batch = [*(given(at, text) for at, text in enumerate(texts)), given(5, TEXT, date=None)]
    done = worker(batch)
    left_out = done.tables["left_out"]
    assert list(zip(left_out["document"], left_out["reason"], strict=True)) == [
        (1, EMPTY),
        (2, EMPTY),
        (3, NO_ACTOR),
        (4, TOO_LONG),
        (5, NO_DATE),
    ]
    assert list(done.tables["documents"]["document"]) == [0]
    assert done.documents == 6


def test_a_batch_is_the_same_whatever_came_before(task: Work) -> None:
    worker = Worker(task)
    batch = [given(at, text) for at, text in enumerate([TEXT, "Iraq may attack. They attacked. They said so."])]
    first = worker(batch).tables
    worker([given(7, "Iran said that Iraq attacked the border.")])
    again = worker(batch).tables
    assert {name: as_lists(columns) for name, columns in first.items()} == {
        name: as_lists(columns) for name, columns in again.items()
    }


def as_lists(columns: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: list(values) for name, values in columns.items()}


@pytest.mark.long
def test_real_news(parser: SpacyParser, real_data: Path) -> None:
    path = real_data / "reuters21578" / "reuters21578.jsonl.gz"
    corpus = open_corpus([path], fields=Fields(text="body", date="date", id="id", title="title"))
    assert corpus.total == 21_578
    names = ("Iraq attacked", "Iran attacked", "Iraqi forces attacked", "Iranian forces attacked")
    attacks = [document for document in corpus.documents() if "attacked" in document.text]
    chosen = [article for article in attacks if any(name in " ".join(article.text.split()) for name in names)]
    assert len(chosen) >= 4
    for article in chosen:
        assert (article.date or "").startswith("1987")
        prepared = parser.words(article)
        (document,) = parser.parse([prepared[0]])
        mentions = detect_mentions(document)
        assert mention_facts(document, mentions, lexicon=newswire.lexicon(), rule=newswire.rule()).acts
