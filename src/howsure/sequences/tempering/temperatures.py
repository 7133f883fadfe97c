"""The temperatures fitted to gold tags, and what they do to a posterior."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from howsure.errors import InputError
from howsure.inputs.naming import counted
from howsure.result import Result
from howsure.sequences.chain.tempered import Given
from howsure.sequences.tag_posterior import TagPosterior
from howsure.show.preformatted import preformatted
from howsure.stats.estimate import Estimate, finite_or_none

Unseen = Sequence[Any]  # for each sentence, whether each of its words is unseen: (T,)


@dataclass(frozen=True, slots=True)
class Temperatures(Result):
    """The result of `fit_temperatures`.

    emissions, transitions: the temperatures of the potentials of single tags, and of transitions, starts and ends.
    unseen: that of the emissions of words which a model did not see in training, where it has one of its own. Below 1,
    the model was underconfident. The intervals are by sentences. tag_loss, sequence_loss: the mean of -log P(gold tag),
    and of -log P(gold tags of the sentence), per token, before and after, on the sentences of the fit. n, sentences:
    the tokens that count, and the sentences that have some. left_out: tokens without a tag that the model holds
    possible. notes: what could not be told.
    """

    emissions: Estimate
    transitions: Estimate
    unseen: Estimate | None
    tag_loss: tuple[float, float]
    sequence_loss: tuple[float, float]
    n: int
    sentences: int
    left_out: int
    recipe: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()

    def apply(self, posterior: TagPosterior, *, unseen: Unseen | None = None) -> TagPosterior:
        """The posterior at these temperatures. unseen: for each sentence, whether each of its words is unseen (T,).

        Raises InputError if unseen words have a temperature of their own, and `unseen` is not given.
        """
        return posterior.tempered(self.of_words(unseen), transitions=self.transitions.value)

    def of_words(self, unseen: Unseen | None) -> Given:
        """The temperature of the emissions: one, or one for each token."""
        if self.unseen is None:
            return self.emissions.value
        if unseen is None:
            raise InputError("unseen must say which words are unseen, for they have a temperature of their own.")
        return [np.where(np.asarray(one, dtype=bool), self.unseen.value, self.emissions.value) for one in unseen]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        own = None if self.unseen is None else self.unseen.to_dict()
        return {
            "recipe": self.recipe, "emissions": self.emissions.to_dict(), "transitions": self.transitions.to_dict(),
            "unseen": own, "tag_loss": [finite_or_none(one) for one in self.tag_loss],
            "sequence_loss": [finite_or_none(one) for one in self.sequence_loss], "n": self.n,
            "sentences": self.sentences, "left_out": self.left_out, "notes": list(self.notes),
        }  # fmt: skip

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> Self:
        """The temperatures that `to_dict` gave. Raises KeyError, TypeError or ValueError for others."""
        return cls(
            emissions=_estimate(held["emissions"]),
            transitions=_estimate(held["transitions"]),
            unseen=None if held["unseen"] is None else _estimate(held["unseen"]),
            tag_loss=_pair(held["tag_loss"]),
            sequence_loss=_pair(held["sequence_loss"]),
            n=int(held["n"]),
            sentences=int(held["sentences"]),
            left_out=int(held["left_out"]),
            recipe=dict(held["recipe"]),
            notes=tuple(map(str, held["notes"])),
        )

    def rows(self) -> dict[str, Estimate]:
        """The temperatures by the names of what they divide."""
        found = {"emissions": self.emissions, "unseen words": self.unseen, "transitions": self.transitions}
        return {name: one for name, one in found.items() if one is not None}

    def _columns(self) -> dict[str, Any]:
        rows = self.rows()
        ends = {
            end: [math.nan if (held := getattr(one, end)) is None else held for one in rows.values()]
            for end in ("low", "high")
        }
        return {"potentials": list(rows), "temperature": [one.value for one in rows.values()], **ends}

    def __repr__(self) -> str:
        width = max(map(len, self.rows()))
        lines = [f"{name:<{width}}  {one}" for name, one in self.rows().items()]
        sizes = f"{counted(self.sentences, 'sentence')}, {counted(self.n, 'token')}"
        losses = [
            f"-log P per token, {what}: {before:.4f} -> {after:.4f}"
            for what, (before, after) in (("gold tags", self.tag_loss), ("gold sequences", self.sequence_loss))
        ]
        level = f"{100 * self.emissions.level:g} % intervals"
        said = [f"temperatures ({self.recipe['likelihood']} likelihood of {sizes}; {level})", *lines, *losses]
        if self.left_out:
            said.append(f"left out: {counted(self.left_out, 'token')} with a tag that the model holds impossible")
        return "\n".join([*said, *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return preformatted(repr(self))


def _estimate(held: Mapping[str, Any]) -> Estimate:
    found = Estimate(**held)
    if not all(one is None or _is_positive(one) for one in (found.value, found.low, found.high)):
        raise ValueError("a temperature must be a finite number above 0")
    if found.value is None:
        raise ValueError("a temperature is missing")
    return found


def _pair(held: Sequence[Any]) -> tuple[float, float]:
    before, after = (math.nan if one is None else float(one) for one in held)
    return before, after


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value > 0
