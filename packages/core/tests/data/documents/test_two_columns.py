"""Two columns: words and tags; and labelled texts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.data import read_sentence_index, read_tagged, write_tagged
from howsure.data.documents.columns import read_attributes
from howsure.data.documents.document import Sentence
from howsure.data.documents.read_documents import document_from_spacy
from howsure.errors import InputError
from howsure_cli.datasets import read_labelled_texts


def test_a_small_file(tmp_path: Path) -> None:
    path = tmp_path / "small.tsv"
    path.write_text("\n#New York\t^\nis\tV\n\n\n\n \tS\n", encoding="utf-8")
    assert read_tagged(path) == ([("#New York", "is"), (" ",)], [("^", "V"), ("S",)])


CELL = st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=("Cs",)), min_size=1, max_size=5)
PAIRS = st.lists(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=4), min_size=1, max_size=4)


@given(PAIRS.filter(lambda pairs: not pairs[0][0][0].startswith("\ufeff")))  # at the start it is a byte order mark
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, pairs: list) -> None:
    path = tmp_path_factory.mktemp("written") / "some.tsv"
    sentences = [tuple(word for word, _ in sentence) for sentence in pairs]
    tags = [tuple(tag for _, tag in sentence) for sentence in pairs]
    write_tagged(iter(sentences), iter(tags), path)
    assert read_tagged(path) == (sentences, tags)


SENTENCES = [("a", "b"), ("c",), ("d", "e")]


def test_the_document_of_each_sentence(tmp_path: Path) -> None:
    path = tmp_path / "index.tsv"
    path.write_text("sentence\tfile\ttokens\n1\tone\t2\n2\tone\t1\n3\ttwo\t2\n")
    assert read_sentence_index(path, SENTENCES) == ["one", "one", "two"]


def test_labelled_texts(tmp_path: Path) -> None:
    path = tmp_path / "tweets.jsonl"
    path.write_text('{"text": "so\\u2028good", "label": 1}\n\n{"label": 0, "text": "", "id": 7}\n')
    assert read_labelled_texts(path) == (["so\u2028good", ""], [1, 0])
    assert read_labelled_texts(path, limit=1) == (["so\u2028good"], [1])


def test_a_name_in_gz_is_compressed(tmp_path: Path) -> None:
    path = tmp_path / "birds.tsv.gz"
    write_tagged([["birds"]], [["N"]], path)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert read_tagged(path) == ([("birds",)], [("N",)])


# Files of crfsuite: attributes with values, escaped colons, and lines that are wrong.


def test_sequences_of_items(tmp_path: Path) -> None:
    path = tmp_path / "items.txt"
    path.write_text("N\tw=dog\tlength:0.5\tw=dog\nV\n\n\n\\:\ta\\:b\\\\:2e-1\tend\\\n", encoding="utf-8")
    items, labels = read_attributes(path)
    assert items == [[{"w=dog": 2.0, "length": 0.5}, {}], [{"a:b\\": 0.2, "end\\": 1.0}]]
    assert labels == [("N", "V"), (":",)]


def test_what_crfsuite_reads_is_what_is_read(tmp_path: Path) -> None:
    """A model that crfsuite learnt from the same items has the same attributes."""
    path = tmp_path / "items.txt"
    path.write_text("N\tw=dog\tcolon\\:here:2\nV\tw=runs\tback\\\\slash\n\n" * 3, encoding="utf-8")
    items, labels = read_attributes(path)
    trainer = pycrfsuite.Trainer(verbose=False)
    for features, row in zip(items, labels, strict=True):
        trainer.append(features, row)
    trainer.train(str(tmp_path / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    assert set(tagger.info().attributes) == {"w=dog", "colon:here", "w=runs", "back\\slash"}


# spaCy's documents as ours: whatever has a Doc's attributes, here written by hand with CLEAR's labels.


WORDS = ["Ann", "sees", "her", "brother", ".", "\n", "He", "waves", "."]
TAGS = ["NNP", "VBZ", "PRP$", "NN", ".", "_SP", "PRP", "VBZ", "."]
HEADS = [1, 1, 3, 1, 1, 4, 7, 7, 7]
RELATIONS = ["nsubj", "ROOT", "poss", "dobj", "punct", "dep", "nsubj", "ROOT", "punct"]


def doc(*, relations: list[str] = RELATIONS, lemmas: bool = False) -> Any:
    """Two sentences; the first ends with a token that is only a line break."""
    tokens = [
        SimpleNamespace(
            i=i,
            text=word,
            lemma_=word.lower() if lemmas else "",
            tag_=TAGS[i],
            pos_="",
            morph="",
            dep_=relations[i],
            whitespace_=" " if i not in (3, 4, 7) else "",
            is_space=word.isspace(),
        )
        for i, word in enumerate(WORDS)
    ]
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
