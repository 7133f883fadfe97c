"""The head of a mention on real text: the same for events and coreference, and a word that GUM's annotators keep."""

from __future__ import annotations

import gzip
import importlib.util
import re
from itertools import accumulate
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.events import newswire

from howsure.data import Document, read_documents
from howsure.data.documents.conllu import read_conllu
from howsure.data.documents.document import Mention
from howsure_cli.commands import demo
from howsure_events.extraction.extract_document import document_seed, extract, mention_heads
from howsure_events.lexicon import Lexicon
from howsure_events.rule import built_in_rule
from howsure_papers.corpora.coreference import drop_repeated_spans, parse
from howsure_text.coreference.antecedent_model import AntecedentModel
from howsure_text.coreference.detection import detect_mentions
from howsure_text.coreference.mentions import mention_columns
from howsure_text.parses import ParsedDocument
from tests.source import DEMO, ROOT

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
    return [
        " ".join(document.words_of(mention))
        for mention, mine, other in both
        if mine != offsets[mention.sentence] + other
    ]


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
    for document in map(drop_repeated_spans, documents[::2]):
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
                    place = max(place for place, bracketed in enumerate(waiting) if bracketed[0] == fields[0])
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
        inside += [
            kept.mention_head(mention) in spans[mention.sentence, mention.start, mention.end]
            for mention in document.mentions or ()
        ]
    assert (sum(inside), len(inside)) == (7_837, 7_927)


# The news of the demo: what the script writes, trees without fault, and events of which some are in doubt.


SCRIPTS = ROOT / "scripts"
NEWS, ACTORS, LABELS = (DEMO / name for name in ("news.conllu", "actors.tsv", "labels.csv"))


def script_named(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return script_named("make_demo_news")


def test_the_files_are_what_the_script_writes(script: ModuleType, tmp_path: Path) -> None:
    script.main(tmp_path)
    for bundled in (NEWS, ACTORS):
        assert (tmp_path / bundled.name).read_bytes() == bundled.read_bytes()


def test_the_labels_are_those_of_the_documents_that_the_demo_draws(tmp_path: Path) -> None:
    labels = script_named("make_demo_labels")
    labels.main(tmp_path)
    assert (tmp_path / LABELS.name).read_text() == LABELS.read_text()
    assert str(labels.LABELS) == demo.LABELS


def test_every_reading_names_an_actor_of_its_text() -> None:
    labels, lexicon = script_named("make_demo_labels"), Lexicon.read(ACTORS)
    documents = {document.name: document for document in read_conllu(NEWS)}
    for number, reading in labels.READINGS.items():
        words = [word for sentence in documents[f"news-{number:02}"].sentences for word in sentence.words]
        assert {"attacked", "attack"} & set(words)
        if reading != labels.UNCLEAR:
            assert reading in lexicon.codes_of(" ".join(words))


def test_every_plot_and_every_sentence_is_used(script: ModuleType) -> None:
    assert {sentence for _, *sentences in script.PLOTS.values() for sentence in sentences} == set(script.SENTENCES)
    titles = {document.metadata["title"] for document in script.stories()}
    assert len(titles) >= len(script.PLOTS)


def test_trees_have_one_root_and_quarters_have_news() -> None:
    documents = read_conllu(NEWS)  # which refuses circles
    assert len(documents) == 48
    for document in documents:
        for sentence in document.sentences:
            assert sentence.heads.count(-1) == 1
            assert sentence.words[-1] == "."
    dates = [document.metadata["date"] for document in documents]
    assert dates == sorted(set(dates))
    assert {(date[:4], (int(date[5:7]) + 2) // 3) for date in dates} == {
        (year, quarter) for year in ("2001", "2002") for quarter in (1, 2, 3, 4)
    }


def test_some_events_are_certain_and_some_in_doubt() -> None:
    lexicon, rule, model = Lexicon.read(ACTORS), built_in_rule("attack"), AntecedentModel.pretrained()
    assert set(lexicon.codes) == {"NORLAND", "SUDORIA", "VESTMERE", "ALLIANCE"}
    probabilities, without = [], 0
    for document in read_conllu(NEWS):
        extraction = extract(
            document, model=model, lexicon=lexicon, rule=rule, samples=100, rng=document_seed(0, document.name)
        )
        if extraction.sampled is None:
            without += 1
        else:
            probabilities += extraction.sampled.probabilities.tolist()
    p = np.array(probabilities)
    assert without == 12
    assert (p == 1.0).sum() >= 5
    assert ((p > 0.2) & (p < 0.8)).sum() >= 10
