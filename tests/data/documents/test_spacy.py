"""spaCy's documents as ours: whatever has a Doc's attributes, here written by hand with CLEAR's labels."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from howsure.data.documents.document import Sentence
from howsure.data.documents.read_documents import document_from_spacy
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
