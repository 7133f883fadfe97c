"""The temperatures of a tagger, and the likelihood of gold tags as a function of temperatures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Bools, Floats, Integers
from howsure.inputs.parameter_types import ArrayLike
from howsure.result import Estimate, Result
from howsure.show.table import NUMBER, WORDS, Column
from howsure_text.sequences.messages import Chain, Workspace, add_ends, first_rows
from howsure_text.sequences.potentials import Potentials, TemperatureInput, possible_messages
from howsure_text.sequences.sentences import TagSet, check_lists, check_sentences, check_unknown_tags, gold_numbers
from howsure_text.sequences.tag_posterior import TagPosterior

Unseen = Sequence[ArrayLike]  # for each sentence, whether each of its words is unseen: (T,)


@dataclass(frozen=True, slots=True, repr=False)
class Temperatures(Result):
    """The result of `fit_temperatures`.

    emissions: the temperature of emissions. transitions: the temperature of transitions, starts and ends. unseen: the
    temperature of the emissions of words that did not occur in training; None if they have that of other words. A
    temperature below 1 means that the model was underconfident, above 1 overconfident. Intervals are computed by a
    jackknife over sentences. tag_loss, sequence_loss: the mean per token of -log P(gold tag), and of -log P(gold tags
    of the sentence), before and after the fit, on the same sentences. n, sentences: number of tokens used, and of
    sentences with such tokens. left_out: number of tokens whose gold tag is impossible in the model. notes:
    temperatures that could not be estimated.
    """

    emissions: Estimate
    transitions: Estimate
    unseen: Estimate | None
    tag_loss: tuple[float, float]
    sequence_loss: tuple[float, float]
    n: int
    sentences: int
    left_out: int
    recipe: dict[str, Any]
    notes: tuple[str, ...] = ()

    def apply(self, posterior: TagPosterior, *, unseen: Unseen | None = None) -> TagPosterior:
        """Return the posterior with these temperatures. unseen: for each sentence, which of its words are unseen (T,).

        Raises InputError if unseen words have their own temperature, and `unseen` is None.
        """
        return posterior.tempered(self.of_words(unseen), transitions=self.transitions.value)

    def of_words(self, unseen: Unseen | None) -> TemperatureInput:
        """Return the temperature of the emissions: one number, or one for each token."""
        if self.unseen is None:
            return self.emissions.value
        if unseen is None:
            raise InputError(
                "unseen must be given, because unseen words have their own temperature: for each sentence, whether "
                "each word is unseen."
            )
        return [np.where(np.asarray(flags, dtype=bool), self.unseen.value, self.emissions.value) for flags in unseen]

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Restore temperatures from `to_dict`. Raises KeyError, TypeError or ValueError for other values."""
        return cls(
            emissions=_estimate(state["emissions"]),
            transitions=_estimate(state["transitions"]),
            unseen=None if state["unseen"] is None else _estimate(state["unseen"]),
            tag_loss=_pair(state["tag_loss"]),
            sequence_loss=_pair(state["sequence_loss"]),
            n=int(state["n"]),
            sentences=int(state["sentences"]),
            left_out=int(state["left_out"]),
            recipe=dict(state["recipe"]),
            notes=tuple(map(str, state["notes"])),
        )

    def rows(self) -> dict[str, Estimate]:
        """Return the temperatures by the names of the potentials that they divide."""
        estimates = {"emissions": self.emissions, "unseen words": self.unseen, "transitions": self.transitions}
        return {name: estimate for name, estimate in estimates.items() if estimate is not None}

    def table_rows(self) -> Sequence[tuple[str, Estimate]]:
        """Each temperature, with the name of the potentials that it divides."""
        return list(self.rows().items())

    def columns(self) -> Sequence[Column]:
        """The temperatures."""
        return [
            Column("potentials", WORDS, get=lambda row: row[0]),
            Column("temperature", NUMBER, get=lambda row: row[1].value),
            Column("low", NUMBER, get=lambda row: row[1].low),
            Column("high", NUMBER, get=lambda row: row[1].high),
        ]

    @property
    def description(self) -> str:
        """The temperatures, the change of the likelihood, and notes."""
        width = max(map(len, self.rows()))
        lines = [f"{name:<{width}}  {estimate}" for name, estimate in self.rows().items()]
        sizes = f"{counted(self.sentences, 'sentence')}, {counted(self.n, 'token')}"
        losses = [
            f"-log P per token, {what}: {before:.4f} -> {after:.4f}"
            for what, (before, after) in (("gold tags", self.tag_loss), ("gold sequences", self.sequence_loss))
        ]
        level = f"{100 * self.emissions.level:g}% intervals"
        summary_lines = [f"temperatures ({self.recipe['likelihood']} likelihood of {sizes}; {level})", *lines, *losses]
        if self.left_out:
            summary_lines.append(
                f"left out: {counted(self.left_out, 'token')} with a tag that is impossible in the model"
            )
        return "\n".join([*summary_lines, *self.footnotes()])


def _estimate(state: Mapping[str, Any]) -> Estimate:
    estimate = Estimate(**state)
    if not all(bound is None or _is_positive(bound) for bound in (estimate.value, estimate.low, estimate.high)):
        raise ValueError("a temperature must be a finite number above 0")
    if estimate.value is None:
        raise ValueError("a temperature is missing")
    return estimate


def _pair(values: Sequence[Any]) -> tuple[float, float]:
    before, after = (math.nan if value is None else float(value) for value in values)
    return before, after


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value > 0


MARGINAL, JOINT = "marginal", "joint"


@dataclass(frozen=True, slots=True, eq=False)
class GoldLikelihood:
    """The negative log-likelihood of gold tags under `potentials`, as a function of temperatures.

    codes: the gold tag of each token of all sentences; -1 if the token is not used. words: which tokens are unseen.
    """

    potentials: Potentials
    codes: Integers
    words: Bools | None

    @classmethod
    def of(cls, potentials: Potentials, codes: Integers, unseen: Sequence[Any] | None) -> Self:
        """Compute the potentials once, and keep them in memory."""
        emissions = [np.asarray(emission, dtype=np.float64) for emission in potentials.emissions]
        words = None if unseen is None else np.concatenate([np.empty(0, bool), *unseen])
        return cls(replace(potentials, emissions=emissions), codes, words)

    def at(self, emissions: float, transitions: float, unseen: float) -> GoldLosses:
        chain_potentials, firsts = self.potentials, first_rows(self.potentials.lengths)
        start, end = (
            None if end_potential is None else end_potential / transitions
            for end_potential in (chain_potentials.start, chain_potentials.end)
        )

        def compute_batch(chain: Chain, workspace: Workspace) -> Sequence[tuple[Floats, float]]:
            positions = chain.batch.corpus_rows(firsts)
            gold, rows = self.codes[positions], np.arange(len(positions))
            local = chain.emissions
            local /= emissions if self.words is None else np.where(self.words[positions], unseen, emissions)[:, None]
            local = add_ends(chain.batch, local, start, end)
            chain = Chain(chain.batch, local, chain.transitions / transitions)
            messages = possible_messages(chain, workspace)
            logs = np.where(gold < 0, -np.inf, messages.forward[rows, gold] + messages.backward[rows, gold])
            scores = _scores(chain, gold) - messages.log_z
            return list(zip(chain.batch.unpack(np.minimum(logs, 0.0)), scores.tolist(), strict=True))

        empty = np.empty(0), 0.0
        without_ends = replace(chain_potentials, start=None, end=None)  # start and end have transitions' temperature
        answers = without_ends.each(compute_batch, empty)
        by_token = np.concatenate([np.empty(0), *(token_likelihoods for token_likelihoods, _ in answers)])
        return GoldLosses(-by_token, -np.array([score for _, score in answers], dtype=np.float64))

    def select(self, sentences: Integers) -> GoldLikelihood:
        firsts, lengths = first_rows(self.potentials.lengths).tolist(), self.potentials.lengths.tolist()
        chosen = [np.arange(firsts[i], firsts[i] + lengths[i]) for i in sentences.tolist()]
        tokens = np.concatenate([np.empty(0, np.int64), *chosen])
        words = None if self.words is None else self.words[tokens]
        return GoldLikelihood(self.potentials.part(sentences), self.codes[tokens], words)


@dataclass(frozen=True, slots=True, eq=False)
class GoldLosses:
    """-log P of each token's gold tag, and of each sentence's gold sequence.

    Values are infinite if the tag or sequence is impossible, or a token is not used.
    """

    of_tokens: Floats
    of_sequences: Floats


def _scores(chain: Chain, gold: Integers) -> Floats:
    """Return the score of each sentence's gold sequence; −inf if one of its tokens is not used."""
    batch, rows = chain.batch, np.arange(len(gold))
    terms = np.where(gold < 0, -np.inf, chain.emissions[rows, gold])
    first = len(batch)
    if first < len(gold):
        before, after = gold[batch.previous_rows], gold[first:]
        shared = chain.transitions.ndim == 2
        terms[first:] += (
            chain.transitions[before, after] if shared else chain.transitions[rows[: len(after)], before, after]
        )
    with np.errstate(invalid="ignore"):
        return np.bincount(batch.ranks, terms, first).astype(np.float64, copy=False)


def gold_codes(posterior: TagPosterior, tags: Sequence[ArrayLike], *, unknown_tags: str) -> Integers:
    """Return the index of each token's gold tag, sentence after sentence; -1 for tags that the model does not know."""
    check_unknown_tags(unknown_tags)
    names = posterior.labels
    rows: list[Any] = check_lists(tags, name="tags", of="tags")
    if names is not None:
        rows = check_sentences(rows, name="tags", of="tags")
    _check_lengths(rows, posterior.lengths)
    if names is None:
        tagset = TagSet(None, posterior.n_tags)
        numbered = [tagset.numbers(tags_of_sentence, f"tags[{i}]") for i, tags_of_sentence in enumerate(rows)]
        return np.concatenate([np.empty(0, np.int64), *numbered])
    return gold_numbers(rows, names, unknown_tags=unknown_tags)


def check_unseen(unseen: Unseen | None, lengths: Integers) -> Sequence[Any] | None:
    """Check and return which words are unseen, (T,) per sentence; raise InputError if the lengths do not match."""
    if unseen is None:
        return None
    flags = [np.asarray(row, dtype=bool) for row in check_lists(unseen, name="unseen", of="truth values")]
    if [row.shape for row in flags] != [(length,) for length in lengths.tolist()]:
        raise InputError("unseen must contain True or False for each token of each sentence of the posterior.")
    return flags


def _check_lengths(rows: Sequence[Any], lengths: Integers) -> None:
    if len(rows) != len(lengths):
        raise InputError(f"tags must have a list for each of the {len(lengths):,} sentences; there are {len(rows):,}.")
    for i, (tags_of_sentence, length) in enumerate(zip(rows, lengths.tolist(), strict=True)):
        if len(tags_of_sentence) != length:
            raise InputError(
                f"tags[{i}] must have a tag for each of the {length} tokens of the sentence; it has "
                f"{len(tags_of_sentence)}."
            )
    if not lengths.any():
        raise InputError("tags contain no tag, so there is nothing to learn from. Give sentences with gold tags.")
