"""spaCy's documents as ours: whatever has a Doc's attributes, here written by hand with CLEAR's labels."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from howsure.data.documents import Document, Mention, Sentence
from howsure.data.spacy import document_from_spacy, parse_with_spacy
from howsure.errors import InputError

WORDS = ["Ann", "sees", "her", "brother", ".", "\n", "He", "waves", "."]
TAGS = ["NNP", "VBZ", "PRP$", "NN", ".", "_SP", "PRP", "VBZ", "."]
HEADS = [1, 1, 3, 1, 1, 4, 7, 7, 7]
RELATIONS = ["nsubj", "ROOT", "poss", "dobj", "punct", "dep", "nsubj", "ROOT", "punct"]


def doc(*, relations: list[str] = RELATIONS, lemmas: bool = False) -> Any:
    """Two sentences; the first ends with a token that is only a line break."""
    tokens = [
        SimpleNamespace(
            i=i, text=word, lemma_=word.lower() if lemmas else "", tag_=TAGS[i], pos_="", morph="", dep_=relations[i],
            whitespace_=" " if i not in (3, 4, 7) else "", is_space=word.isspace(),
        )
        for i, word in enumerate(WORDS)
    ]  # fmt: skip
    for token, head in zip(tokens, HEADS, strict=True):
        token.head = tokens[head]
    return SimpleNamespace(sents=[tokens[:6], tokens[6:]])


def test_sentences_with_their_layers() -> None:
    document = document_from_spacy(doc(), name="note", metadata={"date": "2020-01-01"})
    assert (document.name, document.metadata, document.mentions) == ("note", {"date": "2020-01-01"}, None)
    first, second = document.sentences
    assert first == Sentence(
        words=("Ann", "sees", "her", "brother", "."),
        tags=("NNP", "VBZ", "PRP$", "NN", "."),
        heads=(1, -1, 3, 1, 1),
        relations=("nsubj", "ROOT", "poss", "dobj", "punct"),
        spaces=(True, True, True, False, True),  # the line break is a space
    )
    assert second.heads == (1, -1, 1)


def test_layers_that_the_pipeline_fills_are_kept() -> None:
    assert document_from_spacy(doc(lemmas=True)).sentences[1].lemmas == ("he", "waves", ".")


def test_a_doc_that_is_not_parsed() -> None:
    class Unparsed:
        @property
        def sents(self) -> Any:
            raise ValueError("[E030] Sentence boundaries unset.")

    with pytest.raises(InputError, match="doc has no sentences; run a spaCy pipeline with a parser"):
        document_from_spacy(Unparsed())
    with pytest.raises(InputError, match="doc has no dependencies"):
        document_from_spacy(doc(relations=[""] * len(WORDS)))


class Pipeline:
    """Tags every word NN and hangs it on the first, as a pipeline would that knows no better."""

    vocab = "English"

    def make_doc(self, text: str) -> Words:
        return Words(self.vocab, words=text.split(), spaces=None, sent_starts=None)

    def __call__(self, doc: Words) -> list[Any]:
        assert doc.sent_starts == [True] + [False] * (len(doc.words) - 1)
        blank = {"lemma_": "", "pos_": "", "morph": "", "is_space": False, "whitespace_": " "}
        tokens = [SimpleNamespace(i=i, text=word, tag_="NN", dep_="dep", **blank) for i, word in enumerate(doc.words)]
        for token in tokens:
            token.head = tokens[0]
        return tokens


class Words:
    def __init__(self, vocab: str, *, words: list[str], spaces: object, sent_starts: list[bool] | None) -> None:
        assert vocab == "English"
        self.words, self.spaces, self.sent_starts = words, spaces, sent_starts


def test_a_corpus_in_words_is_parsed_as_it_stands() -> None:
    plain = Document("novel", (Sentence(("She", "left"), metadata={"speaker": "A"}),), (Mention(0, 0, 1, "her"),))
    read = parse_with_spacy(plain, Pipeline())
    assert (read.name, read.mentions) == (plain.name, plain.mentions)
    (sentence,) = read.sentences
    assert (sentence.words, sentence.metadata, sentence.spaces) == (("She", "left"), {"speaker": "A"}, None)
    assert (sentence.tags, sentence.heads, sentence.relations) == (("NN", "NN"), (-1, 0), ("dep", "dep"))
