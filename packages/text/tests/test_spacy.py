"""The door to spaCy: its pipelines take the component by name, and it says what the models' own scores say."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

import howsure
from howsure.data import read_documents
from howsure.errors import InputError

pytestmark = pytest.mark.long  # a pipeline is trained

WORDS = re.findall(r"\S+", "Ada Lovelace went to Paris . Jordan saw Jordan and Eve Smith in Rome .")
NAMES = [(0, 2, "PER"), (4, 5, "LOC"), (6, 7, "PER"), (8, 9, "LOC"), (10, 12, "PER"), (13, 14, "LOC")]


def gold(nlp: spacy.Language, rng: random.Random) -> Doc:
    """The sentence with some of its names drawn, so that a recogniser is not sure."""
    words = list(WORDS)
    for start, end, _ in NAMES:
        if end - start == 1:
            words[start] = rng.choice(["Jordan", "Paris", "Rome", "Georgia", "Eve"])
    doc = Doc(nlp.vocab, words=words, tags=["NNP" if word[0].isupper() else "X" for word in words])
    doc.ents = [Span(doc, start, end, label=label) for start, end, label in NAMES]
    return doc


@pytest.fixture(scope="module")
def trained() -> spacy.Language:
    """A tagger and a recogniser of names after a few steps of training."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    nlp.add_pipe("ner")
    rng = random.Random(0)
    docs = [gold(nlp, rng) for _ in range(40)]
    examples = [Example(Doc(nlp.vocab, words=[token.text for token in doc]), doc) for doc in docs]
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(12):
        nlp.update(examples, sgd=optimizer)
    return nlp


@pytest.fixture
def nlp(trained: spacy.Language) -> spacy.Language:
    """The same with the component, by its name alone."""
    pipeline = spacy.blank("en", vocab=trained.vocab)
    for name in ("tagger", "ner"):
        pipeline.add_pipe(name, source=trained)
    pipeline.add_pipe("howsure_confidence")
    return pipeline


def paths(ner: Any, step: Any, doc: Doc, prefix: tuple[str, ...]) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Every path of actions through a document that begins as `taken`, with its probability from there."""
    (state,) = ner.moves.init_batch([doc])
    for name in prefix:
        ner.moves.apply_transition(state, name)
    if state.is_final():
        yield 1.0, prefix
        return
    names = [ner.moves.get_class_name(at) for at in range(ner.moves.n_moves)]
    scores = step.predict([state])[0]
    weights = {
        name: np.exp(float(score))
        for name, score in zip(names, scores, strict=True)
        if name != "U-" and ner.moves.is_valid(state, name)
    }
    for name, weight in weights.items():
        for chance, path in paths(ner, step, doc, (*prefix, name)):
            yield weight / sum(weights.values()) * chance, path


def actions(doc: Doc, n: int) -> tuple[str, ...]:
    """The actions that found the entities of the first n tokens."""
    marks = ["O"] * n
    for ent in doc.ents:
        if ent.end <= n:
            inner = ["B", *"I" * (len(ent) - 2), "L"] if len(ent) > 1 else ["U"]
            marks[ent.start : ent.end] = [f"{bilou}-{ent.label_}" for bilou in inner]
    return tuple(marks)


def test_an_entity_has_the_share_of_all_paths_with_it_that_share_its_past(nlp: spacy.Language) -> None:
    ner: Any = nlp.get_pipe("ner")
    words = WORDS[:6]
    doc = nlp(Doc(nlp.vocab, words=words))
    assert doc.ents[0].text == "Ada Lovelace"
    for ent in doc.ents:
        bare = Doc(nlp.vocab, words=words)
        shares = list(paths(ner, ner.model.predict([bare]), bare, actions(doc, ent.start)))
        assert sum(chance for chance, _ in shares) == pytest.approx(1)
        actions_before = actions(doc, ent.end)
        expected = sum(chance for chance, path in shares if path[: ent.end] == actions_before)
        assert 0.1 < expected < 1
        assert ent._.confidence == pytest.approx(expected, rel=1e-4)


def test_a_tag_has_the_softmax_of_the_taggers_scores(nlp: spacy.Language) -> None:
    doc = nlp(Doc(nlp.vocab, words=WORDS))
    tagger: Any = nlp.get_pipe("tagger")
    weights = np.exp(tagger.model.predict([doc])[0].astype(float))
    expected = (weights / weights.sum(axis=1, keepdims=True)).max(axis=1)
    assert [token._.tag_confidence for token in doc] == pytest.approx(expected.tolist(), rel=1e-6)
    assert [token.tag_ for token in doc] == [tagger.labels[at] for at in weights.argmax(axis=1)]


def test_a_real_pipeline_is_surer_where_it_is_right(pipeline: Path, real_data: Path) -> None:
    loaded = spacy.load(pipeline, exclude=["parser"])
    loaded.add_pipe("howsure_confidence")
    tokens = []
    for document in read_documents(real_data / "ud_english_ewt" / "en_ewt-ud-test.conllu.gz")[:25]:
        for sentence in document.sentences:
            doc = loaded(Doc(loaded.vocab, words=list(sentence.words)))
            tokens += [
                (token.tag_ == tag, token._.tag_confidence) for token, tag in zip(doc, sentence.tags, strict=True)
            ]
    right, confidence = zip(*tokens, strict=True)
    assert len(right) > 1_000
    assert howsure.selective_curve(right, confidence).auroc.low > 0.8
    assert howsure.calibration_error(right, confidence).value < 0.05


def test_maps_calibrate_and_travel_with_the_pipeline(nlp: spacy.Language, tmp_path: Path) -> None:
    before = nlp(Doc(nlp.vocab, words=WORDS))
    tags = [token._.tag_confidence for token in before]
    entities, kinds = [ent._.confidence for ent in before.ents], [ent.label_ for ent in before.ents]
    prob = np.linspace(0.02, 0.98, 400)
    right = np.random.default_rng(0).random(400) < prob**2
    groups = np.where(np.arange(400) % 2, "PER", "LOC")
    howsure.recalibrate(right, prob, method="platt").save(tmp_path / "tags.json")
    component: Any = nlp.get_pipe("howsure_confidence")
    component.tag_map = howsure.RecalibrationMap.load(tmp_path / "tags.json")
    component.entity_map = howsure.recalibrate(right, prob, groups=groups, method="platt")
    nlp.to_disk(tmp_path / "pipeline")
    bare = spacy.blank("en").from_config(nlp.config)
    for pipeline in (nlp, spacy.load(tmp_path / "pipeline"), bare.from_bytes(nlp.to_bytes())):
        (doc,) = pipeline.pipe([Doc(pipeline.vocab, words=WORDS)])
        expected = component.tag_map.apply(tags)
        assert [token._.tag_confidence for token in doc] == pytest.approx(expected.tolist(), rel=1e-5)
        expected = component.entity_map.apply(entities, groups=kinds)
        assert [ent._.confidence for ent in doc.ents] == pytest.approx(expected.tolist(), rel=1e-5)


def test_what_the_models_did_not_say_has_none(nlp: spacy.Language) -> None:
    ruler: Any = nlp.add_pipe("entity_ruler", before="ner")
    ruler.add_patterns([{"label": "VERB", "pattern": "went"}])
    doc = nlp(Doc(nlp.vocab, words=WORDS))
    confidences = {ent.text: ent._.confidence for ent in doc.ents}
    assert confidences["went"] is None
    assert confidences["Ada Lovelace"] > 0
    assert nlp(Doc(nlp.vocab, words=[])).ents == ()


def test_several_processes_say_the_same(nlp: spacy.Language) -> None:
    texts = [" ".join(WORDS), "Ada Lovelace saw Georgia ."]
    alone = [[token._.tag_confidence for token in doc] for doc in map(nlp, texts)]
    several = [[token._.tag_confidence for token in doc] for doc in nlp.pipe(texts, n_process=2)]
    assert several == [pytest.approx(probabilities) for probabilities in alone]


def test_what_it_refuses(nlp: spacy.Language) -> None:
    component: Any = nlp.get_pipe("howsure_confidence")
    with pytest.raises(InputError, match="tag_map must be a RecalibrationMap"):
        component.tag_map = "tags.json"
    rows = np.random.default_rng(0).dirichlet([1, 1, 1], 300)
    of_classes = howsure.recalibrate(np.arange(300) % 3, rows, method="vector")
    with pytest.raises(InputError, match="entity_map must be a map of one probability per row"):
        component.entity_map = of_classes
    alone = spacy.blank("en")
    alone.add_pipe("howsure_confidence")
    with pytest.raises(InputError, match=r"must come after 'tagger' or 'ner', .* before it there is nothing"):
        alone("Ada")
    misnamed = spacy.blank("en")
    misnamed.add_pipe("tagger")
    misnamed.add_pipe("howsure_confidence", config={"ner": "names"})
    with pytest.raises(InputError, match=r"must come after 'names', .* before it there is tagger"):
        misnamed.get_pipe("howsure_confidence")(misnamed.make_doc("Ada"))
