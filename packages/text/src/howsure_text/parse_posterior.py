"""The posterior over tags and dependency parses of a document, sampled from a spaCy pipeline or a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from howsure.data.documents.document import Document, Sentence
from howsure.data.documents.read_documents import document_from_spacy
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, generator_from
from howsure.inputs.numbers_and_names import MAX_CLUSTERINGS, check_integer
from howsure_text.grammar import PENN_TAGS
from howsure_text.parses import ParsedDocument
from howsure_text.sequences.tag_posterior import TagPosterior
from howsure_text.spacy_pipelines import parsing_pipeline, unparsed_docs

MAX_STATES = 4_096  # maximum number of parses that are sampled together


class Tagger(Protocol):
    """A tagger with a posterior, such as a CRFTagger."""

    def posterior(self, sentences: Sequence[Any]) -> TagPosterior:
        """Return the posterior over the tags of sentences, which are lists of words."""


class ParsePosterior:
    """The posterior over tags and dependency parses of a document; its words and sentences are fixed.

    document: the document. parser: a spaCy pipeline, by the name of a package or the path of a folder, with a
    transition parser. tagger: a CRFTagger or HMMTagger whose tags are sampled instead of the pipeline's.

    A parse is sampled transition by transition: each transition is drawn from the softmax over the valid transitions,
    given the previous ones. Most parsers are trained for this distribution. Tags are sampled independently of the
    parse, because most pipelines predict both from the words. Lemmas, features and, unless sampled tags are of the Penn
    Treebank, universal tags remain those of the document. Mentions are removed, because they depend on the parse and
    must be detected again.
    """

    def __init__(self, document: Document, *, parser: str, tagger: Tagger | None = None) -> None:
        self.document = document
        self.pipeline = parsing_pipeline(parser)
        self.tagger = tagger
        if not hasattr(self.pipeline.get_pipe("parser"), "transition_states"):
            raise InputError(
                f"parser must have a transition parser of spaCy, from which parses can be sampled; {parser} has "
                "another parser."
            )

    def sample(self, n: int, *, rng: Randomness = None) -> list[ParsedDocument]:
        n, generator = check_integer(n, name="n", most=MAX_CLUSTERINGS), generator_from(rng)
        docs = unparsed_docs(self.document, self.pipeline)
        for name, component in self.pipeline.pipeline:
            if name == "parser":
                break
            docs = [component(doc) for doc in docs]
        tag_posterior = self._tag_posterior(docs)
        tags = None if tag_posterior is None else tag_posterior.sample(n, rng=generator)
        columns = []
        for number, (sentence, doc) in enumerate(zip(self.document.sentences, docs, strict=True)):
            labels = None if tags is None or tag_posterior is None else tag_posterior.names(tags[number])
            columns.append(_with_parses(sentence, _sampled_parses(self.pipeline, doc, n, generator), labels))
        metadata = self.document.metadata
        rows = zip(*columns, strict=True) if columns else [()] * n
        return [ParsedDocument(self.document.name, tuple(row), metadata=metadata) for row in rows]

    def _tag_posterior(self, docs: Sequence[Any]) -> TagPosterior | None:
        """Return the posterior over tags; None if the pipeline has no tagger."""
        if self.tagger is not None:
            return self.tagger.posterior([sentence.words for sentence in self.document.sentences])
        if "tagger" not in self.pipeline.pipe_names or not docs:
            return None
        tagger = self.pipeline.get_pipe("tagger")
        scores = [tagger.model.ops.to_numpy(scores) for scores in tagger.model.predict(docs)]
        return TagPosterior(scores, np.zeros((len(tagger.labels),) * 2), labels=tagger.labels)


def _sampled_parses(pipeline: Any, doc: Any, n: int, rng: np.random.Generator) -> list[Sentence]:
    """Draw n parses of a Doc of one sentence.

    Gumbel noise is added to the scores of transitions. The valid transition with the largest sum, which
    `transition_states` chooses, is a draw from the softmax of the scores of valid transitions (Gumbel's trick).
    """
    parser, parses = pipeline.get_pipe("parser"), []
    for start in range(0, n, MAX_STATES):
        copies = [doc.copy() for _ in range(min(MAX_STATES, n - start))]
        states = parser.moves.init_batch(copies)
        model = parser.model.predict(copies)
        unfinished = [state for state in states if not state.is_final()]
        while unfinished:
            scores = parser.model.ops.to_numpy(model.predict(unfinished))
            noisy = np.ascontiguousarray(scores + rng.gumbel(size=scores.shape), dtype=np.float32)
            unfinished = parser.transition_states(unfinished, noisy)
        model.clear_memory()
        parser.set_annotations(copies, states)
        parses += [document_from_spacy(copy).sentences[0] for copy in copies]
    return parses


def _with_parses(
    sentence: Sentence, parses: Sequence[Sentence], labels: Sequence[Sequence[str]] | None
) -> list[Sentence]:
    """Return the sentence with each of the parses and tags; equal results are the same object.

    Universal tags are removed if Penn tags were sampled, because they would contradict them.
    """
    universal = None if labels and not PENN_TAGS.isdisjoint(labels[0]) else sentence.universal_tags
    distinct: dict[Any, Sentence] = {}
    sentences = []
    for i, parse in enumerate(parses):
        key = (parse.heads, parse.relations, sentence.tags if labels is None else tuple(labels[i]))
        if key not in distinct:
            distinct[key] = replace(sentence, heads=key[0], relations=key[1], tags=key[2], universal_tags=universal)
        sentences.append(distinct[key])
    return sentences
