"""What fastcoref and LingMess found, as antecedent scores. fastcoref is not imported: its results are read."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.coreference.posterior.left_out_mentions import without_mentions
from howsure.data.antecedent_scores.antecedent_scores import AntecedentScores
from howsure.errors import InputError
from howsure.inputs.naming import counted


def scores_from_fastcoref(result: Any, *, id: str, words: Sequence[Any] | None = None) -> AntecedentScores:
    """The antecedent scores in a result of `FCoref` or `LingMessCoref`, `model.predict(...)`, which its clusters drop.

    `result.coref_logit` (k, k + 1): row j has the scores of its k candidates, the last column that of "none", 0; what
    is masked has -10,000. `result.char_map`: the candidates in order, and their place in the text. `words`: the
    sentences of the text where it was given as words, which fastcoref does not keep.

    Candidates that are no words (special tokens, padding), and those that are the same words as an earlier one, cannot
    be linked to in a text and are left out, with a warning if anything referred to them.

    Raises InputError if it is no such result.
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
            f"left out {counted(int((~kept).sum()), 'candidate')} of {len(kept)} in {id} that are no words, or the "
            f"same words as another; others refer to them with a probability of at most {lost:.2g}",
            stacklevel=2,
        )
    chosen = np.flatnonzero(kept)
    scores = np.where(np.tri(len(chosen), k=-1, dtype=np.bool_), logits[np.ix_(chosen, chosen)], -np.inf)
    held: dict[str, Any] = {"text": text} if isinstance(text, str) else {"words": text if words is None else words}
    if words is not None and [word for sentence in words for word in _listed(sentence)] != list(text):
        raise InputError(f"words must be those that fastcoref was given for {id}, in sentences.")
    return AntecedentScores(
        id=id, mentions=[spans[row] for row in chosen], scores=scores, null=logits[chosen, -1], **held
    )


def _listed(sentence: Any) -> list[str]:
    return [sentence] if isinstance(sentence, str) else list(sentence)
