"""A recalibration of the antecedent model, from its scores of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from howsure.coreference.model.loss import probabilities
from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.coreference.recalibration.recalibration import CoreferenceRecalibration, recalibrate_coreference
from howsure.data.documents.document import Mention
from howsure.inputs.pairs import Floats, Integers


def learnt(scores: Floats, mentions: Sequence[Mention] | None = None) -> CorefPosterior:
    """The posterior of scores as they were learnt, neither sharpened nor recalibrated."""
    return CorefPosterior(probabilities(scores), mentions=mentions)


def recalibrated(
    scores: Sequence[Floats],
    used: Sequence[CorefPosterior],
    gold: Sequence[Integers],
    *,
    sharpen: bool,
    had: CoreferenceRecalibration | None,
    folds: int | None = None,
    **options: Any,
) -> CoreferenceRecalibration:
    """The recalibration fitted to documents; used: what the model said of them, recalibrated as it `had` been.

    Without `sharpen`, its probabilities stay as they are used, with the sharpening that it has.
    """
    held = [learnt(one) for one in scores] if sharpen else used
    found = recalibrate_coreference(held, gold, before=used, had=had, sharpen=sharpen, **options)
    kept = found.sharpening if sharpen or had is None else had.sharpening
    return replace(found, sharpening=kept, recipe={**found.recipe, "folds": folds})
