"""Coreference from a file of another model's antecedent scores, instead of the bundled antecedent model."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import shortened
from howsure_events.corpus import Documents, Filter
from howsure_text.coreference.antecedent_files import ScoreFile
from howsure_text.coreference.antecedent_scores import AntecedentScores, place_mentions
from howsure_text.coreference.antecedents import Antecedents
from howsure_text.coreference.coref_posterior import CorefPosterior
from howsure_text.coreference.detection import check_size, detect_mentions
from howsure_text.coreference.scored_posteriors import Misplaced, scored_document
from howsure_text.parses import ParsedDocument


class ScoredCoreference:
    """A model whose posteriors are computed from a file of antecedent scores, by document id.

    The mentions are those with scores, and mentions detected in the parse whose head is not the head of a scored
    mention. Detected mentions without scores are entities of their own. They are included so that the rule is applied
    to the same nouns as with the antecedent model. misplaced: whether scored mentions that cross sentences, or start or
    end inside a word of the parse, are an error ("error") or left out ("leave-out").

    Raises the errors of `ScoreFile`.
    """

    def __init__(self, path: str | os.PathLike[str], *, misplaced: Misplaced = "error") -> None:
        self.file = ScoreFile(path)
        self.misplaced = misplaced
        self.source_ = self.file.path
        self._last: AntecedentScores | None = None

    def get_params(self) -> dict[str, Any]:
        """The settings that determine the posteriors: the content of the file."""
        return {"scores": self.file.digest}

    def check_documents(self, corpus: Documents, filters: Filter) -> None:
        """Raise InputError if the file lacks a document that the filters keep."""
        missing = [
            document.id
            for document in corpus.documents()
            if filters.reason(document) is None and document.id not in self.file
        ]
        if missing:
            raise InputError(
                f"{self.file.path} has no scores of {len(missing):,} documents of the corpus "
                f"({shortened(missing, limit=3)}). It has scores of {len(self.file):,} documents "
                f"({shortened(self.file.names, limit=3)}); the ids must be those of the corpus."
            )

    def candidates(self, document: Document) -> tuple[tuple[Mention, ...], int]:
        """Return the mentions of a document in text order, and the number of scored mentions left out.

        Raises InputError if the scores belong to another text, or a scored mention does not fit the document.
        """
        placed = place_mentions(self._scores(document.name), document)
        if placed.faults and self.misplaced == "error":
            scored_document(self._scores(document.name), document)  # raises the error
        named = [mention for mention in placed.mentions if mention is not None]
        parsed = ParsedDocument.of(document)
        heads = {(mention.sentence, parsed.mention_head(mention)) for mention in named}
        others = [
            mention
            for mention in detect_mentions(parsed)
            if (mention.sentence, parsed.mention_head(mention)) not in heads
        ]
        return tuple(sorted([*named, *others], key=_place)), len(placed.faults)

    def posterior(self, document: Document, *, mentions: tuple[Mention, ...]) -> CorefPosterior:
        """Return the posterior of the mentions of `candidates`; each mention without scores is an entity of its own."""
        check_size(document, mentions)
        resolved = scored_document(self._scores(document.name), document, misplaced=self.misplaced)
        scored = dict(zip(resolved.mentions, range(len(resolved.mentions)), strict=True))
        places = np.array([place for place, mention in enumerate(mentions) if mention in scored], dtype=np.int64)
        if len(places) != len(scored):
            raise InputError(f"document {document.name}: mentions must be those that candidates() gives.")
        was = resolved.posterior.antecedents
        new = np.ones(len(mentions))
        new[places] = was.new
        counts = np.zeros(len(mentions), dtype=np.int64)
        counts[places] = np.diff(was.starts)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])
        return CorefPosterior(Antecedents(new, starts, places[was.antecedents], was.probabilities), mentions=mentions)

    def _scores(self, name: str) -> AntecedentScores:
        if self._last is None or self._last.id != name:
            self._last = self.file.read(name)
        return self._last


def candidate_mentions(model: object, document: Document) -> tuple[tuple[Mention, ...], int]:
    """Return the mentions of a parsed document that a model resolves, and the number of scored mentions left out."""
    if isinstance(model, ScoredCoreference):
        return model.candidates(document)
    return detect_mentions(document), 0


def _place(mention: Mention) -> tuple[int, int]:
    """Sort key by which mentions with the same start keep their order, scored mentions first."""
    return mention.sentence, mention.start
