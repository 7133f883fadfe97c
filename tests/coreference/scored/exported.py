"""The antecedent model's own posteriors as the scores of another model: a parity that needs no other model."""

from __future__ import annotations

import numpy as np

from howsure.coreference import CorefPosterior
from howsure.data import AntecedentScores, Document, Mention


def exported(document: Document, posterior: CorefPosterior, *, places: list[int] | None = None) -> AntecedentScores:
    """Log-probabilities as scores, by antecedents that are listed; of the mentions at `places`, by default all."""
    chosen = list(range(len(posterior))) if places is None else places
    starts = np.cumsum([0, *map(len, document.sentences)])
    rows = [posterior.antecedents.row(place) for place in chosen]
    kept = [[at for at, k in enumerate(antecedents.tolist()) if k in chosen] for antecedents, _ in rows]
    mentions: list[Mention] = [posterior.mentions[place] for place in chosen]  # type: ignore[misc]
    with np.errstate(divide="ignore"):
        return AntecedentScores(
            id=document.name,
            words=[list(sentence.words) for sentence in document.sentences],
            mentions=[(starts[one.sentence] + one.start, starts[one.sentence] + one.end) for one in mentions],
            antecedents=[[chosen.index(row[0][at]) for at in held] for row, held in zip(rows, kept, strict=True)],
            scores=[np.log(row[1][held]) for row, held in zip(rows, kept, strict=True)],
            null=np.log(posterior.antecedents.new[chosen]),
        )
