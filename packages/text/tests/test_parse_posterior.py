"""Sampled parses against the probabilities of all likely sequences of transitions, and sampled tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from howsure.data import Document, Sentence
from howsure.errors import InputError
from howsure_text.parse_posterior import ParsePosterior
from howsure_text.parses import ParsedDocument
from howsure_text.sequences import CRFTagger
from howsure_text.spacy_pipelines import parsing_pipeline, unparsed_docs

WORDS = ("They", "saw", "her", "duck")
DOCUMENT = Document("ambiguous", (Sentence(WORDS), Sentence(("Time", "flies", "."))))
Edges = tuple[tuple[int, str], ...]


def likely_parses(pipeline: str) -> Iterator[tuple[Edges, float]]:
    """The edges and the probability of each sequence of transitions that has a probability of 0.0005 or more."""
    language = parsing_pipeline(pipeline)
    (doc, _) = unparsed_docs(DOCUMENT, language)
    doc = language.get_pipe("tok2vec")(doc)
    parser = language.get_pipe("parser")
    names = parser.move_names
    model = parser.model.predict([doc])
    pending = [(parser.moves.init_batch([doc])[0], 1.0)]
    while pending:
        state, probability = pending.pop()
        if state.is_final():
            parse = doc.copy()
            parser.set_annotations([parse], [state])
            yield tuple((token.head.i, token.dep_) for token in parse), probability
            continue
        scores = np.asarray(model.predict([state])[0], dtype=float)
        valid = np.array([parser.moves.is_valid(state, name) for name in names])
        weights = np.where(valid, np.exp(scores - scores.max()), 0.0)
        for move in np.flatnonzero(probability * weights / weights.sum() >= 0.0005):
            after = state.copy()
            parser.moves.apply_transition(after, names[move])
            pending.append((after, probability * weights[move] / weights.sum()))


def test_parses_are_drawn_with_the_probability_of_their_transitions(pipeline: Path) -> None:
    exact: Counter[Edges] = Counter()
    for edges, probability in likely_parses(str(pipeline)):
        exact[edges] += probability
    assert sum(exact.values()) > 0.9
    n = 2_000
    drawn = ParsePosterior(DOCUMENT, parser=str(pipeline)).sample(n, rng=0)
    counts = Counter(
        tuple(
            (i if head < 0 else head, label) for i, (head, label) in enumerate(zip(s.heads, s.relations, strict=True))
        )
        for s in (document.sentences[0] for document in drawn)
    )
    for edges, probability in exact.most_common(8):
        assert counts[edges] / n == pytest.approx(probability, abs=4 * np.sqrt(probability / n) + 0.01)


def test_a_sampled_document_has_the_words_and_a_tree_in_each_sentence(pipeline: Path) -> None:
    posterior = ParsePosterior(DOCUMENT, parser=str(pipeline))
    first, again = (posterior.sample(100, rng=4) for _ in range(2))
    assert first == again
    for document in first:
        assert isinstance(document, ParsedDocument)
        assert [sentence.words for sentence in document.sentences] == [s.words for s in DOCUMENT.sentences]
        assert [len(document.parse(number)) for number in (0, 1)] == [4, 3]
    assert len({(document.sentences[0].heads, document.sentences[0].relations) for document in first}) > 1


def test_tags_are_drawn_from_the_pipeline_or_from_a_tagger(pipeline: Path) -> None:
    n, flies = 1_000, (1, 1)
    language = parsing_pipeline(str(pipeline))
    (_, doc) = unparsed_docs(DOCUMENT, language)
    tagger = language.get_pipe("tagger")
    scores = np.asarray(tagger.model.predict([language.get_pipe("tok2vec")(doc)])[0], dtype=float)[flies[1]]
    softmax = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    drawn = ParsePosterior(DOCUMENT, parser=str(pipeline)).sample(n, rng=0)
    counts = Counter(document.sentences[flies[0]].tags[flies[1]] for document in drawn)
    for label, probability in zip(tagger.labels, softmax, strict=True):
        assert counts[label] / n == pytest.approx(probability, abs=0.05)

    crf = CRFTagger(max_iterations=20).fit(
        [["They", "saw"], ["Time", "flies"]] * 3, [["PRP", "VBD"], ["NN", "NNS"]] * 3
    )
    drawn = ParsePosterior(DOCUMENT, parser=str(pipeline), tagger=crf).sample(n, rng=0)
    counts = Counter(document.sentences[0].tags[0] for document in drawn)
    exact = crf.posterior([list(WORDS)]).marginals()[0][0]
    labels = crf.posterior([list(WORDS)]).labels or ()
    assert counts["PRP"] / n == pytest.approx(exact[labels.index("PRP")], abs=0.05)


def test_sampled_tags_replace_universal_tags(pipeline: Path) -> None:
    """A rule looks at universal tags first, so those of the single parse would hide the sampled tags."""
    universal = Document("ambiguous", (Sentence(WORDS, universal_tags=("PRON", "VERB", "PRON", "VERB")),))
    drawn = ParsePosterior(universal, parser=str(pipeline)).sample(50, rng=0)
    assert {document.sentences[0].universal_tags for document in drawn} == {None}
    assert len({document.sentences[0].tags for document in drawn}) > 1


def test_a_document_without_words_and_a_parser_without_transitions(pipeline: Path) -> None:
    assert ParsePosterior(Document("empty", ()), parser=str(pipeline)).sample(2) == [ParsedDocument("empty", ())] * 2
    with pytest.raises(InputError, match="does not exist"):
        ParsePosterior(DOCUMENT, parser="no_such_pipeline")
