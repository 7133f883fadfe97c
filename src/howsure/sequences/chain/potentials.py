"""The log-potentials of a corpus, and the walk over it in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np

from howsure.errors import InputError
from howsure.inputs.naming import shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.batches import Batch, batches
from howsure.sequences.chain.checks import check_emissions, check_ends, check_transitions, number_of_tags
from howsure.sequences.chain.log_messages import Chain, Messages
from howsure.sequences.chain.marginals import add_ends, messages_of
from howsure.sequences.chain.workspace import Workspace, borrowed_workspace
from howsure.stats.threads import one_thread

Answer = TypeVar("Answer")


class ImpossibleError(InputError):
    """An error in the potentials of some sentences, which are counted from 0."""

    def __init__(self, rule: str, sentences: Sequence[int], *, first: int = 0) -> None:
        numbers = shortened(first + i for i in sentences)
        super().__init__(rule.format(f"sentence{'s' * (len(sentences) > 1)} {numbers}"))
        self.rule, self.sentences = rule, sentences

    def counted_from_one(self) -> InputError:
        """The same, counted from 1."""
        return ImpossibleError(self.rule, self.sentences, first=1)


@dataclass(frozen=True, slots=True, eq=False)
class Potentials:
    """emissions (T, K) and, if not shared, transitions (T − 1, K, K) per sentence, as given by the caller;
    lengths (sentences,). Only one batch at a time is packed."""

    emissions: Sequence[Any]
    transitions: Any
    start: Floats | None
    end: Floats | None
    lengths: Integers
    n_tags: int

    @classmethod
    def checked(cls, emissions: object, transitions: object, start: Any, end: Any) -> Self:
        """Potentials as given by the caller. Raises InputError."""
        arrays, lengths, size = check_emissions(emissions, number_of_tags(transitions))
        n_tags = np.size(start if start is not None else () if end is None else end) if size is None else size
        if not n_tags and lengths.any():
            raise InputError("emissions must have a column for each tag; there is no tag (K = 0).")
        matrices = check_transitions(transitions, lengths, n_tags)
        ends = check_ends(start, n_tags, "start"), check_ends(end, n_tags, "end")
        return cls(arrays, matrices, *ends, lengths, n_tags)

    @property
    def shared(self) -> bool:
        """Whether all sentences and positions share one matrix of transitions."""
        return isinstance(self.transitions, np.ndarray) and self.transitions.ndim == 2

    def part(self, sentences: Integers) -> Self:
        """The potentials of some sentences."""
        chosen = sentences.tolist()
        transitions = self.transitions if self.shared else [self.transitions[i] for i in chosen]
        emissions = [self.emissions[i] for i in chosen]
        return replace(self, emissions=emissions, transitions=transitions, lengths=self.lengths[sentences])

    def each(
        self, of_batch: Callable[[Chain, Workspace], Sequence[Answer]], empty: Answer, *, width: int = 1
    ) -> list[Answer]:
        """The results of all sentences in order: `of_batch` computes those of a batch, `empty` is that of a sentence
        without tokens.

        `width`: the number of cells per token in the result, if larger than the number of tags. Arrays in the workspace
        must not be part of a result.
        """
        answers = [empty] * len(self.lengths)
        own = self.n_tags if self.shared else self.n_tags**2
        with one_thread(), borrowed_workspace() as workspace:
            for batch in batches(self.lengths, width=max(own, width)):
                found = of_batch(self._chain(batch, workspace), workspace)
                for sentence, answer in zip(batch.sentences.tolist(), found, strict=True):
                    answers[sentence] = answer
        return answers

    def _chain(self, batch: Batch, workspace: Workspace) -> Chain:
        emissions = add_ends(batch, batch.pack(self.emissions, workspace=workspace), self.start, self.end)
        if self.shared:
            return Chain(batch, emissions, self.transitions)
        shape = len(emissions) - len(batch), self.n_tags, self.n_tags
        return Chain(batch, emissions, batch.pack(self.transitions, later=True).reshape(shape))

    def score(self, sentence: int, tags: Integers) -> float:
        """The score of one tag sequence of a sentence."""
        if not len(tags):
            return 0.0
        positions = np.arange(len(tags))
        score = np.asarray(self.emissions[sentence], dtype=np.float64)[positions, tags].sum()
        if self.shared:
            score += self.transitions[tags[:-1], tags[1:]].sum()
        elif len(tags) > 1:
            score += np.asarray(self.transitions[sentence], np.float64)[positions[:-1], tags[:-1], tags[1:]].sum()
        for ends, tag in ((self.start, tags[0]), (self.end, tags[-1])):
            score += 0.0 if ends is None else ends[tag]
        return float(score)


def possible_messages(chain: Chain, workspace: Workspace) -> Messages:
    """Forward and backward messages. Raises InputError where no tag sequence is possible."""
    found = messages_of(chain, workspace)
    check_possible(chain.batch, found.log_z)
    return found


def check_possible(batch: Batch, log_z: Floats) -> None:
    """Raises InputError naming the sentences whose tag sequences are all forbidden, or whose scores overflow."""
    wrong = np.sort(batch.sentences[~np.isfinite(log_z)]).tolist()
    if not wrong:
        return
    if (log_z == -np.inf).any():
        raise ImpossibleError(
            "no tag sequence is possible for {}: every one meets a potential of -inf, so that Z = 0. "
            "Allow at least one, or give a finite potential such as -100 in place of -inf; to an HMM, pseudocounts.",
            wrong,
        )
    raise ImpossibleError("the scores of {} overflow: log Z is no number. Are the potentials logarithms?", wrong)
