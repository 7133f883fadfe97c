"""The feature families of the antecedent model: for pairs of mentions, and for mentions that may be new."""

from howsure.coreference.model.features import agreement, discourse, distance, match, novelty, syntax, words
from howsure.coreference.model.features.family import Candidates, Family

PAIR_FAMILIES: tuple[Family, ...] = (
    *distance.FAMILIES, *match.FAMILIES, *agreement.FAMILIES, *syntax.FAMILIES, *discourse.FAMILIES, *words.FAMILIES,
)  # fmt: skip
NEW_FAMILIES: tuple[Family, ...] = novelty.FAMILIES

__all__ = ["NEW_FAMILIES", "PAIR_FAMILIES", "Candidates", "Family"]
