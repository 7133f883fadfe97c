"""From the antecedent scores of any model to a posterior over the mentions of a document."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np

from howsure.coreference.mentions.selection import check_size
from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.coreference.posterior.left_out_mentions import without_mentions
from howsure.data.antecedent_scores.antecedent_scores import AntecedentScores
from howsure.data.antecedent_scores.placement import place_mentions
from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError
from howsure.inputs.naming import counted, shortened, unknown_name

Misplaced = Literal["error", "leave-out"]
MISPLACED = ("error", "leave-out")


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """A document, the mentions of a model in it, their posterior, and which mentions are left out.

    left_out: for each, why. lost: the largest probability with which a mention that stays refers to them.
    """

    document: Document
    mentions: tuple[Mention, ...]
    posterior: CorefPosterior
    left_out: tuple[str, ...]
    lost: float

    def left_out_text(self) -> str:
        """What is left out, and what it was worth."""
        named = len(self.left_out) + len(self.mentions)
        return (
            f"left out {counted(len(self.left_out), 'mention')} of the {named:,} scored in {self.document.name} "
            f"({shortened(self.left_out, limit=1)}); others refer to them with a probability of at most {self.lost:.2g}"
        )


def scored_document(
    scores: AntecedentScores, document: Document | None = None, *, misplaced: Misplaced = "error"
) -> ScoredDocument:
    """The posterior of the mentions that scores name, as mentions of the document, by default of the scores' own text.

    Raises InputError as `posterior_from_scores` does.
    """
    if misplaced not in MISPLACED:
        raise unknown_name("way", str(misplaced), MISPLACED, place="misplaced")
    held = scores.document() if document is None else document
    check_size(held, scores.mentions)
    placed = place_mentions(scores, held)
    if placed.faults and misplaced == "error":
        number, fault = next(iter(placed.faults.items()))
        more = f" (one of {len(placed.faults):,} that are misplaced)" if len(placed.faults) > 1 else ""
        raise InputError(
            f"document {held.name}: mention {number} of the scores, {fault}{more}. Leave such mentions out with "
            "misplaced='leave-out'."
        )
    try:
        antecedents = CorefPosterior.from_scores(scores.scores, null=scores.null, antecedents=scores.antecedents)
        kept = np.array([mention is not None for mention in placed.mentions], dtype=np.bool_)
        found, lost = without_mentions(antecedents.antecedents, kept)
    except InputError as error:
        raise InputError(f"document {held.name}: {error}") from None
    mentions = tuple(mention for mention in placed.mentions if mention is not None)
    posterior = CorefPosterior(found, mentions=mentions)
    return ScoredDocument(held, mentions, posterior, tuple(placed.faults.values()), lost)


def posterior_from_scores(
    scores: AntecedentScores, document: Document | None = None, *, misplaced: Misplaced = "error"
) -> CorefPosterior:
    """The posterior that the antecedent scores of any model define: the softmax of each mention's scores.

    Its mentions are those of `document`, which must have the same text but may be cut into other words, or of the
    scores' own text. A mention that begins or ends inside a word of the document, or crosses its sentences, is an error
    or, by `misplaced="leave-out"`, left out with a warning that counts it: the posterior is then that given that no
    other mention refers to it.

    >>> scores = AntecedentScores(
    ...     id="a", words=["Ann", "saw", "herself"], mentions=[(0, 1), (2, 3)], scores=[[], [2.0]], null=0.0
    ... )
    >>> posterior = posterior_from_scores(scores)
    >>> posterior.mentions, posterior.pair_probability([(0, 1)]).round(3)
    ((Mention(sentence=0, start=0, end=1, entity=None, type=None), Mention(sentence=0, start=2, end=3, entity=None, \
type=None)), array([0.881]))

    Raises InputError if the texts differ, or for scores that define no distribution, as `CorefPosterior.from_scores`.
    """
    if not isinstance(scores, AntecedentScores):
        raise InputError(f"scores must be AntecedentScores of one document; it is {type(scores).__name__}.")
    found = scored_document(scores, document, misplaced=misplaced)
    if found.left_out:
        warnings.warn(found.left_out_text(), stacklevel=2)
    return found.posterior
