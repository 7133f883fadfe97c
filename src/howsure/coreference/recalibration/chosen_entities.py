"""The entities that a decision chooses from posteriors, beside gold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from howsure.coreference.posterior.confidence import mention_confidence
from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.coreference.recalibration.entity_confidence import Judged, right_share
from howsure.errors import InputError
from howsure.inputs.checks import listed
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Integers

Decision = str
DECISIONS = ("best", "minimum-risk")


def judged_entities(posteriors: Sequence[CorefPosterior], gold: Sequence[Integers], decision: Decision) -> list[Judged]:
    """The chosen entities of documents beside gold, with the confidence of the posteriors."""
    found = []
    for posterior, true in zip(posteriors, gold, strict=True):
        labels = posterior.labels(entities_by(posterior, decision))
        found.append(Judged(mention_confidence(posterior, labels), labels, right_share(labels, true)))
    return found


def entities_by(posterior: CorefPosterior, decision: Decision) -> list[list[Any]]:
    """The entities by every mention's best antecedent, or of minimum risk."""
    return posterior.best_antecedent_clusters() if decision == "best" else posterior.minimum_risk_clusters()


def checked_documents(
    posteriors: Iterable[CorefPosterior], gold: Iterable[Any]
) -> tuple[list[CorefPosterior], list[Integers]]:
    """The posteriors, and the labels of gold clusters. Raises InputError where they do not fit together."""
    if isinstance(posteriors, CorefPosterior):
        raise InputError("posteriors must be a list, one per document; there must be several.")
    held, golden = listed(posteriors, name="posteriors", of="posteriors"), listed(gold, name="gold", of="clusterings")
    if len(held) != len(golden):
        raise InputError(f"posteriors and gold must be of the same documents; they have {len(held)}, {len(golden)}.")
    labels = []
    for place, (posterior, clusters) in enumerate(zip(held, golden, strict=True)):
        if not isinstance(posterior, CorefPosterior):
            raise InputError(f"posteriors must hold CorefPosterior; document {place} is {type(posterior).__name__}.")
        try:
            labels.append(posterior.labels(clusters))
        except InputError as error:
            raise InputError(f"document {place}: {error}") from None
    if not any(len(one) > 1 for one in held):
        raise InputError(f"{counted(len(held), 'document')} without two mentions in any: there is nothing to learn.")
    return held, labels
