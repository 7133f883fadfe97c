"""Parses are built when asked for, once, and follow a change of the sentences."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from howsure.data.documents.document import Document, Mention, Sentence
from howsure.data.parses import ParsedDocument
from howsure.errors import InputError
from tests.coreference import parsed as hand


def test_a_document_that_keeps_its_parses() -> None:
    document = hand.story()
    kept = ParsedDocument.of(document)
    assert kept.parse(1) is kept.parse(1) is ParsedDocument.of(kept).parse(1)
    assert (kept.name, kept.sentences, kept.mentions) == (document.name, document.sentences, document.mentions)
    assert [kept.head_of(mention) for mention in kept.mentions or ()] == [0, 4, 1, 3, 0, 3, 0, 3]
    assert pickle.loads(pickle.dumps(kept)) == kept


def test_other_sentences_have_other_parses() -> None:
    kept = ParsedDocument.of(hand.document(hand.UD))
    assert kept.parse(0).relations[4] == "nsubj"
    assert replace(kept, sentences=(hand.PREDICATE_UD,)).parse(0).relations[4] == "root"


def test_a_sentence_without_a_parse_is_refused_where_it_is_needed() -> None:
    kept = ParsedDocument.of(Document("half", (hand.UD, Sentence(("Hm",)))))
    assert kept.head_of(Mention(0, 0, 4)) == 2
    with pytest.raises(InputError, match="sentence 2 of document half has no dependencies"):
        kept.parse(1)
