"""Each sentence is parsed once a document, whoever reads it: mentions, rule and antecedent model."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import howsure.data
from howsure.coreference.antecedent_model import AntecedentModel
from howsure.data import parses, read_documents
from howsure.data.documents.document import Sentence
from howsure.data.parses import ParsedSentence, parsed_sentence
from howsure.events.corpus import Fields
from howsure.events.extraction.dependencies import survey_dependencies
from howsure.events.extraction.open_corpus import open_corpus
from howsure.events.extraction.processes import Work, Worker
from howsure.events.lexicon import Lexicon
from howsure.events.rule import built_in_rule

NEWS = Path(howsure.data.__file__).parent / "demo"


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each sentence is parsed, by where it stands."""
    counts = Counter[str]()

    def counting(sentence: Sentence, *, where: str = "the sentence") -> ParsedSentence:
        counts[where] += 1
        return parsed_sentence(sentence, where=where)

    monkeypatch.setattr(parses, "parsed_sentence", counting)
    return counts


@pytest.fixture(scope="module")
def work() -> Work:
    lexicon = Lexicon.read(NEWS / "actors.tsv")
    return Work(parser=None, model=AntecedentModel.pretrained(), lexicon=lexicon, rule=built_in_rule("attack-wide"))


def test_extraction(parsed: Counter[str], work: Work) -> None:
    corpus = open_corpus([NEWS / "news.conllu"], fields=Fields())
    batch = Worker(work)(list(corpus.documents()))
    sentences = len(batch.tables["sentences"]["sentence"])
    assert len(set(batch.tables["antecedents"]["document"].tolist())) > 20  # the model was asked
    assert len(parsed) == sentences > 100
    assert set(parsed.values()) == {1}


def test_the_survey_of_relations(parsed: Counter[str], work: Work) -> None:
    survey_dependencies(open_corpus([NEWS / "news.conllu"], fields=Fields()), work=work)
    assert set(parsed.values()) == {1}


def test_the_antecedent_model(parsed: Counter[str]) -> None:
    """In a posterior, and in training, where the annotated mentions are the detected ones."""
    first = read_documents(NEWS / "news.conllu")[0]
    model = AntecedentModel.pretrained()
    mentions = model.posterior(first).mentions
    assert (len(parsed), set(parsed.values())) == (len(first.sentences), {1})
    parsed.clear()
    annotated = replace(first, mentions=tuple(replace(one, entity=0) for one in mentions))
    AntecedentModel(mentions="detected", passes=1, rng=0).fit([annotated])
    assert (len(parsed), set(parsed.values())) == (len(first.sentences), {1})
