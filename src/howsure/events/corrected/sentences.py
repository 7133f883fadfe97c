"""What a reader must know beside a corrected series, in sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from howsure.counts.results import CountEstimates
from howsure.inputs.naming import counted, shortened

REPRINTED = (
    "{} a story that others tell too: within a period they count as independent given their scores; totals allow for it"
)
TERMS = {  # of counts in general, as of documents; in this order
    r", asked\b": "",  # the requested days
    r"units of one cluster": "actors in one document",
    r"allow for clusters": "allow for that",
    r"\bclusters\b": "documents",
    r"\bcluster\b": "document",
    r"\bunits\b": "pairs of a document and an actor",
    r"\bcells\b": "periods",
    r"\bcell\b": "period",
}


def sentences(
    counts: CountEstimates | None, recipe: Mapping[str, Any], not_asked: Mapping[str, str], left_out: int
) -> tuple[str, ...]:
    """What the corrected counts rest on, and what is missing."""
    said = [] if counts is None else [_leans_on(recipe)]
    if not_asked:
        said.append(f"No corrected counts for {', '.join(not_asked)}: readers were not asked about them.")
    said += _missing(recipe)
    if left_out:
        said.append(
            f"{counted(left_out, 'document')} left out of the store, because they name no actor, count as without an "
            "event."
        )
    return tuple(said)


def raw_alone(pair: Sequence[str], not_asked: Sequence[str]) -> str:
    """Why two actors are compared by their raw counts alone, although documents were read.

    >>> raw_alone(["NATO", "IRQ"], ["IRQ"]).partition(", and ")[0]
    'Readers were asked about NATO, not about IRQ: of IRQ there is no corrected count'
    """
    others = [actor for actor in pair if actor not in not_asked]
    asked = f"asked about {' and '.join(others)}, not about" if others else "not asked about"
    return (
        f"Readers were {asked} {' or '.join(not_asked)}: of {' and '.join(not_asked)} there is no corrected count, and "
        "what is compared are the raw counts of both, as the model finds them, which no label has corrected."
    )


def checks(counts: CountEstimates, n_actors: int, reprinted: int) -> tuple[str, ...]:
    """How the counts did where they could be checked, and what else limits them."""
    found = counts.diagnostics
    said = []
    if found.worth is not None:
        worth = counted(round(found.worth / n_actors), "document")
        said.append(
            f"the total of all actors is as precise as one from {worth} read at random would be without a model"
        )
    if found.raw_error is not None:
        said.append(f"calibration error of the model's probabilities where readers checked them: {found.raw_error}")
    shared = [REPRINTED.format(counted(reprinted, "document tells", "documents tell"))] if reprinted else []
    others = replace(found, worth=None, raw_error=None).sentences()
    return tuple(_of_documents(one) for one in [*said, *others, *counts.notes, *shared])


def _leans_on(recipe: Mapping[str, Any]) -> str:
    coders = recipe["coders"]
    readers = f" by {', '.join(coders)}" if 0 < len(coders) <= 3 else f" by {len(coders)} readers" if coders else ""
    words = "the model's probabilities and the words of a text"
    if recipe.get("scores"):
        words = f"the model's probabilities, the words of a text and the scores {shortened(recipe['scores'])}"
    return (
        f"The corrected counts rest on {counted(recipe['labelled'], 'document')} read{readers} "
        f"(“{recipe['question']}”); for the others, on what {words} were worth where readers checked "
        "them."
    )


def _missing(recipe: Mapping[str, Any]) -> list[str]:
    lost = {"unclear": recipe["unclear"], "on which readers disagree": recipe["unsettled"]}
    parts = [f"{counted(n, 'document')} {why}" for why, n in lost.items() if n]
    said = []
    if parts:
        said.append(
            f"Without a label: {' and '.join(parts)}. That does no harm only if they are like the other documents "
            "of their stratum."
        )
    joined = recipe.get("joined_strata")
    if joined:
        were = f"{counted(len(joined), 'stratum', 'strata')} with fewer than 2 usable answers"
        said.append(f"Joined with the stratum most like it: {were} ({shortened(map(repr, joined))}).")
    if recipe["not_read"]:
        said.append(f"{counted(recipe['not_read'], 'drawn document')} not read yet: more answers narrow the intervals.")
    return said


def _of_documents(text: str) -> str:
    """A sentence on counts in general, said of documents.

    >>> _of_documents("the intervals rely on this sampling design: clusters drawn at random")
    'The intervals rely on this sampling design: documents drawn at random.'
    """
    for term, said in TERMS.items():
        text = re.sub(term, said, text)
    return f"{text[0].upper()}{text[1:].rstrip('.')}."
