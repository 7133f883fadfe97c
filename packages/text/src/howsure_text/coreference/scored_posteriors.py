"""Posteriors from the antecedent scores of other models."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted, shortened, unknown_name
from howsure.inputs.pairs import Bools, Integers
from howsure_text.coreference.antecedent_scores import AntecedentScores, place_mentions
from howsure_text.coreference.antecedents import Antecedents
from howsure_text.coreference.coref_posterior import CorefPosterior
from howsure_text.coreference.detection import check_size


def without_mentions(antecedents: Antecedents, kept: Bools) -> tuple[Antecedents, float]:
    """Return the antecedent distributions of the `kept` mentions (a mask (M,)), and the largest probability lost.

    Links to omitted mentions are removed, and each distribution is divided by its sum. The result is the posterior
    given that no kept mention refers to an omitted one. The probability lost by a mention is that of its links to
    omitted ones.
    """
    sources = antecedents.sources()
    links = kept[sources] & kept[antecedents.antecedents]
    remaining = antecedents.new + np.bincount(sources[links], antecedents.probabilities[links], len(antecedents))
    bare = np.flatnonzero(kept & ~(remaining > 0.0))
    if len(bare):
        raise InputError(
            f"mention {int(bare[0])} has only antecedents that are left out, with a total probability of 1."
        )
    places: Integers = np.cumsum(kept) - 1
    counts = np.bincount(places[sources[links]], minlength=int(kept.sum()))
    antecedents_left = Antecedents(
        antecedents.new[kept] / remaining[kept],
        np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)]),
        places[antecedents.antecedents[links]],
        antecedents.probabilities[links] / remaining[sources[links]],
    )
    lost = np.bincount(sources[~links], antecedents.probabilities[~links], len(antecedents))
    return antecedents_left, min(float(lost[kept].max(initial=0.0)), 1.0)


# Conversion of the antecedent scores of any model to a posterior over the mentions of a document.

Misplaced = Literal["error", "leave-out"]
MISPLACED = ("error", "leave-out")


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """A document, the mentions of a model in it, and their posterior.

    left_out: the reason for each omitted mention. lost: the largest probability with which a kept mention refers to an
    omitted one.
    """

    document: Document
    mentions: tuple[Mention, ...]
    posterior: CorefPosterior
    left_out: tuple[str, ...]
    lost: float

    def left_out_text(self) -> str:
        """A sentence on the omitted mentions, and the largest probability lost."""
        named = len(self.left_out) + len(self.mentions)
        return (
            f"left out {counted(len(self.left_out), 'mention')} of the {named:,} scored in {self.document.name} "
            f"({shortened(self.left_out, limit=1)}); others refer to them with a probability of at most {self.lost:.2g}"
        )


def scored_document(
    scores: AntecedentScores, document: Document | None = None, *, misplaced: Misplaced = "error"
) -> ScoredDocument:
    """Compute the posterior of the mentions in scores, and align them with the document (default: the scores' text)."""
    if misplaced not in MISPLACED:
        raise unknown_name("way", str(misplaced), MISPLACED, place="misplaced")
    checked_document = scores.document() if document is None else document
    check_size(checked_document, scores.mentions)
    placed = place_mentions(scores, checked_document)
    if placed.faults and misplaced == "error":
        number, fault = next(iter(placed.faults.items()))
        more = f" (one of {len(placed.faults):,} that are misplaced)" if len(placed.faults) > 1 else ""
        raise InputError(
            f"document {checked_document.name}: mention {number} of the scores, {fault}{more}. Leave such mentions out "
            "with `misplaced='leave-out'`."
        )
    try:
        antecedents = CorefPosterior.from_scores(scores.scores, null=scores.null, antecedents=scores.antecedents)
        kept = np.array([mention is not None for mention in placed.mentions], dtype=np.bool_)
        remaining, lost = without_mentions(antecedents.antecedents, kept)
    except InputError as error:
        raise error.inside(f"document {checked_document.name}") from None
    mentions = tuple(mention for mention in placed.mentions if mention is not None)
    posterior = CorefPosterior(remaining, mentions=mentions)
    return ScoredDocument(checked_document, mentions, posterior, tuple(placed.faults.values()), lost)


def posterior_from_scores(
    scores: AntecedentScores, document: Document | None = None, *, misplaced: Misplaced = "error"
) -> CorefPosterior:
    """Compute the posterior from the antecedent scores of any model, by a softmax of each mention's scores.

    document: the document to which the mentions are aligned; it must have the same text as the scores, but may be
    tokenised differently (default: the text of the scores). misplaced: "error" refuses a mention that begins or ends
    inside a word of the document, or crosses sentences. "leave-out" leaves it out with a warning; the posterior is then
    conditional on no other mention referring to it.

    >>> scores = AntecedentScores(
    ...     id="a", words=["Ann", "saw", "herself"], mentions=[(0, 1), (2, 3)], scores=[[], [2.0]], null=0.0
    ... )
    >>> posterior = posterior_from_scores(scores)
    >>> posterior.mentions, posterior.pair_probability([(0, 1)]).round(3)
    ((Mention(sentence=0, start=0, end=1, entity=None, type=None), Mention(sentence=0, start=2, end=3, entity=None, \
type=None)), array([0.881]))
    """
    if not isinstance(scores, AntecedentScores):
        raise InputError(f"scores must be AntecedentScores of one document; it is {type(scores).__name__}.")
    scored = scored_document(scores, document, misplaced=misplaced)
    if scored.left_out:
        warnings.warn(scored.left_out_text(), stacklevel=2)
    return scored.posterior


# Conversion of results of fastcoref and LingMess to antecedent scores; fastcoref is not imported.


def scores_from_fastcoref(result: Any, *, id: str, words: Sequence[Any] | None = None) -> AntecedentScores:
    """Convert a result of `model.predict(...)` of `FCoref` or `LingMessCoref` to antecedent scores.

    `result.coref_logit` (k, k + 1): row j has the scores of the k candidates and, in the last column, the score 0 of
    "none"; masked scores are -10,000. `result.char_map`: the candidates in order, and their positions in the text.
    `words`: the sentences, if the input was words, which fastcoref does not keep.

    Candidates that are not words (special tokens, padding), and those with the same words as an earlier one, cannot
    be linked to in a text and are left out, with a warning if anything referred to them.
    """
    try:
        logits, places = np.asarray(result.coref_logit, dtype=np.float64), list(result.char_map.values())
        text = result.text
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(
            f"result must be one of model.predict(...) of fastcoref, with coref_logit, char_map and text ({error})."
        ) from error
    if logits.ndim != 2 or not len(places) <= len(logits):
        raise InputError(f"coref_logit must be (k, k + 1) for {len(places)} or more; it is {logits.shape}.")
    spans = [span for _, span in places] + [None] * (len(logits) - len(places))  # padding comes last, as one
    kept = np.array([span is not None and span not in spans[:row] for row, span in enumerate(spans)], dtype=np.bool_)
    posterior = CorefPosterior.from_scores(logits, null="last")
    _, lost = without_mentions(posterior.antecedents, kept)
    if lost > 0.0:
        warnings.warn(
            f"left out {counted(int((~kept).sum()), 'candidate')} of {len(kept)} in {id} that are not words, or the "
            f"same words as another; others refer to them with a probability of at most {lost:.2g}",
            stacklevel=2,
        )
    chosen = np.flatnonzero(kept)
    scores = np.where(np.tri(len(chosen), k=-1, dtype=np.bool_), logits[np.ix_(chosen, chosen)], -np.inf)
    content: dict[str, Any] = {"text": text} if isinstance(text, str) else {"words": text if words is None else words}
    if words is not None and [word for sentence in words for word in _sentence_words(sentence)] != list(text):
        raise InputError(f"words must be those that fastcoref was given for {id}, in sentences.")
    return AntecedentScores(
        id=id, mentions=[spans[row] for row in chosen], scores=scores, null=logits[chosen, -1], **content
    )


def _sentence_words(sentence: Any) -> list[str]:
    return [sentence] if isinstance(sentence, str) else list(sentence)
