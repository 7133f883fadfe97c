"""Where the events of a store come from, which says what its intervals include: coreference, or another model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from howsure.errors import InputError

ENTITIES = "entities"  # a unit of counts
COREFERENCE = (
    "coreference only: which mentions refer to the same entity. The texts, their parse, the names of the actors and "
    "the rule are taken as given."
)
IMPORTED = (
    "the imported probabilities only: the model that gave them is taken as calibrated. What it misses or mistakes "
    "throughout is not included."
)
INDEPENDENT = " Samples were drawn from the probabilities, as if the actors of a document were independent."
GIVEN, DRAWN, SHARES = "given", "drawn", "shares of samples"

Settings = Mapping[str, Any]


def is_imported(settings: Settings) -> bool:
    """Whether another model found the events, so that neither mentions nor evidence are known."""
    return settings.get("imported") is not None


def has_exact_probabilities(settings: Settings) -> bool:
    """Whether the probabilities were given as they are, and are not the shares of the samples."""
    return is_imported(settings) and settings["imported"].get("probabilities") == GIVEN


def has_drawn_samples(settings: Settings) -> bool:
    """Whether the samples were drawn from imported probabilities."""
    return is_imported(settings) and settings["imported"].get("samples") == DRAWN


def known_units(settings: Settings, units: Iterable[str]) -> list[str]:
    """Those units that the events of a store can be counted in: no entities where only documents were scored."""
    return [unit for unit in units if not (unit == ENTITIES and is_imported(settings))]


def check_unit_known(settings: Settings, unit: str) -> None:
    """Refuse to count the entities that act, where only probabilities of documents are known.

    Raises InputError.
    """
    if unit not in known_units(settings, [unit]):
        raise InputError(
            "unit must be documents or share: the events of this store were imported, without the entities that act."
        )


def uncertainty_in(settings: Settings) -> str:
    """What the intervals of a store include, and what they take as given."""
    if not is_imported(settings):
        return COREFERENCE
    return IMPORTED + (INDEPENDENT if has_drawn_samples(settings) else "")
