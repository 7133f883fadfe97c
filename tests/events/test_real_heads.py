"""The head of a mention on real text: the same for events and coreference, and a word that GUM's annotators keep."""

from __future__ import annotations

import gzip
import re
from itertools import accumulate
from pathlib import Path

import pytest
from howsure_papers.corpora.coreference import each_span_once, parse

from howsure.coreference.detection import detect_mentions
from howsure.coreference.mentions import mention_columns
from howsure.data import Document, read_documents
from howsure.data.documents.document import Mention
from howsure.data.parses import ParsedDocument
from howsure.events.extraction.one_document import mention_heads
from tests.events import newswire

LAYOUT = "GRP-etype-infstat-salience-centering-minspan-link-identity"
MINSPAN = 5  # the field with the smallest span that still names the entity, as words of the mention from 1
BRACKET = re.compile(r"\(?[^()]+\)?")
Key = tuple[int, int, int]


@pytest.fixture(scope="module")
def gum(real_data: Path) -> list[Document]:
    return read_documents(real_data / "gum" / "gum_test.conllu.gz")


def heads_differ(document: Document, mentions: tuple[Mention, ...]) -> list[str]:
    """The mentions whose head is another one for the rule of events than for the antecedent model."""
    offsets = [0, *accumulate(map(len, document.sentences))]
    of_model = mention_columns(document, mentions).head.tolist()
    both = zip(mentions, of_model, mention_heads(document, mentions), strict=True)
    return [" ".join(document.words_of(one)) for one, mine, other in both if mine != offsets[one.sentence] + other]


def test_events_and_coreference_agree_in_made_up_trees() -> None:
    for document in map(newswire.story, range(8)):
        mentions = detect_mentions(document)
        assert len(mentions) > 1
        assert heads_differ(document, mentions) == []


@pytest.mark.long
@pytest.mark.parametrize("corpus", ["gum", "ontogum"])
def test_events_and_coreference_agree_in_gold_trees(corpus: str, real_data: Path) -> None:
    """By the first word whose governor lies outside, 12 of GUM's 7,927 annotated mentions had another head."""
    documents = read_documents(real_data / "gum" / f"{corpus}_test.conllu.gz")
    for document in map(each_span_once, documents[::2]):
        for mentions in (tuple(sorted(document.mentions or ())), detect_mentions(document)):
            assert heads_differ(document, mentions) == []


@pytest.mark.long
def test_events_and_coreference_agree_in_a_parsers_trees(gum: list[Document], pipeline: Path) -> None:
    for document in parse(gum[::6], str(pipeline)):
        for mentions in (tuple(sorted(document.mentions or ())), detect_mentions(document)):
            assert heads_differ(document, mentions) == []


def text_of(path: Path) -> str:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read()


def annotated(text: str) -> list[dict[Key, set[int]]]:
    """For each document the smallest spans of its mentions, by sentence, start and end, as GUM's text gives them."""
    documents: list[dict[Key, set[int]]] = []
    sentence = -1
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        if any(line.startswith("# newdoc id") for line in lines):
            documents.append({})
            sentence = -1
        sentence += 1
        rows = [line.split("\t") for line in lines if line[0].isdecimal()]
        words = [row for row in rows if row[0].isdecimal()]
        waiting: list[tuple[str, int, str]] = []
        for at, row in enumerate(words):
            entity = re.search(r"(?:^|\|)Entity=([^|]*)", row[9])
            for bracket in BRACKET.findall(entity[1]) if entity else ():
                fields = bracket.strip("()").split("-")
                if bracket.startswith("("):
                    waiting.append((fields[0], at, fields[MINSPAN]))
                if bracket.endswith(")"):
                    place = max(place for place, one in enumerate(waiting) if one[0] == fields[0])
                    _, start, minimal = waiting.pop(place)
                    documents[-1][sentence, start, at + 1] = {start + int(word) - 1 for word in minimal.split(",")}
    return documents


@pytest.mark.long
def test_heads_lie_in_the_smallest_spans_of_gum(gum: list[Document], real_data: Path) -> None:
    """GUM says of each mention which words it cannot do without; in 7,837 of 7,927 the head is one of them."""
    text = text_of(real_data / "gum" / "gum_test.conllu.gz")
    assert LAYOUT in text
    inside = []
    for document, spans in zip(gum, annotated(text), strict=True):
        kept = ParsedDocument.of(document)
        inside += [kept.head_of(one) in spans[one.sentence, one.start, one.end] for one in document.mentions or ()]
    assert (sum(inside), len(inside)) == (7_837, 7_927)
